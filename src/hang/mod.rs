//! The report on a job that hangs: `board` is memory that the ranks of a host share with their warden, in which each rank
//! counts messages (`counts`) and records the waits of its threads (`record`, written by `waits`). From it the warden
//! makes the report: `report` has a rank's part, `standing` what all ranks together show, `ask` requests a stack by signal,
//! `images` and `find` name addresses and jobs, `watch` notices that nothing progresses.

pub mod ask;
pub mod board;
pub mod counts;
pub mod find;
pub mod images;
pub mod proc;
pub mod record;
pub mod report;
pub mod standing;
pub mod waits;
pub mod watch;
