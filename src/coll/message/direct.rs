//! Scatter, gather, allgather and alltoall by messages, pairwise: each block is sent directly from its source to
//! its destination.

use crate::coll::engine::{Mailbox, Steps};
use crate::coll::shares::Shares;
use crate::mem::{self, Dst, Src};

/// The blocks that this rank sends and receives: at most one in each direction between two ranks.
pub(crate) struct Direct {
    to: Vec<(u32, Src<'static>)>,
    from: Vec<(u32, Dst<'static>)>,
    /// The buffers of `from` have been posted.
    begun: bool,
}

impl Direct {
    fn new(to: Vec<(u32, Src<'static>)>, from: Vec<(u32, Dst<'static>)>) -> Direct {
        Direct { to, from, begun: false }
    }

    /// All ranks, starting with the one after `me`, so that members start with different destinations; `me` last.
    fn others_first(me: u32, size: u32) -> impl Iterator<Item = u32> {
        (1..=size).map(move |step| ((u64::from(me) + u64::from(step)) % u64::from(size)) as u32)
    }

    fn parts(shares: &Shares, src: Src<'static>, to: impl Iterator<Item = u32>) -> Vec<(u32, Src<'static>)> {
        to.map(|r| (r, src.part(shares.at(r as usize), shares.len(r as usize)))).collect()
    }

    fn places(shares: &Shares, dst: Dst<'static>, size: u32) -> Vec<(u32, Dst<'static>)> {
        (0..size).map(|r| (r, dst.part(shares.at(r as usize), shares.len(r as usize)))).collect()
    }

    /// Copies block `r` of `src` at `root` to rank `r`'s `dst`.
    pub(crate) fn scatter(
        me: u32,
        size: u32,
        root: u32,
        shares: &Shares,
        dst: Dst<'static>,
        src: Src<'static>,
    ) -> Direct {
        let to = match me == root {
            true => Self::parts(shares, src, Self::others_first(me, size)),
            false => Vec::new(),
        };
        Direct::new(to, vec![(root, dst)])
    }

    /// Copies rank `r`'s `src` to block `r` of `dst` at `root`.
    pub(crate) fn gather(
        me: u32,
        size: u32,
        root: u32,
        shares: &Shares,
        dst: Dst<'static>,
        src: Src<'static>,
    ) -> Direct {
        let from = if me == root { Self::places(shares, dst, size) } else { Vec::new() };
        Direct::new(vec![(root, src)], from)
    }

    /// Copies rank `r`'s `src` to block `r` of every member's `dst`.
    pub(crate) fn allgather(me: u32, size: u32, shares: &Shares, dst: Dst<'static>, src: Src<'static>) -> Direct {
        let to = Self::others_first(me, size).map(|r| (r, src)).collect();
        Direct::new(to, Self::places(shares, dst, size))
    }

    /// Copies block `r` of `src` to block `me` of rank `r`'s `dst`; blocks are those of pairs.
    pub(crate) fn alltoall(me: u32, size: u32, shares: &Shares, dst: Dst<'static>, src: Src<'static>) -> Direct {
        let mine = shares.of_pairs(me as usize);
        Direct::new(Self::parts(&mine, src, Self::others_first(me, size)), Self::places(&mine, dst, size))
    }
}

impl Steps for Direct {
    fn step(&mut self, mail: &Mailbox<'_>) -> bool {
        let me = mail.me();
        if !self.begun {
            self.begun = true;
            let to = self.to.iter().position(|&(rank, _)| rank == me);
            let from = self.from.iter().position(|&(rank, _)| rank == me);
            if let (Some(to), Some(from)) = (to, from) {
                let ((_, src), (_, dst)) = (self.to.swap_remove(to), self.from.swap_remove(from));
                if src.as_ptr() != dst.as_ptr().cast_const() {
                    mem::copy(dst, src);
                }
            }
            self.from.retain(|(_, dst)| !dst.is_empty());
            self.to.retain(|(_, src)| !src.is_empty());
            self.from.iter().for_each(|&(from, dst)| mail.post(from, 0, dst));
        }
        self.to.retain(|&(to, src)| !mail.send(to, 0, src));
        self.from.retain(|&(from, _)| !mail.arrived(from, 0));
        self.to.is_empty() && self.from.is_empty()
    }
}
