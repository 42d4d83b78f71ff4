//! How the ranks of a job meet. `contract`: the services that every launcher provides (launch/ has ours), `page` the shared page through
//! which the ranks of a host, and the warden that watches them, know of each other's life and death, `here` this process's
//! place among them.

pub(crate) mod contract;
pub(crate) mod forked;
pub(crate) mod here;
pub(crate) mod launcher;
pub(crate) mod limits;
pub(crate) mod on_host;
pub(crate) mod page;
#[cfg(test)]
mod page_tests;
pub(crate) mod reason;
pub(crate) mod relay;
pub(crate) mod values;
