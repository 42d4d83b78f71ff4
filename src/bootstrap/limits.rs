//! How long ranks may take to leave when a job ends.

use crate::env;
use crate::fatal::fatal;
use std::time::Duration;

/// The settings `GASNET_EXITTIMEOUT*`.
#[derive(Clone, Copy, Debug)]
pub struct ExitLimits {
    /// The longest coordinated exit.
    pub timeout_ms: u32,
    /// After a good end, the time limit of a rank that still computes; not below `timeout_ms`.
    pub kill_ms: u32,
}

impl ExitLimits {
    pub fn timeout(self) -> Duration {
        Duration::from_millis(self.timeout_ms.into())
    }

    pub fn kill(self) -> Duration {
        Duration::from_millis(self.kill_ms.into())
    }
}

/// The limits of a job of `size` ranks.
pub(crate) fn exit_limits(size: u32) -> ExitLimits {
    let (max, min) = (env::dbl("GASNET_EXITTIMEOUT_MAX"), env::dbl("GASNET_EXITTIMEOUT_MIN"));
    let factor = env::dbl("GASNET_EXITTIMEOUT_FACTOR");
    let seconds = match env::opt_dbl("GASNET_EXITTIMEOUT") {
        Some(seconds) if seconds < min => {
            fatal!("GASNET_EXITTIMEOUT = {seconds} s is below GASNET_EXITTIMEOUT_MIN = {min} s")
        }
        Some(seconds) => seconds,
        None => max.min(min + factor * f64::from(size)),
    };
    let ms = |seconds: f64| (seconds * 1000.0).clamp(1.0, 1e9) as u32;
    ExitLimits { timeout_ms: ms(seconds), kill_ms: ms(seconds.max(env::dbl("GASNET_EXITTIMEOUT_KILL"))) }
}
