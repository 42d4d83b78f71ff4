//! The fuzz targets. Each target takes any bytes and panics if a promise is broken. libFuzzer calls them (`make fuzz`),
//! and so does `cargo test` (tests/fuzz.rs), on the seeds and on changed ones.
#![allow(dead_code)]

pub mod control;
pub mod desk;
pub mod gauge;
pub mod input;
pub mod launchers;
pub mod texts;
pub mod udp_peer;
pub mod udp_stranger;
pub mod udp_world;
pub mod weather;
pub mod world;

pub type Target = (&'static str, fn(&[u8]));

pub const TARGETS: [Target; 6] = [
    ("udp_stranger", udp_stranger::run),
    ("udp_peer", udp_peer::run),
    ("udp_world", udp_world::run),
    ("control", control::run),
    ("texts", texts::run),
    ("launchers", launchers::run),
];
