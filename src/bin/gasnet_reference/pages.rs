//! The pages of the reference: which functions belong together (`pages.txt`), and what their texts refer to.

use crate::header::{Doc, Function, Headers};
use std::collections::{BTreeMap, BTreeSet};

const PAGES: &str = include_str!("pages.txt");

/// Functions with one text.
#[derive(Clone, Debug)]
pub struct Entry {
    /// As a reader sees them; that of a family ends in `M`.
    pub names: Vec<String>,
    pub prototypes: Vec<String>,
    pub doc: Doc,
}

#[derive(Clone, Debug)]
pub struct Page {
    pub name: String,
    /// What its functions do, without a verb's subject: `write to the memory of another rank`.
    pub about: String,
    pub entries: Vec<Entry>,
    /// The names of all functions, those of families with each number.
    pub names: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct Chapter {
    pub title: String,
    pub header: String,
    pub pages: Vec<Page>,
}

pub struct Reference {
    pub chapters: Vec<Chapter>,
    /// The page of each name, in all forms.
    page_of: BTreeMap<String, String>,
    /// The member of a page that each documenting function of the library is behind.
    in_front: BTreeMap<String, String>,
}

/// A member of a page, as `pages.txt` has it.
enum Member<'a> {
    Name(&'a str),
    Prefix(&'a str),
    Family(&'a str, &'a str),
}

impl<'a> Member<'a> {
    /// The member, and the function of the library that documents it.
    fn parse(word: &'a str) -> (Member<'a>, Option<&'a str>) {
        let (word, behind) = word.split_once('=').map_or((word, None), |(word, by)| (word, Some(by)));
        let member = match (word.split_once('#'), word.strip_suffix('*')) {
            (Some((before, after)), _) => Member::Family(before, after),
            (None, Some(prefix)) => Member::Prefix(prefix),
            (None, None) => Member::Name(word),
        };
        (member, behind)
    }

    /// The name by which texts refer to this member.
    fn shown(&self) -> String {
        match self {
            Member::Name(name) | Member::Prefix(name) => name.to_string(),
            Member::Family(before, after) => format!("{before}M{after}"),
        }
    }

    /// Whether a page must document `name`, if this member is on it.
    fn has(&self, name: &str) -> bool {
        match self {
            Member::Name(own) => name == *own,
            Member::Prefix(prefix) => name.starts_with(prefix),
            Member::Family(before, after) => name
                .strip_prefix(before)
                .and_then(|rest| rest.strip_suffix(after))
                .is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit())),
        }
    }
}

/// Whether `name` is one of the interface that clients call; the others are the library's own.
pub fn is_public(name: &str) -> bool {
    ["gasnet_", "gasnett_", "gex_", "GASNET_BLOCKUNTIL", "GASNETT_TRACE_", "GASNETT_STATS_", "GASNETT_THREADKEY_"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
}

/// The entry of a family: its form with M arguments, and the form that counts them.
fn family(headers: &Headers, before: &str, after: &str) -> Result<Entry, String> {
    let named = |number: &str| found(headers, &format!("{before}{number}{after}"));
    let (none, one) = (named("0")?, named("1")?);
    let head = none.prototype.trim_end_matches(')');
    let renamed = |name: &str| head.replacen(&none.name, name, 1);
    let kind = one.prototype.trim_end_matches(')').rsplit(", ").next().and_then(|last| last.split_once(' '));
    let kind = kind.map_or("int", |(kind, _)| kind);
    let name = format!("{before}M{after}");
    let mut prototypes = vec![format!("{}, {kind} arg0, ..., {kind} argM-1)", renamed(&name))];
    let mut names = vec![name];
    if let Ok(any) = named("") {
        names.push(any.name.clone());
        let is_macro = any.prototype == format!("{}(...)", any.name);
        prototypes.push(if is_macro { format!("{}, ...)", renamed(&any.name)) } else { any.prototype.clone() });
    }
    Ok(Entry { names, prototypes, doc: none.doc.clone() })
}

fn found<'a>(headers: &'a Headers, name: &str) -> Result<&'a Function, String> {
    headers.get(name).ok_or(format!("pages.txt: the headers have no {name}"))
}

impl Reference {
    pub fn new(headers: &Headers) -> Result<Reference, String> {
        Reference::of(headers, PAGES)
    }

    fn of(headers: &Headers, pages: &str) -> Result<Reference, String> {
        let joined = pages.replace("\n  ", " ");
        let members = joined.split_whitespace().map(Member::parse);
        let in_front = members.filter_map(|(member, behind)| Some((behind?.to_string(), member.shown()))).collect();
        let mut reference = Reference { chapters: Vec::new(), page_of: BTreeMap::new(), in_front };
        for line in joined.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let wrong = || format!("pages.txt: {line:?} is neither a chapter nor a page");
            if let Some(chapter) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                let (title, header) = chapter.split_once(" | ").ok_or_else(wrong)?;
                reference.chapters.push(Chapter {
                    title: title.to_string(),
                    header: header.to_string(),
                    pages: Vec::new(),
                });
                continue;
            }
            let mut parts = line.split(" | ");
            let (Some(name), Some(about), Some(members), None) =
                (parts.next(), parts.next(), parts.next(), parts.next())
            else {
                return Err(wrong());
            };
            let page = reference.page(headers, name, about, members)?;
            reference.chapters.last_mut().ok_or_else(wrong)?.pages.push(page);
        }
        let missing: Vec<&str> = headers
            .functions
            .iter()
            .map(|function| function.name.as_str())
            .filter(|name| is_public(name) && !reference.page_of.contains_key(*name))
            .collect();
        if !missing.is_empty() {
            return Err(format!("no page of pages.txt has: {}", missing.join(" ")));
        }
        Ok(reference)
    }

    fn page(&mut self, headers: &Headers, name: &str, about: &str, members: &str) -> Result<Page, String> {
        let (mut entries, mut names) = (Vec::<Entry>::new(), Vec::new());
        for word in members.split_whitespace() {
            let (member, behind) = Member::parse(word);
            let found: Vec<&Function> = headers
                .functions
                .iter()
                .filter(|f| is_public(&f.name) && member.has(&f.name) && !self.page_of.contains_key(&f.name))
                .collect();
            if found.is_empty() && behind.is_none() {
                return Err(format!("pages.txt: {name}: no function is left for {word}"));
            }
            let shown = member.shown();
            let mut all: Vec<String> = found.iter().map(|function| function.name.clone()).collect();
            if all.is_empty() {
                all.push(shown.clone());
            }
            for own in all.iter().chain([&shown]) {
                self.page_of.insert(own.clone(), name.to_string());
            }
            names.extend(all);
            if let Member::Family(before, after) = member {
                let mut entry = family(headers, before, after)?;
                if let Some(behind) = behind {
                    entry.doc = self.public(&self::found(headers, behind)?.doc);
                }
                entries.push(entry);
                continue;
            }
            if let Some(behind) = behind {
                let function = self::found(headers, behind)?;
                let prototypes = vec![function.prototype.replacen(behind, &shown, 1)];
                entries.push(Entry { names: vec![shown], prototypes, doc: self.public(&function.doc) });
                continue;
            }
            for function in found {
                if function.doc.paragraphs.is_empty() {
                    return Err(format!("{}: the headers have no documentation of it", function.name));
                }
                let prototype = function.prototype.clone();
                match entries.last_mut().filter(|last| last.doc == function.doc) {
                    Some(last) => {
                        last.names.push(function.name.clone());
                        last.prototypes.push(prototype);
                    }
                    None => entries.push(Entry {
                        names: vec![function.name.clone()],
                        prototypes: vec![prototype],
                        doc: function.doc.clone(),
                    }),
                }
            }
        }
        if !names.iter().any(|member| member == name) {
            return Err(format!("pages.txt: {name} is not a function of its page"));
        }
        Ok(Page { name: name.to_string(), about: about.to_string(), entries, names })
    }

    /// The text on a function of the library, for the reader of the function or the family in front of it.
    fn public(&self, doc: &Doc) -> Doc {
        let public = |text: &String| {
            let mut out = text.replace("with 'nargs' arguments", "with M arguments");
            // Of two names of which one begins with the other, the longer first.
            for (behind, shown) in self.in_front.iter().rev() {
                out = out.replace(behind, shown);
            }
            out
        };
        let mut requirements = Vec::new();
        for item in doc.requirements.iter().map(public) {
            let clauses = item.trim_end_matches('.').split("; ");
            let clauses: Vec<&str> = clauses.filter(|clause| *clause != "'args' has 'nargs' elements").collect();
            if !clauses.is_empty() {
                requirements.push(clauses.join("; ") + ".");
            }
        }
        Doc { paragraphs: doc.paragraphs.iter().map(public).collect(), requirements, source: doc.source.clone() }
    }

    pub fn page_of(&self, name: &str) -> Option<&str> {
        self.page_of.get(name).map(String::as_str)
    }

    /// The other pages that the texts of `page` name.
    pub fn related(&self, page: &Page) -> BTreeSet<&str> {
        let texts = page.entries.iter().flat_map(|entry| entry.doc.paragraphs.iter().chain(&entry.doc.requirements));
        texts
            .flat_map(|text| text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')))
            .filter_map(|word| self.page_of(word))
            .filter(|other| *other != page.name)
            .collect()
    }
}

/// A piece of a documentation's text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Piece<'a> {
    Plain(&'a str),
    /// Quoted in the headers: a parameter or an expression.
    Code(&'a str),
    /// A function of the reference.
    Name(&'a str),
}

/// Divides `text` at quoted pieces and at names of functions.
pub fn pieces<'a>(text: &'a str, reference: &Reference) -> Vec<Piece<'a>> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let (mut found, mut plain, mut at) = (Vec::new(), 0, 0);
    while at < text.len() {
        let rest = &text[at..];
        let piece = if let Some(inner) = rest.strip_prefix('\'') {
            let close = inner.find('\'').filter(|close| (1..60).contains(close));
            close.map(|close| (Piece::Code(&inner[..close]), close + 2))
        } else {
            let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            (end > 0 && reference.page_of(&rest[..end]).is_some()).then(|| (Piece::Name(&rest[..end]), end))
        };
        let begins_word = !text[..at].ends_with(is_word);
        match piece.filter(|_| begins_word) {
            Some((piece, len)) => {
                if plain < at {
                    found.push(Piece::Plain(&text[plain..at]));
                }
                let is_name = matches!(piece, Piece::Code(code) if reference.page_of(code).is_some());
                found.push(match piece {
                    Piece::Code(code) if is_name => Piece::Name(code),
                    piece => piece,
                });
                at += len;
                plain = at;
            }
            None => at += rest.chars().next().map_or(1, char::len_utf8),
        }
    }
    if plain < text.len() {
        found.push(Piece::Plain(&text[plain..]));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "\
/* Sends. As gasneti_AMx.
 *
 * The caller sees to it that:
 * 'args' has 'nargs' elements; 'dest' is a rank. */
int gasneti_AMx(int dest, const int *args, int nargs);

/* Short. */
int gasnet_AMx0(int dest);
int gasnet_AMx1(int dest, arg_t arg0);
int gasnet_AMx(int dest, int numargs, ...);

/* The same; see gasnet_b. */
int gasnet_a(int n);
/* The same; see gasnet_b. */
int gasnet_a_bulk(int n);

/* 'n' of 'gasnet_a', the caller's. */
int gasnet_b(int n);
";
    const TABLE: &str = "\
# Comment.
[Chapter | gasnet.h]
gasnet_a | do a | gasnet_a
  gasnet_a_*
gasnet_b | do b | gasnet_b
gasnet_AMx | send | gasnet_AMx#=gasneti_AMx
";

    fn reference(table: &str) -> Result<Reference, String> {
        let mut headers = Headers::default();
        headers.add(HEADER);
        Reference::of(&headers, table)
    }

    #[test]
    fn functions_with_one_text_are_one_entry() {
        let reference = reference(TABLE).unwrap();
        let page = &reference.chapters[0].pages[0];
        assert_eq!(page.entries.len(), 1);
        assert_eq!(page.entries[0].names, ["gasnet_a", "gasnet_a_bulk"]);
        assert_eq!(reference.related(page).into_iter().collect::<Vec<_>>(), ["gasnet_b"]);
    }

    #[test]
    fn a_family_is_one_entry_with_all_its_names() {
        let reference = reference(TABLE).unwrap();
        let page = &reference.chapters[0].pages[2];
        assert_eq!(page.names, ["gasnet_AMx0", "gasnet_AMx1", "gasnet_AMx"]);
        let [entry] = &page.entries[..] else { panic!("{page:?}") };
        assert_eq!(entry.prototypes[0], "int gasnet_AMxM(int dest, arg_t arg0, ..., arg_t argM-1)");
        assert_eq!(entry.prototypes[1], "int gasnet_AMx(int dest, int numargs, ...)");
        assert_eq!(entry.doc.paragraphs, ["Sends. As gasnet_AMxM."]);
        assert_eq!(entry.doc.requirements, ["'dest' is a rank."]);
    }

    #[test]
    fn a_function_without_a_page_and_a_page_without_functions_are_errors() {
        let missing = reference(&TABLE.replace("gasnet_b | do b | gasnet_b\n", "")).err().unwrap();
        assert_eq!(missing, "no page of pages.txt has: gasnet_b");
        let none = reference(&(TABLE.to_string() + "gasnet_c | do c | gasnet_c\n")).err().unwrap();
        assert!(none.contains("gasnet_c"), "{none}");
        let other = reference(&TABLE.replace("gasnet_b | do b", "gasnet_z | do b")).err().unwrap();
        assert!(other.contains("gasnet_z"), "{other}");
    }

    #[test]
    fn quoted_words_and_functions_are_pieces() {
        let reference = reference(TABLE).unwrap();
        let found = pieces("'n' of 'gasnet_a', the caller's gasnet_b.", &reference);
        let wanted = [
            Piece::Code("n"),
            Piece::Plain(" of "),
            Piece::Name("gasnet_a"),
            Piece::Plain(", the caller's "),
            Piece::Name("gasnet_b"),
            Piece::Plain("."),
        ];
        assert_eq!(found, wanted);
    }
}
