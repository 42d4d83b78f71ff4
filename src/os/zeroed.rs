//! Tables of zero entries in memory that the kernel provides page by page, when an entry is first written: an entry for each
//! rank of the job then costs address space only, until it is used.
//!
//! # Safety
//! `Zero` is implemented for types of which zero bytes are a value: here, and nowhere else.
#![allow(unsafe_code)]

use std::alloc::{Layout, alloc_zeroed, handle_alloc_error};

use crate::sync::atomic::AtomicIsize;

/// Types of which zero bytes are a value.
///
/// # Safety
/// Zero bytes are a value of the type.
pub(crate) unsafe trait Zero {}

// SAFETY: a plain number (core::sync::atomic: the same representation as isize).
unsafe impl Zero for AtomicIsize {}
// SAFETY: None is the null pointer (std::option, "Representation").
unsafe impl<T> Zero for Option<Box<T>> {}

/// `len` zero entries.
pub(crate) fn zeroed<T: Zero>(len: usize) -> Box<[T]> {
    let layout = Layout::array::<T>(len).expect("a table of less than half of the address space");
    if layout.size() == 0 {
        // Nothing is allocated for it, and there is no `Zero` type without bytes.
        return Box::from([]);
    }
    // SAFETY: the layout has bytes (checked).
    let table = unsafe { alloc_zeroed(layout) };
    if table.is_null() {
        handle_alloc_error(layout);
    }
    // SAFETY: from Rust's allocator with the layout of `len` entries (both above); zero bytes are a value of T (`Zero`).
    unsafe { Box::from_raw(core::ptr::slice_from_raw_parts_mut(table.cast(), len)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::atomic::Ordering;

    #[test]
    fn entries_are_zero_and_can_be_written() {
        assert!(zeroed::<AtomicIsize>(0).is_empty());
        let words = zeroed::<AtomicIsize>(100_000);
        words[77_777].store(5, Ordering::Relaxed);
        assert_eq!(words.iter().map(|word| word.load(Ordering::Relaxed)).sum::<isize>(), 5);
        let mut boxes = zeroed::<Option<Box<String>>>(10);
        assert!(boxes.iter().all(Option::is_none));
        boxes[3] = Some(Box::new("x".to_string()));
        assert_eq!(boxes.iter().flatten().count(), 1);
    }
}
