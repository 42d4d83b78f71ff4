//! Put and get of a register value: its low-order bytes, zero-extended on the way back.
//!
//! # Safety
//! The views made here are of this frame's own variables and of an operation's value cell, which is never freed.
#![allow(unsafe_code)]

use crate::defs::message::Immediate;
use crate::defs::rank::Location;
use crate::event::{Handle, mine};
use crate::job::Job;
use crate::mem::{self, Dst, RemoteAddr, Src};
use crate::rma::{Local, Track};

/// The handle of a value get that is complete: the value shifted left by one, with bit 0 set, which no address of an
/// operation has. None if the value needs its top bit.
fn tagged(value: u64) -> Option<Handle> {
    (value >> 63 == 0).then_some(Handle((value << 1 | 1) as usize))
}

impl Job {
    /// Puts the low `nbytes` (1 to 8) bytes of `value`, and waits.
    pub fn put_value(&self, to: Location, dst: RemoteAddr, value: u64, nbytes: usize) {
        self.put_blocking(to, dst, Src::of(&value.to_le_bytes()[..nbytes]));
    }

    /// As `put_value`; false: nothing was started (resources exhausted).
    pub fn put_value_if(&self, to: Location, dst: RemoteAddr, value: u64, nbytes: usize, immediate: Immediate) -> bool {
        self.put_blocking_if(to, dst, Src::of(&value.to_le_bytes()[..nbytes]), immediate)
    }

    /// Starts to put the low `nbytes` (1 to 8) bytes of `value`.
    pub fn put_value_start(&self, track: Track, to: Location, dst: RemoteAddr, value: u64, nbytes: usize) -> Handle {
        self.put_value_start_if(track, to, dst, value, nbytes, Immediate::No)
    }

    /// As `put_value_start`; [`Handle::NO_OP`] if nothing was started (resources exhausted).
    pub fn put_value_start_if(
        &self,
        track: Track,
        to: Location,
        dst: RemoteAddr,
        value: u64,
        nbytes: usize,
        immediate: Immediate,
    ) -> Handle {
        self.put_start_if(track, to, dst, Src::of(&value.to_le_bytes()[..nbytes]), Local::Now, immediate).root
    }

    /// The `nbytes` (1 to 8) bytes at `src` on `from`, zero-extended.
    pub fn get_value(&self, from: Location, src: RemoteAddr, nbytes: usize) -> u64 {
        let mut value = 0u64;
        assert!(nbytes <= size_of_val(&value));
        // SAFETY: `nbytes` bytes of a local that outlives the call.
        let place = unsafe { Dst::new((&raw mut value).cast(), nbytes) };
        self.get_blocking(place, from, src);
        u64::from_le(value)
    }

    /// Starts to get the `nbytes` (1 to 8) bytes at `src` on `from`.
    pub fn get_value_start(&self, from: Location, src: RemoteAddr, nbytes: usize) -> Handle {
        let near = self.nbrhd.map_at(from, src, nbytes);
        if near.is_some() {
            if let Some(handle) = tagged(self.get_value(from, src, nbytes)) {
                return handle;
            }
        }
        let op = mine().value();
        assert!(nbytes <= size_of::<u64>());
        // SAFETY: the operation's 8-byte value cell, never freed.
        let place = unsafe { Dst::new(op.value_place().cast(), nbytes) };
        match near {
            Some(src) => mem::copy_in(place, src.as_src()),
            None => self.far_get(op, place, from, src),
        }
        op.handle()
    }

    /// Waits for a value get and returns the value, zero-extended.
    pub fn get_value_wait(&self, call: &str, handle: Handle) -> u64 {
        if handle.0 & 1 == 1 { handle.0 as u64 >> 1 } else { self.wait_value(call, handle) }
    }
}
