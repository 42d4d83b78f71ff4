//! The reference's chapters of the book, in Markdown.

use crate::header::Doc;
use crate::pages::{Chapter, Piece, Reference, pieces};
use std::collections::BTreeMap;
use std::fmt::Write;

/// A file of the book: its name in the directory `reference`, its title, its text.
pub struct File {
    pub name: String,
    pub title: String,
    pub text: String,
}

/// `gasnet-1-active-messages` for `GASNet-1: Active Messages`.
fn slug(title: &str) -> String {
    let words = title.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("-")
}

/// `text` where Markdown sees no markup.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if matches!(c, '*' | '_' | '<' | '>' | '[' | ']' | '\\' | '`' | '#' | '|') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

struct Book<'a> {
    reference: &'a Reference,
    /// The file of the chapter of each page.
    file_of: BTreeMap<&'a str, String>,
}

impl Book<'_> {
    fn link(&self, name: &str, text: &str) -> String {
        let page = self.reference.page_of(name).unwrap_or(name);
        let file = self.file_of.get(page).map_or("", String::as_str);
        format!("[{text}]({file}#{name})")
    }

    fn styled(&self, text: &str) -> String {
        let mut out = String::new();
        for piece in pieces(text, self.reference) {
            out += &match piece {
                Piece::Plain(text) => escaped(text),
                Piece::Code(code) => format!("`{code}`"),
                Piece::Name(name) => self.link(name, &format!("`{name}`")),
            };
        }
        out
    }

    fn description(&self, out: &mut String, doc: &Doc) {
        for paragraph in &doc.paragraphs {
            let _ = match paragraph.strip_prefix("- ") {
                Some(item) => writeln!(out, "- {}\n", self.styled(item)),
                None => writeln!(out, "{}\n", self.styled(paragraph)),
            };
        }
        if !doc.requirements.is_empty() {
            *out += "The caller ensures that:\n\n";
            for item in &doc.requirements {
                let _ = writeln!(out, "- {}", self.styled(item));
            }
            out.push('\n');
        }
        if let Some(source) = &doc.source {
            let _ = writeln!(out, "*Source: {}.*\n", escaped(source));
        }
    }

    fn chapter(&self, chapter: &Chapter) -> String {
        let mut out = format!("# {}\n\n```c\n#include <{}>\n```\n\n", chapter.title, chapter.header);
        for page in &chapter.pages {
            let mut about = page.about.clone();
            about[..1].make_ascii_uppercase();
            let _ = writeln!(out, "## {about}\n");
            for entry in &page.entries {
                for name in &entry.names {
                    let _ = write!(out, "<a id=\"{name}\"></a>");
                }
                let names: Vec<String> = entry.names.iter().map(|name| escaped(name)).collect();
                let _ = writeln!(out, "\n\n### {}\n\n```c", names.join(", "));
                for prototype in &entry.prototypes {
                    let _ = writeln!(out, "{};", wrapped(prototype));
                }
                out += "```\n\n";
                self.description(&mut out, &entry.doc);
            }
        }
        out
    }

    /// All functions by name.
    fn index(&self) -> String {
        let mut names = BTreeMap::new();
        for chapter in &self.reference.chapters {
            for page in &chapter.pages {
                for name in page.entries.iter().flat_map(|entry| &entry.names) {
                    names.insert(name.to_lowercase(), (name, &page.about));
                }
            }
        }
        let mut out = String::from("# All functions\n\n| function | of the functions that |\n| --- | --- |\n");
        for (name, about) in names.values() {
            let _ = writeln!(out, "| {} | {} |", self.link(name, &format!("`{name}`")), escaped(about));
        }
        out
    }
}

/// A prototype in lines of about 90 characters.
fn wrapped(prototype: &str) -> String {
    let (mut out, mut column) = (String::new(), 0);
    for word in prototype.split(' ') {
        if column > 0 && column + word.len() > 90 {
            out += "\n    ";
            column = 4;
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out += word;
        column += word.len();
    }
    out
}

pub fn files(reference: &Reference) -> Vec<File> {
    let mut file_of = BTreeMap::new();
    for chapter in &reference.chapters {
        for page in &chapter.pages {
            file_of.insert(page.name.as_str(), slug(&chapter.title) + ".md");
        }
    }
    let book = Book { reference, file_of };
    let mut all = vec![File { name: "index.md".into(), title: "All functions".into(), text: book.index() }];
    all.extend(reference.chapters.iter().map(|chapter| File {
        name: slug(&chapter.title) + ".md",
        title: chapter.title.clone(),
        text: book.chapter(chapter),
    }));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_become_file_names_and_text_has_no_markup() {
        assert_eq!(slug("GASNet-1: put, get"), "gasnet-1-put-get");
        assert_eq!(escaped("a_b <c> *"), "a\\_b \\<c\\> \\*");
    }

    #[test]
    fn long_prototypes_are_wrapped_between_words() {
        let text = wrapped(&["parameter"; 30].join(" "));
        assert!(text.lines().count() == 4 && text.lines().all(|line| line.len() <= 94), "{text}");
        assert_eq!(text.replace("\n   ", ""), ["parameter"; 30].join(" "));
    }
}
