//! Gets by MPI's one-sided calls (`GASNET_MPI_RMA=windows`). All ranks make one window at the start, to which they attach the memory that they
//! register; gets from other memory are messages. So are puts and atomics: MPI tells that a put is complete at its target only by a flush, which
//! waits for the target's MPI, and promises atomicity only to operations of one kind at a time.

use std::collections::HashMap;

use crate::conduit::shared::slab::Slab;
use crate::conduit::{Key, Registration};
use crate::defs::rank::Location;
use crate::fatal::fatal;
use crate::mem::RemoteAddr;
use crate::shims::mpi::Port;

/// Memory that a peer has attached.
#[derive(Clone, Copy)]
struct Attached {
    start: usize,
    bytes: usize,
    /// MPI's address of its start.
    address: u64,
}

impl Attached {
    /// A key: the three numbers.
    fn key(self) -> Key {
        let words = [self.start as u64, self.bytes as u64, self.address];
        Key::new(&words.map(u64::to_ne_bytes).concat()).unwrap_or_default()
    }

    fn of_key(key: &[u8]) -> Option<Attached> {
        let words: Vec<u64> =
            key.chunks_exact(8).filter_map(|word| word.try_into().ok()).map(u64::from_ne_bytes).collect();
        match words[..] {
            [start, bytes, address] if key.len() == 24 => {
                Some(Attached { start: start as usize, bytes: bytes as usize, address })
            }
            _ => None,
        }
    }

    /// MPI's address of `len` bytes at `at`, if they are part of it.
    fn address(self, at: usize, len: usize) -> Option<u64> {
        let offset = at.checked_sub(self.start).filter(|offset| *offset <= self.bytes)?;
        (len <= self.bytes - offset).then(|| self.address.wrapping_add(offset as u64))
    }
}

#[derive(Default)]
pub(crate) struct Windows {
    /// Starts of the memory that this rank has attached.
    own: Slab<usize>,
    peers: HashMap<Location, Attached>,
    /// Gets that MPI has executed.
    pub gets: u64,
}

fn needless(why: String) -> String {
    format!("conduit mpi: {why} (GASNET_MPI_RMA=messages needs no window)")
}

impl Windows {
    /// Makes the window; all ranks do. An error is a line for the user.
    pub(crate) fn make(port: &Port) -> Result<Windows, String> {
        port.make_window().map_err(needless)?;
        Ok(Windows::default())
    }

    /// Attaches memory of this rank.
    pub(super) fn attach(&mut self, port: &Port, start: usize, bytes: usize) -> Result<(Registration, Key), String> {
        let address = port.attach(start, bytes).map_err(needless)?;
        Ok((Registration(self.own.insert(start)), Attached { start, bytes, address }.key()))
    }

    pub(super) fn detach(&mut self, port: &Port, registration: Registration) {
        if let Some(start) = self.own.remove(registration.0) {
            port.detach(start);
        }
    }

    pub(super) fn import(&mut self, of: Location, key: &[u8]) -> Result<(), String> {
        let attached = Attached::of_key(key).ok_or_else(|| {
            format!("conduit mpi: {} bytes are not a key of endpoint {} of rank {}", key.len(), of.ep, of.rank.0)
        })?;
        self.peers.insert(of, attached);
        Ok(())
    }

    /// Messages need no key, but one that is missing is an error of the layer above.
    pub(super) fn check_imported(&self, of: Location) {
        if of.ep != 0 && !self.peers.contains_key(&of) && self.peers.contains_key(&Location { ep: 0, ..of }) {
            fatal!("conduit mpi: the segment's key was not imported: endpoint {} of rank {}", of.ep, of.rank.0);
        }
    }

    /// MPI's address of memory of a peer. None: it is reached by messages, as that of an endpoint whose segment is all memory.
    pub(super) fn address(&self, of: Location, at: RemoteAddr, len: usize) -> Option<u64> {
        self.check_imported(of);
        self.peers.get(&of)?.address(at.0, len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_names_memory_and_where_mpi_has_it() {
        let attached = Attached { start: 4096, bytes: 100, address: u64::MAX - 49 };
        let key = attached.key();
        let read = Attached::of_key(key.bytes()).unwrap();
        for (at, len, address) in [
            (4096, 100, Some(u64::MAX - 49)),
            (4146, 50, Some(0)),
            (4196, 0, Some(50)),
            (4095, 1, None),
            (4196, 1, None),
            (4197, 0, None),
            (4097, 100, None),
            (4096, usize::MAX, None),
        ] {
            assert_eq!(read.address(at, len), address, "{len} bytes at {at}");
        }
        assert!(Attached::of_key(&key.bytes()[1..]).is_none());
        assert!(Attached::of_key(&[key.bytes(), &[0]].concat()).is_none());
    }
}
