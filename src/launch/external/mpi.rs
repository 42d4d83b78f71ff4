//! Ranks that MPI's launcher started, and that meet by MPI itself: for conduit mpi, whose library then has the only connection to
//! the launcher. Their key-value store is in `store`.

use core::ffi::c_int;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, poll};
use nix::sys::stat::fstat;
use nix::unistd::{read as read_from, write};

use crate::bootstrap::contract::Bootstrap;
use crate::env;
use crate::env::show::is_verbose;
use crate::fatal::lines::line;
use crate::fatal::warn;
use crate::launch::external::ender::{Ender, end_by_pmix_or};
use crate::launch::external::store::{self, MeetingLibrary, check_size, or_fail_once};
use crate::launch::external::{detect, words};
use crate::os::process::{self, Line};
use crate::os::signal::Mask;
use crate::shims::mpi::{self, Mpi, ThreadLevel};

/// The exit code of a job whose end fails.
const FAILED: c_int = 1;
/// Hydra ends without the output that it has not read when it is told to abort.
const UNTIL_READ: Duration = Duration::from_millis(200);

struct MpiMeeting {
    mpi: &'static Mpi,
    rank: u32,
    /// The connection to a launcher of PMI-1, which MPI uses too: MPI's descriptor, and another one of the connection.
    pmi: Option<(c_int, OwnedFd)>,
    ender: Ender,
}

impl MpiMeeting {
    /// MPICH 5 tells hydra that it is finalized in a function for `exit`, which a rank does not call; MPICH 4 has closed its connection
    /// by now.
    fn say_finalized(&self) {
        let Some((number, pmi)) = &self.pmi else { return };
        let at = |fd: &OwnedFd| fstat(fd).map(|stat| (stat.st_dev, stat.st_ino)).ok();
        let still_open = process::duplicate(*number).ok().and_then(|fd| at(&fd));
        if still_open.is_some() && still_open == at(pmi) {
            const ANSWER_MS: u16 = 1000;
            let said = write(pmi, Line::of(format_args!("cmd=finalize")).bytes());
            if said.is_ok() && poll(&mut [PollFd::new(pmi.as_fd(), PollFlags::POLLIN)], ANSWER_MS).is_ok() {
                let _ = read_from(pmi, &mut [0; 128]);
            }
        }
    }
}

impl MeetingLibrary for MpiMeeting {
    fn allgather(&self, mine: &[u8]) -> Result<Vec<u8>, String> {
        self.mpi.allgather(mine)
    }

    fn barrier(&self) -> Result<(), String> {
        self.mpi.barrier()
    }

    /// The launcher gets the code from its own protocol: MPI_Abort prints many lines besides.
    fn abort(&self, code: c_int) {
        let told = self
            .pmi
            .as_ref()
            .is_some_and(|(_, pmi)| write(pmi, Line::of(format_args!("cmd=abort exitcode={code}")).bytes()).is_ok());
        if !told && !mpi::is_finalized() {
            self.ender.end(code);
        }
    }

    fn part(&self) {
        if mpi::may_finalize() && env::yes("GASNET_MPI_FINALIZE") {
            match self.mpi.finalize() {
                Ok(()) => self.say_finalized(),
                // The other ranks would wait in MPI for this one.
                Err(why) => {
                    Line::of(format_args!("*** FATAL ERROR (proc {}): conduit mpi: {why}", self.rank)).print();
                    std::thread::sleep(UNTIL_READ);
                    self.abort(FAILED);
                }
            }
        }
    }

    /// Hydra kills the other ranks once a rank ends whose MPI is not finalized, and gives a code of its own. That of a rank that a handler of the
    /// client has interrupted in MPI cannot be, nor that of ranks that wait for this one.
    fn leave(&self) {
        if !mpi::is_finalized() && env::yes("GASNET_MPI_FINALIZE") {
            self.say_finalized();
        }
    }
}

/// The least thread level that serves the library: `GASNET_MPI_THREAD`, else that of the client's threads.
fn least(concurrent: bool) -> ThreadLevel {
    let of_client = if concurrent { ThreadLevel::Serialized } else { ThreadLevel::Single };
    ThreadLevel::named(env::choice("GASNET_MPI_THREAD")).unwrap_or(of_client)
}

/// The thread level to request. A program that is linked to MPI may call it while another of its threads is in the library: no lock
/// of the program's own excludes the two.
fn requested(concurrent: bool, mpi: &Mpi) -> ThreadLevel {
    let is_chosen = ThreadLevel::named(env::choice("GASNET_MPI_THREAD")).is_some();
    if concurrent && mpi.is_programs && !is_chosen { ThreadLevel::Multiple } else { least(concurrent) }
}

/// Joins the job, as `joined`. Where all ranks of a host fail, one says why.
pub(crate) fn join(concurrent: bool) -> Result<&'static dyn Bootstrap, String> {
    or_fail_once(joined(concurrent))
}

/// Joins the job of this process's MPI; `concurrent`: the client calls from several threads. Errors are lines for the user.
fn joined(concurrent: bool) -> Result<&'static dyn Bootstrap, String> {
    // The threads of MPI and ours take no signals.
    let joined = Mask::all_blocked(|| {
        mpi::open().and_then(|mpi| {
            let world = mpi.init(requested(concurrent, mpi))?;
            let ender = Ender::start("gasnet-mpi", move |code| end_by_pmix_or(code, || mpi.abort_job(code)));
            Ok((mpi, world, ender.map_err(|error| format!("conduit mpi: no thread: {error}"))?))
        })
    });
    let (mpi, world, ender) = joined?;
    let level = least(concurrent);
    let name = format!("{} ({})", world.version, mpi.file);
    check_size(world.size, &name, "GASNET_MPI_LIB")?;
    if world.level < level && world.rank == 0 {
        let (has, wants) = (world.level.name(), level.name());
        let by = if world.by_client { "the program has initialised MPI with" } else { "MPI provides" };
        warn!(
            "{by} thread level {has}, below {wants}: the library's own calls of MPI take turns; only MPI_Init_thread with {wants} \
             makes that safe on every MPI (GASNET_MPI_THREAD={has} accepts it)"
        );
    }
    if world.rank == 0 && is_verbose() {
        let level = world.level.name();
        line(&format!("GASNET: conduit mpi: {name}, thread level {level}, {} ranks", world.size));
    }
    let in_pmi_1 = env::raw("PMI_VERSION").is_none_or(|version| version.trim() == "1") && !detect::in_slurm_step();
    let pmi = words::number("PMI_FD").filter(|_| in_pmi_1).map(|fd| fd as i32);
    let pmi = pmi.and_then(|fd| Some((fd, process::duplicate(fd).ok()?)));
    store::bootstrap("mpi", name, MpiMeeting { mpi, rank: world.rank, pmi, ender }, world.rank, world.size)
}
