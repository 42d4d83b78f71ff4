//! Some words of every member to every member, in the steps of `exchange.rs`: what teams are made from.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::coll::engine::{Desk, Steps};
use crate::mem;

pub struct Words {
    /// Words of each member.
    width: usize,
    /// What the members from this one on gave, counting round.
    have: Vec<u64>,
    welcomed: bool,
    sent: bool,
    all: Arc<Mutex<Vec<u64>>>,
}

impl Words {
    pub fn new(mine: Vec<u64>, all: Arc<Mutex<Vec<u64>>>) -> Words {
        Words { width: mine.len(), have: mine, welcomed: false, sent: false, all }
    }
}

impl Steps for Words {
    fn step(&mut self, desk: &Desk<'_>) -> bool {
        let (me, size) = (desk.me() as usize, desk.size() as usize);
        loop {
            let ranks = self.have.len() / self.width;
            if ranks == size {
                self.have.rotate_right(me * self.width);
                *self.all.lock() = core::mem::take(&mut self.have);
                return true;
            }
            let step = ranks.trailing_zeros();
            let wanted = ranks.min(size - ranks) * self.width;
            let (to, from) = ((me + size - ranks) % size, (me + ranks) % size);
            if !self.welcomed {
                desk.welcome(from as u32, step, wanted * size_of::<u64>());
                self.welcomed = true;
            }
            if !self.sent {
                if !desk.send(to as u32, step, mem::words_of(&self.have[..wanted])) {
                    return false;
                }
                self.sent = true;
            }
            let Some(theirs) = desk.take(from as u32, step) else { return false };
            self.have.extend_from_slice(theirs.words());
            (self.welcomed, self.sent) = (false, false);
        }
    }
}
