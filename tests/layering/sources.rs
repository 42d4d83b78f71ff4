//! The sources and ARCHITECTURE.md, as `layering` reads them.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

pub fn architecture() -> String {
    std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md is there")
}

/// Every source of the library, without the programs, as (path below src/, text without comments and tests).
pub fn sources() -> Vec<(String, String)> {
    fn walk(dir: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(dir).expect("src is readable").flatten() {
            let path = entry.path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|ext| ext == "rs") {
                found.push(path);
            }
        }
    }
    let src = root().join("src");
    let mut found = Vec::new();
    walk(&src, &mut found);
    found
        .into_iter()
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("a source is readable");
            let name = path.strip_prefix(&src).expect("below src").to_string_lossy().into_owned();
            (name, without_comments(&text))
        })
        .filter(|(name, _)| !name.starts_with("bin/") && name != "lib.rs" && !name.ends_with("tests.rs"))
        .collect()
}

/// The text without line comments and test items. Relies on rustfmt: an item ends with `;`, or with a brace that is indented
/// as its first line.
fn without_comments(text: &str) -> String {
    let mut kept = Vec::new();
    let mut lines = text.lines().map(|line| line.split("//").next().unwrap_or(line).trim_end());
    while let Some(line) = lines.next() {
        if !["#[cfg(test)]", "#[cfg(all(test,"].iter().any(|start| line.trim_start().starts_with(start)) {
            kept.push(line);
            continue;
        }
        let indent = &line[..line.len() - line.trim_start().len()];
        let ends = |line: &str| line.starts_with(indent) && ["}", "};"].contains(&&line[indent.len()..]);
        let mut item = lines.by_ref().skip_while(|line| line.trim_start().starts_with("#["));
        let first = item.next().unwrap_or_default();
        if !first.ends_with([';', ',']) && !first.ends_with("{}") {
            item.find(|line| ends(line));
        }
    }
    kept.join("\n")
}

#[test]
fn what_stands_behind_tests_is_read() {
    let text = "#[cfg(test)]\nmod tests;\nuse a; // b\n#[cfg(all(test, not(loom)))]\n#[path = \"x\"]\nmod more {\n    fn f() {\n    }\n}\nuse c;\n    #[cfg(test)]\n    fn g(\n    ) {\n    }\n    fn h() {}";
    assert_eq!(without_comments(text), "use a;\nuse c;\n    fn h() {}");
}
