//! Puts, gets and atomics: UCX's own. A put is complete at the target with the next flush of the connection; there is at most one flush of
//! a connection in flight, and puts that are started meanwhile are those of the next one.
//!
//! # Safety
//! The caller of `put` keeps a source that stays until local completion, that of `get` or `atomic` keeps the destination until the
//! operation is complete. Copies and words are on the heap, and are kept in `flights` until UCX says that the operation has ended.
#![allow(unsafe_code)]

use super::state::{UcxFlown, UcxPut, UcxPuts, UcxRank};
use crate::conduit::shared::batches::Batched;
use crate::conduit::shared::held::{Aligned, Held};
use crate::conduit::shared::operations::{NetworkAtomic, NetworkOp};
use crate::conduit::{Atomic, Completion, OpToken, Sent};
use crate::defs::rank::{JobRank, Location};
use crate::fatal::fatal;
use crate::mem::{self, Dst, RemoteAddr, Src};
use crate::shims::ucx::{Begun, UcxError, UcxOp};

/// Bytes of a put up to which its source is copied if UCX does not send it at once: UCX 1.20 over tcp may keep such a source until the target
/// calls the library, and local completion must not wait for that.
const COPIED: usize = 4096;
/// Bytes of a put up to which its source is copied before the first call of UCX: a second call takes more instructions than the copy.
const COPIED_FIRST: usize = 256;
/// Buffers of `COPIED` bytes that are kept for the next copies.
const MOST_COPIES: usize = 256;

/// Puts, gets and atomics that this rank may have in flight.
pub(super) const TRANSFERS: usize = 4096;

impl UcxRank {
    /// Why an operation on `to` with this token is not started.
    fn not_started(&mut self, to: JobRank, token: OpToken) -> Option<Sent> {
        if self.is_gone(to) {
            return Some(self.arrivals.fails(token));
        }
        (self.in_flight >= TRANSFERS).then_some(Sent::Retry)
    }

    #[inline]
    pub(crate) fn start_put(
        &mut self,
        to: Location,
        dst: RemoteAddr,
        src: Src<'_>,
        stays: bool,
        token: OpToken,
    ) -> Sent {
        if let Some(sent) = self.not_started(to.rank, token) {
            return sent;
        }
        if src.is_empty() {
            return Sent::Done;
        }
        let stays = stays && src.len() > COPIED;
        let key = self.key_for(to, dst.0, src.len());
        let number = self.flights.next_number();
        let mut copy = None;
        let mut begun = Begun::Failed(UcxError::NO_RESOURCE);
        if stays || src.len() > COPIED_FIRST {
            // SAFETY: a source that stays does so (head of the file); else the put is not started, unless it ends at once. `key_for` has
            // checked the destination.
            begun = unsafe { self.connected(to.rank).put(src, dst.0, key, !stays, number.into()) };
        }
        if !stays && matches!(begun, Begun::Started | Begun::Failed(UcxError::NO_RESOURCE)) {
            let is_short = src.len() <= COPIED;
            if !is_short || self.copies.is_empty() {
                self.copies.push(Aligned::zeroed(src.len().max(COPIED)));
            }
            let last = self.copies.len() - 1;
            let place = self.copies[last].view().part(0, src.len());
            mem::copy(place, src);
            // SAFETY: the copy is on the heap; it is kept in `flights` or, where the put has ended, not used.
            let Held(source) = unsafe { Held::src(place.as_src()) };
            // SAFETY: as before; `key_for` has checked the destination.
            begun = unsafe { self.connected(to.rank).put(source, dst.0, key, false, number.into()) };
            if begun == Begun::Started || !is_short {
                copy = self.copies.pop();
            }
        }
        match begun {
            Begun::Done => {
                let waits = &self.members[to.rank.index()].puts;
                if !waits.flushing && waits.are_none() {
                    return self.flush_one(to.rank, token);
                }
                self.in_flight += 1;
                self.members[to.rank.index()].puts.add(token);
                self.flush(to.rank);
                Sent::Copied
            }
            Begun::Started => {
                self.in_flight += 1;
                let put = UcxPut { peer: to.rank, token: Some(token), stays, is_sent: false, is_flushed: false };
                let put = self.puts.insert(put);
                self.fly(to.rank, UcxFlown::Put { number: put, copy });
                self.members[to.rank.index()].puts.numbers.push(put);
                self.flush(to.rank);
                if stays { Sent::Later } else { Sent::Copied }
            }
            Begun::Failed(error) => self.not_begun(to.rank, token, error),
        }
    }

    /// Keeps the copy of a source for the next one.
    fn keep_copy(&mut self, copy: Option<Aligned>) {
        if let Some(copy) = copy.filter(|copy| copy.len() == COPIED && self.copies.len() < MOST_COPIES) {
            self.copies.push(copy);
        }
    }

    #[cold]
    fn not_begun(&mut self, to: JobRank, token: OpToken, error: UcxError) -> Sent {
        if error == UcxError::NO_RESOURCE {
            return Sent::Retry;
        }
        self.fails(to, error);
        self.arrivals.fails(token)
    }

    /// Flushes the connection for a single put whose source is free.
    #[inline]
    fn flush_one(&mut self, to: JobRank, token: OpToken) -> Sent {
        self.says.flushes += 1;
        let tag = self.flights.next_number().into();
        match self.connected(to).flush(tag) {
            Begun::Done => Sent::Done,
            Begun::Started => {
                self.in_flight += 1;
                self.members[to.index()].puts.flushing = true;
                self.fly(to, UcxFlown::FlushOne(Some(token)));
                Sent::Copied
            }
            Begun::Failed(error) => {
                self.fails(to, error);
                self.arrivals.fails(token);
                Sent::Copied
            }
        }
    }

    /// Flushes the connection for all puts that wait for that, unless a flush is in flight.
    fn flush(&mut self, to: JobRank) {
        if self.members[to.index()].puts.flushing {
            return;
        }
        self.says.flushes += 1;
        let puts = core::mem::take(&mut self.members[to.index()].puts);
        let tag = self.flights.next_number().into();
        let begun = self.connected(to).flush(tag);
        self.flush_begun(to, puts, begun);
    }

    fn flush_begun(&mut self, to: JobRank, puts: UcxPuts, begun: Begun) {
        match begun {
            Begun::Done => self.puts_ended(puts, false),
            Begun::Started => {
                self.members[to.index()].puts.flushing = true;
                self.fly(to, UcxFlown::Flush(puts));
            }
            Begun::Failed(error) => {
                self.puts_ended(puts, true);
                self.fails(to, error);
            }
        }
    }

    /// A flush for these puts has ended.
    fn puts_ended(&mut self, puts: UcxPuts, failed: bool) {
        for (token, times) in puts.tokens {
            self.in_flight -= times as usize;
            self.arrivals.done_times(token, if failed { Completion::Failed } else { Completion::Remote }, times);
        }
        for number in puts.numbers {
            let Some(put) = self.puts.get_mut(number) else { continue };
            put.is_flushed = true;
            self.put_advanced(number, failed);
        }
    }

    /// The source of a put has become free, or its flush has ended.
    fn put_advanced(&mut self, number: u32, failed: bool) {
        let Some(UcxPut { token, is_sent, is_flushed, .. }) = self.puts.get_mut(number) else { return };
        let is_over = *is_sent && *is_flushed;
        if is_over || failed {
            if let Some(token) = token.take() {
                self.in_flight -= 1;
                self.arrivals.done(token, if failed { Completion::Failed } else { Completion::Remote });
            }
        }
        if is_over {
            self.puts.remove(number);
        }
    }

    #[inline]
    pub(crate) fn start_get(&mut self, dst: Dst<'_>, from: Location, src: RemoteAddr, token: OpToken) -> Sent {
        if let Some(sent) = self.not_started(from.rank, token) {
            return sent;
        }
        if dst.is_empty() {
            return Sent::Done;
        }
        let key = self.key_for(from, src.0, dst.len());
        let tag = self.flights.next_number().into();
        // SAFETY: the caller keeps the destination (head of the file); `key_for` has checked the source.
        match unsafe { self.connected(from.rank).get(dst, src.0, key, tag) } {
            Begun::Done => Sent::Done,
            Begun::Started => {
                self.in_flight += 1;
                self.fly(from.rank, UcxFlown::Get(Some(token)));
                Sent::Later
            }
            Begun::Failed(error) => self.not_begun(from.rank, token, error),
        }
    }

    /// Every operation fetches, so that its end is that at the target.
    pub(crate) fn start_atomic(
        &mut self,
        to: Location,
        at: RemoteAddr,
        what: &Atomic,
        result: Option<Dst<'_>>,
        token: OpToken,
    ) -> Sent {
        if let Some(sent) = self.not_started(to.rank, token) {
            return sent;
        }
        let Some(NetworkAtomic { op, values, bytes, fetches, .. }) = NetworkAtomic::of(what) else {
            fatal!("conduit ucx has no atomic {:#x}", what.op);
        };
        let key = self.key_for(to, at.0, bytes);
        let mut words = self.words.pop().unwrap_or_default();
        *words = values;
        let op = match op {
            NetworkOp::Add | NetworkOp::FetchAdd => UcxOp::Add,
            NetworkOp::And | NetworkOp::FetchAnd => UcxOp::And,
            NetworkOp::Xor | NetworkOp::FetchXor => UcxOp::Xor,
            NetworkOp::Or | NetworkOp::FetchOr => UcxOp::Or,
            NetworkOp::Set | NetworkOp::Swap => UcxOp::Swap,
            NetworkOp::CompareSwap => UcxOp::CompareSwap,
            // Adds nothing.
            NetworkOp::Fetch => {
                words[0] = 0;
                UcxOp::Add
            }
            op => fatal!("conduit ucx has no atomic {op:?}"),
        };
        // SAFETY: the caller keeps the destination (head of the file).
        let result = result.filter(|_| fetches).map(|result| (unsafe { Held::dst(result) }, bytes));
        let tag = self.flights.next_number().into();
        // SAFETY: the words are on the heap, and are kept in `flights`; `key_for` has checked the number.
        let begun = unsafe { self.connected(to.rank).atomic(op, bytes, at.0, key, &mut words, tag) };
        match begun {
            Begun::Done => {
                self.take_fetched(words, result);
                Sent::Done
            }
            Begun::Started => {
                self.in_flight += 1;
                self.fly(to.rank, UcxFlown::Atomic { token: Some(token), words, result });
                Sent::Later
            }
            Begun::Failed(error) => self.not_begun(to.rank, token, error),
        }
    }

    /// Copies the value that an atomic has fetched to its destination.
    fn take_fetched(&mut self, words: Box<[u64; 2]>, result: Option<(Held<Dst<'static>>, usize)>) {
        if let Some((Held(dst), bytes)) = result {
            mem::copy(dst.part(0, bytes), Src::of(&words[1].to_ne_bytes()[..bytes]));
        }
        self.words.push(words);
    }

    /// A transfer has ended, as far as UCX uses memory of this rank for it.
    pub(crate) fn transfer_ended(&mut self, peer: JobRank, what: UcxFlown, failed: bool) {
        let end = if failed { Completion::Failed } else { Completion::Remote };
        match what {
            UcxFlown::Put { number, copy } => {
                self.keep_copy(copy);
                let Some(put) = self.puts.get_mut(number) else { return };
                put.is_sent = true;
                if let Some(token) = put.token.filter(|_| put.stays && !failed) {
                    self.arrivals.done(token, Completion::Local);
                }
                self.put_advanced(number, failed);
            }
            UcxFlown::Get(Some(token)) => {
                self.in_flight -= 1;
                self.arrivals.done(token, end);
            }
            UcxFlown::Atomic { token: Some(token), words, result } => {
                self.in_flight -= 1;
                self.take_fetched(words, result.filter(|_| !failed));
                self.arrivals.done(token, end);
            }
            UcxFlown::FlushOne(token) => {
                if let Some(token) = token {
                    self.in_flight -= 1;
                    self.arrivals.done(token, end);
                }
                self.flush_ended(peer);
            }
            UcxFlown::Flush(puts) => {
                self.puts_ended(puts, failed);
                self.flush_ended(peer);
            }
            _ => {}
        }
    }

    /// Starts the next flush of the connection if puts wait for one.
    pub(crate) fn flush_ended(&mut self, peer: JobRank) {
        let puts = &mut self.members[peer.index()].puts;
        puts.flushing = false;
        if !puts.are_none() && !self.is_gone(peer) {
            self.flush(peer);
        }
    }

    /// All operations on `rank` fail.
    pub(crate) fn lose(&mut self, rank: JobRank) {
        if let Some(buffer) = self.drop_batch(rank) {
            self.keep(buffer);
        }
        let waiting = core::mem::take(&mut self.members[rank.index()].puts);
        let mut failed: Vec<(OpToken, u32)> = Vec::new();
        let mut flushed = waiting.numbers;
        let mut transfers = 0;
        failed.extend(waiting.tokens.iter().inspect(|(_, times)| transfers += *times));
        for flight in self.flights.iter_mut().filter(|flight| flight.peer == rank) {
            match &mut flight.what {
                UcxFlown::Bulk { token, .. } => failed.extend(token.take().map(|token| (token, 1))),
                UcxFlown::Get(token) | UcxFlown::FlushOne(token) | UcxFlown::Atomic { token, .. } => {
                    failed.extend(token.take().map(|token| (token, 1)).inspect(|_| transfers += 1));
                }
                UcxFlown::Flush(puts) => {
                    failed.extend(puts.tokens.drain(..).inspect(|(_, times)| transfers += *times));
                    flushed.append(&mut puts.numbers);
                }
                _ => {}
            }
        }
        self.in_flight -= transfers as usize;
        for (token, times) in failed {
            self.arrivals.done_times(token, Completion::Failed, times);
        }
        for number in flushed {
            if let Some(put) = self.puts.get_mut(number) {
                put.is_flushed = true;
            }
        }
        for number in self.puts.numbers_of(|put| put.peer == rank) {
            self.put_advanced(number, true);
        }
    }

    /// Whether all operations on living ranks are complete, and everything for them is sent.
    pub(crate) fn is_quiet(&mut self) -> bool {
        self.send_batches();
        let is_gone = |rank: JobRank| self.members[rank.index()].gone || self.members[rank.index()].failed;
        self.puts.iter().all(|put| is_gone(put.peer))
            && self.flights.iter().all(|flight| is_gone(flight.peer))
            && (0..).zip(&self.members).all(|(rank, member)| member.puts.are_none() || is_gone(JobRank(rank)))
    }
}
