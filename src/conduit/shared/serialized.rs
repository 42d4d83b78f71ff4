//! Networks whose library allows one thread at a time (MPI_THREAD_SERIALIZED, or no support of threads): their conduit
//! implements [`Library`], whose functions are never called concurrently, and [`Serialized`] makes a [`Conduit`] of it,
//! with one lock. A conduit over a thread-safe library implements [`Conduit`] itself and needs no lock.
//!
//! Handlers and completions run without the lock: arrivals wait in the arrival queue until the lock is free. A poll
//! that finds another thread inside returns at once. A departure, which may interrupt a thread that is inside, waits
//! for the lock for a limited time only.

use core::ffi::c_int;
use std::sync::OnceLock;
use std::time::Duration;

use super::arrivals::{Queued, hand_up};
use super::background::{Background, BackgroundWork, Worker};
use super::held::Own;
use super::inside::{self, InLibrary};
use super::lock_soon;
use crate::conduit::{
    AmMsg, Atomic, Caps, Conduit, Deliver, GroupCollective, GroupId, Key, Limits, LocalMem, MemKind, NetworkSegments,
    OpToken, Registration, Sent, Stop, Take,
};
use crate::defs::rank::{JobRank, Location};
use crate::fatal::fatal;
use crate::mem::{Dst, RemoteAddr, Src};
use crate::os::{backtrace, process, sleep};
use crate::sync::turns::{self, Turns, TurnsGuard};

/// The properties of a network that never change.
#[derive(Clone, Copy)]
pub(crate) struct Properties {
    pub caps: Caps,
    pub limits: Limits,
    /// [`Conduit::wake`].
    pub wake: [c_int; 2],
    /// [`Conduit::atomics`].
    pub atomics: fn(dtype: u32) -> u32,
    /// [`Conduit::collects`].
    pub collects: fn(what: &GroupCollective, members: u32, bytes: usize) -> bool,
    /// [`Conduit::segments`].
    pub segments: Option<&'static NetworkSegments>,
    /// The period of its background work, if it may have any.
    pub background: Option<Duration>,
    pub leaving: Leaving,
}

/// Who waits for a rank that leaves, until its library has been called once more.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leaving {
    /// Nobody: only transfers in flight depend on it.
    Alone,
    /// The other ranks wait in [`Library::parted`] for this one.
    Together,
    /// The launcher, too, and the library ends only after the transfers in flight.
    Launcher,
}

impl Properties {
    /// Without descriptors, atomics, collectives, segments and background work, of a library that the launcher waits for.
    pub(crate) fn of(caps: Caps, limits: Limits) -> Properties {
        let (wake, segments, background) = ([-1; 2], None, None);
        let (atomics, collects) = (|_| 0, |_: &_, _, _| false);
        Properties { caps, limits, wake, atomics, collects, segments, background, leaving: Leaving::Launcher }
    }
}

/// A network that one thread at a time may call. Functions without a comment are those of [`Conduit`], with the same defaults for those
/// that a network lacks; they never wait.
pub(crate) trait Library: Queued + Send {
    fn properties(&self) -> Properties;
    fn register(&mut self, _: u16, _: usize, _: usize, _: MemKind) -> Result<(Registration, Key), String> {
        fatal!("the conduit registers no memory");
    }
    fn import(&mut self, _: Location, _: &[u8]) -> Result<(), String> {
        fatal!("the conduit imports no keys");
    }
    fn forget(&mut self, _: Registration) {}
    fn am(&mut self, to: Location, msg: &AmMsg<'_>) -> Sent;
    /// Receives arrivals into the arrival queue, and advances operations in flight; true if anything has arrived, or come to an end.
    /// `leaving`: the rank leaves, so that an address outside `own` is not an error.
    fn progress(&mut self, own: Own<'_>, leaving: bool) -> bool;
    fn quiet_ns(&mut self) -> u64;
    fn put(&mut self, to: Location, dst: RemoteAddr, src: LocalMem<Src<'_>>, stays: bool, token: OpToken) -> Sent;
    fn get(&mut self, dst: LocalMem<Dst<'_>>, from: Location, src: RemoteAddr, token: OpToken) -> Sent;
    fn atomic(&mut self, _: Location, _: RemoteAddr, _: &Atomic, _: Option<Dst<'_>>, _: OpToken) -> Sent {
        fatal!("the conduit has no atomics");
    }
    fn quiets(&self) -> bool {
        false
    }
    fn put_until_quiet(&mut self, _: Location, _: RemoteAddr, _: Src<'_>) -> bool {
        false
    }
    fn quieten(&mut self) {}
    fn get_at_once(&mut self, _: Dst<'_>, _: Location, _: RemoteAddr) -> bool {
        false
    }
    fn least_of_all(&mut self, _: [i64; 3], _: bool) {
        fatal!("the conduit combines no words");
    }
    fn least_taken(&mut self) -> Option<[i64; 3]> {
        None
    }
    fn group(&mut self, _: GroupId, _: &[JobRank]) -> bool {
        false
    }
    fn disband(&mut self, _: GroupId) -> bool {
        fatal!("the conduit has no groups");
    }
    fn collect(&mut self, _: GroupId, _: &GroupCollective, _: usize, _: Src<'_>, _: Dst<'_>, _: OpToken) {
        fatal!("the conduit has no collectives");
    }
    fn counters(&self, say: &mut dyn FnMut(&str, u64));
    fn gone(&mut self, rank: JobRank);
    /// Whether all operations of this rank are complete and all its answers sent, so that it may leave.
    fn is_settled(&mut self) -> bool;
    /// Its work for a progress thread; with `Properties::background` only.
    fn in_background(&mut self) -> Option<&mut dyn BackgroundWork> {
        None
    }
    /// One look at [`Conduit::part`], after `progress`; true if it is over, and the library is not called again.
    fn parted(&mut self) -> bool {
        true
    }
}

/// A conduit over a library that one thread at a time may call.
pub(crate) struct Serialized<L: 'static> {
    properties: Properties,
    library: Turns<L>,
    this: OnceLock<&'static Serialized<L>>,
}

impl<L: Library> Serialized<L> {
    pub(crate) fn new(library: L) -> Serialized<L> {
        let properties = library.properties();
        if properties.background.is_some() {
            // The progress thread calls, too.
            turns::set_concurrent(true);
        }
        Serialized { properties, library: Turns::new(library), this: OnceLock::new() }
    }

    /// The conduit, with its background work.
    pub(crate) fn open(library: L) -> &'static dyn Conduit {
        let conduit: &'static Serialized<L> = Box::leak(Box::new(Serialized::new(library)));
        if conduit.properties.background.is_some() {
            let _ = conduit.this.set(conduit);
            if let Some(work) = conduit.library.lock().in_background() {
                work.opened(conduit);
            }
        }
        conduit
    }
}

impl<L: Library> Serialized<L> {
    /// Whether a rank of these ways of leaving does without a step of it: a signal handler may have interrupted malloc, which the library
    /// needs, so it is called there only if others wait for this rank.
    fn spares(&self, without: &[Leaving]) -> bool {
        without.contains(&self.properties.leaving) && backtrace::surely_in_a_signal_handler()
    }

    /// The lock, for a rank that leaves; None if this thread was interrupted where it may hold the lock, or once `goes_on` says no. Another thread
    /// that holds it may have to wait for a processor.
    fn lock_to_leave(&self, goes_on: &dyn Fn() -> bool) -> Option<TurnsGuard<'_, L>> {
        loop {
            match lock_soon(&self.library) {
                None if goes_on() && !inside::is_inside() => {}
                locked => return locked,
            }
        }
    }
}

impl<L: Library> Background for Serialized<L> {
    fn step(&self) -> bool {
        let _inside = InLibrary::enter();
        self.library.lock().in_background().is_some_and(BackgroundWork::step)
    }

    fn period(&self) -> Duration {
        self.properties.background.unwrap_or_default()
    }

    fn worker(&self, change: &mut dyn FnMut(&mut Worker)) {
        let _inside = InLibrary::enter();
        if let Some(work) = self.library.lock().in_background() {
            change(work.worker());
        }
    }
}

impl<L: Library> Conduit for Serialized<L> {
    fn caps(&self) -> Caps {
        self.properties.caps
    }

    fn limits(&self) -> Limits {
        self.properties.limits
    }

    fn segments(&self) -> Option<&'static NetworkSegments> {
        self.properties.segments
    }

    fn register(&self, ep: u16, start: usize, bytes: usize, kind: MemKind) -> Result<(Registration, Key), String> {
        let _inside = InLibrary::enter();
        self.library.lock().register(ep, start, bytes, kind)
    }

    fn import(&self, of: Location, key: &[u8]) -> Result<(), String> {
        let _inside = InLibrary::enter();
        self.library.lock().import(of, key)
    }

    fn forget(&self, registration: Registration) {
        let _inside = InLibrary::enter();
        self.library.lock().forget(registration);
    }

    fn am(&self, to: Location, msg: &AmMsg<'_>) -> Sent {
        let _inside = InLibrary::enter();
        self.library.lock().am(to, msg)
    }

    fn poll(&self, up: &dyn Deliver, take: Take, budget: u32) -> u32 {
        // Before the lock, and until it is free: a rank that leaves takes it.
        let _inside = InLibrary::enter();
        let Some(mut library) = self.library.try_lock() else { return 0 };
        let stirred = library.progress(&|at, len| up.own(at, len), false);
        if library.arrivals().is_empty() {
            return stirred.into();
        }
        hand_up(&mut library, up, take, budget).max(stirred.into())
    }

    fn wake(&self) -> [c_int; 2] {
        self.properties.wake
    }

    fn quiet_ns(&self) -> u64 {
        let _inside = InLibrary::enter();
        self.library.lock().quiet_ns()
    }

    fn put(&self, to: Location, dst: RemoteAddr, src: LocalMem<Src<'_>>, stays: bool, token: OpToken) -> Sent {
        let _inside = InLibrary::enter();
        self.library.lock().put(to, dst, src, stays, token)
    }

    fn get(&self, dst: LocalMem<Dst<'_>>, from: Location, src: RemoteAddr, token: OpToken) -> Sent {
        let _inside = InLibrary::enter();
        self.library.lock().get(dst, from, src, token)
    }

    fn quiets(&self) -> bool {
        let _inside = InLibrary::enter();
        self.library.lock().quiets()
    }

    fn put_until_quiet(&self, to: Location, dst: RemoteAddr, src: Src<'_>) -> bool {
        let _inside = InLibrary::enter();
        self.library.lock().put_until_quiet(to, dst, src)
    }

    fn quieten(&self) {
        let _inside = InLibrary::enter();
        self.library.lock().quieten();
    }

    fn get_at_once(&self, dst: Dst<'_>, from: Location, src: RemoteAddr) -> bool {
        let _inside = InLibrary::enter();
        self.library.lock().get_at_once(dst, from, src)
    }

    fn atomics(&self, dtype: u32) -> u32 {
        (self.properties.atomics)(dtype)
    }

    fn atomic(&self, to: Location, at: RemoteAddr, what: &Atomic, result: Option<Dst<'_>>, token: OpToken) -> Sent {
        let _inside = InLibrary::enter();
        self.library.lock().atomic(to, at, what, result, token)
    }

    fn least_of_all(&self, words: [i64; 3], by_library: bool) {
        let _inside = InLibrary::enter();
        self.library.lock().least_of_all(words, by_library);
    }

    fn least_taken(&self) -> Option<[i64; 3]> {
        let _inside = InLibrary::enter();
        self.library.lock().least_taken()
    }

    fn collects(&self, what: &GroupCollective, members: u32, bytes: usize) -> bool {
        (self.properties.collects)(what, members, bytes)
    }

    fn group(&self, id: GroupId, members: &[JobRank]) -> bool {
        let _inside = InLibrary::enter();
        self.library.lock().group(id, members)
    }

    fn disband(&self, id: GroupId) -> bool {
        let _inside = InLibrary::enter();
        self.library.lock().disband(id)
    }

    fn collect(&self, id: GroupId, what: &GroupCollective, bytes: usize, src: Src<'_>, dst: Dst<'_>, token: OpToken) {
        let _inside = InLibrary::enter();
        self.library.lock().collect(id, what, bytes, src, dst, token);
    }

    fn background(&self) -> Option<&'static dyn Background> {
        self.this.get().map(|conduit| *conduit as _)
    }

    fn counters(&self, say: &mut dyn FnMut(&str, u64)) {
        let _inside = InLibrary::enter();
        // A signal handler may have interrupted the thread that holds the lock.
        if let Some(library) = self.library.try_lock() {
            library.counters(say);
        }
    }

    fn gone(&self, rank: JobRank) {
        let _inside = InLibrary::enter();
        self.library.lock().gone(rank);
    }

    fn part(&self, goes_on: &dyn Fn() -> bool, up: &dyn Deliver) {
        const LOOK_AGAIN: Duration = Duration::from_micros(50);
        if self.spares(&[Leaving::Alone]) {
            return;
        }
        while goes_on() {
            let Some(mut library) = self.lock_to_leave(goes_on) else { return };
            let inside = InLibrary::enter();
            library.progress(&|at, len| up.own(at, len), true);
            if library.parted() {
                return;
            }
            drop(library);
            drop(inside);
            process::nap(LOOK_AGAIN);
        }
    }

    fn stop(&self, how: Stop, up: &dyn Deliver) {
        const LOOK_AGAIN_NS: u64 = 1_000_000;
        let Stop::Within { ns } = how else { return };
        if self.spares(&[Leaving::Alone, Leaving::Together]) {
            return;
        }
        let until = sleep::now_ns().saturating_add(ns);
        while let Some(mut library) = self.lock_to_leave(&|| sleep::now_ns() < until) {
            let inside = InLibrary::enter();
            library.progress(&|at, len| up.own(at, len), true);
            if library.is_settled() || sleep::now_ns() >= until {
                return;
            }
            drop(library);
            drop(inside);
            sleep::wait_readable(self.properties.wake, LOOK_AGAIN_NS);
        }
    }
}
