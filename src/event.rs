//! Operations in flight: the objects to which handles point, and each thread's store of them. An operation counts,
//! by kind, the pieces that were started and the pieces that have finished; it is complete when both are equal.
//! Pieces are started only by the thread that owns the operation, and finished by the thread that runs the reply.
//! Any thread may wait for the operation. Operations are never freed, so a late reply always finds its operation.
//! A handle is the address of an operation, a multiple of 64, or 0 for a complete operation. A leaf event of it
//! also has bit 1 set, and its categories in the bits above; the value 1 means that no operation was started.
//!
//! # Safety
//! The addresses turned into references here are of [`Op`]s and [`Ops`] that this file leaked intentionally:
//! they are valid until the process ends. In debug clients handles are looked up before they are used.
#![allow(unsafe_code)]

mod handle;
mod left;
#[cfg(test)]
mod rank_tests;
mod sync;

use core::cell::Cell;
use core::ffi::CStr;
use core::ptr;

use parking_lot::Mutex;

use handle::{ADDRESS, LEAF};
pub(crate) use handle::{Handle, Which};
use left::leave_implicit;
pub(crate) use left::{leave_for_quiet, left_for_quiet, left_implicit, set_quiet};

use crate::defs::rank::JobRank;
use crate::fatal::fatal;
use crate::hang::waits::Note;
use crate::mem::{halves, whole};
use crate::os::thread_end;
use crate::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};
use crate::thread;

/// The counter to which a piece belongs, so that each kind can be waited for separately.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PieceKind {
    Put = 0,
    /// Local completion only: the source may be reused.
    Local = 1,
    Get = 2,
    /// Remote atomics.
    Rmw = 3,
    /// A put whose local completion is counted, too.
    PutLocal = 4,
}

impl Which {
    /// Whether all started pieces of these categories of `op` have finished.
    pub fn done(self, op: &Op) -> bool {
        op.counts.iter().enumerate().all(|(at, count)| self.0 >> at & 1 == 0 || count.is_done())
    }
}

/// `started` is written by the owner only, `done` by any thread. Both wrap around; fewer than 2^32 pieces are in
/// flight.
#[derive(Default)]
struct Count {
    started: AtomicU32,
    done: AtomicU32,
}

impl Count {
    fn start(&self) {
        self.started.store(self.started.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
    }

    fn left(&self) -> u32 {
        self.started.load(Ordering::Relaxed).wrapping_sub(self.done.load(Ordering::Relaxed))
    }

    fn is_done(&self) -> bool {
        // Acquire: with the Release in `Op::finish`; a thread that sees the count sees the bytes of the get.
        self.done.load(Ordering::Acquire) == self.started.load(Ordering::Relaxed)
    }
}

const FREE: u32 = 0;
const EXPLICIT: u32 = 1;
const VALUE: u32 = 2;
const IMPLICIT: u32 = 3;
const REGION: u32 = 4;
/// With EXPLICIT: it has no leaf events, because its initiator requested none.
const LEAFLESS: u32 = 8;
/// With EXPLICIT: an access region, which has a leaf event for each category.
const COLLECTED: u32 = 16;
/// Without those.
const STATE: u32 = 7;

/// One operation, one cache line.
#[repr(C, align(64))]
pub struct Op {
    /// By category: `PieceKind` below `PutLocal`, bits of `Which`.
    counts: [Count; 4],
    /// The destination of a non-blocking value get.
    value: AtomicU64,
    /// The next operation in the free list.
    next: AtomicPtr<Op>,
    /// The index of the [`Ops`] to which it belongs.
    owner: u32,
    state: AtomicU32,
    /// For hang reports. Of a collective: [`COLLECTIVE`] and its number; the team's id is in `value`, its name at
    /// `next`. Otherwise 1 + the target rank of the last piece, or 0 if that is not known.
    about: AtomicU64,
}

const _: () = assert!(align_of::<Op>() - 1 == !ADDRESS);

const COLLECTIVE: u64 = 1 << 63;

impl Op {
    fn new(owner: u32) -> Op {
        Op {
            counts: Default::default(),
            value: AtomicU64::new(0),
            next: AtomicPtr::new(ptr::null_mut()),
            owner,
            state: AtomicU32::new(FREE),
            about: AtomicU64::new(0),
        }
    }

    /// Counts a started piece; called before it is sent, by the owning thread.
    pub fn start(&self, kind: PieceKind) {
        match kind {
            PieceKind::PutLocal => {
                self.counts[PieceKind::Local as usize].start();
                self.counts[PieceKind::Put as usize].start();
            }
            kind => self.counts[kind as usize].start(),
        }
    }

    /// Counts a finished piece; called by any thread. The caller must not use the operation afterwards, since it
    /// may be reused.
    pub fn finish(&self, kind: PieceKind) {
        self.finish_times(kind, 1);
    }

    /// As `finish`, for `times` pieces.
    fn finish_times(&self, kind: PieceKind, times: u32) {
        let finish = |kind: PieceKind| {
            // Release: with the Acquire in `Count::is_done`.
            self.counts[kind as usize].done.fetch_add(times, Ordering::Release);
        };
        match kind {
            PieceKind::PutLocal => {
                finish(PieceKind::Local);
                finish(PieceKind::Put);
            }
            kind => finish(kind),
        }
    }

    pub fn is_done(&self) -> bool {
        self.counts.iter().all(Count::is_done)
    }

    /// Whether the sources of all pieces may be reused.
    pub fn is_locally_done(&self) -> bool {
        Which::LOCAL.done(self)
    }

    /// Records the target rank of a piece.
    pub fn set_peer(&self, peer: JobRank) {
        self.about.store(u64::from(peer.0) + 1, Ordering::Relaxed);
    }

    /// Records that it is collective `number` of `team`.
    pub fn set_collective(&self, team: u64, number: u32, name: &'static CStr) {
        self.value.store(team, Ordering::Relaxed);
        self.next.store(name.as_ptr().cast_mut().cast(), Ordering::Relaxed);
        self.about.store(COLLECTIVE | u64::from(number), Ordering::Relaxed);
    }

    /// The description of a wait for it, for hang reports.
    pub fn note(&self) -> Note<'static> {
        let about = self.about.load(Ordering::Relaxed);
        if about & COLLECTIVE != 0 {
            // SAFETY: `set_collective` stored a static string; a waiter's operation is in no free list.
            let name = unsafe { CStr::from_ptr(self.next.load(Ordering::Relaxed).cast()) };
            let team = self.value.load(Ordering::Relaxed);
            return Note::Collective { team, number: about as u32, name: name.to_bytes() };
        }
        let left = |kind: PieceKind| self.counts[kind as usize].left();
        Note::Operations {
            puts: left(PieceKind::Put).max(left(PieceKind::Local)),
            gets: left(PieceKind::Get),
            atomics: left(PieceKind::Rmw),
            peer: about.checked_sub(1).map(|peer| peer as u32),
        }
    }

    /// Records that the client needs no leaf events of it.
    pub fn without_leaf(&self) {
        self.state.store(self.state.load(Ordering::Relaxed) | LEAFLESS, Ordering::Relaxed);
    }

    /// The value of a value get that is complete.
    pub fn value(&self) -> u64 {
        self.value.load(Ordering::Relaxed)
    }

    /// The destination of a value get.
    pub fn value_place(&self) -> *mut u64 {
        ptr::from_ref(&self.value).cast_mut().cast()
    }

    pub fn handle(&'static self) -> Handle {
        // Provenance is exposed: the operation is found from the address in a handle or message.
        Handle(ptr::from_ref(self).expose_provenance())
    }

    /// The handle for the initiator; `DONE` if all pieces have finished.
    pub fn hand_out(&'static self) -> Handle {
        if self.is_done() {
            mine().give(self);
            return Handle::DONE;
        }
        self.handle()
    }

    /// The leaf event that is complete when all sources may be reused. It is released with the handle of the
    /// operation.
    pub fn local_leaf(&'static self) -> Handle {
        if self.is_locally_done() { Handle::DONE } else { Handle(self.handle().0 | LEAF) }
    }

    /// A completion token for one piece of this operation, which a conduit or message returns when the piece is
    /// complete.
    pub fn token(&'static self, kind: PieceKind) -> u64 {
        // Addresses of operations are multiples of 64.
        self.handle().0 as u64 | kind as u64
    }

    fn of_token(token: u64) -> (&'static Op, PieceKind) {
        let kind = match token & 7 {
            0 => PieceKind::Put,
            1 => PieceKind::Local,
            2 => PieceKind::Get,
            3 => PieceKind::Rmw,
            _ => PieceKind::PutLocal,
        };
        // SAFETY: conduits and replies return the value that this process made with `token`.
        (unsafe { &*ptr::with_exposed_provenance::<Op>(token as usize & ADDRESS) }, kind)
    }

    /// The piece that [`Op::token`] named is complete.
    pub fn complete(token: u64) {
        let (op, kind) = Op::of_token(token);
        op.finish(kind);
    }

    /// The source of the piece that [`Op::token`] named may be reused; the piece itself is complete later, which
    /// [`Op::complete_remotely`] reports.
    pub fn complete_locally(token: u64) {
        let (op, kind) = Op::of_token(token);
        if matches!(kind, PieceKind::Local | PieceKind::PutLocal) {
            op.finish(PieceKind::Local);
        }
    }

    /// The piece is complete, its local completion was told before.
    pub fn complete_remotely(token: u64) {
        Op::complete_remotely_times(token, 1);
    }

    /// As `complete_remotely`, for `times` pieces that have one token.
    pub fn complete_remotely_times(token: u64, times: u32) {
        let (op, kind) = Op::of_token(token);
        op.finish_times(if kind == PieceKind::PutLocal { PieceKind::Put } else { kind }, times);
    }

    /// As [`Op::token`], as two message arguments, high half first.
    pub fn token_args(&'static self, kind: PieceKind) -> [i32; 2] {
        halves(self.token(kind) as usize)
    }

    /// The piece that [`Op::token_args`] of this process named is complete.
    pub fn complete_args(high: i32, low: i32) {
        Op::complete(whole(high, low) as u64);
    }
}

/// The operations of the thread with this index. Lists and counters are accessed only by that thread, except
/// `returned`; when it ends, the next thread with its index takes them over.
pub(crate) struct Ops {
    index: u32,
    free: AtomicPtr<Op>,
    /// Operations of this thread that other threads have synchronised.
    returned: AtomicPtr<Op>,
    /// The operation of which implicit operations outside access regions are pieces.
    implicit: &'static Op,
    /// The open access region, or null.
    region: AtomicPtr<Op>,
    made: AtomicU32,
}

/// All [`Ops`], by thread index, and the memory of operations.
struct Registry {
    all: Vec<Option<&'static Ops>>,
    /// The start and length of each block of operations. Only debug clients look up handles here.
    blocks: Vec<(usize, usize)>,
}

static REGISTRY: Mutex<Registry> = Mutex::new(Registry { all: Vec::new(), blocks: Vec::new() });

thread_local! {
    static MINE: Cell<Option<&'static Ops>> = const { Cell::new(None) };
}

/// This thread's operations; the first call registers the thread.
#[inline]
pub(crate) fn mine() -> &'static Ops {
    match MINE.get() {
        Some(ops) => ops,
        None => enter(),
    }
}

#[cold]
fn enter() -> &'static Ops {
    let index = thread::index();
    let mut registry = REGISTRY.lock();
    let at = index as usize;
    if registry.all.len() <= at {
        registry.all.resize(at + 1, None);
    }
    let ops = *registry.all[at].get_or_insert_with(|| Ops::new(index));
    MINE.set(Some(ops));
    thread_end::at_end(|| MINE.set(None));
    ops
}

impl Ops {
    fn new(index: u32) -> &'static Ops {
        let implicit = Box::leak(Box::new(Op::new(index)));
        implicit.state.store(IMPLICIT, Ordering::Relaxed);
        Box::leak(Box::new(Ops {
            index,
            free: AtomicPtr::new(ptr::null_mut()),
            returned: AtomicPtr::new(ptr::null_mut()),
            implicit,
            region: AtomicPtr::new(ptr::null_mut()),
            made: AtomicU32::new(0),
        }))
    }

    /// A new operation with a handle.
    pub(crate) fn explicit(&self) -> &'static Op {
        self.take(EXPLICIT)
    }

    /// A new operation for a value get.
    pub(crate) fn value(&self) -> &'static Op {
        let op = self.take(VALUE);
        op.value.store(0, Ordering::Relaxed);
        op
    }

    /// The operation of which implicit operations are pieces now: the open access region, or the thread's own. Not
    /// called for operations that are complete on return: after the first call, the inline fast paths no longer
    /// assume that no implicit operation is incomplete.
    pub(crate) fn current(&self) -> &'static Op {
        // Relaxed: a thread reads both only with respect to its own operations.
        if !left_implicit() {
            leave_implicit();
        }
        let region = self.region.load(Ordering::Relaxed);
        if region.is_null() {
            self.implicit
        } else {
            // SAFETY: only `begin_region` stores here, and operations are never freed.
            unsafe { &*region }
        }
    }

    fn take(&self, state: u32) -> &'static Op {
        let mut first = self.free.load(Ordering::Relaxed);
        if first.is_null() {
            // Acquire: with the Release in `give`; the links of the list are visible.
            first = self.returned.swap(ptr::null_mut(), Ordering::Acquire);
            if first.is_null() {
                first = self.make();
            }
        }
        // SAFETY: free lists hold operations, which are never freed.
        let op: &'static Op = unsafe { &*first };
        self.free.store(op.next.load(Ordering::Relaxed), Ordering::Relaxed);
        op.state.store(state, Ordering::Relaxed);
        op.about.store(0, Ordering::Relaxed);
        op
    }

    /// Allocates a list of new operations: as many as exist, up to a limit.
    #[cold]
    fn make(&self) -> *mut Op {
        let made = self.made.load(Ordering::Relaxed);
        let count = made.clamp(32, 4096);
        self.made.store(made.saturating_add(count), Ordering::Relaxed);
        let block: &'static [Op] = Box::leak((0..count).map(|_| Op::new(self.index)).collect());
        for pair in block.windows(2) {
            pair[0].next.store(ptr::from_ref(&pair[1]).cast_mut(), Ordering::Relaxed);
        }
        REGISTRY.lock().blocks.push((block.as_ptr().expose_provenance(), block.len()));
        ptr::from_ref(&block[0]).cast_mut()
    }

    /// Releases an operation that is complete and no longer referenced.
    pub(crate) fn give(&self, op: &'static Op) {
        if op.state.load(Ordering::Relaxed) == FREE {
            given_twice(op);
        }
        op.state.store(FREE, Ordering::Relaxed);
        let this = ptr::from_ref(op).cast_mut();
        if op.owner == self.index {
            op.next.store(self.free.load(Ordering::Relaxed), Ordering::Relaxed);
            self.free.store(this, Ordering::Relaxed);
            return;
        }
        let Some(owner) = REGISTRY.lock().all[op.owner as usize] else { return };
        let mut head = owner.returned.load(Ordering::Relaxed);
        loop {
            op.next.store(head, Ordering::Relaxed);
            // Release: with the Acquire in `take`. The owner takes the whole list at once, so no ABA.
            match owner.returned.compare_exchange_weak(head, this, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => return,
                Err(seen) => head = seen,
            }
        }
    }

    /// Opens an access region; `false` if one is open.
    pub(crate) fn begin_region(&self) -> bool {
        if !self.region.load(Ordering::Relaxed).is_null() {
            return false;
        }
        self.region.store(ptr::from_ref(self.take(REGION)).cast_mut(), Ordering::Relaxed);
        true
    }

    /// Closes the access region and returns the handle of its operations; `None` if none is open.
    pub(crate) fn end_region(&self) -> Option<Handle> {
        if self.region.load(Ordering::Relaxed).is_null() {
            return None;
        }
        let op = self.current();
        self.region.store(ptr::null_mut(), Ordering::Relaxed);
        op.state.store(EXPLICIT | COLLECTED, Ordering::Relaxed);
        if op.is_done() {
            self.give(op);
            return Some(Handle::DONE);
        }
        Some(op.handle())
    }

    fn in_region(&self) -> bool {
        !self.region.load(Ordering::Relaxed).is_null()
    }
}

/// The result of checking a handle in a release client.
#[cold]
fn given_twice(op: &'static Op) -> ! {
    fatal!("handle {:#x} was already synchronised", op.handle().0)
}

#[cfg(test)]
mod tests;
