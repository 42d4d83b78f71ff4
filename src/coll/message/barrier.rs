//! Barrier by messages: dissemination, as in barrier/dissem.rs, without names.

use crate::coll::engine::{Mailbox, Steps};

#[derive(Default)]
pub(crate) struct BarrierSteps {
    step: u32,
    /// The message of `step` has been sent.
    sent: bool,
}

impl Steps for BarrierSteps {
    fn step(&mut self, mail: &Mailbox<'_>) -> bool {
        let (me, size) = (u64::from(mail.me()), u64::from(mail.size()));
        while 1 << self.step < size {
            let far = 1 << self.step;
            if !self.sent {
                mail.signal(((me + far) % size) as u32, self.step);
                self.sent = true;
            }
            if !mail.signalled(((me + size - far) % size) as u32, self.step) {
                return false;
            }
            self.step += 1;
            self.sent = false;
        }
        true
    }
}
