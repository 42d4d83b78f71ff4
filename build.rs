//! Compiles the C that Rust cannot write: variadic functions, overridable data, the numbered AM families.

fn main() {
    let dir = "src/abi/c";
    println!("cargo::rerun-if-changed={dir}");
    let mut sources: Vec<_> = std::fs::read_dir(dir)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "c"))
        .collect();
    sources.sort();
    if sources.is_empty() {
        return;
    }
    cc::Build::new()
        .files(&sources)
        .include("include")
        .define("_GNU_SOURCE", "1")
        .define("GASNETI_BUILDING_LIBRARY", "1")
        .flag("-std=gnu11")
        .flag("-fno-common")
        .opt_level(2)
        .warnings(true)
        .extra_warnings(true)
        .compile("gasneti_c");
}
