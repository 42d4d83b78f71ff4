//! Where traces and statistics go: a file that the user names, or a standard stream. A write is whole lines, so that
//! ranks may share a file.

use std::ffi::CString;

use crate::env;
use crate::env::RankList;
use crate::fatal::fatal;
use crate::os::files;
use crate::sync::atomic::{AtomicI32, Ordering};

const CLOSED: i32 = -1;

/// One of the two outputs.
pub struct Sink {
    fd: AtomicI32,
}

/// What the user wants of an output.
pub struct Wanted {
    /// The variable that names the file.
    variable: &'static str,
    name: String,
    ranks: RankList,
}

impl Wanted {
    /// What `variable` says; None if nothing is wanted.
    pub fn of(variable: &'static str, nodes: &'static str) -> Option<Wanted> {
        let name = env::str(variable).filter(|name| !name.is_empty())?;
        Some(Wanted { variable, name, ranks: env::ranks(nodes) })
    }

    /// All ranks write to the same place.
    pub fn is_shared(&self) -> bool {
        !self.name.contains('%')
    }

    /// Whether `rank` is to write.
    pub fn includes(&self, rank: u32) -> bool {
        self.ranks.has(rank)
    }

    /// Opens the file of all ranks, before there are ranks; `fresh`: nothing of it is to stay.
    pub fn open_shared(&self, sink: &Sink, fresh: bool) {
        if self.is_shared() {
            self.open(sink, &self.name, fresh);
        }
    }

    /// This process is `rank`: opens its own file, or none.
    pub fn open_own(&self, sink: &Sink, rank: u32) {
        if !self.includes(rank) {
            sink.fd.store(CLOSED, Ordering::Relaxed);
        } else if !self.is_shared() {
            self.open(sink, &self.name.replace('%', &rank.to_string()), true);
        }
    }

    fn open(&self, sink: &Sink, name: &str, fresh: bool) {
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
            Err(error) => fatal!("{}='{}': cannot write to {name}: {error}", self.variable, self.name),
        }
    }
}

impl Sink {
    pub const fn closed() -> Sink {
        Sink { fd: AtomicI32::new(CLOSED) }
    }

    /// Nothing is written any more.
    pub fn close(&self) {
        self.fd.store(CLOSED, Ordering::Relaxed);
    }

    /// Writes `bytes`, which end with a line. What cannot be written is lost. May be called from a signal handler.
    pub fn write(&self, bytes: &[u8]) {
        let fd = self.fd.load(Ordering::Relaxed);
        if fd != CLOSED {
            files::write_all(fd, bytes);
        }
    }
}
