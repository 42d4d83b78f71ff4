//! Collectives over teams. `operation` describes a collective between ranks and `start` starts it, through the
//! shared memory of the team's members (`near`), by the network (`native`), or by messages (`message`, state machines that
//! `engine` advances).
//! `images` maps the collectives of GASNet-1, in which several threads of a rank take part, to operations between
//! ranks. `teams` creates and destroys teams, `named` has their split-phase barriers, and `check` reports differing
//! calls in debug clients.

pub(crate) mod buffer;
pub(crate) mod check;
pub(crate) mod engine;
pub(crate) mod images;
pub(crate) mod message;
#[cfg(test)]
pub(crate) mod model_tests;
pub(crate) mod named;
pub(crate) mod native;
pub(crate) mod near;
pub(crate) mod operation;
pub(crate) mod operator;
mod publish;
mod scratch;
pub(crate) mod shares;
pub(crate) mod start;
#[cfg(test)]
mod start_tests;
pub(crate) mod team_scratch;
pub(crate) mod teams;
