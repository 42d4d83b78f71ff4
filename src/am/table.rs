//! Which handler an index means. Indices below 128 are the library's, fixed at compile time; 128..255 are the
//! client's, and each endpoint has its own.

use std::sync::OnceLock;

use parking_lot::Mutex;

use crate::am::{LibHandler, Token, clock, deaths, pieces};
use crate::barrier;
use crate::coll::{check, engine, message::startup};
use crate::defs::message::Msg;
use crate::fatal::{Error, fatal};
use crate::ratomic;
use crate::rma::amref;
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::vis;

/// First index of a client.
pub const CLIENT_BASE: u8 = 128;

// Indices of the library's own handlers.
pub const PUT_MEDIUM: u8 = 1;
pub const PUT_LONG: u8 = 2;
pub const PUT_DONE: u8 = 3;
pub const GET_MEDIUM: u8 = 4;
pub const GET_DATA: u8 = 5;
pub const GET_LONG: u8 = 6;
pub const GET_DONE: u8 = 7;
pub const MEMSET: u8 = 8;
pub const BARRIER_STEP: u8 = 9;
pub const BARRIER_ARRIVE: u8 = 10;
pub const BARRIER_RELEASE: u8 = 11;
pub const VOID: u8 = 12;
pub const EXCHANGE: u8 = 13;
pub const LONG_ARGS: u8 = 15;
pub const LONG_PIECE: u8 = 16;
pub const CLOCK: u8 = 18;
pub const CLOCK_ANSWER: u8 = 19;
pub const COLL_SIGNAL: u8 = 21;
pub const COLL_BLOCK: u8 = 22;
pub const COLL_DECLARED: u8 = 50;
pub const ATOMIC: u8 = 40;
pub const ATOMIC_DONE: u8 = 41;
pub const VIS_PUT: u8 = 30;
pub const VIS_GET: u8 = 31;
pub const VIS_GET_DATA: u8 = 32;
pub const VIS_PEER: u8 = 33;

/// The library's own handlers: index, handler. One line each.
const LIBRARY: &[(u8, LibHandler)] = &[
    (PUT_MEDIUM, amref::on_put_medium),
    (PUT_LONG, amref::on_put_long),
    (PUT_DONE, amref::on_put_done),
    (GET_MEDIUM, amref::on_get_medium),
    (GET_DATA, amref::on_get_data),
    (GET_LONG, amref::on_get_long),
    (GET_DONE, amref::on_get_done),
    (MEMSET, amref::on_memset),
    (BARRIER_STEP, barrier::on_step),
    (BARRIER_ARRIVE, barrier::on_arrive),
    (BARRIER_RELEASE, barrier::on_release),
    (VOID, deaths::on_void),
    (EXCHANGE, startup::on_exchange),
    (LONG_ARGS, pieces::on_args),
    (LONG_PIECE, pieces::on_piece),
    (CLOCK, clock::on_question),
    (CLOCK_ANSWER, clock::on_answer),
    (COLL_SIGNAL, engine::on_signal),
    (COLL_BLOCK, engine::on_block),
    (COLL_DECLARED, check::on_declared),
    (ATOMIC, ratomic::amref::on_atomic),
    (ATOMIC_DONE, ratomic::amref::on_done),
    (VIS_PUT, vis::handlers::on_put),
    (VIS_GET, vis::handlers::on_get),
    (VIS_GET_DATA, vis::handlers::on_get_data),
    (VIS_PEER, vis::peer::on_announce),
];

/// What messages a handler declares to take.
pub mod takes {
    pub const SHORT: u32 = 1;
    pub const MEDIUM: u32 = 2;
    pub const LONG: u32 = 4;
    pub const REQUEST: u32 = 8;
    pub const REPLY: u32 = 16;
    pub const CATEGORIES: u32 = SHORT | MEDIUM | LONG;
    pub const KINDS: u32 = REQUEST | REPLY;
}

/// A client's handler table entry, laid out as `gex_AM_Entry_t`; index 0 asks for any.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub index: u8,
    /// Address of the C function.
    pub handler: usize,
    /// What it takes; 0 where the client has not said.
    pub flags: u32,
    pub nargs: u32,
    /// Addresses that mean something to the client alone.
    pub cdata: usize,
    pub name: usize,
}

impl Entry {
    /// One of which only the function is known.
    pub fn plain(index: u8, handler: usize) -> Entry {
        Entry { index, handler, flags: 0, nargs: 0, cdata: 0, name: 0 }
    }
}

/// Which indices "any" gets, in table order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Any {
    /// From 128 upwards.
    Lowest,
    /// From 255 downwards.
    Highest,
}

/// The client's handlers of an endpoint.
pub struct Table {
    handlers: [AtomicUsize; 128],
    entries: [OnceLock<Entry>; 128],
    /// One registration at a time.
    registering: Mutex<()>,
}

impl Default for Table {
    fn default() -> Table {
        Table {
            handlers: [const { AtomicUsize::new(0) }; 128],
            entries: [const { OnceLock::new() }; 128],
            registering: Mutex::new(()),
        }
    }
}

/// The library handler at `index`.
pub fn library(index: u8) -> LibHandler {
    const TABLE: [LibHandler; 128] = {
        let mut table: [LibHandler; 128] = [unknown; 128];
        let mut at = 0;
        while at < LIBRARY.len() {
            table[LIBRARY[at].0 as usize] = LIBRARY[at].1;
            at += 1;
        }
        table
    };
    TABLE[usize::from(index)]
}

fn unknown(token: &Token, _: Msg<'_>) {
    fatal!("AM from rank {} names a library handler that does not exist", token.source().0);
}

impl Table {
    /// The client handler at `index`, 128 or above; 0 if none is registered.
    #[inline]
    pub fn client(&self, index: u8) -> usize {
        self.handlers[usize::from(index & 127)].load(Ordering::Relaxed)
    }

    /// What the client registered at `index`, 128 or above.
    pub fn entry(&self, index: u8) -> Option<&Entry> {
        self.entries[usize::from(index & 127)].get()
    }

    /// Registers `entries`: fixed indices first, then "any" in table order; writes the chosen indices back. Nothing is
    /// registered if one is out of range, doubled or null.
    pub fn register(&self, entries: &mut [Entry], any: Any) -> Result<(), Error> {
        let _alone = self.registering.lock();
        let mut taken = [false; 256];
        for (index, slot) in self.handlers.iter().enumerate() {
            taken[index + 128] = slot.load(Ordering::Relaxed) != 0;
        }
        for entry in entries.iter() {
            if entry.handler == 0 || (entry.index != 0 && entry.index < CLIENT_BASE) {
                return Err(Error::BadArg);
            }
            if entry.index != 0 {
                if taken[usize::from(entry.index)] {
                    return Err(Error::BadArg);
                }
                taken[usize::from(entry.index)] = true;
            }
        }
        let first = usize::from(CLIENT_BASE);
        for entry in entries.iter_mut().filter(|entry| entry.index == 0) {
            let free = match any {
                Any::Lowest => (first..256).find(|index| !taken[*index]),
                Any::Highest => (first..256).rev().find(|index| !taken[*index]),
            };
            let index = free.ok_or(Error::Resource)?;
            taken[index] = true;
            entry.index = index as u8;
        }
        for entry in entries.iter() {
            let at = usize::from(entry.index & 127);
            let _ = self.entries[at].set(*entry);
            self.handlers[at].store(entry.handler, Ordering::Release);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(index: u8) -> Entry {
        Entry::plain(index, 1)
    }

    #[test]
    fn dont_care_indices_take_the_lowest_free_after_the_fixed_ones() {
        let table = Table::default();
        let mut entries = [entry(0), entry(128), entry(0), entry(130), entry(0)];
        table.register(&mut entries, Any::Lowest).unwrap();
        assert_eq!(entries.map(|e| e.index), [129, 128, 131, 130, 132]);
    }

    #[test]
    fn or_the_highest_free_in_table_order_also_when_more_are_added() {
        let table = Table::default();
        let mut entries = [entry(0), entry(255), entry(0), entry(253), entry(0)];
        table.register(&mut entries, Any::Highest).unwrap();
        assert_eq!(entries.map(|e| e.index), [254, 255, 252, 253, 251]);
        let mut more = [entry(0), entry(250)];
        table.register(&mut more, Any::Highest).unwrap();
        assert_eq!(more.map(|e| e.index), [249, 250]);
    }

    #[test]
    fn an_entry_comes_back_as_it_was_registered() {
        let table = Table::default();
        let mut entries = [Entry { index: 0, handler: 7, flags: 10, nargs: 3, cdata: 8, name: 9 }];
        table.register(&mut entries, Any::Highest).unwrap();
        assert_eq!(table.entry(255), Some(&Entry { index: 255, handler: 7, flags: 10, nargs: 3, cdata: 8, name: 9 }));
        assert_eq!(table.entry(254), None);
    }

    #[test]
    fn doubled_reserved_and_null_entries_are_refused_whole() {
        let table = Table::default();
        assert!(table.register(&mut [entry(200), entry(200)], Any::Lowest).is_err());
        assert!(table.register(&mut [entry(127)], Any::Lowest).is_err());
        assert!(table.register(&mut [entry(200), entry(0), Entry::plain(201, 0)], Any::Highest).is_err());
        assert_eq!(table.client(200), 0);
    }

    #[test]
    fn more_than_128_handlers_are_refused() {
        let table = Table::default();
        assert!(table.register(&mut [entry(0); 128], Any::Lowest).is_ok());
        assert!(table.register(&mut [entry(0)], Any::Lowest).is_err());
    }
}
