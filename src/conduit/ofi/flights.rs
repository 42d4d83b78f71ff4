//! Operations that libfabric has not completed. Each has a context, which libfabric is given a pointer to and may write: it stays
//! where it is until the completion.
//!
//! # Safety
//! A context lies in a box of `Flights`, which is dropped only once its operation is complete, or with the port closed.
#![allow(unsafe_code)]

use core::cell::UnsafeCell;
use core::ffi::c_void;
use std::collections::BTreeSet;

use super::buffers::OfiBuffer;
use super::local::Pin;
use crate::conduit::OpToken;
use crate::conduit::shared::held::{Aligned, Held};
use crate::conduit::shared::slab::Slab;
use crate::defs::rank::JobRank;
use crate::firehose::Pages;
use crate::mem::Dst;

/// The meaning of a completion.
pub(crate) enum OfiFlown {
    /// Of no operation.
    Nothing,
    /// Messages arrive in the receive buffer of this number.
    Receive(u32),
    /// A message has left: its buffer is free.
    Packet(OfiBuffer),
    /// A put whose source stays.
    Put(OpToken, Pin),
    /// A put whose source was copied, by the provider or to this buffer.
    CopiedPut(OpToken, Option<OfiBuffer>),
    Get(OpToken, Pin),
    /// A get that lands in a buffer.
    Landing(OpToken, OfiBuffer, Held<Dst<'static>>),
    /// The payload of a Long; then its message is sent.
    Long(Box<LongData>, Pin),
    /// The words of an atomic in a buffer: operand, number to compare with, previous value, which goes to the destination.
    Atomic(OpToken, OfiBuffer, Option<Held<Dst<'static>>>),
    /// A part of the transfer of this number: its memory here, where it begins, and its length.
    Part {
        number: u32,
        memory: PartMemory,
        from: usize,
        len: usize,
    },
}

/// The memory of a part of a transfer.
pub(crate) enum PartMemory {
    Pinned(Pin),
    Buffer(OfiBuffer),
}

/// A Long whose payload goes before its message.
pub(crate) struct LongData {
    pub packet: Aligned,
    pub len: usize,
    /// Of the source, if it stays.
    pub token: Option<OpToken>,
    /// The copy of a source that does not stay.
    pub copy: Option<Aligned>,
}

#[repr(C)]
pub(crate) struct OfiFlight {
    /// `struct fi_context2`.
    context: UnsafeCell<[u64; 8]>,
    number: u32,
    pub to: JobRank,
    /// Its peer is gone, and its token has been told.
    pub forsaken: bool,
    /// The firehose that it uses.
    pub hose: Option<Pages>,
    pub what: OfiFlown,
}

/// An operation that has ended.
pub(crate) struct EndedFlight {
    pub to: JobRank,
    pub forsaken: bool,
    pub hose: Option<Pages>,
    pub what: OfiFlown,
}

#[derive(Default)]
pub(crate) struct Flights {
    all: Slab<Box<OfiFlight>>,
    #[allow(clippy::vec_box)]
    spare: Vec<Box<OfiFlight>>,
    pub count: usize,
    /// Puts, gets and atomics among them, and the number of those that have ended.
    pub transfers: usize,
    pub ended: u64,
}

impl OfiFlown {
    fn is_transfer(&self) -> bool {
        !matches!(self, OfiFlown::Nothing | OfiFlown::Receive(_) | OfiFlown::Packet(_))
    }
}

impl Flights {
    /// A flight, and the context to name for it.
    #[inline]
    pub(crate) fn begin(&mut self, to: JobRank, what: OfiFlown) -> (u32, *mut c_void) {
        let mut flight = self.spare.pop().unwrap_or_else(|| {
            let (context, what) = (UnsafeCell::new([0; 8]), OfiFlown::Nothing);
            Box::new(OfiFlight { context, number: 0, to, forsaken: false, hose: None, what })
        });
        self.transfers += usize::from(what.is_transfer());
        (flight.to, flight.what, flight.forsaken) = (to, what, false);
        let number = self.all.insert(flight);
        self.count += 1;
        let Some(flight) = self.all.get_mut(number) else { unreachable!("it was inserted") };
        flight.number = number;
        (number, (&raw mut **flight).cast())
    }

    /// The flight of a completion.
    #[inline]
    pub(crate) fn number_of(&self, context: u64) -> u32 {
        let flight = core::ptr::with_exposed_provenance::<OfiFlight>(context as usize);
        // SAFETY: libfabric names contexts that it was given, and these stay until the completion (head of the file).
        unsafe { (&raw const (*flight).number).read() }
    }

    #[inline]
    pub(crate) fn get(&mut self, number: u32) -> Option<&mut OfiFlight> {
        self.all.get_mut(number).map(|flight| &mut **flight)
    }

    #[inline]
    pub(crate) fn end(&mut self, number: u32) -> Option<EndedFlight> {
        let mut flight = self.all.remove(number)?;
        self.count -= 1;
        let what = core::mem::replace(&mut flight.what, OfiFlown::Nothing);
        if what.is_transfer() {
            self.transfers -= 1;
            self.ended += 1;
        }
        let ended = EndedFlight { to: flight.to, forsaken: flight.forsaken, hose: flight.hose.take(), what };
        self.spare.push(flight);
        Some(ended)
    }

    /// The ranks to which transfers are in flight, each once.
    pub(crate) fn targets(&self) -> BTreeSet<JobRank> {
        self.all.iter().filter(|flight| flight.what.is_transfer()).map(|flight| flight.to).collect()
    }

    /// Those to `rank`.
    pub(crate) fn to(&self, rank: JobRank) -> Vec<u32> {
        self.all.numbers_of(|flight| flight.to == rank && !matches!(flight.what, OfiFlown::Receive(_)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_those_of_transfers_in_flight() {
        let mut flights = Flights::default();
        let put = || OfiFlown::CopiedPut(OpToken(0), None);
        let [first, second, again] = [1, 2, 2].map(|to| flights.begin(JobRank(to), put()).0);
        flights.begin(JobRank(3), OfiFlown::Receive(0));
        let targets = |flights: &Flights| flights.targets().into_iter().map(|rank| rank.0).collect::<Vec<_>>();
        assert_eq!((targets(&flights), flights.transfers, flights.ended), (vec![1, 2], 3, 0));
        for number in [first, second] {
            flights.end(number);
        }
        assert_eq!((targets(&flights), flights.transfers, flights.ended), (vec![2], 1, 2));
        flights.end(again);
        assert_eq!((targets(&flights), flights.transfers, flights.ended), (vec![], 0, 3));
    }
}
