//! The parts of reports on a job beside the ranks' blocks, and the state that the warden keeps for them.

use std::time::Duration;

use crate::env;
use crate::hang::board::{Board, TICK_MS};
use crate::hang::report::Reporter;
use crate::hang::standing::{Standing, summary};
use crate::hang::watch::Watch;
use crate::os::sleep::now_ns;

/// State of the warden for reports.
pub(super) struct ReportDesk {
    pub(super) board: &'static Board,
    pub(super) started_ns: u64,
    /// The report in progress, and the host's rank that is next.
    pub(super) current: Option<(Reporter, u32)>,
    pub(super) watch: Option<Watch>,
    /// Whether the job ends after a report that was not requested.
    pub(super) abort: bool,
    /// The current report was not requested.
    pub(super) unasked: bool,
}

/// The time without progress after which a report is written (`GASNET_HANG_TIMEOUT`); None: never.
pub(crate) fn hang_timeout() -> Option<Duration> {
    Some(env::dbl("GASNET_HANG_TIMEOUT")).filter(|&seconds| seconds > 0.0).map(Duration::from_secs_f64)
}

impl ReportDesk {
    pub(super) fn new() -> Option<ReportDesk> {
        let board = Board::get()?;
        Some(ReportDesk {
            board,
            started_ns: now_ns(),
            current: None,
            watch: hang_timeout().map(|limit| Watch::new(board, limit)),
            abort: env::choice("GASNET_HANG_ACTION") == "abort",
            unasked: false,
        })
    }

    /// How long the warden may sleep.
    pub(super) fn until_next(&self) -> Duration {
        if self.current.is_some() { Duration::ZERO } else { Duration::from_millis(TICK_MS) }
    }
}

/// The first line of a report.
pub(crate) fn title(why: &str, size: u32) -> String {
    let what = if size == 1 { "the one rank".to_string() } else { format!("all {size} ranks") };
    format!("*** GASNet: report on {what} of the job: {why}\n")
}

/// The last lines of a report.
pub(crate) fn ending(standings: &[Standing], silent: &str) -> String {
    format!("--- all together\n{}{silent}*** GASNet: end of the report\n", summary(standings))
}

/// Why a report is written.
pub(crate) fn asked_at(rank: u32) -> String {
    format!("it was asked for at rank {rank}")
}

pub(crate) fn stood_still(limit: Duration) -> String {
    format!("no progress for {} s, though threads wait (GASNET_HANG_TIMEOUT)", limit.as_secs_f64())
}
