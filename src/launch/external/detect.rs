//! Finds the launcher that started this process, by the environment. Several processes never become one job each: if the
//! environment names several processes but no way to reach them, the process ends with a line that says what to do.

use crate::bootstrap::contract::Bootstrap;
use crate::defs::rank::JobRank;
use crate::env;
use crate::env::show::is_verbose;
use crate::fatal::fatal;
use crate::fatal::lines::line;
use crate::launch::external::connection::{Connection, explained};
use crate::launch::external::words::{needed, number};
use crate::launch::external::{pmi_library, pmi1, pmi2, pmix, slurm};

/// Variables in which launchers pass the number of processes that they have started, and the names of these launchers.
const SIZES: [(&str, &str); 10] = [
    ("OMPI_COMM_WORLD_SIZE", "mpirun of Open MPI"),
    ("PMI_SIZE", "a launcher of PMI"),
    ("MPI_LOCALNRANKS", "mpiexec of MPICH, on this host alone,"),
    ("PALS_SIZE", "PALS"),
    ("ALPS_APP_SIZE", "aprun"),
    ("FLUX_JOB_SIZE", "Flux"),
    ("MV2_COMM_WORLD_SIZE", "mpirun_rsh"),
    ("JSM_NAMESPACE_SIZE", "jsrun"),
    ("PRTE_NUM_PROCS", "prterun"),
    ("SLURM_STEP_NUM_TASKS", "srun"),
];

/// Variables in which launchers pass the rank of a process. One above 0 is not alone.
const RANKS: [(&str, &str); 9] = [
    ("OMPI_COMM_WORLD_RANK", "mpirun of Open MPI"),
    ("PMI_RANK", "a launcher of PMI"),
    ("PMIX_RANK", "a launcher of PMIx"),
    ("PALS_RANKID", "PALS"),
    ("ALPS_APP_PE", "aprun"),
    ("FLUX_TASK_RANK", "Flux"),
    ("MV2_COMM_WORLD_RANK", "mpirun_rsh"),
    ("JSM_NAMESPACE_RANK", "jsrun"),
    ("SLURM_PROCID", "srun"),
];

/// Advice for a user whose ranks do not find each other.
const ADVICE: &str = "srun --mpi=pmi2 (srun --mpi=list names others), mpiexec.hydra or mpirun start jobs whose ranks find each other; \
                      GASNET_BOOTSTRAP=fork makes each process a job of its own";

/// Whether this process is a task of a Slurm step. The script of a batch job has some of these variables, but no step.
pub(crate) fn in_slurm_step() -> bool {
    number("SLURM_STEP_ID").is_some() && number("SLURM_PROCID").is_some()
}

/// The number of processes that a launcher has started, or the least that it can be, where a variable shows that there are
/// several: that variable with its value, and the launcher.
struct Several {
    number: u32,
    is_least: bool,
    sign: String,
    who: &'static str,
}

fn several() -> Option<Several> {
    let applies = |name: &str| !name.starts_with("SLURM") || in_slurm_step();
    let found = |&(name, who): &(&'static str, &'static str), is_least: bool| {
        let value = number(name).filter(|_| applies(name))?;
        let number = value.saturating_add(is_least.into());
        (number > 1).then(|| Several { number, is_least, sign: format!("{name}={value}"), who })
    };
    let by_size = SIZES.iter().find_map(|size| found(size, false));
    by_size.or_else(|| RANKS.iter().find_map(|rank| found(rank, true)))
}

/// The rank of this process, as far as its launcher's variables show it.
pub(crate) fn rank_shown() -> Option<u32> {
    RANKS.iter().find_map(|(name, _)| number(name))
}

/// The number of processes that a launcher has started, and the variable that says so, if there is one.
pub(crate) fn started() -> Option<(u32, String)> {
    several().map(|several| (several.number, several.sign))
}

impl std::fmt::Display for Several {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Several { number, is_least, sign, who } = self;
        write!(f, "{who} has started {}{number} processes ({sign})", if *is_least { "at least " } else { "" })
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Protocol {
    Pmix,
    Pmi1,
    Pmi2,
    Slurm,
    /// PMI through the machine's library.
    Library,
}

impl Protocol {
    fn of_environment() -> Option<Protocol> {
        if env::raw("PMIX_NAMESPACE").is_some() && env::raw("PMIX_RANK").is_some() {
            Some(Protocol::Pmix)
        } else if env::raw("PMI_FD").is_some() {
            let version = env::raw("PMI_VERSION");
            // Slurm's plugin speaks PMI-2.
            let is_second = version.map_or_else(in_slurm_step, |version| version.trim() == "2");
            Some(if is_second { Protocol::Pmi2 } else { Protocol::Pmi1 })
        } else if by_port() {
            Some(Protocol::Pmi1)
        } else {
            let of_cray = || ["PALS_RANKID", "ALPS_APP_PE"].iter().any(|name| env::raw(name).is_some());
            in_slurm_step().then_some(Protocol::Slurm).or_else(|| of_cray().then_some(Protocol::Library))
        }
    }

    fn named(name: &str) -> Option<Protocol> {
        match name {
            "pmix" => Some(Protocol::Pmix),
            "pmi1" => Some(Protocol::Pmi1),
            "pmi2" => Some(Protocol::Pmi2),
            "slurm" => Some(Protocol::Slurm),
            "libpmi" => Some(Protocol::Library),
            _ => None,
        }
    }

    /// Its name, and how the environment shows it.
    fn named_with_signs(self) -> (&'static str, &'static str) {
        match self {
            Protocol::Pmix => ("PMIx", "PMIX_NAMESPACE and PMIX_RANK"),
            Protocol::Pmi1 if by_port() => ("PMI-1", "PMI_PORT"),
            Protocol::Pmi1 => ("PMI-1", "PMI_FD"),
            Protocol::Pmi2 => ("PMI-2", "PMI_FD"),
            Protocol::Slurm => ("our own rendezvous in a Slurm step", "SLURM_STEP_ID and SLURM_PROCID"),
            Protocol::Library => ("PMI through the machine's library", "PALS_RANKID or ALPS_APP_PE"),
        }
    }

    fn join(self) -> Result<&'static dyn Bootstrap, String> {
        Ok(match self {
            Protocol::Pmix => Box::leak(Box::new(pmix::join()?)),
            Protocol::Pmi1 if by_port() => {
                let (id, address) = (needed("PMI_ID")?, env::raw("PMI_PORT").unwrap_or_default());
                let connection = Connection::to(&address).map_err(|error| {
                    format!("the launcher at PMI_PORT={address} cannot be reached: {}", explained(&error))
                })?;
                let place = pmi1::introduce(&connection, id).map_err(|why| format!("PMI_PORT={address}: {why}"))?;
                Box::leak(Box::new(pmi1::join(place, connection, "PMI_PORT")?))
            }
            Protocol::Pmi1 => Box::leak(Box::new(pmi1::join(place()?, inherited()?, "PMI_FD")?)),
            Protocol::Pmi2 => Box::leak(Box::new(pmi2::join(place()?, inherited()?)?)),
            Protocol::Slurm => Box::leak(Box::new(slurm::join()?)),
            Protocol::Library => Box::leak(Box::new(pmi_library::join()?)),
        })
    }

    /// Whether this process has no peers, as far as that is known without asking.
    fn is_alone(self) -> bool {
        let size = match self {
            Protocol::Pmix => number("OMPI_COMM_WORLD_SIZE").or_else(|| number("PRTE_NUM_PROCS")),
            Protocol::Pmi1 | Protocol::Pmi2 => number("PMI_SIZE"),
            Protocol::Slurm => number("SLURM_STEP_NUM_TASKS"),
            Protocol::Library => number("PALS_SIZE").or_else(|| number("ALPS_APP_SIZE")),
        };
        size == Some(1)
    }
}

/// The connection to the launcher at `PMI_FD`.
fn inherited() -> Result<Connection, String> {
    let fd = needed("PMI_FD")?;
    Connection::inherited(fd as i32)
        .map_err(|error| format!("PMI_FD={fd}, which should lead to the launcher, cannot be used: {error}"))
}

/// Whether the launcher speaks PMI-1 at an address (`mpiexec.hydra -pmi-port`).
fn by_port() -> bool {
    env::raw("PMI_FD").is_none() && env::raw("PMI_PORT").is_some() && env::raw("PMI_ID").is_some()
}

/// Rank and size, as launchers of PMI say.
fn place() -> Result<(u32, u32), String> {
    let (rank, size) = (needed("PMI_RANK")?, needed("PMI_SIZE")?);
    if rank >= size {
        return Err(format!("PMI_RANK={rank} is not below PMI_SIZE={size}"));
    }
    Ok((rank, size))
}

/// The bootstrap that the user asks for. `GASNET_SPAWN_CONTROL` is the name of this setting in other GASNet libraries, whose
/// value `pmi` does not name a version.
fn asked() -> &'static str {
    let own = env::choice("GASNET_BOOTSTRAP");
    let other = env::str("GASNET_SPAWN_CONTROL").filter(|_| !env::is_set("GASNET_BOOTSTRAP"));
    let known = ["fork", "local", "launcher", "pmix", "pmi1", "pmi2", "slurm", "libpmi"];
    other.and_then(|other| known.into_iter().find(|known| other.eq_ignore_ascii_case(known))).unwrap_or(own)
}

/// Whether the user wants no launcher.
pub(crate) fn is_refused() -> bool {
    matches!(asked(), "fork" | "local")
}

/// The bootstrap of this process's launcher, which it has joined; `None` if there is no launcher, or `starts_jobs` and this is the only
/// process of its job; the library then starts the job itself. Any failure ends the process with one line.
pub fn detect(starts_jobs: bool) -> Option<&'static dyn Bootstrap> {
    if is_refused() {
        return None;
    }
    let asked = asked();
    let several = several();
    let Some(protocol) = Protocol::named(asked).or_else(Protocol::of_environment) else {
        if several.is_none() && asked == "launcher" {
            fatal!(
                "GASNET_BOOTSTRAP=launcher, but the environment shows no launcher that leads to the other processes; {ADVICE}"
            );
        }
        let several = several?;
        fatal!(
            "{several}, but there is no way to the others: neither PMIX_NAMESPACE \
             nor PMI_FD nor PMI_PORT nor a Slurm step is in the environment; {ADVICE}"
        );
    };
    let leaves_alone = asked == "auto" && starts_jobs;
    if leaves_alone && several.is_none() && protocol.is_alone() {
        return None;
    }
    let joined = protocol.join().unwrap_or_else(|why| match &several {
        Some(several) => fatal!("{why}; {several}: {ADVICE}"),
        None => fatal!("{why}; {ADVICE}"),
    });
    if leaves_alone && joined.identity().size == 1 {
        // The size was not known before joining.
        joined.leave();
        return None;
    }
    let identity = joined.identity();
    if identity.me == JobRank(0) && is_verbose() {
        let ((name, signs), size, here) = (protocol.named_with_signs(), identity.size, identity.peers.len());
        let why = if matches!(asked, "auto" | "launcher") {
            format!("{signs} in the environment")
        } else {
            "GASNET_BOOTSTRAP".to_string()
        };
        line(&format!("GASNET: the ranks meet by {name} ({why}): {size} ranks, {here} of them on rank 0's host"));
    }
    Some(joined)
}

/// The launcher that the environment shows, for the user; the library's own start has none.
pub fn describe() -> String {
    let found = Protocol::named(asked()).or_else(Protocol::of_environment);
    match (asked(), found, several()) {
        (own @ ("fork" | "local"), ..) => format!("none (GASNET_BOOTSTRAP={own})"),
        (_, Some(protocol), several) => {
            let (name, signs) = protocol.named_with_signs();
            let size = several.map(|several| format!(", {}", several.sign)).unwrap_or_default();
            format!("{name} ({signs}{size})")
        }
        (_, None, Some(several)) => format!("{several}, which cannot find each other; {ADVICE}"),
        (_, None, None) => "none: the library starts the ranks".to_string(),
    }
}
