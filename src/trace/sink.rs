//! The output of traces and statistics: a file named by the user, or a standard stream. Each write consists of
//! complete lines, so that ranks may share a file. After a failed write (a full disk) a rank warns once and writes
//! no more to that file.

use std::ffi::CString;
use std::sync::OnceLock;

use crate::env;
use crate::env::RankList;
use crate::fatal::{fatal, warn};
use crate::os::reserve::without_malloc;
use crate::os::{files, process};
use crate::sync::atomic::{AtomicBool, AtomicI32, Ordering};

const CLOSED: i32 = -1;

/// One of the two outputs.
pub(crate) struct Sink {
    fd: AtomicI32,
    /// Its description in warnings.
    name: OnceLock<String>,
}

/// The user's settings for an output.
pub(crate) struct WantedSink {
    /// The variable that names the file.
    variable: &'static str,
    name: String,
    ranks: RankList,
}

impl WantedSink {
    /// The settings according to `variable`; None if the output is not enabled.
    pub(crate) fn of(variable: &'static str, nodes: &'static str) -> Option<WantedSink> {
        let name = env::str(variable).filter(|name| !name.is_empty())?;
        Some(WantedSink { variable, name, ranks: env::ranks(nodes) })
    }

    /// Whether all ranks write to the same file or stream.
    pub(crate) fn is_shared(&self) -> bool {
        !self.name.contains('%')
    }

    /// Whether `rank` writes to it.
    pub(crate) fn includes(&self, rank: u32) -> bool {
        self.ranks.has(rank)
    }

    /// Opens the file of all ranks, before the ranks exist; `fresh`: truncates it.
    pub(crate) fn open_shared(&self, sink: &Sink, fresh: bool) {
        if self.is_shared() {
            self.open(sink, &self.name, fresh);
        }
    }

    /// Opens the file of `rank`, if each rank has its own and `rank` is selected.
    pub(crate) fn open_own(&self, sink: &Sink, rank: u32) {
        if !self.includes(rank) {
            sink.fd.store(CLOSED, Ordering::Relaxed);
        } else if !self.is_shared() {
            self.open(sink, &self.name.replace('%', &rank.to_string()), true);
        }
    }

    fn open(&self, sink: &Sink, name: &str, fresh: bool) {
        let _ = sink.name.set(format!("{}='{}': cannot write to {name}", self.variable, self.name));
        let opened = match name {
            "stdout" => Ok(1),
            "stderr" | "-" => Ok(2),
            name => match CString::new(name) {
                Ok(path) => files::append_to(&path, fresh),
                Err(_) => Err(std::io::ErrorKind::InvalidInput.into()),
            },
        };
        match opened {
            Ok(fd) => sink.fd.store(fd, Ordering::Relaxed),
            Err(error) => fatal!("{}: {error}", sink.named()),
        }
    }
}

impl Sink {
    pub(crate) const fn closed() -> Sink {
        Sink { fd: AtomicI32::new(CLOSED), name: OnceLock::new() }
    }

    /// Closes the output.
    pub(crate) fn close(&self) {
        self.fd.store(CLOSED, Ordering::Relaxed);
    }

    fn named(&self) -> &str {
        self.name.get().map_or("", String::as_str)
    }

    /// Writes `bytes`, which are complete lines. If the write fails, nothing more is written, and the job
    /// continues. May be called in a signal handler.
    pub(crate) fn write(&self, bytes: &[u8]) {
        static WARNED: AtomicBool = AtomicBool::new(false);
        let fd = self.fd.load(Ordering::Relaxed);
        if fd == CLOSED {
            return;
        }
        if let Err(errno) = files::write_all(fd, bytes) {
            self.close();
            if !WARNED.swap(true, Ordering::Relaxed) {
                without_malloc(|| {
                    warn!("{}: {}; events missing in it are lost", self.named(), process::error_text(errno));
                });
            }
        }
    }
}
