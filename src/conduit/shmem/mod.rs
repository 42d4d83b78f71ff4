//! Ranks that the launcher of an OpenSHMEM started. Active Messages go to queues in the symmetric heap, in slots that their
//! senders claim by atomics (`slots`, `rank`); segments are in the symmetric heap, so that puts, gets and atomics are the library's, or the
//! processor's where the library maps the memory of another rank here. The library is called by one thread at a time
//! (`shared::serialized`): few of them allow more.

mod combining;
mod rank;
mod slots;

use crate::bootstrap::contract::Bootstrap;
use crate::conduit::entry::{ConduitEntry, Launch, Network};
use crate::conduit::shared::held::Own;
use crate::conduit::shared::operations::{self, NetworkAtomic, NetworkOp};
use crate::conduit::shared::serialized::{Library, Properties, Serialized};
use crate::conduit::shared::tries;
use crate::conduit::{AmMsg, Atomic, Caps, Conduit, Limits, LocalMem, NetworkSegments, OpToken, OpenedByRank, Sent};
use crate::defs::rank::{JobRank, Location};
use crate::env;
use crate::env::show::is_verbose;
use crate::fatal::lines::line;
use crate::fatal::warn;
use crate::launch::external;
use crate::mem::{Dst, RemoteAddr, Src};
use crate::os::shm::PAGE;
use crate::shims::shmem::{self, Shmem, Symmetric};
use rank::{ShmemPeer, ShmemRank};
use slots::{MEDIUM, MOST_SLOTS, SlotLayout};

/// Payloads of Longs, puts and gets go to where they belong in one call.
const MOST_PUT: usize = 64 << 20;

const LIMITS: Limits =
    Limits { medium: MEDIUM, long_request: MOST_PUT, long_reply: MOST_PUT, piece: MOST_PUT, copied: MOST_PUT };

pub(crate) static ENTRY: ConduitEntry = ConduitEntry {
    name: "shmem",
    description: "ranks on any hosts, over the machine's OpenSHMEM",
    offered: true,
    launch: Launch::Library,
    counted: false,
    meets: Some(external::shmem::join),
    launchers: &["oshrun", "mpirun.openmpi", "mpirun", "mpiexec"],
    runners: &["gasnetrun_shmem"],
    settings: "GASNET_SHMEM_",
    network: Some(Network { prepare: |_, _| Ok(Box::new(OpenedByRank(join))), shared_bytes: |_| 0, limits: LIMITS }),
};

/// Slots of each queue: `GASNET_NETWORKDEPTH`, or fewer.
fn depth() -> u64 {
    const USUAL: i64 = 64;
    let wanted = env::opt_int("GASNET_NETWORKDEPTH").unwrap_or(USUAL).max(1) as u64;
    let depth = (1 << wanted.ilog2()).min(MOST_SLOTS as u64);
    if depth != wanted && shmem::open().is_ok_and(|shmem| shmem.world().rank == 0) {
        warn!("GASNET_NETWORKDEPTH={wanted}: conduit shmem takes a power of 2 up to {MOST_SLOTS}: {depth}");
    }
    depth
}

/// The atomics offered on a type. Compare-and-swap only of 8 bytes: Open MPI's 4.1 stores 8 bytes as the result of one of 4, which is a
/// variable of 4 on its own stack.
fn offered(dtype: u32) -> u32 {
    let all = operations::offered(dtype);
    if operations::bytes(dtype) == 8 { all } else { all & !operations::COMPARE_SWAPS }
}

/// Those that are not bitwise.
fn offered_others(dtype: u32) -> u32 {
    offered(dtype) & operations::offered_if(dtype, NetworkOp::is_arithmetic)
}

/// Whether the library executes the bitwise atomics right, on a word of this rank's object and on one of the next rank's.
fn tries_bitwise(shmem: &Shmem, object: Symmetric, layout: SlotLayout, [me, size]: [u32; 2]) -> bool {
    [(me, true), ((me + 1) % size, false)].into_iter().all(|(of, by_owner)| {
        let offset = layout.tries_at(by_owner);
        let is_right = [4, 8].into_iter().all(|bytes| {
            shmem.put_words(object, offset, &[tries::FIRST], of);
            shmem.quiet();
            tries::all_right(bytes, tries::of(true, true), |what| {
                let call = NetworkAtomic::of(what)?;
                Some(shmem.atomic(object, offset, of, [call.kind, call.op as i32], call.values))
            })
        });
        shmem.put_words(object, offset, &[0], of);
        is_right
    })
}

/// The words of all ranks, in their order.
fn exchange<const N: usize>(shmem: &Shmem, mine: [u64; N]) -> Vec<[u64; N]> {
    let bytes: Vec<u8> = mine.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let words = |bytes: &[u8]| -> Vec<u64> {
        bytes.chunks_exact(8).filter_map(|word| word.try_into().ok().map(u64::from_ne_bytes)).collect()
    };
    shmem.allgather(&bytes).chunks_exact(8 * N).filter_map(|bytes| words(bytes).try_into().ok()).collect()
}

/// Memory for segments: as long as every rank's heap allows, at most `most` bytes.
fn area_of(shmem: &Shmem, most: usize) -> Option<Symmetric> {
    let mut bytes = most / PAGE * PAGE;
    while bytes >= PAGE {
        if let Some(area) = shmem.allocate(bytes, false) {
            return Some(area);
        }
        bytes = (bytes - bytes / 8) / PAGE * PAGE;
    }
    None
}

/// OpenSHMEM runs already: the ranks have met by it.
fn join(_: &dyn Bootstrap) -> Result<&'static dyn Conduit, String> {
    let shmem = shmem::open()?;
    let me = shmem.world().rank;
    let layout = SlotLayout { depth: depth() };
    let too_small =
        || format!("the symmetric heap of {} is too small for conduit shmem: {}", shmem.file, shmem.heap_variable());
    let object = shmem.allocate(layout.bytes(), true).ok_or_else(too_small)?;
    // All ranks have to ask for the same size: the smallest segment that any of them wants.
    let most = exchange(shmem, [external::shmem::wanted_segment() as u64]).into_iter().map(|[most]| most).min();
    let area = area_of(shmem, most.unwrap_or(0) as usize).ok_or_else(too_small)?;
    let by_pointer = env::yes("GASNET_SHMEM_PTR");
    let mapped = |of: Symmetric, rank: u32| shmem.mapped(of, rank).filter(|_| by_pointer);
    let size = shmem.world().size;
    let all_mapped = (0..size).all(|rank| rank == me || mapped(object, rank).is_some());
    // Also orders the zeroes of all objects before the first message.
    let all = exchange(shmem, [area.start as u64, all_mapped.into(), layout.depth]);
    if let Some((rank, [.., theirs])) = (0..).zip(&all).find(|(_, [.., theirs])| *theirs != layout.depth) {
        return Err(format!("GASNET_NETWORKDEPTH is {theirs} on rank {rank} and {} on rank {me}", layout.depth));
    }
    let peers = (0..).zip(&all).map(|(pe, [segment, ..])| {
        ShmemPeer::new(pe, object, mapped(object, pe).filter(|_| pe != me), *segment as usize)
    });
    let peers = peers.collect();
    let here = |rank: u32| {
        if rank == me { Some(area.start) } else { mapped(area, rank).map(|at| at.as_ptr().expose_provenance()) }
    };
    let segments = NetworkSegments { bytes: area.bytes, start: area.start, mapped: (0..size).map(here).collect() };
    if env::yes("GASNET_SHMEM_DEBUGALLOC") {
        let (queue, bytes) = (object.start, object.bytes);
        let (start, end) = (area.start, area.start + area.bytes);
        line(&format!(
            "GASNET: rank {me}: queues {queue:#x} ({bytes} bytes), segment {start:#x} to {end:#x} of the symmetric heap"
        ));
        for (rank, at) in (0..).zip(&segments.mapped).filter(|(rank, _)| *rank != me) {
            let at = at.map_or("not mapped here".to_string(), |at| format!("mapped here at {at:#x}"));
            line(&format!("GASNET: rank {me}: segment of rank {rank} {at}"));
        }
    }
    let shared = all.iter().all(|[_, all_mapped, _]| *all_mapped == 1);
    // All objects are zeroed: the exchange has ordered that before the tries.
    let is_bitwise = tries_bitwise(shmem, object, layout, [me, size]);
    let is_bitwise = exchange(shmem, [is_bitwise.into()]).into_iter().all(|[is_right]| is_right == 1);
    if me == 0 && is_verbose() {
        let how = if shared { "in mapped memory" } else { "by puts and atomics of the library" };
        line(&format!("GASNET: conduit shmem: messages {how}, queues of {} slots", layout.depth));
        if !is_bitwise {
            line(&format!(
                "GASNET: conduit shmem: the bitwise atomics of {} do not give the right results; Active Messages replace them",
                shmem.file
            ));
        }
    }
    let segments: &'static NetworkSegments = Box::leak(Box::new(segments));
    let inner = ShmemRank::new(shmem, me, layout, (object.view(), peers, shared), Some((area, segments)), is_bitwise);
    Ok(Serialized::open(inner))
}

impl Library for ShmemRank {
    fn properties(&self) -> Properties {
        let native = self.segments.is_some();
        let caps =
            Caps { put: native, get: native, least_of_all: true, fast_barrier: true, pauses: true, ..Caps::default() };
        let limits = if native { LIMITS } else { Limits { long_request: MEDIUM, long_reply: MEDIUM, ..LIMITS } };
        Properties {
            atomics: match (native, self.is_bitwise) {
                (true, true) => offered,
                (true, false) => offered_others,
                (false, _) => |_| 0,
            },
            segments: self.segments,
            ..Properties::of(caps, limits)
        }
    }

    #[inline]
    fn am(&mut self, to: Location, msg: &AmMsg<'_>) -> Sent {
        self.send_am(to.rank, msg)
    }

    #[inline]
    fn progress(&mut self, own: Own<'_>, leaving: bool) -> bool {
        self.advance(own, leaving)
    }

    fn quiet_ns(&mut self) -> u64 {
        self.nap_ns()
    }

    #[inline]
    fn put(&mut self, to: Location, dst: RemoteAddr, src: LocalMem<Src<'_>>, _: bool, token: OpToken) -> Sent {
        self.start_put(to.rank, dst, src.view, token)
    }

    #[inline]
    fn get(&mut self, dst: LocalMem<Dst<'_>>, from: Location, src: RemoteAddr, token: OpToken) -> Sent {
        self.get_now(dst.view, from.rank, src, token)
    }

    fn quiets(&self) -> bool {
        self.segments.is_some()
    }

    #[inline]
    fn put_until_quiet(&mut self, to: Location, dst: RemoteAddr, src: Src<'_>) -> bool {
        self.put_loudly(to.rank, dst, src)
    }

    #[inline]
    fn quieten(&mut self) {
        self.make_quiet();
    }

    #[inline]
    fn get_at_once(&mut self, dst: Dst<'_>, from: Location, src: RemoteAddr) -> bool {
        self.get_directly(dst, from.rank, src)
    }

    fn atomic(&mut self, to: Location, at: RemoteAddr, what: &Atomic, result: Option<Dst<'_>>, token: OpToken) -> Sent {
        self.start_atomic(to.rank, at, what, result, token)
    }

    fn least_of_all(&mut self, words: [i64; 3], _: bool) {
        self.enter_least(words);
    }

    fn least_taken(&mut self) -> Option<[i64; 3]> {
        self.barrier.own.take()
    }

    fn counters(&self, say: &mut dyn FnMut(&str, u64)) {
        say("quiets", self.quiets);
        say("held_tickets", self.held_tickets);
    }

    fn gone(&mut self, rank: JobRank) {
        self.lose(rank);
    }

    fn is_settled(&mut self) -> bool {
        self.settled()
    }

    fn parted(&mut self) -> bool {
        self.part()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conduit::conformance_tests;
    use crate::shims::mpi::ThreadLevel;

    /// Needs a shim (GASNET_SHIM_PATH), which `make check` builds where there is an OpenSHMEM. Two ends in one process, each with an
    /// object of its own.
    #[test]
    fn shmem_keeps_the_contract() {
        if !conformance_tests::has_shim("conduit-shmem") {
            return;
        }
        let shmem = shmem::open().unwrap();
        // Each end has a lock of its own.
        shmem.init(256 << 20, ThreadLevel::Multiple).unwrap();
        for by_pointer in [true, false] {
            conformance_tests::run(false, || {
                let layout = SlotLayout { depth: 64 };
                let objects = [0, 1].map(|_| shmem.allocate(layout.bytes(), true).unwrap());
                [0, 1].map(|me: u32| {
                    let mapped = |of: Symmetric| shmem.mapped(of, 0).filter(|_| by_pointer);
                    let peers = objects.map(|object| ShmemPeer::new(0, object, mapped(object), 0)).into();
                    let own = (objects[me as usize].view(), peers, by_pointer);
                    Serialized::open(ShmemRank::new(shmem, me, layout, own, None, true))
                })
            });
        }
    }
}
