//! Instructions of the processor that have no name in Rust, one set for each architecture: prefetches, the time-stamp counter,
//! and the register that is a thread's own. An architecture without a set here does without prefetches, and has the kernel's clock.
//!
//! # Safety
//! The instructions are available to every program of their architecture. They write their results only; a prefetch of any
//! address, mapped or not, has no effect but on caches.
#![allow(unsafe_code)]

/// Prefetches the cache line at `at`, to be read.
#[inline(always)]
pub(crate) fn prefetch(at: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the file's paragraph.
    unsafe {
        core::arch::x86_64::_mm_prefetch(at.cast(), core::arch::x86_64::_MM_HINT_T0)
    };
    #[cfg(target_arch = "aarch64")]
    // SAFETY: the file's paragraph.
    unsafe {
        core::arch::asm!("prfm pldl1keep, [{}]", in(reg) at, options(nostack, preserves_flags, readonly))
    };
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = at;
}

/// Prefetches the cache line at `at`, to be written.
#[inline(always)]
pub(crate) fn prefetch_to_write(at: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the file's paragraph. `_mm_prefetch` would want a target feature for this one.
    unsafe {
        core::arch::asm!("prefetchw [{}]", in(reg) at, options(nostack, preserves_flags, readonly))
    };
    #[cfg(target_arch = "aarch64")]
    // SAFETY: the file's paragraph.
    unsafe {
        core::arch::asm!("prfm pstl1keep, [{}]", in(reg) at, options(nostack, preserves_flags, readonly))
    };
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = at;
}

/// Whether code for registers of 32 bytes (AVX) may run.
#[inline(always)]
pub(crate) fn has_wide_registers() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::is_x86_feature_detected!("avx");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// A value that is unique among living threads, and not 0; obtained without the call that thread-locals of a shared library need.
#[inline(always)]
pub(crate) fn this_thread() -> usize {
    #[cfg(target_arch = "x86_64")]
    {
        let thread;
        // SAFETY: on x86-64 Linux the word at fs:0 is the thread's own address.
        unsafe {
            core::arch::asm!("mov {}, qword ptr fs:[0]", out(reg) thread, options(nostack, preserves_flags, readonly));
        }
        thread
    }
    #[cfg(target_arch = "aarch64")]
    {
        let thread;
        // SAFETY: the register has the address of the thread's block, which the C library has set.
        unsafe {
            core::arch::asm!("mrs {}, tpidr_el0", out(reg) thread, options(nostack, preserves_flags, nomem, pure));
        }
        thread
    }
    #[cfg(target_arch = "riscv64")]
    {
        let thread;
        // SAFETY: tp has the address of the thread's block, which the C library has set.
        unsafe {
            core::arch::asm!("mv {}, tp", out(reg) thread, options(nostack, preserves_flags, nomem, pure));
        }
        thread
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")))]
    // SAFETY: takes no memory.
    unsafe {
        libc::pthread_self() as usize
    }
}

/// The time-stamp counter; 0 where there is none here (`has_constant_rate` is false).
#[inline(always)]
pub(crate) fn counter() -> u64 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has the instruction.
    unsafe {
        core::arch::x86_64::_rdtsc()
    }
    #[cfg(target_arch = "aarch64")]
    {
        let ticks;
        // SAFETY: Linux lets programs read the counter.
        unsafe { core::arch::asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nostack, preserves_flags, nomem)) };
        ticks
    }
    #[cfg(target_arch = "riscv64")]
    {
        let ticks;
        // SAFETY: Linux lets programs read the counter.
        unsafe { core::arch::asm!("rdtime {}", out(reg) ticks, options(nostack, preserves_flags, nomem)) };
        ticks
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")))]
    {
        0
    }
}

/// As `counter`, after all earlier instructions and before all later ones.
pub(crate) fn counter_in_order() -> u64 {
    in_order();
    let ticks = counter();
    in_order();
    ticks
}

#[inline(always)]
fn in_order() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SSE2 is part of x86-64.
    unsafe {
        core::arch::x86_64::_mm_lfence()
    };
    #[cfg(target_arch = "aarch64")]
    // SAFETY: touches no memory.
    unsafe {
        core::arch::asm!("isb", options(nostack, preserves_flags))
    };
    #[cfg(target_arch = "riscv64")]
    // SAFETY: touches no memory.
    unsafe {
        core::arch::asm!("fence iorw, iorw", options(nostack, preserves_flags))
    };
}

#[cfg(target_arch = "x86_64")]
mod stated {
    use core::arch::x86_64::{__cpuid_count, CpuidResult};

    // A safe function in newer versions of Rust.
    #[allow(unused_unsafe)]
    fn cpuid(leaf: u32) -> CpuidResult {
        // SAFETY: every x86-64 processor has the instruction, which only writes its registers.
        unsafe { __cpuid_count(leaf, 0) }
    }

    /// Whether the counter's rate does not depend on the processor's frequency and sleep states: according to the processor,
    /// or because it is the kernel's own clock source.
    pub(crate) fn has_constant_rate() -> bool {
        cpuid(0x8000_0000).eax >= 0x8000_0007 && cpuid(0x8000_0007).edx & (1 << 8) != 0
            || std::fs::read_to_string("/sys/devices/system/clocksource/clocksource0/current_clocksource")
                .is_ok_and(|name| name.trim() == "tsc")
    }

    /// The rate that the processor or the hypervisor states, in ticks a second, if either does.
    pub(crate) fn stated_hz() -> Option<f64> {
        if cpuid(0).eax >= 0x15 {
            let leaf = cpuid(0x15);
            if leaf.eax != 0 && leaf.ebx != 0 && leaf.ecx != 0 {
                return Some(f64::from(leaf.ecx) * f64::from(leaf.ebx) / f64::from(leaf.eax));
            }
        }
        let in_guest = cpuid(1).ecx & (1 << 31) != 0;
        if in_guest && (0x4000_0010..0x4000_1000).contains(&cpuid(0x4000_0000).eax) {
            let khz = cpuid(0x4000_0010).eax;
            return Some(f64::from(khz) * 1e3).filter(|&hz| hz > 0.0);
        }
        None
    }

    /// Ticks of a microsecond or two.
    #[inline(always)]
    pub(crate) fn short_while() -> u64 {
        4096
    }
}

#[cfg(target_arch = "aarch64")]
mod stated {
    fn frequency() -> u64 {
        let hz;
        // SAFETY: Linux lets programs read the register, which firmware has set.
        unsafe { core::arch::asm!("mrs {}, cntfrq_el0", out(reg) hz, options(nostack, preserves_flags, nomem, pure)) };
        hz
    }

    /// The architecture says so of the counter.
    pub(crate) fn has_constant_rate() -> bool {
        true
    }

    /// The rate that the firmware states, in ticks a second.
    pub(crate) fn stated_hz() -> Option<f64> {
        Some(frequency() as f64).filter(|&hz| hz > 0.0)
    }

    /// Ticks of a microsecond or two. The counters of most processors have 25 to 100 ticks in a microsecond, those of the
    /// newest 1000.
    #[inline(always)]
    pub(crate) fn short_while() -> u64 {
        frequency() >> 19
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod stated {
    /// The architecture says so of riscv64's counter. Of other architectures no counter is read: a tick is a nanosecond.
    pub(crate) fn has_constant_rate() -> bool {
        cfg!(target_arch = "riscv64")
    }

    /// No instruction tells.
    pub(crate) fn stated_hz() -> Option<f64> {
        None
    }

    /// Ticks of a microsecond or two; of riscv64, whose counters have 1 to 100 ticks in a microsecond, up to 16.
    #[inline(always)]
    pub(crate) fn short_while() -> u64 {
        if cfg!(target_arch = "riscv64") { 16 } else { 2000 }
    }
}

pub(crate) use stated::{has_constant_rate, short_while, stated_hz};
