//! The types that every layer passes on: names of ranks and endpoints (`rank`), and the parts of an Active Message
//! (`message`).

pub(crate) mod message;
pub(crate) mod rank;
