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
    has_all(root, named);
    for page in std::fs::read_dir(format!("{root}/man")).expect("man/").flatten() {
        let found = std::fs::read_to_string(page.path()).unwrap_or_default();
        assert!(found.contains(&format!("\"libgasnet {version}\"")), "{}", page.path().display());
    }
}

fn has_all(root: &str, texts: impl IntoIterator<Item = (&'static str, String)>) {
    for (file, text) in texts {
        if let Ok(found) = std::fs::read_to_string(format!("{root}/{file}")) {
            assert!(found.contains(&text), "{file} does not have {text:?}");
        }
    }
}

/// What `packaging/contact` writes, with these values.
fn contacts(author: &str, homepage: &str) -> Vec<(&'static str, String)> {
    let version = env!("CARGO_PKG_VERSION");
    vec![
        ("Cargo.toml", format!("\nauthors = [\"{author}\"]\n")),
        ("Cargo.toml", format!("\nhomepage = \"{homepage}\"\n")),
        ("packaging/gasnet.spec", format!(" {author} - {version}-")),
        ("packaging/gasnet.spec", format!("URL:            {homepage}\n")),
        ("packaging/spack/package.py", format!("homepage = \"{homepage}\"")),
        ("packaging/spack/package.py", format!("\"{homepage}/libgasnet-{version}.tar.gz\"")),
        ("packaging/conda/recipe.yaml", format!("homepage: {homepage}\n")),
        ("packaging/conda/recipe.yaml", format!("url: {homepage}/libgasnet-")),
        ("debian/control", format!("Maintainer: {author}\n")),
        ("debian/control", format!("Homepage: {homepage}\n")),
        ("debian/changelog", format!("\n -- {author}  ")),
    ]
}

#[test]
fn every_package_names_the_same_contact() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let (author, homepage) = contact(root, &[]);
    has_all(root, contacts(&author, &homepage));
}

#[test]
fn contact_writes_into_every_package() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let copy = format!("{}/contact", env!("CARGO_TARGET_TMPDIR"));
    for (file, _) in contacts("", "").into_iter().chain([("packaging/contact", String::new())]) {
        let to = std::path::PathBuf::from(format!("{copy}/{file}"));
        std::fs::create_dir_all(to.parent().expect("a directory")).expect("can be made");
        let _ = std::fs::remove_file(&to);
        let _ = std::fs::copy(format!("{root}/{file}"), to);
    }
    // Characters that mean something to sed; the second time they are looked for.
    for (author, homepage) in
        [("A. & B|C [d] <a.b@c.org>", "https://c.org/x"), ("E <e@f.org>", "https://f.org/~e/a%20b")]
    {
        contact(&copy, &[author, homepage]);
        has_all(&copy, contacts(author, homepage));
        assert_eq!(contact(&copy, &[]), (author.into(), homepage.into()));
    }
}

/// Runs `packaging/contact` of this tree, which prints the contact unless it is given one.
fn contact(root: &str, words: &[&str]) -> (String, String) {
    let out = Command::new("sh").arg(format!("{root}/packaging/contact")).args(words).output().expect("sh runs");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let printed = String::from_utf8(out.stdout).expect("UTF-8");
    let mut lines = printed.lines().map(String::from);
    (lines.next().unwrap_or_default(), lines.next().unwrap_or_default())
}
