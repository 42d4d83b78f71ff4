//! Alltoall of small blocks by messages: Bruck's algorithm (the index operation of the paper cited in
//! `allgather.rs`). The block for the member at distance d is forwarded by 2^i in round i for each bit i that is
//! set in d, in one message with all other blocks that are forwarded in that round.

use crate::coll::engine::{Mailbox, Steps};
use crate::coll::shares::Shares;
use crate::mem::{self, Dst, Src};

pub(crate) struct Alltoall {
    me: usize,
    size: usize,
    shares: Shares,
    dst: Dst<'static>,
    /// The source buffer, until the first step has copied it.
    src: Option<Src<'static>>,
    /// Blocks by total distance; at the end, those for this member.
    blocks: Vec<Vec<u8>>,
    bit: u32,
    cleared: bool,
    sent: bool,
}

/// The distances of the blocks that are forwarded in the round of `bit`.
fn movers(size: usize, bit: u32) -> impl Iterator<Item = usize> {
    (0..size).filter(move |distance| distance >> bit & 1 != 0)
}

impl Alltoall {
    /// Copies block `r` of `src` to block `me` of rank `r`'s `dst`; blocks are those of pairs.
    pub(crate) fn new(me: usize, size: usize, shares: Shares, dst: Dst<'static>, src: Src<'static>) -> Alltoall {
        let (src, blocks) = (Some(src), Vec::new());
        Alltoall { me, size, shares, dst, src, blocks, bit: 0, cleared: false, sent: false }
    }

    fn block(&self, src: Src<'static>, distance: usize) -> Vec<u8> {
        let (mine, to) = (self.shares.of_pairs(self.me), (self.me + distance) % self.size);
        let mut block = vec![0; mine.len(to)];
        mem::read(&mut block, src.part(mine.at(to), mine.len(to)));
        block
    }

    /// Bytes of the block of total distance `distance` that this member receives in the round of `bit`.
    fn coming(&self, bit: u32, distance: usize) -> usize {
        let gone = distance & ((2 << bit) - 1);
        let origin = (self.me + self.size - gone) % self.size;
        self.shares.of_pairs(origin).len((origin + distance) % self.size)
    }
}

impl Steps for Alltoall {
    fn step(&mut self, mail: &Mailbox<'_>) -> bool {
        if let Some(src) = self.src.take() {
            self.blocks = (0..self.size).map(|distance| self.block(src, distance)).collect();
        }
        while 1 << self.bit < self.size {
            let (bit, far) = (self.bit, 1 << self.bit);
            let (to, from) = ((self.me + far) % self.size, (self.me + self.size - far) % self.size);
            if !self.cleared {
                mail.clear_to_send(
                    from as u32,
                    bit,
                    movers(self.size, bit).map(|distance| self.coming(bit, distance)).sum(),
                );
                self.cleared = true;
            }
            if !self.sent {
                let bytes: Vec<u8> =
                    movers(self.size, bit).flat_map(|distance| &self.blocks[distance]).copied().collect();
                if !mail.send(to as u32, bit, Src::of(&bytes)) {
                    return false;
                }
                self.sent = true;
            }
            let Some(theirs) = mail.take(from as u32, bit) else { return false };
            let mut at = 0;
            for distance in movers(self.size, bit) {
                let len = self.coming(bit, distance);
                let mut block = vec![0; len];
                mem::read(&mut block, theirs.src().part(at, len));
                at += len;
                self.blocks[distance] = block;
            }
            self.bit += 1;
            (self.cleared, self.sent) = (false, false);
        }
        let mine = self.shares.of_pairs(self.me);
        for (distance, block) in self.blocks.iter().enumerate() {
            let from = (self.me + self.size - distance) % self.size;
            mem::copy(self.dst.part(mine.at(from), mine.len(from)), Src::of(block));
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks as their lengths, which differ by sender and receiver.
    #[test]
    fn what_comes_is_as_long_as_what_is_sent() {
        let before = [0, 1, 4, 6, 7, 11, 13];
        for size in 2..before.len() {
            let shares = Shares::uneven(8, before[..=size].into());
            let all: Vec<_> =
                (0..size).map(|me| Alltoall::new(me, size, shares.clone(), Dst::none(), Src::none())).collect();
            let own = |me: usize, distance: usize| shares.of_pairs(me).len((me + distance) % size);
            let mut blocks: Vec<Vec<usize>> =
                (0..size).map(|me| (0..size).map(|distance| own(me, distance)).collect()).collect();
            for bit in (0..).take_while(|bit| 1 << bit < size) {
                let sent = blocks.clone();
                for me in 0..size {
                    let from = (me + size - (1 << bit)) % size;
                    for distance in movers(size, bit) {
                        blocks[me][distance] = sent[from][distance];
                        assert_eq!(all[me].coming(bit, distance), sent[from][distance], "{me} of {size}");
                    }
                }
            }
            for (me, blocks) in blocks.iter().enumerate() {
                let mine: Vec<_> = (0..size).map(|distance| own((me + size - distance) % size, distance)).collect();
                assert_eq!(*blocks, mine);
            }
        }
    }
}
