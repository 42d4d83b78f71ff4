//! docs/env.md agrees with the table of variables, and the table with the variables that the library reads.

use gasnet::internal::env::table::{VARS, ValueType};

#[test]
fn the_page_of_variables_is_current() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/env.md")).unwrap_or_default();
    assert!(
        page == gasnet::internal::env::doc::markdown(),
        "docs/env.md is stale: cargo run --bin gasnet_info -- --env-md >docs/env.md"
    );
}

#[test]
fn every_variable_of_the_table_is_read_somewhere() {
    let mut sources = String::new();
    gather(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut sources);
    // A single word to choose from is only checked, at start.
    let one_word = |kind| matches!(kind, ValueType::Choice([_]));
    for var in VARS.iter().filter(|var| !one_word(var.kind)) {
        assert!(sources.contains(&format!("\"{}\"", var.name)), "{} is documented, but nothing reads it", var.name);
    }
}

/// The text of every source file below `dir`, but for the table itself and for tests.
fn gather(dir: &std::path::Path, text: &mut String) {
    for entry in std::fs::read_dir(dir).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            gather(&path, text);
        } else if !path.ends_with("env/table.rs") && !path.ends_with("env/tests.rs") {
            *text += &std::fs::read_to_string(&path).unwrap_or_default();
        }
    }
}
