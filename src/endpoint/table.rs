//! The client's handlers of an endpoint, by index: 128..255. Indices below are the library's own (am/library.rs).

use std::sync::OnceLock;

use parking_lot::Mutex;

use crate::fatal::Error;
use crate::sync::atomic::{AtomicUsize, Ordering};

/// First index of a client.
pub const CLIENT_BASE: u8 = 128;

/// What messages a handler declares to take.
pub(crate) mod takes {
    pub(crate) const SHORT: u32 = 1;
    pub(crate) const MEDIUM: u32 = 2;
    pub(crate) const LONG: u32 = 4;
    pub(crate) const REQUEST: u32 = 8;
    pub(crate) const REPLY: u32 = 16;
    pub(crate) const CATEGORIES: u32 = SHORT | MEDIUM | LONG;
    pub(crate) const KINDS: u32 = REQUEST | REPLY;
}

/// A client's handler table entry, laid out as `gex_AM_Entry_t`; index 0 asks for any.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub index: u8,
    /// Address of the C function.
    pub handler: usize,
    /// The kinds of messages that it takes (`GEX_FLAG_AM_*`); 0 if the client has not declared them.
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
pub struct HandlerTable {
    handlers: [AtomicUsize; 128],
    entries: [OnceLock<Entry>; 128],
    /// One registration at a time.
    registering: Mutex<()>,
}

/// The handlers of the primordial endpoint.
pub(crate) static PRIMORDIAL: HandlerTable = HandlerTable::new();

impl Default for HandlerTable {
    fn default() -> HandlerTable {
        HandlerTable::new()
    }
}

impl HandlerTable {
    pub const fn new() -> HandlerTable {
        HandlerTable {
            handlers: [const { AtomicUsize::new(0) }; 128],
            entries: [const { OnceLock::new() }; 128],
            registering: Mutex::new(()),
        }
    }
}

impl HandlerTable {
    /// The client handler at `index`, 128 or above; 0 if none is registered.
    #[inline]
    pub fn client(&self, index: u8) -> usize {
        self.handlers[usize::from(index & 127)].load(Ordering::Relaxed)
    }

    /// The client's handler at `index`, 128 or above.
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
        let table = HandlerTable::new();
        let mut entries = [entry(0), entry(128), entry(0), entry(130), entry(0)];
        table.register(&mut entries, Any::Lowest).unwrap();
        assert_eq!(entries.map(|e| e.index), [129, 128, 131, 130, 132]);
    }

    #[test]
    fn or_the_highest_free_in_table_order_also_when_more_are_added() {
        let table = HandlerTable::new();
        let mut entries = [entry(0), entry(255), entry(0), entry(253), entry(0)];
        table.register(&mut entries, Any::Highest).unwrap();
        assert_eq!(entries.map(|e| e.index), [254, 255, 252, 253, 251]);
        let mut more = [entry(0), entry(250)];
        table.register(&mut more, Any::Highest).unwrap();
        assert_eq!(more.map(|e| e.index), [249, 250]);
    }

    #[test]
    fn an_entry_comes_back_as_it_was_registered() {
        let table = HandlerTable::new();
        let mut entries = [Entry { index: 0, handler: 7, flags: 10, nargs: 3, cdata: 8, name: 9 }];
        table.register(&mut entries, Any::Highest).unwrap();
        assert_eq!(table.entry(255), Some(&Entry { index: 255, handler: 7, flags: 10, nargs: 3, cdata: 8, name: 9 }));
        assert_eq!(table.entry(254), None);
    }

    #[test]
    fn doubled_reserved_and_null_entries_are_refused_whole() {
        let table = HandlerTable::new();
        assert!(table.register(&mut [entry(200), entry(200)], Any::Lowest).is_err());
        assert!(table.register(&mut [entry(127)], Any::Lowest).is_err());
        assert!(table.register(&mut [entry(200), entry(0), Entry::plain(201, 0)], Any::Highest).is_err());
        assert_eq!(table.client(200), 0);
    }

    #[test]
    fn more_than_128_handlers_are_refused() {
        let table = HandlerTable::new();
        assert!(table.register(&mut [entry(0); 128], Any::Lowest).is_ok());
        assert!(table.register(&mut [entry(0)], Any::Lowest).is_err());
    }
}
