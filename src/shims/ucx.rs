//! UCX, as its shim offers it (`shims/ucx_shim.h`): the same table, with types.
//!
//! # Safety
//! The table is that of a shim of this version. One thread at a time uses a port, as callers promise. Buffers of operations stay
//! where they are until the operation has ended, as the callers of unsafe functions promise.
#![allow(unsafe_code)]

use core::ffi::{CStr, c_char, c_int, c_void};
use core::ptr;
use core::slice;
use std::alloc::{Layout, alloc, dealloc};
use std::sync::OnceLock;

use super::ucx_library;
use crate::mem::{Dst, Src};

const VERSION: u32 = 3;

type UcxPortPtr = *mut c_void;
type PeerPtr = *mut c_void;
type KeyPtr = *mut c_void;
type MemoryPtr = *mut c_void;

/// `struct gasneti_ucx_event`.
#[repr(C)]
struct RawEvent {
    tag: u64,
    data: *mut c_void,
    bytes: usize,
    header: *const c_void,
    header_bytes: u32,
    what: u16,
    owner: u16,
    status: i32,
}

/// `struct gasneti_ucx_options`.
#[repr(C)]
struct RawOptions {
    peers: u32,
    peers_here: u32,
    wakes: i32,
    memory: extern "C" fn(usize) -> *mut c_void,
    give_back: unsafe extern "C" fn(*mut c_void, usize),
}

fn layout(bytes: usize) -> Layout {
    Layout::from_size_align(bytes, 16).expect("as long as a message, or an array of the shim")
}

extern "C" fn memory(bytes: usize) -> *mut c_void {
    // SAFETY: the shim asks for more than 0 bytes.
    unsafe { alloc(layout(bytes)) }.cast()
}

/// # Safety
/// `at` is from `memory`, for the same number of bytes.
unsafe extern "C" fn give_back(at: *mut c_void, bytes: usize) {
    // SAFETY: of this function.
    unsafe { dealloc(at.cast(), layout(bytes)) }
}

/// `gasneti_ucx_take`.
type RawTake = extern "C" fn(*mut c_void, *const c_void, usize) -> c_int;

/// `struct gasneti_ucx_shim`.
#[repr(C)]
struct UcxTable {
    version: u32,
    bytes: u32,
    headers_major: u32,
    headers_minor: u32,
    library_version: extern "C" fn() -> *const c_char,
    error_text: extern "C" fn(c_int) -> *const c_char,
    open: extern "C" fn(*const RawOptions, *mut UcxPortPtr, *mut *const c_char) -> c_int,
    address: extern "C" fn(UcxPortPtr, *mut *const c_void, *mut usize) -> c_int,
    longest_header: extern "C" fn(UcxPortPtr) -> usize,
    descriptor: extern "C" fn(UcxPortPtr) -> c_int,
    arm: extern "C" fn(UcxPortPtr) -> c_int,
    connect: extern "C" fn(UcxPortPtr, *const c_void, u64, c_int, *mut PeerPtr) -> c_int,
    drop: extern "C" fn(PeerPtr),
    describe: extern "C" fn(UcxPortPtr, PeerPtr) -> *mut c_char,
    free_text: extern "C" fn(*mut c_char),
    progress: extern "C" fn(UcxPortPtr, Option<RawTake>, *mut c_void, *mut *const RawEvent) -> usize,
    release: extern "C" fn(UcxPortPtr, *mut c_void, c_int),
    send: extern "C" fn(PeerPtr, *const c_void, usize, *const c_void, usize, u64) -> c_int,
    receive: extern "C" fn(UcxPortPtr, *mut c_void, *mut c_void, usize, u64) -> c_int,
    map: extern "C" fn(UcxPortPtr, *mut c_void, usize, *mut MemoryPtr) -> c_int,
    unmap: extern "C" fn(UcxPortPtr, MemoryPtr),
    pack: extern "C" fn(UcxPortPtr, MemoryPtr, *mut c_void, usize) -> c_int,
    unpack: extern "C" fn(PeerPtr, *const c_void, *mut KeyPtr) -> c_int,
    forget: extern "C" fn(KeyPtr),
    put: extern "C" fn(PeerPtr, *const c_void, usize, u64, KeyPtr, c_int, u64) -> c_int,
    get: extern "C" fn(PeerPtr, *mut c_void, usize, u64, KeyPtr, u64) -> c_int,
    atomic: extern "C" fn(PeerPtr, c_int, c_int, u64, KeyPtr, *mut u64, u64) -> c_int,
    flush: extern "C" fn(PeerPtr, u64) -> c_int,
}

/// The UCX of this process.
pub(crate) struct Ucx {
    table: &'static UcxTable,
    /// The file of libucp.
    pub file: String,
}

static UCX: OnceLock<Result<Ucx, String>> = OnceLock::new();

/// The UCX that this process uses, opened. An error is a line for the user.
pub(crate) fn open() -> Result<&'static Ucx, String> {
    let opened = UCX.get_or_init(|| {
        let file = ucx_library::open()?;
        let table = super::open("ucx", "", c"gasneti_ucx_shim", VERSION, size_of::<UcxTable>());
        let table = table.map_err(|why| format!("{why} ({file} is the UCX: GASNET_UCX_LIB)"))?;
        // SAFETY: the table of a shim of this version, which is never closed.
        let table = unsafe { &*table.cast::<UcxTable>() };
        Ok(Ucx { table, file })
    });
    opened.as_ref().map_err(String::clone)
}

/// An operation with these errors has met a peer that ended, or lost its connection.
const CONNECTION_ERRORS: [i32; 8] = [-3, -6, -16, -20, -23, -24, -25, -80];

/// An error of UCX: its `ucs_status_t`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct UcxError(pub i32);

impl UcxError {
    /// UCS_ERR_NO_RESOURCE.
    pub(crate) const NO_RESOURCE: UcxError = UcxError(-2);

    /// Whether it is one of a connection: input or output, unreachable, canceled, timed out, rejected, not connected, reset, or a timeout
    /// of the endpoint.
    pub(crate) fn is_of_connection(self) -> bool {
        CONNECTION_ERRORS.contains(&self.0)
    }

    pub(crate) fn text(self) -> String {
        match UCX.get() {
            // SAFETY: a constant text of UCX.
            Some(Ok(ucx)) => unsafe { CStr::from_ptr((ucx.table.error_text)(self.0)) }.to_string_lossy().into_owned(),
            _ => format!("error {}", self.0),
        }
    }
}

/// How far an operation has come when the call that starts it returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Begun {
    Done,
    /// [`UcxEvent::Ended`] will report it.
    Started,
    Failed(UcxError),
}

impl Begun {
    #[inline]
    fn of(result: c_int) -> Begun {
        match result {
            0 => Begun::Started,
            error if error < 0 => Begun::Failed(UcxError(error)),
            _ => Begun::Done,
        }
    }
}

fn checked(result: c_int) -> Result<c_int, UcxError> {
    if result < 0 { Err(UcxError(result)) } else { Ok(result) }
}

/// The operations of [`UcxPeer::atomic`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i32)]
pub(crate) enum UcxOp {
    Add,
    Swap,
    CompareSwap,
    And,
    Or,
    Xor,
}

/// Received bytes that stay until [`UcxPort::release`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct UcxLoan {
    pub data: *mut c_void,
    owner: u16,
}

// SAFETY: any thread that uses the port may give the bytes back.
unsafe impl Send for UcxLoan {}

/// Something that has happened.
pub(crate) enum UcxEvent<'a> {
    /// The operation with this tag has ended.
    Ended { tag: u64, error: Option<UcxError> },
    /// A message; the bytes stay if they are a loan.
    Message { header: &'a [u8], bytes: Dst<'a>, loan: Option<UcxLoan> },
    /// A message whose bytes are received by [`UcxPort::receive`], or declined by [`UcxPort::release`].
    Bulk { header: &'a [u8], len: usize, loan: UcxLoan },
    /// The connection to a peer has failed.
    Failed { peer: u64, error: UcxError },
}

impl RawEvent {
    /// # Safety
    /// It is one of the present progress, whose memory stays for `'a`.
    #[inline]
    unsafe fn read<'a>(&self) -> UcxEvent<'a> {
        let error = (self.status != 0).then_some(UcxError(self.status));
        let header = match self.header_bytes {
            0 => &[],
            // SAFETY: the shim's copy, until the next progress.
            len => unsafe { slice::from_raw_parts(self.header.cast::<u8>(), len as usize) },
        };
        let loan = UcxLoan { data: self.data, owner: self.owner };
        match self.what {
            0 => UcxEvent::Ended { tag: self.tag, error },
            3 => UcxEvent::Bulk { header, len: self.bytes, loan },
            4 => UcxEvent::Failed { peer: self.tag, error: error.unwrap_or(UcxError(0)) },
            what => {
                // SAFETY: bytes of UCX or of the shim, until the next progress, or until they are released.
                let bytes = unsafe { Dst::new(self.data, self.bytes) };
                UcxEvent::Message { header, bytes, loan: (what == 2).then_some(loan) }
            }
        }
    }
}

/// How a port is opened.
pub(crate) struct PortOptions {
    pub peers: u32,
    pub peers_here: u32,
    /// A descriptor announces arrivals.
    pub wakes: bool,
}

impl Ucx {
    /// Of the library: "1.13.1".
    pub(crate) fn version(&self) -> String {
        // SAFETY: a constant text of UCX.
        unsafe { CStr::from_ptr((self.table.library_version)()) }.to_string_lossy().into_owned()
    }

    /// A worker of UCX. An error is the call that failed, and why.
    pub(crate) fn open_port(&'static self, options: &PortOptions) -> Result<UcxPort, (String, UcxError)> {
        let PortOptions { peers, peers_here, wakes } = *options;
        let raw = RawOptions { peers, peers_here, wakes: wakes.into(), memory, give_back };
        let (mut port, mut stage) = (ptr::null_mut(), ptr::null());
        let result = (self.table.open)(&raw const raw, &raw mut port, &raw mut stage);
        match checked(result) {
            Ok(_) => Ok(UcxPort { table: self.table, port }),
            // SAFETY: the shim has named the call.
            Err(error) => Err((unsafe { CStr::from_ptr(stage) }.to_string_lossy().into_owned(), error)),
        }
    }
}

/// The user of a port, to whom short messages go at once.
pub(crate) trait UcxTaker {
    /// Takes a message without header; it calls no function of the port. False: it becomes an event.
    fn take(&mut self, message: &[u8]) -> bool;
}

/// A worker of UCX, and its context.
#[derive(Clone, Copy)]
pub(crate) struct UcxPort {
    table: &'static UcxTable,
    port: UcxPortPtr,
}

// SAFETY: one thread at a time uses it.
unsafe impl Send for UcxPort {}

/// Memory of this rank that UCX knows.
pub(crate) struct UcxMemory(MemoryPtr);

// SAFETY: one thread at a time uses it, with the port.
unsafe impl Send for UcxMemory {}

/// A key with which the memory of a peer is accessed.
#[derive(Clone, Copy)]
pub(crate) struct UcxKey(KeyPtr);

// SAFETY: one thread at a time uses it, with the port.
unsafe impl Send for UcxKey {}

impl UcxPort {
    /// The bytes with which peers connect.
    pub(crate) fn address(&self) -> Vec<u8> {
        let (mut at, mut bytes) = (ptr::null(), 0);
        (self.table.address)(self.port, &raw mut at, &raw mut bytes);
        // SAFETY: the shim's, of this length.
        unsafe { slice::from_raw_parts(at.cast::<u8>(), bytes) }.to_vec()
    }

    pub(crate) fn longest_header(&self) -> usize {
        (self.table.longest_header)(self.port)
    }

    pub(crate) fn descriptor(&self) -> c_int {
        (self.table.descriptor)(self.port)
    }

    /// Whether the descriptor announces what arrives from now on; false: something has arrived.
    pub(crate) fn arm(&self) -> bool {
        (self.table.arm)(self.port) == 1
    }

    /// Connects to the peer with this address. `detects`: UCX is to detect its failure.
    pub(crate) fn connect(&self, address: &[u8], tag: u64, detects: bool) -> Result<UcxPeer, UcxError> {
        let mut peer = ptr::null_mut();
        let result = (self.table.connect)(self.port, address.as_ptr().cast(), tag, detects.into(), &raw mut peer);
        checked(result).map(|_| UcxPeer { table: self.table, peer, detects })
    }

    /// UCX's own description of the connection to `peer`, or of the context.
    pub(crate) fn describe(&self, peer: Option<&UcxPeer>) -> String {
        let text = (self.table.describe)(self.port, peer.map_or(ptr::null_mut(), |peer| peer.peer));
        if text.is_null() {
            return String::new();
        }
        // SAFETY: the shim's text, freed below.
        let copy = unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
        (self.table.free_text)(text);
        copy
    }

    /// Lets UCX work; returns the number of events, which [`UcxPort::event`] reads until the next progress.
    #[inline]
    pub(crate) fn progress(&self) -> UcxEvents {
        let mut first = ptr::null();
        let count = (self.table.progress)(self.port, None, ptr::null_mut(), &raw mut first);
        UcxEvents { first, count }
    }

    /// As `progress`; `taker` takes short messages.
    #[inline]
    pub(crate) fn progress_for<T: UcxTaker>(&self, taker: &mut T) -> UcxEvents {
        extern "C" fn take<T: UcxTaker>(taker: *mut c_void, data: *const c_void, bytes: usize) -> c_int {
            // SAFETY: the shim passes the `taker` of `progress_for`, which is borrowed for that call, and bytes of UCX, at least one, which
            // stay until this function returns.
            let (taker, message) =
                unsafe { (&mut *taker.cast::<T>(), slice::from_raw_parts(data.cast::<u8>(), bytes)) };
            taker.take(message).into()
        }
        let mut first = ptr::null();
        let taker = ptr::from_mut(taker).cast();
        let count = (self.table.progress)(self.port, Some(take::<T>), taker, &raw mut first);
        UcxEvents { first, count }
    }

    /// Event `nth` of the last progress.
    #[inline]
    pub(crate) fn event<'a>(&self, of: &UcxEvents, nth: usize) -> UcxEvent<'a> {
        debug_assert!(nth < of.count);
        // SAFETY: the shim's array of that many events, until the next progress.
        unsafe { (*of.first.add(nth)).read() }
    }

    pub(crate) fn release(&self, loan: UcxLoan) {
        (self.table.release)(self.port, loan.data, loan.owner.into());
    }

    /// Receives the bytes of a Bulk message.
    ///
    /// # Safety
    /// `buffer` stays until the operation has ended.
    pub(crate) unsafe fn receive(&self, bulk: UcxLoan, buffer: Dst<'_>, tag: u64) -> Begun {
        Begun::of((self.table.receive)(self.port, bulk.data, buffer.as_ptr().cast(), buffer.len(), tag))
    }

    pub(crate) fn map(&self, start: usize, bytes: usize) -> Result<UcxMemory, UcxError> {
        let mut memory = ptr::null_mut();
        let start = ptr::with_exposed_provenance_mut(start);
        checked((self.table.map)(self.port, start, bytes, &raw mut memory)).map(|_| UcxMemory(memory))
    }

    pub(crate) fn unmap(&self, memory: UcxMemory) {
        (self.table.unmap)(self.port, memory.0);
    }

    /// The key of the memory, as peers get it.
    pub(crate) fn pack(&self, memory: &UcxMemory) -> Result<Vec<u8>, UcxError> {
        let mut key = vec![0; 256];
        let mut len = checked((self.table.pack)(self.port, memory.0, key.as_mut_ptr().cast(), key.len()))?;
        if len as usize > key.len() {
            key.resize(len as usize, 0);
            len = checked((self.table.pack)(self.port, memory.0, key.as_mut_ptr().cast(), key.len()))?;
        }
        key.truncate(len as usize);
        Ok(key)
    }

    pub(crate) fn forget(&self, key: UcxKey) {
        (self.table.forget)(key.0);
    }
}

/// The events of a progress.
pub(crate) struct UcxEvents {
    first: *const RawEvent,
    pub count: usize,
}

/// A connection to a peer.
pub(crate) struct UcxPeer {
    table: &'static UcxTable,
    peer: PeerPtr,
    /// UCX detects its failure.
    pub detects: bool,
}

// SAFETY: one thread at a time uses it, with the port.
unsafe impl Send for UcxPeer {}

impl UcxPeer {
    /// Cancels all operations; no further one is started.
    pub(crate) fn drop_it(&self) {
        (self.table.drop)(self.peer);
    }

    /// # Safety
    /// Both parts stay until the operation has ended.
    #[inline]
    pub(crate) unsafe fn send(&self, header: &[u8], data: Src<'_>, tag: u64) -> Begun {
        let (at, len) = (data.as_ptr().cast(), data.len());
        Begun::of((self.table.send)(self.peer, header.as_ptr().cast(), header.len(), at, len, tag))
    }

    pub(crate) fn unpack(&self, packed: &[u8]) -> Result<UcxKey, UcxError> {
        let mut key = ptr::null_mut();
        checked((self.table.unpack)(self.peer, packed.as_ptr().cast(), &raw mut key)).map(|_| UcxKey(key))
    }

    /// `only_now`: fails with `NO_RESOURCE` instead of being started.
    ///
    /// # Safety
    /// The source stays until the operation has ended; the destination is memory of the peer that `key` is valid for.
    #[inline]
    pub(crate) unsafe fn put(&self, src: Src<'_>, dst: usize, key: UcxKey, only_now: bool, tag: u64) -> Begun {
        let (at, len) = (src.as_ptr().cast(), src.len());
        Begun::of((self.table.put)(self.peer, at, len, dst as u64, key.0, only_now.into(), tag))
    }

    /// # Safety
    /// The destination stays until the operation has ended; the source is memory of the peer that `key` is valid for.
    #[inline]
    pub(crate) unsafe fn get(&self, dst: Dst<'_>, src: usize, key: UcxKey, tag: u64) -> Begun {
        Begun::of((self.table.get)(self.peer, dst.as_ptr().cast(), dst.len(), src as u64, key.0, tag))
    }

    /// # Safety
    /// The words stay until the operation has ended; `at` is an aligned number of `bytes` bytes that `key` is valid for.
    #[inline]
    pub(crate) unsafe fn atomic(
        &self,
        op: UcxOp,
        bytes: usize,
        at: usize,
        key: UcxKey,
        words: &mut [u64; 2],
        tag: u64,
    ) -> Begun {
        let bytes = bytes as c_int;
        Begun::of((self.table.atomic)(self.peer, op as c_int, bytes, at as u64, key.0, words.as_mut_ptr(), tag))
    }

    #[inline]
    pub(crate) fn flush(&self, tag: u64) -> Begun {
        Begun::of((self.table.flush)(self.peer, tag))
    }
}
