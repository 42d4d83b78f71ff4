//! Who ends the job: the warden, whom the ranks' first process forked, or an external program.

use core::ffi::c_int;
use std::sync::OnceLock;

use crate::bootstrap::contract::Bootstrap;
use crate::bootstrap::here;
use crate::bootstrap::page::{ControlPage, Ending};
use crate::sync::atomic::{AtomicBool, Ordering};

/// Fixed before the ranks exist. All calls may be made in a signal handler.
#[derive(Clone, Copy)]
pub(crate) enum Launcher {
    /// It waits for the ranks of the host, reports which rank died and of which cause, and ends the others. The first rank
    /// leaves after the others, with the job's code.
    Warden,
    /// It waits for each rank by itself. It is told how each rank ends, and ends the others after a failure. After a
    /// rank exits with code 0 the others continue, and end by themselves.
    External(&'static dyn Bootstrap),
}

static EXTERNAL: OnceLock<&'static dyn Bootstrap> = OnceLock::new();

/// The ranks of this job were started one by one by the external launcher of `bootstrap`.
pub fn set_external(bootstrap: &'static dyn Bootstrap) {
    let _ = EXTERNAL.set(bootstrap);
}

/// Of this job.
pub(crate) fn launcher() -> Launcher {
    EXTERNAL.get().map_or(Launcher::Warden, |&bootstrap| Launcher::External(bootstrap))
}

impl Launcher {
    /// The page has changed: wakes the warden, if there is one.
    pub(crate) fn look(self, page: &ControlPage) {
        match self {
            Launcher::Warden => here::call_warden(page),
            // It is told when this rank has flushed what it has to say.
            Launcher::External(_) => {}
        }
    }

    /// A descriptor that hangs up or becomes readable when the job has to end.
    pub(crate) fn watched(self) -> Option<c_int> {
        match self {
            Launcher::Warden => here::warden_pipe(),
            Launcher::External(bootstrap) => bootstrap.died(),
        }
    }

    /// This rank is done, and has said why if there is something to say: tells an external launcher, once.
    pub(crate) fn leave(self, ending: Ending) {
        static TOLD: AtomicBool = AtomicBool::new(false);
        match self {
            // It sees how the process ends.
            Launcher::Warden => {}
            Launcher::External(_) if TOLD.swap(true, Ordering::AcqRel) => {}
            Launcher::External(bootstrap) if ending == Ending::GOOD => bootstrap.leave(),
            Launcher::External(bootstrap) => bootstrap.abort(ending.code, ""),
        }
    }
}
