//! How the ranks of a job are started: by fork, under a warden (`fork`); by a master on the hosts of a network (`master`, with
//! `spawn*`, `hosts`, `worker`, `agent`); or separately, by an external launcher or by hand (`external`, `local`, `gathering`, `meeting`).

pub(crate) mod addresses;
pub(crate) mod agent;
pub(crate) mod allocation;
pub(crate) mod control;
pub(crate) mod external;
pub(crate) mod fork;
pub(crate) mod gathering;
pub(crate) mod hosts;
pub(crate) mod leader;
pub(crate) mod local;
pub(crate) mod master;
pub(crate) mod meeting;
pub(crate) mod output;
pub(crate) mod paths;
mod silence;
pub(crate) mod spawn;
pub(crate) mod spawn_command;
pub(crate) mod spawn_local;
pub(crate) mod spawn_ssh;
pub(crate) mod traditional;
pub(crate) mod tree;
pub(crate) mod worker;
