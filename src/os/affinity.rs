//! Processors: how many this process may use, and pinning a thread to one of them.

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;
use std::sync::OnceLock;

/// The processors that the process was allowed when first asked: pinning a thread later does not shrink it.
fn allowed() -> &'static [usize] {
    static ALLOWED: OnceLock<Vec<usize>> = OnceLock::new();
    ALLOWED.get_or_init(|| match sched_getaffinity(Pid::from_raw(0)) {
        Ok(set) => (0..CpuSet::count()).filter(|&cpu| set.is_set(cpu).unwrap_or(false)).collect(),
        Err(_) => Vec::new(),
    })
}

/// Processors' worth of time that this process may use: its affinity mask, less where a control group's quota
/// allows less. 0 if unknown.
pub fn cpu_count() -> usize {
    static COUNT: OnceLock<usize> = OnceLock::new();
    *COUNT.get_or_init(|| {
        let by_mask = allowed().len();
        // Knows the quota of both versions of control groups.
        let by_quota = std::thread::available_parallelism().map_or(by_mask, |n| n.get());
        by_mask.min(by_quota)
    })
}

/// Pins the calling thread to the `rank`th allowed processor, counting round. Says whether it worked.
pub fn pin(rank: usize) -> bool {
    let cpus = allowed();
    let mut set = CpuSet::new();
    !cpus.is_empty() && set.set(cpus[rank % cpus.len()]).is_ok() && sched_setaffinity(Pid::from_raw(0), &set).is_ok()
}

/// Moves the calling thread to the `rank`th allowed processor, counting round, and leaves it free to move on. A
/// process just forked shares its parent's processor until the kernel balances, which takes tens of milliseconds.
pub fn spread(rank: usize) {
    let mut all = CpuSet::new();
    if allowed().iter().all(|&cpu| all.set(cpu).is_ok()) && pin(rank) {
        let _ = sched_setaffinity(Pid::from_raw(0), &all);
    }
}
