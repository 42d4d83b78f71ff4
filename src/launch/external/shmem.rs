//! Ranks that the launcher of an OpenSHMEM started, and that meet by it: for conduit shmem. Their key-value store is in `store`.

use core::ffi::c_int;

use crate::bootstrap::contract::Bootstrap;
use crate::env;
use crate::env::show::is_verbose;
use crate::fatal::lines::line;
use crate::launch::external::ender::{Ender, end_by_pmix_or};
use crate::launch::external::store::{self, MeetingLibrary, check_size, or_fail_once};
use crate::os::signal::Mask;
use crate::os::{exit_hook, shm};
use crate::shims::mpi::ThreadLevel;
use crate::shims::shmem::{self, Shmem};

/// The segments of a rank, if `GASNET_MAX_SEGSIZE` says nothing: the library takes the memory of its heap from the system at once.
const USUAL_SEGMENT: u64 = 256 << 20;
/// Bytes of the heap for the queues of messages and for the library's own.
const BESIDE_SEGMENTS: usize = 64 << 20;

struct ShmemMeeting {
    shmem: &'static Shmem,
    ender: Ender,
}

impl MeetingLibrary for ShmemMeeting {
    fn allgather(&self, mine: &[u8]) -> Result<Vec<u8>, String> {
        Ok(self.shmem.allgather(mine))
    }

    fn barrier(&self) -> Result<(), String> {
        self.shmem.barrier();
        Ok(())
    }

    fn abort(&self, code: c_int) {
        if !shmem::is_finalized() {
            self.ender.end(code);
        }
    }

    fn part(&self) {
        if self.shmem.may_finalize() {
            self.shmem.finalize();
        }
    }
}

/// Bytes of the symmetric heap that this rank wants for its segment.
pub(crate) fn wanted_segment() -> usize {
    const RANKS_HERE: [&str; 4] =
        ["OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "PALS_LOCAL_SIZE", "SLURM_NTASKS_PER_NODE"];
    let here = RANKS_HERE.into_iter().find_map(|name| env::raw(name)?.parse().ok()).unwrap_or(1u32).max(1);
    let physical = shm::physical_memory();
    let (limit, set) = env::seg_limit("GASNET_MAX_SEGSIZE");
    let segment = if set { limit.bytes_each(physical, here) } else { USUAL_SEGMENT };
    let segment = segment.min(physical / u64::from(here) / 2);
    usize::try_from(segment).unwrap_or(usize::MAX).next_multiple_of(shm::PAGE)
}

/// Joins the job. Where all ranks of a host fail, one says why.
pub(crate) fn join(concurrent: bool) -> Result<&'static dyn Bootstrap, String> {
    or_fail_once(joined(concurrent))
}

fn joined(concurrent: bool) -> Result<&'static dyn Bootstrap, String> {
    // The threads of the library and ours take no signals.
    let joined = Mask::all_blocked(|| {
        shmem::open().and_then(|shmem| {
            let level = if concurrent { ThreadLevel::Serialized } else { ThreadLevel::Single };
            let world = shmem.init(wanted_segment().saturating_add(BESIDE_SEGMENTS), level)?;
            // The library finalizes itself at exit, and waits for all ranks.
            exit_hook::renew();
            let ender = Ender::start("gasnet-shmem", move |code| end_by_pmix_or(code, || shmem.global_exit(code)));
            Ok((shmem, world, ender.map_err(|error| format!("conduit shmem: no thread: {error}"))?))
        })
    });
    let (shmem, world, ender) = joined?;
    let name = format!("OpenSHMEM {}.{} of {} ({})", world.major, world.minor, world.version, shmem.file);
    check_size(world.size, &name, "GASNET_SHMEM_LIB")?;
    if world.rank == 0 && is_verbose() {
        line(&format!("GASNET: conduit shmem: {name}, {} ranks", world.size));
    }
    store::bootstrap("shmem", name, ShmemMeeting { shmem, ender }, world.rank, world.size)
}
