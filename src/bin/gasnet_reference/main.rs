//! The reference of all public functions, from the documentation in the committed headers.
//!
//! `gasnet_reference man INCLUDE DIRECTORY` writes the pages of section 3 of the manual, with a symbolic link for each function;
//! `gasnet_reference book INCLUDE DIRECTORY` the reference's chapters of the book (`make docs`).

mod book;
mod header;
mod man;
mod pages;

use header::Headers;
use pages::Reference;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The headers with documentation, below the directory of headers.
const HEADERS: [&str; 13] = [
    "gasneti/abi.h",
    "gasneti/abi_tools.h",
    "gasneti/am_arity.h",
    "gasneti/am_arity_ex.h",
    "gasnet.h",
    "gasnetex.h",
    "gasneti/tools_atomic.h",
    "gasneti/tools_compiler.h",
    "gasneti/tools_debug.h",
    "gasneti/tools_lock.h",
    "gasneti/tools_misc.h",
    "gasneti/tools_format.h",
    "gasneti/tools_trace.h",
];

fn said(path: &Path, why: std::io::Error) -> String {
    format!("{}: {why}", path.display())
}

fn read(include: &Path) -> Result<Reference, String> {
    let mut headers = Headers::default();
    for name in HEADERS {
        let path = include.join(name);
        headers.add(&fs::read_to_string(&path).map_err(|why| said(&path, why))?);
    }
    Reference::new(&headers)
}

fn write(path: PathBuf, text: &str) -> Result<(), String> {
    fs::write(&path, text).map_err(|why| said(&path, why))
}

fn write_man(reference: &Reference, directory: &Path) -> Result<(), String> {
    write(directory.join("gasnet.3"), &man::overview(reference))?;
    for chapter in &reference.chapters {
        for page in &chapter.pages {
            let file = format!("{}.3", page.name);
            write(directory.join(&file), &man::page(page, chapter, reference))?;
            for name in page.names.iter().filter(|name| **name != page.name) {
                let link = directory.join(format!("{name}.3"));
                match fs::remove_file(&link) {
                    Err(why) if why.kind() != std::io::ErrorKind::NotFound => return Err(said(&link, why)),
                    _ => {}
                }
                std::os::unix::fs::symlink(&file, &link).map_err(|why| said(&link, why))?;
            }
        }
    }
    Ok(())
}

/// Chapters in the directory `reference`, and the lines of the book's contents for them.
fn write_book(reference: &Reference, directory: &Path) -> Result<(), String> {
    let chapters = directory.join("reference");
    fs::create_dir_all(&chapters).map_err(|why| said(&chapters, why))?;
    let mut contents = String::new();
    for file in book::files(reference) {
        contents += &format!("- [{}](reference/{})\n", file.title, file.name);
        write(chapters.join(&file.name), &file.text)?;
    }
    write(chapters.join("contents"), &contents)
}

fn run(words: &[String]) -> Result<(), String> {
    let [what, include, directory] = words else {
        return Err("usage: gasnet_reference man|book INCLUDE DIRECTORY".to_string());
    };
    let (reference, directory) = (read(Path::new(include))?, Path::new(directory));
    fs::create_dir_all(directory).map_err(|why| said(directory, why))?;
    match what.as_str() {
        "man" => write_man(&reference, directory),
        "book" => write_book(&reference, directory),
        _ => Err(format!("{what}: it must be man or book")),
    }
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("gasnet_reference: {why}");
            ExitCode::FAILURE
        }
    }
}
