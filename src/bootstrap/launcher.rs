//! Who ends the job: the warden, which the host's first process forked, or an external program.

use core::ffi::c_int;
use std::sync::OnceLock;
use std::time::Duration;

use crate::bootstrap::contract::Bootstrap;
use crate::bootstrap::here;
use crate::bootstrap::page::{ControlPage, Ending};
use crate::os::process;
use crate::sync::atomic::{AtomicBool, Ordering};

/// After a crash, the time for which a rank that does not leave last waits before it tells the launcher.
const OTHERS_FLUSH: Duration = Duration::from_millis(100);

/// A process outside this rank that ends the job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WantsEnd {
    Warden,
    External,
}

/// Fixed before the ranks exist. All calls may be made in a signal handler.
#[derive(Clone, Copy)]
pub(crate) enum Launcher {
    /// It waits for the ranks of the host, reports which rank died and of which cause, and ends the others. The first rank
    /// leaves after the others, with the job's code.
    Warden,
    /// It waits for each rank by itself. It is told how each rank ends, and ends the others after a failure. After a
    /// rank exits with code 0 the others continue, and end by themselves.
    External(&'static dyn Bootstrap),
    /// A warden that the first rank of the host has forked watches ranks that an external program started, and ends them;
    /// each rank reports its end to that program.
    WardenUnder(&'static dyn Bootstrap),
}

static EXTERNAL: OnceLock<&'static dyn Bootstrap> = OnceLock::new();
/// The bootstrap of the program that started this process, and this process's number.
static UNDER: OnceLock<(&'static dyn Bootstrap, i32)> = OnceLock::new();

/// The ranks of this job were started one by one by the external launcher of `bootstrap`.
pub fn set_external(bootstrap: &'static dyn Bootstrap) {
    let _ = EXTERNAL.set(bootstrap);
}

/// This process was started by the external launcher of `bootstrap`; it will have a warden besides.
pub(crate) fn set_under(bootstrap: &'static dyn Bootstrap) {
    let _ = UNDER.set((bootstrap, process::pid()));
}

/// The launcher of this job.
pub(crate) fn launcher() -> Launcher {
    if let Some(&bootstrap) = EXTERNAL.get() {
        return Launcher::External(bootstrap);
    }
    match UNDER.get() {
        Some(&(bootstrap, pid)) if pid == process::pid() => Launcher::WardenUnder(bootstrap),
        _ => Launcher::Warden,
    }
}

impl Launcher {
    /// The page has changed: wakes the warden, if there is one.
    pub(crate) fn look(self, page: &ControlPage) {
        match self {
            Launcher::Warden | Launcher::WardenUnder(_) => here::call_warden(page),
            // It is told in `leave`, once this rank has flushed its output.
            Launcher::External(_) => {}
        }
    }

    /// The descriptor of an external launcher that hangs up or becomes readable when the job has to end.
    pub(crate) fn died(self) -> Option<c_int> {
        match self {
            Launcher::Warden => None,
            Launcher::External(bootstrap) | Launcher::WardenUnder(bootstrap) => bootstrap.died(),
        }
    }

    /// Whether the job has to end: an external launcher or the warden requests that or has ended.
    pub(crate) fn wants_an_end(self) -> Option<WantsEnd> {
        let stirred = |fd: &c_int| process::has_stirred(*fd);
        let of_warden = || here::warden_pipe().filter(|_| !matches!(self, Launcher::External(_)));
        let external = || self.died().filter(stirred).map(|_| WantsEnd::External);
        of_warden().filter(stirred).map(|_| WantsEnd::Warden).or_else(external)
    }

    /// This rank has ended, and has printed the reason if there is one: informs an external launcher, once.
    pub(crate) fn leave(self, ending: Ending) {
        static TOLD: AtomicBool = AtomicBool::new(false);
        match self {
            // It sees how the process ends.
            Launcher::Warden => {}
            Launcher::External(_) if TOLD.swap(true, Ordering::AcqRel) => {}
            Launcher::External(bootstrap) if ending == Ending::GOOD => bootstrap.leave(),
            Launcher::External(bootstrap) => bootstrap.abort(ending.code, ""),
            Launcher::WardenUnder(_) if TOLD.swap(true, Ordering::AcqRel) => {}
            // The ranks of all hosts leave with the code that a rank requested, and have time to flush their output.
            Launcher::WardenUnder(bootstrap) if !ending.crash => bootstrap.leave(),
            // The first rank of a host is its last one.
            Launcher::WardenUnder(bootstrap) if here::me().0 == here::LEADER => bootstrap.abort(ending.code, ""),
            // Some launchers take the code of the rank that ends first for a failure of their own; the others flush their
            // output meanwhile.
            Launcher::WardenUnder(bootstrap) => {
                process::nap(OTHERS_FLUSH);
                bootstrap.abort(ending.code, "");
            }
        }
    }

    /// This rank ends as the others do; waits for them where the launcher's library needs that.
    pub(crate) fn part(self) {
        if let Launcher::WardenUnder(bootstrap) = self {
            bootstrap.part();
        }
    }

    /// The warden watches this rank.
    pub(crate) fn watched(self) {
        if let Launcher::WardenUnder(bootstrap) = self {
            bootstrap.is_watched();
        }
    }

    /// A process that is not a rank yet ends the job with `code`; it has printed the reason.
    pub(crate) fn give_up(self, code: c_int) {
        if let Launcher::WardenUnder(bootstrap) = self {
            bootstrap.abort(code, "");
        }
    }
}
