//! The struct that inline C reads. Published once by init (and again by attach); immutable between.

use static_assertions::const_assert_eq;

/// What a client record's `abi` must be.
pub const GASNETI_ABI_NUMBER: u32 = 2;
const_assert_eq!(GASNETI_ABI_NUMBER, crate::settings::ABI_NUMBER);

/// What the inline fast paths read; 64 bytes, defined in C so that the program and the library share one copy.
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
    /// 1 as long as every rank is direct and no implicit operation of any thread was ever left outstanding.
    pub all_direct: u8,
    /// Reserved, zero.
    pub reserved: [u8; 53],
}

const_assert_eq!(size_of::<gasneti_hot_t>(), 64);

/// What the inline fast paths read of a team.
#[repr(C)]
pub struct gasneti_tm_t {
    /// By rank of the team: 0 if the member's segment is not mapped here, else 1 + what to add to an address in it.
    pub bias: *const isize,
    /// This member's rank.
    pub rank: u32,
    /// How many members there are.
    pub size: u32,
}

const _: () = {
    use crate::team::Head;
    use core::mem::offset_of;
    assert!(size_of::<gasneti_tm_t>() == size_of::<Head>());
    assert!(offset_of!(gasneti_tm_t, bias) == offset_of!(Head, bias));
    assert!(offset_of!(gasneti_tm_t, rank) == offset_of!(Head, rank));
    assert!(offset_of!(gasneti_tm_t, size) == offset_of!(Head, size));
};
