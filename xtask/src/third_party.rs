//! The crates that the library and its programs are made with: their licences (`THIRD-PARTY.md`, `debian/copyright`), and copies of
//! their sources for builds without a registry (`make dist`).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::{Output, root};

/// The systems for which crates are compiled; sources of crates for others are not distributed.
const TARGETS: [&str; 4] = [
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "riscv64gc-unknown-linux-gnu",
    "powerpc64le-unknown-linux-gnu",
];

/// The use of a crate; the first that applies.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Use {
    Linked,
    Build,
    Tests,
}

impl Use {
    fn name(self) -> &'static str {
        match self {
            Use::Linked => "linked",
            Use::Build => "build",
            Use::Tests => "tests and tools",
        }
    }
}

struct Crate {
    name: String,
    version: String,
    licence: String,
    authors: Vec<String>,
    source: PathBuf,
    used: Use,
}

impl Crate {
    /// Its directory below `vendor/`.
    fn dir(&self) -> String {
        format!("{}-{}", self.name, self.version)
    }

    /// Name and text of its files of licences.
    fn texts(&self) -> Vec<(String, String)> {
        let mut texts: Vec<_> = fs::read_dir(&self.source)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()))
            .filter(|(name, path)| {
                let name = name.to_lowercase();
                path.is_file()
                    && ["licen", "copying", "copyright", "notice", "unlicense"]
                        .iter()
                        .any(|stem| name.starts_with(stem))
            })
            .filter_map(|(name, path)| Some((name, fs::read_to_string(path).ok()?)))
            .collect();
        texts.sort();
        texts
    }
}

fn metadata(target: &str) -> Result<Value, String> {
    let out = Command::new(env!("CARGO"))
        .args(["metadata", "--locked", "--format-version", "1", "--filter-platform", target])
        .current_dir(root())
        .output()
        .map_err(|e| format!("cargo metadata: {e}"))?;
    if !out.status.success() {
        return Err(format!("cargo metadata: {}", String::from_utf8_lossy(&out.stderr)));
    }
    serde_json::from_slice(&out.stdout).map_err(|e| format!("cargo metadata: {e}"))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_string()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// All crates of the registry that are compiled for one of the systems, by name and version.
fn crates() -> Result<Vec<Crate>, String> {
    let mut all: BTreeMap<(String, String), Crate> = BTreeMap::new();
    for target in TARGETS {
        let data = metadata(target)?;
        let packages: BTreeMap<String, &Value> = list(&data["packages"]).iter().map(|p| (text(&p["id"]), p)).collect();
        let nodes: BTreeMap<String, &Value> =
            list(&data["resolve"]["nodes"]).iter().map(|n| (text(&n["id"]), n)).collect();
        let is_macro = |id: &str| {
            packages
                .get(id)
                .is_some_and(|p| list(&p["targets"]).iter().any(|t| list(&t["kind"]).iter().any(|k| k == "proc-macro")))
        };
        let own = packages
            .iter()
            .find(|(_, p)| p["name"] == "gasnet")
            .map(|(id, _)| id.clone())
            .ok_or("there is no package gasnet")?;
        let mut uses: BTreeMap<String, Use> = BTreeMap::new();
        let mut todo = vec![(own, Use::Linked)];
        while let Some((id, used)) = todo.pop() {
            if uses.get(&id).is_some_and(|known| *known <= used) {
                continue;
            }
            uses.insert(id.clone(), used);
            for dep in nodes.get(&id).map(|n| list(&n["deps"])).unwrap_or_default() {
                let other = text(&dep["pkg"]);
                for kind in list(&dep["dep_kinds"]) {
                    let by = match kind["kind"].as_str() {
                        None if is_macro(&other) => Use::Build,
                        None => Use::Linked,
                        Some("build") => Use::Build,
                        Some(_) => Use::Tests,
                    };
                    todo.push((other.clone(), by.max(used)));
                }
            }
        }
        for (id, package) in packages.iter().filter(|(_, p)| !p["source"].is_null()) {
            let used = uses.get(id).copied().unwrap_or(Use::Tests);
            let found = Crate {
                name: text(&package["name"]),
                version: text(&package["version"]),
                licence: text(&package["license"]).replace('/', " OR "),
                authors: list(&package["authors"]).iter().map(text).collect(),
                source: Path::new(&text(&package["manifest_path"])).parent().map(Path::to_path_buf).unwrap_or_default(),
                used,
            };
            let known = all.entry((found.name.clone(), found.version.clone())).or_insert(found);
            known.used = known.used.min(used);
        }
    }
    if let Some(without) = all.values().find(|c| c.licence.is_empty()) {
        return Err(format!("{} {} names no licence", without.name, without.version));
    }
    Ok(all.into_values().collect())
}

/// Name and version of each crate of the registry in Cargo.lock.
fn locked() -> Result<BTreeSet<(String, String)>, String> {
    let lock = fs::read_to_string(root().join("Cargo.lock")).map_err(|e| format!("Cargo.lock: {e}"))?;
    let value = |entry: &str, key: &str| {
        entry
            .lines()
            .find_map(|line| line.strip_prefix(key))
            .map(|value| value.trim_matches('"').to_string())
            .unwrap_or_default()
    };
    let entries = lock.split("[[package]]").skip(1).filter(|entry| entry.contains("\nsource = "));
    Ok(entries.map(|entry| (value(entry, "name = "), value(entry, "version = "))).collect())
}

const HEAD: &str = "# Third-party software

Written by `cargo run -p xtask -- third-party` from Cargo.lock and the crates' own files; a test compares it with them.

The library and its programs contain the crates that are marked *linked*. Those marked *build* run while they are compiled,
those marked *tests and tools* are used by the tests and by `xtask`, and are in nothing that is installed. All are compiled from
the registry crates.io, or from `vendor/` of a release's archive.

| crate | version | licence | use |
| --- | --- | --- | --- |
";

/// THIRD-PARTY.md: a table of all crates, and the texts of the licences of those that are linked.
fn third_party(crates: &[Crate]) -> Result<Output, String> {
    let mut page = HEAD.to_string();
    for one in crates {
        page += &format!("| {} | {} | {} | {} |\n", one.name, one.version, one.licence, one.used.name());
    }
    let compiled: BTreeSet<_> = crates.iter().map(|c| (c.name.clone(), c.version.clone())).collect();
    let others: Vec<_> = locked()?
        .into_iter()
        .filter(|entry| !compiled.contains(entry))
        .map(|(name, version)| format!("{name} {version}"))
        .collect();
    page += "\nCargo.lock also names crates that are compiled for other systems only or not at all, and are neither installed nor distributed: ";
    page += &others.join(", ");
    page += ".\n\n# Licences of the crates that are linked\n\nOf crates under several licences at one's option, MIT is taken where it is one of them.\n";
    let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for one in crates.iter().filter(|c| c.used == Use::Linked) {
        let all = one.texts();
        let mit: Vec<_> = all.iter().filter(|(name, _)| name.to_uppercase().contains("MIT")).cloned().collect();
        let chosen = if one.licence.contains("MIT") && !mit.is_empty() { mit } else { all };
        if chosen.is_empty() {
            groups
                .entry(format!("(The crate has no text of its licence: {}.)", one.licence))
                .or_default()
                .push(one.dir());
        }
        for (_, text) in chosen {
            let text: Vec<_> = text.lines().map(str::trim_end).collect();
            groups.entry(text.join("\n").trim_matches('\n').to_string()).or_default().push(one.dir());
        }
    }
    let mut groups: Vec<_> = groups.into_iter().map(|(text, names)| (names.join(", "), text)).collect();
    groups.sort();
    for (names, text) in groups {
        page += &format!("\n## {names}\n\n```text\n{text}\n```\n");
    }
    Ok(Output { path: "THIRD-PARTY.md", text: page })
}

/// A licence as debian/copyright names it.
fn debian_name(licence: &str) -> String {
    let words = licence.replace(['(', ')'], "").replace(" OR ", " or ").replace(" AND ", " and ");
    let words = words.replace("Apache-2.0 WITH LLVM-exception", "Apache-2.0-with-LLVM-exception");
    words.split(' ').map(|word| if word == "MIT" { "Expat" } else { word }).collect::<Vec<_>>().join(" ")
}

/// The holders of a crate's copyright: as its files of licences say, else its authors.
fn holders(one: &Crate) -> Vec<String> {
    let mut found = Vec::new();
    for (_, text) in one.texts() {
        for line in text.lines().map(str::trim) {
            let Some(rest) = line.strip_prefix("Copyright") else { continue };
            let rest = rest
                .trim_start_matches([' ', ':'])
                .trim_start_matches("(c)")
                .trim_start_matches("(C)")
                .trim_start_matches('©')
                .trim();
            let is_holder = !rest.is_empty() && !rest.starts_with('[') && !rest.starts_with('{') && rest.len() < 120;
            if is_holder
                && rest.starts_with(|c: char| c.is_ascii_digit() || c.is_uppercase())
                && !found.iter().any(|f| f == rest)
            {
                found.push(rest.to_string());
            }
        }
    }
    if found.is_empty() {
        found = one.authors.clone();
    }
    if found.is_empty() {
        found.push(format!("The authors of {}", one.name));
    }
    found
}

/// debian/copyright: that of this source (`packaging/copyright.in`), with a paragraph for each crate in vendor/.
fn copyright(crates: &[Crate]) -> Result<Output, String> {
    let head = fs::read_to_string(root().join("packaging/copyright.in"))
        .map_err(|e| format!("packaging/copyright.in: {e}"))?;
    let mut paragraphs = String::new();
    for one in crates {
        let holders = holders(one).join("\n           ");
        let name = debian_name(&one.licence);
        paragraphs += &format!("Files: vendor/{}/*\nCopyright: {holders}\nLicense: {name}\n\n", one.dir());
    }
    for name in
        crates.iter().flat_map(|one| debian_name(&one.licence).split(' ').map(str::to_string).collect::<Vec<_>>())
    {
        if name != "or" && name != "and" && !head.contains(&format!("\nLicense: {name}\n")) {
            return Err(format!("packaging/copyright.in has no text of the licence {name}"));
        }
    }
    Ok(Output { path: "debian/copyright", text: head.replace("@CRATES@\n", &paragraphs) })
}

/// The files that follow from the licences of the crates.
pub fn outputs() -> Result<Vec<Output>, String> {
    let crates = crates()?;
    let mut outputs = vec![third_party(&crates)?];
    // The archive of a release has none.
    if root().join("debian").is_dir() {
        outputs.push(copyright(&crates)?);
    }
    Ok(outputs)
}

/// Copies the crates' sources to `dir`. Crates for other systems are empty there: cargo asks for their manifests.
/// Compiled files that some crates carry are left out.
pub fn vendor(dir: &Path) -> Result<(), String> {
    let status = Command::new(env!("CARGO"))
        .args(["vendor", "--quiet", "--locked", "--versioned-dirs"])
        .arg(dir)
        .current_dir(root())
        .stdout(std::process::Stdio::null())
        .status()
        .map_err(|e| format!("cargo vendor: {e}"))?;
    if !status.success() {
        return Err("cargo vendor failed".into());
    }
    let wanted: BTreeSet<_> = crates()?.iter().map(Crate::dir).collect();
    for entry in fs::read_dir(dir).map_err(|e| format!("{}: {e}", dir.display()))?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let done = if wanted.contains(&name) { clean(&entry.path()) } else { empty(&entry.path()) };
        done.map_err(|e| format!("{}: {e}", entry.path().display()))?;
    }
    Ok(())
}

/// Removes the files of a crate that were compiled, and their sums.
fn clean(dir: &Path) -> Result<(), String> {
    let mut todo = vec![dir.to_path_buf()];
    let mut removed = Vec::new();
    while let Some(at) = todo.pop() {
        for path in fs::read_dir(&at).map_err(|e| e.to_string())?.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                todo.push(path);
                continue;
            }
            let kind = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
            if ["a", "o", "obj", "lib", "dll", "so", "exe", "wasm", "rlib"].contains(&kind.as_str()) {
                fs::remove_file(&path).map_err(|e| e.to_string())?;
                removed.push(path.strip_prefix(dir).unwrap_or(&path).display().to_string());
            }
        }
    }
    if removed.is_empty() {
        return Ok(());
    }
    let at = dir.join(".cargo-checksum.json");
    let mut sums: Value =
        serde_json::from_slice(&fs::read(&at).map_err(|e| e.to_string())?).map_err(|e| e.to_string())?;
    if let Some(files) = sums["files"].as_object_mut() {
        files.retain(|name, _| !removed.contains(name));
    }
    fs::write(&at, sums.to_string()).map_err(|e| e.to_string())
}

/// Leaves a crate's manifest, and an empty library.
fn empty(dir: &Path) -> Result<(), String> {
    let manifest = fs::read_to_string(dir.join("Cargo.toml")).map_err(|e| e.to_string())?;
    let sums: Value = serde_json::from_slice(&fs::read(dir.join(".cargo-checksum.json")).map_err(|e| e.to_string())?)
        .map_err(|e| e.to_string())?;
    let mut kept = String::new();
    let mut skipping = false;
    let mut path = "src/lib.rs".to_string();
    let mut table = String::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            table = line.to_string();
            skipping =
                ["[[bin]]", "[[test]]", "[[example]]", "[[bench]]", "[lints"].iter().any(|kind| line.starts_with(kind));
        }
        if table == "[lib]" && line.starts_with("path = ") {
            path = line["path = ".len()..].trim_matches('"').to_string();
        }
        let of_the_package = table == "[package]"
            && ["build = ", "links = ", "readme = ", "license-file = "].iter().any(|key| line.starts_with(key));
        if !skipping && !of_the_package {
            kept += line;
            kept.push('\n');
        }
    }
    let kept = kept.replacen("[package]\n", "[package]\nbuild = false\n", 1);
    fs::remove_dir_all(dir).map_err(|e| e.to_string())?;
    let library = dir.join(path);
    fs::create_dir_all(library.parent().unwrap_or(dir)).map_err(|e| e.to_string())?;
    fs::write(library, "").map_err(|e| e.to_string())?;
    fs::write(dir.join("Cargo.toml"), kept).map_err(|e| e.to_string())?;
    let sums = serde_json::json!({ "files": {}, "package": sums["package"] });
    fs::write(dir.join(".cargo-checksum.json"), sums.to_string()).map_err(|e| e.to_string())
}
