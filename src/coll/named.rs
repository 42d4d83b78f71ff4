//! Named split-phase barriers (notify, then wait or try) over teams. The primordial team and teams that share
//! memory use those of barrier/, which also defines how names are matched; this module has the barrier by messages.

use core::ffi::{CStr, c_int};
use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::barrier::Barrier;
use crate::barrier::names::{Names, Outcome};
use crate::barrier::of_all::of_all;
use crate::coll::engine::{self, Mailbox, Steps};
use crate::event::{Handle, Op};
use crate::fatal::usage;
use crate::job::Job;
use crate::mem;
use crate::team::Team;

/// Dissemination barrier that combines the names of all members.
struct Named {
    step: u32,
    sent: bool,
    names: Names,
    agreed: Arc<Mutex<Names>>,
}

impl Steps for Named {
    fn step(&mut self, mail: &Mailbox<'_>) -> bool {
        let (me, size) = (u64::from(mail.me()), u64::from(mail.size()));
        while 1 << self.step < size {
            let far = 1 << self.step;
            if !self.sent {
                let (state, id) = self.names.pack();
                let word = [u64::from(state) << 32 | u64::from(id as u32)];
                self.sent = mail.send(((me + far) % size) as u32, self.step, mem::words_of(&word));
            }
            let Some(word) = mail.take(((me + size - far) % size) as u32, self.step) else { return false };
            let word = word.words()[0];
            self.names = self.names.join(Names::unpack((word >> 32) as u32, word as c_int));
            self.step += 1;
            self.sent = false;
        }
        *self.agreed.lock() = self.names;
        true
    }

    fn name(&self) -> &'static CStr {
        c"barrier by notify and wait"
    }
}

/// A member's split-phase barriers.
struct Split {
    /// The barrier that was notified and not yet completed by wait or try.
    open: Option<Handle>,
    /// The result of the last barrier.
    agreed: Arc<Mutex<Names>>,
}

/// Split-phase barriers of teams other than the primordial one, by id and rank of the team.
static SPLITS: Mutex<BTreeMap<(u64, u32), Split>> = Mutex::new(BTreeMap::new());

fn key(team: &Team) -> (u64, u32) {
    (team.id(), team.rank())
}

impl Job {
    /// The barrier of `team`; None if it uses messages.
    fn barrier_of(&self, team: &'static Team) -> Option<&'static Barrier> {
        if team.is_primordial() { Some(of_all(self)) } else { team.near().map(|near| &near.barrier) }
    }

    /// Notifies the barrier of `team`.
    pub fn team_notify(&self, call: &str, team: &'static Team, id: c_int, flags: c_int) {
        if let Some(barrier) = self.barrier_of(team) {
            return barrier.notify(self, call, id, flags);
        }
        let agreed = {
            let mut splits = SPLITS.lock();
            let new = || Split { open: None, agreed: Arc::new(Mutex::new(Names::Anonymous)) };
            let split = splits.entry(key(team)).or_insert_with(new);
            if split.open.is_some() {
                usage!(call, "a barrier is already in progress on this team: it was notified and not yet waited for");
            }
            Arc::clone(&split.agreed)
        };
        let steps = Named { step: 0, sent: false, names: Names::of(id, flags), agreed };
        let handle = self.coll_launch(team, Box::new(steps), engine::fresh).map_or(Handle::DONE, Op::hand_out);
        if let Some(split) = SPLITS.lock().get_mut(&key(team)) {
            split.open = Some(handle);
        }
    }

    fn team_handle(&self, call: &str, team: &'static Team) -> Handle {
        match SPLITS.lock().get(&key(team)).and_then(|split| split.open) {
            Some(handle) => handle,
            None => usage!(call, "no barrier is in progress on this team: it was not notified"),
        }
    }

    fn team_completed(&self, team: &'static Team, id: c_int, flags: c_int) -> Outcome {
        let mut splits = SPLITS.lock();
        let Some(split) = splits.get_mut(&key(team)) else { return Outcome::Mismatch };
        split.open = None;
        split.agreed.lock().verdict(id, flags)
    }

    /// Waits until every member of `team` has notified the barrier.
    pub fn team_wait(&self, call: &str, team: &'static Team, id: c_int, flags: c_int) -> Outcome {
        if let Some(barrier) = self.barrier_of(team) {
            return barrier.wait(self, call, id, flags);
        }
        self.wait(call, self.team_handle(call, team));
        self.team_completed(team, id, flags)
    }

    /// As [`Job::team_wait`], but returns None at once if a member has not notified the barrier.
    pub fn team_try(&self, call: &str, team: &'static Team, id: c_int, flags: c_int) -> Option<Outcome> {
        if let Some(barrier) = self.barrier_of(team) {
            return barrier.try_wait(self, call, id, flags);
        }
        let handle = self.team_handle(call, team);
        self.poll_once();
        self.test(call, handle).then(|| self.team_completed(team, id, flags))
    }

    /// If all members have notified the barrier, completes it and returns its result. Does not poll.
    pub fn team_look(&self, call: &str, team: &'static Team) -> Option<Names> {
        if let Some(barrier) = self.barrier_of(team) {
            return barrier.look_once(self, call);
        }
        let handle = self.team_handle(call, team);
        if !self.test(call, handle) {
            return None;
        }
        let mut splits = SPLITS.lock();
        let split = splits.get_mut(&key(team))?;
        split.open = None;
        Some(*split.agreed.lock())
    }

    /// The result of the barrier that was completed last.
    pub fn team_result(&self, call: &str, team: &'static Team) -> Names {
        if let Some(barrier) = self.barrier_of(team) {
            return barrier.result(call);
        }
        match SPLITS.lock().get(&key(team)) {
            Some(split) if split.open.is_some() => {
                usage!(call, "a barrier is in progress on this team: its result is known only after wait or try")
            }
            Some(split) => *split.agreed.lock(),
            None => Names::Anonymous,
        }
    }

    /// Releases the state of `team`'s barriers; returns whether a barrier is in progress.
    pub fn team_forget(&self, team: &'static Team) -> bool {
        let near = team.near().is_some_and(|near| near.barrier.in_progress());
        near | SPLITS.lock().remove(&key(team)).is_some_and(|split| split.open.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coll::engine::machine_tests::Crew;
    use crate::settings::Threads;

    #[test]
    fn all_members_learn_whether_their_names_agree() {
        let (named, none) = (Names::Named(7), Names::Anonymous);
        for members in 1..10usize {
            let mut crew = Crew::new(members as u32, Threads::Seq);
            for odd in 0..members {
                for (usual, other, all) in [
                    (named, named, named),
                    (named, none, named),
                    (none, named, named),
                    (none, none, none),
                    (named, Names::Named(8), Names::Mismatch),
                    (none, Names::Mismatch, Names::Mismatch),
                ] {
                    let agreed: Vec<_> = (0..members).map(|_| Arc::new(Mutex::new(none))).collect();
                    let make = |(member, agreed): (usize, &Arc<Mutex<Names>>)| {
                        let names = if member == odd { other } else { usual };
                        Box::new(Named { step: 0, sent: false, names, agreed: Arc::clone(agreed) }) as Box<dyn Steps>
                    };
                    crew.drive(agreed.iter().enumerate().map(make).collect());
                    let wanted = if members == 1 { other } else { all };
                    assert!(agreed.iter().all(|agreed| *agreed.lock() == wanted), "{members} {odd}");
                }
            }
        }
    }
}
