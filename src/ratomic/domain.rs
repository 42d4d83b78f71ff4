//! Atomic domains: a team, a type, a set of operations, and who executes them, which all members determine in the
//! same way. Domains need no shared state, so creation and destruction send no messages.

use core::ffi::c_void;
use core::ptr;
use std::collections::VecDeque;

use parking_lot::Mutex;

use crate::job::Job;
use crate::ratomic::ops::Type;
use crate::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicUsize, Ordering};
use crate::team::{self, Team};

/// State read by inline C (`gasneti_ad_t`). Written before the domain is returned to the client, and when it is
/// destroyed.
#[repr(C)]
pub(crate) struct DomainHead {
    /// By rank of the team: 0, or 1 + the bias of the member's segment.
    pub by_rank: AtomicPtr<isize>,
    /// The same by rank of the job.
    pub by_jobrank: AtomicPtr<isize>,
    /// Entries of `by_rank`; 0 once the domain is destroyed.
    pub size: AtomicU32,
    /// Entries of `by_jobrank`; 0 if there is no such table.
    pub job_size: AtomicU32,
    /// By type: the operations allowed, none for any type but the domain's own.
    pub ops: [AtomicU32; 6],
}

/// An atomic domain. Objects are reused and never freed, so that a stale handle always points to one.
#[repr(C, align(64))]
pub(crate) struct Domain {
    head: DomainHead,
    /// The client's handle of the team; 0 once the domain is destroyed.
    tm: AtomicUsize,
    dt: AtomicU32,
    flags: AtomicU32,
    /// The conduit executes its operations; inline C then calls the library.
    native: AtomicBool,
    cdata: AtomicPtr<c_void>,
}

/// The number of destroyed domains before the first of them is reused, so that stale handles are detected for a
/// while.
const REST: usize = 64;

#[derive(Default)]
struct Shells {
    all: Vec<&'static Domain>,
    ended: VecDeque<&'static Domain>,
}

/// The table of a domain whose operations are not inlined: no segment is mapped.
fn nobody() -> *mut isize {
    static NOBODY: isize = 0;
    ptr::from_ref(&NOBODY).cast_mut()
}

static SHELLS: Mutex<Shells> = Mutex::new(Shells { all: Vec::new(), ended: VecDeque::new() });

impl Domain {
    fn new() -> Domain {
        Domain {
            head: DomainHead {
                by_rank: AtomicPtr::new(ptr::null_mut()),
                by_jobrank: AtomicPtr::new(ptr::null_mut()),
                size: AtomicU32::new(0),
                job_size: AtomicU32::new(0),
                ops: [const { AtomicU32::new(0) }; 6],
            },
            tm: AtomicUsize::new(0),
            dt: AtomicU32::new(0),
            flags: AtomicU32::new(0),
            native: AtomicBool::new(false),
            cdata: AtomicPtr::new(ptr::null_mut()),
        }
    }

    /// A domain of `team`, whose handle is `tm`, for `ops` (as in `GEX_OP_*`) on `dtype`.
    pub(crate) fn begin(job: &Job, team: &Team, tm: usize, dtype: Type, ops: u32, flags: u32) -> &'static Domain {
        let domain = shell();
        let head = &domain.head;
        let native = job.has_native_atomics(team, dtype, ops);
        domain.native.store(native, Ordering::Relaxed);
        head.by_rank.store(if native { nobody() } else { team.table() }, Ordering::Relaxed);
        head.size.store(if native { 0 } else { team.size() }, Ordering::Relaxed);
        // Ranks of the job are looked up in the primordial team's table, which is of primordial endpoints.
        if let Some(all) = team::primordial().filter(|_| team.uniform_ep() == Some(0) && !native) {
            head.by_jobrank.store(all.table(), Ordering::Relaxed);
            head.job_size.store(all.size(), Ordering::Relaxed);
        }
        head.ops[dtype.index()].store(ops, Ordering::Relaxed);
        domain.dt.store(dtype.code(), Ordering::Relaxed);
        domain.flags.store(flags, Ordering::Relaxed);
        domain.cdata.store(ptr::null_mut(), Ordering::Relaxed);
        domain.tm.store(tm, Ordering::Release);
        domain
    }

    /// Destroys the domain.
    pub(crate) fn end(&'static self) {
        self.tm.store(0, Ordering::Release);
        self.head.ops.iter().for_each(|ops| ops.store(0, Ordering::Relaxed));
        self.head.size.store(0, Ordering::Relaxed);
        self.head.job_size.store(0, Ordering::Relaxed);
        // Compilers may read the table speculatively, before the checks of the rank.
        self.head.by_rank.store(nobody(), Ordering::Relaxed);
        SHELLS.lock().ended.push_back(self);
    }

    /// Whether the conduit executes its operations.
    pub(crate) fn is_native(&self) -> bool {
        self.native.load(Ordering::Relaxed)
    }

    pub(crate) fn is_live(&self) -> bool {
        self.tm() != 0
    }

    pub(crate) fn tm(&self) -> usize {
        self.tm.load(Ordering::Acquire)
    }

    pub(crate) fn dt(&self) -> u32 {
        self.dt.load(Ordering::Relaxed)
    }

    pub(crate) fn ops(&self) -> u32 {
        self.head.ops.iter().fold(0, |all, ops| all | ops.load(Ordering::Relaxed))
    }

    pub(crate) fn flags(&self) -> u32 {
        self.flags.load(Ordering::Relaxed)
    }

    pub(crate) fn cdata(&self) -> &AtomicPtr<c_void> {
        &self.cdata
    }
}

/// Whether `at` is the address of a domain, destroyed or not.
pub(crate) fn is_one(at: *const Domain) -> bool {
    SHELLS.lock().all.iter().any(|&domain| ptr::eq(domain, at))
}

fn shell() -> &'static Domain {
    let mut shells = SHELLS.lock();
    if shells.ended.len() > REST {
        if let Some(domain) = shells.ended.pop_front() {
            return domain;
        }
    }
    let domain: &'static Domain = Box::leak(Box::new(Domain::new()));
    shells.all.push(domain);
    domain
}
