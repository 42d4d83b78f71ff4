//! A collective composed of several collectives that run one after the other.

use crate::coll::engine::{Mailbox, Steps};

pub(crate) struct Phases {
    all: Vec<Box<dyn Steps>>,
    at: usize,
}

impl Phases {
    /// At most eight.
    pub(crate) fn new(all: Vec<Box<dyn Steps>>) -> Phases {
        Phases { all, at: 0 }
    }
}

impl Steps for Phases {
    fn step(&mut self, mail: &Mailbox<'_>) -> bool {
        while let Some(steps) = self.all.get_mut(self.at) {
            if !steps.step(&mail.phase(self.at as u32)) {
                return false;
            }
            self.at += 1;
        }
        true
    }
}
