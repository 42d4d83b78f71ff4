//! Prepares backtraces and stopping for a debugger according to the environment. This is done before any error, so
//! invalid values are fatal here.
//!
//! # Safety
//! The handlers that are installed call only what signal handlers may, once `init` has prepared it.
#![allow(unsafe_code)]

use super::text::Short;
use super::{freeze_now, print, stack};
use crate::env;
use crate::fatal::{fatal, write_stderr};
use crate::os::process;
use crate::os::reserve::without_malloc;
use core::ffi::{CStr, c_int};
use core::fmt::Write;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};

/// Reads the variables about backtraces and freezing, and prepares for a crash. `exe` is argv[0], if known.
/// May be called again, after the environment changed.
pub(crate) fn init(exe: Option<&CStr>) {
    stack::name_exe(exe);
    let settings = super::prepare(|name, _| env::yes(name), env::ranks("GASNET_BACKTRACE_NODES"));
    super::keep(settings);
    // The first call loads libgcc, which allocates: not in a signal handler.
    stack::addresses(&mut [0]);
}

/// Catches the signals that `GASNET_BACKTRACE_SIGNAL` and `GASNET_FREEZE_SIGNAL` name; replaces other handlers.
pub(crate) fn watch_signals() {
    on_signal("GASNET_BACKTRACE_SIGNAL", backtrace_on_signal);
    on_signal("GASNET_FREEZE_SIGNAL", freeze_on_signal);
}

/// Stops every rank at init if the user has requested that.
pub(crate) fn freeze_at_start() {
    if env::yes("GASNET_FREEZE") {
        freeze_now();
    }
}

extern "C" fn backtrace_on_signal(signal: c_int) {
    process::keeping_errno(|| {
        without_malloc(|| {
            let mut text = Short::default();
            let _ = writeln!(text, "*** Backtrace on signal {signal}, process {}", std::process::id());
            write_stderr(&text.0[..text.1]);
            print(libc::STDERR_FILENO);
        });
    });
}

extern "C" fn freeze_on_signal(_: c_int) {
    process::keeping_errno(|| without_malloc(freeze_now));
}

/// Installs `handler` for the signal that the variable names, if it names one.
fn on_signal(variable: &str, handler: extern "C" fn(c_int)) {
    let Some(name) = env::str(variable).filter(|name| !name.is_empty()) else { return };
    let Some(signal) = signal_named(&name) else {
        fatal!("environment variable {variable}='{name}': must be a signal's name such as SIGUSR1")
    };
    let action = SigAction::new(SigHandler::Handler(handler), SaFlags::SA_RESTART, SigSet::empty());
    // SAFETY: the handlers call only what signal handlers may, once `init` has prepared it.
    if let Err(error) = unsafe { sigaction(signal, &action) } {
        fatal!("environment variable {variable}='{name}': that signal cannot be caught ({error})");
    }
}

/// The signal of a name such as `SIGUSR1`, `usr1` or `10`.
pub(crate) fn signal_named(name: &str) -> Option<Signal> {
    if let Ok(number) = name.trim().parse::<c_int>() {
        return Signal::try_from(number).ok();
    }
    let upper = name.trim().to_ascii_uppercase();
    let full = if upper.starts_with("SIG") { upper } else { format!("SIG{upper}") };
    full.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_have_long_and_short_names_and_numbers() {
        assert_eq!(signal_named("SIGUSR1"), Some(Signal::SIGUSR1));
        assert_eq!(signal_named("usr1"), Some(Signal::SIGUSR1));
        assert_eq!(signal_named(" 15 "), Some(Signal::SIGTERM));
        for bad in ["", "SIG", "0", "-1", "999", "SIGNOPE"] {
            assert_eq!(signal_named(bad), None, "{bad}");
        }
    }
}
