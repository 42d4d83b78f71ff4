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

#[test]
fn the_licences_of_all_crates_are_collected() {
    finds_no_difference(&["third-party"]);
}

/// The files that name the release; archives do not have those of Debian, Spack and conda.
#[test]
fn every_file_names_the_same_release() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let version = env!("CARGO_PKG_VERSION");
    let named = [
        ("Cargo.toml", format!("\nversion = \"{version}\"\n")),
        ("fuzz/Cargo.lock", format!("name = \"gasnet\"\nversion = \"{version}\"\n")),
        ("include/gasnet_config.h", format!("GASNETI_BUILD_ID \"libgasnet-{version}\"")),
        ("CHANGELOG.md", format!("## {version} ")),
        ("packaging/gasnet.spec", format!("Version:        {version}\n")),
        ("packaging/spack/package.py", format!("version(\"{version}\"")),
        ("packaging/conda/recipe.yaml", format!("version: \"{version}\"")),
        ("debian/changelog", format!("libgasnet ({version}-")),
    ];
    // Who publishes the packages, and where, as `packaging/contact` writes it.
    let manifest = std::fs::read_to_string(format!("{root}/Cargo.toml")).expect("Cargo.toml");
    let value = |before: &str| manifest.split_once(before).and_then(|(_, rest)| rest.split_once('"')).expect(before).0;
    let (author, homepage) = (value("\nauthors = [\""), value("\nhomepage = \""));
    let contacts = [
        ("packaging/gasnet.spec", format!(" {author} - {version}-")),
        ("packaging/gasnet.spec", format!("URL:            {homepage}\n")),
        ("packaging/spack/package.py", format!("homepage = \"{homepage}\"")),
        ("packaging/spack/package.py", format!("\"{homepage}/libgasnet-{version}.tar.gz\"")),
        ("packaging/conda/recipe.yaml", format!("homepage: {homepage}\n")),
        ("packaging/conda/recipe.yaml", format!("url: {homepage}/libgasnet-")),
        ("debian/control", format!("Maintainer: {author}\n")),
        ("debian/control", format!("Homepage: {homepage}\n")),
        ("debian/changelog", format!("\n -- {author}  ")),
    ];
    for (file, text) in named.into_iter().chain(contacts) {
        if let Ok(found) = std::fs::read_to_string(format!("{root}/{file}")) {
            assert!(found.contains(&text), "{file} does not have {text:?}");
        }
    }
    for page in std::fs::read_dir(format!("{root}/man")).expect("man/").flatten() {
        let found = std::fs::read_to_string(page.path()).unwrap_or_default();
        assert!(found.contains(&format!("\"libgasnet {version}\"")), "{}", page.path().display());
    }
}
