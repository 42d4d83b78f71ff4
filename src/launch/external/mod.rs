//! The bootstraps of ranks that external launchers start. `detect` chooses one by the environment. `pmi1`, `pmi2`,
//! `pmi_library` and `pmix` are protocols with a `Kvs`: a store of short values with a fence; `over` is the bootstrap over such a store, with
//! records that are cut into values and checked when they are read. `slurm` serves steps without PMI. `mpi` and
//! `shmem` meet by the library that also is the network, with a store on each rank (`store`); `conduits` finds ranks on different ones.

pub(crate) mod conduits;
pub(crate) mod connection;
pub(crate) mod detect;
pub(crate) mod ender;
pub(crate) mod guard;
pub(crate) mod kvs;
pub(crate) mod mapping;
pub(crate) mod mpi;
pub(crate) mod over;
pub(crate) mod pmi1;
pub(crate) mod pmi2;
pub(crate) mod pmi_library;
pub(crate) mod pmix;
pub(crate) mod pmix_library;
pub(crate) mod shmem;
pub(crate) mod slurm;
mod store;
pub mod text;
pub(crate) mod words;

pub use detect::{describe, detect};
