//! Combines the calls of one rank's images over one team. All images make their calls in the same order, so the nth
//! calls of all images belong to the same collective; the last image of the rank to call starts the rank's part.

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use crate::barrier::names::Names;
use crate::coll::images::actions::ImageBuffers;
use crate::coll::images::request::{ImageRequest, describe};
use crate::coll::images::spans::Spans;
use crate::event::Op;
use crate::fatal::usage;
use crate::mem::{Dst, Src};
use crate::sync::turned::Turned;
use crate::team::{SplitArgs, Team};

/// The buffers that one image contributes.
pub enum CallBuffers {
    /// Its own memory.
    Own(Dst<'static>, Src<'static>),
    /// Those of all images of its rank, as far as the call has them; otherwise empty.
    All(ImageBuffers),
}

/// A collective that not all images of this rank have called.
struct ImageCall {
    request: ImageRequest,
    memory: ImageBuffers,
    ops: Vec<&'static Op>,
}

#[derive(Default)]
struct Calls {
    waiting: VecDeque<ImageCall>,
    /// The number of the first waiting call.
    first: u64,
    /// The number of calls of each image.
    made: Vec<u64>,
}

/// The result of a split, once it is complete.
pub(super) type SplitResult = Arc<OnceLock<Option<&'static Team>>>;

/// The state of a rank's images over one team.
pub struct TeamMeeting {
    pub(super) mine: usize,
    pub(super) names: Names,
    /// The number of images that have notified the next barrier.
    pub(super) came: usize,
    /// The numbers of barriers that the rank has notified, and has completed.
    pub(super) notified: u64,
    pub(super) completed: u64,
    /// The result of the last barrier.
    pub(super) agreed: Names,
    /// The numbers of barriers that each image has notified, and has completed.
    pub(super) images: Vec<(u64, u64)>,
    /// A split that not all images have called: its arguments, the number of images that have called, and the
    /// result.
    pub(super) split: Option<(SplitArgs, usize, SplitResult)>,
    /// The number of images that have called the destruction of the team.
    pub(super) left: usize,
}

impl TeamMeeting {
    pub fn new(mine: usize) -> TeamMeeting {
        TeamMeeting {
            mine,
            names: Names::Anonymous,
            came: 0,
            notified: 0,
            completed: 0,
            agreed: Names::Anonymous,
            images: vec![(0, 0); mine],
            split: None,
            left: 0,
        }
    }

    /// Whether no image waits for others.
    pub fn is_idle(&self) -> bool {
        self.came == 0 && self.notified == self.completed && self.split.is_none()
    }
}

/// The images of this rank in one team.
pub struct Assembly {
    pub spans: Spans,
    pub mine: usize,
    calls: Mutex<Calls>,
    pub meeting: Mutex<TeamMeeting>,
    pub turned: Turned,
}

impl Assembly {
    pub fn new(spans: Spans, mine: usize) -> Assembly {
        let calls = Calls { made: vec![0; mine], ..Calls::default() };
        Assembly {
            spans,
            mine,
            calls: Mutex::new(calls),
            meeting: Mutex::new(TeamMeeting::new(mine)),
            turned: Turned::default(),
        }
    }

    /// Whether no image waits for others.
    pub fn is_idle(&self) -> bool {
        self.calls.lock().waiting.is_empty() && self.meeting.lock().is_idle()
    }

    /// Image `index` calls `request`; `op` completes with the image's part. Returns the buffers and operations of
    /// all images if this is the last one.
    pub fn contribute(
        &self,
        index: usize,
        request: ImageRequest,
        buffers: CallBuffers,
        op: &'static Op,
    ) -> Option<(ImageBuffers, Vec<&'static Op>)> {
        let mut calls = self.calls.lock();
        let at = (calls.made[index] - calls.first) as usize;
        calls.made[index] += 1;
        if at == calls.waiting.len() {
            let memory = ImageBuffers { dsts: vec![Dst::none(); self.mine], srcs: vec![Src::none(); self.mine] };
            calls.waiting.push_back(ImageCall { request, memory, ops: Vec::with_capacity(self.mine) });
        }
        let number = calls.made[index];
        let call = &mut calls.waiting[at];
        if call.request.words() != request.words() {
            usage!(
                request.call,
                "as collective {number} of this image over the team, with {}; another image of this rank calls {} as its own, with {}",
                describe(&request.words()),
                call.request.call,
                describe(&call.request.words())
            );
        }
        match buffers {
            CallBuffers::Own(dst, src) => {
                call.memory.dsts[index] = dst;
                call.memory.srcs[index] = src;
            }
            CallBuffers::All(ImageBuffers { dsts, srcs }) => {
                let new = call.memory.dsts.iter_mut().zip(dsts).filter(|(_, dst)| !dst.is_empty());
                new.for_each(|(have, dst)| *have = dst);
                let new = call.memory.srcs.iter_mut().zip(srcs).filter(|(_, src)| !src.is_empty());
                new.for_each(|(have, src)| *have = src);
            }
        }
        call.ops.push(op);
        if call.ops.len() < self.mine {
            return None;
        }
        // Images make their calls in order, so this call is the first one.
        let call = calls.waiting.pop_front()?;
        calls.first += 1;
        Some((call.memory, call.ops))
    }
}
