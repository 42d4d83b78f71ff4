//! Clocks. A tick is one step of the processor's time-stamp counter if that has a constant rate, else a
//! nanosecond of CLOCK_MONOTONIC. The length of a tick is measured once, against CLOCK_MONOTONIC_RAW, at the first
//! conversion: from the first reading of the counter (or, if that is too recent, over two milliseconds spent
//! waiting). It never changes afterwards, so differences of converted ticks are conversions of differences.
//!
//! # Safety
//! Reads two words defined in C.

use crate::env;
use crate::fatal::{fatal, note, warn};
use crate::os::cpu;
use crate::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The struct that inline C reads: `gasneti_clock_t` of tools_timer.h.
#[repr(C)]
struct ClockWords {
    /// Nanoseconds in a tick, times 2^52; 0 before it is known.
    rate: AtomicU64,
    source: AtomicU32,
    unused: u32,
}

static_assertions::const_assert_eq!(size_of::<ClockWords>(), 16);

const UNKNOWN: u32 = 0;
const TSC: u32 = 1;
const KERNEL: u32 = 2;
const RATE_SHIFT: u32 = 52;

unsafe extern "C" {
    static gasneti_clock: ClockWords;
}

fn words() -> &'static ClockWords {
    // SAFETY: defined in src/abi/c/tools.c with this layout; all access is atomic.
    unsafe { &gasneti_clock }
}

/// The counter and the kernel's raw clock, read together. `width` ticks passed meanwhile.
#[derive(Clone, Copy)]
struct Sample {
    tick: u64,
    ns: u64,
    width: u64,
}

static ANCHOR: OnceLock<Sample> = OnceLock::new();
static CALIBRATING: Mutex<()> = Mutex::new(());

/// The current tick.
pub(crate) fn ticks_now() -> u64 {
    // Relaxed: the source is chosen once, and all threads choose the same.
    match words().source.load(Ordering::Relaxed) {
        TSC => cpu::counter(),
        KERNEL => clock_ns(libc::CLOCK_MONOTONIC),
        _ => {
            choose_source();
            ticks_now()
        }
    }
}

/// `ticks` in nanoseconds.
pub(crate) fn ticks_to_ns(ticks: u64) -> u64 {
    // Acquire is not needed: the rate is one word.
    let mut rate = words().rate.load(Ordering::Relaxed);
    if rate == 0 {
        rate = calibrate();
    }
    ((u128::from(ticks) * u128::from(rate)) >> RATE_SHIFT) as u64
}

/// The smallest step seen between two readings, in microseconds.
pub(crate) fn granularity_us() -> f64 {
    static STEP: OnceLock<f64> = OnceLock::new();
    *STEP.get_or_init(|| {
        let mut least = u64::MAX;
        for _ in 0..1000 {
            let before = ticks_now();
            let mut after = ticks_now();
            while after <= before {
                after = ticks_now();
            }
            least = least.min(after - before);
        }
        exact_us(least as f64)
    })
}

/// The cost of one reading, in microseconds.
pub(crate) fn overhead_us() -> f64 {
    static COST: OnceLock<f64> = OnceLock::new();
    *COST.get_or_init(|| {
        const READINGS: u64 = 1000;
        let mut least = u64::MAX;
        for _ in 0..8 {
            let before = ticks_now();
            for _ in 0..READINGS {
                std::hint::black_box(ticks_now());
            }
            least = least.min(ticks_now() - before);
        }
        exact_us(least as f64 / READINGS as f64)
    })
}

fn exact_us(ticks: f64) -> f64 {
    ticks_to_ns(1_000_000_000) as f64 * ticks / 1e12
}

/// Microseconds since 1970.
pub(crate) fn wall_us() -> u64 {
    clock_ns(libc::CLOCK_REALTIME) / 1000
}

pub(crate) fn clock_ns(clock: libc::clockid_t) -> u64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `t` is ours, and these clocks exist on every Linux that runs this.
    unsafe { libc::clock_gettime(clock, &mut t) };
    t.tv_sec as u64 * 1_000_000_000 + t.tv_nsec as u64
}

/// Sleeps at least `ns`; -1 with `errno` EINTR if a signal came first.
pub(crate) fn sleep_ns(ns: u64) -> i32 {
    if ns == 0 {
        return 0;
    }
    let t = libc::timespec { tv_sec: (ns / 1_000_000_000) as i64, tv_nsec: (ns % 1_000_000_000) as i64 };
    // SAFETY: reads `t` only.
    unsafe { libc::nanosleep(&t, core::ptr::null_mut()) }
}

#[cold]
fn choose_source() {
    let source = if cpu::has_constant_rate() {
        ANCHOR.get_or_init(sample);
        TSC
    } else {
        // Relaxed, here and below: no other memory depends on these words.
        words().rate.store(1 << RATE_SHIFT, Ordering::Relaxed);
        KERNEL
    };
    words().source.store(source, Ordering::Relaxed);
}

/// The narrowest of a few readings: a reading that was interrupted is wide.
fn sample() -> Sample {
    let mut best = Sample { tick: 0, ns: 0, width: u64::MAX };
    for _ in 0..24 {
        let before = cpu::counter_in_order();
        let ns = clock_ns(libc::CLOCK_MONOTONIC_RAW);
        // Counters of some architectures are slow: a reading within one tick is not exact, either.
        let width = cpu::counter_in_order().saturating_sub(before).max(1);
        if width < best.width {
            best = Sample { tick: before + width / 2, ns, width };
        }
    }
    best
}

/// Finds the rate, once.
#[cold]
fn calibrate() -> u64 {
    if words().source.load(Ordering::Relaxed) == UNKNOWN {
        choose_source();
    }
    let _one = CALIBRATING.lock().unwrap_or_else(PoisonError::into_inner);
    let known = words().rate.load(Ordering::Relaxed);
    if known != 0 {
        return known;
    }
    let rate = (1e9 / find_hz() * (1u64 << RATE_SHIFT) as f64) as u64;
    words().rate.store(rate, Ordering::Relaxed);
    rate
}

fn find_hz() -> f64 {
    let asked = env::str("GASNET_TSC_RATE").unwrap_or_default();
    let soft = env::dbl("GASNET_TSC_RATE_TOLERANCE");
    let hard = env::dbl("GASNET_TSC_RATE_HARD_TOLERANCE");
    let verbose = env::yes("GASNET_TSC_VERBOSE");
    let (measured, bound) = measure();
    let measured = cpu::stated_hz().filter(|hz| (hz / measured - 1.0).abs() <= bound).unwrap_or(measured);
    let hz = match asked.as_str() {
        "wallclock" | "walltime" => measured,
        "cpuinfo" => cpuinfo_hz().unwrap_or_else(|| fatal!("GASNET_TSC_RATE=cpuinfo: /proc/cpuinfo names no rate")),
        number => match number.parse::<u64>() {
            Ok(hz @ 1_000_000..=100_000_000_000) => hz as f64,
            _ => fatal!(
                "GASNET_TSC_RATE={number}: want wallclock, cpuinfo, or a number of Hz from 1000000 to 100000000000"
            ),
        },
    };
    let error = (hz / measured - 1.0).abs() + bound;
    if verbose {
        note!("TSC: {hz:.0} Hz ({asked}); measured {measured:.0} Hz to {bound:.1e}");
    }
    if error > hard {
        fatal!("TSC rate {hz:.0} Hz is off by up to {error:.2e}, GASNET_TSC_RATE_HARD_TOLERANCE is {hard}");
    }
    if error > soft {
        warn!("TSC rate {hz:.0} Hz is off by up to {error:.2e}, GASNET_TSC_RATE_TOLERANCE is {soft}");
    }
    hz
}

/// Ticks per second, and the relative error bound of this number.
fn measure() -> (f64, f64) {
    const SPAN_NS: u64 = 2_000_000;
    const ENOUGH: f64 = 5e-5;
    const PATIENCE_NS: u64 = 100_000_000;
    let from = *ANCHOR.get_or_init(sample);
    loop {
        let to = sample();
        let span = to.ns.saturating_sub(from.ns);
        if span < SPAN_NS {
            sleep_ns(SPAN_NS - span);
            continue;
        }
        let ticks = to.tick.saturating_sub(from.tick) as f64;
        let bound = (from.width + to.width) as f64 / 2.0 / ticks;
        if bound <= ENOUGH || span > PATIENCE_NS {
            return (ticks * 1e9 / span as f64, bound);
        }
    }
}

/// The rate in the model's name (`@ 2.60GHz`), else the current frequency; where /proc/cpuinfo names neither, the rate that the processor
/// states.
fn cpuinfo_hz() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let field = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(name))?;
        line.split_once(':').map(|(_, value)| value.trim())
    };
    let stated = field("model name").and_then(|name| name.rsplit_once("@ ")).and_then(|(_, rate)| {
        let ghz: f64 = rate.strip_suffix("GHz")?.trim().parse().ok()?;
        Some(ghz * 1e9)
    });
    stated.or_else(|| Some(field("cpu MHz")?.parse::<f64>().ok()? * 1e6)).or_else(cpu::stated_hz)
}
