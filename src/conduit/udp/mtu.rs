//! Path MTU discovery to a peer: a binary search with probe datagrams (RFC 8899). A probe that is lost several times is
//! taken for too large.

use super::wire::MIN_MTU;

const TRIES: u8 = 3;
/// Bytes between the bounds below which the search ends.
const NEAR: usize = 16;

#[derive(Clone, Debug)]
pub(crate) struct Mtu {
    pub works: usize,
    /// The smallest size known to be too large.
    fails: usize,
    tries: u8,
    /// A probe is in flight.
    out: bool,
}

impl Mtu {
    pub(crate) fn new(works: usize, most: usize) -> Mtu {
        Mtu { works, fails: most.max(works) + 1, tries: 0, out: false }
    }

    /// The size of the probe to send now, if any: the largest first, then halfway.
    pub(crate) fn probe(&mut self, most: usize) -> Option<usize> {
        if self.out || self.fails <= self.works + 1 {
            return None;
        }
        let size = if self.fails > most { most } else { (self.works + self.fails) / 2 };
        if size < self.works + NEAR && self.fails <= most {
            return None;
        }
        self.out = true;
        Some(size)
    }

    pub(crate) fn arrived(&mut self, size: usize) {
        self.works = self.works.max(size);
        (self.out, self.tries) = (false, 0);
    }

    pub(crate) fn lost(&mut self, size: usize) {
        self.out = false;
        self.tries += 1;
        if self.tries >= TRIES {
            self.too_large(size);
        }
    }

    /// The first hop reported that `size` is too large, or datagrams of this size no longer arrive.
    pub(crate) fn too_large(&mut self, size: usize) {
        (self.out, self.tries) = (false, 0);
        self.fails = self.fails.min(size).max(MIN_MTU + 1);
        if self.works >= self.fails {
            self.works = MIN_MTU;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settle(most: usize, path: usize) -> usize {
        let mut mtu = Mtu::new(MIN_MTU, most);
        for _ in 0..100 {
            match mtu.probe(most) {
                Some(size) if size <= path => mtu.arrived(size),
                Some(size) => mtu.lost(size),
                None => break,
            }
        }
        mtu.works
    }

    #[test]
    fn probes_find_the_path_and_end() {
        assert_eq!(settle(65507, 65507), 65507);
        assert_eq!(settle(1472, 1472), 1472);
        assert_eq!(settle(1200, 1200), 1200);
        for path in [1200, 1372, 1472, 8972] {
            let found = settle(65507, path);
            assert!(found <= path && found + 2 * NEAR > path, "{found} of {path}");
        }
    }

    #[test]
    fn a_path_that_becomes_narrower_is_searched_anew() {
        let mut mtu = Mtu::new(9000, 9000);
        mtu.too_large(9000);
        assert_eq!(mtu.works, MIN_MTU);
        assert!(mtu.probe(9000).is_some_and(|size| size < 9000));
    }
}
