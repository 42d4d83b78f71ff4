//! Memory as a conduit names it: registrations of this rank's memory, keys that peers import, and the local side of a
//! transfer.

pub(crate) use crate::defs::message::Registration;
use crate::mem::{Dst, Src};

/// Where memory lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemKind {
    Host,
}

/// The longest key, in bytes.
pub(crate) const MAX_KEY: usize = 248;

/// The key with which a peer reaches registered memory: bytes that only the conduit interprets.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Key(Vec<u8>);

impl Key {
    /// None: `bytes` are more than [`MAX_KEY`].
    pub fn new(bytes: &[u8]) -> Option<Key> {
        (bytes.len() <= MAX_KEY).then(|| Key(bytes.to_vec()))
    }

    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// The local side of a transfer: a view, and the live registration that it lies in, if there is one.
#[derive(Clone, Copy)]
pub struct LocalMem<V> {
    pub view: V,
    pub registration: Option<Registration>,
}

impl<V> LocalMem<V> {
    /// Memory without a known registration.
    #[inline]
    pub fn plain(view: V) -> LocalMem<V> {
        LocalMem { view, registration: None }
    }
}

impl<'a> LocalMem<Src<'a>> {
    #[inline]
    pub fn part(self, from: usize, len: usize) -> LocalMem<Src<'a>> {
        LocalMem { view: self.view.part(from, len), ..self }
    }
}

impl<'a> LocalMem<Dst<'a>> {
    #[inline]
    pub fn part(self, from: usize, len: usize) -> LocalMem<Dst<'a>> {
        LocalMem { view: self.view.part(from, len), ..self }
    }
}

/// The segments that a network's library makes: memory of this rank and that of others, for the job's life.
pub struct NetworkSegments {
    /// The longest segment of any rank.
    pub bytes: usize,
    /// Where that of this rank starts.
    pub start: usize,
    /// By rank of the job: where its segment starts here, if it is mapped here, readable and writable.
    pub mapped: Vec<Option<usize>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_bounded() {
        assert_eq!(Key::new(&[7; MAX_KEY]).unwrap().bytes(), [7; MAX_KEY]);
        assert_eq!(Key::new(&[0; MAX_KEY + 1]), None);
    }
}
