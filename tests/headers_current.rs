//! The committed generated files are current: the source generates them again.

use std::process::Command;

#[test]
fn generated_headers_are_what_the_source_generates() {
    let out = Command::new(env!("CARGO"))
        .args(["run", "-q", "-p", "xtask", "--", "headers", "--check"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stdout));
}
