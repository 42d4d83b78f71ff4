//! The bootstraps of ranks that other people's launchers start. `detect` chooses one by the environment; `pmi1`, `pmi2`,
//! `pmix` and `slurm` are the protocols, each a `Kvs`: a store of short values with a fence. What is above them is the same
//! for all (`over.rs`): records, cut into values and checked when they are read.

pub(crate) mod connection;
pub(crate) mod detect;
pub(crate) mod guard;
pub(crate) mod kvs;
pub(crate) mod mapping;
pub(crate) mod over;
pub(crate) mod pmi1;
pub(crate) mod pmi2;
pub(crate) mod pmix;
pub(crate) mod pmix_library;
pub(crate) mod slurm;
pub mod text;
pub(crate) mod words;

pub use detect::detect;
