//! How the ranks of a job are started and meet. `contract` is what every launcher provides, `page` the shared page through
//! which the ranks of a host, and the warden that watches them, know of each other's life and death, `here` this process's
//! place among them.

pub mod addresses;
pub mod agent;
pub mod contract;
pub mod control;
pub mod fork;
pub mod forked;
pub mod here;
pub mod hosts;
pub mod launcher;
pub mod leader;
pub mod limits;
pub mod local;
pub mod master;
pub mod meeting;
mod on_host;
pub mod output;
pub mod page;
#[cfg(test)]
mod page_tests;
pub mod paths;
mod reason;
mod relay;
mod silence;
pub mod spawn;
pub mod spawn_command;
pub mod spawn_local;
pub mod spawn_ssh;
pub mod traditional;
pub mod values;
pub mod worker;
