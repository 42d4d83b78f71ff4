//! The barrier of a network that combines words over all ranks itself. The names of all ranks are combined by the least of
//! each word: an id and its negative, which are each other's negatives in the end if all ids are equal, and a flag.

use crate::conduit::Conduit;
use crate::job::Job;
use crate::sync::atomic::{AtomicU64, Ordering};

use super::names::{Names, PhaseWord};

pub(crate) struct Native {
    conduit: &'static dyn Conduit,
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
    pub(crate) fn new(conduit: &'static dyn Conduit) -> Native {
        Native { conduit, done: AtomicU64::new(0) }
    }

    pub(crate) fn notify(&self, names: Names) {
        self.conduit.least_of_all(words_of(names));
    }

    pub(crate) fn look(&self, job: &Job, phase: u32) -> Option<Names> {
        let done = PhaseWord(self.done.load(Ordering::Acquire)).names(phase);
        if done.is_some() {
            return done;
        }
        let names = names_of(self.conduit.least_taken()?);
        // Release: with the Acquire above, perhaps on another thread of this rank.
        self.done.store(PhaseWord::new(phase, names).0, Ordering::Release);
        if job.settings.concurrent() {
            job.wake_local();
        }
        Some(names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
