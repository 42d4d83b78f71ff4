//! Checks that one thread at a time is inside the conduit, as libraries that allow no more demand: ends the job if a second
//! thread enters.

use crate::fatal::fatal;
use crate::sync::atomic::{AtomicBool, Ordering};

#[derive(Default)]
pub(crate) struct OneThreadDoor(AtomicBool);

/// A thread is inside until this is dropped.
pub(crate) struct Inside<'a>(&'a OneThreadDoor);

impl OneThreadDoor {
    pub(crate) fn enter(&self) -> Inside<'_> {
        // Relaxed: it orders no memory accesses; the layer above holds a lock.
        if self.0.swap(true, Ordering::Relaxed) {
            fatal!("loopback: two threads are inside a network that allows one at a time");
        }
        Inside(self)
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.0.0.store(false, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env;

    #[test]
    fn a_second_thread_inside_ends_the_job() {
        const CHILD: &str = "GASNET_TEST_DOOR";
        let door = OneThreadDoor::default();
        drop(door.enter());
        let _inside = door.enter();
        if env::raw(CHILD).is_some() {
            std::thread::scope(|scope| _ = scope.spawn(|| drop(door.enter())));
            return;
        }
        let test = std::thread::current().name().unwrap().to_owned();
        let mut child = std::process::Command::new(std::env::current_exe().unwrap());
        let child = child.args(["--exact", &test, "--nocapture"]).env(CHILD, "1").output().unwrap();
        let line = String::from_utf8_lossy(&child.stderr);
        assert!(!child.status.success() && line.contains("two threads are inside"), "{:?} {line}", child.status);
    }
}
