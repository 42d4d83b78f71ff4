//! Conversions of arguments that every chapter needs, and the usage checks of debug clients.

use crate::abi::hot::gasneti_hot_t;
use crate::abi::types::{gex_Client_t, gex_EP_t, gex_Segment_t, gex_TM_t};
use crate::am::prepared;
use crate::client::{self, Client};
use crate::defs::rank::{JobRank, Location};
use crate::endpoint::{self, Endpoint};
use crate::event;
use crate::fatal::{self, usage};
use crate::job::{Job, try_job};
use crate::mem::RemoteAddr;
use crate::segment::object;
use crate::segment::object::SegmentObject;
use crate::settings::{SegmentMode, Threads};
use crate::sync::atomic::{AtomicIsize, AtomicU8, Ordering};
use crate::team::{self, Team};
use crate::thread;

unsafe extern "C" {
    /// Defined in abi/c/data.c.
    static mut gasneti_hot: gasneti_hot_t;
    /// Defined in abi/c/data.c: 0, or 1 + the bias of a rank.
    static mut gasneti_bias: [isize; BIASES];
    /// Defined in abi/c/data.c: the primordial team.
    static mut gasneti_tm0: [u64; team::ROOM / 8];
}

/// Publishes this rank and, once segments are attached, whether all of them are mapped here, to the inline fast
/// paths.
pub fn publish_hot(job: &Job, attached: bool) {
    let direct = job.nbrhd.direct.load(Ordering::Relaxed) && !job.settings.watched;
    let hot = gasneti_hot_t {
        mynode: job.me.0,
        nodes: job.size,
        serial: u8::from(!job.settings.concurrent()),
        debug: u8::from(job.settings.debug),
        all_direct: u8::from(attached && direct && job.nbrhd.all_mapped() && !event::left_implicit()),
        reserved: [0; 53],
    };
    // SAFETY: init and attach run once each, on one thread, before the client may use the inlines.
    unsafe { (&raw mut gasneti_hot).write(hot) };
    // SAFETY: one byte of a struct that is never moved; only `event` writes it from now on.
    event::set_quiet(unsafe { AtomicU8::from_ptr(&raw mut gasneti_hot.all_direct) });
}

/// Entries of `gasneti_bias`. Inline C reads the biases of ranks that share an entry from the team's own table.
const BIASES: usize = 65536;

/// The table of biases whose address inline C knows.
fn bias_table() -> &'static [AtomicIsize] {
    // SAFETY: `gasneti_bias` has this number of words (data.c); from here on the library accesses them by atomic operations
    // alone, and inline C only reads them.
    unsafe { core::slice::from_raw_parts((&raw mut gasneti_bias).cast(), BIASES) }
}

/// Creates the primordial team and publishes it to the inline fast paths.
pub fn begin_team(job: &Job) -> &'static Team {
    let share = |team: &Team| {
        if let Some(near) = job.near_all() {
            team.set_near(near);
        }
        job.native_group(team);
    };
    // SAFETY: memory of this size, aligned for any type, that is reserved for this.
    unsafe { team::begin(job, bias_table(), (&raw mut gasneti_tm0).cast(), share) }
}

/// Whether `tm` is the primordial team, whose ranks are those of the job.
#[inline]
pub fn is_primordial(tm: gex_TM_t) -> bool {
    tm.addr() == (&raw const gasneti_tm0).addr()
}

/// The team behind a client's handle.
#[inline]
pub fn team(call: &str, tm: gex_TM_t) -> &'static Team {
    // SAFETY: GASNet: the client passes a handle that a call of this library returned.
    match unsafe { team::find(tm.cast_const().cast()) } {
        Some(team) => team,
        None => usage!(call, "tm {tm:p} is not a team of this process: it is null, or was destroyed"),
    }
}

/// The team of a collective call's handle, which must not be a pair.
pub fn real_team(call: &str, tm: gex_TM_t) -> &'static Team {
    let team = team(call, tm);
    if team.is_pair() {
        usage!(call, "tm is a pair of gex_TM_Pair; this call needs a team");
    }
    team
}

/// The location of rank `rank` of `team`.
#[inline]
pub fn place(call: &str, team: &Team, rank: u32) -> Location {
    if rank >= team.size() {
        bad_place(call, team, rank);
    }
    team.at(rank)
}

#[cold]
fn bad_place(call: &str, team: &Team, rank: u32) -> ! {
    usage!(call, "rank {rank} is not below gex_TM_QuerySize() = {} of the team", team.size())
}

/// The endpoint behind a client's handle.
pub fn endpoint(call: &str, ep: gex_EP_t) -> &'static Endpoint {
    match endpoint::find(ep.cast_const().cast()) {
        Some(ep) => ep,
        None => usage!(call, "ep {ep:p} is not an endpoint of this process"),
    }
}

/// The segment behind a client's handle.
pub fn segment(call: &str, segment: gex_Segment_t) -> &'static SegmentObject {
    // SAFETY: GASNet: the client passes a handle that a call of this library returned.
    match unsafe { object::find(segment.cast_const().cast()) } {
        Some(segment) => segment,
        None => usage!(call, "segment {segment:p} is not a segment of this process: it is null, or was destroyed"),
    }
}

/// The client behind a handle.
pub fn client(call: &str, client: gex_Client_t) -> &'static Client {
    match client::client().filter(|known| core::ptr::eq(*known, client.cast_const().cast())) {
        Some(client) => client,
        None => usage!(call, "client {client:p} is not the client that gex_Client_Init returned"),
    }
}

/// The handle of an object that lives as long as the process.
pub fn handle<T, H>(of: &'static T) -> *mut H {
    core::ptr::from_ref(of).cast_mut().cast()
}

/// Debug: `at..at + nbytes` must lie in the segment bound to `to`.
pub fn check_range_at(job: &Job, call: &str, to: Location, at: RemoteAddr, nbytes: usize) {
    if nbytes == 0 || job.nbrhd.in_segment_at(to, at, nbytes) {
        return;
    }
    match job.nbrhd.span_at(to) {
        None => usage!(call, "endpoint {} of rank {} has no segment, or it is not published", to.ep, to.rank.0),
        Some((start, end)) => usage!(
            call,
            "remote range {:#x}..{:#x} ({nbytes} bytes) is outside the segment of endpoint {} of rank {} ({start:#x}..{end:#x})",
            at.0,
            at.0.wrapping_add(nbytes),
            to.ep,
            to.rank.0
        ),
    }
}

/// The job, for a call that needs init.
#[inline]
pub fn job_named(call: &str) -> &'static Job {
    match try_job() {
        Some(job) => job,
        None => no_job(call),
    }
}

#[cold]
fn no_job(call: &str) -> ! {
    usage!(call, "called before gasnet_init");
}

/// Records the name of the call for an error message, in modes in which an address may turn out not to be mapped at
/// the target.
#[inline]
pub fn remember(job: &Job, call: &'static str) {
    if job.settings.segment == SegmentMode::Everything {
        fatal::calling(call);
    }
}

/// The job, for a call that requires init and, in debug clients if `attached`, attach.
pub fn job_for(call: &str, attached: bool) -> &'static Job {
    let job = job_named(call);
    let missing = || job.attached.load(Ordering::Acquire) != 2 && client::client().is_some_and(|c| c.attaches);
    if attached && job.settings.debug && missing() {
        usage!(call, "called before gasnet_attach");
    }
    job
}

/// The job, for a call that may communicate or wait; checked for debug clients.
#[inline]
pub fn job_to_wait(call: &str) -> &'static Job {
    let job = job_named(call);
    if job.settings.debug {
        job_for(call, true);
        check_may_communicate(job, call);
    }
    job
}

/// Checks a rank argument.
#[inline]
pub fn rank(job: &Job, call: &str, node: u32) -> JobRank {
    if node >= job.size {
        bad_rank(job, call, node);
    }
    JobRank(node)
}

#[cold]
fn bad_rank(job: &Job, call: &str, node: u32) -> ! {
    usage!(call, "node {node} is not below gasnet_nodes() = {}", job.size)
}

/// Debug: `at..at + nbytes` must lie in the segment of `to`.
pub fn check_range(job: &Job, call: &str, to: JobRank, at: RemoteAddr, nbytes: usize) {
    if nbytes == 0 || job.nbrhd.in_segment(to, at, nbytes) {
        return;
    }
    let (start, end) = job.nbrhd.segment_span(to).unwrap_or((0, 0));
    usage!(
        call,
        "remote range {:#x}..{:#x} ({nbytes} bytes) is outside the segment of node {} ({start:#x}..{end:#x})",
        at.0,
        at.0.wrapping_add(nbytes),
        to.0
    );
}

/// Debug: communication is not allowed here (in a handler, while holding a handler-safe lock, or between Prepare and
/// Commit).
#[inline]
pub fn check_may_communicate(job: &Job, call: &str) {
    if job.settings.debug {
        check_may_communicate_now(job, call);
    }
}

#[inline(never)]
fn check_may_communicate_now(job: &Job, call: &str) {
    if job.settings.threads == Threads::Seq && thread::index() != 0 {
        usage!(call, "called from a second thread of a GASNET_SEQ client; GASNET_PARSYNC and GASNET_PAR allow that");
    }
    if thread::handler_depth() != 0 {
        usage!(call, "called from an AM handler, where only a reply may communicate");
    }
    crate::hsl::check_none_held(call);
    if prepared::is_open() {
        usage!(call, "called between Prepare and Commit (or Cancel) of a message, where nothing may communicate");
    }
}
