//! Writes the generated files: headers, layout asserts, AM arities, exports.txt.
//!
//! `headers` rewrites what follows from the source text; `layout` what follows from the compiled library;
//! `exports LIB.a` the list of public symbols. `--check` (last argument) compares instead of writing.

mod abi;
mod arity;
#[cfg(feature = "layout")]
mod layout;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// A generated file, by its path from the repository's root.
pub struct Output {
    pub path: &'static str,
    pub text: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf).unwrap_or_default()
}

fn main() -> ExitCode {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let check = args.last().is_some_and(|last| last == "--check");
    if check {
        args.pop();
    }
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = match words[..] {
        ["headers"] => headers(check),
        ["layout"] => layout_step(check),
        ["exports", lib] => exports(Path::new(lib)).and_then(|out| deliver(&[out], check)),
        _ => Err("usage: cargo run -p xtask -- headers | layout | exports LIB.a  [--check]".into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            println!("xtask: {why}");
            ExitCode::FAILURE
        }
    }
}

fn headers(check: bool) -> Result<(), String> {
    let mut outputs = abi::outputs(&root())?;
    outputs.extend(arity::outputs());
    deliver(&outputs, check)?;
    let mut again = Command::new(env!("CARGO"));
    again.args(["run", "-q", "-p", "xtask", "--features", "layout", "--", "layout"]).current_dir(root());
    if check {
        again.arg("--check");
    }
    let status = again.status().map_err(|e| format!("cargo: {e}"))?;
    if status.success() { Ok(()) } else { Err("the layout step failed".into()) }
}

#[cfg(feature = "layout")]
fn layout_step(check: bool) -> Result<(), String> {
    deliver(&[layout::output()], check)
}

#[cfg(not(feature = "layout"))]
fn layout_step(_check: bool) -> Result<(), String> {
    Err("layout needs --features layout".into())
}

/// The symbols under our prefixes that the static library defines for others.
fn exports(lib: &Path) -> Result<Output, String> {
    let out = Command::new("nm")
        .args(["--defined-only", "--extern-only", "--format=posix"])
        .arg(lib)
        .output()
        .map_err(|e| format!("nm: {e}"))?;
    if !out.status.success() {
        return Err(format!("nm {}: {}", lib.display(), String::from_utf8_lossy(&out.stderr)));
    }
    let listing = String::from_utf8_lossy(&out.stdout);
    let mut names: Vec<&str> =
        listing.lines().filter_map(|line| line.split(' ').next()).filter(|name| is_public(name)).collect();
    names.sort_unstable();
    names.dedup();
    Ok(Output { path: "exports.txt", text: names.join("\n") + "\n" })
}

fn is_public(name: &str) -> bool {
    ["gasnet_", "gasnett_", "gasneti_", "gasnetc_", "gasnete_", "gex_"].iter().any(|p| name.starts_with(p))
}

fn deliver(outputs: &[Output], check: bool) -> Result<(), String> {
    let mut stale = Vec::new();
    for out in outputs {
        let path = root().join(out.path);
        let old = std::fs::read_to_string(&path).unwrap_or_default();
        if old == out.text {
            continue;
        }
        if check {
            stale.push(out.path);
            continue;
        }
        if let Some(dir) = path.parent() {
            std::fs::create_dir_all(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
        }
        std::fs::write(&path, &out.text).map_err(|e| format!("{}: {e}", path.display()))?;
        println!("wrote {}", out.path);
    }
    if stale.is_empty() { Ok(()) } else { Err(format!("stale, run `make headers`: {}", stale.join(" "))) }
}
