//! Documented functions, families of functions and macros of the committed headers.

use std::collections::BTreeMap;

/// A function, a family whose names end in a number, or a macro with parameters.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Function {
    pub name: String,
    /// The declaration on one line, without attributes and the final semicolon.
    pub prototype: String,
    pub doc: Doc,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Doc {
    pub paragraphs: Vec<String>,
    /// The caller's obligations: items of a list.
    pub requirements: Vec<String>,
    /// Where the interface is specified: `GASNet-EX 0.19, "Put"`.
    pub source: Option<String>,
}

const REQUIREMENTS: &str = "The caller sees to it that:";

/// The text of a comment without its delimiters and the stars at the start of its lines.
fn comment_lines(comment: &str) -> Vec<&str> {
    let inner = comment.trim().trim_start_matches("/*").trim_end_matches("*/").trim_start_matches('*');
    inner.lines().map(|line| line.trim().strip_prefix('*').unwrap_or(line.trim()).trim()).collect()
}

impl Doc {
    pub fn of_comment(comment: &str) -> Doc {
        let mut doc = Doc::default();
        let mut in_requirements = false;
        let mut text = String::new();
        let lines = comment_lines(comment);
        // The empty line at the end closes the last paragraph.
        for line in lines.into_iter().chain([""]) {
            let begins = line.starts_with("- ") || line == REQUIREMENTS;
            if (line.is_empty() || begins) && !text.is_empty() {
                doc.add(std::mem::take(&mut text), in_requirements);
            }
            match line {
                "" => {}
                REQUIREMENTS => in_requirements = true,
                _ => {
                    text += if text.is_empty() { "" } else { " " };
                    text += line;
                }
            }
        }
        doc
    }

    fn add(&mut self, text: String, in_requirements: bool) {
        if let Some(source) = text.strip_prefix("Source: ") {
            self.source = Some(source.trim_end_matches('.').to_string());
        } else if in_requirements {
            self.requirements.push(text.strip_prefix("- ").unwrap_or(&text).to_string());
        } else {
            self.paragraphs.push(text);
        }
    }
}

/// The identifier that ends `text`.
fn last_word(text: &str) -> &str {
    let text = text.trim_end();
    let start = text.rfind(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).map_or(0, |at| at + 1);
    &text[start..]
}

/// The name that a declaration declares as a function, and the declaration without attributes.
fn declared(declaration: &str) -> Option<Function> {
    let mut text = declaration.split_whitespace().collect::<Vec<_>>().join(" ").replace("( ", "(");
    for prefix in ["extern ", "GASNETT_NORETURN "] {
        text = text.strip_prefix(prefix).unwrap_or(&text).to_string();
    }
    // GASNETT_FORMAT_PRINTF(name, 1, 2, declaration)
    if let Some(inner) = text.strip_prefix("GASNETT_FORMAT_PRINTF(") {
        text = inner.splitn(4, ',').nth(3)?.trim().strip_suffix(')')?.to_string();
    }
    // Rust's names of parameters that are not used.
    let text = text.trim_end_matches(" GASNETI_NORETURN").replace(" _", " ").replace("*_", "*");
    let open = text.find('(')?;
    let name = last_word(&text[..open]);
    let is_function = text.ends_with(')') && open > name.len() && !name.is_empty();
    let is_other = ["typedef ", "return ", "static ", "struct {", "#"].iter().any(|word| text.starts_with(word));
    (is_function && !is_other && !text.contains(['{', '='])).then(|| Function {
        name: name.to_string(),
        prototype: text.clone(),
        doc: Doc::default(),
    })
}

/// `#define NAME(parameters)`.
fn defined(line: &str) -> Option<Function> {
    let rest = line.strip_prefix("#define ")?;
    let open = rest.find('(')?;
    let name = &rest[..open];
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let close = rest.find(')')?;
    is_name.then(|| Function { name: name.to_string(), prototype: rest[..=close].to_string(), doc: Doc::default() })
}

/// Functions by name. Of a name that is declared more than once, the declaration with documentation is taken.
#[derive(Default)]
pub struct Headers {
    pub functions: Vec<Function>,
    at: BTreeMap<String, usize>,
}

impl Headers {
    pub fn get(&self, name: &str) -> Option<&Function> {
        self.at.get(name).map(|at| &self.functions[*at])
    }

    fn keep(&mut self, function: Function) {
        match self.at.get(&function.name) {
            Some(at) if self.functions[*at].doc.paragraphs.is_empty() && !function.doc.paragraphs.is_empty() => {
                self.functions[*at] = function;
            }
            Some(_) => {}
            None => {
                self.at.insert(function.name.clone(), self.functions.len());
                self.functions.push(function);
            }
        }
    }

    /// Adds the functions and macros of the header `text`. A comment documents the declarations that follow it without an
    /// empty line.
    pub fn add(&mut self, text: &str) {
        let (mut comment, mut declaration) = (String::new(), String::new());
        let (mut in_comment, mut in_macro) = (false, false);
        for line in text.lines() {
            if in_comment || (declaration.is_empty() && line.trim_start().starts_with("/*")) {
                if !in_comment {
                    comment.clear();
                }
                comment += line;
                comment.push('\n');
                in_comment = !line.contains("*/");
            } else if in_macro || line.starts_with('#') {
                if let Some(function) = defined(line).filter(|_| !in_macro) {
                    self.keep(Function { doc: Doc::of_comment(&comment), ..function });
                }
                in_macro = line.ends_with('\\');
            } else if line.is_empty() {
                comment.clear();
                declaration.clear();
            } else {
                declaration += line;
                declaration.push(' ');
                if let Some(whole) = declaration.trim_end().strip_suffix(';') {
                    if let Some(function) = declared(whole) {
                        self.keep(Function { doc: Doc::of_comment(&comment), ..function });
                    }
                    declaration.clear();
                } else if line.ends_with(['{', '}']) {
                    declaration.clear();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
/**
 * Copies 'n' bytes.
 *
 * Returns 0. As gex_b
 * otherwise.
 *
 * Source: GASNet-EX 0.19, \"Put\".
 *
 * The caller sees to it that:
 * - 'a' is live;
 *   really.
 * - 'n' is small.
 */
int gex_a(const void *a,
          size_t n);

/* Does not return. */
void gasnet_exit(int exitcode) GASNETI_NORETURN;

/* A macro. */
#define GASNET_M(cond) do { \\
  gasnet_no(cond); \\
} while (0)

typedef void (*gasnet_fn_t)(void *arg);
extern GASNETT_NORETURN GASNETT_FORMAT_PRINTF(gasnett_f, 1, 2, void gasnett_f(const char *msg, ...));
/* Without an empty line: of both. */
int gasnet_AM0(int dest);
int gasnet_AM1(int dest, int _arg0);
";

    fn parsed() -> Headers {
        let mut headers = Headers::default();
        headers.add(TEXT);
        headers
    }

    #[test]
    fn functions_and_macros_are_found_and_nothing_else() {
        let names: Vec<String> = parsed().functions.into_iter().map(|f| f.name).collect();
        assert_eq!(names, ["gex_a", "gasnet_exit", "GASNET_M", "gasnett_f", "gasnet_AM0", "gasnet_AM1"]);
    }

    #[test]
    fn a_declaration_is_one_line_without_attributes() {
        let headers = parsed();
        assert_eq!(headers.get("gex_a").unwrap().prototype, "int gex_a(const void *a, size_t n)");
        assert_eq!(headers.get("gasnet_exit").unwrap().prototype, "void gasnet_exit(int exitcode)");
        assert_eq!(headers.get("gasnett_f").unwrap().prototype, "void gasnett_f(const char *msg, ...)");
        assert_eq!(headers.get("gasnet_AM1").unwrap().prototype, "int gasnet_AM1(int dest, int arg0)");
        assert_eq!(headers.get("GASNET_M").unwrap().prototype, "GASNET_M(cond)");
    }

    #[test]
    fn documentation_has_paragraphs_requirements_and_a_source() {
        let doc = parsed().get("gex_a").unwrap().doc.clone();
        assert_eq!(doc.paragraphs, ["Copies 'n' bytes.", "Returns 0. As gex_b otherwise."]);
        assert_eq!(doc.requirements, ["'a' is live; really.", "'n' is small."]);
        assert_eq!(doc.source.as_deref(), Some("GASNet-EX 0.19, \"Put\""));
    }

    #[test]
    fn a_comment_documents_all_declarations_below_it() {
        let headers = parsed();
        assert_eq!(headers.get("gasnet_AM1").unwrap().doc.paragraphs, ["Without an empty line: of both."]);
        assert_eq!(headers.get("gasnett_f").unwrap().doc, Doc::default());
    }
}
