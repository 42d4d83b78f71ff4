//! A team's shared memory, in the place that the team has for it.
//!
//! # Safety
//! Only this file writes that place: it is null, or points to a `Near` that `set_near` has leaked and that lives until
//! `leave_near`.
#![allow(unsafe_code)]

use core::ptr;

use crate::coll::near::Near;
use crate::sync::atomic::Ordering;
use crate::team::Team;

impl Team {
    /// Sets the members' shared memory; called once, before the team is returned to the client.
    pub fn set_near(&self, near: Near) {
        self.near.store(Box::into_raw(Box::new(near)).cast(), Ordering::Release);
    }

    /// The members' shared memory.
    #[inline]
    pub fn near(&self) -> Option<&'static Near> {
        // SAFETY: the module's paragraph.
        unsafe { self.near.load(Ordering::Acquire).cast::<Near>().as_ref() }
    }

    /// This member does not use the shared memory any more. Called before the team ends, while nothing is in flight.
    pub fn leave_near(&self) {
        let near = self.near.swap(ptr::null_mut(), Ordering::Relaxed).cast::<Near>();
        if !near.is_null() {
            // SAFETY: the module's paragraph; nothing is in flight, so it is not in use.
            unsafe { Box::from_raw(near) }.leave();
        }
    }
}
