//! Transfers with a rank whose memory is not mapped here. Runs that are long on both sides become separate puts and
//! gets. The rest is packed: a put is a series of Medium requests, each with a description of the destination of
//! its bytes; a get is a series of descriptions, each answered by a Medium with the bytes. All messages are in
//! flight at the same time, limited only by flow control; each needs the memory of one message.

use std::sync::OnceLock;

use super::kernel;
use super::landing::ScatteredTarget;
use super::list::Cursor;
use super::peer;
use super::scratch::VisScratch;
use super::shape::{Budget, LEAST, Shape};
use super::transfer::VisTransfer;
use crate::am::library;
use crate::defs::message::{Immediate, Payload, Traffic};
use crate::defs::rank::Location;
use crate::env;
use crate::event::{Op, PieceKind};
use crate::job::Job;
use crate::mem::{RemoteAddr, Src, halves};
use crate::os::peer_memory::Way;
use crate::rma::Local;

/// Runs of at least this number of bytes become separate puts or gets.
const LONG_RUN: usize = 16 << 10;

/// Runs of at least this number of bytes are copied one by one by CMA, where it works: a run costs about 250 ns,
/// packing and unpacking a byte 0.8 ns.
const ACROSS_RUN: usize = 192;

/// The settings of the environment.
struct Packing {
    pipelined: bool,
    remote_contig: bool,
    put_chunk: usize,
    get_chunk: usize,
}

fn packing(job: &Job) -> &'static Packing {
    static PACKING: OnceLock<Packing> = OnceLock::new();
    PACKING.get_or_init(|| {
        let medium = job.limits.medium;
        let most = env::opt_size("GASNET_VIS_MAXCHUNK");
        let chunk = |name| env::opt_size(name).or(most).map_or(medium, |size| (size as usize).clamp(LEAST, medium));
        Packing {
            pipelined: env::yes("GASNET_VIS_AMPIPE"),
            remote_contig: env::yes("GASNET_VIS_REMOTECONTIG"),
            put_chunk: chunk("GASNET_VIS_PUT_MAXCHUNK"),
            get_chunk: chunk("GASNET_VIS_GET_MAXCHUNK"),
        }
    })
}

impl Job {
    /// Starts a put of `total` bytes as a piece of `op`. `local` determines when sources may be reused. `then` is a
    /// peer completion that follows it, from an endpoint of this rank. Returns false if resources were exhausted
    /// and the put was not started.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn vis_far_put(
        &self,
        op: &'static Op,
        to: Location,
        transfer: &VisTransfer<'_>,
        total: usize,
        local: Local,
        immediate: Immediate,
        then: Option<(u16, peer::Armed)>,
    ) -> bool {
        let runs = transfer.runs();
        if total / runs >= ACROSS_RUN {
            let each = |run: &mut dyn FnMut(usize, usize, usize)| transfer.each_run(|dst, src, len| run(src, dst, len));
            if self.runs_across(to.rank, Way::Write, runs, each) {
                if let Some((from, armed)) = then {
                    self.peer_complete(from, to, armed, immediate);
                }
                return true;
            }
        }
        let packing = packing(self);
        if then.is_none() {
            let there = transfer.dst_shape();
            if total / transfer.runs() >= LONG_RUN {
                return self.put_runs(op, to, transfer, local, immediate);
            }
            if let Some(at) = there.contiguous().filter(|_| packing.remote_contig) {
                let source = transfer.src_shape();
                return self.put_contiguous(op, to, RemoteAddr(at), &source, total, packing.put_chunk, immediate);
            }
            if !packing.pipelined {
                return self.put_runs(op, to, transfer, local, immediate);
            }
        }
        let key = then.map_or(0, |_| peer::new_key());
        let budget = Budget { most: packing.put_chunk, shared: true };
        let sent = self.put_packed(op, to, &transfer.dst_shape(), &transfer.src_shape(), total, budget, key, immediate);
        if let Some((from, armed)) = then.filter(|_| sent != 0) {
            self.peer_announce(from, to, key, sent, armed, immediate);
        }
        sent != 0
    }

    fn put_runs(
        &self,
        op: &'static Op,
        to: Location,
        transfer: &VisTransfer<'_>,
        local: Local,
        immediate: Immediate,
    ) -> bool {
        let mut immediate = Some(immediate);
        transfer.each_run(|dst, src, len| {
            let Some(now) = immediate else { return };
            let started = self.far_put_if(op, to, RemoteAddr(dst), kernel::source(src, len), local, now);
            immediate = started.then_some(now.next());
        });
        immediate.is_some()
    }

    /// The destination is a single run: packs locally and uses one put.
    #[allow(clippy::too_many_arguments)]
    fn put_contiguous(
        &self,
        op: &'static Op,
        to: Location,
        at: RemoteAddr,
        here: &Shape<'_>,
        total: usize,
        chunk: usize,
        immediate: Immediate,
    ) -> bool {
        let chunk = chunk.min(self.limits.copied);
        let mut scratch = VisScratch::take();
        let (mut from, mut done) = (Cursor::default(), 0);
        while done < total {
            let data = scratch.buffer(chunk.min(total - done));
            from = here.pack(from, data);
            let immediate = immediate.at(done);
            if !self.far_put_if(op, to, RemoteAddr(at.0 + done), data.as_src(), Local::Now, immediate) {
                return false;
            }
            done += data.len();
        }
        true
    }

    /// Returns the number of messages; 0 if resources were exhausted and nothing was started.
    #[allow(clippy::too_many_arguments)]
    fn put_packed(
        &self,
        op: &'static Op,
        to: Location,
        there: &Shape<'_>,
        here: &Shape<'_>,
        total: usize,
        budget: Budget,
        key: i32,
        immediate: Immediate,
    ) -> u32 {
        let [op_high, op_low] = op.token_args(PieceKind::Put);
        let mut scratch = VisScratch::take();
        let (mut target, mut source, mut done, mut sent) = (Cursor::default(), Cursor::default(), 0, 0);
        while done < total {
            let (nbytes, next) = there.describe(target, total, budget, scratch.words());
            let (message, data) = scratch.message(nbytes);
            source = here.pack(source, data);
            op.start(PieceKind::Put);
            let args = [op_high, op_low, key];
            let immediate = immediate.at(done);
            if !self.vis_send(to, library::VIS_PUT, message.as_src(), &args, immediate) {
                op.finish(PieceKind::Put);
                return 0;
            }
            target = next;
            done += nbytes;
            sent += 1;
        }
        sent
    }

    /// Starts a get of `total` bytes as a piece of `op`. Returns false if resources were exhausted and the get was
    /// not started.
    pub(super) fn vis_far_get(
        &self,
        op: &'static Op,
        from: Location,
        transfer: &VisTransfer<'_>,
        total: usize,
        immediate: Immediate,
    ) -> bool {
        let runs = transfer.runs();
        if total / runs >= ACROSS_RUN {
            let each = |run: &mut dyn FnMut(usize, usize, usize)| transfer.each_run(run);
            if self.runs_across(from.rank, Way::Read, runs, each) {
                return true;
            }
        }
        let packing = packing(self);
        let there = transfer.src_shape();
        let packed = packing.pipelined || packing.remote_contig && there.contiguous().is_some();
        if !packed || total / transfer.runs() >= LONG_RUN {
            return self.get_runs(op, from, transfer, immediate);
        }
        let budget = Budget { most: packing.get_chunk, shared: false };
        let here = transfer.dst_shape();
        let (mut source, mut target, mut done) = (Cursor::default(), Cursor::default(), 0);
        let landing = ScatteredTarget::new(op, here.clone());
        let [to_high, to_low] = landing.to_args();
        let mut scratch = VisScratch::take();
        while done < total {
            let (nbytes, next) = there.describe(source, total, budget, scratch.words());
            let (message, _) = scratch.message(0);
            landing.expect();
            let [entry_high, entry_low] = halves(target.entry);
            let [skip_high, skip_low] = halves(target.skip);
            let args = [to_high, to_low, entry_high, entry_low, skip_high, skip_low, nbytes as i32];
            let immediate = immediate.at(done);
            if !self.vis_send(from, library::VIS_GET, message.as_src(), &args, immediate) {
                landing.never();
                return false;
            }
            source = next;
            target = here.advance(target, nbytes);
            done += nbytes;
        }
        landing.all_expected();
        true
    }

    /// Returns false if resources were exhausted and the message was not sent.
    fn vis_send(&self, to: Location, handler: u8, message: Src<'_>, args: &[i32], immediate: Immediate) -> bool {
        let to = Location { ep: 0, ..to };
        self.am_part(to, Traffic::Request, handler, Payload::Medium(message), args, immediate)
    }

    fn get_runs(&self, op: &'static Op, from: Location, transfer: &VisTransfer<'_>, immediate: Immediate) -> bool {
        let mut immediate = Some(immediate);
        transfer.each_run(|dst, src, len| {
            let Some(now) = immediate else { return };
            let started = self.far_get_if(op, kernel::destination(dst, len), from, RemoteAddr(src), now);
            immediate = started.then_some(now.next());
        });
        immediate.is_some()
    }
}
