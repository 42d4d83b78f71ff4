//! Detects that the other side of a control connection is dead.

use std::time::{Duration, Instant};

/// The time for which the other side has been silent, without the time in which this process was stopped and could not
/// receive.
pub(crate) struct Silence {
    limit: Duration,
    lasted: Duration,
    looked: Instant,
}

impl Silence {
    pub(crate) fn new(limit: Duration) -> Silence {
        Silence { limit, lasted: Duration::ZERO, looked: Instant::now() }
    }

    /// The interval at which to call `look`, and to send a sign of life.
    pub(crate) fn period(&self) -> Duration {
        (self.limit / 5).clamp(Duration::from_millis(10), Duration::from_secs(2))
    }

    pub(crate) fn heard(&mut self) {
        self.lasted = Duration::ZERO;
    }

    /// Called at least once a period. True: the other side has been silent for too long.
    pub(crate) fn look(&mut self, listening: bool) -> bool {
        let now = Instant::now();
        let since = now - self.looked;
        self.looked = now;
        if listening {
            self.lasted += since.min(self.period() * 3 / 2);
        }
        self.lasted >= self.limit
    }

    pub(crate) fn limit(&self) -> Duration {
        self.limit
    }
}
