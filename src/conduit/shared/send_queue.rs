//! The send queue: pieces of puts and gets for which the conduit had no room, and whose caller does not wait. Polls
//! advance it, so a started operation completes even if its initiator only polls.

use parking_lot::Mutex;

use super::held::Held;
use crate::conduit::{Completion, Conduit, Deliver, LocalMem, OpToken, Registration, Sent};
use crate::defs::rank::Location;
use crate::mem::{Dst, RemoteAddr, Src};
use crate::sync::atomic::{AtomicUsize, Ordering};

/// The direction of a transfer, and its local memory.
pub(crate) enum Bytes {
    /// To the peer, from memory that stays until local completion.
    Put(Held<Src<'static>>),
    /// To the peer, from a copy.
    Copy(Vec<u8>),
    /// From the peer, to memory that stays until the get is complete.
    Get(Held<Dst<'static>>),
}

/// The remaining pieces of a put or get; `token` names each piece.
pub(crate) struct Transfer {
    pub peer: Location,
    pub at: RemoteAddr,
    pub bytes: Bytes,
    /// The registration that contains the local memory, if any.
    pub registration: Option<Registration>,
    /// The largest piece, in bytes.
    pub piece: usize,
    pub token: OpToken,
}

impl Transfer {
    fn len(&self) -> usize {
        match &self.bytes {
            Bytes::Put(Held(src)) => src.len(),
            Bytes::Copy(bytes) => bytes.len(),
            Bytes::Get(Held(dst)) => dst.len(),
        }
    }

    /// Bytes of memory that the transfer takes.
    fn memory(&self) -> usize {
        let copy = if let Bytes::Copy(bytes) = &self.bytes { bytes.len() } else { 0 };
        size_of::<(Transfer, usize)>() + copy
    }

    /// Starts the piece that begins at `from`.
    fn start(&self, conduit: &dyn Conduit, from: usize) -> Sent {
        let len = self.piece.min(self.len() - from);
        let at = RemoteAddr(self.at.0 + from);
        match &self.bytes {
            Bytes::Put(Held(src)) => {
                let src = LocalMem { view: src.part(from, len), registration: self.registration };
                conduit.put(self.peer, at, src, true, self.token)
            }
            Bytes::Copy(bytes) => {
                let src = LocalMem::plain(Src::of(&bytes[from..from + len]));
                conduit.put(self.peer, at, src, false, self.token)
            }
            Bytes::Get(Held(dst)) => {
                let dst = LocalMem { view: dst.part(from, len), registration: self.registration };
                conduit.get(dst, self.peer, at, self.token)
            }
        }
    }
}

/// The send queue of a rank.
#[derive(Default)]
pub(crate) struct SendQueue {
    /// Transfers, each with the number of its bytes already started.
    waiting: Mutex<Vec<(Transfer, usize)>>,
    count: AtomicUsize,
    /// Bytes of memory that the transfers take.
    bytes: AtomicUsize,
}

impl SendQueue {
    pub(crate) const fn new() -> SendQueue {
        SendQueue { waiting: Mutex::new(Vec::new()), count: AtomicUsize::new(0), bytes: AtomicUsize::new(0) }
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        // Relaxed: the thread that has pushed a transfer polls later and sees it then.
        self.count.load(Ordering::Relaxed) == 0
    }

    /// Bytes of memory that the transfers take.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    pub(crate) fn push(&self, transfer: Transfer) {
        self.bytes.fetch_add(transfer.memory(), Ordering::Relaxed);
        let mut waiting = self.waiting.lock();
        waiting.push((transfer, 0));
        self.count.store(waiting.len(), Ordering::Relaxed);
    }

    /// Starts the pieces for which there is room; returns their number.
    pub(crate) fn advance(&self, conduit: &dyn Conduit, up: &dyn Deliver) -> u32 {
        let Some(mut waiting) = self.waiting.try_lock() else { return 0 };
        let mut started = Vec::new();
        waiting.retain_mut(|(transfer, from)| {
            while *from < transfer.len() {
                match transfer.start(conduit, *from) {
                    Sent::Retry => return true,
                    sent => started.push((transfer.token, sent)),
                }
                *from += transfer.piece;
            }
            self.bytes.fetch_sub(transfer.memory(), Ordering::Relaxed);
            false
        });
        self.count.store(waiting.len(), Ordering::Relaxed);
        drop(waiting);
        for &(token, sent) in &started {
            if matches!(sent, Sent::Done | Sent::Copied) {
                up.done(token, Completion::Local);
            }
            if sent == Sent::Done {
                up.done(token, Completion::Remote);
            }
        }
        started.len() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conduit::{AmHeader, AmMsg, Arrived, Limits, Take};
    use crate::defs::rank::JobRank;
    use crate::mem;

    const TO: Location = Location { rank: JobRank(1), ep: 3 };

    /// Accepts every second piece and has no room for the others.
    #[derive(Default)]
    struct Narrow(Mutex<(bool, Vec<(usize, usize)>)>);

    impl Narrow {
        fn take(&self, at: RemoteAddr, len: usize, sent: Sent) -> Sent {
            let (full, taken) = &mut *self.0.lock();
            *full = !*full;
            if !*full {
                return Sent::Retry;
            }
            taken.push((at.0, len));
            sent
        }
    }

    impl Conduit for Narrow {
        fn limits(&self) -> Limits {
            crate::conduit::loopback::ENTRY.network.as_ref().unwrap().limits
        }
        fn am(&self, _: Location, _: &AmMsg<'_>) -> Sent {
            Sent::Retry
        }
        fn poll(&self, _: &dyn Deliver, _: Take, _: u32) -> u32 {
            0
        }
        fn quiet_ns(&self) -> u64 {
            0
        }
        fn gone(&self, _: JobRank) {}
        fn put(&self, to: Location, at: RemoteAddr, src: LocalMem<Src<'_>>, stays: bool, _: OpToken) -> Sent {
            assert_eq!((to, src.registration), (TO, stays.then_some(Registration(4))));
            self.take(at, src.view.len(), if stays { Sent::Later } else { Sent::Copied })
        }
        fn get(&self, dst: LocalMem<Dst<'_>>, from: Location, at: RemoteAddr, _: OpToken) -> Sent {
            assert_eq!((from, dst.registration), (TO, Some(Registration(4))));
            self.take(at, dst.view.len(), Sent::Done)
        }
    }

    #[derive(Default)]
    struct Told(Mutex<Vec<(u64, Completion)>>);

    impl Deliver for Told {
        fn am(&self, _: JobRank, _: &AmHeader<'_>, _: Arrived<'_>) {}
        fn own(&self, _: RemoteAddr, _: usize) -> Option<Dst<'static>> {
            None
        }
        fn done(&self, token: OpToken, completion: Completion) {
            self.0.lock().push((token.0, completion));
        }
    }

    #[test]
    fn every_byte_is_started_once_and_what_is_complete_is_told() {
        let (queue, conduit, told) = (SendQueue::default(), Narrow::default(), Told::default());
        let memory = mem::all_of(Box::leak(vec![0u64; 4].into_boxed_slice()));
        let transfer = |at, bytes, token| Transfer {
            peer: TO,
            at: RemoteAddr(at),
            bytes,
            registration: Some(Registration(4)),
            piece: 10,
            token: OpToken(token),
        };
        assert!(queue.is_empty() && queue.bytes() == 0);
        queue.push(transfer(1000, Bytes::Copy(vec![0; 25]), 1));
        queue.push(transfer(2000, Bytes::Get(Held(memory)), 2));
        queue.push(transfer(3000, Bytes::Put(Held(memory.as_src().part(0, 10))), 3));
        assert!((75..1000).contains(&queue.bytes()), "{}", queue.bytes());
        let mut pieces = 0;
        while !queue.is_empty() {
            pieces += queue.advance(&conduit, &told);
        }
        let mut taken = conduit.0.lock().1.clone();
        taken.sort_unstable();
        assert_eq!(
            taken,
            [(1000, 10), (1010, 10), (1020, 5), (2000, 10), (2010, 10), (2020, 10), (2030, 2), (3000, 10)]
        );
        assert_eq!((pieces, queue.bytes()), (8, 0));
        let told = told.0.lock();
        let count = |token, completion| told.iter().filter(|one| **one == (token, completion)).count();
        assert_eq!((count(1, Completion::Local), count(1, Completion::Remote)), (3, 0));
        assert_eq!((count(2, Completion::Local), count(2, Completion::Remote)), (4, 4));
        assert_eq!((count(3, Completion::Local), count(3, Completion::Remote)), (0, 0));
    }
}
