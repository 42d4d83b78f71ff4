//! How the ranks of a job meet. `contract`: the services that every launcher provides (launch/ has ours). `page`: the shared
//! page with the states of a host's ranks and of the warden that watches them. `here`: this process's place among them.

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
