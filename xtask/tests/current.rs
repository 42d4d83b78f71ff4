//! The committed generated files are current: the source generates them again. The ABI number follows the ABI.

use std::process::Command;

fn finds_no_difference(words: &[&str]) {
    let out = Command::new(env!("CARGO_BIN_EXE_xtask")).args(words).arg("--check").output().expect("xtask runs");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stdout));
}

#[test]
fn generated_headers_are_what_the_source_generates() {
    finds_no_difference(&["headers"]);
}

#[test]
fn the_abi_number_is_raised_when_the_abi_changes() {
    finds_no_difference(&["abi-number"]);
}
