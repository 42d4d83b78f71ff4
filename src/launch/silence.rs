//! When the other side of a control connection is taken for dead.

use std::time::{Duration, Instant};

/// How long the other side has been silent, by a clock that stands still while this process does: one that was
/// stopped has not listened.
pub(crate) struct Silence {
    limit: Duration,
    lasted: Duration,
    looked: Instant,
}

impl Silence {
    pub(crate) fn new(limit: Duration) -> Silence {
        Silence { limit, lasted: Duration::ZERO, looked: Instant::now() }
    }

    /// How often to look, and to show that one is alive oneself.
    pub(crate) fn period(&self) -> Duration {
        (self.limit / 5).clamp(Duration::from_millis(10), Duration::from_secs(2))
    }

    pub(crate) fn heard(&mut self) {
        self.lasted = Duration::ZERO;
    }

    /// To be called at least once a period. True: too long.
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
