//! The port of a rank, and the verify mode (`GASNET_OFI_VERIFY`), in which it behaves as the strictest network does: the local memory of each
//! operation lies in a live registration and is named with its descriptor, and completions come late and out of order.
//!
//! # Safety
//! As `shims/ofi.rs`: buffers and contexts stay until the completion.
#![allow(unsafe_code)]

use core::ffi::{c_int, c_void};
use std::collections::{HashMap, VecDeque};

use crate::env;
use crate::fatal::fatal;
use crate::mem::{Dst, Src};
use crate::shims::ofi::{COMPLETIONS, OfiCompletion, OfiMemory, OfiOffer, OfiPort, OfiThere, mr};

/// The state of the verify mode.
struct Strictness {
    /// Start and bytes of live registrations, by descriptor. The provider's descriptors may be equal, so they are numbered.
    live: HashMap<u64, (usize, usize)>,
    /// The provider's descriptors.
    real: HashMap<u64, u64>,
    next: u64,
    /// Completions that are held back, each with the number of polls for which it still is.
    late: VecDeque<(u32, OfiCompletion)>,
    random: u64,
}

pub(crate) struct CheckedPort {
    port: OfiPort,
    pub offer: OfiOffer,
    strictness: Option<Box<Strictness>>,
    next_key: u64,
    /// Events of unmapped memory that were taken into account.
    pub turns: u32,
}

impl CheckedPort {
    pub(crate) fn new(port: OfiPort, offer: OfiOffer, verify: bool, seed: u64) -> CheckedPort {
        let strictness = verify.then(|| {
            let random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
            Box::new(Strictness { live: HashMap::new(), real: HashMap::new(), next: 1, late: VecDeque::new(), random })
        });
        CheckedPort { port, offer, strictness, next_key: 1, turns: 0 }
    }

    pub(crate) fn verifies(&self) -> bool {
        self.strictness.is_some()
    }

    /// Whether local memory has to be registered.
    #[inline]
    pub(crate) fn needs_local(&self) -> bool {
        self.strictness.is_some() || self.offer.mr_mode & mr::LOCAL != 0
    }

    /// Whether registered memory has to be there, all pages of it: hardware pins it.
    pub(crate) fn pins(&self) -> bool {
        self.offer.mr_mode & mr::ALLOCATED != 0
    }

    pub(crate) fn error_text(&self, code: c_int) -> String {
        self.port.error_text(code)
    }

    /// Why memory could not be registered: a line for the user.
    pub(crate) fn why_no_memory(&self, code: c_int) -> String {
        let why = self.error_text(code);
        match -code {
            libc::ENOMEM | libc::EPERM | libc::EAGAIN => {
                format!("{}: {why} (the limit on locked memory, ulimit -l, may be too small)", self.offer.provider)
            }
            _ => format!("{}: {why}", self.offer.provider),
        }
    }

    pub(crate) fn add_memory(&mut self, start: usize, bytes: usize, access: c_int) -> Result<OfiMemory, c_int> {
        self.next_key += 1;
        let mut memory = self.port.add_memory(start, bytes, access, self.next_key)?;
        if let Some(strict) = &mut self.strictness {
            strict.next += 1;
            strict.live.insert(strict.next, (start, bytes));
            strict.real.insert(strict.next, memory.descriptor);
            memory.descriptor = strict.next;
        }
        Ok(memory)
    }

    pub(crate) fn end_memory(&mut self, memory: &OfiMemory) -> c_int {
        if let Some(strict) = &mut self.strictness {
            if strict.live.remove(&memory.descriptor).is_none() {
                fatal!("conduit ofi: a registration ends twice");
            }
            strict.real.remove(&memory.descriptor);
        }
        self.port.end_memory(memory)
    }

    /// The provider's descriptor; in verify mode ends the job if the memory is not registered so.
    #[inline]
    fn real(&self, what: &str, at: *const u8, len: usize, descriptor: u64) -> u64 {
        let Some(strict) = &self.strictness else { return descriptor };
        let at = at.addr();
        match strict.live.get(&descriptor) {
            Some(&(start, bytes)) if at >= start && at + len <= start + bytes => strict.real[&descriptor],
            Some((start, bytes)) => fatal!(
                "conduit ofi: {len} bytes at {at:#x} for a {what} are not in the {bytes} bytes at {start:#x} of their registration"
            ),
            None => fatal!("conduit ofi: {len} bytes at {at:#x} for a {what} are in no live registration"),
        }
    }

    pub(crate) fn least_room(&self, bytes: usize) -> c_int {
        self.port.least_room(bytes)
    }

    pub(crate) fn insert(&self, address: &[u8]) -> Result<u64, c_int> {
        self.port.insert(address)
    }

    /// # Safety
    /// As [`OfiPort::receive`].
    pub(crate) unsafe fn receive(&self, into: Dst<'_>, descriptor: u64, is_multi: bool, context: *mut c_void) -> c_int {
        let descriptor = self.real("receive", into.as_ptr(), into.len(), descriptor);
        // SAFETY: the caller's contract.
        unsafe { self.port.receive(into, descriptor, is_multi, context) }
    }

    /// # Safety
    /// As [`OfiPort::send`].
    #[inline]
    pub(crate) unsafe fn send(&self, to: u64, bytes: Src<'_>, descriptor: u64, context: *mut c_void) -> c_int {
        let descriptor = self.real("message", bytes.as_ptr(), bytes.len(), descriptor);
        // SAFETY: the caller's contract.
        unsafe { self.port.send(to, bytes, descriptor, context) }
    }

    #[inline]
    pub(crate) fn inject(&self, to: u64, bytes: Src<'_>) -> c_int {
        self.port.inject(to, bytes)
    }

    /// # Safety
    /// As [`OfiPort::write`].
    #[inline]
    pub(crate) unsafe fn write(&self, to: OfiThere, src: Src<'_>, descriptor: u64, context: *mut c_void) -> c_int {
        let descriptor = self.real("put", src.as_ptr(), src.len(), descriptor);
        // SAFETY: the caller's contract.
        unsafe { self.port.write(to, src, descriptor, false, context) }
    }

    /// Writes at most as many bytes as the provider injects, which are copied.
    ///
    /// # Safety
    /// The context stays until the completion.
    #[inline]
    pub(crate) unsafe fn write_copied(&self, to: OfiThere, src: Src<'_>, context: *mut c_void) -> c_int {
        // SAFETY: the caller's contract.
        unsafe { self.port.write(to, src, 0, true, context) }
    }

    /// # Safety
    /// As [`OfiPort::read`].
    #[inline]
    pub(crate) unsafe fn read(&self, dst: Dst<'_>, from: OfiThere, descriptor: u64, context: *mut c_void) -> c_int {
        let descriptor = self.real("get", dst.as_ptr(), dst.len(), descriptor);
        // SAFETY: the caller's contract.
        unsafe { self.port.read(dst, from, descriptor, context) }
    }

    pub(crate) fn executes(&self, dtype: i32, op: i32) -> bool {
        self.port.executes(dtype, op)
    }

    /// # Safety
    /// As [`OfiPort::atomic`].
    pub(crate) unsafe fn atomic(
        &self,
        to: OfiThere,
        what: [i32; 2],
        words: *mut [u64; 3],
        descriptor: u64,
        context: *mut c_void,
    ) -> c_int {
        let descriptor = self.real("atomic", words.cast(), size_of::<[u64; 3]>(), descriptor);
        // SAFETY: the caller's contract.
        unsafe { self.port.atomic(to, what, words, descriptor, context) }
    }

    pub(crate) fn import_key(&self, key: &[u8]) -> Result<u64, c_int> {
        self.port.import_key(key)
    }

    #[inline]
    pub(crate) fn poll(&mut self, completions: &mut [OfiCompletion; COMPLETIONS]) -> Result<usize, c_int> {
        let count = self.port.poll(completions)?;
        match &mut self.strictness {
            None => Ok(count),
            Some(strict) => Ok(strict.delayed(completions, count)),
        }
    }

    /// Whether this thread may sleep until the descriptor is readable.
    pub(crate) fn may_sleep(&self) -> bool {
        self.strictness.as_ref().is_none_or(|strict| strict.late.is_empty()) && self.port.may_sleep()
    }

    pub(crate) fn close(&self) {
        self.port.close();
    }
}

impl Strictness {
    fn draw(&mut self) -> u64 {
        // xorshift64 (Marsaglia).
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random
    }

    /// Holds new completions back for some polls; returns those that are due, in any order. The messages of one receive keep theirs, and
    /// its end is the last: a provider reports them so.
    fn delayed(&mut self, completions: &mut [OfiCompletion; COMPLETIONS], count: usize) -> usize {
        const LONGEST: u64 = 4;
        for completion in &completions[..count] {
            let polls = (self.draw() % LONGEST) as u32;
            let behind =
                self.late.iter().filter(|(_, late)| late.context == completion.context).map(|(polls, _)| *polls);
            let polls = polls.max(behind.max().unwrap_or(0));
            self.late.push_back((polls, *completion));
        }
        let mut due = 0;
        let backwards = self.draw() % 2 == 0;
        let mut kept = VecDeque::with_capacity(self.late.len());
        for (polls, completion) in self.late.drain(..) {
            match polls {
                0 if due < COMPLETIONS => {
                    completions[due] = completion;
                    due += 1;
                }
                polls => kept.push_back((polls.saturating_sub(1), completion)),
            }
        }
        self.late = kept;
        let is_receive = |completion: &OfiCompletion| completion.is_message() || completion.is_released();
        if backwards && !completions[..due].iter().any(is_receive) {
            completions[..due].reverse();
        }
        due
    }
}

/// Whether the verify mode is wanted.
pub(crate) fn wants_verification() -> bool {
    env::yes("GASNET_OFI_VERIFY")
}
