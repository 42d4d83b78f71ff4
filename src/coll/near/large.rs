//! Collectives whose data do not fit into a line, or whose members wait for all others. Data are transferred in rounds,
//! in pieces, through the stage, where each member has a ring of slots, so that it can write pieces while others still
//! read earlier ones. Source buffers in an attached segment may be exposed in place: receivers read them directly, in
//! one round, and the owner waits for its readers.
//!
//! In a reduction each member writes its piece to the stage, then reduces one slice of all members' pieces, then reads
//! the slices that the other members have reduced. Small pieces are reduced redundantly by each member that needs the
//! result, which saves the second step.

use crate::coll::buffer::Buffer;
use crate::coll::near::block::{Block, CAME, ENTERED, EXPOSED_AT, READ, REDUCED};
use crate::coll::near::sizes::{IN_PLACE_MIN, REDUNDANT_MAX, SLOTS};
use crate::coll::near::small::fold;
use crate::coll::operation::AllSync;
use crate::coll::operation::Operation;
use crate::coll::operator::Operator;
use crate::defs::rank::NodeRank;
use crate::mem::{self, Dst, RemoteAddr, Src};
use crate::nbrhd::Nbrhd;
use crate::sync::atomic::Ordering;

/// The number of bytes that are combined at a time, so that they stay in the first-level cache.
const TILE: usize = 4096;

/// A member's view of the team.
pub(crate) struct LargeStage<'a> {
    /// For reading source buffers that are exposed in place.
    pub nbrhd: Option<&'a Nbrhd>,
    pub block: &'a Block,
    pub members: &'a [NodeRank],
    pub me: usize,
    /// There are more ranks than cores.
    pub crowded: bool,
    /// The number of rounds that this member has finished, over all collectives of the team.
    pub rounds: &'a mut u64,
    /// Set if other members may be able to advance.
    pub notify: &'a mut bool,
}

impl LargeStage<'_> {
    fn say(&mut self, which: usize, rounds: u64) {
        // Release: with the Acquire in `has`; this member's writes are visible, and its reads have completed.
        self.block.stages(self.me)[which].store(rounds, Ordering::Release);
        *self.notify = true;
    }

    fn has(&self, member: usize, which: usize, rounds: u64) -> bool {
        self.block.stages(member)[which].load(Ordering::Acquire) >= rounds
    }

    fn all(&self, which: usize, rounds: u64) -> bool {
        (0..self.members.len()).all(|member| self.has(member, which, rounds))
    }

    /// Whether the slots of `round` are free: all members have read their previous contents.
    fn is_free(&self, round: u64) -> bool {
        self.all(READ, (round + 1).saturating_sub(SLOTS))
    }

    /// The piece of `member`'s vector for `round`, which starts at `from`. The member has entered the round.
    fn piece(&self, round: u64, member: usize, from: usize, len: usize) -> Src<'static> {
        match self.in_place(member, from, len) {
            Some(bytes) => bytes,
            None => self.block.stage(round, member).as_src().part(0, len),
        }
    }

    /// Returns a view of `len` bytes from offset `from` of `member`'s source buffer if that member, which has
    /// entered, exposes it in place; otherwise None.
    fn in_place(&self, member: usize, from: usize, len: usize) -> Option<Src<'static>> {
        let at = self.block.stages(member)[EXPOSED_AT].load(Ordering::Relaxed) as usize;
        let nbrhd = self.nbrhd.filter(|_| at != 0)?;
        Some(nbrhd.attached(self.members[member], RemoteAddr(at + from), len).as_src())
    }
}

/// The state of a member in a large collective.
pub(crate) struct Large {
    operation: Operation,
    sync: AllSync,
    /// The number of bytes per round of one vector, or between two members.
    most: usize,
    rounds: u64,
    begun: bool,
    /// The data may be accessed.
    open: bool,
    /// This member's source buffer is exposed in place.
    in_place: bool,
    /// The number of rounds that this member has written to the stage; reduced; read.
    entered: u64,
    reduced: u64,
    read: u64,
}

/// The number of bytes per round of one vector, or between two members; 0 if `operation` cannot use the stage.
pub(crate) fn most(operation: &Operation, block: &Block) -> usize {
    let (slot, members) = (block.shape.slot(), block.shape.members);
    match operation {
        Operation::Barrier | Operation::AllgatherWords(..) => 0,
        Operation::Broadcast { .. }
        | Operation::Scatter { .. }
        | Operation::Gather { .. }
        | Operation::Allgather { .. } => slot,
        Operation::Alltoall { .. } => {
            (slot / members).min(operation.longest(members).next_multiple_of(size_of::<u64>()))
        }
        Operation::Reduce { operator, .. } | Operation::Allreduce { operator, .. } => {
            slot / operator.width * operator.width
        }
    }
}

impl Large {
    pub(crate) fn new(operation: Operation, sync: AllSync, block: &Block) -> Large {
        let most = most(&operation, block);
        let rounds = operation.longest(block.shape.members).div_ceil(most.max(1)).max(1) as u64;
        let (entered, reduced, read) = (0, 0, 0);
        Large {
            operation,
            sync,
            most,
            rounds,
            begun: false,
            open: !sync.enter,
            in_place: false,
            entered,
            reduced,
            read,
        }
    }

    /// Advances as far as possible; returns true when complete.
    pub(crate) fn step(&mut self, stage: &mut LargeStage<'_>) -> bool {
        let (base, end) = (*stage.rounds, *stage.rounds + self.rounds);
        if !self.begin(stage, base, end) {
            return false;
        }
        if self.open || self.come(stage, base) {
            loop {
                let before = (self.entered, self.reduced, self.read);
                self.enter(stage, base);
                match self.operation.operator().copied() {
                    Some(operator) => {
                        self.reduce(stage, base, &operator);
                        self.read_reduced(stage, base, &operator);
                    }
                    None => self.read(stage, base),
                }
                if before == (self.entered, self.reduced, self.read) {
                    break;
                }
            }
        }
        let waits = (self.in_place || self.sync.leave) && !stage.all(READ, end);
        let done = self.entered == self.rounds && self.read == self.rounds && !waits;
        if done {
            *stage.rounds = end;
        }
        done
    }

    /// Publishes that this member has entered; returns false if it has to wait before.
    fn begin(&mut self, stage: &mut LargeStage<'_>, base: u64, end: u64) -> bool {
        if self.begun {
            return true;
        }
        let gives = self.gives(stage.me, stage.members.len());
        self.in_place = gives.is_some_and(|bytes| {
            let (at, len) = (bytes.as_ptr().addr(), bytes.len());
            let waits = self.sync != AllSync::default() || len >= IN_PLACE_MIN;
            waits
                && len > 0
                && stage.nbrhd.is_some_and(|nbrhd| nbrhd.in_attached(at, len))
                && !self.overwrites(stage.me)
        });
        let exposed_at = &stage.block.stages(stage.me)[EXPOSED_AT];
        if self.in_place {
            // Members that still read earlier data of the stage must not see an address.
            if !stage.all(READ, base) {
                return false;
            }
            exposed_at.store(gives.map_or(0, |bytes| bytes.as_ptr().addr() as u64), Ordering::Relaxed);
        } else if gives.is_some() && exposed_at.load(Ordering::Relaxed) != 0 {
            exposed_at.store(0, Ordering::Relaxed);
        }
        self.begun = true;
        if self.sync.enter {
            stage.say(CAME, base + 1);
        }
        if self.in_place {
            self.entered = self.rounds;
            stage.say(ENTERED, end);
        } else if gives.is_none() {
            self.entered = self.rounds;
        }
        if self.operation.operator().is_none() && self.operation.sources(stage.me, stage.members.len()).next().is_none()
        {
            self.read = self.rounds;
            stage.say(READ, end);
        }
        true
    }

    /// Whether the result of a reduction overwrites the source buffer, which others would still read.
    pub(super) fn overwrites(&self, me: usize) -> bool {
        match &self.operation {
            Operation::Reduce { root, .. } if *root != me => false,
            Operation::Reduce { dst, src, .. } | Operation::Allreduce { dst, src, .. } => {
                let (at, from) = (dst.as_ptr().addr(), src.as_ptr().addr());
                at < from + src.len() && from < at + dst.len()
            }
            _ => false,
        }
    }

    /// `me`'s source buffer if other members read it; otherwise None.
    fn gives(&self, me: usize, members: usize) -> Option<Src<'static>> {
        let to_others = match self.operation {
            Operation::Gather { root, .. } => root != me,
            _ => members > 1,
        };
        self.operation.source(me).filter(|_| to_others)
    }

    /// Whether all members have entered, so that data may be accessed.
    fn come(&mut self, stage: &LargeStage<'_>, base: u64) -> bool {
        self.open = stage.all(CAME, base + 1);
        self.open
    }

    /// The range of a buffer of `len` bytes for `round`, as offset and length.
    fn part(&self, round: u64, len: usize) -> (usize, usize) {
        let from = (round as usize * self.most).min(len);
        (from, self.most.min(len - from))
    }

    /// Writes this member's data to the stage, for as many rounds as there are free slots.
    fn enter(&mut self, stage: &mut LargeStage<'_>, base: u64) {
        while self.entered < self.rounds && stage.is_free(base + self.entered) {
            let round = self.entered;
            let (me, members) = (stage.me, stage.members.len());
            let Some(given) = self.operation.source(me) else { break };
            let stands = |owner: usize| stage.block.stage(base + round, owner);
            match &self.operation {
                Operation::Scatter { .. } => {
                    for to in (0..members).filter(|&to| to != me) {
                        self.put(stands(to), given, me, to, round);
                    }
                }
                Operation::Alltoall { .. } => {
                    for to in (0..members).filter(|&to| to != me) {
                        self.put(stands(me).part(to * self.most, self.most), given, me, to, round);
                    }
                }
                _ => {
                    let (from, len) = self.part(round, given.len());
                    mem::copy(stands(me).part(0, len), given.part(from, len));
                }
            }
            self.entered += 1;
            stage.say(ENTERED, base + self.entered);
        }
    }

    /// Writes the data from `me` to `to` of this round.
    fn put(&self, place: Dst<'static>, given: Src<'static>, me: usize, to: usize, round: u64) {
        if let Some((at, len)) = self.operation.range(me, to) {
            let (from, len) = self.part(round, len);
            mem::copy(place.part(0, len), given.part(at + from, len));
        }
    }

    /// Reads the data of other members, as far as they have arrived.
    fn read(&mut self, stage: &mut LargeStage<'_>, base: u64) {
        let (me, members) = (stage.me, stage.members.len());
        while self.read < self.rounds {
            let round = self.read;
            let there = |source: usize| source == me || stage.has(source, ENTERED, base + round + 1);
            if !self.operation.sources(me, members).all(there) {
                return;
            }
            let mut all_at_once = true;
            for source in self.operation.sources(me, members) {
                if source == me {
                    if let Some(own) = self.operation.source(me).filter(|_| round == 0) {
                        self.operation.deliver(me, me, own);
                    }
                    continue;
                }
                let Some((at, len)) = self.operation.range(source, me) else { continue };
                let place = self.operation.destination(source, me);
                if let Some(bytes) = stage.in_place(source, at, len) {
                    if round == 0 {
                        mem::copy(place, bytes);
                    }
                    continue;
                }
                all_at_once = false;
                let (from, len) = self.part(round, len);
                let there = match &self.operation {
                    Operation::Scatter { .. } => stage.block.stage(base + round, me),
                    Operation::Alltoall { .. } => {
                        stage.block.stage(base + round, source).part(me * self.most, self.most)
                    }
                    _ => stage.block.stage(base + round, source),
                };
                mem::copy(place.part(from, len), there.as_src().part(0, len));
            }
            self.read = if all_at_once { self.rounds } else { round + 1 };
            stage.say(READ, base + self.read);
        }
    }

    /// The range of the vector that is reduced in `round`, as offset and length.
    fn piece(&self, stage: &LargeStage<'_>, round: u64) -> (usize, usize) {
        self.part(round, self.operation.most(stage.members.len()))
    }

    /// Whether each member reduces one slice. It is not worthwhile for two members, since reading the other's slice
    /// would cost as much as reducing it, plus one more step; nor for a single root if members share cores.
    fn is_shared(&self, stage: &LargeStage<'_>, len: usize) -> bool {
        let members = stage.members.len();
        let for_one = matches!(self.operation, Operation::Reduce { .. });
        members > 2 && members * len > REDUNDANT_MAX && !(for_one && stage.crowded)
    }

    /// Reduces this member's slice, as far as all members' data have arrived.
    fn reduce(&mut self, stage: &mut LargeStage<'_>, base: u64, operator: &Operator) {
        while self.reduced < self.entered {
            let round = self.reduced;
            let (start, len) = self.piece(stage, round);
            if self.is_shared(stage, len) {
                if !stage.all(ENTERED, base + round + 1) || !stage.is_free(base + round) {
                    return;
                }
                let (from, len) = slice(stage.me, stage.members.len(), operator, len);
                let mut sum = Buffer::new(len);
                combine(stage, base + round, operator, start, from, sum.dst());
                // No other member reads this slice of this member's piece, and it has been combined.
                mem::copy(stage.block.stage(base + round, stage.me).part(from, len), sum.src());
                stage.say(REDUCED, base + round + 1);
            }
            self.reduced += 1;
        }
    }

    /// Reads the slices that other members have reduced, or reduces all data redundantly, as far as they have
    /// arrived.
    fn read_reduced(&mut self, stage: &mut LargeStage<'_>, base: u64, operator: &Operator) {
        let (me, members) = (stage.me, stage.members.len());
        let dst = match &self.operation {
            Operation::Reduce { root, dst, .. } => (*root == me).then_some(*dst),
            _ => Some(self.operation.destination(me, me)),
        };
        while self.read < self.reduced {
            let round = self.read;
            let (from, len) = self.piece(stage, round);
            if let Some(dst) = dst.map(|dst| dst.part(from, len)) {
                let is_shared = self.is_shared(stage, len);
                if !stage.all(if is_shared { REDUCED } else { ENTERED }, base + round + 1) {
                    return;
                }
                if is_shared {
                    for member in 0..members {
                        let (from, len) = slice(member, members, operator, len);
                        let reduced = stage.block.stage(base + round, member).as_src();
                        mem::copy(dst.part(from, len), reduced.part(from, len));
                    }
                } else {
                    combine(stage, base + round, operator, from, 0, dst);
                }
            }
            self.read += 1;
            stage.say(READ, base + self.read);
        }
    }
}

/// The slice of `nbytes` that `member` reduces, as offset and length.
pub(super) fn slice(member: usize, members: usize, operator: &Operator, nbytes: usize) -> (usize, usize) {
    let elements = nbytes / operator.width;
    let at = |member: usize| elements * member / members * operator.width;
    (at(member), at(member + 1) - at(member))
}

/// Combines all members' data in `dst`, from offset `from` of the piece of their vectors that starts at `start`.
fn combine(stage: &LargeStage<'_>, round: u64, operator: &Operator, start: usize, from: usize, dst: Dst<'_>) {
    let tile = (TILE / operator.width).max(1) * operator.width;
    for at in (0..dst.len()).step_by(tile) {
        let len = tile.min(dst.len() - at);
        fold(operator, stage.members.len(), dst.part(at, len), |member| {
            stage.piece(round, member, start, from + at + len).part(from + at, len)
        });
    }
}
