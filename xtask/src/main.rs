//! Writes the generated files: headers, layout asserts, AM arities, exports.txt.
//!
//! `headers` rewrites what follows from the source text; `layout` what follows from the compiled library;
//! `exports LIB.a` the list of public symbols; `abi-number` records the hash of the ABI beside its number. `--check` (last argument) compares instead of writing.
//!
//! `third-party` writes what follows from the licences of the crates; `vendor DIRECTORY` copies their sources (`make dist`).
//!
//! `mutants` tries the tests on faults (`make mutants`).

mod abi;
mod arity;
mod arity_ex;
#[cfg(feature = "layout")]
mod layout;
mod mutants;
mod third_party;
mod weave;

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
        ["abi-number"] => abi_number().and_then(|out| deliver(&[out], check)),
        ["third-party"] => third_party::outputs().and_then(|outputs| deliver(&outputs, check)),
        ["vendor", dir] => third_party::vendor(Path::new(dir)),
        ["mutants", which, sample, seed, dir] => match (sample.parse(), seed.parse()) {
            (Ok(sample), Ok(seed)) => mutants::run(&root(), which, sample, seed, Path::new(dir)),
            _ => Err(format!("SAMPLE={sample} and SEED={seed} are numbers")),
        },
        _ => Err("usage: cargo run -p xtask -- headers | layout | exports LIB.a | abi-number  [--check]
       cargo run -p xtask -- third-party [--check] | vendor DIRECTORY
       cargo run -p xtask -- mutants MODULE|all SAMPLE SEED DIRECTORY"
            .into()),
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
    outputs.extend(arity_ex::outputs());
    deliver(&outputs, check)?;
    layout_step(check)
}

#[cfg(feature = "layout")]
fn layout_step(check: bool) -> Result<(), String> {
    deliver(&[layout::output()], check)
}

/// The library is compiled with the headers that were just written.
#[cfg(not(feature = "layout"))]
fn layout_step(check: bool) -> Result<(), String> {
    let mut again = Command::new(env!("CARGO"));
    again.args(["run", "-q", "-p", "xtask", "--features", "layout", "--", "layout"]).current_dir(root());
    if check {
        again.arg("--check");
    }
    let status = again.status().map_err(|e| format!("cargo: {e}"))?;
    if status.success() { Ok(()) } else { Err("the layout step failed".into()) }
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

/// The ABI number and a hash of the interface: abi.h and layout.h without comments.
fn abi_number() -> Result<Output, String> {
    let mut code = String::new();
    for name in ["include/gasneti/abi.h", "include/gasneti/layout.h"] {
        let text = std::fs::read_to_string(root().join(name)).map_err(|e| format!("{name}: {e}"))?;
        for part in text.split("/*") {
            code += part.split_once("*/").map_or(part, |(_, after)| after);
        }
    }
    let number = code
        .lines()
        .find_map(|line| line.strip_prefix("#define GASNETI_ABI_NUMBER "))
        .ok_or("abi.h has no GASNETI_ABI_NUMBER")?;
    // FNV-1a over the words, so that layout of the text does not count.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in code.split_whitespace().flat_map(|word| word.bytes().chain([b' '])) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    }
    Ok(Output { path: "abi-number.txt", text: format!("{number} {hash:016x}\n") })
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
    if stale.is_empty() {
        Ok(())
    } else {
        Err(format!(
            "stale: {}. `make headers` and `make licences` rewrite generated files; a changed ABI gets a new GASNETI_ABI_NUMBER (once \
             released), then `cargo run -p xtask -- abi-number`",
            stale.join(" ")
        ))
    }
}
