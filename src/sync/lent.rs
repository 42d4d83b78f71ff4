//! Per-thread objects whose thread-local needs no destructor: a thread takes one from a pool at its first use and returns
//! it in the last round of its key destructors.

use core::cell::Cell;
use std::thread::LocalKey;

use parking_lot::Mutex;

use crate::os::thread_end;

/// The object of one thread. The lock is never contended; it makes the object `Sync`.
pub(crate) type Lent<T> = &'static Mutex<T>;
/// The thread-local that points to the thread's object.
pub(crate) type LentSlot<T> = LocalKey<Cell<Option<Lent<T>>>>;

/// The objects that no thread has.
pub(crate) struct LentPool<T: 'static>(Mutex<Vec<Lent<T>>>);

impl<T: Default> LentPool<T> {
    #[allow(clippy::new_without_default)] // of statics only
    pub(crate) const fn new() -> LentPool<T> {
        LentPool(Mutex::new(Vec::new()))
    }

    /// This thread's object. The first call takes one from the pool and registers `end` for the rounds of the thread's key
    /// destructors; `end` calls [`LentPool::round`].
    pub(crate) fn mine(&self, place: &'static LentSlot<T>, end: fn()) -> Lent<T> {
        place.get().unwrap_or_else(|| {
            let lent = self.0.lock().pop().unwrap_or_else(|| Box::leak(Box::default()));
            place.set(Some(lent));
            thread_end::at_end(end);
            lent
        })
    }

    /// Called in each round: in the last one returns the object to the pool and gives its last value; before that registers
    /// `end` for the next round.
    pub(crate) fn round(&self, place: &'static LentSlot<T>, end: fn()) -> Option<T> {
        if thread_end::rounds() < thread_end::ROUNDS {
            thread_end::at_end(end);
            return None;
        }
        let lent = place.take()?;
        let left = core::mem::take(&mut *lent.lock());
        self.0.lock().push(lent);
        Some(left)
    }
}
