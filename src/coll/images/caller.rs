//! Calls of GASNet-1's collectives by one image: they go through the rank's assembly if it has several images. Also
//! aggregates, which are calls of one thread over one team that share one handle.

use std::sync::Arc;

use crate::coll::engine::fresh;
use crate::coll::images::actions::{Context, ImageBuffers, Plan};
use crate::coll::images::assembly::{Assembly, CallBuffers};
use crate::coll::images::flag;
use crate::coll::images::plan::plan;
use crate::coll::images::request::ImageRequest;
use crate::coll::images::spans::Spans;
use crate::event::{self, Handle, Op, PieceKind};
use crate::fatal::usage;
use crate::job::Job;
use crate::team::Team;
use crate::thread::Lists;

/// The caller of a collective over a team.
pub struct Caller {
    pub job: &'static Job,
    pub team: &'static Team,
    pub spans: Spans,
    /// The number of the calling image in the team, and its index among the images of the rank.
    pub image: usize,
    pub index: usize,
    /// The number of images of this rank.
    pub mine: usize,
    assembly: Option<Arc<Assembly>>,
}

/// The open aggregates of each thread: id and rank of the team, and the operation of which their calls are pieces.
static OPEN: Lists<((u64, u32), &'static Op)> = Lists::new();

fn key(team: &Team) -> (u64, u32) {
    (team.id(), team.rank())
}

/// Removes and returns the open aggregate of this thread over `team`.
fn close(team: &Team) -> Option<&'static Op> {
    let mut open = OPEN.mine();
    let at = open.iter().position(|(of, _)| *of == key(team))?;
    Some(open.swap_remove(at).1)
}

/// Returns the open aggregate of this thread over `team`, or opens one.
fn open(team: &Team) -> &'static Op {
    let mut open = OPEN.mine();
    if let Some((_, op)) = open.iter().find(|(of, _)| *of == key(team)) {
        return op;
    }
    let op = event::mine().explicit();
    open.push((key(team), op));
    op
}

impl Caller {
    /// The calling thread; according to `flags` it calls as an image, or for its rank.
    pub fn new(job: &'static Job, team: &'static Team, call: &str, flags: i32) -> Caller {
        let me = team.rank();
        if !job.images_vary() || flags & flag::NO_IMAGES != 0 {
            let spans = Spans::even(team.size());
            return Caller { job, team, spans, image: me as usize, index: 0, mine: 1, assembly: None };
        }
        let assembly = job.images_of(team);
        let (first, mine) = assembly.spans.of(me);
        let index = job.image_here(call, mine);
        let spans = assembly.spans.clone();
        Caller { job, team, spans, image: first + index, index, mine, assembly: Some(assembly) }
    }

    /// The assembly of the rank's images, if there are several.
    pub fn assembly(&self) -> Option<&Assembly> {
        self.assembly.as_deref()
    }

    fn plan(&self, request: &ImageRequest, buffers: CallBuffers) -> Plan {
        let plain = self.assembly.is_none();
        let context = Context { me: self.team.rank(), size: self.team.size(), spans: &self.spans, plain };
        let memory = match buffers {
            CallBuffers::Own(dst, src) => ImageBuffers { dsts: vec![dst], srcs: vec![src] },
            CallBuffers::All(memory) => memory,
        };
        plan(&context, request, memory)
    }

    /// Starts `request`, as one started piece of `op()`; None if it completes at once.
    fn submit(
        &self,
        request: ImageRequest,
        buffers: CallBuffers,
        op: impl FnOnce() -> &'static Op,
    ) -> Option<&'static Op> {
        let Some(assembly) = &self.assembly else {
            self.job.coll_declare(self.team, request.call, || request.words());
            return self.job.coll_plan(self.team, &request, self.plan(&request, buffers), None, op);
        };
        let mine = op();
        if let Some((memory, ops)) = assembly.contribute(self.index, request, buffers, mine) {
            self.job.coll_declare(self.team, request.call, || request.words());
            let finish = move || ops.iter().for_each(|op| op.finish(PieceKind::Put));
            let plan = self.plan(&request, CallBuffers::All(memory));
            let machine = || {
                mine.start(PieceKind::Put);
                mine
            };
            if self.job.coll_plan(self.team, &request, plan, Some(Box::new(finish)), machine).is_none() {
                self.job.wake_local();
            }
        }
        Some(mine)
    }

    /// Starts `request`; the handle completes with the image's part, and with the aggregate that this call ends.
    pub fn start(&self, request: ImageRequest, buffers: CallBuffers) -> Handle {
        if request.flags & flag::AGGREGATE != 0 {
            let aggregate = open(self.team);
            self.submit(request, buffers, || begin(aggregate));
            return Handle::DONE;
        }
        match close(self.team) {
            Some(aggregate) => {
                self.submit(request, buffers, || begin(aggregate));
                aggregate.hand_out()
            }
            None => self.submit(request, buffers, fresh).map_or(Handle::DONE, Op::hand_out),
        }
    }

    /// Starts `request` and waits for the completion of the handle that `start` would return.
    pub fn run(&self, request: ImageRequest, buffers: CallBuffers) {
        if request.flags & flag::AGGREGATE != 0 {
            usage!(request.call, "GASNET_COLL_AGGREGATE in flags {:#x} of a blocking call", request.flags);
        }
        match close(self.team) {
            Some(aggregate) => {
                self.submit(request, buffers, || begin(aggregate));
                self.job.wait_own(aggregate);
            }
            None if self.assembly.is_none() => {
                self.job.coll_declare(self.team, request.call, || request.words());
                self.job.coll_plan_blocking(self.team, &request, self.plan(&request, buffers));
            }
            None => {
                if let Some(op) = self.submit(request, buffers, fresh) {
                    self.job.wait_own(op);
                }
            }
        }
        if self.job.settings.debug {
            // Handles declarations of other ranks (`check`).
            self.job.poll_once();
        }
    }
}

fn begin(op: &'static Op) -> &'static Op {
    op.start(PieceKind::Put);
    op
}
