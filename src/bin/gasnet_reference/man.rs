//! Pages of section 3 of the manual.

use crate::header::Doc;
use crate::pages::{Chapter, Page, Piece, Reference, pieces};
use std::fmt::Write;

const WIDTH: usize = 78;

/// Of the interface and its documentation, as in the pages of `man/`.
const DATE: &str = "2026-11-25";

/// `text` where roff sees neither escapes nor requests.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\e").replace('\'', "\\(aq").replace('-', "\\-")
}

/// Appends `text` in lines of at most `WIDTH` characters if its words allow it; no line begins with a request.
fn fill(out: &mut String, text: &str) {
    let mut column = 0;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        if column > 0 && column + 1 + word.len() > WIDTH {
            out.push('\n');
            column = 0;
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        if column == 0 && word.starts_with(['.', '\'']) {
            out.push_str("\\&");
        }
        out.push_str(word);
        column += word.len();
    }
    out.push('\n');
}

fn styled(text: &str, page: &str, reference: &Reference) -> String {
    let mut out = String::new();
    for piece in pieces(text, reference) {
        let _ = match piece {
            Piece::Plain(text) => write!(out, "{}", escaped(text)),
            Piece::Code(code) => write!(out, "\\fI{}\\fP", escaped(code)),
            Piece::Name(name) if reference.page_of(name) == Some(page) => write!(out, "\\fB{name}\\fP"),
            Piece::Name(name) => write!(out, "\\fB{name}\\fP(3)"),
        };
    }
    out
}

/// The parameters of a list, divided at the commas outside parentheses.
fn parameters(list: &str) -> Vec<&str> {
    let (mut all, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, c) in list.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                all.push(list[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    all.push(list[start..].trim());
    all
}

/// A prototype with bold types and italic parameters, in lines.
fn prototype(out: &mut String, text: &str) {
    let open = text.find('(').map_or(text.len(), |at| at + 1);
    let (head, list) = (&text[..open], text[open..].strip_suffix(')').unwrap_or(&text[open..]));
    let mut line = format!("\\fB{}\\fP", escaped(head));
    let mut column = head.len();
    let all = parameters(list);
    for (number, parameter) in all.iter().enumerate() {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let is_plain = !matches!(*parameter, "void" | "..." | "") && !parameter.contains(['(', '[']);
        let name_at = parameter.rfind(|c| !is_name(c)).map_or(0, |at| at + 1);
        let (kind, name) = if is_plain { parameter.split_at(name_at) } else { (*parameter, "") };
        let end = if number + 1 < all.len() { "," } else { ");" };
        if column + parameter.len() + 3 > WIDTH {
            line += "\n\\&     ";
            column = 5;
        } else if number > 0 {
            line.push(' ');
            column += 1;
        }
        let _ = write!(line, "\\fB{}\\fP\\fI{}\\fP\\fB{end}\\fP", escaped(kind), escaped(name));
        column += kind.len() + name.len() + end.len();
    }
    *out += &line.replace("\\fB\\fP", "").replace("\\fI\\fP", "");
    out.push('\n');
}

fn description(out: &mut String, doc: &Doc, page: &str, reference: &Reference) {
    for (number, paragraph) in doc.paragraphs.iter().enumerate() {
        match paragraph.strip_prefix("- ") {
            Some(item) => {
                *out += ".IP \\(bu 2\n";
                fill(out, &styled(item, page, reference));
            }
            None => {
                *out += if number == 0 { "" } else { ".PP\n" };
                fill(out, &styled(paragraph, page, reference));
            }
        }
    }
    if !doc.requirements.is_empty() {
        *out += ".PP\nThe caller ensures that:\n";
        for item in &doc.requirements {
            *out += ".IP \\(bu 2\n";
            fill(out, &styled(item, page, reference));
        }
    }
}

/// The names for NAME and headings: those of families as `…M`.
fn listed(page: &Page) -> Vec<&str> {
    page.entries.iter().flat_map(|entry| entry.names.iter().map(String::as_str)).collect()
}

pub fn page(page: &Page, chapter: &Chapter, reference: &Reference) -> String {
    let mut out = format!(
        ".\\\" Generated from the headers by gasnet_reference.\n.TH {} 3 {DATE} \"libgasnet\" \"{}\"\n.SH NAME\n",
        page.name.to_uppercase(),
        escaped(&chapter.title)
    );
    // The name of the page first.
    let mut names = listed(page);
    names.sort_by_key(|name| *name != page.name);
    fill(&mut out, &format!("{} \\- {}", names.join(", "), escaped(&page.about)));
    let _ = write!(out, ".SH SYNOPSIS\n.nf\n\\fB#include <{}>\\fP\n", chapter.header);
    for entry in &page.entries {
        out += ".PP\n";
        for text in &entry.prototypes {
            prototype(&mut out, text);
        }
    }
    out += ".fi\n.SH DESCRIPTION\n";
    if page.entries.iter().any(|entry| entry.names[0].contains('M') && entry.prototypes[0].contains("argM-1")) {
        out += "M in a name is the number of arguments of the message, from 0 to 16.\n";
        out += "The form without a number counts its arguments, or takes their number.\n";
    }
    for entry in &page.entries {
        if page.entries.len() > 1 {
            out += ".SS \"";
            out += &entry.names.join(", ");
            out += "\"\n";
        }
        description(&mut out, &entry.doc, &page.name, reference);
    }
    let mut sources: Vec<&str> = page.entries.iter().filter_map(|entry| entry.doc.source.as_deref()).collect();
    sources.dedup();
    let mut seen = std::collections::BTreeSet::new();
    sources.retain(|source| seen.insert(*source));
    if !sources.is_empty() {
        out += ".SH STANDARDS\n";
        fill(&mut out, &(escaped(&sources.join("; ")) + "."));
    }
    out += ".SH SEE ALSO\n";
    for other in reference.related(page) {
        let _ = writeln!(out, ".BR {other} (3),");
    }
    out + ".BR gasnet (3),\n.BR gasnet (7)\n"
}

/// The page gasnet(3): all functions by subject.
pub fn overview(reference: &Reference) -> String {
    let mut out = format!(
        ".\\\" Generated from the headers by gasnet_reference.\n.TH GASNET 3 {DATE} \"libgasnet\" \"GASNet\"\n.SH NAME\n\
         gasnet \\- the functions of GASNet\\-1, GASNet\\-EX and the GASNet tools by subject\n.SH DESCRIPTION\n\
         The following pages describe all functions. Each function has a page of its name, too.\n",
    );
    for chapter in &reference.chapters {
        let _ = writeln!(out, ".SS \"{} (<{}>)\"", escaped(&chapter.title), chapter.header);
        for page in &chapter.pages {
            let _ = writeln!(out, ".TP\n.BR {} (3)", page.name);
            fill(&mut out, &escaped(&page.about));
        }
    }
    out + ".SH SEE ALSO\n.BR gasnet (7)\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let mut out = String::new();
        prototype(&mut out, text);
        out
    }

    #[test]
    fn prototypes_have_bold_types_and_italic_names_in_lines_that_fit() {
        assert_eq!(shown("int f(void)"), "\\fBint f(\\fP\\fBvoid\\fP\\fB);\\fP\n");
        assert_eq!(
            shown("int f(const void *a, int b)"),
            "\\fBint f(\\fP\\fBconst void *\\fP\\fIa\\fP\\fB,\\fP \\fBint \\fP\\fIb\\fP\\fB);\\fP\n"
        );
        let callback = "void (*print)(const char *, ...)";
        assert_eq!(parameters(&format!("{callback}, int n")), [callback, "int n"]);
        let long = shown(&format!("int f({})", ["uint64_t parameter"; 9].join(", ")));
        let width = |line: &str| line.replace("\\fB", "").replace("\\fI", "").replace("\\fP", "").len();
        assert!(long.lines().count() == 3 && long.lines().all(|line| width(line) <= WIDTH + 2), "{long}");
    }

    #[test]
    fn text_begins_no_request_and_has_no_escape_of_its_own() {
        let mut out = String::new();
        fill(&mut out, &escaped(".hidden 'quoted\\n"));
        assert_eq!(out, "\\&.hidden \\(aqquoted\\en\n");
    }
}
