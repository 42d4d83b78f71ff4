//! Runs the fuzz targets without a fuzzer, on every seed and, for a limited time, on mutated seeds, with stable Rust;
//! `make fuzz TARGET=... SECONDS=...` searches by coverage.
#![allow(clippy::disallowed_methods)]

#[path = "../fuzz/entries/mod.rs"]
mod entries;

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use entries::input::Input;
use entries::{TARGETS, Target};

fn seeds(name: &str) -> Vec<Vec<u8>> {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(name);
    let mut paths: Vec<_> =
        dir.read_dir().expect("seeds are there").map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).expect("readable")).collect()
}

/// Runs a target; if it fails, keeps the input.
fn try_one((name, run): Target, data: &[u8]) {
    if let Err(cause) = catch_unwind(AssertUnwindSafe(|| run(data))) {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.crash"));
        std::fs::write(&path, data).expect("the input is kept");
        eprintln!("{name} fails on {}: GASNET_FUZZ_FILE={0} cargo test --test fuzz", path.display());
        std::panic::resume_unwind(cause);
    }
}

fn changed(seeds: &[Vec<u8>], chance: &mut Input<'_>) -> Vec<u8> {
    let mut data = match seeds {
        [] => Vec::new(),
        _ => seeds[chance.below(seeds.len() as u64) as usize].clone(),
    };
    for _ in 0..1 + chance.below(6) {
        let at = chance.below(data.len() as u64 + 1) as usize;
        let len = chance.below(16).min((data.len() - at) as u64) as usize;
        match chance.below(7) {
            0 if at < data.len() => data[at] ^= 1 << chance.below(8),
            1 if at < data.len() => data[at] = chance.one_of(&[0, 1, 0x7f, 0x80, 0xff]),
            2 => data.insert(at, chance.u8()),
            3 => _ = data.drain(at..at + len),
            4 => data.extend_from_within(at..at + len),
            5 if !seeds.is_empty() => {
                let other = &seeds[chance.below(seeds.len() as u64) as usize];
                data.truncate(at);
                data.extend_from_slice(&other[at.min(other.len())..]);
            }
            _ => data.extend((0..1 + len).map(|_| chance.u8())),
        }
    }
    data.truncate(4096);
    data
}

#[test]
fn targets_keep_their_promises_on_seeds_and_changed_seeds() {
    if let Some(path) = std::env::var_os("GASNET_FUZZ_FILE") {
        let path = PathBuf::from(path);
        let data = std::fs::read(&path).expect("the file to run");
        let name = path.file_stem().unwrap_or_default();
        TARGETS.iter().filter(|target| target.0 == name).for_each(|target| (target.1)(&data));
        return;
    }
    let time = std::env::var("GASNET_FUZZ_MS").ok().and_then(|text| text.parse().ok()).unwrap_or(500);
    for target in TARGETS {
        let seeds = seeds(target.0);
        assert!(!seeds.is_empty(), "{} has no seeds", target.0);
        let (start, mut runs) = (Instant::now(), 0u64);
        for data in &seeds {
            try_one(target, data);
            runs += 1;
        }
        let (start_changed, mut chance) = (Instant::now(), Input::seed(start.elapsed().subsec_nanos().into()));
        while start_changed.elapsed() < Duration::from_millis(time) {
            try_one(target, &changed(&seeds, &mut chance));
            runs += 1;
        }
        // Not println, which is hidden if the test passes.
        let _ = writeln!(
            std::io::stderr(),
            "fuzz: {} inputs in {:.1} s: {}",
            runs,
            start.elapsed().as_secs_f64(),
            target.0
        );
    }
}
