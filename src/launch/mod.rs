//! How the ranks of a job are started: by fork, under a warden (`fork`); by a master on the hosts of a network (`master`, with
//! `spawn*`, `hosts`, `worker`, `agent`); or separately, by something else (`local`, `meeting`).

pub mod addresses;
pub mod agent;
pub mod control;
pub mod fork;
pub mod hosts;
pub mod leader;
pub mod local;
pub mod master;
pub mod meeting;
pub mod output;
pub mod paths;
mod silence;
pub mod spawn;
pub mod spawn_command;
pub mod spawn_local;
pub mod spawn_ssh;
pub mod traditional;
pub mod worker;
