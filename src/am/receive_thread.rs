//! The receive thread (GASNET_RCV_THREAD) of GASNET_PAR clients: handles messages, and advances the network, while no thread of the client
//! polls. It sleeps until something arrives. As long as threads of the client poll, or sleep in the library, it only looks now and
//! then whether they still do: otherwise it would wake up for each message, and compete for it with them.

use std::io;
use std::thread::park;
use std::time::Duration;

use crate::am::deferred::DEFERRED;
use crate::am::poll::NETWORK;
use crate::conduit;
use crate::conduit::shared::background;
use crate::env;
use crate::hang::waits::{self, Note};
use crate::job::Job;
use crate::os::signal::{self, Mask};
use crate::os::{process, sleep};
use crate::settings::{Settings, Threads};
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::thread;

/// The time between looks whether threads of the client still poll.
const LOOK_AGAIN: Duration = Duration::from_millis(1);
/// The longest sleep while a message or transfer of this rank waits for room.
const ROOM_NS: u64 = 1_000_000;

/// The thread has been started.
static BEGUN: AtomicBool = AtomicBool::new(false);
/// This rank leaves the job.
static ENDS: AtomicBool = AtomicBool::new(false);

/// Whether the user asks for a receive thread.
pub(crate) fn is_wanted() -> bool {
    env::yes("GASNET_RCV_THREAD")
}

/// Whether this rank has a receive thread, or will have once its client has started it. The locks of SEQ and PARSYNC clients do not
/// exclude handlers on another thread.
pub(crate) fn is_there(settings: &Settings) -> bool {
    settings.threads == Threads::Par && is_wanted()
}

/// Starts the thread, unless it has been started.
pub(crate) fn begin(job: &'static Job) -> io::Result<()> {
    if BEGUN.swap(true, Ordering::Relaxed) {
        return Ok(());
    }
    background::thread("gasnet-receive", move || serve(job)).map(drop)
}

/// From now on it starts no handler. May run in a signal handler.
pub(crate) fn end() {
    ENDS.store(true, Ordering::Relaxed);
}

/// The thread's work.
pub(crate) fn serve(job: &Job) -> ! {
    thread::apart();
    // It runs handlers of the client, so the report on a hung job asks it for its stack.
    Mask::of(&[signal::question()]).unblock();
    // Its processor time is none of a program that computes: the warden ends ranks that only wait.
    waits::begin(job.nbrhd.here.0, &Note::Messages);
    let idle_ns = env::int("GASNET_RCV_THREAD_IDLE") as u64;
    let pause = match env::int("GASNET_RCV_THREAD_RATE") {
        0 => Duration::ZERO,
        a_second => Duration::from_secs(1) / a_second as u32,
    };
    while !ENDS.load(Ordering::Relaxed) {
        if job.receive(idle_ns) {
            process::nap(pause);
        } else {
            job.await_neglect();
        }
    }
    loop {
        park();
    }
}

impl Job {
    /// Returns once no thread of the client has polled or slept in the library for a while.
    fn await_neglect(&self) {
        while !ENDS.load(Ordering::Relaxed) {
            self.ask_polls();
            process::nap(LOOK_AGAIN);
            if !self.is_polled() && !self.nbrhd.sleeps() {
                return;
            }
        }
    }

    /// Sleeps until something arrives, and polls until nothing has for `idle_ns`. False: a thread of the client polls or sleeps.
    fn receive(&self, idle_ns: u64) -> bool {
        self.ask_polls();
        if self.nbrhd.sleeps() {
            return false;
        }
        let seen = self.nbrhd.arm();
        if self.poll_for_client() == 0 {
            let nothing_waits = NETWORK.queue.is_empty() && DEFERRED.is_empty();
            let ns = if nothing_waits { u64::MAX } else { ROOM_NS };
            match self.conduit {
                None => self.nbrhd.sleep(seen, ns),
                Some(conduit) => {
                    self.nbrhd.sleep_in(seen, |bell| conduit::shared::wait(conduit, bell, ns));
                }
            }
        }
        self.nbrhd.disarm();
        if self.is_polled() {
            // Perhaps long ago: the message that woke this thread does not wait for the next look.
            self.poll_for_client();
            return false;
        }
        let mut until = 0;
        while !ENDS.load(Ordering::Relaxed) {
            let done = self.poll_for_client() != 0;
            if idle_ns == 0 && !done {
                break;
            }
            let now = sleep::now_ns();
            if done {
                until = now + idle_ns;
            } else if now >= until {
                break;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;
    use crate::job::several_tests::several;
    use crate::settings::Threads;

    #[test]
    fn the_client_s_sleep_keeps_the_receive_thread_waiting() {
        let ranks = several(1, Threads::Par, 64);
        let job = ranks.jobs[0];
        let (ended, end) = mpsc::channel();
        job.nbrhd.arm();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                job.await_neglect();
                ended.send(()).expect("the test waits for it");
            });
            assert!(end.recv_timeout(20 * LOOK_AGAIN).is_err(), "a thread of the client sleeps");
            job.nbrhd.disarm();
            end.recv_timeout(Duration::from_secs(20)).expect("nothing polls");
        });
        job.poll();
        assert!(job.is_polled());
    }
}
