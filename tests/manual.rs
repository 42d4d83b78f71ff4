//! The manual's section 3, which gasnet_reference writes from the committed headers, and the other pages.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
/// Exported variables, of which there are no pages.
const VARIABLES: [&str; 6] = [
    "gasnet_client_attach_hook",
    "gasnet_frozen",
    "gasnet_max_segsize",
    "gasnet_max_segsize_str",
    "gasnett_backtrace_user",
    "gasnett_print_backtrace_ifenabled",
];

fn reference(include: &Path, directory: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gasnet_reference"));
    command.arg("man").args([include, directory]).output().unwrap()
}

/// The pages in a directory of this test.
fn pages(test: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = std::fs::remove_dir_all(&directory);
    let out = reference(&Path::new(ROOT).join("include"), &directory);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    directory
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut all: Vec<_> = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all
}

#[test]
fn every_public_function_has_a_page_that_lists_it() {
    let directory = pages("manual-names");
    let exports = std::fs::read_to_string(Path::new(ROOT).join("exports.txt")).unwrap();
    let is_public = |name: &&str| ["gasnet_", "gasnett_", "gex_"].iter().any(|prefix| name.starts_with(prefix));
    let functions: Vec<&str> = exports.lines().filter(is_public).filter(|name| !VARIABLES.contains(name)).collect();
    assert!(functions.len() > 700);
    for name in functions {
        let page = std::fs::read_to_string(directory.join(format!("{name}.3")))
            .unwrap_or_else(|why| panic!("there is no page of {name}: {why}"));
        // A function of a family is listed as `gex_AM_RequestShortM`, `gex_AM_CommitReplyLongM_v2`.
        let (stem, suffix) = name.strip_suffix("_v2").map_or((name, ""), |stem| (stem, "_v2"));
        let family = format!("{}M{suffix}", stem.trim_end_matches(|c: char| c.is_ascii_digit()));
        let listed = page.split(".SH SYNOPSIS").next().unwrap();
        let names: BTreeSet<&str> =
            listed.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|word| !word.is_empty()).collect();
        assert!(
            names.contains(name) || names.contains(family.as_str()),
            "{name} is not in NAME of its page:\n{listed}"
        );
    }
}

#[test]
fn a_function_without_documentation_is_named() {
    let include = Path::new(env!("CARGO_TARGET_TMPDIR")).join("manual-include");
    let _ = std::fs::remove_dir_all(&include);
    let copied = Command::new("cp").arg("-R").arg(Path::new(ROOT).join("include")).arg(&include).status().unwrap();
    assert!(copied.success());
    let header = include.join("gasneti/abi.h");
    let text = std::fs::read_to_string(&header).unwrap();
    std::fs::write(&header, text + "\nint gasnet_undocumented(int n);\n").unwrap();
    let out = reference(&include, &include.join("man3"));
    assert!(!out.status.success());
    assert_eq!(
        String::from_utf8_lossy(&out.stderr),
        "gasnet_reference: no page of pages.txt has: gasnet_undocumented\n"
    );
}

#[test]
fn mandoc_has_no_complaint_about_any_page() {
    if Command::new("mandoc").args(["-T", "lint", "/dev/null"]).output().is_err() {
        println!("skipped: mandoc is not installed");
        return;
    }
    let (directory, hand_written) = (pages("manual-lint"), Path::new(ROOT).join("man"));
    let all: Vec<PathBuf> =
        files(&directory).into_iter().filter(|path| !path.is_symlink()).chain(files(&hand_written)).collect();
    let lint =
        |files: &[PathBuf]| Command::new("mandoc").args(["-T", "lint", "-W", "warning"]).args(files).output().unwrap();
    let out = lint(&all);
    assert!(out.status.success() && out.stdout.is_empty(), "{}", String::from_utf8_lossy(&out.stdout));

    // It complains about a page that is wrong.
    let wrong = directory.join("wrong.3");
    std::fs::write(&wrong, ".TH WRONG 3 2026-11-25\n.SH NAME\nwrong \\- none\n.NOREQUEST\n").unwrap();
    assert!(!lint(&[wrong]).stdout.is_empty());

    // As a reader sees a function that shares its page with others.
    let seen = Command::new("mandoc").args(["-T", "ascii"]).arg(directory.join("gasnet_put_nb.3")).output().unwrap();
    let text = String::from_utf8_lossy(&seen.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("write to the memory of another rank"), "{text}");
}

#[test]
fn the_book_has_every_page_and_every_function_and_its_links_lead_to_them() {
    let docs = Path::new(ROOT).join("docs");
    let contents = std::fs::read_to_string(docs.join("SUMMARY.md")).unwrap();
    for directory in [docs.clone(), docs.join("guide")] {
        for page in files(&directory).iter().filter(|path| path.extension().is_some_and(|end| end == "md")) {
            let name = page.strip_prefix(&docs).unwrap().display().to_string();
            assert!(
                name == "SUMMARY.md" || contents.contains(&format!("({name})")),
                "{name} is not in docs/SUMMARY.md"
            );
        }
    }

    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("manual-book");
    let _ = std::fs::remove_dir_all(&directory);
    let mut command = Command::new(env!("CARGO_BIN_EXE_gasnet_reference"));
    let out = command.arg("book").args([&Path::new(ROOT).join("include"), &directory]).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let chapters: BTreeMap<String, String> = files(&directory.join("reference"))
        .into_iter()
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read_to_string(&path).unwrap()))
        .collect();
    let mut links = 0;
    for (name, text) in chapters.iter().filter(|(name, _)| name.ends_with(".md")) {
        assert!(chapters["contents"].contains(&format!("(reference/{name})")), "{name}");
        for link in text.split("](").skip(1).map(|rest| rest.split(')').next().unwrap()) {
            let (file, function) = link.split_once('#').unwrap_or_else(|| panic!("{name}: {link}"));
            assert!(chapters[file].contains(&format!("<a id=\"{function}\">")), "{name}: {link} leads nowhere");
            links += 1;
        }
    }
    let index = &chapters["index.md"];
    for name in ["gasnet_put_nb", "gex_AM_PrepareRequestMedium", "gex_AM_RequestShortM", "GASNET_BLOCKUNTIL"] {
        assert!(index.contains(&format!("[`{name}`]")), "{name}");
    }
    assert!(links > 600, "{links}");
}
