//! The struct that inline C reads. Published once by init (and again by attach); immutable between.

use static_assertions::const_assert_eq;

/// What a client record's `abi` must be.
pub const GASNETI_ABI_NUMBER: u32 = 1;
const_assert_eq!(GASNETI_ABI_NUMBER, crate::settings::ABI_NUMBER);

/// `bias` of a rank whose memory is not mapped here: the call goes to the library. Others are multiples of a page.
pub const GASNETI_NOT_DIRECT: isize = 1;

/// What the inline fast paths read; 64 bytes, defined in C so that the program and the library share one copy.
#[repr(C)]
pub struct gasneti_hot_t {
    /// This process's rank.
    pub mynode: u32,
    /// Ranks in the job.
    pub nodes: u32,
    /// Per rank: what to add to an address in its segment to reach it from here, or GASNETI_NOT_DIRECT.
    pub bias: *const isize,
    /// 1 when only one thread calls the library at a time.
    pub serial: u8,
    /// 1 when usage checks are on.
    pub debug: u8,
    /// 1 when every rank is direct, so that no put or get is ever outstanding.
    pub all_direct: u8,
    /// Reserved, zero.
    pub reserved: [u8; 45],
}

const_assert_eq!(size_of::<gasneti_hot_t>(), 64);
