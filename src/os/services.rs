//! Services of the kernel that a container, a filter of system calls or a security module may refuse, or that a kernel lacks, and how
//! the library does without each: the list for GASNET_VERBOSEENV and for `gasnet_info`. The library itself finds out where it uses one.
//!
//! # Safety
//! A call is asked for with arguments that the kernel rejects without an effect. If it answers as if there were no such call, or no
//! permission for it, the arguments were not looked at. Pointers are null, and lengths 0.
#![allow(unsafe_code)]

use std::io;
use std::ptr::null;

use libc::{c_int, c_long};

use super::pidfd::Pidfd;
use super::process::is_forbidden;
use super::{probe, process, shm, sleep, unmaps};
use crate::env::show::is_verbose;
use crate::fatal::line;

/// The jobs that use a service.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UsedBy {
    Every,
    /// Of several ranks.
    Ranks,
    /// Whose ranks may reach each other by a network.
    Networks,
    /// In which all memory is a segment.
    Everything,
    Udp,
    /// On conduit ofi, where the provider demands registration.
    Registrations,
}

/// A service of the kernel.
pub struct KernelService {
    pub call: &'static str,
    pub used_by: UsedBy,
    /// The fallback, and its cost.
    pub without: &'static str,
    ask: fn() -> io::Result<()>,
}

const NOBODY: c_long = -1;

pub static SERVICES: [KernelService; 17] = [
    KernelService {
        call: "memfd_create",
        used_by: UsedBy::Every,
        without: "shared memory takes room in /dev/shm, System V segments or a directory (GASNET_SHM_BACKING)",
        ask: || shm::memfd(false).map(drop),
    },
    KernelService {
        call: "pidfd_open",
        used_by: UsedBy::Ranks,
        without: "processes are watched by number, and their ends seen later",
        ask: || Pidfd::open(process::pid()).map(|one| process::close(one.raw())).ok_or_else(io::Error::last_os_error),
    },
    KernelService {
        call: "pidfd_send_signal",
        used_by: UsedBy::Ranks,
        without: "signals go to process numbers",
        ask: || asked(|| ask(libc::SYS_pidfd_send_signal, [NOBODY, 0, 0, 0, 0])),
    },
    KernelService {
        call: "membarrier",
        used_by: UsedBy::Ranks,
        without: "a thread fences before each look whether others sleep",
        ask: || if sleep::register_heavy_barrier() { Ok(()) } else { Err(io::Error::last_os_error()) },
    },
    KernelService {
        call: "process_vm_readv",
        used_by: UsedBy::Everything,
        without: "the memory of other ranks is reached by messages",
        ask: probe::reads_processes,
    },
    KernelService {
        call: "process_vm_writev",
        used_by: UsedBy::Everything,
        without: "the memory of other ranks is reached by messages after the first put",
        ask: probe::writes_processes,
    },
    KernelService {
        call: "prctl(PR_SET_PTRACER)",
        used_by: UsedBy::Everything,
        without: "under Yama's ptrace_scope 1 the memory of other ranks is reached by messages",
        ask: || asked(|| ask(libc::SYS_prctl, [c_long::from(libc::PR_SET_PTRACER), c_long::from(c_int::MAX), 0, 0, 0])),
    },
    KernelService {
        call: "prctl(PR_SET_PDEATHSIG)",
        used_by: UsedBy::Ranks,
        without: "ranks may outlive a warden that is killed",
        ask: || {
            asked(|| ask(libc::SYS_prctl, [c_long::from(libc::PR_SET_PDEATHSIG), c_long::from(c_int::MAX), 0, 0, 0]))
        },
    },
    KernelService {
        call: "sched_setaffinity",
        used_by: UsedBy::Ranks,
        without: "ranks start on the processor of the first until the kernel moves them, and none can be pinned",
        ask: || asked(|| ask(libc::SYS_sched_setaffinity, [NOBODY, 0, 0, 0, 0])),
    },
    KernelService {
        call: "sched_getaffinity",
        used_by: UsedBy::Every,
        without: "processors that this process may not use are counted, too",
        ask: || asked(|| ask(libc::SYS_sched_getaffinity, [NOBODY, 0, 0, 0, 0])),
    },
    KernelService {
        call: "close_range",
        used_by: UsedBy::Ranks,
        without: "a warden closes its files one by one",
        ask: || asked(|| ask(libc::SYS_close_range, [1, 0, 0, 0, 0])),
    },
    KernelService {
        call: "timer_create",
        used_by: UsedBy::Every,
        without: "an exit that blocks in a handler of a signal is ended by the other ranks' time limit only",
        ask: || asked(|| ask(libc::SYS_timer_create, [c_long::from(c_int::MAX), 0, 0, 0, 0])),
    },
    KernelService {
        call: "clone3",
        used_by: UsedBy::Every,
        without: "the C library starts no thread (it does if the filter answers ENOSYS)",
        ask: || no_threads().map_or(Ok(()), Err),
    },
    KernelService {
        call: "signalfd4",
        used_by: UsedBy::Networks,
        without: "wardens and the process that starts the job look for signals 20 times a second",
        ask: || asked(|| ask(libc::SYS_signalfd4, [NOBODY, 0, 0, 0, 0])),
    },
    KernelService {
        call: "eventfd2",
        used_by: UsedBy::Networks,
        without: "sleeping ranks are woken by pipes",
        ask: || asked(|| ask(libc::SYS_eventfd2, [0, c_long::from(c_int::MAX), 0, 0, 0])),
    },
    KernelService {
        call: "recvmmsg",
        used_by: UsedBy::Udp,
        without: "one call receives one datagram",
        ask: || asked(|| ask(libc::SYS_recvmmsg, [NOBODY, 0, 0, 0, 0])),
    },
    KernelService {
        call: "userfaultfd",
        used_by: UsedBy::Registrations,
        without: "memory outside of segments is registered for each transfer anew",
        ask: || if unmaps::is_possible() { Ok(()) } else { Err(io::Error::last_os_error()) },
    },
];

/// Why the C library can start no thread: the call by which it does is refused, otherwise than as missing, for which it has an older one.
pub(crate) fn no_threads() -> Option<io::Error> {
    let refused = asked(|| ask(libc::SYS_clone3, [0; 5]));
    refused.err().filter(|error| error.raw_os_error() != Some(libc::ENOSYS))
}

fn ask(call: c_long, arguments: [c_long; 5]) -> c_long {
    let [a, b, c, d, e] = arguments;
    // SAFETY: rejected arguments without memory (head of the file).
    unsafe { libc::syscall(call, a, b, c, d, e, null::<u8>()) }
}

/// The error of a call that was refused as a call; one that was refused for its arguments is there.
fn asked(call: impl FnOnce() -> c_long) -> io::Result<()> {
    let answer = call();
    let error = io::Error::last_os_error();
    if answer < 0 && is_forbidden(&error) { Err(error) } else { Ok(()) }
}

impl KernelService {
    /// The kernel's reason why this process does not have the service, or `None`.
    pub fn refusal(&self) -> Option<io::Error> {
        (self.ask)().err()
    }
}

/// Under GASNET_VERBOSEENV: prints a line, on rank 0, for each service that jobs of this kind use and this process does not have.
pub(crate) fn say_refused(used_by: UsedBy) {
    if !is_verbose() {
        return;
    }
    for service in SERVICES.iter().filter(|service| service.used_by == used_by) {
        if let Some(error) = service.refusal() {
            line(&format!("GASNET: {} is refused here ({error}): {}", service.call, service.without));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_have_names_of_their_own_and_asking_has_no_effect() {
        let before = super::super::affinity::allowed_bits();
        for (at, service) in SERVICES.iter().enumerate() {
            assert!(SERVICES[..at].iter().all(|other| other.call != service.call), "{}", service.call);
            let first = service.refusal().map(|error| error.raw_os_error());
            assert_eq!(service.refusal().map(|error| error.raw_os_error()), first, "{}", service.call);
        }
        assert_eq!(super::super::affinity::allowed_bits(), before);
    }

    #[test]
    fn a_call_that_the_kernel_lacks_is_refused_and_a_bad_argument_is_not() {
        assert_eq!(asked(|| ask(4095, [0; 5])).unwrap_err().raw_os_error(), Some(libc::ENOSYS));
        assert!(asked(|| ask(libc::SYS_close, [NOBODY, 0, 0, 0, 0])).is_ok());
    }
}
