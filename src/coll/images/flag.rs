//! The `GASNET_COLL_*` flags of GASNet-1's collectives.

use core::ffi::c_int;

use crate::fatal::usage;

pub(crate) const IN_NOSYNC: c_int = 1;
pub(crate) const IN_MYSYNC: c_int = 2;
pub(crate) const IN_ALLSYNC: c_int = 4;
pub(crate) const OUT_NOSYNC: c_int = 8;
pub(crate) const OUT_MYSYNC: c_int = 16;
pub(crate) const OUT_ALLSYNC: c_int = 32;
pub(crate) const SINGLE: c_int = 64;
pub(crate) const LOCAL: c_int = 128;
pub(crate) const AGGREGATE: c_int = 256;
pub(crate) const DST_IN_SEGMENT: c_int = 1024;
pub(crate) const SRC_IN_SEGMENT: c_int = 2048;
pub(crate) const INCLUSIVE_SCAN: c_int = 0x10000;
pub(crate) const EXCLUSIVE_SCAN: c_int = 0x20000;
pub(crate) const NO_IMAGES: c_int = 0x80000;

/// Groups of which a call has exactly one.
const INS: c_int = IN_NOSYNC | IN_MYSYNC | IN_ALLSYNC;
const OUTS: c_int = OUT_NOSYNC | OUT_MYSYNC | OUT_ALLSYNC;
const MODES: c_int = SINGLE | LOCAL;
const SCANS: c_int = INCLUSIVE_SCAN | EXCLUSIVE_SCAN;

/// Ends the job unless `flags` has exactly one of `group`.
fn check_group(call: &str, flags: c_int, group: c_int) {
    let what = match group {
        INS => "GASNET_COLL_IN_*SYNC",
        OUTS => "GASNET_COLL_OUT_*SYNC",
        MODES => "GASNET_COLL_LOCAL and GASNET_COLL_SINGLE",
        _ => "GASNET_COLL_INCLUSIVE_SCAN and GASNET_COLL_EXCLUSIVE_SCAN",
    };
    let count = (flags & group).count_ones();
    if count != 1 {
        usage!(call, "flags {flags:#x} have {count} of {what}, of which there must be one");
    }
}

/// `flags` with exactly one flag of each group. Debug clients must pass exactly one. In release clients a missing
/// or contradictory IN or OUT flag means ALLSYNC, and a call without SINGLE and LOCAL is LOCAL.
pub(crate) fn whole(call: &str, flags: c_int, scans: bool, debug: bool) -> c_int {
    if scans {
        // Neither kind of scan is a safe default.
        check_group(call, flags, SCANS);
    }
    if debug {
        [INS, OUTS, MODES].into_iter().for_each(|group| check_group(call, flags, group));
        return flags;
    }
    let one_of = |group: c_int, safest: c_int| match flags & group {
        given if given.count_ones() == 1 => given,
        _ => safest,
    };
    if flags & MODES == MODES {
        // The address lists of the two modes have different lengths.
        check_group(call, flags, MODES);
    }
    flags & !(INS | OUTS | MODES) | one_of(INS, IN_ALLSYNC) | one_of(OUTS, OUT_ALLSYNC) | one_of(MODES, LOCAL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn release_clients_get_the_safest_flag_of_a_group_without_exactly_one() {
        let of = |flags| whole("test", flags, false, false);
        for (ins, one_in) in [
            (IN_NOSYNC, IN_NOSYNC),
            (IN_MYSYNC, IN_MYSYNC),
            (IN_ALLSYNC, IN_ALLSYNC),
            (0, IN_ALLSYNC),
            (IN_NOSYNC | IN_MYSYNC, IN_ALLSYNC),
        ] {
            for (outs, one_out) in [
                (OUT_NOSYNC, OUT_NOSYNC),
                (OUT_MYSYNC, OUT_MYSYNC),
                (OUT_ALLSYNC, OUT_ALLSYNC),
                (0, OUT_ALLSYNC),
                (OUT_NOSYNC | OUT_ALLSYNC, OUT_ALLSYNC),
            ] {
                for (mode, one) in [(SINGLE, SINGLE), (LOCAL, LOCAL), (0, LOCAL)] {
                    let others = AGGREGATE | DST_IN_SEGMENT | NO_IMAGES;
                    assert_eq!(of(ins | outs | mode | others), one_in | one_out | one | others);
                }
            }
        }
    }

    #[test]
    fn debug_clients_and_scans_get_the_flags_that_they_gave() {
        let flags = IN_MYSYNC | OUT_NOSYNC | SINGLE | SRC_IN_SEGMENT;
        assert_eq!(whole("test", flags, false, true), flags);
        for scan in [INCLUSIVE_SCAN, EXCLUSIVE_SCAN] {
            assert_eq!(whole("test", flags | scan, true, true), flags | scan);
            assert_eq!(whole("test", flags | scan, true, false), flags | scan);
        }
    }
}
