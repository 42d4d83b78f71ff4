//! Reductions by messages, piece by piece of the vector, in an order that depends on the ranks alone: neighbours in
//! rank order are joined, left with right, so that operations need not commute.
//!
//! To one: up a binomial tree over rank 0, or, for operations that commute, over the root. To all: recursive doubling
//! (Rabenseifner, "Optimization of collective reduction operations", section 2); ranks beyond a power of two hand
//! their part to a neighbour first and get the result from it.

use crate::coll::buffer::Buffer;
use crate::coll::engine::{Desk, Steps};
use crate::coll::operator::Operator;
use crate::mem::{self, Dst, Src};

/// Bytes of the vector that are reduced at once.
const PIECE: usize = 1024 * 1024;
/// Steps of a piece: up to 32 of a tree, and those below.
const STEPS: u32 = 64;
/// The step in which the result goes to a root that is not the tree's, or to the neighbour that handed its part over.
const RESULT: u32 = 62;
/// The step in which a rank beyond the power of two hands its part over.
const HAND_OVER: u32 = 63;

/// The part of the vector that is being reduced.
struct Pieces {
    src: Src<'static>,
    dst: Dst<'static>,
    most: usize,
    from: usize,
    number: u32,
}

impl Pieces {
    fn new(src: Src<'static>, dst: Dst<'static>, width: usize) -> Pieces {
        Pieces { src, dst, most: (PIECE / width).max(1) * width, from: 0, number: 0 }
    }

    fn len(&self) -> usize {
        self.most.min(self.src.len() - self.from)
    }

    fn src(&self) -> Src<'static> {
        self.src.part(self.from, self.len())
    }

    fn dst(&self) -> Dst<'static> {
        self.dst.part(self.from, self.len())
    }

    fn step(&self, step: u32) -> u32 {
        self.number * STEPS + step
    }

    /// True if there is one more.
    fn next(&mut self) -> bool {
        self.from += self.len();
        self.number += 1;
        self.from < self.src.len()
    }
}

/// What has been reduced so far: the rank's own part, as long as that is all.
struct Sum(Option<Buffer>);

impl Sum {
    fn src<'a>(&'a self, own: Src<'a>) -> Src<'a> {
        self.0.as_ref().map_or(own, Buffer::src)
    }

    /// `right` belongs to the ranks after those of this sum.
    fn join_right(&mut self, operator: &Operator, own: Src<'_>, mut right: Buffer) {
        operator.apply(self.src(own), right.dst());
        self.0 = Some(right);
    }

    /// `left` belongs to the ranks before those of this sum.
    fn join_left(&mut self, operator: &Operator, own: Src<'_>, left: &Buffer) {
        let sum = self.0.get_or_insert_with(|| Buffer::of(own));
        operator.apply(left.src(), sum.dst());
    }
}

pub struct ToOne {
    operator: Operator,
    root: u32,
    /// The rank at the top of the tree.
    top: u32,
    pieces: Pieces,
    sum: Sum,
    state: Up,
}

enum Up {
    New,
    /// Waits for the child of this bit.
    Joining(u32),
    /// Sends to the rank, as the step.
    Sending(u32, u32),
    /// At a root that is not the top.
    Waiting,
}

impl ToOne {
    /// `dst` matters on `root` only, where it may be `src`.
    pub fn new(operator: Operator, in_order: bool, root: u32, dst: Dst<'static>, src: Src<'static>) -> ToOne {
        let pieces = Pieces::new(src, dst, operator.width);
        ToOne { operator, root, top: if in_order { 0 } else { root }, pieces, sum: Sum(None), state: Up::New }
    }
}

impl Steps for ToOne {
    fn step(&mut self, desk: &Desk<'_>) -> bool {
        let (me, size) = (desk.me(), desk.size());
        let top = self.top;
        let place = if me >= top { me - top } else { size - top + me };
        let rank = |place: u64| ((place + u64::from(top)) % u64::from(size)) as u32;
        let child = |bit: u32| u64::from(place) + (1 << bit);
        let is_child = |bit: u32| (place == 0 || bit < place.trailing_zeros()) && child(bit) < u64::from(size);
        loop {
            let own = self.pieces.src();
            match self.state {
                Up::New => {
                    for bit in (0..32).take_while(|&bit| is_child(bit)) {
                        desk.welcome(rank(child(bit)), self.pieces.step(bit), own.len());
                    }
                    self.state = Up::Joining(0);
                }
                Up::Joining(bit) if is_child(bit) => {
                    let Some(part) = desk.take(rank(child(bit)), self.pieces.step(bit)) else { return false };
                    self.sum.join_right(&self.operator, own, part);
                    self.state = Up::Joining(bit + 1);
                    continue;
                }
                Up::Joining(_) if place != 0 => {
                    self.state = Up::Sending(rank((place & (place - 1)).into()), place.trailing_zeros());
                }
                Up::Joining(_) if me != self.root => self.state = Up::Sending(self.root, RESULT),
                Up::Joining(_) => {
                    let dst = self.pieces.dst();
                    if self.sum.0.is_some() || own.as_ptr() != dst.as_ptr().cast_const() {
                        mem::copy(dst, self.sum.src(own));
                    }
                    if self.end_piece() {
                        return true;
                    }
                }
                Up::Sending(to, step) => {
                    if !desk.send(to, self.pieces.step(step), self.sum.src(own)) {
                        return false;
                    }
                    if me == self.root {
                        desk.expect(self.top, self.pieces.step(RESULT), self.pieces.dst());
                        self.state = Up::Waiting;
                    } else if self.end_piece() {
                        return true;
                    }
                }
                Up::Waiting => {
                    if !desk.arrived(self.top, self.pieces.step(RESULT)) {
                        return false;
                    }
                    if self.end_piece() {
                        return true;
                    }
                }
            }
        }
    }
}

impl ToOne {
    /// True if that was the last one.
    fn end_piece(&mut self) -> bool {
        self.sum = Sum(None);
        self.state = Up::New;
        !self.pieces.next()
    }
}

pub struct ToAll {
    operator: Operator,
    pieces: Pieces,
    sum: Sum,
    state: Doubling,
}

enum Doubling {
    New,
    /// Hands its part to the rank after it.
    HandingOver,
    /// Waits for the result from there.
    Idle,
    /// Waits for the part of the rank before it.
    TakingOver,
    /// Lets the sum of the partner of this bit come.
    Welcoming(u32),
    /// Sends its own sum to that partner.
    Sending(u32),
    /// Waits for the partner's.
    Joining(u32),
    /// Sends the result to the rank before it.
    Returning,
}

impl ToAll {
    /// `dst` may be `src`.
    pub fn new(operator: Operator, dst: Dst<'static>, src: Src<'static>) -> ToAll {
        let pieces = Pieces::new(src, dst, operator.width);
        ToAll { operator, pieces, sum: Sum(None), state: Doubling::New }
    }

    fn end_piece(&mut self) -> bool {
        self.sum = Sum(None);
        self.state = Doubling::New;
        !self.pieces.next()
    }
}

/// Recursive doubling among `size` ranks: those below twice `extra` work as pairs, by their odd one.
struct Pairing {
    extra: u32,
    /// How many take part, as a power of two.
    bits: u32,
}

impl Pairing {
    fn of(size: u32) -> Pairing {
        let bits = size.ilog2();
        Pairing { extra: size - (1 << bits), bits }
    }

    fn is_pair(&self, rank: u32) -> bool {
        rank / 2 < self.extra
    }

    fn place(&self, rank: u32) -> u32 {
        if self.is_pair(rank) { rank / 2 } else { rank - self.extra }
    }

    fn rank(&self, place: u32) -> u32 {
        if place < self.extra { 2 * place + 1 } else { place + self.extra }
    }
}

impl Steps for ToAll {
    fn step(&mut self, desk: &Desk<'_>) -> bool {
        let me = desk.me();
        let pairing = Pairing::of(desk.size());
        let place = pairing.place(me);
        let partner = |bit: u32| pairing.rank(place ^ 1 << bit);
        loop {
            let own = self.pieces.src();
            let step = |step| self.pieces.step(step);
            match self.state {
                Doubling::New if pairing.is_pair(me) && me.is_multiple_of(2) => self.state = Doubling::HandingOver,
                Doubling::New if pairing.is_pair(me) => {
                    desk.welcome(me - 1, step(HAND_OVER), own.len());
                    self.state = Doubling::TakingOver;
                }
                Doubling::New => self.state = Doubling::Welcoming(0),
                Doubling::HandingOver => {
                    if !desk.send(me + 1, step(HAND_OVER), own) {
                        return false;
                    }
                    desk.expect(me + 1, step(RESULT), self.pieces.dst());
                    self.state = Doubling::Idle;
                }
                Doubling::Idle => {
                    if !desk.arrived(me + 1, step(RESULT)) {
                        return false;
                    }
                    if self.end_piece() {
                        return true;
                    }
                }
                Doubling::TakingOver => {
                    let Some(left) = desk.take(me - 1, step(HAND_OVER)) else { return false };
                    self.sum.join_left(&self.operator, own, &left);
                    self.state = Doubling::Welcoming(0);
                }
                Doubling::Welcoming(bit) if bit == pairing.bits => {
                    let dst = self.pieces.dst();
                    if self.sum.0.is_some() || own.as_ptr() != dst.as_ptr().cast_const() {
                        mem::copy(dst, self.sum.src(own));
                    }
                    if pairing.is_pair(me) {
                        self.state = Doubling::Returning;
                    } else if self.end_piece() {
                        return true;
                    }
                }
                Doubling::Welcoming(bit) => {
                    desk.welcome(partner(bit), step(bit), own.len());
                    self.state = Doubling::Sending(bit);
                }
                Doubling::Sending(bit) => {
                    if !desk.send(partner(bit), step(bit), self.sum.src(own)) {
                        return false;
                    }
                    self.state = Doubling::Joining(bit);
                }
                Doubling::Joining(bit) => {
                    let Some(theirs) = desk.take(partner(bit), step(bit)) else { return false };
                    if place & 1 << bit != 0 {
                        self.sum.join_left(&self.operator, own, &theirs);
                    } else {
                        self.sum.join_right(&self.operator, own, theirs);
                    }
                    self.state = Doubling::Welcoming(bit + 1);
                }
                Doubling::Returning => {
                    if !desk.send(me - 1, step(RESULT), self.pieces.dst().as_src()) {
                        return false;
                    }
                    if self.end_piece() {
                        return true;
                    }
                }
            }
        }
    }
}
