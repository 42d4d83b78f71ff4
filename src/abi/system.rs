//! Queries on the client and the system: names, neighbourhood and host, positions, threads, verbose errors.

use core::ffi::{c_char, c_int, c_uint, c_void};
use std::ffi::CString;
use std::sync::OnceLock;

use crate::abi::enter;
use crate::abi::types::{gex_Client_t, gex_Flags_t, gex_ProgressThreadInfo_t, gex_Rank_t, gex_RankInfo_t};
use crate::am::receive_thread;
use crate::client;
use crate::conduit::shared::background::{self, Background};
use crate::defs::rank::JobRank;
use crate::fatal::{self, Error};
use crate::job::Job;
use crate::settings::Threads;
use crate::sync::atomic::Ordering;
use crate::thread;

/// `GEX_THREAD_ROLE_RCV`.
const THREAD_ROLE_RCV: c_uint = 1;
/// `GEX_THREAD_ROLE_SND`.
const THREAD_ROLE_SND: c_uint = 2;

/// Attaches `val` to a client, for gex_Client_QueryCData. Legal in handlers.
///
/// Source: GASNet-EX 0.19, "Client-Data (CData)".
#[unsafe(no_mangle)]
pub extern "C" fn gex_Client_SetCData(client: gex_Client_t, val: *const c_void) {
    enter::client("gex_Client_SetCData", client).cdata.store(val.cast_mut(), Ordering::Release);
}

/// Returns the value that gex_Client_SetCData attached; NULL initially. Legal in handlers.
///
/// Source: GASNet-EX 0.19, "Client-Data (CData)".
#[unsafe(no_mangle)]
pub extern "C" fn gex_Client_QueryCData(client: gex_Client_t) -> *mut c_void {
    enter::client("gex_Client_QueryCData", client).cdata.load(Ordering::Acquire)
}

/// Returns the flags that were passed to gex_Client_Init. Legal in handlers.
///
/// Source: GASNet-EX 0.19, "Operations on gex_Client_t".
#[unsafe(no_mangle)]
pub extern "C" fn gex_Client_QueryFlags(client: gex_Client_t) -> gex_Flags_t {
    enter::client("gex_Client_QueryFlags", client).flags
}

/// Returns the name that was passed to gex_Client_Init; "LEGACY" after gasnet_init. Legal in handlers.
///
/// Source: GASNet-EX 0.19, "Operations on gex_Client_t".
#[unsafe(no_mangle)]
pub extern "C" fn gex_Client_QueryName(client: gex_Client_t) -> *const c_char {
    enter::client("gex_Client_QueryName", client).name.as_ptr()
}

/// Returns this process's rank in the job. Legal in handlers.
///
/// Source: GASNet-EX 0.19, "Job rank".
#[unsafe(no_mangle)]
pub extern "C" fn gex_System_QueryJobRank() -> gex_Rank_t {
    enter::job_named("gex_System_QueryJobRank").me.0
}

/// Returns the number of processes of the job. Legal in handlers.
///
/// Source: GASNet-EX 0.19, "Job size".
#[unsafe(no_mangle)]
pub extern "C" fn gex_System_QueryJobSize() -> gex_Rank_t {
    enter::job_named("gex_System_QueryJobSize").size
}

/// Sets whether functions that return an error code also print a line on stderr: nonzero enables it.
///
/// Source: GASNet-EX 0.19, "gex_System_GetVerboseErrors".
#[unsafe(no_mangle)]
pub extern "C" fn gex_System_GetVerboseErrors() -> c_int {
    c_int::from(fatal::verbose_errors())
}

/// Returns whether functions that return an error code also print a line on stderr: 1 (the initial value) or 0.
///
/// Source: GASNet-EX 0.19, "gex_System_SetVerboseErrors".
#[unsafe(no_mangle)]
pub extern "C" fn gex_System_SetVerboseErrors(enable: c_int) {
    fatal::set_verbose_errors(enable != 0);
}

/// Returns the maximum number of threads of this process that use the library; 1 for GASNET_SEQ.
///
/// Source: GASNet-EX 0.19, "gex_System_QueryMaxThreads".
#[unsafe(no_mangle)]
pub extern "C" fn gex_System_QueryMaxThreads() -> u64 {
    let settings = &enter::job_named("gex_System_QueryMaxThreads").settings;
    match settings.threads {
        Threads::Seq => 1,
        _ => u64::from(thread::limit().min(thread::MAX_THREADS - u32::from(receive_thread::is_there(settings)))),
    }
}

/// Returns the number of threads that do not belong to the client and run handlers: 1 with a receive thread (GASNET_RCV_THREAD, of
/// GASNET_PAR clients), else 0.
///
/// Source: GASNet-EX 0.19, "gex_System_QueryHiddenAMConcurrencyLevel".
#[unsafe(no_mangle)]
pub extern "C" fn gex_System_QueryHiddenAMConcurrencyLevel() -> c_int {
    c_int::from(receive_thread::is_there(&enter::job_named("gex_System_QueryHiddenAMConcurrencyLevel").settings))
}

/// Queries the progress threads that the client must start after gex_Client_Init with GEX_FLAG_DEFER_THREADS. One has the role
/// GEX_THREAD_ROLE_RCV, if the user asks for it (GASNET_RCV_THREAD, of GASNET_PAR clients): it handles messages while no thread of
/// the client calls GASNet. One has the role GEX_THREAD_ROLE_SND, on udp, ucx and ofi in a job whose ranks do not all share memory: it
/// sends messages that wait to share a packet while the client makes no call. `*count_p` becomes their number, `*info_p` their list.
/// Their functions do not return. Until such a thread runs, the client's next call does its work.
///
/// Returns GASNET_OK; GASNET_ERR_BAD_ARG if an output is NULL or `flags` is not 0; GASNET_ERR_RESOURCE without
/// GEX_FLAG_DEFER_THREADS.
///
/// Source: GASNet-EX 0.19, "gex_System_QueryProgressThreads".
///
/// # Safety
/// The outputs may be written, or are null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_System_QueryProgressThreads(
    client: gex_Client_t,
    count_p: *mut c_uint,
    info_p: *mut *const gex_ProgressThreadInfo_t,
    flags: gex_Flags_t,
) -> c_int {
    const CALL: &str = "gex_System_QueryProgressThreads";
    let client = enter::client(CALL, client);
    if count_p.is_null() || info_p.is_null() || flags != 0 {
        return fatal::returning(CALL, Error::BadArg);
    }
    if client.flags & client::DEFER_THREADS == 0 {
        return fatal::returning(CALL, Error::Resource);
    }
    let threads = progress_threads(enter::job_named(CALL));
    // SAFETY: not null (checked); the caller keeps the contract above.
    unsafe {
        count_p.write(threads.len() as c_uint);
        info_p.write(threads.as_ptr());
    }
    0
}

/// The progress threads that the client starts; a client asks once, so the list is never freed.
fn progress_threads(job: &Job) -> &'static [gex_ProgressThreadInfo_t] {
    let mut threads = Vec::new();
    let mut add = |role, work: ClientsWork| {
        threads.push(gex_ProgressThreadInfo_t {
            gex_device_list: CString::new(job.settings.conduit.name).unwrap_or_default().into_raw(),
            gex_thread_roles: role,
            gex_progress_fn: Some(progress_thread),
            gex_progress_arg: core::ptr::from_mut(Box::leak(Box::new(work))).cast(),
        });
    };
    if receive_thread::is_there(&job.settings) {
        add(THREAD_ROLE_RCV, ClientsWork::Receive);
    }
    if let Some(work) = job.conduit.and_then(|conduit| conduit.background()) {
        add(THREAD_ROLE_SND, ClientsWork::Send(work));
    }
    threads.leak()
}

/// The work of a progress thread that the client starts.
#[derive(Clone, Copy)]
enum ClientsWork {
    Receive,
    Send(&'static dyn Background),
}

/// The function of such a thread; does not return.
///
/// # Safety
/// `arg` comes with it, from `progress_threads`.
unsafe extern "C" fn progress_thread(arg: *mut c_void) -> *mut c_void {
    // SAFETY: the caller's contract; the memory is never freed.
    match unsafe { *arg.cast::<ClientsWork>() } {
        ClientsWork::Receive => receive_thread::serve(enter::job_named("a progress thread")),
        ClientsWork::Send(work) => background::serve(work),
    }
}

/// A list of ranks with the lifetime of the job.
struct RankInfos(Box<[gex_RankInfo_t]>);

impl RankInfos {
    /// Of ascending ranks.
    fn of(ranks: impl Iterator<Item = JobRank>) -> RankInfos {
        RankInfos(ranks.map(|rank| gex_RankInfo_t { gex_jobrank: rank.0 }).collect())
    }

    /// # Safety
    /// Each output may be written, or is null.
    unsafe fn give(&self, me: u32, info: *mut *mut gex_RankInfo_t, count: *mut gex_Rank_t, index: *mut gex_Rank_t) {
        // SAFETY: the caller's contract. Clients must not write the list, though its type lets them.
        unsafe {
            if !info.is_null() {
                info.write(self.0.as_ptr().cast_mut());
            }
            if !count.is_null() {
                count.write(self.0.len() as u32);
            }
            if !index.is_null() {
                index.write(self.0.partition_point(|info| info.gex_jobrank < me) as u32);
            }
        }
    }
}

/// Queries the processes of the job that can map each other's segments, including this process (with
/// GASNET_SEGMENT_EVERYTHING only this process): a list in ascending order of ranks (which belongs to the library
/// and must not be written), its length, and the index of this process in it. Each output may be NULL. Legal in
/// handlers.
///
/// Source: GASNet-EX 0.19, "Neighborhood".
///
/// # Safety
/// Each output may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_System_QueryNbrhdInfo(
    info_p: *mut *mut gex_RankInfo_t,
    info_count_p: *mut gex_Rank_t,
    my_info_index_p: *mut gex_Rank_t,
) {
    static NBRHD: OnceLock<RankInfos> = OnceLock::new();
    let job = enter::job_named("gex_System_QueryNbrhdInfo");
    let ranks = NBRHD.get_or_init(|| RankInfos::of(job.sharing.nbrhd(job.sharing.supernode(job.me))));
    // SAFETY: the caller keeps the contract above.
    unsafe { ranks.give(job.me.0, info_p, info_count_p, my_info_index_p) };
}

/// As gex_System_QueryNbrhdInfo, for the processes of this host.
///
/// Source: GASNet-EX 0.19, "Host".
///
/// # Safety
/// Each output may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_System_QueryHostInfo(
    info_p: *mut *mut gex_RankInfo_t,
    info_count_p: *mut gex_Rank_t,
    my_info_index_p: *mut gex_Rank_t,
) {
    static HOST: OnceLock<RankInfos> = OnceLock::new();
    let job = enter::job_named("gex_System_QueryHostInfo");
    let ranks = HOST.get_or_init(|| RankInfos::of(job.places.on_host(job.places.host(job.me))));
    // SAFETY: the caller keeps the contract above.
    unsafe { ranks.give(job.me.0, info_p, info_count_p, my_info_index_p) };
}

/// Queries the numbers of neighbourhoods and hosts of the job, and the indices, from 0, of those of this process.
/// The numbering is the same on all processes. Each output may be NULL. Legal in handlers.
///
/// Source: GASNet-EX 0.19, "gex_System_QueryMyPosition".
///
/// # Safety
/// Each output may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_System_QueryMyPosition(
    nbrhd_set_size_p: *mut gex_Rank_t,
    nbrhd_set_rank_p: *mut gex_Rank_t,
    host_set_size_p: *mut gex_Rank_t,
    host_set_rank_p: *mut gex_Rank_t,
) {
    let job = enter::job_named("gex_System_QueryMyPosition");
    let places = &job.places;
    for (output, value) in [
        (nbrhd_set_size_p, job.sharing.supernodes()),
        (nbrhd_set_rank_p, job.sharing.supernode(job.me)),
        (host_set_size_p, places.hosts()),
        (host_set_rank_p, places.host(job.me)),
    ] {
        if !output.is_null() {
            // SAFETY: not null (checked); the caller keeps the contract above.
            unsafe { output.write(value) };
        }
    }
}
