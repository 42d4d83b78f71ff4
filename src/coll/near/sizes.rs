//! The sizes of a block. tests/loom_near.rs has smaller ones, so that few steps use a place or a slot again.

use core::ops::RangeInclusive;

/// Words of a line.
pub(crate) const WORDS: usize = 32;
/// The index of the first word of a line's data.
pub(crate) const DATA_AT: usize = 2;
/// The size of a line's data, in bytes.
pub(crate) const DATA: usize = (WORDS - DATA_AT) * size_of::<u64>();
/// The lines of members in all places of the window, unless the limits on the number of places require another number.
pub(crate) const LINES: usize = 512;
/// The number of places is a power of two.
pub(crate) const PLACES: RangeInclusive<usize> = 4..=32;
/// Teams of up to this number of members read each other's words; larger teams use a tree of counters.
pub(crate) const FLAT: usize = 8;
/// The number of children of a counter in the tree.
pub(crate) const FAN: usize = 8;
/// The number of slots in a member's ring on the stage.
pub(crate) const SLOTS: u64 = 8;
/// The size of a stage in bytes, unless the limits on the size of a slot require another size.
pub(crate) const STAGE: usize = 2 << 20;
pub(crate) const SLOT: RangeInclusive<usize> = 1024..=16 * 1024;
/// Pieces whose total size, over all members, is at most this number of bytes are reduced redundantly.
pub(crate) const REDUNDANT_MAX: usize = 32 * 1024;
/// Source buffers of at least this number of bytes are exposed in place even if the owner would not have to wait
/// for other members otherwise.
pub(crate) const IN_PLACE_MIN: usize = 16 * 1024;
