//! `abi.h` and `abi_tools.h`: cbindgen over src/abi, and `debug.h`: the caller's place for every public call.

use crate::Output;
use std::path::{Path, PathBuf};

const BASICS: &str = r#"
/* Linkage, inlining and attributes for every header of this library. */
#ifndef GASNETI_INLINE
#define GASNETI_INLINE static __inline__
#define GASNETI_NORETURN __attribute__((__noreturn__))
#endif
#include <gasneti/ex_types.h>
struct gasnet_handlerentry_t;"#;

const WARNING: &str = "/* Generated from src/abi by `make headers`. Edit the Rust source, not this file. */";

/// Macros of these names are written by hand.
const NO_DEBUG_MACRO: [&str; 3] = ["gasnet_init", "gasnet_exit", "gex_Client_Init"];

pub fn outputs(root: &Path) -> Result<Vec<Output>, String> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(root.join("src/abi"))
        .map_err(|e| format!("src/abi: {e}"))?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "rs") && !matches!(stem(path), "layout" | "mod"))
        .collect();
    files.sort();
    // Types first: the C compiler reads from the top.
    files.sort_by_key(|path| !matches!(stem(path), "types" | "hot"));
    let (tools, core): (Vec<_>, Vec<_>) = files.into_iter().partition(|path| stem(path).starts_with("tools"));
    let abi = generate(root, "GASNETI_ABI_H", &core)?;
    let debug = debug_macros(&abi);
    Ok(vec![
        Output { path: "include/gasneti/abi.h", text: abi },
        Output { path: "include/gasneti/abi_tools.h", text: generate(root, "GASNETI_ABI_TOOLS_H", &tools)? },
        Output { path: "include/gasneti/debug.h", text: debug },
    ])
}

fn stem(path: &Path) -> &str {
    path.file_stem().and_then(|s| s.to_str()).unwrap_or("")
}

fn generate(root: &Path, guard: &str, files: &[PathBuf]) -> Result<String, String> {
    let mut config = cbindgen::Config::from_file(root.join("cbindgen.toml"))?;
    for file in files {
        let source = std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
        config.export.include.extend(public_types(&source));
    }
    config.include_guard = Some(guard.into());
    config.autogen_warning = Some(WARNING.into());
    config.after_includes = Some(BASICS.into());
    let mut builder = cbindgen::Builder::new().with_config(config);
    for file in files {
        builder = builder.with_src(file);
    }
    let bindings = builder.generate().map_err(|e| format!("cbindgen: {e}"))?;
    let mut text = Vec::new();
    bindings.write(&mut text);
    let text = String::from_utf8(text).map_err(|e| e.to_string())?;
    Ok(c_reader(&text))
}

/// cbindgen emits only types that a function mentions; public ones are meant for the client too.
fn public_types(source: &str) -> Vec<String> {
    let mut names = Vec::new();
    for line in source.lines() {
        for kind in ["pub struct ", "pub union ", "pub enum ", "pub type "] {
            if let Some(rest) = line.strip_prefix(kind) {
                let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                names.push(name);
            }
        }
    }
    names
}

/// Rust's doc syntax as a C reader expects it; no C text contains a backquote.
fn c_reader(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        if line.is_empty() && out.ends_with("\n\n") {
            continue;
        }
        let line = line
            .replace("* # Safety", "* The caller sees to it that:")
            .replace('`', "'")
            .replace("(gasnet_handlerentry_t ", "(struct gasnet_handlerentry_t ");
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// In a client compiled with -DGASNET_DEBUG, -DGASNET_TRACE or -DGASNET_SRCLINES each call first leaves its file and line where an error message finds them.
fn debug_macros(abi: &str) -> String {
    let mut text = format!(
        "{WARNING}\n#ifndef GASNETI_DEBUG_H\n#define GASNETI_DEBUG_H\n#ifdef GASNETI_SRCLINES\n#include <gasneti/abi_tools.h>\n\
         /* Leaves the caller's place for messages about misuse and for traces, then calls. */\n"
    );
    let is_public = |name: &&str| name.starts_with("gasnet_") || name.starts_with("gex_");
    for name in functions(abi).filter(is_public).filter(|name| !NO_DEBUG_MACRO.contains(name)) {
        text += &format!(
            "#ifndef {name}\n#define {name}(...) (gasneti_at(__FILE__, __LINE__), {name}(__VA_ARGS__))\n#endif\n"
        );
    }
    text + "#endif\n#endif\n"
}

/// Names of the functions declared at the start of a line of a generated header.
fn functions(header: &str) -> impl Iterator<Item = &str> {
    header.lines().filter(|line| !line.starts_with([' ', '*', '#', '/'])).filter_map(|line| {
        let head = line.split('(').next().filter(|head| head.len() < line.len())?;
        head.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next().filter(|name| !name.is_empty())
    })
}
