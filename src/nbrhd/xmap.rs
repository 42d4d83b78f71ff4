//! Cross-mapped segments. Address space is reserved once, before this process is a rank, laid out as one slot for
//! the rank's own segment and then, with a gap of at most `spare`, one for each rank of the host: a peer's bytes are at its
//! address plus a bias. Ranks that were forked have one reservation, so that all own segments start at the same address;
//! others need not.
//!
//! # Safety
//! The pointers are addresses inside the reservation, of which only the gap is released; nothing here dereferences them. The caller
//! of [`view`] promises that the view lies in a segment.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use crate::defs::rank::HostRank;
use crate::env;
use crate::mem::{Dst, RemoteAddr};
use crate::nbrhd::backing::{Backing, BackingKind};
use crate::os::shm;

const HUGE: usize = 2 << 20;
/// Addresses a multiple of this apart share sets of the TLB: far more than a TLB reaches with pages of 4 KiB.
const CYCLE: usize = 128 << 20;
/// On hosts of at most this many ranks each rank maps its peers at addresses of its own. Segments of more ranks fill the TLB
/// wherever they are, and each rank's mapping of the object waits for the others' (64 ranks started 6 % later).
const MOST_MOVED: usize = 16;

/// The reservation and its segments.
pub struct Xmap {
    backing: Backing,
    /// Where every rank's own segment starts.
    own: *mut u8,
    /// Where the segment of the first rank of the host is mapped for its peers; the others follow by `stride`.
    peers: *mut u8,
    /// The largest segment that settings allow.
    max: usize,
    /// Bytes of one slot: `max`, rounded up to an odd number of large pages.
    stride: usize,
    ranks: usize,
    /// Bytes of the reservation behind the last slot, by which a rank may move its peers' slots.
    spare: usize,
    /// Peers' segments are mapped at attach, each as long as it is: valgrind's leak check reads, and so allocates, all memory that is mapped.
    one_by_one: bool,
}

/// The common parameters of the reservations of a host's ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SegmentShape {
    kind: BackingKind,
    room: Option<u64>,
    max: usize,
    stride: usize,
}

impl SegmentShape {
    pub const WORDS: usize = 5;

    pub fn words(&self) -> [u64; SegmentShape::WORDS] {
        let (has_room, room) = (u64::from(self.room.is_some()), self.room.unwrap_or_default());
        [self.kind.number(), has_room, room, self.max as u64, self.stride as u64]
    }

    /// None: the words are not from a process of this version.
    pub fn from_words(words: [u64; SegmentShape::WORDS]) -> Option<SegmentShape> {
        let [kind, has_room, room, max, stride] = words;
        let (max, stride) = (max as usize, stride as usize);
        let fits = max > 0 && max <= stride && stride % HUGE == 0;
        Some(SegmentShape { kind: BackingKind::of_number(kind)?, room: (has_room == 1).then_some(room), max, stride })
            .filter(|_| fits)
    }
}

/// The whole large pages of `bytes`, and one more if their number is even: if the distance of segments had a higher power of two
/// as a factor, equal offsets in the segments of all ranks would share a few sets of the TLB (random puts to 2 MiB of each of
/// 4 ranks took 15 % longer).
const fn odd_pages(bytes: usize) -> usize {
    ((bytes / HUGE) | 1) * HUGE
}

/// Address space for [`Xmap::of_rank`]; none of it where it is scarce (`ulimit -v`).
fn spare(ranks: usize) -> usize {
    if ranks > MOST_MOVED || shm::address_space().is_some() { 0 } else { CYCLE }
}

// SAFETY: the pointers are addresses of a reservation that never moves; all access goes through views.
unsafe impl Send for Xmap {}
// SAFETY: as for Send.
unsafe impl Sync for Xmap {}

impl Xmap {
    /// Reserves address space for `ranks` segments of up to `max` bytes; halves `max` until the address space can be
    /// reserved and the object can be made long enough.
    pub fn reserve(backing: Backing, ranks: usize, max: usize) -> io::Result<Xmap> {
        let mut xmap = Xmap::unmapped(backing, ranks, max, odd_pages(max.next_multiple_of(HUGE)));
        loop {
            match xmap.lengthen().and_then(|()| xmap.map_slots()) {
                Ok(()) => {
                    xmap.max = max.min(xmap.stride);
                    return Ok(xmap);
                }
                Err(error) if xmap.stride <= HUGE => return Err(error),
                Err(_) => xmap.stride = odd_pages(xmap.stride / 2),
            }
        }
    }

    /// The reservation of a process that joins the ranks of a host: of the same shape as the one that gave `shape`, whose
    /// object is `fd`.
    pub fn join(shape: SegmentShape, fd: Option<OwnedFd>, ranks: usize) -> io::Result<Xmap> {
        let SegmentShape { kind, room, max, stride } = shape;
        let mut xmap = Xmap::unmapped(Backing { kind, fd, room }, ranks, max, stride);
        xmap.map_slots().map(|()| xmap)
    }

    /// Without address space yet.
    fn unmapped(backing: Backing, ranks: usize, max: usize, stride: usize) -> Xmap {
        let (own, peers) = (core::ptr::null_mut(), core::ptr::null_mut());
        Xmap { backing, own, peers, max, stride, ranks, spare: spare(ranks), one_by_one: env::under_valgrind() }
    }

    /// The shape, which processes that join need besides the object.
    pub fn shape(&self) -> SegmentShape {
        SegmentShape { kind: self.backing.kind, room: self.backing.room, max: self.max, stride: self.stride }
    }

    /// The object that holds all segments; None for System V.
    pub fn object(&self) -> Option<BorrowedFd<'_>> {
        self.backing.fd.as_ref().map(AsFd::as_fd)
    }

    /// Makes the object long enough.
    fn lengthen(&self) -> io::Result<()> {
        self.backing.fd.as_ref().map_or(Ok(()), |fd| shm::set_len(fd, self.stride * self.ranks))
    }

    fn map_slots(&mut self) -> io::Result<()> {
        let peers_bytes = self.stride * self.ranks;
        let bytes = self.stride + peers_bytes + HUGE + self.spare;
        let base = shm::reserve(bytes)?;
        let own = base.wrapping_add(base.align_offset(HUGE));
        let peers = own.wrapping_add(self.stride);
        if let Some(fd) = self.backing.fd.as_ref().filter(|_| !self.one_by_one) {
            // All peers at once: ranks that are forked inherit one mapping.
            // SAFETY: the last part of the reservation, whose address no other code knows yet.
            unsafe { shm::map_at(fd, 0, peers_bytes, peers).inspect_err(|_| shm::release(base, bytes)) }?;
        }
        (self.own, self.peers) = (own, peers);
        Ok(())
    }

    /// The map for rank `me`, before any segment is accessed: moves the slots of its peers up until the slot of `me` among them,
    /// which it does not use, is at the same place in the TLB as its own segment. No other rank's is then.
    pub fn of_rank(mut self, me: HostRank) -> Xmap {
        let distance = self.slot(me).addr() - self.own.addr();
        let up = distance.next_multiple_of(CYCLE) - distance;
        if up > self.spare {
            return self;
        }
        let peers = self.peers.wrapping_add(up);
        if let Some(fd) = self.backing.fd.as_ref().filter(|_| up > 0 && !self.one_by_one) {
            // SAFETY: the reservation has that space behind the last slot (tested), and nobody uses it.
            if unsafe { shm::map_at(fd, 0, self.stride * self.ranks, peers) }.is_err() {
                return self;
            }
            // SAFETY: the slots as they were, of which nobody has an address yet, up to the first one that was mapped instead.
            unsafe { shm::release(self.peers, up.min(self.stride * self.ranks)) };
        }
        self.peers = peers;
        self
    }

    /// The largest segment a rank can attach.
    pub fn max_segment(&self) -> usize {
        let by_room = match self.backing.room {
            Some(room) => {
                let granule = self.backing.kind.granule();
                (room / self.ranks as u64) as usize / granule * granule
            }
            None => usize::MAX,
        };
        self.max.min(by_room)
    }

    pub fn kind(&self) -> BackingKind {
        self.backing.kind
    }

    /// Bytes the backing can still give to all segments together; None if only memory limits it.
    pub fn room(&self) -> Option<u64> {
        match self.backing.kind {
            BackingKind::Posix | BackingKind::File => self.backing.fd.as_ref().and_then(|fd| shm::room(fd).ok()),
            BackingKind::Hugetlbfs => Some(shm::free_huge_bytes()),
            BackingKind::SysV => self.backing.room,
            BackingKind::Memfd => None,
        }
    }

    /// Where this rank's own segment starts once it has one.
    pub fn own(&self) -> usize {
        self.own.expose_provenance()
    }

    /// Where `rank`'s segment is mapped for its peers.
    pub fn slot(&self, rank: HostRank) -> *mut u8 {
        assert!(rank.index() < self.ranks);
        self.peers.wrapping_add(self.stride * rank.index())
    }

    /// Maps this rank's own segment of at most `max_segment` bytes, once. `tight`: allocate its pages now, because the file
    /// system could run out of them. Returns its address and, for System V, its id.
    pub fn map_own(&self, me: HostRank, size: usize, tight: bool) -> io::Result<(*mut u8, i32)> {
        assert!(size.next_multiple_of(self.backing.kind.granule()) <= self.stride && me.index() < self.ranks);
        match &self.backing.fd {
            Some(fd) => {
                let offset = self.stride * me.index();
                if tight {
                    shm::take_pages(fd, offset, size)?;
                }
                let len = size.next_multiple_of(self.backing.kind.granule());
                // SAFETY: the own slot of the reservation, as long as that (checked); empty before attach.
                Ok((unsafe { shm::map_at(fd, offset, len, self.own) }?, -1))
            }
            None => {
                let (id, first) = shm::sysv_create(size)?;
                // SAFETY: as above; and no other code knows the first attachment.
                let at = unsafe {
                    let at = shm::sysv_attach_at(id, self.own)?;
                    shm::sysv_detach(first);
                    at
                };
                Ok((at, id))
            }
        }
    }

    /// Maps a peer's segment of `bytes` bytes, unless `reserve` has mapped all segments.
    pub fn map_peer(&self, rank: HostRank, sysv_id: i32, bytes: usize) -> io::Result<()> {
        if let Some(fd) = &self.backing.fd {
            if self.one_by_one && bytes > 0 {
                let len = bytes.next_multiple_of(self.backing.kind.granule());
                // SAFETY: that rank's slot, which has no mapping.
                unsafe { shm::map_at(fd, self.stride * rank.index(), len, self.slot(rank)) }?;
            }
        } else {
            // SAFETY: that rank's slot; its segment is no longer than one (`map_own`), and it is not accessed before
            // attach ends.
            unsafe { shm::sysv_attach_at(sysv_id, self.slot(rank)) }?;
        }
        Ok(())
    }
}

#[cfg(test)]
impl Xmap {
    /// As under valgrind.
    pub(super) fn one_by_one(self) -> Xmap {
        Xmap { one_by_one: true, ..self }
    }
}

/// A view of peer memory at `at + bias`.
///
/// # Safety
/// `at..at + len` lies in a segment of the rank whose address it is, and that segment is mapped here at `bias`; `len` 0
/// allows any `at`.
#[inline]
pub(crate) unsafe fn view(at: RemoteAddr, bias: isize, len: usize) -> Dst<'static> {
    // SAFETY: the caller's promise; segments stay mapped for the job's life.
    unsafe { Dst::new(core::ptr::with_exposed_provenance_mut(at.0.wrapping_add_signed(bias)), len) }
}
