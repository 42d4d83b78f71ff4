//! Debug clients: checks that all ranks of a team call the same collectives in the same order. Each rank sends its
//! calls to the next rank, without waiting; a rank that finds that two calls differ reports them.

use std::collections::{BTreeMap, HashMap};

use parking_lot::Mutex;

use crate::am::library;
use crate::am::token::Token;
use crate::coll::images::request::{RequestWords, describe};
use crate::defs::message::{Msg, Payload};
use crate::fatal::{self, fatal};
use crate::job::Job;
use crate::mem::{self, Src, halves, whole};
use crate::rma::amref;
use crate::team::Team;

/// A call of one rank.
struct Declaration {
    words: RequestWords,
    /// The function, and the place of the call.
    call: String,
}

/// The calls of a member, and of the member before it, that have not been compared.
#[derive(Default)]
struct Ledger {
    calls: u32,
    mine: HashMap<u32, Declaration>,
    theirs: HashMap<u32, Declaration>,
}

/// Calls of members that have not been compared, by id and rank of the team.
static CALLS: Mutex<BTreeMap<(u64, u32), Ledger>> = Mutex::new(BTreeMap::new());

impl Declaration {
    fn bytes(&self) -> Vec<u8> {
        let words = self.words.iter().flat_map(|word| word.to_ne_bytes());
        words.chain(self.call.bytes()).collect()
    }

    fn of(bytes: &[u8]) -> Declaration {
        let (head, call) = bytes.split_at(size_of::<RequestWords>().min(bytes.len()));
        let mut words = RequestWords::default();
        let given =
            head.chunks_exact(size_of::<u64>()).filter_map(|bytes| bytes.try_into().ok()).map(u64::from_ne_bytes);
        for (word, given) in words.iter_mut().zip(given) {
            *word = given;
        }
        Declaration { words, call: String::from_utf8_lossy(call).into_owned() }
    }
}

fn compare(number: u32, (a, first): (u32, &Declaration), (b, second): (u32, &Declaration)) {
    if first.words == second.words {
        return;
    }
    let last = first.words.len() - 1;
    let why = match first.words[..last] == second.words[..last] {
        true => "the addresses differ, which GASNET_COLL_SINGLE says are the same",
        false => "all ranks of a team call the same, in the same order",
    };
    fatal!(
        "collective {} over a team differs: its rank {a} calls {} ({}), its rank {b} calls {} ({}); {why}",
        number + 1,
        first.call,
        describe(&first.words),
        second.call,
        describe(&second.words)
    );
}

impl Job {
    /// Records that this rank calls `call` over `team`.
    pub fn coll_declare(&self, team: &Team, call: &str, words: impl FnOnce() -> RequestWords) {
        if !self.settings.debug || team.size() < 2 {
            return;
        }
        let (me, size) = (team.rank(), team.size());
        let mine = Declaration { words: words(), call: format!("{call}{}", fatal::place()) };
        let (next, before) = ((me + 1) % size, (me + size - 1) % size);
        let bytes = mine.bytes();
        let number = {
            let mut ledgers = CALLS.lock();
            let ledger = ledgers.entry((team.id(), me)).or_default();
            let number = ledger.calls;
            ledger.calls += 1;
            match ledger.theirs.remove(&number) {
                Some(theirs) => compare(number, (before, &theirs), (me, &mine)),
                None => {
                    ledger.mine.insert(number, mine);
                }
            }
            number
        };
        let [high, low] = halves(team.id() as usize);
        let args = [high, low, next as i32, number as i32, me as i32];
        let bytes = Src::of(&bytes[..bytes.len().min(self.limits.medium)]);
        self.am_request(team.job_rank(next), library::COLL_DECLARED, Payload::Medium(bytes), &args);
    }

    /// Releases the state of `team`.
    pub fn coll_forget_calls(&self, team: &Team) {
        CALLS.lock().remove(&(team.id(), team.rank()));
    }
}

/// Request: the call of rank (args 4) of team (args 0, 1) as collective (args 3), to member (args 2).
pub(crate) fn on_declared(_token: &Token, msg: Msg<'_>) {
    let id = whole(msg.args[0], msg.args[1]) as u64;
    let (me, number, from) = (msg.args[2] as u32, msg.args[3] as u32, msg.args[4] as u32);
    let mut bytes = vec![0; msg.nbytes];
    mem::read(&mut bytes, amref::payload(&msg));
    let theirs = Declaration::of(&bytes);
    let mut ledgers = CALLS.lock();
    let ledger = ledgers.entry((id, me)).or_default();
    match ledger.mine.remove(&number) {
        Some(mine) => compare(number, (from, &theirs), (me, &mine)),
        None => {
            ledger.theirs.insert(number, theirs);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coll::images::request;
    use crate::defs::rank::Location;
    use crate::endpoint;
    use crate::job::several_tests::{several, several_debug};
    use crate::settings::Threads;
    use crate::team;

    #[test]
    fn a_declaration_is_read_as_it_was_written() {
        let words: RequestWords = core::array::from_fn(|at| u64::MAX / (at as u64 + 1));
        let bytes = Declaration { words, call: "gather at a.c:5".into() }.bytes();
        let read = Declaration::of(&bytes);
        assert_eq!((read.words, read.call.as_str()), (words, "gather at a.c:5"));
        // As much of it as there is.
        let cut = Declaration::of(&bytes[..20]);
        assert_eq!((&cut.words[..3], cut.call.as_str()), (&[words[0], words[1], 0][..], ""));
    }

    fn team_of(jobs: &[&'static Job], id: u64) -> Vec<&'static Team> {
        let members: Vec<_> = jobs.iter().map(|job| Location { rank: job.me, ep: 0 }).collect();
        (0..).zip(jobs).map(|(rank, job)| team::make(job, &members, rank, endpoint::primordial(), id)).collect()
    }

    #[test]
    fn debug_clients_calls_are_compared_once_both_are_known_in_any_order() {
        library::register(&[(library::COLL_DECLARED, on_declared)]);
        for first in 0..3 {
            let ranks = several_debug(3);
            let teams = team_of(&ranks.jobs, 8200 + first as u64);
            let open = |member: usize| {
                let ledgers = CALLS.lock();
                let of = ledgers.get(&(teams[0].id(), member as u32));
                of.map_or((0, 0, 0), |of| (of.calls as usize, of.mine.len(), of.theirs.len()))
            };
            for call in 1..4 {
                for step in 0..3 {
                    let at = (first + step) % 3;
                    let words = || request::words(request::BARRIER, 0, call, [0; 3]);
                    ranks.jobs[at].coll_declare(teams[at], "barrier", words);
                    // The next member knows this call before it makes its own.
                    ranks.jobs[(at + 1) % 3].poll();
                    assert_eq!(open(at).0, call);
                }
                (0..3).for_each(|at| assert_eq!(open(at), (call, 0, 0)));
            }
            teams.iter().zip(&ranks.jobs).for_each(|(team, job)| job.coll_forget_calls(team));
            assert!(!CALLS.lock().keys().any(|(id, _)| *id == teams[0].id()));
        }
        // Calls of other clients, and of one member, are not.
        for ranks in [|| several(2, Threads::Seq, 64), || several_debug(1)] {
            let ranks = ranks();
            let teams = team_of(&ranks.jobs, 8300);
            ranks.jobs[0].coll_declare(teams[0], "barrier", || panic!("nobody asked for it"));
            assert!(ranks.jobs.iter().all(|job| job.poll() == 0));
            assert!(CALLS.lock().get(&(8300, 0)).is_none());
        }
    }
}
