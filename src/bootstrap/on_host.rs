//! Collectives of the ranks of a host before there are Active Messages, through the control page: a barrier, and an
//! allgather of bytes, in rounds of the size of the page's buffer.

use crate::bootstrap::page::ControlPage;
use crate::defs::rank::HostRank;
use crate::os::sleep::{futex_wait, futex_wake_all, yield_now};
use crate::sync::atomic::Ordering;

/// Up to 8 bytes as a word.
fn word_of(bytes: &[u8]) -> u64 {
    let mut eight = [0; 8];
    eight[..bytes.len()].copy_from_slice(bytes);
    u64::from_ne_bytes(eight)
}

/// All ranks of the host make the same calls in the same order.
#[derive(Clone, Copy)]
pub(crate) struct OnHost {
    page: &'static ControlPage,
    me: HostRank,
    size: u32,
}

impl OnHost {
    pub(crate) fn new(page: &'static ControlPage, me: HostRank) -> OnHost {
        OnHost { page, me, size: page.size() }
    }

    /// Returns when every rank has called it. Runs no handlers.
    pub(crate) fn barrier(&self) {
        const SHORT_YIELDS: u32 = 20;
        const LONGEST_SLEEP_NS: u64 = 100_000_000;
        let gate = &self.page.gate;
        let turn = gate.turn.load(Ordering::Acquire);
        // AcqRel: each rank's earlier writes are seen with the count, and through `turn` by all.
        if gate.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.size {
            gate.arrived.store(0, Ordering::Relaxed);
            gate.turn.store(turn.wrapping_add(1), Ordering::Release);
            futex_wake_all(&gate.turn);
            return;
        }
        for _ in 0..SHORT_YIELDS {
            if gate.turn.load(Ordering::Acquire) != turn {
                return;
            }
            yield_now();
        }
        while gate.turn.load(Ordering::Acquire) == turn {
            futex_wait(&gate.turn, turn, LONGEST_SLEEP_NS);
        }
    }

    /// Allgather: returns the bytes of every rank, by rank. Lengths may differ.
    pub(crate) fn exchange(&self, mine: &[u8]) -> Vec<Vec<u8>> {
        let mut all = vec![Vec::new(); self.size as usize];
        let mut sent = 0;
        for round in 0.. {
            let slots = self.page.slots[round % 2].as_flattened();
            // The buffer is divided evenly.
            let words = slots.len() / self.size as usize;
            let of = |rank: usize| &slots[rank * words..][..words];
            for (word, bytes) in of(self.me.index()).iter().zip(mine[sent.min(mine.len())..].chunks(8)) {
                word.store(word_of(bytes), Ordering::Relaxed);
            }
            if round == 0 {
                self.page.rank(self.me).offer_bytes.store(mine.len() as u32, Ordering::Relaxed);
            }
            // Orders the relaxed accesses of both sides.
            self.barrier();
            let mut longest = 0;
            for (rank, got) in all.iter_mut().enumerate() {
                let len = self.page.ranks[rank].offer_bytes.load(Ordering::Relaxed) as usize;
                longest = longest.max(len);
                for word in of(rank).iter().take((len - got.len()).div_ceil(8)) {
                    got.extend_from_slice(&word.load(Ordering::Relaxed).to_ne_bytes());
                }
                got.truncate(len);
            }
            sent += words * 8;
            if longest <= sent {
                break;
            }
        }
        // No rank may publish new lengths, or reuse a slot, while another still reads.
        self.barrier();
        all
    }

    /// Broadcasts `bytes` of the first rank of the host, where alone they matter, to all ranks of the host.
    pub(crate) fn broadcast(&self, bytes: &[u8]) -> Vec<u8> {
        let first = HostRank(0);
        let is_first = self.me == first;
        if is_first {
            self.page.rank(first).offer_bytes.store(bytes.len() as u32, Ordering::Relaxed);
        }
        let mut got = Vec::new();
        for round in 0.. {
            let words = self.page.slots[round % 2].as_flattened();
            let chunk = words.len() * 8;
            if is_first {
                for (word, bytes) in words.iter().zip(bytes[(round * chunk).min(bytes.len())..].chunks(8)) {
                    word.store(word_of(bytes), Ordering::Relaxed);
                }
            }
            // Orders the relaxed accesses of both sides. A set of slots is written again two rounds later.
            self.barrier();
            let len = self.page.rank(first).offer_bytes.load(Ordering::Relaxed) as usize;
            for word in words.iter().take((len - got.len()).div_ceil(8)) {
                got.extend_from_slice(&word.load(Ordering::Relaxed).to_ne_bytes());
            }
            got.truncate(len);
            if got.len() == len {
                break;
            }
        }
        self.barrier();
        got
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bootstrap::page::tests::page;

    #[test]
    fn an_exchange_gives_everybody_everything_of_any_length() {
        const SIZE: u32 = 5;
        let page = page(SIZE);
        let offer = |rank: u32, round: usize| -> Vec<u8> {
            let len = [0, 1, 7, 8, 127, 128, 300_000, 1000][(rank as usize + round) % 8];
            (0..len).map(|at| (at as u32 * 31 + rank * 7 + round as u32) as u8).collect()
        };
        std::thread::scope(|scope| {
            for me in 0..SIZE {
                scope.spawn(move || {
                    let host = OnHost::new(page, HostRank(me));
                    for round in 0..20 {
                        let got = host.exchange(&offer(me, round));
                        let want: Vec<_> = (0..SIZE).map(|rank| offer(rank, round)).collect();
                        assert_eq!(got, want);
                    }
                });
            }
        });
    }

    #[test]
    fn a_broadcast_gives_everybody_the_bytes_of_the_first() {
        const SIZE: u32 = 3;
        let page = page(SIZE);
        let bytes = |len: usize| -> Vec<u8> { (0..len).map(|at| (at * 7 + (at >> 8)) as u8).collect() };
        std::thread::scope(|scope| {
            for me in 0..SIZE {
                scope.spawn(move || {
                    let host = OnHost::new(page, HostRank(me));
                    for len in [0, 1, 8, 1000, 600_000, 0, 3, 1_200_000] {
                        let mine = if me == 0 { bytes(len) } else { Vec::new() };
                        assert!(host.broadcast(&mine) == bytes(len), "{len} bytes");
                        assert_eq!(host.exchange(&[me as u8]), [[0], [1], [2]]);
                    }
                });
            }
        });
    }
}
