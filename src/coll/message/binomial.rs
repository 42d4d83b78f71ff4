//! Scatter and gather of small blocks by messages along a binomial tree: a message contains the blocks of all
//! members of a subtree.

use crate::coll::engine::{Mailbox, Steps};
use crate::coll::message::broadcast::children;
use crate::coll::shares::Shares;
use crate::mem::{self, Dst, Src};

/// The position of a member in the tree. Places are distances from the root, cyclically.
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

    /// Bytes of the blocks of these places.
    fn bytes(&self, places: core::ops::Range<usize>) -> usize {
        places.map(|place| self.shares.len(self.rank(place) as usize)).sum()
    }

    /// The places of the subtree of `place`, which are consecutive.
    fn below(&self, place: usize) -> core::ops::Range<usize> {
        let all = if place == 0 { self.size } else { 1 << place.trailing_zeros() };
        place..(place + all).min(self.size)
    }

    fn children(&self) -> u32 {
        children(self.place as u32, self.size as u32)
    }

    /// The child of `bit`, and the range of its blocks in this member's row.
    fn child(&self, bit: u32) -> (u32, core::ops::Range<usize>) {
        let place = self.place + (1 << bit);
        let at = self.bytes(self.place..place);
        (self.rank(place), at..at + self.bytes(self.below(place)))
    }

    fn parent(&self) -> (u32, u32) {
        (self.rank(self.place & (self.place - 1)), self.place.trailing_zeros())
    }

    /// Bytes of the blocks that are last in the order of places but first in the order of ranks.
    fn wrapped(&self) -> usize {
        self.shares.all(self.root)
    }
}

fn tree(me: u32, size: u32, root: usize, shares: Shares) -> Tree {
    let (me, size) = (me as usize, size as usize);
    Tree { size, root, place: (me + size - root) % size, shares }
}

pub(crate) struct Scatter {
    tree: Tree,
    dst: Dst<'static>,
    src: Src<'static>,
    /// The blocks of this member's subtree, once they have arrived.
    row: Option<Vec<u8>>,
    /// The children to which nothing has been sent yet, as a set of bits.
    left: u32,
    cleared: bool,
}

impl Scatter {
    /// Copies block `r` of `src` at `root` to rank `r`'s `dst`.
    pub(crate) fn new(
        me: u32,
        size: u32,
        root: usize,
        shares: Shares,
        dst: Dst<'static>,
        src: Src<'static>,
    ) -> Scatter {
        let tree = tree(me, size, root, shares);
        let left = tree.children();
        Scatter { tree, dst, src, row: None, left, cleared: false }
    }

    fn receive(&mut self, mail: &Mailbox<'_>) -> Option<Vec<u8>> {
        let tree = &self.tree;
        if tree.place == 0 {
            let mut row = vec![0; self.src.len()];
            mem::read(&mut row, self.src);
            row.rotate_left(tree.wrapped());
            return Some(row);
        }
        let (parent, step) = tree.parent();
        if !self.cleared {
            self.cleared = true;
            mail.clear_to_send(parent, step, tree.bytes(tree.below(tree.place)));
        }
        let bytes = mail.take(parent, step)?;
        let mut row = vec![0; bytes.src().len()];
        mem::read(&mut row, bytes.src());
        Some(row)
    }
}

impl Steps for Scatter {
    fn step(&mut self, mail: &Mailbox<'_>) -> bool {
        if self.row.is_none() {
            self.row = self.receive(mail);
            if let Some(row) = &self.row {
                mem::copy(self.dst, Src::of(&row[..self.dst.len()]));
            }
        }
        let Some(row) = &self.row else { return false };
        // The largest subtree first.
        for bit in (0..u32::BITS).rev() {
            if self.left & 1 << bit != 0 {
                let (child, part) = self.tree.child(bit);
                if mail.send(child, bit, Src::of(&row[part])) {
                    self.left &= !(1 << bit);
                }
            }
        }
        self.left == 0
    }
}

pub(crate) struct Gather {
    tree: Tree,
    dst: Dst<'static>,
    src: Src<'static>,
    /// The blocks of this member's subtree that have arrived.
    row: Vec<u8>,
    /// The children whose messages have not arrived, as a set of bits.
    left: u32,
    cleared: bool,
}

impl Gather {
    /// Copies rank `r`'s `src` to block `r` of `dst` at `root`.
    pub(crate) fn new(me: u32, size: u32, root: usize, shares: Shares, dst: Dst<'static>, src: Src<'static>) -> Gather {
        let tree = tree(me, size, root, shares);
        let left = tree.children();
        Gather { tree, dst, src, row: Vec::new(), left, cleared: false }
    }
}

impl Steps for Gather {
    fn step(&mut self, mail: &Mailbox<'_>) -> bool {
        let bits = |set: u32| (0..u32::BITS).filter(move |bit| set & 1 << bit != 0);
        if !self.cleared {
            self.cleared = true;
            self.row.resize(self.src.len(), 0);
            mem::read(&mut self.row, self.src);
            for bit in bits(self.left) {
                let (child, part) = self.tree.child(bit);
                mail.clear_to_send(child, bit, part.len());
            }
        }
        for bit in bits(self.left) {
            // In the order of places, which is that of the row.
            let Some(bytes) = mail.take(self.tree.child(bit).0, bit) else { return false };
            let from = self.row.len();
            self.row.resize(from + bytes.src().len(), 0);
            mem::read(&mut self.row[from..], bytes.src());
            self.left &= !(1 << bit);
        }
        if self.tree.place != 0 {
            let (parent, step) = self.tree.parent();
            return mail.send(parent, step, Src::of(&self.row));
        }
        self.row.rotate_right(self.tree.wrapped());
        mem::copy(self.dst, Src::of(&self.row));
        true
    }
}
