//! Job control of GASNet-1: attach, ranks, segments and hosts, waiting, error names.

use core::ffi::{CStr, c_char, c_int, c_void};

use crate::abi::enter;
use crate::abi::init::begin_receive_thread;
use crate::abi::types::{gasnet_node_t, gasnet_nodeinfo_t, gasnet_seginfo_t};
use crate::am::wait::Wait;
use crate::defs::rank::JobRank;
use crate::endpoint::table::Entry;
use crate::fatal::{self, Error, warn};
use crate::hang::waits::Note;
use crate::job::{Job, job, try_job};
use crate::segment::object::SegmentObject;
use crate::sync::backoff::WaitMode;
use crate::trace;

/// A handler table entry. The headers define it themselves: its function pointer has no prototype in C.
#[repr(C)]
pub struct gasnet_handlerentry_t {
    pub index: u8,
    pub fnptr: *mut c_void,
}

/// State of a wait: initialised with zeros, and with the place of the call in the client (a string with static
/// lifetime).
#[repr(C)]
pub struct gasneti_wait_t {
    pub opaque: [u64; 6],
    pub file: *const c_char,
    pub line: c_int,
}

static_assertions::const_assert!(size_of::<Wait>() <= size_of::<[u64; 6]>());

unsafe extern "C" {
    /// Defined in abi/c/data.c; a client may set it.
    static gasnet_client_attach_hook: Option<unsafe extern "C" fn(*mut c_void, usize)>;
}

/// Called after a successful attach: informs the inline functions and calls the client's hook.
pub(super) fn segment_is_there(job: &Job, segment: Option<&SegmentObject>) {
    enter::publish_hot(job, true);
    // SAFETY: a pointer that the client set, if at all, before this call.
    if let Some(hook) = unsafe { gasnet_client_attach_hook } {
        let (start, bytes) = segment.map_or((0, usize::MAX), SegmentObject::extent);
        // SAFETY: the client gave a function of this signature.
        unsafe { hook(core::ptr::with_exposed_provenance_mut(start), bytes) };
    }
}

/// Warns if a segment of `segsize` bytes is too large, with the limit.
pub(super) fn warn_if_too_large(job: &Job, call: &str, segsize: usize) {
    let limit = job.max_segment();
    if segsize > limit {
        let of_network = job.conduit.and_then(|conduit| conduit.segments()).filter(|segments| segments.bytes <= limit);
        let why = match job.nbrhd.xmap.room() {
            _ if of_network.is_some() => {
                "the symmetric heap; GASNET_MAX_SEGSIZE enlarges it, unless SHMEM_SYMMETRIC_SIZE or \
                 SHMEM_SYMMETRIC_HEAP_SIZE says its size"
                    .to_owned()
            }
            Some(room) => format!(
                "{room} bytes of {} memory are there for all ranks; GASNET_SHM_BACKING chooses another kind, \
                 GASNET_MAX_SEGSIZE bounds segments",
                job.nbrhd.xmap.kind().name()
            ),
            None => "GASNET_MAX_SEGSIZE".to_owned(),
        };
        warn!("{call}: a segment of {segsize} bytes is over gasnet_getMaxLocalSegmentSize() = {limit} ({why})");
    }
}

/// Registers `numentries` handlers and attaches a segment of `segsize` bytes. Collective, with the effect of a
/// barrier; called once. `minheapoffset` is a hint without effect.
///
/// Entries with index 0 are assigned an index, which is written back. `segsize` is a multiple of GASNET_PAGESIZE
/// and may differ between ranks; 0 makes a segment of one page. Returns GASNET_OK; GASNET_ERR_NOT_INIT before init
/// or at a second call; GASNET_ERR_BAD_ARG; GASNET_ERR_RESOURCE if there are more handlers than indices.
///
/// Source: GASNet 1.8, "gasnet_attach".
///
/// # Safety
/// `table` has `numentries` entries (or both are zero), whose functions match the messages sent to them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_attach(
    table: *mut gasnet_handlerentry_t,
    numentries: c_int,
    segsize: usize,
    _minheapoffset: usize,
) -> c_int {
    const CALL: &str = "gasnet_attach";
    let _span = trace::span(CALL);
    let Some(job) = try_job() else {
        return fatal::returning(CALL, Error::NotInit);
    };
    if numentries < 0 || (table.is_null() && numentries != 0) {
        return fatal::returning(CALL, Error::BadArg);
    }
    let count = if table.is_null() { 0 } else { numentries as usize };
    let at = if count == 0 { core::ptr::NonNull::dangling().as_ptr() } else { table };
    // SAFETY: `count` entries from `at` by the caller's contract; no other thread accesses the table during the call.
    let table = unsafe { core::slice::from_raw_parts_mut(at, count) };
    let mut entries: Vec<Entry> = table.iter().map(|entry| Entry::plain(entry.index, entry.fnptr as usize)).collect();
    warn_if_too_large(job, CALL, segsize);
    match job.attach(&mut entries, segsize) {
        Err(error) => fatal::returning(CALL, error),
        Ok(segment) => {
            for (entry, chosen) in table.iter_mut().zip(&entries) {
                entry.index = chosen.index;
            }
            segment_is_there(job, segment);
            begin_receive_thread(job);
            0
        }
    }
}

/// Returns this process's rank. Legal after gasnet_init.
///
/// Source: GASNet 1.8, "gasnet_mynode".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_mynode() -> gasnet_node_t {
    enter::job_named("gasnet_mynode").me.0
}

/// Returns the number of ranks in the job. Legal after gasnet_init.
///
/// Source: GASNet 1.8, "gasnet_nodes".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_nodes() -> gasnet_node_t {
    enter::job_named("gasnet_nodes").size
}

/// Returns the size of the largest segment that this rank can attach, in bytes. Legal between init and attach.
///
/// Source: GASNet 1.8, "gasnet_getMaxLocalSegmentSize".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_getMaxLocalSegmentSize() -> usize {
    enter::job_for("gasnet_getMaxLocalSegmentSize", false).max_segment()
}

/// Returns the size of the largest segment that every rank can attach, in bytes. Legal between init and attach.
///
/// Source: GASNet 1.8, "gasnet_getMaxGlobalSegmentSize".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_getMaxGlobalSegmentSize() -> usize {
    enter::job_for("gasnet_getMaxGlobalSegmentSize", false).max_segment_everywhere()
}

/// Fills the first `numentries` entries of `table` with the segments of ranks 0 …; entries beyond the number of
/// ranks are not changed. Before attach, release clients get empty segments, and debug clients GASNET_ERR_NOT_INIT.
/// Returns GASNET_OK, GASNET_ERR_NOT_INIT or GASNET_ERR_BAD_ARG.
///
/// Source: GASNet 1.8, "gasnet_getSegmentInfo".
///
/// # Safety
/// `table` has `numentries` entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_getSegmentInfo(table: *mut gasnet_seginfo_t, numentries: c_int) -> c_int {
    const CALL: &str = "gasnet_getSegmentInfo";
    let Some(job) = try_job() else {
        return fatal::returning(CALL, Error::NotInit);
    };
    if numentries < 0 || (table.is_null() && numentries != 0) {
        return fatal::returning(CALL, Error::BadArg);
    }
    for rank in 0..job.size.min(numentries as u32) {
        let (start, size) = match job.segment(JobRank(rank)) {
            Some(segment) if segment.bytes != 0 => (segment.start as *mut c_void, segment.bytes),
            Some(_) => (core::ptr::null_mut(), 0),
            None if job.settings.debug => return fatal::returning(CALL, Error::NotInit),
            None => (core::ptr::null_mut(), 0),
        };
        // SAFETY: below `numentries` (loop bound); the caller keeps the contract above.
        unsafe { table.add(rank as usize).write(gasnet_seginfo_t { addr: start, size }) };
    }
    0
}

/// Fills the first `numentries` entries of `table` with host, supernode and, after attach, the offset that turns an
/// address in the segment of a rank of this supernode into a local one. With GASNET_SEGMENT_EVERYTHING each rank is
/// a supernode of its own, because its memory is not mapped by other ranks. Legal after init. Returns GASNET_OK,
/// GASNET_ERR_NOT_INIT or GASNET_ERR_BAD_ARG.
///
/// # Safety
/// `table` has `numentries` entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_getNodeInfo(table: *mut gasnet_nodeinfo_t, numentries: c_int) -> c_int {
    const CALL: &str = "gasnet_getNodeInfo";
    let Some(job) = try_job() else {
        return fatal::returning(CALL, Error::NotInit);
    };
    if numentries < 0 || (table.is_null() && numentries != 0) {
        return fatal::returning(CALL, Error::BadArg);
    }
    for rank in 0..job.size.min(numentries as u32) {
        let rank_there = JobRank(rank);
        let supernode = job.sharing.supernode(rank_there);
        let near = job.nbrhd.node_rank(rank_there).filter(|_| supernode == job.sharing.supernode(job.me));
        let offset = near.map_or(0, |near| job.nbrhd.bias_to(near)) as usize;
        let host = job.places.host(rank_there);
        // SAFETY: below `numentries` (loop bound); the caller keeps the contract above.
        unsafe { table.add(rank as usize).write(gasnet_nodeinfo_t { host, supernode, offset, auxoffset: 0 }) };
    }
    0
}

/// The name of a returned code.
///
/// Source: GASNet 1.8, "gasnet_ErrorName, gasnet_ErrorDesc".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_ErrorName(errval: c_int) -> *const c_char {
    fatal::name_of(errval).as_ptr()
}

/// The description of a returned code.
///
/// Source: GASNet 1.8, "gasnet_ErrorName, gasnet_ErrorDesc".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_ErrorDesc(errval: c_int) -> *const c_char {
    fatal::text_of(errval).as_ptr()
}

/// Sets a hint on how this rank's threads wait: GASNET_WAIT_SPIN (0), GASNET_WAIT_BLOCK (1), GASNET_WAIT_SPINBLOCK
/// (2). Returns GASNET_OK or GASNET_ERR_BAD_ARG.
///
/// Source: GASNet 1.8, "gasnet_set_waitmode".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_set_waitmode(wait_mode: c_int) -> c_int {
    let mode = match wait_mode {
        0 => WaitMode::Spin,
        1 => WaitMode::Block,
        2 => WaitMode::SpinBlock,
        _ => return fatal::returning("gasnet_set_waitmode", Error::BadArg),
    };
    enter::job_for("gasnet_set_waitmode", false).waiting.set_mode(mode);
    0
}

/// One step of GASNET_BLOCKUNTIL, called when its condition is false.
///
/// # Safety
/// `wait` was initialised as gasneti_wait_t says before its first use and belongs to this thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_wait_step(wait: *mut gasneti_wait_t) {
    let job = job();
    enter::check_may_communicate(job, "GASNET_BLOCKUNTIL");
    // SAFETY: the caller keeps the contract above.
    let (file, line) = unsafe { ((*wait).file, (*wait).line as u32) };
    let note = || {
        // SAFETY: null, or a string that stays (gasneti_wait_t).
        let file = if file.is_null() { &[] } else { unsafe { CStr::from_ptr(file) }.to_bytes() };
        Note::Until { file, line }
    };
    // SAFETY: the caller keeps the contract above; `Wait` fits (asserted) and zero is a valid `Wait`.
    job.wait_step(unsafe { &mut *(&raw mut (*wait).opaque).cast::<Wait>() }, note);
}

/// Ends a wait that took at least one step.
///
/// # Safety
/// As gasneti_wait_step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_wait_end(wait: *mut gasneti_wait_t) {
    // SAFETY: as in gasneti_wait_step.
    job().wait_end(unsafe { &mut *(&raw mut (*wait).opaque).cast::<Wait>() });
}

/// Returns this thread's thread-info pointer: constant in a thread, distinct between threads.
///
/// Source: GASNet 1.8, "Thread-identification optimization".
#[unsafe(no_mangle)]
pub extern "C" fn gasneti_threadinfo() -> *mut c_void {
    (crate::thread::index() as usize + 1) as *mut c_void
}
