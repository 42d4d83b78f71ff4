//! Reduce and allreduce by messages. The vector is processed in pieces. The order in which operands are combined
//! depends on the ranks only: operands of neighbours in rank order are combined, left with right, so operators need
//! not commute.
//!
//! Reduce: a binomial tree, whose root is rank 0, or, for commutative operators, the root of the operation.
//! Allreduce: recursive doubling (Rabenseifner, "Optimization of collective reduction operations", section 2). If the
//! number of ranks is not a power of two, surplus ranks first send their vector to a neighbour, and receive the
//! result from it.

use crate::coll::buffer::Buffer;
use crate::coll::engine::{Mailbox, Steps};
use crate::coll::operator::Operator;
use crate::mem::{self, Dst, Src};

/// The size of a piece of the vector, in bytes.
const PIECE: usize = 1024 * 1024;
/// The number of steps of a piece: up to 32 of a tree or of recursive doubling, and the two below.
const STEPS: u32 = 64;
/// The step in which the result is sent to a root that is not the root of the tree, or to a surplus rank.
const RESULT: u32 = 62;
/// The step in which a surplus rank sends its vector to its neighbour.
const HAND_OVER: u32 = 63;

/// The piece of the vector that is being reduced.
struct ReducePieces {
    src: Src<'static>,
    dst: Dst<'static>,
    most: usize,
    from: usize,
    number: u32,
}

impl ReducePieces {
    fn new(src: Src<'static>, dst: Dst<'static>, width: usize) -> ReducePieces {
        ReducePieces { src, dst, most: (PIECE / width).max(1) * width, from: 0, number: 0 }
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

    /// Advances to the next piece; returns false if there is none.
    fn next(&mut self) -> bool {
        self.from += self.len();
        self.number += 1;
        self.from < self.src.len()
    }
}

/// The partial result; None while it equals this rank's own operand.
struct PartialSum(Option<Buffer>);

impl PartialSum {
    fn src<'a>(&'a self, own: Src<'a>) -> Src<'a> {
        self.0.as_ref().map_or(own, Buffer::src)
    }

    /// Combines with `right`, the partial result of the ranks after those of this one.
    fn combine_right(&mut self, operator: &Operator, own: Src<'_>, mut right: Buffer) {
        operator.apply(self.src(own), right.dst());
        self.0 = Some(right);
    }

    /// Combines with `left`, the partial result of the ranks before those of this one.
    fn combine_left(&mut self, operator: &Operator, own: Src<'_>, left: &Buffer) {
        let sum = self.0.get_or_insert_with(|| Buffer::of(own));
        operator.apply(left.src(), sum.dst());
    }
}

pub(crate) struct Reduce {
    operator: Operator,
    root: u32,
    /// The root of the tree.
    top: u32,
    pieces: ReducePieces,
    sum: PartialSum,
    state: UpPhase,
}

enum UpPhase {
    New,
    /// Waits for the child of this bit.
    Joining(u32),
    /// Sends to this rank, in this step.
    Sending(u32, u32),
    /// At a root that is not the root of the tree: waits for the result.
    Waiting,
}

impl Reduce {
    /// `dst` is used on `root` only, where it may be `src`.
    pub(crate) fn new(operator: Operator, in_order: bool, root: u32, dst: Dst<'static>, src: Src<'static>) -> Reduce {
        let pieces = ReducePieces::new(src, dst, operator.width);
        Reduce {
            operator,
            root,
            top: if in_order { 0 } else { root },
            pieces,
            sum: PartialSum(None),
            state: UpPhase::New,
        }
    }
}

impl Steps for Reduce {
    fn step(&mut self, mail: &Mailbox<'_>) -> bool {
        let (me, size) = (mail.me(), mail.size());
        let top = self.top;
        let place = if me >= top { me - top } else { size - top + me };
        let rank = |place: u64| ((place + u64::from(top)) % u64::from(size)) as u32;
        let child = |bit: u32| u64::from(place) + (1 << bit);
        let is_child = |bit: u32| (place == 0 || bit < place.trailing_zeros()) && child(bit) < u64::from(size);
        loop {
            let own = self.pieces.src();
            match self.state {
                UpPhase::New => {
                    for bit in (0..32).take_while(|&bit| is_child(bit)) {
                        mail.clear_to_send(rank(child(bit)), self.pieces.step(bit), own.len());
                    }
                    self.state = UpPhase::Joining(0);
                }
                UpPhase::Joining(bit) if is_child(bit) => {
                    let Some(part) = mail.take(rank(child(bit)), self.pieces.step(bit)) else { return false };
                    self.sum.combine_right(&self.operator, own, part);
                    self.state = UpPhase::Joining(bit + 1);
                    continue;
                }
                UpPhase::Joining(_) if place != 0 => {
                    self.state = UpPhase::Sending(rank((place & (place - 1)).into()), place.trailing_zeros());
                }
                UpPhase::Joining(_) if me != self.root => self.state = UpPhase::Sending(self.root, RESULT),
                UpPhase::Joining(_) => {
                    let dst = self.pieces.dst();
                    if self.sum.0.is_some() || own.as_ptr() != dst.as_ptr().cast_const() {
                        mem::copy(dst, self.sum.src(own));
                    }
                    if self.end_piece() {
                        return true;
                    }
                }
                UpPhase::Sending(to, step) => {
                    if !mail.send(to, self.pieces.step(step), self.sum.src(own)) {
                        return false;
                    }
                    if me == self.root {
                        mail.post(self.top, self.pieces.step(RESULT), self.pieces.dst());
                        self.state = UpPhase::Waiting;
                    } else if self.end_piece() {
                        return true;
                    }
                }
                UpPhase::Waiting => {
                    if !mail.arrived(self.top, self.pieces.step(RESULT)) {
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

impl Reduce {
    /// Ends the current piece; returns true if it was the last one.
    fn end_piece(&mut self) -> bool {
        self.sum = PartialSum(None);
        self.state = UpPhase::New;
        !self.pieces.next()
    }
}

pub(crate) struct Allreduce {
    operator: Operator,
    pieces: ReducePieces,
    sum: PartialSum,
    state: Doubling,
}

enum Doubling {
    New,
    /// A surplus rank: sends its vector to the rank after it.
    HandingOver,
    /// A surplus rank: waits for the result from that rank.
    Idle,
    /// Waits for the vector of the surplus rank before it.
    TakingOver,
    /// Clears the partner of this bit to send.
    Welcoming(u32),
    /// Sends the partial result to that partner.
    Sending(u32),
    /// Waits for that of the partner.
    Joining(u32),
    /// Sends the result to the surplus rank before it.
    Returning,
}

impl Allreduce {
    /// `dst` may be `src`.
    pub(crate) fn new(operator: Operator, dst: Dst<'static>, src: Src<'static>) -> Allreduce {
        let pieces = ReducePieces::new(src, dst, operator.width);
        Allreduce { operator, pieces, sum: PartialSum(None), state: Doubling::New }
    }

    fn end_piece(&mut self) -> bool {
        self.sum = PartialSum(None);
        self.state = Doubling::New;
        !self.pieces.next()
    }
}

/// The participants of recursive doubling: a power of two. Ranks below `2 * extra` form pairs of a surplus rank
/// (even) and a participant (odd).
struct Pairing {
    extra: u32,
    /// The base-2 logarithm of the number of participants.
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

impl Steps for Allreduce {
    fn step(&mut self, mail: &Mailbox<'_>) -> bool {
        let me = mail.me();
        let pairing = Pairing::of(mail.size());
        let place = pairing.place(me);
        let partner = |bit: u32| pairing.rank(place ^ 1 << bit);
        loop {
            let own = self.pieces.src();
            let step = |step| self.pieces.step(step);
            match self.state {
                Doubling::New if pairing.is_pair(me) && me % 2 == 0 => self.state = Doubling::HandingOver,
                Doubling::New if pairing.is_pair(me) => {
                    mail.clear_to_send(me - 1, step(HAND_OVER), own.len());
                    self.state = Doubling::TakingOver;
                }
                Doubling::New => self.state = Doubling::Welcoming(0),
                Doubling::HandingOver => {
                    if !mail.send(me + 1, step(HAND_OVER), own) {
                        return false;
                    }
                    mail.post(me + 1, step(RESULT), self.pieces.dst());
                    self.state = Doubling::Idle;
                }
                Doubling::Idle => {
                    if !mail.arrived(me + 1, step(RESULT)) {
                        return false;
                    }
                    if self.end_piece() {
                        return true;
                    }
                }
                Doubling::TakingOver => {
                    let Some(left) = mail.take(me - 1, step(HAND_OVER)) else { return false };
                    self.sum.combine_left(&self.operator, own, &left);
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
                    mail.clear_to_send(partner(bit), step(bit), own.len());
                    self.state = Doubling::Sending(bit);
                }
                Doubling::Sending(bit) => {
                    if !mail.send(partner(bit), step(bit), self.sum.src(own)) {
                        return false;
                    }
                    self.state = Doubling::Joining(bit);
                }
                Doubling::Joining(bit) => {
                    let Some(theirs) = mail.take(partner(bit), step(bit)) else { return false };
                    if place & 1 << bit != 0 {
                        self.sum.combine_left(&self.operator, own, &theirs);
                    } else {
                        self.sum.combine_right(&self.operator, own, theirs);
                    }
                    self.state = Doubling::Welcoming(bit + 1);
                }
                Doubling::Returning => {
                    if !mail.send(me - 1, step(RESULT), self.pieces.dst().as_src()) {
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
