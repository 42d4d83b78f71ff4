//! The number of processors that this process may use, and pinning a thread to one of them. Sets are as large as the
//! kernel's, which may have more than 1024 processors.
//!
//! # Safety
//! The kernel reads and writes sets of the length that is passed to it.
#![allow(unsafe_code)]

use std::sync::OnceLock;

use nix::errno::Errno;

const BITS: usize = usize::BITS as usize;
/// The size in processors of the first set that is tried, and of the last.
const FIRST: usize = 1024;
const LAST: usize = 1 << 22;

/// A set of processors, by number.
struct Set(Vec<usize>);

impl Set {
    fn of(cpus: &[usize]) -> Set {
        let words = cpus.iter().max().map_or(0, |most| most / BITS + 1);
        let mut set = Set(vec![0; words]);
        cpus.iter().for_each(|cpu| set.0[cpu / BITS] |= 1 << (cpu % BITS));
        set
    }

    fn cpus(&self) -> Vec<usize> {
        (0..self.0.len() * BITS).filter(|cpu| self.0[cpu / BITS] >> (cpu % BITS) & 1 != 0).collect()
    }

    /// Restricts the calling thread to these processors. Returns whether that succeeded.
    fn apply(&self) -> bool {
        // SAFETY: the length is that of the words.
        unsafe { libc::syscall(libc::SYS_sched_setaffinity, 0, size_of_val(self.0.as_slice()), self.0.as_ptr()) == 0 }
    }
}

/// The calling thread's affinity mask, from `ask`, which fills the words or returns EINVAL if the set is too small.
fn ask_for(ask: impl Fn(&mut [usize]) -> Result<(), Errno>) -> Option<Vec<usize>> {
    let mut size = FIRST;
    while size <= LAST {
        let mut set = Set(vec![0; size / BITS]);
        match ask(&mut set.0) {
            Ok(()) => return Some(set.cpus()).filter(|cpus| !cpus.is_empty()),
            Err(Errno::EINVAL) => size *= 4,
            Err(_) => return None,
        }
    }
    None
}

fn ask_kernel(words: &mut [usize]) -> Result<(), Errno> {
    // SAFETY: the length is that of the words. The system call returns the number of bytes that it wrote.
    let written = unsafe { libc::syscall(libc::SYS_sched_getaffinity, 0, size_of_val(words), words.as_mut_ptr()) };
    if written < 0 { Err(Errno::last()) } else { Ok(()) }
}

/// The processors that the process was allowed when first asked: pinning a thread later does not shrink it. Empty if
/// unknown.
fn allowed() -> &'static [usize] {
    static ALLOWED: OnceLock<Vec<usize>> = OnceLock::new();
    ALLOWED.get_or_init(|| ask_for(ask_kernel).unwrap_or_default())
}

/// The number of processors whose time this process may use: those of its affinity mask, or fewer if the quota of a
/// control group is smaller. At least 1, also if neither is known.
pub(crate) fn cpu_count() -> usize {
    static COUNT: OnceLock<usize> = OnceLock::new();
    *COUNT.get_or_init(|| {
        let by_mask = Some(allowed().len()).filter(|&count| count > 0);
        // Includes the quota of both versions of control groups, and counts processors if there is no mask.
        let by_quota = std::thread::available_parallelism().ok().map(|count| count.get());
        by_mask.into_iter().chain(by_quota).min().unwrap_or(1)
    })
}

/// Processors that the process was allowed when first asked, as bits; empty if unknown.
pub(crate) fn allowed_bits() -> Vec<u64> {
    Set::of(allowed()).0.into_iter().map(|word| word as u64).collect()
}

/// The number of processors whose time a control group allows, if it is less than the number of allowed processors.
pub(crate) fn quota() -> Option<usize> {
    Some(cpu_count()).filter(|&count| count < allowed().len())
}

/// Pins the calling thread to the `rank`th allowed processor, modulo their number. Returns whether that succeeded.
pub(crate) fn pin(rank: usize) -> bool {
    let cpus = allowed();
    !cpus.is_empty() && Set::of(&[cpus[rank % cpus.len()]]).apply()
}

/// Moves the calling thread to the `rank`th allowed processor, modulo their number, without pinning it there. A process
/// that was just forked shares its parent's processor until the kernel balances the load, tens of milliseconds later.
pub(crate) fn spread(rank: usize) {
    if pin(rank) {
        Set::of(allowed()).apply();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_of_many_processors_is_asked_with_a_larger_set() {
        let cpus = ask_for(|words| {
            if words.len() * BITS < 8192 {
                return Err(Errno::EINVAL);
            }
            words[5000 / BITS] = 1 << (5000 % BITS);
            Ok(())
        });
        assert_eq!(cpus, Some(vec![5000]));
    }

    #[test]
    fn a_kernel_that_refuses_is_asked_once_or_a_few_times() {
        assert_eq!(ask_for(|_| Err(Errno::EPERM)), None);
        assert_eq!(ask_for(|_| Err(Errno::EINVAL)), None);
    }

    #[test]
    fn sets_hold_any_processor() {
        assert_eq!(Set::of(&[0, 63, 64, 4095]).cpus(), [0, 63, 64, 4095]);
    }

    #[test]
    fn there_is_a_processor() {
        assert!(cpu_count() > 0);
    }
}
