//! How the ranks of a job meet. `contract` is what every launcher provides (launch/ has ours), `page` the shared page through
//! which the ranks of a host, and the warden that watches them, know of each other's life and death, `here` this process's
//! place among them.

pub mod contract;
pub mod forked;
pub mod here;
pub mod launcher;
pub mod limits;
pub mod on_host;
pub mod page;
#[cfg(test)]
mod page_tests;
pub mod reason;
pub mod relay;
pub mod values;
