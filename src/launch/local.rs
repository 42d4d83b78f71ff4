//! Processes of one host that were started separately, each with its rank in the environment (`GASNET_BOOTSTRAP=local`): the
//! rank of this one, and the secret of the job. For tests and simple launchers, such as a shell loop.

use crate::defs::rank::HostRank;
use crate::env;
use crate::fatal::fatal;
use crate::os::process;
use crate::places::Ranks;

/// The fewest characters of a job's name, which is its secret.
const FEWEST: usize = 16;

/// This process's place among those of its host that meet.
pub(crate) struct Seat {
    /// The rank on the host; rank 0 makes the shared objects.
    pub rank: u32,
    pub size: u32,
    /// Known to these processes only: derived from the job's name, or from its secret.
    pub key: [u8; 32],
    /// The ranks in the job of the processes of this host.
    pub ranks: Ranks,
    /// The ranks come from the variables below; otherwise from a launcher.
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

/// The place that the environment gives this process, if any. It is removed from the environment, since programs that this
/// one starts are not ranks of the job.
pub(crate) fn seat() -> Option<Seat> {
    const OURS: [&str; 3] = ["GASNET_BOOTSTRAP_JOB", "GASNET_BOOTSTRAP_RANK", "GASNET_BOOTSTRAP_SIZE"];
    if env::choice("GASNET_BOOTSTRAP") != "local" {
        // Without this check each of these processes would become a job of one rank.
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
