//! The end of a process as text.

use std::fmt;

use crate::os::children::End;
use crate::os::signal::Signal;

/// The end of a process, if known, to be printed.
pub(crate) struct Fate(pub Option<End>);

impl fmt::Display for Fate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(End::Killed(signal)) => write!(f, "died of {}", Signal(signal)),
            Some(End::Exited(code)) => write!(f, "died of _exit({code}), without gasnet_exit"),
            None => write!(f, "died (only its parent knows how)"),
        }
    }
}
