//! Put, get and memset in the memory of a rank of this nbrhd that is not mapped here, by CMA. Operations are complete
//! when the call returns; the target need not poll. An access that the kernel cannot make but the owner can (to a
//! page of its stack that it has not used yet) is made by messages; an access that neither can make ends the job
//! here, in the initiator.

use crate::defs::rank::JobRank;
use crate::fatal::{self, usage};
use crate::job::Job;
use crate::mem::{Dst, RemoteAddr, Src};
use crate::nbrhd::across::NearProcess;
use crate::os::peer_memory::{self, CopyStop, Found, Runs, Way};
use crate::os::process;
use crate::sync::atomic::{Ordering, fence};

impl Job {
    /// Copies `src` to `dst` on `to`. False: the content of `dst` is undefined; the caller must
    /// send it by message.
    #[inline]
    pub fn put_across(&self, to: JobRank, dst: RemoteAddr, src: Src<'_>) -> bool {
        let Some(process) = self.nbrhd.process_of(to) else { return false };
        self.crossed(process, to, Way::Write, peer_memory::write(process.pid, dst, src))
    }

    /// Copies from `src` on `from` to `dst`. False as for `put_across`.
    #[inline]
    pub fn get_across(&self, dst: Dst<'_>, from: JobRank, src: RemoteAddr) -> bool {
        let Some(process) = self.nbrhd.process_of(from) else { return false };
        self.crossed(process, from, Way::Read, peer_memory::read(process.pid, dst, src))
    }

    /// Sets `len` bytes at `dst` on `to`. False as for `put_across`.
    pub fn memset_across(&self, to: JobRank, dst: RemoteAddr, byte: u8, len: usize) -> bool {
        let Some(process) = self.nbrhd.process_of(to) else { return false };
        self.crossed(process, to, Way::Write, peer_memory::fill(process.pid, dst, byte, len))
    }

    /// Copies about `about` runs of bytes between here and `there`: `each` calls its argument once for every run, with
    /// the address here, the address on `there`, and the length in bytes, which is not 0. False as for `put_across`.
    pub fn runs_across(
        &self,
        there: JobRank,
        way: Way,
        about: usize,
        each: impl FnOnce(&mut dyn FnMut(usize, usize, usize)),
    ) -> bool {
        let Some(process) = self.nbrhd.process_of(there) else { return false };
        let mut runs = Runs::new(about);
        let mut copied = Ok(());
        each(&mut |here, at, len| {
            if copied.is_ok() && runs.push(here, at, len) {
                copied = runs.copy(process.pid, way);
            }
        });
        let copied = copied.and_then(|()| runs.copy(process.pid, way));
        self.crossed(process, there, way, copied)
    }

    #[inline]
    fn crossed(&self, process: NearProcess, there: JobRank, way: Way, copied: Result<(), CopyStop>) -> bool {
        match copied {
            Ok(()) => {
                // The kernel has copied; the order is that of `mem::copy_out` and `mem::copy_in`.
                fence(Ordering::AcqRel);
                true
            }
            Err(stop) => self.stopped(process, there, way, stop),
        }
    }

    /// Ends the job if an address cannot be used; else returns false.
    #[cold]
    fn stopped(&self, process: NearProcess, there: JobRank, way: Way, stop: CopyStop) -> bool {
        if stop.errno != libc::EFAULT {
            // The process has ended or denies access now. If it died, the watcher of the ranks reports that.
            self.nbrhd.refuse(process);
            return false;
        }
        let call = fatal::current_call();
        if let Some(why) = obstacle(process::pid(), stop.here, way == Way::Read) {
            usage!(call, "the local address {:#x}: {why}", stop.here);
        }
        if let Some(why) = obstacle(process.pid, stop.there, way == Way::Write) {
            usage!(call, "address {:#x} of rank {}: {why} there", stop.there, there.0);
        }
        false
    }
}

/// The reason why process `pid` cannot access the memory at `at`; None if it can, or if that is unknown.
fn obstacle(pid: i32, at: usize, to_write: bool) -> Option<String> {
    match peer_memory::look(pid, at)? {
        Found::Nothing => Some("nothing is mapped".to_owned()),
        Found::Mapped { writable: false, line, .. } if to_write => {
            Some(format!("memory that is not writable ({line})"))
        }
        Found::Mapped { readable: false, line, .. } => Some(format!("memory that is not readable ({line})")),
        Found::Mapped { .. } | Found::Stack => None,
    }
}
