//! GASNet-1's collectives, from one image's call to the ranks: by the rank's assembly if there are several images, and
//! aggregates: calls of one thread over one team that share one handle.

use std::sync::Arc;

use crate::coll::asked::{Asked, flag};
use crate::coll::assembly::{Assembly, Brought};
use crate::coll::engine::fresh;
use crate::coll::images::Spans;
use crate::coll::plan::{Memory, Plan, Stand, plan};
use crate::event::{self, Handle, Kind, Op};
use crate::fatal::usage;
use crate::job::Job;
use crate::team::Team;
use crate::thread::Lists;

/// From where a collective over a team is called.
pub struct Caller {
    pub job: &'static Job,
    pub team: &'static Team,
    pub spans: Spans,
    /// Which of the team's images calls, and which of the rank's that is.
    pub image: usize,
    pub index: usize,
    /// Images of this rank.
    pub mine: usize,
    assembly: Option<Arc<Assembly>>,
}

/// Aggregates that a thread has begun: id and rank of the team, and what their calls count on.
static OPEN: Lists<((u64, u32), &'static Op)> = Lists::new();

fn key(team: &Team) -> (u64, u32) {
    (team.id(), team.rank())
}

/// The aggregate that this thread has begun over `team`, which ends with this call.
fn close(team: &Team) -> Option<&'static Op> {
    let mut open = OPEN.mine();
    let at = open.iter().position(|(of, _)| *of == key(team))?;
    Some(open.swap_remove(at).1)
}

/// The same, but it goes on.
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
    /// The calling thread, where `flags` may say that one thread calls for its rank.
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

    /// Where images meet, if there are several.
    pub fn assembly(&self) -> Option<&Assembly> {
        self.assembly.as_deref()
    }

    fn plan(&self, asked: &Asked, brought: Brought) -> Plan {
        let plain = self.assembly.is_none();
        let stand = Stand { me: self.team.rank(), size: self.team.size(), spans: &self.spans, plain };
        let memory = match brought {
            Brought::Own(dst, src) => Memory { dsts: vec![dst], srcs: vec![src] },
            Brought::All(memory) => memory,
        };
        plan(&stand, asked, memory)
    }

    /// Starts it, as a piece of `op()`; None if it is complete already.
    fn submit(&self, asked: Asked, brought: Brought, op: impl FnOnce() -> &'static Op) -> Option<&'static Op> {
        let Some(assembly) = &self.assembly else {
            self.job.coll_declare(self.team, asked.call, || asked.words());
            return self.job.coll_plan(self.team, &asked, self.plan(&asked, brought), None, op);
        };
        let mine = op();
        if let Some((memory, ops)) = assembly.bring(self.index, asked, brought, mine) {
            self.job.coll_declare(self.team, asked.call, || asked.words());
            let finish = move || ops.iter().for_each(|op| op.finish(Kind::Put));
            let plan = self.plan(&asked, Brought::All(memory));
            let machine = || {
                mine.start(Kind::Put);
                mine
            };
            if self.job.coll_plan(self.team, &asked, plan, Some(Box::new(finish)), machine).is_none() {
                self.job.wake_local();
            }
        }
        Some(mine)
    }

    /// Starts `asked`; the handle is done when the image's part is, and that of the aggregate that ends with it.
    pub fn start(&self, asked: Asked, brought: Brought) -> Handle {
        if asked.flags & flag::AGGREGATE != 0 {
            let aggregate = open(self.team);
            self.submit(asked, brought, || begin(aggregate));
            return Handle::DONE;
        }
        match close(self.team) {
            Some(aggregate) => {
                self.submit(asked, brought, || begin(aggregate));
                aggregate.hand_out()
            }
            None => self.submit(asked, brought, fresh).map_or(Handle::DONE, Op::hand_out),
        }
    }

    /// Starts `asked` and waits for what `start`'s handle stands for.
    pub fn run(&self, asked: Asked, brought: Brought) {
        if asked.flags & flag::AGGREGATE != 0 {
            usage!(asked.call, "GASNET_COLL_AGGREGATE in flags {:#x} of a blocking call", asked.flags);
        }
        match close(self.team) {
            Some(aggregate) => {
                self.submit(asked, brought, || begin(aggregate));
                self.job.wait_own(aggregate);
            }
            None if self.assembly.is_none() => {
                self.job.coll_declare(self.team, asked.call, || asked.words());
                self.job.coll_plan_blocking(self.team, &asked, self.plan(&asked, brought));
            }
            None => {
                if let Some(op) = self.submit(asked, brought, fresh) {
                    self.job.wait_own(op);
                }
            }
        }
        if self.job.settings.debug {
            // What another rank has declared is heard at the latest now.
            self.job.poll_once();
        }
    }
}

fn begin(op: &'static Op) -> &'static Op {
    op.start(Kind::Put);
    op
}
