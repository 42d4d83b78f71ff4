//! Whether calls have left operations incomplete. As long as none has, inline C synchronises implicit operations without a call.

use std::sync::OnceLock;

use crate::sync::atomic::{AtomicBool, AtomicU8, Ordering};

/// The word that inline C reads.
static QUIET: OnceLock<&'static AtomicU8> = OnceLock::new();
/// An implicit operation was incomplete when its call returned.
static LEFT: AtomicBool = AtomicBool::new(false);
/// A put was left to the network's quiet.
static LEFT_FOR_QUIET: AtomicBool = AtomicBool::new(false);

/// Whether a put may have been left to the network's quiet.
#[inline]
pub(crate) fn left_for_quiet() -> bool {
    LEFT_FOR_QUIET.load(Ordering::Relaxed)
}

/// Notes that a put is left to the network's quiet.
#[inline]
pub(crate) fn leave_for_quiet() {
    if !LEFT_FOR_QUIET.load(Ordering::Relaxed) {
        LEFT_FOR_QUIET.store(true, Ordering::Relaxed);
        leave_implicit();
    }
}

/// From now on inline code no longer assumes that all implicit operations were complete when their calls returned.
pub(super) fn leave_implicit() {
    LEFT.store(true, Ordering::Relaxed);
    if let Some(quiet) = QUIET.get() {
        quiet.store(0, Ordering::Relaxed);
    }
}

/// Whether an implicit operation may have been incomplete when its call returned.
#[inline]
pub(crate) fn left_implicit() -> bool {
    LEFT.load(Ordering::Relaxed)
}

/// The word in which inline C reads that all ranks' segments are mapped and no implicit operation was ever
/// incomplete when its call returned.
pub(crate) fn set_quiet(flag: &'static AtomicU8) {
    QUIET.get_or_init(|| flag);
}
