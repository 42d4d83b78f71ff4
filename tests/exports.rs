//! exports.txt, the archive and the shared library name the same symbols.
//! The libraries are those of `make`, in build/, or those in the directory `BUILD`, of any architecture.

// A test's own settings.
#![allow(clippy::disallowed_methods)]

use std::collections::BTreeSet;
use std::process::Command;
use std::sync::Once;

const PREFIXES: [&str; 6] = ["gasnet_", "gasnett_", "gasneti_", "gasnetc_", "gasnete_", "gex_"];

fn root() -> &'static str {
    env!("CARGO_MANIFEST_DIR")
}

fn read(name: &str) -> String {
    std::fs::read_to_string(format!("{}/{name}", root())).unwrap_or_else(|why| panic!("{name}: {why}"))
}

fn listed() -> BTreeSet<String> {
    read("exports.txt").lines().map(str::to_string).collect()
}

fn nm(options: &[&str], file: &str) -> BTreeSet<String> {
    static LIBRARY: Once = Once::new();
    let elsewhere = std::env::var("BUILD");
    LIBRARY.call_once(|| {
        if elsewhere.is_ok() {
            return;
        }
        let made = Command::new("make").args(["-s", "library"]).current_dir(root()).output().expect("make runs");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    });
    let file = format!("{}/{file}", elsewhere.as_deref().unwrap_or("build"));
    let out = Command::new("nm").args(options).arg(file).current_dir(root()).output().expect("nm runs");
    String::from_utf8_lossy(&out.stdout)
        .lines()
        .filter_map(|line| {
            let mut words = line.split(' ');
            words.next().filter(|_| words.next().is_some_and(|kind| kind != "A"))
        })
        .map(|name| name.split('@').next().unwrap_or(name).to_string())
        .collect()
}

#[test]
fn every_export_has_one_of_our_prefixes() {
    for name in listed() {
        assert!(PREFIXES.iter().any(|prefix| name.starts_with(prefix)), "{name}");
    }
}

#[test]
fn the_archives_globals_are_exactly_the_exports() {
    assert_eq!(nm(&["--defined-only", "--extern-only", "--format=posix"], "libgasnet.a"), listed());
}

#[test]
fn the_shared_librarys_versioned_symbols_are_exactly_the_exports() {
    assert_eq!(nm(&["-D", "--defined-only", "--format=posix"], "libgasnet.so.1"), listed());
}
