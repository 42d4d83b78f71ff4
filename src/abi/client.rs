//! Job control: init, attach, who and where we are, waiting, exit, error names.

use core::ffi::{CStr, c_char, c_int, c_void};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use crate::abi::enter;
use crate::abi::types::{gasnet_node_t, gasnet_nodeinfo_t, gasnet_seginfo_t};
use crate::am::table::Entry;
use crate::fatal::{self, Error, warn};
use crate::job::{JobRank, Wait, job, try_job};
use crate::settings::{ClientRecord, SegmentMode, Settings, Threads};
use crate::start;
use crate::sync::backoff::WaitMode;

/// One record of the client's `gasneti_client` section.
#[repr(C)]
pub struct gasneti_client_record_t {
    /// ABI number of the headers.
    pub abi: u32,
    /// 1 SEQ, 2 PARSYNC, 3 PAR.
    pub threads: u8,
    /// 1 if compiled with -DGASNET_DEBUG.
    pub debug: u8,
    /// 1 FAST, 2 LARGE, 3 EVERYTHING.
    pub segment: u8,
    /// Zero.
    pub reserved: u8,
    /// Conduit asked for, lower case.
    pub conduit: *const c_char,
    /// The source file.
    pub file: *const c_char,
}

/// A handler table entry. The headers define it themselves: its function pointer has no prototype in C.
#[repr(C)]
pub struct gasnet_handlerentry_t {
    pub index: u8,
    pub fnptr: *mut c_void,
}

/// What a wait in progress needs; zero-initialised by the caller.
#[repr(C)]
pub struct gasneti_wait_t {
    pub opaque: [u64; 6],
}

static_assertions::const_assert!(size_of::<Wait>() <= size_of::<gasneti_wait_t>());

unsafe extern "C" {
    /// Defined in abi/c/data.c; a client may define its own.
    static gasnet_max_segsize: u64;
    /// Defined in abi/c/data.c; a client may set it.
    static gasnet_client_attach_hook: Option<unsafe extern "C" fn(*mut c_void, usize)>;
}

/// # Safety
/// `text` is null or a C string.
unsafe fn text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: not null; the caller's contract.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// # Safety
/// The record lies in the client's section, whose strings are constants.
unsafe fn record(from: &gasneti_client_record_t) -> ClientRecord {
    ClientRecord {
        abi: from.abi,
        threads: match from.threads {
            1 => Threads::Seq,
            2 => Threads::ParSync,
            _ => Threads::Par,
        },
        segment: match from.segment {
            2 => SegmentMode::Large,
            3 => SegmentMode::Everything,
            _ => SegmentMode::Fast,
        },
        debug: from.debug != 0,
        // SAFETY: the caller's contract.
        conduit: unsafe { text(from.conduit) },
        // SAFETY: the caller's contract.
        file: unsafe { text(from.file) },
    }
}

/// What main got, if it is there.
///
/// # Safety
/// `argc` and `argv` are main's or null.
unsafe fn arguments(argc: *mut c_int, argv: *mut *mut *mut c_char) -> Option<Vec<OsString>> {
    if argc.is_null() || argv.is_null() {
        return None;
    }
    let mut words = Vec::new();
    // SAFETY: the caller's contract: `argc` strings, or fewer and a null.
    unsafe {
        for at in 0..usize::try_from(*argc).ok()? {
            let word = *(*argv).add(at);
            if word.is_null() {
                break;
            }
            words.push(OsString::from_vec(CStr::from_ptr(word).to_bytes().to_vec()));
        }
    }
    Some(words)
}

fn init(settings: impl FnOnce() -> Settings, argv: Option<Vec<OsString>>) -> c_int {
    if try_job().is_some() {
        return fatal::returning("gasnet_init", Error::NotInit);
    }
    // SAFETY: a plain integer that the client set, if at all, before this call.
    let segment_default = unsafe { gasnet_max_segsize };
    let job = start::start(settings(), segment_default, argv);
    enter::publish_hot(job, None);
    0
}

/// Starts the job of a client whose translation units left records from `first` to `last`: what the macro
/// gasnet_init calls. Returns GASNET_OK, or GASNET_ERR_NOT_INIT at a second call.
///
/// # Safety
/// `first..last` is the client's `gasneti_client` section (both may be null). `argc` and `argv` are main's or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_init(
    argc: *mut c_int,
    argv: *mut *mut *mut c_char,
    first: *const gasneti_client_record_t,
    last: *const gasneti_client_record_t,
) -> c_int {
    // SAFETY: the caller's contract.
    let arguments = unsafe { arguments(argc, argv) };
    let settings = || {
        let mut records = Vec::new();
        let mut at = first;
        while !at.is_null() && at < last {
            // SAFETY: within the section (loop condition), whose records the headers made.
            records.push(unsafe { record(&*at) });
            at = at.wrapping_add(1);
        }
        Settings::from_records(&records)
    };
    init(settings, arguments)
}

/// Starts the job of a client that was not compiled against the headers: PAR, release.
///
/// First call of the program; may run in a different number of processes before and after. Returns GASNET_OK, or
/// GASNET_ERR_NOT_INIT at a second call.
///
/// Source: GASNet 1.8, "gasnet_init".
///
/// # Safety
/// `argc` and `argv` are main's or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_init(argc: *mut c_int, argv: *mut *mut *mut c_char) -> c_int {
    // SAFETY: the caller's contract.
    let arguments = unsafe { arguments(argc, argv) };
    init(|| Settings::from_records(&[]), arguments)
}

/// Registers `numentries` handlers and attaches a segment of `segsize` bytes. Collective, with the effect of a
/// barrier; once. `minheapoffset` is only a hint and has no effect.
///
/// Entries with index 0 get one, written back. `segsize` is a multiple of GASNET_PAGESIZE, may be 0, and may differ
/// between ranks. Returns GASNET_OK; GASNET_ERR_NOT_INIT before init or at a second call; GASNET_ERR_BAD_ARG;
/// GASNET_ERR_RESOURCE if there are more handlers than indices.
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
    let Some(job) = try_job() else {
        return fatal::returning(CALL, Error::NotInit);
    };
    if numentries < 0 || (table.is_null() && numentries != 0) {
        return fatal::returning(CALL, Error::BadArg);
    }
    let count = if table.is_null() { 0 } else { numentries as usize };
    let at = if count == 0 { core::ptr::NonNull::dangling().as_ptr() } else { table };
    // SAFETY: `count` entries from `at` by the caller's contract; nobody else touches the table during the call.
    let table = unsafe { core::slice::from_raw_parts_mut(at, count) };
    let mut entries: Vec<Entry> =
        table.iter().map(|entry| Entry { index: entry.index, handler: entry.fnptr as usize }).collect();
    let limit = job.max_segment();
    if segsize > limit {
        let why = match job.nbrhd.xmap.room() {
            Some(room) => format!(
                "{room} bytes of {} memory are there for all ranks; GASNET_SHM_BACKING chooses another kind, \
                 GASNET_MAX_SEGSIZE bounds segments",
                job.nbrhd.xmap.kind().name()
            ),
            None => "GASNET_MAX_SEGSIZE".to_owned(),
        };
        warn!("gasnet_attach: a segment of {segsize} bytes is over gasnet_getMaxLocalSegmentSize() = {limit} ({why})");
    }
    match job.attach(&mut entries, segsize) {
        Err(error) => fatal::returning(CALL, error),
        Ok(biases) => {
            for (entry, chosen) in table.iter_mut().zip(&entries) {
                entry.index = chosen.index;
            }
            enter::publish_hot(job, Some(biases));
            // SAFETY: a pointer that the client set, if at all, before this call.
            if let (Some(hook), Some(segment)) = (unsafe { gasnet_client_attach_hook }, job.segment(job.me)) {
                // SAFETY: the client gave a function of this signature.
                unsafe { hook(segment.start as *mut c_void, segment.bytes) };
            }
            0
        }
    }
}

/// This process's rank. After gasnet_init.
///
/// Source: GASNet 1.8, "gasnet_mynode".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_mynode() -> gasnet_node_t {
    enter::job_named("gasnet_mynode").me.0
}

/// Ranks in the job. After gasnet_init.
///
/// Source: GASNet 1.8, "gasnet_nodes".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_nodes() -> gasnet_node_t {
    enter::job_named("gasnet_nodes").size
}

/// The largest segment this rank can attach, in bytes. Between init and attach.
///
/// Source: GASNet 1.8, "gasnet_getMaxLocalSegmentSize".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_getMaxLocalSegmentSize() -> usize {
    enter::job_for("gasnet_getMaxLocalSegmentSize", false).max_segment()
}

/// The largest segment that every rank can attach, in bytes. Between init and attach.
///
/// Source: GASNet 1.8, "gasnet_getMaxGlobalSegmentSize".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_getMaxGlobalSegmentSize() -> usize {
    enter::job_for("gasnet_getMaxGlobalSegmentSize", false).max_segment_everywhere()
}

/// Fills the first `numentries` entries of `table` with the segments of ranks 0 …; entries beyond the job stay
/// untouched. Returns GASNET_OK, GASNET_ERR_NOT_INIT before attach, or GASNET_ERR_BAD_ARG.
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
        let Some(segment) = job.segment(JobRank(rank)) else {
            return fatal::returning(CALL, Error::NotInit);
        };
        let addr = if segment.bytes == 0 { core::ptr::null_mut() } else { segment.start as *mut c_void };
        // SAFETY: below `numentries` (loop bound); the caller keeps the contract above.
        unsafe { table.add(rank as usize).write(gasnet_seginfo_t { addr, size: segment.bytes }) };
    }
    0
}

/// Fills the first `numentries` entries of `table` with host, supernode and, after attach, the offset that turns an
/// address in the rank's segment into a local one. Legal after init. Returns GASNET_OK, GASNET_ERR_NOT_INIT or
/// GASNET_ERR_BAD_ARG.
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
        let offset = job.nbrhd.node_rank(rank_there).map_or(0, |near| job.nbrhd.bias_to(near)) as usize;
        let (host, supernode) = (job.places.host(rank_there), job.places.supernode(rank_there));
        // SAFETY: below `numentries` (loop bound); the caller keeps the contract above.
        unsafe { table.add(rank as usize).write(gasnet_nodeinfo_t { host, supernode, offset }) };
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

/// A hint on how this rank's threads wait: GASNET_WAIT_SPIN (0), GASNET_WAIT_BLOCK (1), GASNET_WAIT_SPINBLOCK (2).
/// Returns GASNET_OK or GASNET_ERR_BAD_ARG.
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

/// One step of GASNET_BLOCKUNTIL, whose condition was just found false.
///
/// # Safety
/// `wait` was zero-initialised before its first use and belongs to this thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_wait_step(wait: *mut gasneti_wait_t) {
    let job = job();
    enter::check_may_communicate(job, "GASNET_BLOCKUNTIL");
    // SAFETY: the caller keeps the contract above; `Wait` fits (asserted) and zero is a valid `Wait`.
    job.wait_step(unsafe { &mut *wait.cast::<Wait>() });
}

/// Ends a wait that took at least one step.
///
/// # Safety
/// As gasneti_wait_step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_wait_end(wait: *mut gasneti_wait_t) {
    // SAFETY: as in gasneti_wait_step.
    job().wait_end(unsafe { &mut *wait.cast::<Wait>() });
}

/// This thread's thread-info pointer: stable in a thread, distinct between threads.
///
/// Source: GASNet 1.8, "Thread-identification optimization".
#[unsafe(no_mangle)]
pub extern "C" fn gasneti_threadinfo() -> *mut c_void {
    (crate::thread::index() as usize + 1) as *mut c_void
}
