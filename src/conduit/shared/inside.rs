//! Which thread is inside a network's library. A signal handler that takes the rank out of the job must not call that library
//! where it has interrupted it: the signal is put off until the thread has left the library.

use core::cell::Cell;

use crate::os::signal;
use crate::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// A signal was put off.
static PUT_OFF: AtomicBool = AtomicBool::new(false);

/// This thread is inside a library until this is dropped.
pub(crate) struct InLibrary {
    before: bool,
}

impl InLibrary {
    #[inline]
    pub(crate) fn enter() -> InLibrary {
        InLibrary { before: INSIDE.replace(true) }
    }
}

impl Drop for InLibrary {
    #[inline]
    fn drop(&mut self) {
        INSIDE.set(self.before);
        if PUT_OFF.load(Ordering::Relaxed) && !self.before {
            raise();
        }
    }
}

/// Runs `call` outside of the library, from within: a handler or a completion.
#[inline]
pub(crate) fn outside(call: impl FnOnce()) {
    let before = INSIDE.replace(false);
    if before && PUT_OFF.load(Ordering::Relaxed) {
        raise();
    }
    call();
    INSIDE.set(before);
}

#[cold]
fn raise() {
    if PUT_OFF.swap(false, Ordering::Relaxed) {
        signal::raise(libc::SIGQUIT);
    }
}

/// Whether this thread is inside a library.
pub(crate) fn is_inside() -> bool {
    // A thread whose thread-locals are destroyed calls no library.
    INSIDE.try_with(Cell::get).unwrap_or(false)
}

/// In a handler of SIGQUIT: whether it has interrupted a library; the signal is then raised again once this thread has left it.
pub(crate) fn put_off() -> bool {
    let inside = is_inside();
    if inside {
        PUT_OFF.store(true, Ordering::Relaxed);
    }
    inside
}
