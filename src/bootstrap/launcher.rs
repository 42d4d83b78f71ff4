//! Who ends the job: the warden, whom the ranks' first process forked, or a program that is not ours.

use core::ffi::c_int;
use std::sync::OnceLock;

use crate::bootstrap::contract::Bootstrap;
use crate::bootstrap::here;
use crate::bootstrap::page::{ControlPage, Ending};
use crate::sync::atomic::{AtomicBool, Ordering};

/// Fixed before the ranks exist. All calls may be made in a signal handler.
#[derive(Clone, Copy)]
pub enum Launcher {
    /// It waits for the ranks of the host, says which one died of what, and ends those that are left. The first rank
    /// leaves after the others, with the job's code.
    Warden,
    /// It waits for each rank by itself. It is told how each rank ends, and ends the others if that is not well. After a
    /// good end it lets them run on: whoever leaves alone, with code 0, leaves the others to end by themselves.
    External(&'static dyn Bootstrap),
}

static EXTERNAL: OnceLock<&'static dyn Bootstrap> = OnceLock::new();

/// The ranks of this job were started one by one by what is behind `bootstrap`.
pub fn set_external(bootstrap: &'static dyn Bootstrap) {
    let _ = EXTERNAL.set(bootstrap);
}

/// Of this job.
pub fn launcher() -> Launcher {
    EXTERNAL.get().map_or(Launcher::Warden, |&bootstrap| Launcher::External(bootstrap))
}

impl Launcher {
    /// Something on the page has changed that matters to whoever ends the job.
    pub fn look(self, page: &ControlPage) {
        match self {
            Launcher::Warden => here::call_warden(page),
            // It is told when this rank has flushed what it has to say.
            Launcher::External(_) => {}
        }
    }

    /// What this process has to watch: it hangs up, or can be read, when the job has to end.
    pub fn watched(self) -> Option<c_int> {
        match self {
            Launcher::Warden => here::warden_pipe(),
            Launcher::External(bootstrap) => bootstrap.died(),
        }
    }

    /// This rank is done, and has said why if there is something to say: tells an external launcher, once.
    pub fn leave(self, ending: Ending) {
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
