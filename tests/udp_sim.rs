//! The engine of udp under a simulated clock and network: thousands of seeded schedules, each of which must deliver every
//! message exactly once (fuzz/entries/world.rs lists the other checks). A seed that fails: GASNET_SIM_SEED=N.
#![allow(clippy::disallowed_methods)]

#[path = "../fuzz/entries/mod.rs"]
mod entries;

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use entries::input::Input;
use entries::world::{Sum, World};

fn run(seed: u64) -> Sum {
    let world = catch_unwind(AssertUnwindSafe(|| {
        let mut world = World::new(Input::seed(seed));
        world.run();
        world.sum
    }));
    world.unwrap_or_else(|cause| {
        eprintln!("GASNET_SIM_SEED={seed} cargo test --test udp_sim");
        std::panic::resume_unwind(cause)
    })
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// Processor time of this thread: others share the machine.
fn processor_s() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is one timespec of ours.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

#[test]
fn every_message_arrives_once_and_every_schedule_ends() {
    if let Some(seed) = number("GASNET_SIM_SEED") {
        println!("{:?}", run(seed));
        return;
    }
    // The first hundred seeds are always the same; the others differ in each run.
    let time = Duration::from_millis(number("GASNET_SIM_MS").unwrap_or(3000));
    let first =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |time| time.as_secs()) << 24;
    let (start, before, mut all) = (Instant::now(), processor_s(), Sum::default());
    for n in 0.. {
        if n >= 100 && start.elapsed() >= time {
            break;
        }
        let one = run(if n < 100 { n } else { first + n });
        all.runs += one.runs;
        all.polls += one.polls;
        all.messages += one.messages;
        all.datagrams += one.datagrams;
        all.again += one.again;
        all.most_held = all.most_held.max(one.most_held);
        all.narrowed += one.narrowed;
        all.cut += one.cut;
        all.jumped += one.jumped;
        all.deaf += one.deaf;
    }
    // Not println, which is hidden if the test passes.
    let _ = writeln!(
        std::io::stderr(),
        "udp_sim: {:.0} schedules a second of processor time: {all:?}",
        all.runs as f64 / (processor_s() - before)
    );
    assert!(all.narrowed > 0 && all.cut > 0 && all.jumped > 0 && all.deaf > 0 && all.again > 0);
}
