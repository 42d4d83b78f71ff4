//! Which handler an index means. Indices below 128 are the library's, fixed at compile time; 128..255 are the
//! client's, registered at attach.

use crate::am::{LibHandler, Msg, Token};
use crate::barrier;
use crate::coll::{broadcast, exchange, gather};
use crate::fatal::{Error, fatal};
use crate::rma::amref;
use crate::sync::atomic::{AtomicUsize, Ordering};

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
pub const COLL_PIECE: u8 = 12;
pub const EXCHANGE: u8 = 13;
pub const GATHER: u8 = 20;

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
    (COLL_PIECE, broadcast::on_piece),
    (EXCHANGE, exchange::on_exchange),
    (GATHER, gather::on_gather),
];

/// A client's handler table entry; index 0 asks for any.
#[derive(Clone, Copy)]
pub struct Entry {
    pub index: u8,
    /// Address of the C function.
    pub handler: usize,
}

/// The client's handlers.
pub struct Table([AtomicUsize; 128]);

impl Default for Table {
    fn default() -> Table {
        Table([const { AtomicUsize::new(0) }; 128])
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
        self.0[usize::from(index & 127)].load(Ordering::Relaxed)
    }

    /// Registers `entries`: fixed indices first, then "any" from 128 upwards in table order; writes the chosen
    /// indices back. Nothing is registered if one is out of range, doubled or null.
    pub fn register(&self, entries: &mut [Entry]) -> Result<(), Error> {
        let mut taken = [false; 256];
        for (index, slot) in self.0.iter().enumerate() {
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
        let mut next = usize::from(CLIENT_BASE);
        for entry in entries.iter_mut().filter(|entry| entry.index == 0) {
            while next < 256 && taken[next] {
                next += 1;
            }
            if next == 256 {
                return Err(Error::Resource);
            }
            taken[next] = true;
            entry.index = next as u8;
        }
        for entry in entries.iter() {
            self.0[usize::from(entry.index & 127)].store(entry.handler, Ordering::Release);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(index: u8) -> Entry {
        Entry { index, handler: 1 }
    }

    #[test]
    fn dont_care_indices_take_the_lowest_free_after_the_fixed_ones() {
        let table = Table::default();
        let mut entries = [entry(0), entry(128), entry(0), entry(130), entry(0)];
        table.register(&mut entries).unwrap();
        assert_eq!(entries.map(|e| e.index), [129, 128, 131, 130, 132]);
    }

    #[test]
    fn doubled_reserved_and_null_entries_are_refused_whole() {
        let table = Table::default();
        assert!(table.register(&mut [entry(200), entry(200)]).is_err());
        assert!(table.register(&mut [entry(127)]).is_err());
        assert!(table.register(&mut [entry(200), Entry { index: 201, handler: 0 }]).is_err());
        assert_eq!(table.client(200), 0);
    }

    #[test]
    fn more_than_128_handlers_are_refused() {
        let table = Table::default();
        assert!(table.register(&mut [entry(0); 128]).is_ok());
        assert!(table.register(&mut [entry(0)]).is_err());
    }
}
