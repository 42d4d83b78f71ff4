//! Features and resources of this machine: for `gasnet_info`, and for messages about scarce resources.
//!
//! # Safety
//! The one system call made here takes no memory.
#![allow(unsafe_code)]

use nix::sched::{CpuSet, sched_getaffinity};
use nix::unistd::Pid;
use std::path::Path;

use super::{cpu, peer_memory};
use crate::mem::{self, RemoteAddr};

/// The processors that this process may run on, and those of the machine.
pub fn processors() -> (usize, usize) {
    let online = nix::unistd::sysconf(nix::unistd::SysconfVar::_NPROCESSORS_ONLN).ok().flatten().unwrap_or(1);
    let online = usize::try_from(online).unwrap_or(1);
    let allowed = sched_getaffinity(Pid::from_raw(0))
        .map(|set| (0..CpuSet::count()).filter(|&cpu| set.is_set(cpu).unwrap_or(false)).count());
    (allowed.unwrap_or(online), online)
}

/// A line `key:   value kB` of /proc/meminfo, in its own unit.
pub fn meminfo(key: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The smallest memory limit of this process's control group and of the groups that contain it, or of the container; None
/// if there is no limit.
pub fn memory_limit() -> Option<u64> {
    let groups = text_in("/proc/self/cgroup").unwrap_or_default();
    let limits = groups.lines().flat_map(|line| {
        // Version 2 (`0::/path`), or the memory controller of version 1.
        let (path, place, file) = match (line.strip_prefix("0::"), line.split_once(":memory:")) {
            (Some(path), _) => (path, "/sys/fs/cgroup", "memory.max"),
            (None, Some((_, path))) => (path, "/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
            (None, None) => ("", "", ""),
        };
        // Includes the root, which in a container is the container's own; a path from outside the container does not exist.
        Path::new(path).ancestors().filter_map(move |group| {
            let group = group.strip_prefix("/").unwrap_or(group);
            number_in(Path::new(place).join(group).join(file))
        })
    });
    // In version 1, a number near 2^63 means "no limit".
    limits.filter(|&bytes| bytes < 1 << 60).min()
}

/// Total and free bytes of the file system that holds `path`.
pub fn space(path: &str) -> Option<(u64, u64)> {
    let fs = nix::sys::statvfs::statvfs(path).ok()?;
    Some((fs.blocks() * fs.fragment_size(), fs.blocks_available() * fs.fragment_size()))
}

pub fn has_memfd() -> bool {
    nix::sys::memfd::memfd_create(c"gasnet_info", nix::sys::memfd::MFdFlags::MFD_CLOEXEC).is_ok()
}

/// The largest System V segment, in bytes, if the kernel has them.
pub fn sysv_max() -> Option<u64> {
    number_in("/proc/sys/kernel/shmmax")
}

/// Whether this process may use CMA at all: tried on itself.
pub fn reads_processes() -> std::io::Result<()> {
    let (there, mut here) = ([1u64], [0u64]);
    let at = RemoteAddr(there.as_ptr().expose_provenance());
    peer_memory::read(super::process::pid(), mem::all_of(&mut here), at)
        .map_err(|stop| std::io::Error::from_raw_os_error(stop.errno))
}

/// As `reads_processes`, for copies to them.
pub(super) fn writes_processes() -> std::io::Result<()> {
    let (mut there, here) = ([0u8; 8], [1u8; 8]);
    let at = RemoteAddr(there.as_mut_ptr().expose_provenance());
    peer_memory::write(super::process::pid(), at, mem::Src::of(&here))
        .map_err(|stop| std::io::Error::from_raw_os_error(stop.errno))
}

/// Yama's setting, if the kernel has Yama: with 0 and 1 processes of a job can access each other's memory.
pub fn ptrace_scope() -> Option<u64> {
    number_in("/proc/sys/kernel/yama/ptrace_scope")
}

/// Whether the kernel can run a barrier on all threads of a process at once.
pub fn has_membarrier() -> bool {
    const QUERY: libc::c_int = 0;
    const PRIVATE_EXPEDITED: libc::c_long = 1 << 3;
    // SAFETY: a query; it takes no pointers.
    let commands = unsafe { libc::syscall(libc::SYS_membarrier, QUERY, 0, 0) };
    commands > 0 && commands & PRIVATE_EXPEDITED != 0
}

/// The processor's name, and whether its time-stamp counter runs at one rate and never stops.
pub fn processor() -> (String, bool) {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let value = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)?.trim_start().strip_prefix(':'));
    let flags = value("flags").unwrap_or("");
    let has = |flag: &str| flags.split_whitespace().any(|known| known == flag);
    let name = value("model name").unwrap_or("unknown").trim().to_string();
    let steady =
        if cfg!(target_arch = "x86_64") { has("constant_tsc") && has("nonstop_tsc") } else { cpu::has_constant_rate() };
    (name, steady)
}

/// The kernel's clock source.
pub fn clock_source() -> Option<String> {
    text_in("/sys/devices/system/clocksource/clocksource0/current_clocksource")
}

/// The directory where huge pages are mounted.
pub fn hugetlbfs() -> Option<String> {
    let mounts = std::fs::read_to_string("/proc/self/mounts").ok()?;
    mounts.lines().find_map(|line| {
        let mut words = line.split(' ');
        let (place, kind) = (words.nth(1)?, words.next()?);
        (kind == "hugetlbfs").then(|| place.to_string())
    })
}

/// The operating system's name and version, and the machine's.
pub fn system() -> String {
    match nix::sys::utsname::uname() {
        Ok(name) => {
            let text = |part: &std::ffi::OsStr| part.to_string_lossy().into_owned();
            format!(
                "{} {} {} on {}",
                text(name.sysname()),
                text(name.release()),
                text(name.machine()),
                text(name.nodename())
            )
        }
        Err(_) => "unknown".to_string(),
    }
}

fn text_in(path: impl AsRef<Path>) -> Option<String> {
    std::fs::read_to_string(path).ok().map(|text| text.trim().to_string())
}

fn number_in(path: impl AsRef<Path>) -> Option<u64> {
    text_in(path)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_processor_is_ours() {
        let (allowed, online) = processors();
        assert!(allowed >= 1 && online >= 1);
    }

    #[test]
    fn memory_is_counted() {
        assert!(meminfo("MemTotal").is_some_and(|kb| kb > 1024));
        assert_eq!(meminfo("Mem"), None);
        assert!(space("/").is_some_and(|(total, free)| total >= free));
        assert_eq!(space("/no/such/place"), None);
    }
}
