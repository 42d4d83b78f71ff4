//! Where the calls of one rank's images over one team come together. Each image's calls are in the same order, so its
//! nth call belongs to the nth of the others; whoever is the last of its rank starts the rank's part.

use std::collections::VecDeque;

use parking_lot::Mutex;

use crate::coll::asked::{Asked, told};
use crate::coll::images::Spans;
use crate::coll::meeting::Meeting;
use crate::coll::plan::Memory;
use crate::event::Op;
use crate::fatal::usage;
use crate::mem::{Dst, Src};
use crate::sync::turned::Turned;

/// What one image brings.
pub enum Brought {
    /// Its own memory.
    Own(Dst<'static>, Src<'static>),
    /// That of all images of its rank, as far as it knows it: empty where not.
    All(Memory),
}

/// A call that not all images of this rank have made.
struct Call {
    asked: Asked,
    memory: Memory,
    ops: Vec<&'static Op>,
}

#[derive(Default)]
struct Calls {
    waiting: VecDeque<Call>,
    /// The number of the first of them.
    first: u64,
    /// Calls by image.
    made: Vec<u64>,
}

/// One rank's images over one team.
pub struct Assembly {
    pub spans: Spans,
    pub mine: usize,
    calls: Mutex<Calls>,
    pub meeting: Mutex<Meeting>,
    pub turned: Turned,
}

impl Assembly {
    pub fn new(spans: Spans, mine: usize) -> Assembly {
        let calls = Calls { made: vec![0; mine], ..Calls::default() };
        Assembly {
            spans,
            mine,
            calls: Mutex::new(calls),
            meeting: Mutex::new(Meeting::new(mine)),
            turned: Turned::default(),
        }
    }

    /// Whether nobody waits here.
    pub fn is_idle(&self) -> bool {
        self.calls.lock().waiting.is_empty() && self.meeting.lock().is_idle()
    }

    /// Image `index` calls, and `op` is done when its part is. All that the images brought, if it is the last one.
    pub fn bring(
        &self,
        index: usize,
        asked: Asked,
        brought: Brought,
        op: &'static Op,
    ) -> Option<(Memory, Vec<&'static Op>)> {
        let mut calls = self.calls.lock();
        let at = (calls.made[index] - calls.first) as usize;
        calls.made[index] += 1;
        if at == calls.waiting.len() {
            let memory = Memory { dsts: vec![Dst::none(); self.mine], srcs: vec![Src::none(); self.mine] };
            calls.waiting.push_back(Call { asked, memory, ops: Vec::with_capacity(self.mine) });
        }
        let number = calls.made[index];
        let call = &mut calls.waiting[at];
        if call.asked.words() != asked.words() {
            usage!(
                asked.call,
                "as collective {number} of this image over the team, with {}; another image of this rank calls {} as its own, with {}",
                told(&asked.words()),
                call.asked.call,
                told(&call.asked.words())
            );
        }
        match brought {
            Brought::Own(dst, src) => {
                call.memory.dsts[index] = dst;
                call.memory.srcs[index] = src;
            }
            Brought::All(Memory { dsts, srcs }) => {
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
        // Whoever came to a later call made this one before, so this is the first.
        let call = calls.waiting.pop_front()?;
        calls.first += 1;
        Some((call.memory, call.ops))
    }
}
