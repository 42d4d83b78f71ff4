//! Views of memory as in `src/mem.rs`, in whole words. Those of shared memory are cells at addresses that nobody follows, one for each
//! word; others are memory of one thread.

use core::ffi::c_void;
use core::marker::PhantomData;
use loom::cell::UnsafeCell;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

thread_local! {
    /// The cells of the execution that loom explores; all its threads are one of the system's.
    static CELLS: RefCell<HashMap<usize, Rc<UnsafeCell<u64>>>> = RefCell::default();
}

#[derive(Clone, Copy)]
pub struct Dst<'a>(*mut u8, usize, PhantomData<&'a ()>);
#[derive(Clone, Copy)]
pub struct Src<'a>(*const u8, usize, PhantomData<&'a ()>);
#[derive(Clone, Copy)]
pub struct RemoteAddr(pub usize);

impl<'a> Dst<'a> {
    /// # Safety
    /// None: the type has no contract here.
    pub unsafe fn new(at: *mut c_void, len: usize) -> Self {
        Dst(at.cast(), len, PhantomData)
    }
    pub fn none() -> Self {
        Dst(core::ptr::null_mut(), 0, PhantomData)
    }
    pub fn len(self) -> usize {
        self.1
    }
    pub fn as_ptr(self) -> *mut u8 {
        self.0
    }
    pub fn as_src(self) -> Src<'a> {
        Src(self.0, self.1, PhantomData)
    }
    pub fn part(self, from: usize, len: usize) -> Self {
        assert!(from + len <= self.1);
        Dst(self.0.wrapping_add(from), len, PhantomData)
    }
}

impl Src<'_> {
    pub fn len(self) -> usize {
        self.1
    }
    pub fn as_ptr(self) -> *const u8 {
        self.0
    }
    pub fn part(self, from: usize, len: usize) -> Self {
        assert!(from + len <= self.1);
        Src(self.0.wrapping_add(from), len, PhantomData)
    }
}

/// The words of `bytes` are shared from now on.
pub fn share(bytes: Dst<'_>) {
    let words = (0..bytes.1).step_by(8).map(|at| (bytes.0.addr() + at, Rc::new(UnsafeCell::new(0))));
    CELLS.with_borrow_mut(|cells| cells.extend(words));
}
pub fn is_shared(at: usize) -> bool {
    CELLS.with_borrow(|cells| cells.contains_key(&at))
}
pub fn forget() {
    CELLS.with_borrow_mut(HashMap::clear);
}
fn cell(at: usize) -> Option<Rc<UnsafeCell<u64>>> {
    CELLS.with_borrow(|cells| cells.get(&at).cloned())
}
pub fn load(at: *const u8) -> u64 {
    match cell(at.addr()) {
        // SAFETY: loom fails the test if this access races.
        Some(cell) => cell.with(|word| unsafe { *word }),
        // SAFETY: an address of this thread's memory.
        None => unsafe { *at.cast() },
    }
}
pub fn store(at: *mut u8, value: u64) {
    match cell(at.addr()) {
        // SAFETY: as in `load`.
        Some(cell) => cell.with_mut(|word| unsafe { *word = value }),
        // SAFETY: as in `load`.
        None => unsafe { *at.cast() = value },
    }
}

pub fn copy(dst: Dst<'_>, src: Src<'_>) {
    assert_eq!((dst.1, dst.1 % 8), (src.1, 0));
    (0..dst.1).step_by(8).for_each(|at| store(dst.0.wrapping_add(at), load(src.0.wrapping_add(at))));
}
pub fn all_of(words: &mut [u64]) -> Dst<'_> {
    Dst(words.as_mut_ptr().cast(), size_of_val(words), PhantomData)
}
pub fn words_of(words: &[u64]) -> Src<'_> {
    Src(words.as_ptr().cast(), size_of_val(words), PhantomData)
}
pub fn read_words(into: &mut [u64], src: Src<'_>) {
    copy(all_of(into), src);
}
