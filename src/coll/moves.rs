//! Collectives in which every block goes straight from its owner to its place: scatter, gather, gather to all,
//! exchange.

use crate::coll::engine::{Desk, Steps};
use crate::coll::shares::Shares;
use crate::mem::{self, Dst, Src};

/// What one rank sends and receives: at most one block each way between two ranks.
pub struct Moves {
    to: Vec<(u32, Src<'static>)>,
    from: Vec<(u32, Dst<'static>)>,
    /// The blocks of `from` have been announced.
    begun: bool,
}

impl Moves {
    fn new(to: Vec<(u32, Src<'static>)>, from: Vec<(u32, Dst<'static>)>) -> Moves {
        Moves { to, from, begun: false }
    }

    /// The ranks of `size` from the one after `me` on, so that not all begin with the same; `me` last.
    fn others_first(me: u32, size: u32) -> impl Iterator<Item = u32> {
        (1..=size).map(move |step| ((u64::from(me) + u64::from(step)) % u64::from(size)) as u32)
    }

    fn parts(shares: &Shares, src: Src<'static>, to: impl Iterator<Item = u32>) -> Vec<(u32, Src<'static>)> {
        to.map(|r| (r, src.part(shares.at(r as usize), shares.len(r as usize)))).collect()
    }

    fn places(shares: &Shares, dst: Dst<'static>, size: u32) -> Vec<(u32, Dst<'static>)> {
        (0..size).map(|r| (r, dst.part(shares.at(r as usize), shares.len(r as usize)))).collect()
    }

    /// Part `r` of `src` at `root` goes to rank `r`'s `dst`.
    pub fn scatter(me: u32, size: u32, root: u32, shares: &Shares, dst: Dst<'static>, src: Src<'static>) -> Moves {
        let to = match me == root {
            true => Self::parts(shares, src, Self::others_first(me, size)),
            false => Vec::new(),
        };
        Moves::new(to, vec![(root, dst)])
    }

    /// Rank `r`'s `src` goes to part `r` of `dst` at `root`.
    pub fn gather(me: u32, size: u32, root: u32, shares: &Shares, dst: Dst<'static>, src: Src<'static>) -> Moves {
        let from = if me == root { Self::places(shares, dst, size) } else { Vec::new() };
        Moves::new(vec![(root, src)], from)
    }

    /// Rank `r`'s `src` goes to part `r` of everybody's `dst`.
    pub fn gather_all(me: u32, size: u32, shares: &Shares, dst: Dst<'static>, src: Src<'static>) -> Moves {
        let to = Self::others_first(me, size).map(|r| (r, src)).collect();
        Moves::new(to, Self::places(shares, dst, size))
    }

    /// Part `r` of `src` goes to part `me` of rank `r`'s `dst`; parts are those of pairs.
    pub fn exchange(me: u32, size: u32, shares: &Shares, dst: Dst<'static>, src: Src<'static>) -> Moves {
        let mine = shares.of_pairs(me as usize);
        Moves::new(Self::parts(&mine, src, Self::others_first(me, size)), Self::places(&mine, dst, size))
    }
}

impl Steps for Moves {
    fn step(&mut self, desk: &Desk<'_>) -> bool {
        let me = desk.me();
        if !self.begun {
            self.begun = true;
            let own = |list: &[u32]| list.iter().position(|&rank| rank == me);
            let to = own(&self.to.iter().map(|(rank, _)| *rank).collect::<Vec<_>>());
            let from = own(&self.from.iter().map(|(rank, _)| *rank).collect::<Vec<_>>());
            if let (Some(to), Some(from)) = (to, from) {
                let ((_, src), (_, dst)) = (self.to.swap_remove(to), self.from.swap_remove(from));
                if src.as_ptr() != dst.as_ptr().cast_const() {
                    mem::copy(dst, src);
                }
            }
            self.from.retain(|(_, dst)| !dst.is_empty());
            self.to.retain(|(_, src)| !src.is_empty());
            self.from.iter().for_each(|&(from, dst)| desk.expect(from, 0, dst));
        }
        self.to.retain(|&(to, src)| !desk.send(to, 0, src));
        self.from.retain(|&(from, _)| !desk.arrived(from, 0));
        self.to.is_empty() && self.from.is_empty()
    }
}
