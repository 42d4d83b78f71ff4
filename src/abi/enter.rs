//! Entry rules: conversions that every chapter needs and the usage checks of debug clients.

use crate::abi::hot::gasneti_hot_t;
use crate::event;
use crate::fatal::usage;
use crate::job::{Job, JobRank, try_job};
use crate::mem::RemoteAddr;
use crate::sync::atomic::{AtomicU8, Ordering};
use crate::thread;

unsafe extern "C" {
    /// Defined in abi/c/data.c.
    static mut gasneti_hot: gasneti_hot_t;
    /// Defined in abi/c/data.c: 0, or 1 + the bias of a rank.
    static mut gasneti_bias: [isize; 65536];
}

/// Tells the inline fast paths who we are and, once segments are mapped, the `biases` of the nbrhd's ranks.
pub fn publish_hot(job: &Job, biases: Option<&[isize]>) {
    let direct = job.nbrhd.direct.load(Ordering::Relaxed) && !job.settings.debug;
    let biases = biases.filter(|_| direct);
    let hot = gasneti_hot_t {
        mynode: job.me.0,
        nodes: job.size,
        serial: u8::from(!job.settings.concurrent()),
        debug: u8::from(job.settings.debug),
        all_direct: u8::from(biases.is_some_and(|biases| biases.len() == job.size as usize)),
        reserved: [0; 53],
    };
    // SAFETY: init and attach run once each, on one thread, before the client may use the inlines.
    unsafe { (&raw mut gasneti_hot).write(hot) };
    // SAFETY: one byte of a struct that is never moved; only `event` writes it from now on.
    event::set_quiet(unsafe { AtomicU8::from_ptr(&raw mut gasneti_hot.all_direct) });
    let table = (&raw mut gasneti_bias).cast::<isize>();
    let first = job.nbrhd.first.index();
    for (rank, bias) in (first..).zip(biases.unwrap_or_default()) {
        // SAFETY: as above; there are fewer ranks than entries (start.rs checks the job's size).
        unsafe { table.add(rank).write(bias + 1) };
    }
}

/// The job, for a call that needs init.
#[inline]
pub fn job_named(call: &str) -> &'static Job {
    match try_job() {
        Some(job) => job,
        None => usage!(call, "called before gasnet_init"),
    }
}

/// The job, for a call that needs init; debug: and, if `attached`, attach.
pub fn job_for(call: &str, attached: bool) -> &'static Job {
    let job = job_named(call);
    if attached && job.settings.debug && job.attached.load(Ordering::Acquire) != 2 {
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

/// Debug: communication is not allowed here (in a handler, or while holding a handler-safe lock).
pub fn check_may_communicate(job: &Job, call: &str) {
    if !job.settings.debug {
        return;
    }
    if thread::handler_depth() != 0 {
        usage!(call, "called from an AM handler, where only a reply may communicate");
    }
    crate::hsl::check_none_held(call);
}
