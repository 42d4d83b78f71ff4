//! The barrier of a network that combines words over all ranks itself. The names of all ranks are combined by the least of
//! each word: an id and its negative, which are each other's negatives in the end if all ids are equal, and a flag.

use parking_lot::Mutex;

use crate::conduit::Conduit;
use crate::job::Job;
use crate::sync::atomic::{AtomicU64, Ordering};

use super::names::{Names, PhaseWord};

pub(crate) struct Native {
    conduit: &'static dyn Conduit,
    /// By the library's own all-reduce.
    by_library: bool,
    /// The phase that this rank has entered. Its lock orders those who look for the result.
    entered: Mutex<u32>,
    /// [`PhaseWord`] of the last phase whose result has come.
    done: AtomicU64,
}

/// Not less than any id, and than its negative.
const NO_ID: i64 = i64::MAX;

fn words_of(names: Names) -> [i64; 3] {
    match names {
        Names::Anonymous => [NO_ID, NO_ID, 1],
        Names::Named(id) => [id.into(), -i64::from(id), 1],
        Names::Mismatch => [NO_ID, NO_ID, 0],
    }
}

fn names_of([least, negative, match_so_far]: [i64; 3]) -> Names {
    if match_so_far == 0 {
        Names::Mismatch
    } else if least == NO_ID {
        Names::Anonymous
    } else if least == -negative {
        Names::Named(least as i32)
    } else {
        Names::Mismatch
    }
}

impl Native {
    pub(crate) fn new(conduit: &'static dyn Conduit, by_library: bool) -> Native {
        Native { conduit, by_library, entered: Mutex::new(0), done: AtomicU64::new(0) }
    }

    pub(crate) fn notify(&self, phase: u32, names: Names) {
        let mut entered = self.entered.lock();
        *entered = phase;
        self.conduit.least_of_all(words_of(names), self.by_library);
    }

    pub(crate) fn look(&self, job: &Job, phase: u32) -> Option<Names> {
        let done = PhaseWord(self.done.load(Ordering::Acquire)).names(phase);
        if done.is_some() {
            return done;
        }
        let names = self.take(phase)?;
        if job.settings.concurrent() {
            job.wake_local();
        }
        Some(names)
    }

    /// The result of `phase`, if it has come and was not taken. A thread that was interrupted before it asks may come when the rank is
    /// in a later phase, whose result is not its own.
    fn take(&self, phase: u32) -> Option<Names> {
        let entered = self.entered.try_lock()?;
        if *entered != phase {
            return None;
        }
        let names = names_of(self.conduit.least_taken()?);
        // Release: with the Acquire in `look`, perhaps on another thread of this rank.
        self.done.store(PhaseWord::new(phase, names).0, Ordering::Release);
        Some(names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conduit::{AmMsg, Deliver, Limits, Sent, Take};
    use crate::defs::rank::{JobRank, Location};

    /// A network of one rank: its own words are the result.
    #[derive(Default)]
    struct Alone(Mutex<Option<[i64; 3]>>);

    impl Conduit for Alone {
        fn limits(&self) -> Limits {
            crate::conduit::loopback::ENTRY.network.as_ref().unwrap().limits
        }
        fn am(&self, _: Location, _: &AmMsg<'_>) -> Sent {
            Sent::Done
        }
        fn poll(&self, _: &dyn Deliver, _: Take, _: u32) -> u32 {
            0
        }
        fn quiet_ns(&self) -> u64 {
            0
        }
        fn gone(&self, _: JobRank) {}
        fn least_of_all(&self, words: [i64; 3], _: bool) {
            *self.0.lock() = Some(words);
        }
        fn least_taken(&self) -> Option<[i64; 3]> {
            self.0.lock().take()
        }
    }

    #[test]
    fn a_thread_that_asks_late_takes_no_later_result() {
        let native = Native::new(Box::leak(Box::<Alone>::default()), false);
        native.notify(1, Names::Named(7));
        assert_eq!(native.take(1), Some(Names::Named(7)));
        native.notify(2, Names::Named(8));
        assert_eq!(native.take(1), None);
        assert_eq!(native.take(2), Some(Names::Named(8)));
    }

    #[test]
    fn the_least_words_are_the_joined_names() {
        let all = [
            Names::Anonymous,
            Names::Mismatch,
            Names::Named(0),
            Names::Named(7),
            Names::Named(-7),
            Names::Named(i32::MIN),
            Names::Named(i32::MAX),
        ];
        for a in all {
            for b in all {
                for c in all {
                    let least =
                        [0, 1, 2].map(|at| [a, b, c].map(|names| words_of(names)[at]).into_iter().min().unwrap());
                    assert_eq!(names_of(least), a.join(b).join(c), "{a:?} {b:?} {c:?}");
                }
            }
        }
    }
}
