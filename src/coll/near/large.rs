//! Collectives of more data than a line holds, or whose members wait for all others: in rounds, piece by piece through
//! the stage, where each member has a ring of slots, so that it can write pieces while others still read earlier ones.
//! What lies in an attached segment is read there by those who want it, in one
//! round, if its owner has to wait for them anyhow.
//!
//! In a reduction each member puts its piece on the stage, then joins a slice of all pieces, then reads the slices that
//! the others joined; small pieces are joined by everybody who wants them, which saves the second step.

use crate::coll::buffer::Buffer;
use crate::coll::near::block::{Block, CAME, ENTERED, LIES_AT, READ, REDUCED, SLOTS};
use crate::coll::near::small::fold;
use crate::coll::operator::Operator;
use crate::coll::start::AllSync;
use crate::coll::what::What;
use crate::job::NodeRank;
use crate::mem::{self, Dst, RemoteAddr, Src};
use crate::nbrhd::Nbrhd;
use crate::sync::atomic::Ordering;

/// Up to so many bytes of all pieces together, everybody joins them.
const JOINED_BY_ALL: usize = 32 * 1024;
/// Bytes that are joined at once, so that they stay in the nearest cache.
const TILE: usize = 4096;
/// So much is better read where it lies, although its owner then waits for the readers.
const IN_PLACE: usize = 16 * 1024;

/// A member's view of the team.
pub struct Stage<'a> {
    /// Where bytes may be read where they lie.
    pub nbrhd: Option<&'a Nbrhd>,
    pub block: &'a Block,
    pub members: &'a [NodeRank],
    pub me: usize,
    /// Ranks share cores.
    pub crowded: bool,
    /// Rounds that this member has finished, of all collectives of the team.
    pub rounds: &'a mut u64,
    /// Others may have become able to go on.
    pub stirs: &'a mut bool,
}

impl Stage<'_> {
    fn say(&mut self, which: usize, rounds: u64) {
        // Release: with the Acquire in `has`, what this member wrote is seen, or that it has read.
        self.block.stages(self.me)[which].store(rounds, Ordering::Release);
        *self.stirs = true;
    }

    fn has(&self, member: usize, which: usize, rounds: u64) -> bool {
        self.block.stages(member)[which].load(Ordering::Acquire) >= rounds
    }

    fn all(&self, which: usize, rounds: u64) -> bool {
        (0..self.members.len()).all(|member| self.has(member, which, rounds))
    }

    /// Whether slots can be used for `round`: all have read what was there before.
    fn is_free(&self, round: u64) -> bool {
        self.all(READ, (round + 1).saturating_sub(SLOTS))
    }

    /// The piece of `member`'s vector, which has entered it, that starts at `from`, for `round`.
    fn piece(&self, round: u64, member: usize, from: usize, len: usize) -> Src<'static> {
        match self.in_place(member, from, len) {
            Some(bytes) => bytes,
            None => self.block.stage(round, member).as_src().part(0, len),
        }
    }

    /// `len` bytes from `from` on of what `member`, which has entered, gives all at once, if it does.
    fn in_place(&self, member: usize, from: usize, len: usize) -> Option<Src<'static>> {
        let at = self.block.stages(member)[LIES_AT].load(Ordering::Relaxed) as usize;
        let nbrhd = self.nbrhd.filter(|_| at != 0)?;
        Some(nbrhd.attached(self.members[member], RemoteAddr(at + from), len).as_src())
    }
}

/// Where a member is in a large collective.
pub struct Large {
    what: What,
    sync: AllSync,
    /// Bytes of one vector, or between two members, that are moved in a round.
    most: usize,
    rounds: u64,
    begun: bool,
    /// What this member gives may be touched.
    open: bool,
    /// Others read it where it lies.
    in_place: bool,
    /// Rounds that are on the stage; reduced; read.
    entered: u64,
    reduced: u64,
    read: u64,
}

/// Bytes of one vector, or between two members, that are moved in a round; 0 if `what` cannot go this way.
pub fn most(what: &What, block: &Block) -> usize {
    let (slot, members) = (block.shape.slot(), block.shape.members);
    match what {
        What::Barrier | What::Words(..) => 0,
        What::Broadcast { .. } | What::Scatter { .. } | What::Gather { .. } | What::GatherAll { .. } => slot,
        What::Exchange { .. } => (slot / members).min(what.longest(members).next_multiple_of(size_of::<u64>())),
        What::ToOne { operator, .. } | What::ToAll { operator, .. } => slot / operator.width * operator.width,
    }
}

impl Large {
    pub fn new(what: What, sync: AllSync, block: &Block) -> Large {
        let most = most(&what, block);
        let rounds = what.longest(block.shape.members).div_ceil(most.max(1)).max(1) as u64;
        let (entered, reduced, read) = (0, 0, 0);
        Large { what, sync, most, rounds, begun: false, open: !sync.enter, in_place: false, entered, reduced, read }
    }

    /// Goes as far as it can; true at the end.
    pub fn step(&mut self, stage: &mut Stage<'_>) -> bool {
        let (base, end) = (*stage.rounds, *stage.rounds + self.rounds);
        if !self.begin(stage, base, end) {
            return false;
        }
        if self.open || self.come(stage, base) {
            loop {
                let before = (self.entered, self.reduced, self.read);
                self.enter(stage, base);
                match self.what.operator().copied() {
                    Some(operator) => {
                        self.reduce(stage, base, &operator);
                        self.read_joined(stage, base, &operator);
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

    /// Tells the others that this member is here; false if that must wait.
    fn begin(&mut self, stage: &mut Stage<'_>, base: u64, end: u64) -> bool {
        if self.begun {
            return true;
        }
        let gives = self.gives(stage.me, stage.members.len());
        self.in_place = gives.is_some_and(|bytes| {
            let (at, len) = (bytes.as_ptr().addr(), bytes.len());
            let waits = self.sync != AllSync::default() || len >= IN_PLACE;
            waits
                && len > 0
                && stage.nbrhd.is_some_and(|nbrhd| nbrhd.in_attached(at, len))
                && !self.overwrites(stage.me)
        });
        let lies_at = &stage.block.stages(stage.me)[LIES_AT];
        if self.in_place {
            // Who still reads what was on the stage before must not see an address.
            if !stage.all(READ, base) {
                return false;
            }
            lies_at.store(gives.map_or(0, |bytes| bytes.as_ptr().addr() as u64), Ordering::Relaxed);
        } else if gives.is_some() && lies_at.load(Ordering::Relaxed) != 0 {
            lies_at.store(0, Ordering::Relaxed);
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
        if self.what.operator().is_none() && self.what.sources(stage.me, stage.members.len()).next().is_none() {
            self.read = self.rounds;
            stage.say(READ, end);
        }
        true
    }

    /// Whether the result of a reduction goes where others would still read.
    fn overwrites(&self, me: usize) -> bool {
        match &self.what {
            What::ToOne { root, .. } if *root != me => false,
            What::ToOne { dst, src, .. } | What::ToAll { dst, src, .. } => {
                let (at, from) = (dst.as_ptr().addr(), src.as_ptr().addr());
                at < from + src.len() && from < at + dst.len()
            }
            _ => false,
        }
    }

    /// What `me` gives others; None if it gives nothing to anybody but itself.
    fn gives(&self, me: usize, members: usize) -> Option<Src<'static>> {
        let to_others = match self.what {
            What::Gather { root, .. } => root != me,
            _ => members > 1,
        };
        self.what.given(me).filter(|_| to_others)
    }

    /// Whether all have come, so that data may be touched.
    fn come(&mut self, stage: &Stage<'_>, base: u64) -> bool {
        self.open = stage.all(CAME, base + 1);
        self.open
    }

    /// The bytes that are moved in `round` out of `len`: where they start, and how many.
    fn part(&self, round: u64, len: usize) -> (usize, usize) {
        let from = (round as usize * self.most).min(len);
        (from, self.most.min(len - from))
    }

    /// Puts what this member gives on the stage, as far as there is room.
    fn enter(&mut self, stage: &mut Stage<'_>, base: u64) {
        while self.entered < self.rounds && stage.is_free(base + self.entered) {
            let round = self.entered;
            let (me, members) = (stage.me, stage.members.len());
            let Some(given) = self.what.given(me) else { break };
            let stands = |owner: usize| stage.block.stage(base + round, owner);
            match &self.what {
                What::Scatter { .. } => {
                    for to in (0..members).filter(|&to| to != me) {
                        self.put(stands(to), given, me, to, round);
                    }
                }
                What::Exchange { .. } => {
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

    /// This round's part of what `me` gives `to`.
    fn put(&self, place: Dst<'static>, given: Src<'static>, me: usize, to: usize, round: u64) {
        if let Some((at, len)) = self.what.way(me, to) {
            let (from, len) = self.part(round, len);
            mem::copy(place.part(0, len), given.part(at + from, len));
        }
    }

    /// Reads what others give, as far as it is there.
    fn read(&mut self, stage: &mut Stage<'_>, base: u64) {
        let (me, members) = (stage.me, stage.members.len());
        while self.read < self.rounds {
            let round = self.read;
            let there = |source: usize| source == me || stage.has(source, ENTERED, base + round + 1);
            if !self.what.sources(me, members).all(there) {
                return;
            }
            let mut all_at_once = true;
            for source in self.what.sources(me, members) {
                if source == me {
                    if let Some(own) = self.what.given(me).filter(|_| round == 0) {
                        self.what.deliver(me, me, own);
                    }
                    continue;
                }
                let Some((at, len)) = self.what.way(source, me) else { continue };
                let place = self.what.place(source, me);
                if let Some(bytes) = stage.in_place(source, at, len) {
                    if round == 0 {
                        mem::copy(place, bytes);
                    }
                    continue;
                }
                all_at_once = false;
                let (from, len) = self.part(round, len);
                let there = match &self.what {
                    What::Scatter { .. } => stage.block.stage(base + round, me),
                    What::Exchange { .. } => stage.block.stage(base + round, source).part(me * self.most, self.most),
                    _ => stage.block.stage(base + round, source),
                };
                mem::copy(place.part(from, len), there.as_src().part(0, len));
            }
            self.read = if all_at_once { self.rounds } else { round + 1 };
            stage.say(READ, base + self.read);
        }
    }

    /// The bytes of a vector that are reduced in `round`: where they start, and how many.
    fn piece(&self, stage: &Stage<'_>, round: u64) -> (usize, usize) {
        self.part(round, self.what.most(stage.members.len()))
    }

    /// Whether members join a slice each. Two need not share the work: reading the other's half would cost as much as
    /// joining it, and one more step. Nor is it worth the step for one of many that share cores.
    fn is_shared(&self, stage: &Stage<'_>, len: usize) -> bool {
        let members = stage.members.len();
        let for_one = matches!(self.what, What::ToOne { .. });
        members > 2 && members * len > JOINED_BY_ALL && !(for_one && stage.crowded)
    }

    /// Joins this member's slice of what all give, as far as it is there.
    fn reduce(&mut self, stage: &mut Stage<'_>, base: u64, operator: &Operator) {
        while self.reduced < self.entered {
            let round = self.reduced;
            let (start, len) = self.piece(stage, round);
            if self.is_shared(stage, len) {
                if !stage.all(ENTERED, base + round + 1) || !stage.is_free(base + round) {
                    return;
                }
                let (from, len) = slice(stage.me, stage.members.len(), operator, len);
                let mut sum = Buffer::new(len);
                join(stage, base + round, operator, start, from, sum.dst());
                // Nobody else reads this slice of this member's piece, and it has been joined.
                mem::copy(stage.block.stage(base + round, stage.me).part(from, len), sum.src());
                stage.say(REDUCED, base + round + 1);
            }
            self.reduced += 1;
        }
    }

    /// Reads what others have joined, or joins all, as far as it is there.
    fn read_joined(&mut self, stage: &mut Stage<'_>, base: u64, operator: &Operator) {
        let (me, members) = (stage.me, stage.members.len());
        let dst = match &self.what {
            What::ToOne { root, dst, .. } => (*root == me).then_some(*dst),
            _ => Some(self.what.place(me, me)),
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
                        let joined = stage.block.stage(base + round, member).as_src();
                        mem::copy(dst.part(from, len), joined.part(from, len));
                    }
                } else {
                    join(stage, base + round, operator, from, 0, dst);
                }
            }
            self.read += 1;
            stage.say(READ, base + self.read);
        }
    }
}

/// The part of `nbytes` that `member` joins: where it starts, and its bytes.
fn slice(member: usize, members: usize, operator: &Operator, nbytes: usize) -> (usize, usize) {
    let elements = nbytes / operator.width;
    let at = |member: usize| elements * member / members * operator.width;
    (at(member), at(member + 1) - at(member))
}

/// Joins to `dst` what all members have given from `from` on, of the piece of their vectors that starts at `start`.
fn join(stage: &Stage<'_>, round: u64, operator: &Operator, start: usize, from: usize, dst: Dst<'_>) {
    let tile = (TILE / operator.width).max(1) * operator.width;
    for at in (0..dst.len()).step_by(tile) {
        let len = tile.min(dst.len() - at);
        fold(operator, stage.members.len(), dst.part(at, len), |member| {
            stage.piece(round, member, start, from + at + len).part(from + at, len)
        });
    }
}
