//! Scatter and gather of small parts by messages, along a binomial tree over the root: a member's message has the parts
//! of all members below it.

use crate::coll::broadcast::children;
use crate::coll::engine::{Desk, Steps};
use crate::coll::shares::Shares;
use crate::mem::{self, Dst, Src};

/// Where a member is in the tree. Places count from the root on.
struct Tree {
    size: usize,
    root: usize,
    place: usize,
    shares: Shares,
}

impl Tree {
    fn rank(&self, place: usize) -> u32 {
        ((place + self.root) % self.size) as u32
    }

    /// Bytes of the parts of these places.
    fn bytes(&self, places: core::ops::Range<usize>) -> usize {
        places.map(|place| self.shares.len(self.rank(place) as usize)).sum()
    }

    /// `place` and what is below it: a row of places.
    fn below(&self, place: usize) -> core::ops::Range<usize> {
        let all = if place == 0 { self.size } else { 1 << place.trailing_zeros() };
        place..(place + all).min(self.size)
    }

    fn children(&self) -> u32 {
        children(self.place as u32, self.size as u32)
    }

    /// The child of `bit`, and the part of this member's row that is its.
    fn child(&self, bit: u32) -> (u32, core::ops::Range<usize>) {
        let place = self.place + (1 << bit);
        let at = self.bytes(self.place..place);
        (self.rank(place), at..at + self.bytes(self.below(place)))
    }

    fn parent(&self) -> (u32, u32) {
        (self.rank(self.place & (self.place - 1)), self.place.trailing_zeros())
    }

    /// The bytes of `row` that come last in a row from the root on but first in rank order.
    fn wrapped(&self) -> usize {
        self.shares.all(self.root)
    }
}

fn tree(me: u32, size: u32, root: usize, shares: Shares) -> Tree {
    let (me, size) = (me as usize, size as usize);
    Tree { size, root, place: (me + size - root) % size, shares }
}

pub struct Scatter {
    tree: Tree,
    dst: Dst<'static>,
    src: Src<'static>,
    /// The parts of this member and those below it, once they are here.
    row: Option<Vec<u8>>,
    /// The bits of the children that have not been sent to.
    left: u32,
    welcomed: bool,
}

impl Scatter {
    /// Part `r` of `src` at `root` goes to rank `r`'s `dst`.
    pub fn new(me: u32, size: u32, root: usize, shares: Shares, dst: Dst<'static>, src: Src<'static>) -> Scatter {
        let tree = tree(me, size, root, shares);
        let left = tree.children();
        Scatter { tree, dst, src, row: None, left, welcomed: false }
    }

    fn receive(&mut self, desk: &Desk<'_>) -> Option<Vec<u8>> {
        let tree = &self.tree;
        if tree.place == 0 {
            let mut row = vec![0; self.src.len()];
            mem::read(&mut row, self.src);
            row.rotate_left(tree.wrapped());
            return Some(row);
        }
        let (parent, step) = tree.parent();
        if !self.welcomed {
            self.welcomed = true;
            desk.welcome(parent, step, tree.bytes(tree.below(tree.place)));
        }
        let bytes = desk.take(parent, step)?;
        let mut row = vec![0; bytes.src().len()];
        mem::read(&mut row, bytes.src());
        Some(row)
    }
}

impl Steps for Scatter {
    fn step(&mut self, desk: &Desk<'_>) -> bool {
        if self.row.is_none() {
            self.row = self.receive(desk);
            if let Some(row) = &self.row {
                mem::copy(self.dst, Src::of(&row[..self.dst.len()]));
            }
        }
        let Some(row) = &self.row else { return false };
        // The largest subtree first.
        for bit in (0..u32::BITS).rev() {
            if self.left & 1 << bit != 0 {
                let (child, part) = self.tree.child(bit);
                if desk.send(child, bit, Src::of(&row[part])) {
                    self.left &= !(1 << bit);
                }
            }
        }
        self.left == 0
    }
}

pub struct Gather {
    tree: Tree,
    dst: Dst<'static>,
    src: Src<'static>,
    /// The parts of this member and of those below it that are here.
    row: Vec<u8>,
    /// The bits of the children that have not sent.
    left: u32,
    welcomed: bool,
}

impl Gather {
    /// Rank `r`'s `src` goes to part `r` of `dst` at `root`.
    pub fn new(me: u32, size: u32, root: usize, shares: Shares, dst: Dst<'static>, src: Src<'static>) -> Gather {
        let tree = tree(me, size, root, shares);
        let left = tree.children();
        Gather { tree, dst, src, row: Vec::new(), left, welcomed: false }
    }
}

impl Steps for Gather {
    fn step(&mut self, desk: &Desk<'_>) -> bool {
        let bits = |set: u32| (0..u32::BITS).filter(move |bit| set & 1 << bit != 0);
        if !self.welcomed {
            self.welcomed = true;
            self.row.resize(self.src.len(), 0);
            mem::read(&mut self.row, self.src);
            for bit in bits(self.left) {
                let (child, part) = self.tree.child(bit);
                desk.welcome(child, bit, part.len());
            }
        }
        for bit in bits(self.left) {
            // In the order of places, which the row has.
            let Some(bytes) = desk.take(self.tree.child(bit).0, bit) else { return false };
            let from = self.row.len();
            self.row.resize(from + bytes.src().len(), 0);
            mem::read(&mut self.row[from..], bytes.src());
            self.left &= !(1 << bit);
        }
        if self.tree.place != 0 {
            let (parent, step) = self.tree.parent();
            return desk.send(parent, step, Src::of(&self.row));
        }
        self.row.rotate_right(self.tree.wrapped());
        mem::copy(self.dst, Src::of(&self.row));
        true
    }
}
