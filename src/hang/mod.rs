//! The report on a job that hangs: `board` is memory that the ranks of a host share with their warden, in which each rank
//! counts messages (`counts`) and records the waits of its threads (`record`, written by `waits`). From it the warden
//! makes the report: `report` has a rank's part, `standing` the conclusions from all ranks together, `ask` requests a stack by signal,
//! `images` and `find` name addresses and jobs, `network_threads` sets threads of other libraries apart, `watch` notices that nothing progresses.

pub(crate) mod ask;
pub(crate) mod board;
pub(crate) mod counts;
pub(crate) mod find;
pub(crate) mod images;
pub(crate) mod network_threads;
pub(crate) mod proc;
pub(crate) mod record;
pub(crate) mod report;
pub(crate) mod standing;
pub(crate) mod waits;
pub(crate) mod watch;
