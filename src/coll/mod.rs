//! Collectives over teams. `operation` describes a collective between ranks and `start` starts it, through the
//! shared memory of the team's members (`near`) or by messages (`message`, state machines that `engine` advances).
//! `images` maps the collectives of GASNet-1, in which several threads of a rank take part, to operations between
//! ranks. `teams` creates and destroys teams, `named` has their split-phase barriers, and `check` reports differing
//! calls in debug clients.

pub mod buffer;
pub mod check;
pub mod engine;
pub mod images;
pub mod message;
pub mod named;
pub mod near;
pub mod operation;
pub mod operator;
mod scratch;
pub mod shares;
pub mod start;
pub mod teams;
