//! The registrations of a rank, and the lookup of the one that local memory lies in. A conduit with
//! `Caps::registered` gets it with each transfer.

use parking_lot::RwLock;

use crate::conduit::{Key, LocalMem, Registration};
use crate::mem::{Dst, Src};

/// The registered segment of an endpoint.
pub(crate) struct Registered {
    pub ep: u16,
    pub start: usize,
    pub bytes: usize,
    pub registration: Registration,
    /// The key that peers import.
    pub key: Key,
}

/// The live registrations of this rank, one for each endpoint that has a segment.
#[derive(Default)]
pub(crate) struct Registrations(RwLock<Vec<Registered>>);

/// The registrations of this process.
pub(crate) static REGISTRATIONS: Registrations = Registrations(RwLock::new(Vec::new()));

impl Registrations {
    pub(crate) fn add(&self, one: Registered) {
        self.0.write().push(one);
    }

    /// Removes the registration of the segment of endpoint `ep` from the table and returns it.
    pub(crate) fn remove(&self, ep: u16) -> Option<Registration> {
        let mut all = self.0.write();
        let at = all.iter().position(|one| one.ep == ep)?;
        Some(all.swap_remove(at).registration)
    }

    /// The key of the segment of endpoint `ep`.
    pub(crate) fn key(&self, ep: u16) -> Option<Key> {
        self.0.read().iter().find(|one| one.ep == ep).map(|one| one.key.clone())
    }

    /// The registration that contains `len` bytes at `at`.
    pub(crate) fn find(&self, at: usize, len: usize) -> Option<Registration> {
        let holds =
            |one: &&Registered| at >= one.start && at - one.start <= one.bytes && len <= one.bytes - (at - one.start);
        self.0.read().iter().find(holds).map(|one| one.registration)
    }

    pub(crate) fn source<'a>(&self, view: Src<'a>) -> LocalMem<Src<'a>> {
        LocalMem { view, registration: self.find(view.as_ptr().addr(), view.len()) }
    }

    pub(crate) fn destination<'a>(&self, view: Dst<'a>) -> LocalMem<Dst<'a>> {
        LocalMem { view, registration: self.find(view.as_ptr().addr(), view.len()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_found_in_the_registration_that_holds_all_of_it() {
        let all = Registrations::default();
        let add = |ep, start, bytes, number| {
            all.add(Registered {
                ep,
                start,
                bytes,
                registration: Registration(number),
                key: Key::new(&[ep as u8]).unwrap(),
            });
        };
        add(0, 1000, 100, 7);
        add(5, 1100, 50, 8);
        assert_eq!(all.find(1000, 100), Some(Registration(7)));
        assert_eq!(all.find(1099, 1), Some(Registration(7)));
        assert_eq!(all.find(1099, 2), None, "across two");
        assert_eq!(all.find(999, 2), None);
        assert_eq!(all.find(1100, 50), Some(Registration(8)));
        assert_eq!((all.key(5), all.key(1)), (Key::new(&[5]), None));
        assert_eq!(all.remove(0), Some(Registration(7)));
        assert_eq!((all.find(1000, 1), all.remove(0)), (None, None));
        assert_eq!(all.find(1149, 1), Some(Registration(8)));
    }
}
