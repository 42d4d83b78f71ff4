//! Sums over memory that is the client's: read a word at a time, never borrowed.
//!
//! # Safety
//! The callers pass views (`Src`, `Dst`) whose makers promised that the bytes are mapped.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::{
    __m128i, _mm_cmpeq_epi8, _mm_cvtsi128_si64, _mm_loadu_si128, _mm_sad_epu8, _mm_setzero_si128, _mm_storeu_si128,
    _mm_sub_epi8, _mm_unpackhi_epi64,
};
use core::ffi::c_void;

/// How many of the bytes of `word` are zero.
pub(crate) fn zeros_in(word: u64) -> u32 {
    const LOW: u64 = u64::MAX / 255 * 0x7f;
    // 0x80 in every byte that is zero, and nothing else.
    (!(((word & LOW) + LOW) | word | LOW)).count_ones()
}

/// How many of `nbytes` bytes are zero.
///
/// # Safety
/// `src` has `nbytes` readable bytes.
pub(crate) unsafe fn zeros(src: *const c_void, nbytes: usize) -> usize {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the caller keeps the contract.
    unsafe {
        count(src, nbytes, |_, _| {}, |_, _, _| {})
    }
    #[cfg(not(target_arch = "x86_64"))]
    // SAFETY: the caller keeps the contract.
    unsafe {
        count(src, nbytes, |_, _, _| {})
    }
}

/// Copies `nbytes` bytes and says how many are zero.
///
/// # Safety
/// `src` has `nbytes` readable bytes and `dst` as many writable ones; they do not overlap.
pub(crate) unsafe fn copy_zeros(dst: *mut c_void, src: *const c_void, nbytes: usize) -> usize {
    let dst = dst.cast::<u8>();
    // SAFETY: the caller keeps the contract; the bytes are written where they were read, within `nbytes`.
    let copy_word = |at: usize, word: u64, len| unsafe {
        core::ptr::copy_nonoverlapping(word.to_le_bytes().as_ptr(), dst.add(at), len)
    };
    #[cfg(target_arch = "x86_64")]
    // SAFETY: as above.
    unsafe {
        count(src, nbytes, |at, block| _mm_storeu_si128(dst.add(at).cast(), block), copy_word)
    }
    #[cfg(not(target_arch = "x86_64"))]
    // SAFETY: as above.
    unsafe {
        count(src, nbytes, copy_word)
    }
}

/// Counts zero bytes, and shows each block and each remaining word to the callers.
///
/// # Safety
/// `src` has `nbytes` readable bytes.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn count(
    src: *const c_void,
    nbytes: usize,
    block_seen: impl Fn(usize, __m128i),
    word_seen: impl Fn(usize, u64, usize),
) -> usize {
    const BLOCK: usize = 16;
    // A byte of `run` counts to 255 at most.
    const RUN: usize = 255 * BLOCK;
    let whole = nbytes & !(BLOCK - 1);
    let mut total = 0;
    for start in (0..whole).step_by(RUN) {
        let end = whole.min(start + RUN);
        // SAFETY: SSE2 is part of x86-64; `at + BLOCK <= whole`.
        unsafe {
            let zero = _mm_setzero_si128();
            let mut run = zero;
            for at in (start..end).step_by(BLOCK) {
                let block = _mm_loadu_si128(src.cast::<u8>().add(at).cast());
                block_seen(at, block);
                run = _mm_sub_epi8(run, _mm_cmpeq_epi8(block, zero));
            }
            let halves = _mm_sad_epu8(run, zero);
            total +=
                _mm_cvtsi128_si64(halves) as usize + _mm_cvtsi128_si64(_mm_unpackhi_epi64(halves, halves)) as usize;
        }
    }
    // SAFETY: the bytes from `whole` on.
    unsafe {
        words(src.cast::<u8>().add(whole).cast(), nbytes - whole, |word, len, at| {
            word_seen(whole + at, word, len);
            total += zeros_in(word) as usize - (8 - len);
        });
    }
    total
}

/// As above, by words.
///
/// # Safety
/// `src` has `nbytes` readable bytes.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
unsafe fn count(src: *const c_void, nbytes: usize, word_seen: impl Fn(usize, u64, usize)) -> usize {
    let mut total = 0;
    // SAFETY: the caller keeps the contract.
    unsafe {
        words(src, nbytes, |word, len, at| {
            word_seen(at, word, len);
            total += zeros_in(word) as usize - (8 - len);
        });
    }
    total
}

/// A 64-bit sum in which every bit and the order of the bytes count; not secure.
///
/// # Safety
/// `src` has `nbytes` readable bytes.
pub(crate) unsafe fn checksum(src: *const c_void, nbytes: usize) -> u64 {
    // Four sums side by side, so that one multiplication need not wait for the one before.
    const LANES: usize = 4;
    let mut sums = [nbytes as u64, 1, 2, 3];
    let whole = nbytes & !(8 * LANES - 1);
    for at in (0..whole).step_by(8 * LANES) {
        for (lane, sum) in sums.iter_mut().enumerate() {
            // SAFETY: `at + 8 * LANES <= whole`.
            *sum = stir(*sum, unsafe { src.cast::<u8>().add(at + 8 * lane).cast::<u64>().read_unaligned() });
        }
    }
    // SAFETY: the bytes from `whole` on.
    unsafe {
        words(src.cast::<u8>().add(whole).cast(), nbytes - whole, |word, _, _| sums[0] = stir(sums[0], word));
    }
    let sum = sums.into_iter().fold(0, stir);
    sum ^ (sum >> 32)
}

fn stir(sum: u64, word: u64) -> u64 {
    // The multiplier of a full-period 64-bit congruential generator (Knuth, MMIX).
    const MULTIPLIER: u64 = 6_364_136_223_846_793_005;
    (sum ^ word).wrapping_mul(MULTIPLIER).rotate_left(29)
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
    fn long_runs_do_not_overflow_their_counters() {
        let data = vec![0u8; 100_003];
        let mut copy = vec![1u8; data.len()];
        // SAFETY: both have that length.
        let (got, copied) = unsafe {
            let src = data.as_ptr().cast();
            (zeros(src, data.len()), copy_zeros(copy.as_mut_ptr().cast(), src, data.len()))
        };
        assert_eq!((got, copied), (data.len(), data.len()));
        assert_eq!(copy, data);
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
