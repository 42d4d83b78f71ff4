//! Exchange of small blocks by messages, in few steps (Bruck and others, as in `concat.rs`, the index operation): the
//! block for the member d after this one takes a hop of 2^i for each bit i of d, together with all others that do.

use crate::coll::engine::{Desk, Steps};
use crate::coll::shares::Shares;
use crate::mem::{self, Dst, Src};

pub struct Swap {
    me: usize,
    size: usize,
    shares: Shares,
    dst: Dst<'static>,
    /// What this member gives, until the first step.
    src: Option<Src<'static>>,
    /// By how far they go in all; those that have come here, at last.
    blocks: Vec<Vec<u8>>,
    bit: u32,
    welcomed: bool,
    sent: bool,
}

/// The distances that take the hop of `bit`.
fn movers(size: usize, bit: u32) -> impl Iterator<Item = usize> {
    (0..size).filter(move |distance| distance >> bit & 1 != 0)
}

impl Swap {
    /// Part `r` of `src` goes to part `me` of rank `r`'s `dst`; parts are those of pairs.
    pub fn new(me: usize, size: usize, shares: Shares, dst: Dst<'static>, src: Src<'static>) -> Swap {
        let (src, blocks) = (Some(src), Vec::new());
        Swap { me, size, shares, dst, src, blocks, bit: 0, welcomed: false, sent: false }
    }

    fn block(&self, src: Src<'static>, distance: usize) -> Vec<u8> {
        let (mine, to) = (self.shares.of_pairs(self.me), (self.me + distance) % self.size);
        let mut block = vec![0; mine.len(to)];
        mem::read(&mut block, src.part(mine.at(to), mine.len(to)));
        block
    }

    /// Bytes of the block that comes here in the hop of `bit` and goes `distance` in all.
    fn coming(&self, bit: u32, distance: usize) -> usize {
        let gone = distance & ((2 << bit) - 1);
        let origin = (self.me + self.size - gone) % self.size;
        self.shares.of_pairs(origin).len((origin + distance) % self.size)
    }
}

impl Steps for Swap {
    fn step(&mut self, desk: &Desk<'_>) -> bool {
        if let Some(src) = self.src.take() {
            self.blocks = (0..self.size).map(|distance| self.block(src, distance)).collect();
        }
        while 1 << self.bit < self.size {
            let (bit, far) = (self.bit, 1 << self.bit);
            let (to, from) = ((self.me + far) % self.size, (self.me + self.size - far) % self.size);
            if !self.welcomed {
                desk.welcome(from as u32, bit, movers(self.size, bit).map(|distance| self.coming(bit, distance)).sum());
                self.welcomed = true;
            }
            if !self.sent {
                let bytes: Vec<u8> =
                    movers(self.size, bit).flat_map(|distance| &self.blocks[distance]).copied().collect();
                if !desk.send(to as u32, bit, Src::of(&bytes)) {
                    return false;
                }
                self.sent = true;
            }
            let Some(theirs) = desk.take(from as u32, bit) else { return false };
            let mut at = 0;
            for distance in movers(self.size, bit) {
                let len = self.coming(bit, distance);
                let mut block = vec![0; len];
                mem::read(&mut block, theirs.src().part(at, len));
                at += len;
                self.blocks[distance] = block;
            }
            self.bit += 1;
            (self.welcomed, self.sent) = (false, false);
        }
        let mine = self.shares.of_pairs(self.me);
        for (distance, block) in self.blocks.iter().enumerate() {
            let from = (self.me + self.size - distance) % self.size;
            mem::copy(self.dst.part(mine.at(from), mine.len(from)), Src::of(block));
        }
        true
    }
}
