//! Memset: sets bytes of an endpoint's segment to one value.

use crate::defs::rank::Location;
use crate::event::{Handle, mine};
use crate::job::Job;
use crate::mem::{self, RemoteAddr};
use crate::rma::{Track, amref};

impl Job {
    /// Sets `len` bytes at `dst` on `to`, and waits.
    pub fn memset_blocking(&self, to: Location, dst: RemoteAddr, byte: u8, len: usize) {
        if let Some(dst) = self.nbrhd.map_at(to, dst, len) {
            mem::fill_out(dst, byte);
        } else if !self.memset_across(to.rank, dst, byte, len) {
            let op = mine().explicit();
            amref::memset(self, op, to.rank, dst, byte, len);
            self.wait_own(op);
        }
    }

    /// Starts to set `len` bytes at `dst` on `to`.
    pub fn memset_start(&self, track: Track, to: Location, dst: RemoteAddr, byte: u8, len: usize) -> Handle {
        if let Some(dst) = self.nbrhd.map_at(to, dst, len) {
            mem::fill_out(dst, byte);
            return Handle::DONE;
        }
        if self.memset_across(to.rank, dst, byte, len) {
            return Handle::DONE;
        }
        self.start(track, |op| amref::memset(self, op, to.rank, dst, byte, len))
    }
}
