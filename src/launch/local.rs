//! Processes of one host that something else has started, each with its rank (`GASNET_BOOTSTRAP=local`): who this one is,
//! and the secret of the job. For tests, and for launchers of this library's own; a shell loop is enough.

use crate::defs::rank::HostRank;
use crate::env;
use crate::fatal::fatal;
use crate::os::process;
use crate::places::Ranks;

/// The fewest characters of a job's name, which is its secret.
const FEWEST: usize = 16;

/// This process's place among those of its host that meet.
pub(crate) struct Seat {
    /// On the host; rank 0 there makes what all share.
    pub rank: u32,
    pub size: u32,
    /// Known to these processes alone: made of the job's name, or of its secret.
    pub key: [u8; 32],
    /// The ranks in the job of the processes of this host.
    pub ranks: Ranks,
    /// By the variables below; else a launcher has said who is who.
    pub by_hand: bool,
}

impl Seat {
    /// The rank in the job of the process with rank `here` on this host.
    pub(crate) fn job_rank(&self, here: u32) -> u32 {
        self.ranks.get(HostRank(here)).map_or(here, |rank| rank.0)
    }

    /// The rank in the job of this process.
    pub(crate) fn me(&self) -> u32 {
        self.job_rank(self.rank)
    }
}

/// The place that the environment gives this process; `None` if it gives none. It is taken out of the environment: programs
/// that this one starts are no ranks of the job.
pub(crate) fn seat() -> Option<Seat> {
    const OURS: [&str; 3] = ["GASNET_BOOTSTRAP_JOB", "GASNET_BOOTSTRAP_RANK", "GASNET_BOOTSTRAP_SIZE"];
    if env::choice("GASNET_BOOTSTRAP") != "local" {
        // Not a job of one rank for each of many processes.
        if let Some(name) = OURS.into_iter().find(|name| env::is_set(name)) {
            fatal!("{name} is set, but has no effect without GASNET_BOOTSTRAP=local");
        }
        return None;
    }
    let number = |name: &str| env::opt_int(name).unwrap_or_else(|| missing(name)) as u32;
    // Not reported as a setting: it is a secret.
    let job = env::raw(OURS[0]).unwrap_or_else(|| missing(OURS[0]));
    let (rank, size) = (number(OURS[1]), number(OURS[2]));
    if job.len() < FEWEST {
        fatal!("{} has {} characters: it must have {FEWEST} or more that nobody else can guess", OURS[0], job.len());
    }
    if rank >= size {
        fatal!("{}={rank} must be less than {}={size}", OURS[1], OURS[2]);
    }
    for name in [c"GASNET_BOOTSTRAP", c"GASNET_BOOTSTRAP_JOB", c"GASNET_BOOTSTRAP_RANK", c"GASNET_BOOTSTRAP_SIZE"] {
        process::unset_env(name);
    }
    let key = blake3::derive_key("libgasnet, processes of one host that meet", job.as_bytes());
    Some(Seat { rank, size, key, ranks: Ranks::block(0, size), by_hand: true })
}

fn missing(name: &str) -> ! {
    fatal!("GASNET_BOOTSTRAP=local needs {name}")
}
