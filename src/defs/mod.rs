//! The types that every layer passes on: names of ranks and endpoints (`rank`), and what an Active Message consists of
//! (`message`).

pub(crate) mod message;
pub(crate) mod rank;
