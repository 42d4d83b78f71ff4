//! What a thread has for itself without a destructor of its thread-local: taken from a pool at the first use, given
//! back in the last round of the thread's key destructors, kept for the next thread.

use core::cell::Cell;
use std::thread::LocalKey;

use parking_lot::Mutex;

use crate::os::thread_end;

/// One thread's; the lock is for the compiler: no other thread has it meanwhile.
pub type Lent<T> = &'static Mutex<T>;
/// Where a thread keeps which one it has.
pub type Place<T> = LocalKey<Cell<Option<Lent<T>>>>;

/// All that no thread has.
pub struct Pool<T: 'static>(Mutex<Vec<Lent<T>>>);

impl<T: Default> Pool<T> {
    #[allow(clippy::new_without_default)] // of statics only
    pub const fn new() -> Pool<T> {
        Pool(Mutex::new(Vec::new()))
    }

    /// What this thread has; if nothing yet, one is taken, and `end` runs in each round of its key destructors: it
    /// calls [`Pool::round`].
    pub fn mine(&self, place: &'static Place<T>, end: fn()) -> Lent<T> {
        place.get().unwrap_or_else(|| {
            let lent = self.0.lock().pop().unwrap_or_else(|| Box::leak(Box::default()));
            place.set(Some(lent));
            thread_end::at_end(end);
            lent
        })
    }

    /// In the last round gives back what this thread had, as it left it; in those before asks for the next.
    pub fn round(&self, place: &'static Place<T>, end: fn()) -> Option<T> {
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
