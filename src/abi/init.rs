//! Initialisation for both interfaces: the records of the client's translation units, and the client's first
//! objects.

use core::ffi::{CStr, c_char, c_int};
use std::ffi::OsString;

use crate::abi::arguments::{arguments, undo_escapes};
use crate::abi::enter;
use crate::abi::types::{gex_Client_t, gex_EP_t, gex_Flags_t, gex_Segment_t, gex_TM_t};
use crate::am::receive_thread;
use crate::client::{self, Client};
use crate::conduit::shared::background;
use crate::endpoint;
use crate::env::{self, Amount, Per, SegLimit};
use crate::fatal::{self, Error, fatal, usage, warn};
use crate::job::{Job, try_job};
use crate::settings::{ClientRecord, SegmentMode, Settings, Threads};
use crate::start;
use crate::team::{self, Team};

unsafe extern "C" {
    /// Defined in abi/c/data.c; a client may define its own.
    static gasnet_max_segsize: u64;
    /// As above; null if the client did not.
    static gasnet_max_segsize_str: *const c_char;
}

/// The name of the client of gasnet_init.
const LEGACY: &CStr = c"LEGACY";

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
    /// 1 if compiled with -DGASNET_DEBUGMALLOC.
    pub heap: u8,
    /// Conduit asked for, lower case.
    pub conduit: *const c_char,
    /// The source file.
    pub file: *const c_char,
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
        heap: from.heap != 0,
        // SAFETY: the caller's contract.
        conduit: unsafe { text(from.conduit) },
        // SAFETY: the caller's contract.
        file: unsafe { text(from.file) },
    }
}

/// The records of the client's translation units.
///
/// # Safety
/// `first..last` is the client's `gasneti_client` section, or both are null.
unsafe fn settings(first: *const gasneti_client_record_t, last: *const gasneti_client_record_t) -> Settings {
    let mut records = Vec::new();
    let mut at = first;
    while !at.is_null() && at < last {
        // SAFETY: within the section (loop condition), whose records the headers made.
        records.push(unsafe { record(&*at) });
        at = at.wrapping_add(1);
    }
    Settings::from_records(&records)
}

/// Starts the job for the client `name`.
fn init(
    call: &str,
    name: &CStr,
    flags: gex_Flags_t,
    settings: impl FnOnce() -> Settings,
    argv: Option<Vec<OsString>>,
) -> Result<(&'static Client, &'static Team), c_int> {
    if try_job().is_some() {
        return Err(fatal::returning(call, Error::NotInit));
    }
    // SAFETY: plain variables that the client set, if at all, before this call; a C string that stays.
    let (bytes, words) = unsafe { (gasnet_max_segsize, text(gasnet_max_segsize_str)) };
    let segment_default = match (words.as_str(), bytes) {
        ("", 0) => None,
        ("", bytes) => Some(SegLimit { amount: Amount::Bytes(bytes), per: Per::Process }),
        (words, _) => Some(env::segment_default("gasnet_max_segsize_str", words)),
    };
    if flags & client::DEFER_THREADS != 0 {
        background::defer();
    }
    let job = start::start(settings(), segment_default, argv);
    enter::publish_hot(job, false);
    let team = enter::begin_team(job);
    team::refresh_all(job);
    let client = client::begin(name, flags, call == "gasnet_init");
    if !client.attaches {
        begin_receive_thread(job);
    }
    Ok((client, team))
}

/// Messages may be handled from now on, on the receive thread, too, if the user asks for one.
pub(super) fn begin_receive_thread(job: &'static Job) {
    if receive_thread::is_there(&job.settings) && !background::is_deferred() {
        if let Err(error) = receive_thread::begin(job) {
            fatal!("no receive thread can be created: {error} (GASNET_RCV_THREAD)");
        }
    } else if receive_thread::is_wanted() && !receive_thread::is_there(&job.settings) && job.me.0 == 0 {
        warn!(
            "GASNET_RCV_THREAD has no effect: this program was not compiled for GASNET_PAR, so its handler-safe locks would not exclude handlers on another thread"
        );
    }
}

/// The function that the macro gasnet_init calls: starts the job of a client whose translation units have the
/// records from `first` to `last`. Returns GASNET_OK, or GASNET_ERR_NOT_INIT at a second call.
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
    // SAFETY: the caller's contract.
    let begun = init("gasnet_init", LEGACY, client::USES_GASNET1, || unsafe { settings(first, last) }, arguments);
    // SAFETY: the caller's contract.
    unsafe { code(begun, argc, argv) }
}

/// Decodes the arguments if the job has started; returns the value for a GASNet-1 init.
///
/// # Safety
/// `argc` and `argv` are main's or null.
unsafe fn code(
    begun: Result<(&'static Client, &'static Team), c_int>,
    argc: *mut c_int,
    argv: *mut *mut *mut c_char,
) -> c_int {
    if begun.is_ok() {
        // SAFETY: the caller's contract.
        unsafe { undo_escapes(argc, argv) };
    }
    begun.err().unwrap_or(0)
}

/// Starts the job. In the headers gasnet_init is a macro, which passes the modes of the client's translation units to
/// the library; this symbol is for callers that were not compiled with them: their modes are PAR and release.
///
/// The first GASNet call of a program; the number of processes may change during the call. `%0XX` in the arguments
/// is decoded to the byte with that hexadecimal code, unless GASNET_DISABLE_ARGDECODE is set. Returns GASNET_OK, or
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
    let begun = init("gasnet_init", LEGACY, client::USES_GASNET1, || Settings::from_records(&[]), arguments);
    // SAFETY: the caller's contract.
    unsafe { code(begun, argc, argv) }
}

/// Stores the objects of a started job in the outputs that are not null.
///
/// # Safety
/// Each pointer is null or may be written.
unsafe fn give_objects(
    (client, team): (&'static Client, &'static Team),
    client_p: *mut gex_Client_t,
    ep_p: *mut gex_EP_t,
    tm_p: *mut gex_TM_t,
) {
    // SAFETY: the caller's contract.
    unsafe {
        if !client_p.is_null() {
            client_p.write(enter::handle(client));
        }
        if !ep_p.is_null() {
            ep_p.write(enter::handle(endpoint::primordial()));
        }
        if !tm_p.is_null() {
            tm_p.write(enter::handle(team));
        }
    }
}

/// The function that the macro gex_Client_Init calls; see gex_Client_Init. `first` to `last` are the records of the
/// client's translation units.
///
/// # Safety
/// As gex_Client_Init; `first..last` is the client's `gasneti_client` section (both may be null).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_Client_Init(
    client_p: *mut gex_Client_t,
    ep_p: *mut gex_EP_t,
    tm_p: *mut gex_TM_t,
    client_name: *const c_char,
    argc: *mut c_int,
    argv: *mut *mut *mut c_char,
    flags: gex_Flags_t,
    first: *const gasneti_client_record_t,
    last: *const gasneti_client_record_t,
) -> c_int {
    const CALL: &str = "gex_Client_Init";
    if client_name.is_null() || argc.is_null() != argv.is_null() {
        return fatal::returning(CALL, Error::BadArg);
    }
    // SAFETY: not null (checked); the caller's contract.
    let name = unsafe { CStr::from_ptr(client_name) };
    if name.is_empty() || flags & !(client::USES_GASNET1 | client::DEFER_THREADS) != 0 {
        return fatal::returning_because(
            CALL,
            Error::BadArg,
            format_args!(
                "the name must not be empty, and flags {flags:#x} may only be GEX_FLAG_USES_GASNET1 and GEX_FLAG_DEFER_THREADS"
            ),
        );
    }
    // SAFETY: the caller's contract.
    let arguments = unsafe { arguments(argc, argv) };
    // SAFETY: the caller's contract.
    match init(CALL, name, flags, || unsafe { settings(first, last) }, arguments) {
        Err(code) => code,
        Ok(objects) => {
            // SAFETY: the caller's contract.
            unsafe {
                give_objects(objects, client_p, ep_p, tm_p);
                undo_escapes(argc, argv);
            }
            0
        }
    }
}

/// Starts the job for a client named `clientName` ([A-Z][A-Z0-9_]+; any text is accepted), and returns its client
/// object, its primordial endpoint (index 0) and the primordial team of all processes. Must be the first GASNet
/// call of the program, and is called once; has the effect of a barrier.
///
/// `flags`: GEX_FLAG_USES_GASNET1 (GASNet-1 calls are allowed, too), GEX_FLAG_DEFER_THREADS. `argc` and `argv` are
/// main's, or both NULL in all processes; `%0XX` in the arguments is decoded to the byte with that hexadecimal
/// code, unless GASNET_DISABLE_ARGDECODE is set. Returns GASNET_OK, GASNET_ERR_NOT_INIT at a second call, or
/// GASNET_ERR_BAD_ARG. In the headers gex_Client_Init is a macro; this symbol is for callers that were not compiled
/// with them.
///
/// Source: GASNet-EX 0.19, "gex_Client_Init".
///
/// # Safety
/// The outputs may be written, or are null; `clientName` is a C string; `argc` and `argv` are main's or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_Client_Init(
    client_p: *mut gex_Client_t,
    ep_p: *mut gex_EP_t,
    tm_p: *mut gex_TM_t,
    client_name: *const c_char,
    argc: *mut c_int,
    argv: *mut *mut *mut c_char,
    flags: gex_Flags_t,
) -> c_int {
    let none = core::ptr::null();
    // SAFETY: the caller keeps the contract above; no records.
    unsafe { gasneti_Client_Init(client_p, ep_p, tm_p, client_name, argc, argv, flags, none, none) }
}

/// Returns the objects of a job with GASNet-1 calls, which were created by gasnet_init and gasnet_attach, or by
/// gex_Client_Init with GEX_FLAG_USES_GASNET1 and gex_Segment_Attach. Each output may be NULL; `*segment_p` becomes
/// GEX_SEGMENT_INVALID if there is no segment. Legal in handlers.
///
/// Source: GASNet-EX 0.19, "Hybrid/transitional client support".
///
/// # Safety
/// Each output may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_QueryGexObjects(
    client_p: *mut gex_Client_t,
    endpoint_p: *mut gex_EP_t,
    tm_p: *mut gex_TM_t,
    segment_p: *mut gex_Segment_t,
) {
    const CALL: &str = "gasnet_QueryGexObjects";
    let (Some(client), Some(team)) = (client::client(), team::primordial()) else {
        usage!(CALL, "called before gasnet_init or gex_Client_Init");
    };
    if client.flags & client::USES_GASNET1 == 0 {
        usage!(CALL, "gex_Client_Init was not told GEX_FLAG_USES_GASNET1");
    }
    // SAFETY: the caller keeps the contract above.
    unsafe {
        give_objects((client, team), client_p, endpoint_p, tm_p);
        if !segment_p.is_null() {
            segment_p.write(endpoint::primordial().segment().map_or(core::ptr::null_mut(), enter::handle));
        }
    }
}
