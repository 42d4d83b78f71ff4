//! The progress thread of a conduit, for work that must not wait for the client's next call. It is created when such
//! work first exists, sleeps while there is none, and blocks all signals. A client may provide the thread instead
//! (GEX_FLAG_DEFER_THREADS).

use std::io;
use std::thread::Thread;
use std::time::Duration;

use crate::os::{process, signal};
use crate::sync::atomic::{AtomicBool, Ordering};

/// The client provides progress threads.
static DEFERRED: AtomicBool = AtomicBool::new(false);

/// From now on no progress thread is started: the client calls [`serve`].
pub(crate) fn defer() {
    DEFERRED.store(true, Ordering::Relaxed);
}

/// Whether the client provides them.
pub(crate) fn is_deferred() -> bool {
    DEFERRED.load(Ordering::Relaxed)
}

/// A conduit's work in the background.
pub trait Background: Sync {
    /// One step, called every `period` from [`Worker::expect`] on; takes the conduit's own lock. False: there is no work
    /// left, and [`Worker::rest`] has been called under that lock.
    fn step(&self) -> bool;

    fn period(&self) -> Duration;

    /// Hands the conduit's [`Worker`] to `change`, under the conduit's lock.
    fn worker(&self, change: &mut dyn FnMut(&mut Worker));
}

/// The state, behind a conduit's lock, that has work for its progress thread.
pub(crate) trait BackgroundWork {
    /// The conduit has been opened; its progress thread calls `work`.
    fn opened(&mut self, work: &'static dyn Background);
    fn worker(&mut self) -> &mut Worker;
    /// [`Background::step`].
    fn step(&mut self) -> bool;
}

/// The progress thread of a conduit, kept behind the conduit's lock.
#[derive(Default)]
pub enum Worker {
    #[default]
    Absent,
    /// The thread could not be created, or the client has not provided it yet; the client's next call does the work.
    Denied,
    Resting(Thread),
    Awake(Thread),
}

impl Worker {
    /// There is work: wakes or creates the thread, with this `name`.
    #[inline]
    pub fn expect(&mut self, name: &str, work: Option<&'static dyn Background>) {
        if !matches!(self, Worker::Awake(_) | Worker::Denied) {
            self.wake(name, work);
        }
    }

    #[cold]
    fn wake(&mut self, name: &str, work: Option<&'static dyn Background>) {
        *self = match core::mem::take(self) {
            Worker::Resting(thread) => {
                thread.unpark();
                Worker::Awake(thread)
            }
            worker @ (Worker::Awake(_) | Worker::Denied) => worker,
            Worker::Absent if is_deferred() => Worker::Denied,
            Worker::Absent => match work.map(|work| start(name, work)) {
                Some(Ok(thread)) => Worker::Awake(thread),
                Some(Err(_)) | None => Worker::Denied,
            },
        };
    }

    /// There is no more work: the thread sleeps.
    pub fn rest(&mut self) {
        *self = match core::mem::take(self) {
            Worker::Awake(thread) => Worker::Resting(thread),
            worker => worker,
        };
    }
}

/// Does `work` on the client's thread that calls it.
pub(crate) fn serve(work: &'static dyn Background) -> ! {
    work.worker(&mut |worker| *worker = Worker::Awake(std::thread::current()));
    run(work)
}

fn run(work: &dyn Background) -> ! {
    loop {
        process::nap(work.period());
        if !work.step() {
            std::thread::park();
        }
    }
}

fn start(name: &str, work: &'static dyn Background) -> io::Result<Thread> {
    thread(name, || run(work))
}

/// A thread of the library, which takes no signals but those of its own faults.
pub(crate) fn thread(name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<Thread> {
    let builder = std::thread::Builder::new().name(name.into());
    let started = signal::Mask::all_blocked(|| {
        builder.spawn(|| {
            // The kernel kills a process whose thread blocks the signal of its fault, without a report.
            signal::Mask::of(&signal::CRASHES).unblock();
            run();
        })
    });
    started.map(|handle| handle.thread().clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use parking_lot::{Condvar, Mutex};

    /// Counts the steps of its work that are left and done.
    #[derive(Default)]
    struct Counting {
        state: Mutex<(Worker, u32, u32)>,
        changed: Condvar,
    }

    impl Background for Counting {
        fn step(&self) -> bool {
            let (worker, left, done) = &mut *self.state.lock();
            if *left == 0 {
                worker.rest();
                return false;
            }
            (*left, *done) = (*left - 1, *done + 1);
            self.changed.notify_all();
            true
        }

        fn period(&self) -> Duration {
            Duration::from_micros(50)
        }

        fn worker(&self, change: &mut dyn FnMut(&mut Worker)) {
            change(&mut self.state.lock().0);
        }
    }

    #[test]
    fn work_is_done_without_a_call_again_and_again() {
        let counting: &'static Counting = Box::leak(Box::default());
        for round in 1..=20 {
            let mut state = counting.state.lock();
            state.1 += 3;
            state.0.expect("gasnet-test", Some(counting));
            while state.2 < 3 * round {
                counting.changed.wait(&mut state);
            }
            // In some rounds the thread sleeps before the next round begins.
            drop(state);
            if round % 2 == 0 {
                process::nap(Duration::from_millis(1));
            }
        }
    }

    #[test]
    fn without_a_thread_nothing_breaks() {
        let mut worker = Worker::default();
        worker.expect("gasnet-test", None);
        assert!(matches!(worker, Worker::Denied));
        worker.rest();
        assert!(matches!(worker, Worker::Denied));
    }
}
