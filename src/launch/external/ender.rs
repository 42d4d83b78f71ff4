//! A thread that makes the last call to a launcher's library. A signal handler may request it, but the library takes locks and
//! allocates.

use core::ffi::c_int;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};

use nix::poll::{PollFd, PollFlags, poll};
use nix::unistd::write;

use crate::env;
use crate::launch::external::pmix_library::Pmix;
use crate::os::files::pipe;

/// The longest wait for the call.
const LIMIT_MS: u16 = 1000;

pub(crate) struct Ender {
    word: OwnedFd,
    done: OwnedFd,
}

impl Ender {
    /// The thread blocks the signals that its creator blocks.
    pub(crate) fn start(name: &str, call: impl FnOnce(c_int) + Send + 'static) -> io::Result<Ender> {
        let ((mut asked, word), (done, mut end)) = (pipe()?, pipe()?);
        std::thread::Builder::new().name(name.to_string()).spawn(move || {
            let mut word = [0; 4];
            if asked.read_exact(&mut word).is_ok() {
                call(c_int::from_ne_bytes(word));
                let _ = end.write_all(b".");
            }
        })?;
        Ok(Ender { word: word.into(), done: done.into() })
    }

    /// Has the thread make the call with `word`, and waits for it for a limited time. May be called in a signal handler.
    pub(crate) fn end(&self, word: c_int) {
        if write(&self.word, &word.to_ne_bytes()).is_ok() {
            let _ = poll(&mut [PollFd::new(self.done.as_fd(), PollFlags::POLLIN)], LIMIT_MS);
        }
    }
}

/// Ends the job by PMIx, if a communication library has connected this process to a server of it; else by `otherwise`, a call of that
/// library. For the thread of [`Ender`].
pub(crate) fn end_by_pmix_or(code: c_int, otherwise: impl FnOnce()) {
    if env::raw("PMIX_NAMESPACE").is_none() || !Pmix::abort_as_other(code) {
        otherwise();
    }
}
