//! libfabric, as its shim offers it (`shims/ofi_shim.h`): the same table, with types.
//!
//! # Safety
//! The table is that of a shim of this version. One thread at a time uses a port, as callers promise. Buffers of operations stay where
//! they are until their completion, as the callers of unsafe functions promise.
#![allow(unsafe_code)]

use core::ffi::{CStr, c_char, c_int, c_void};
use std::ffi::CString;
use std::sync::OnceLock;

pub(crate) use super::ofi_offers::{OfiOffer, OfiWish};
use super::ofi_offers::{RawOffer, RawWish};
use crate::env;
use crate::mem::{Dst, Src};
use crate::os::dl::{self, OpenLibrary};

const VERSION: u32 = 2;

/// Capabilities of a provider.
pub(crate) mod cap {
    pub(crate) const MSG: u32 = 1 << 0;
    pub(crate) const RMA: u32 = 1 << 1;
    pub(crate) const ATOMIC: u32 = 1 << 2;
    pub(crate) const MULTI_RECV: u32 = 1 << 3;
    pub(crate) const RDM: u32 = 1 << 4;
    pub(crate) const MODES: u32 = 1 << 5;
    pub(crate) const MR_KNOWN: u32 = 1 << 6;
    pub(crate) const SOCKADDR: u32 = 1 << 9;
}

/// Demands on registration of memory.
pub(crate) mod mr {
    pub(crate) const LOCAL: u32 = 1 << 0;
    pub(crate) const ALLOCATED: u32 = 1 << 4;
    pub(crate) const MMU_NOTIFY: u32 = 1 << 6;
    pub(crate) const NAMES: [(u32, &str); 9] = [
        (LOCAL, "local"),
        (1 << 1, "endpoint"),
        (1 << 2, "provider's keys"),
        (1 << 3, "virtual addresses"),
        (ALLOCATED, "allocated"),
        (1 << 5, "raw keys"),
        (MMU_NOTIFY, "notified"),
        (1 << 7, "devices"),
        (1 << 8, "unknown"),
    ];
}

/// Access to registered memory.
pub(crate) mod access {
    use core::ffi::c_int;

    pub(crate) const REMOTE: c_int = 1 | 2;
    pub(crate) const LOCAL: c_int = 4;
    pub(crate) const LOCAL_SOURCE: c_int = 8;
}

/// The result of a call: the provider has no room now.
pub(crate) const AGAIN: c_int = -libc::EAGAIN;

/// `struct gasneti_ofi_facts`.
#[repr(C)]
struct RawFacts {
    offer: RawOffer,
    address: [u8; 256],
    address_bytes: u32,
    wake: i32,
}

/// `struct gasneti_ofi_memory`.
#[derive(Clone, Copy)]
#[repr(C)]
struct RawMemory {
    object: u64,
    descriptor: u64,
    key: [u8; MOST_RAW_KEY],
    key_bytes: u32,
    base: u64,
}

/// The longest key of a provider, in bytes.
pub(crate) const MOST_RAW_KEY: usize = 192;

/// A registration.
#[derive(Clone, Debug)]
pub(crate) struct OfiMemory {
    object: u64,
    /// For transfers from and to it.
    pub descriptor: u64,
    pub key: Vec<u8>,
    /// Subtracted from the addresses by which peers name it.
    pub base: u64,
}

/// `struct gasneti_ofi_completion`.
#[derive(Clone, Copy, Default, Debug)]
#[repr(C)]
pub(crate) struct OfiCompletion {
    pub context: u64,
    /// Of a message that has arrived: its bytes, and where they are.
    pub bytes: u64,
    pub buffer: u64,
    /// 0, or the error.
    pub error: i32,
    is_message: u16,
    is_released: u16,
}

impl OfiCompletion {
    /// A message has arrived.
    #[inline]
    pub(crate) fn is_message(&self) -> bool {
        self.is_message != 0
    }

    /// A receive for many messages is over.
    #[inline]
    pub(crate) fn is_released(&self) -> bool {
        self.is_released != 0
    }
}

/// Completions that one call returns, at most.
pub(crate) const COMPLETIONS: usize = 32;

type OfiPortPtr = *mut c_void;

/// `struct gasneti_ofi_shim`.
#[repr(C)]
struct OfiTable {
    version: u32,
    bytes: u32,
    runs: extern "C" fn() -> u32,
    error_text: extern "C" fn(c_int) -> *const c_char,
    offers: extern "C" fn(*const RawWish, *mut RawOffer, c_int) -> c_int,
    open: extern "C" fn(*const RawWish, *mut OfiPortPtr, *mut RawFacts, *mut *const c_char) -> c_int,
    least_room: extern "C" fn(OfiPortPtr, u64) -> c_int,
    insert: extern "C" fn(OfiPortPtr, *const c_void, *mut u64) -> c_int,
    receive: extern "C" fn(OfiPortPtr, *mut c_void, u64, u64, c_int, *mut c_void) -> c_int,
    send: extern "C" fn(OfiPortPtr, u64, *const c_void, u64, u64, *mut c_void) -> c_int,
    inject: extern "C" fn(OfiPortPtr, u64, *const c_void, u64) -> c_int,
    write: extern "C" fn(OfiPortPtr, u64, *const c_void, u64, u64, u64, u64, c_int, *mut c_void) -> c_int,
    read: extern "C" fn(OfiPortPtr, u64, *mut c_void, u64, u64, u64, u64, *mut c_void) -> c_int,
    executes: extern "C" fn(OfiPortPtr, c_int, c_int) -> c_int,
    atomic: extern "C" fn(
        OfiPortPtr,
        u64,
        c_int,
        c_int,
        *const c_void,
        *const c_void,
        u64,
        *mut c_void,
        u64,
        u64,
        *mut c_void,
    ) -> c_int,
    add_memory: extern "C" fn(OfiPortPtr, *mut c_void, u64, c_int, u64, *mut RawMemory) -> c_int,
    end_memory: extern "C" fn(OfiPortPtr, u64) -> c_int,
    import_key: extern "C" fn(OfiPortPtr, *const c_void, u32, *mut u64) -> c_int,
    poll: extern "C" fn(OfiPortPtr, *mut OfiCompletion, c_int) -> c_int,
    may_sleep: extern "C" fn(OfiPortPtr) -> c_int,
    close: extern "C" fn(OfiPortPtr) -> c_int,
}

/// libfabric in this process.
pub(crate) struct Ofi {
    table: &'static OfiTable,
    /// As text: "1.17".
    pub version: String,
}

/// Signals for which providers have been seen to install handlers, which print stacks of their own into files (psm, psm2).
const HANDLED: [c_int; 9] = [
    libc::SIGABRT,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGILL,
    libc::SIGSEGV,
    libc::SIGINT,
    libc::SIGTERM,
    libc::SIGHUP,
    libc::SIGQUIT,
];

/// The handlers of this process, which are put back when this is dropped.
struct OwnHandlers(Vec<(c_int, libc::sigaction)>);

impl OwnHandlers {
    fn keep() -> OwnHandlers {
        let handler = |signal: c_int| {
            // SAFETY: all zero is a value of this type, which the call overwrites.
            let mut now: libc::sigaction = unsafe { core::mem::zeroed() };
            // SAFETY: reads the handler.
            let is_read = unsafe { libc::sigaction(signal, core::ptr::null(), &raw mut now) } == 0;
            is_read.then_some((signal, now))
        };
        OwnHandlers(HANDLED.into_iter().filter_map(handler).collect())
    }
}

impl Drop for OwnHandlers {
    fn drop(&mut self) {
        for (signal, handler) in &self.0 {
            // SAFETY: the handler that was installed before.
            unsafe { libc::sigaction(*signal, handler, core::ptr::null_mut()) };
        }
    }
}

static OFI: OnceLock<Result<Ofi, String>> = OnceLock::new();

/// Opens libfabric; that which `GASNET_OFI_LIB` names, if it is set. An error is a line for the user.
pub(crate) fn open() -> Result<&'static Ofi, String> {
    let opened = OFI.get_or_init(|| {
        let _own = OwnHandlers::keep();
        if let Some(named) = env::str("GASNET_OFI_LIB") {
            let path = CString::new(named.clone()).map_err(|_| format!("GASNET_OFI_LIB={named} is not a path"))?;
            let library = OpenLibrary::open_with_modules(&path)
                .ok_or_else(|| format!("GASNET_OFI_LIB={named} cannot be opened: {}", dl::why()))?;
            library.symbol(c"fi_getinfo").ok_or_else(|| format!("GASNET_OFI_LIB={named} is not libfabric"))?;
        }
        let table = super::open("ofi", "", c"gasneti_ofi_shim", VERSION, size_of::<OfiTable>());
        let table = table.map_err(|why| {
            let missing = why.contains("libfabric.so");
            if missing { format!("{why}: conduit ofi needs libfabric (GASNET_OFI_LIB)") } else { why }
        })?;
        // SAFETY: the table of a shim of this version, which is never closed.
        let table = unsafe { &*table.cast::<OfiTable>() };
        let runs = (table.runs)();
        Ok(Ofi { table, version: format!("{}.{}", runs >> 16, runs & 0xffff) })
    });
    opened.as_ref().map_err(String::clone)
}

impl Ofi {
    /// The text of an error code, of either sign.
    pub(crate) fn error_text(&self, code: c_int) -> String {
        let text = (self.table.error_text)(code);
        // SAFETY: libfabric returns a constant text for any code.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    }

    /// The offers that fit the wish. An error is a line for the user.
    pub(crate) fn offers(&self, wish: &OfiWish) -> Result<Vec<OfiOffer>, String> {
        const MOST: usize = 256;
        let _own = OwnHandlers::keep();
        let mut raw = vec![RawOffer::EMPTY; MOST];
        let count = wish.with_raw(|wish| (self.table.offers)(wish, raw.as_mut_ptr(), MOST as c_int));
        let count = usize::try_from(count).map_err(|_| format!("fi_getinfo: {}", self.error_text(count)))?;
        Ok(raw[..count].iter().map(RawOffer::offer).collect())
    }

    /// Opens an endpoint on the first offer that fits the wish. An error is the call that has failed, and why.
    pub(crate) fn open_port(&'static self, wish: &OfiWish) -> Result<OpenPort, String> {
        let _own = OwnHandlers::keep();
        let mut port = core::ptr::null_mut();
        let mut facts = RawFacts { offer: RawOffer::EMPTY, address: [0; 256], address_bytes: 0, wake: -1 };
        let mut step: *const c_char = c"".as_ptr();
        let open = self.table.open;
        let code = wish.with_raw(|wish| open(wish, &raw mut port, &raw mut facts, &raw mut step));
        if code != 0 {
            // SAFETY: the shim names its calls by constants.
            let step = unsafe { CStr::from_ptr(step) }.to_string_lossy();
            return Err(format!("{step}: {}", self.error_text(code)));
        }
        let address = facts.address[..facts.address_bytes as usize].to_vec();
        Ok(OpenPort { port: OfiPort { ofi: self, port }, offer: facts.offer.offer(), address, wake: facts.wake })
    }
}

/// A port and its properties.
pub(crate) struct OpenPort {
    pub port: OfiPort,
    pub offer: OfiOffer,
    /// The address that peers need.
    pub address: Vec<u8>,
    /// Readable when there may be completions; negative: there is none.
    pub wake: c_int,
}

/// An endpoint with its queues. Results of 0 are successes, [`AGAIN`] and other negative ones are those of libfabric.
pub(crate) struct OfiPort {
    ofi: &'static Ofi,
    port: OfiPortPtr,
}

// SAFETY: one thread at a time uses it.
unsafe impl Send for OfiPort {}

/// The remote side of a transfer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfiThere {
    pub peer: u64,
    pub at: u64,
    pub key: u64,
}

impl OfiPort {
    pub(crate) fn error_text(&self, code: c_int) -> String {
        self.ofi.error_text(code)
    }

    /// Receives for many messages end when fewer than `bytes` bytes are left in them.
    pub(crate) fn least_room(&self, bytes: usize) -> c_int {
        (self.ofi.table.least_room)(self.port, bytes as u64)
    }

    /// The peer at this address.
    pub(crate) fn insert(&self, address: &[u8]) -> Result<u64, c_int> {
        let mut peer = 0;
        let code = (self.ofi.table.insert)(self.port, address.as_ptr().cast(), &raw mut peer);
        if code == 0 { Ok(peer) } else { Err(code) }
    }

    /// # Safety
    /// The buffer stays where it is, and nobody uses it, until the completion that names `context`.
    pub(crate) unsafe fn receive(&self, into: Dst<'_>, descriptor: u64, is_multi: bool, context: *mut c_void) -> c_int {
        let (at, bytes) = (into.as_ptr().cast(), into.len() as u64);
        (self.ofi.table.receive)(self.port, at, bytes, descriptor, is_multi.into(), context)
    }

    /// # Safety
    /// The bytes and the context stay until the completion that names `context`.
    #[inline]
    pub(crate) unsafe fn send(&self, to: u64, bytes: Src<'_>, descriptor: u64, context: *mut c_void) -> c_int {
        let (at, len) = (bytes.as_ptr().cast(), bytes.len() as u64);
        (self.ofi.table.send)(self.port, to, at, len, descriptor, context)
    }

    /// Sends at most as many bytes as the provider injects; they may be reused on return.
    #[inline]
    pub(crate) fn inject(&self, to: u64, bytes: Src<'_>) -> c_int {
        (self.ofi.table.inject)(self.port, to, bytes.as_ptr().cast(), bytes.len() as u64)
    }

    /// The completion says that the bytes are at the target.
    ///
    /// # Safety
    /// The context stays until the completion that names it, and so do the bytes, unless they are `copied`.
    #[inline]
    pub(crate) unsafe fn write(
        &self,
        to: OfiThere,
        src: Src<'_>,
        descriptor: u64,
        copied: bool,
        context: *mut c_void,
    ) -> c_int {
        let (at, len) = (src.as_ptr().cast(), src.len() as u64);
        (self.ofi.table.write)(self.port, to.peer, at, len, descriptor, to.at, to.key, copied.into(), context)
    }

    /// # Safety
    /// The destination and the context stay until the completion that names `context`.
    #[inline]
    pub(crate) unsafe fn read(&self, dst: Dst<'_>, from: OfiThere, descriptor: u64, context: *mut c_void) -> c_int {
        let (at, len) = (dst.as_ptr().cast(), dst.len() as u64);
        (self.ofi.table.read)(self.port, from.peer, at, len, descriptor, from.at, from.key, context)
    }

    /// Whether the provider executes the operation on the type.
    pub(crate) fn executes(&self, dtype: c_int, op: c_int) -> bool {
        (self.ofi.table.executes)(self.port, dtype, op) == 1
    }

    /// `what`: the type, and the operation. `words`: the operand, the number that is compared with, and the place of the previous value.
    ///
    /// # Safety
    /// The words and the context stay until the completion that names `context`.
    pub(crate) unsafe fn atomic(
        &self,
        to: OfiThere,
        what: [c_int; 2],
        words: *mut [u64; 3],
        descriptor: u64,
        context: *mut c_void,
    ) -> c_int {
        let word = |at: usize| words.cast::<u64>().wrapping_add(at).cast::<c_void>();
        let [dtype, op] = what;
        let (operand, compared) = (word(0), word(1));
        let atomic = self.ofi.table.atomic;
        atomic(self.port, to.peer, dtype, op, operand, compared, descriptor, word(2), to.at, to.key, context)
    }

    /// Registers memory. `wanted`: its key, if the provider lets us choose.
    pub(crate) fn add_memory(
        &self,
        start: usize,
        bytes: usize,
        access: c_int,
        wanted: u64,
    ) -> Result<OfiMemory, c_int> {
        let mut raw = RawMemory { object: 0, descriptor: 0, key: [0; MOST_RAW_KEY], key_bytes: 0, base: 0 };
        let at = core::ptr::with_exposed_provenance_mut(start);
        let code = (self.ofi.table.add_memory)(self.port, at, bytes as u64, access, wanted, &raw mut raw);
        if code != 0 {
            return Err(code);
        }
        let key = raw.key[..raw.key_bytes as usize].to_vec();
        Ok(OfiMemory { object: raw.object, descriptor: raw.descriptor, key, base: raw.base })
    }

    pub(crate) fn end_memory(&self, memory: &OfiMemory) -> c_int {
        (self.ofi.table.end_memory)(self.port, memory.object)
    }

    /// The word by which transfers name the key.
    pub(crate) fn import_key(&self, key: &[u8]) -> Result<u64, c_int> {
        let mut word = 0;
        let code = (self.ofi.table.import_key)(self.port, key.as_ptr().cast(), key.len() as u32, &raw mut word);
        if code == 0 { Ok(word) } else { Err(code) }
    }

    /// Completions; advances the operations in flight.
    #[inline]
    pub(crate) fn poll(&self, completions: &mut [OfiCompletion; COMPLETIONS]) -> Result<usize, c_int> {
        let count = (self.ofi.table.poll)(self.port, completions.as_mut_ptr(), COMPLETIONS as c_int);
        usize::try_from(count).map_err(|_| count)
    }

    /// Whether this thread may sleep until the descriptor is readable.
    pub(crate) fn may_sleep(&self) -> bool {
        (self.ofi.table.may_sleep)(self.port) == 1
    }

    /// Called once at most; the port is not used any more.
    pub(crate) fn close(&self) {
        (self.ofi.table.close)(self.port);
    }
}
