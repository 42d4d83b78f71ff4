//! Operations in flight: what a handle points to, and each thread's store of them. An operation counts, kind by
//! kind, the pieces it started and the pieces that finished; it is done when the two agree. Pieces are started only
//! by the thread that owns the operation, and finished by whichever thread runs the reply. Any thread may wait for
//! it. Operations are never given back to the heap, so a late reply always finds its own.
//!
//! A handle is the address of an operation, a multiple of 64, or 0 for what is complete. A leaf of it has bit 1 set
//! too, and above it the categories it stands for; 1 is no handle: nothing was started.
//!
//! # Safety
//! The addresses turned into references here are of [`Op`]s and [`Ops`] that this file leaked on purpose:
//! they stay valid until the process ends. Debug clients' handles are looked up before they are believed.
#![allow(unsafe_code)]

mod sync;

use core::cell::Cell;
use core::ffi::CStr;
use core::ptr;
use std::sync::OnceLock;

use parking_lot::Mutex;

use crate::fatal::fatal;
use crate::job::JobRank;
use crate::os::thread_end;
use crate::progress::waits::Note;
use crate::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, Ordering};
use crate::thread;

/// What the client holds for an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Handle(pub usize);

const LEAF: usize = 2;
const LEAF_SHIFT: u32 = 2;
const ADDRESS: usize = !(align_of::<Op>() - 1);

impl Handle {
    /// The handle of an operation that is already complete.
    pub const DONE: Handle = Handle(0);
    /// No operation was started: there was no room, and the caller did not want to wait for it.
    pub const NO_OP: Handle = Handle(1);

    /// What this leaf stands for; None if it is no leaf.
    fn leaf(self) -> Option<Which> {
        let bits = ((self.0 & !ADDRESS) >> LEAF_SHIFT) as u32;
        (self.0 & LEAF != 0).then_some(if bits == 0 { Which::LOCAL } else { Which(bits) })
    }
}

/// Which counter a piece belongs to, so that each kind can be waited for separately.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Put = 0,
    /// Local completion alone: a source may be reused.
    Local = 1,
    Get = 2,
    /// Remote atomics.
    Rmw = 3,
    /// A put whose local completion is counted, too.
    PutLocal = 4,
}

/// A set of categories; the bits of `gex_EC_t`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Which(pub u32);

impl Which {
    /// Puts, and with them their local completion.
    pub const PUTS: Which = Which(3);
    pub const LOCAL: Which = Which(2);
    pub const GETS: Which = Which(4);
    pub const RMWS: Which = Which(8);
    pub const ALL: Which = Which(u32::MAX);

    fn done(self, op: &Op) -> bool {
        op.counts.iter().enumerate().all(|(at, count)| self.0 >> at & 1 == 0 || count.is_done())
    }
}

/// Started is written by the owner alone; done by anyone. Both wrap, and there are never 2^32 in flight.
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
        // Acquire: with the Release in `Op::finish`, who sees the count sees the bytes of the get.
        self.done.load(Ordering::Acquire) == self.started.load(Ordering::Relaxed)
    }
}

const FREE: u32 = 0;
const EXPLICIT: u32 = 1;
const VALUE: u32 = 2;
const IMPLICIT: u32 = 3;
const REGION: u32 = 4;
/// With EXPLICIT: it has no leaf, because its initiator wanted none.
const LEAFLESS: u32 = 8;
/// With EXPLICIT: it was an access region, which has a leaf for each category.
const COLLECTED: u32 = 16;
/// Without those.
const STATE: u32 = 7;

/// One operation, one cache line.
#[repr(C, align(64))]
pub struct Op {
    /// By category: `Kind` below `PutLocal`, bits of `Which`.
    counts: [Count; 4],
    /// Where the bytes of a non-blocking value get arrive.
    value: AtomicU64,
    /// The next one in the free list that holds this one.
    next: AtomicPtr<Op>,
    /// Index of the [`Ops`] that made it and takes it back.
    owner: u32,
    state: AtomicU32,
    /// For who asks what a thread waits for. Of a collective: [`COLLECTIVE`] and its number; its team's is in `value`,
    /// its name at `next`. Else one more than the rank that a piece went to last; 0 if that is not known.
    about: AtomicU64,
}

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

    /// Counts one more piece; before it is sent, by the owning thread.
    pub fn start(&self, kind: Kind) {
        match kind {
            Kind::PutLocal => {
                self.counts[Kind::Local as usize].start();
                self.counts[Kind::Put as usize].start();
            }
            kind => self.counts[kind as usize].start(),
        }
    }

    /// One piece has finished; by any thread, which must not touch the operation again: it may be another one's.
    pub fn finish(&self, kind: Kind) {
        let finish = |kind: Kind| {
            // Release: with the Acquire in `Count::is_done`.
            self.counts[kind as usize].done.fetch_add(1, Ordering::Release);
        };
        match kind {
            Kind::PutLocal => {
                finish(Kind::Local);
                finish(Kind::Put);
            }
            kind => finish(kind),
        }
    }

    pub fn is_done(&self) -> bool {
        self.counts.iter().all(Count::is_done)
    }

    /// Whether the sources of everything that was started are free again.
    pub fn is_locally_done(&self) -> bool {
        Which::LOCAL.done(self)
    }

    /// The rank that a piece goes to.
    pub fn set_peer(&self, peer: JobRank) {
        self.about.store(u64::from(peer.0) + 1, Ordering::Relaxed);
    }

    /// It is collective `number` of `team`.
    pub fn set_collective(&self, team: u64, number: u32, name: &'static CStr) {
        self.value.store(team, Ordering::Relaxed);
        self.next.store(name.as_ptr().cast_mut().cast(), Ordering::Relaxed);
        self.about.store(COLLECTIVE | u64::from(number), Ordering::Relaxed);
    }

    /// What a thread says that waits for it.
    pub fn note(&self) -> Note<'static> {
        let about = self.about.load(Ordering::Relaxed);
        if about & COLLECTIVE != 0 {
            // SAFETY: `set_collective` stored a static string; a waiter's operation is in no free list.
            let name = unsafe { CStr::from_ptr(self.next.load(Ordering::Relaxed).cast()) };
            let team = self.value.load(Ordering::Relaxed);
            return Note::Collective { team, number: about as u32, name: name.to_bytes() };
        }
        let left = |kind: Kind| self.counts[kind as usize].left();
        Note::Operations {
            puts: left(Kind::Put).max(left(Kind::Local)),
            gets: left(Kind::Get),
            atomics: left(Kind::Rmw),
            peer: about.checked_sub(1).map(|peer| peer as u32),
        }
    }

    /// The client wants no leaf of it.
    pub fn without_leaf(&self) {
        self.state.store(self.state.load(Ordering::Relaxed) | LEAFLESS, Ordering::Relaxed);
    }

    /// Where a value get writes its bytes.
    pub fn value_place(&self) -> *mut u64 {
        ptr::from_ref(&self.value).cast_mut().cast()
    }

    pub fn handle(&'static self) -> Handle {
        // Exposed: the operation is found again from the address in a handle or message.
        Handle(ptr::from_ref(self).expose_provenance())
    }

    /// The handle for the initiator; none is needed if everything has finished.
    pub fn hand_out(&'static self) -> Handle {
        if self.is_done() {
            mine().give(self);
            return Handle::DONE;
        }
        self.handle()
    }

    /// The leaf that is complete when all sources are free again. Dies with the handle of the whole.
    pub fn local_leaf(&'static self) -> Handle {
        if self.is_locally_done() { Handle::DONE } else { Handle(self.handle().0 | LEAF) }
    }

    /// Names one piece of this operation to a conduit or in a message, until the piece is complete.
    pub fn token(&'static self, kind: Kind) -> u64 {
        // Addresses of operations are multiples of 64.
        self.handle().0 as u64 | kind as u64
    }

    fn of_token(token: u64) -> (&'static Op, Kind) {
        let kind = match token & 7 {
            0 => Kind::Put,
            1 => Kind::Local,
            2 => Kind::Get,
            3 => Kind::Rmw,
            _ => Kind::PutLocal,
        };
        // SAFETY: conduits and replies give back what this process made with `token`.
        (unsafe { &*ptr::with_exposed_provenance::<Op>(token as usize & ADDRESS) }, kind)
    }

    /// The piece that [`Op::token`] named is complete.
    pub fn complete(token: u64) {
        let (op, kind) = Op::of_token(token);
        op.finish(kind);
    }

    /// The source of the piece that [`Op::token`] named may be reused; the piece itself is complete later, of which
    /// [`Op::complete_remotely`] tells.
    pub fn complete_locally(token: u64) {
        let (op, kind) = Op::of_token(token);
        if matches!(kind, Kind::Local | Kind::PutLocal) {
            op.finish(Kind::Local);
        }
    }

    /// The piece is complete, its local completion was told before.
    pub fn complete_remotely(token: u64) {
        let (op, kind) = Op::of_token(token);
        op.finish(if kind == Kind::PutLocal { Kind::Put } else { kind });
    }

    /// As [`Op::token`], as two message arguments, high half first.
    pub fn token_args(&'static self, kind: Kind) -> [i32; 2] {
        let token = self.token(kind);
        [(token >> 32) as i32, token as i32]
    }

    /// The piece that [`Op::token_args`] of this process named is complete.
    pub fn complete_args(high: i32, low: i32) {
        Op::complete(u64::from(high as u32) << 32 | u64::from(low as u32));
    }

    /// The address as two message arguments, high half first.
    pub fn to_args(&'static self) -> [i32; 2] {
        let address = self.handle().0;
        [(address >> 32) as i32, address as i32]
    }

    /// The operation that [`Op::to_args`] of this process wrote.
    pub fn from_args(high: i32, low: i32) -> &'static Op {
        let address = (high as u32 as usize) << 32 | low as u32 as usize;
        // SAFETY: a reply carries back the arguments of a request that this process made with `to_args`.
        unsafe { &*ptr::with_exposed_provenance::<Op>(address) }
    }
}

/// The operations of the thread with this index. Lists and counters are that thread's alone, but for
/// `returned`; when it ends, the next thread with its index goes on with them.
pub struct Ops {
    index: u32,
    free: AtomicPtr<Op>,
    /// Operations of ours that another thread synchronised.
    returned: AtomicPtr<Op>,
    /// What implicit-handle operations outside access regions count on.
    implicit: &'static Op,
    /// The open access region, or null.
    region: AtomicPtr<Op>,
    made: AtomicU32,
}

/// All [`Ops`] ever made, by thread index, and where operations lie.
struct Registry {
    all: Vec<Option<&'static Ops>>,
    /// Start and count of each block of operations. Only debug clients' handles are looked up here.
    blocks: Vec<(usize, usize)>,
}

static REGISTRY: Mutex<Registry> = Mutex::new(Registry { all: Vec::new(), blocks: Vec::new() });

static QUIET: OnceLock<&'static AtomicU8> = OnceLock::new();
static LEFT: AtomicBool = AtomicBool::new(false);

/// Whether an implicit operation may ever have been left outstanding.
pub fn left_implicit() -> bool {
    LEFT.load(Ordering::Relaxed)
}

/// Where the inline fast paths read, where every rank is reached by copies, that no implicit operation was ever left
/// outstanding.
pub fn set_quiet(flag: &'static AtomicU8) {
    QUIET.get_or_init(|| flag);
}

thread_local! {
    static MINE: Cell<Option<&'static Ops>> = const { Cell::new(None) };
}

/// This thread's operations; the first call registers the thread.
#[inline]
pub fn mine() -> &'static Ops {
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

    /// A fresh operation with a handle.
    pub fn explicit(&self) -> &'static Op {
        self.take(EXPLICIT)
    }

    /// A fresh operation for a value get.
    pub fn value(&self) -> &'static Op {
        let op = self.take(VALUE);
        op.value.store(0, Ordering::Relaxed);
        op
    }

    /// What implicit-handle operations count on now: the open access region, or the thread's own. Not asked for by
    /// what is complete on return: from the first call on, the inline fast paths no longer take it for granted that no
    /// implicit operation is outstanding.
    pub fn current(&self) -> &'static Op {
        // Relaxed: a thread reads both for the sake of its own operations.
        if !LEFT.load(Ordering::Relaxed) {
            LEFT.store(true, Ordering::Relaxed);
            if let Some(quiet) = QUIET.get() {
                quiet.store(0, Ordering::Relaxed);
            }
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
            // Acquire: with the Release in `give`, the links of the list are seen.
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

    /// A list of new operations: as many as there are already, within reason.
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

    /// Takes back an operation that is complete and that nobody knows any more.
    pub fn give(&self, op: &'static Op) {
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
    pub fn begin_region(&self) -> bool {
        if !self.region.load(Ordering::Relaxed).is_null() {
            return false;
        }
        self.region.store(ptr::from_ref(self.take(REGION)).cast_mut(), Ordering::Relaxed);
        true
    }

    /// Closes the access region and gives the handle of what it started; `None` if none is open.
    pub fn end_region(&self) -> Option<Handle> {
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

/// What a release client's handle can be found to be.
#[cold]
fn given_twice(op: &'static Op) -> ! {
    fatal!("handle {:#x} was already synchronised", op.handle().0)
}

#[cfg(test)]
mod tests;
