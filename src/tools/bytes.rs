//! Sums over memory that is the client's: read a word at a time, never borrowed.
//!
//! # Safety
//! The callers pass views (`Src`, `Dst`) whose makers promised that the bytes are mapped.
#![allow(unsafe_code)]

use core::ffi::c_void;

/// How many of the bytes of `word` are zero.
pub fn zeros_in(word: u64) -> u32 {
    const LOW: u64 = u64::MAX / 255 * 0x7f;
    // 0x80 in every byte that is zero, and nothing else.
    (!(((word & LOW) + LOW) | word | LOW)).count_ones()
}

/// How many of `nbytes` bytes are zero.
///
/// # Safety
/// `src` has `nbytes` readable bytes.
pub unsafe fn zeros(src: *const c_void, nbytes: usize) -> usize {
    let mut count = 0;
    // SAFETY: the caller keeps the contract.
    unsafe { words(src, nbytes, |word, len, _| count += zeros_in(word) as usize - (8 - len)) };
    count
}

/// Copies `nbytes` bytes and says how many are zero.
///
/// # Safety
/// `src` has `nbytes` readable bytes and `dst` as many writable ones; they do not overlap.
pub unsafe fn copy_zeros(dst: *mut c_void, src: *const c_void, nbytes: usize) -> usize {
    let mut count = 0;
    // SAFETY: the caller keeps the contract; `at + len` never exceeds `nbytes`.
    unsafe {
        words(src, nbytes, |word, len, at| {
            count += zeros_in(word) as usize - (8 - len);
            let bytes = word.to_le_bytes();
            core::ptr::copy_nonoverlapping(bytes.as_ptr(), dst.cast::<u8>().add(at), len);
        });
    }
    count
}

/// A 64-bit sum in which every bit and the order of the bytes count; not secure.
///
/// # Safety
/// `src` has `nbytes` readable bytes.
pub unsafe fn checksum(src: *const c_void, nbytes: usize) -> u64 {
    // The multiplier of a full-period 64-bit congruential generator (Knuth, MMIX).
    const MULTIPLIER: u64 = 6_364_136_223_846_793_005;
    let mut sum = nbytes as u64;
    // SAFETY: the caller keeps the contract.
    unsafe {
        words(src, nbytes, |word, _, _| sum = (sum ^ word).wrapping_mul(MULTIPLIER).rotate_left(29));
    }
    sum ^ (sum >> 32)
}

/// Calls `each(word, len, at)` for every 8 bytes, the last time with the `len` bytes that remain, zero-filled.
unsafe fn words(src: *const c_void, nbytes: usize, mut each: impl FnMut(u64, usize, usize)) {
    let src = src.cast::<u8>();
    let whole = nbytes & !7;
    for at in (0..whole).step_by(8) {
        // SAFETY: `at + 8 <= nbytes`.
        each(unsafe { src.add(at).cast::<u64>().read_unaligned() }, 8, at);
    }
    if whole < nbytes {
        let mut last = [0; 8];
        for (i, byte) in last.iter_mut().enumerate().take(nbytes - whole) {
            // SAFETY: `whole + i < nbytes`.
            *byte = unsafe { src.add(whole + i).read() };
        }
        each(u64::from_le_bytes(last), nbytes - whole, whole);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_counted_at_every_length_and_alignment() {
        let data: Vec<u8> = (0..64u32).map(|i| (i * 7 % 5) as u8).collect();
        for from in 0..9 {
            for len in 0..40 {
                let want = data[from..from + len].iter().filter(|&&b| b == 0).count();
                let mut copy = [9u8; 40];
                // SAFETY: `from + len <= 64`, and the copy has 40 bytes.
                let (got, copied) = unsafe {
                    let src = data.as_ptr().add(from).cast();
                    (zeros(src, len), copy_zeros(copy.as_mut_ptr().cast(), src, len))
                };
                assert_eq!((got, copied), (want, want));
                assert_eq!(&copy[..len], &data[from..from + len]);
                assert!(copy[len..].iter().all(|&b| b == 9));
            }
        }
    }

    #[test]
    fn a_checksum_sees_length_order_and_every_bit() {
        // SAFETY: the slice has `len` bytes.
        let sum = |data: &[u8]| unsafe { checksum(data.as_ptr().cast(), data.len()) };
        assert_ne!(sum(&[0; 8]), sum(&[0; 9]));
        assert_ne!(sum(b"0123456789abcdef"), sum(b"89abcdef01234567"));
        for bit in 0..100 {
            let mut data = [0u8; 13];
            data[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(sum(&data), sum(&[0; 13]), "bit {bit}");
        }
    }
}
