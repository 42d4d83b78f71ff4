//! The struct that inline C reads. Written by init and by attach; constant in between.

use static_assertions::const_assert_eq;

/// The required value of `abi` in client records.
pub const GASNETI_ABI_NUMBER: u32 = 2;
const_assert_eq!(GASNETI_ABI_NUMBER, crate::settings::ABI_NUMBER);

/// State read by the inline fast paths; 64 bytes, defined in C so that program and library share one copy.
#[repr(C)]
pub struct gasneti_hot_t {
    /// This process's rank.
    pub mynode: u32,
    /// Ranks in the job.
    pub nodes: u32,
    /// 1 when only one thread calls the library at a time.
    pub serial: u8,
    /// 1 when usage checks are on.
    pub debug: u8,
    /// 1 while all ranks' segments are mapped here and no thread has ever had an incomplete implicit operation.
    pub all_direct: u8,
    /// Reserved, zero.
    pub reserved: [u8; 53],
}

const_assert_eq!(size_of::<gasneti_hot_t>(), 64);

/// State of a team read by the inline fast paths.
#[repr(C)]
pub struct gasneti_tm_t {
    /// By rank of the team: 0 if the member's segment is not mapped here, else 1 + the difference between the local
    /// and the owner's address.
    pub bias: *const isize,
    /// This member's rank.
    pub rank: u32,
    /// The number of members.
    pub size: u32,
}

const _: () = {
    use crate::team::TeamHead;
    use core::mem::offset_of;
    assert!(size_of::<gasneti_tm_t>() == size_of::<TeamHead>());
    assert!(offset_of!(gasneti_tm_t, bias) == offset_of!(TeamHead, bias));
    assert!(offset_of!(gasneti_tm_t, rank) == offset_of!(TeamHead, rank));
    assert!(offset_of!(gasneti_tm_t, size) == offset_of!(TeamHead, size));
};
