//! Broadcast by messages along a binomial tree.

use crate::coll::engine::{Mailbox, Steps};
use crate::mem::{self, Dst, Src};

pub(crate) struct Broadcast {
    root: u32,
    dst: Dst<'static>,
    src: Src<'static>,
    state: BroadcastState,
}

enum BroadcastState {
    New,
    Receiving,
    /// The children to which nothing has been sent yet, as a set of bits.
    Sending(u32),
}

/// The children in a binomial tree of the rank at distance `place` from the root, as a set of bits: child `place +
/// 2^i` for each bit i.
pub(crate) fn children(place: u32, size: u32) -> u32 {
    let below = if place == 0 { u32::BITS } else { place.trailing_zeros() };
    (0..below).take_while(|bit| u64::from(place) + (1 << bit) < u64::from(size)).fold(0, |all, bit| all | 1 << bit)
}

impl Broadcast {
    /// `src` is used on `root` only, where it may be `dst`.
    pub(crate) fn new(root: u32, dst: Dst<'static>, src: Src<'static>) -> Broadcast {
        Broadcast { root, dst, src, state: BroadcastState::New }
    }

    fn place(&self, mail: &Mailbox<'_>) -> u32 {
        let size = mail.size();
        if mail.me() >= self.root { mail.me() - self.root } else { size - self.root + mail.me() }
    }

    fn rank(&self, mail: &Mailbox<'_>, place: u32) -> u32 {
        ((u64::from(place) + u64::from(self.root)) % u64::from(mail.size())) as u32
    }
}

impl Steps for Broadcast {
    fn step(&mut self, mail: &Mailbox<'_>) -> bool {
        if self.dst.is_empty() {
            return true;
        }
        let place = self.place(mail);
        let parent = self.rank(mail, place & place.wrapping_sub(1));
        loop {
            match self.state {
                BroadcastState::New if place == 0 => {
                    if self.src.as_ptr() != self.dst.as_ptr().cast_const() {
                        mem::copy(self.dst, self.src);
                    }
                    self.state = BroadcastState::Sending(children(place, mail.size()));
                }
                BroadcastState::New => {
                    mail.post(parent, 0, self.dst);
                    self.state = BroadcastState::Receiving;
                }
                BroadcastState::Receiving => {
                    if !mail.arrived(parent, 0) {
                        return false;
                    }
                    self.state = BroadcastState::Sending(children(place, mail.size()));
                }
                BroadcastState::Sending(all) => {
                    let mut left = all;
                    // The largest subtree first.
                    for bit in (0..u32::BITS).rev().filter(|bit| all & 1 << bit != 0) {
                        if mail.send(self.rank(mail, place + (1 << bit)), 0, self.dst.as_src()) {
                            left &= !(1 << bit);
                        }
                    }
                    self.state = BroadcastState::Sending(left);
                    return left == 0;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rank_but_the_root_has_one_parent() {
        for size in 1..70 {
            let mut parents = vec![0; size as usize];
            for place in 0..size {
                for bit in (0..32).filter(|bit| children(place, size) & 1 << bit != 0) {
                    let child: u32 = place + (1 << bit);
                    assert_eq!(child & (child - 1), place);
                    parents[child as usize] += 1;
                }
            }
            assert_eq!(parents[0], 0);
            assert!(parents[1..].iter().all(|&n| n == 1), "{size}: {parents:?}");
        }
    }
}
