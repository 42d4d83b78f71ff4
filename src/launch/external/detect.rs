//! Which launcher started this process, as the environment shows it.

use crate::bootstrap::contract::Bootstrap;
use crate::env;
use crate::fatal::fatal;
use crate::launch::external::connection::Connection;
use crate::launch::external::{pmi1, pmi2};

/// Words by which launchers tell a process how many there are, and the name of what sets them.
const SIZES: [(&str, &str); 8] = [
    ("OMPI_COMM_WORLD_SIZE", "Open MPI's mpirun"),
    ("PMI_SIZE", "a launcher of PMI"),
    ("PALS_SIZE", "Cray's PALS"),
    ("FLUX_JOB_SIZE", "Flux"),
    ("MV2_COMM_WORLD_SIZE", "MVAPICH's mpirun_rsh"),
    ("JSM_NAMESPACE_SIZE", "jsrun"),
    ("PRTE_NUM_PROCS", "prterun"),
    ("SLURM_STEP_NUM_TASKS", "Slurm's srun"),
];

pub(crate) fn number(name: &str) -> Option<u32> {
    env::raw(name)?.trim().parse().ok()
}

/// A number that the environment must have.
pub(crate) fn needed(name: &str) -> Result<u32, String> {
    let text = env::raw(name).ok_or_else(|| format!("{name} is not set"))?;
    text.trim().parse().map_err(|_| format!("{name}='{text}' is no number"))
}

/// Whether this process is a task of a Slurm step. The script of a batch job has some of the words, but no step.
fn in_slurm_step() -> bool {
    number("SLURM_STEP_ID").is_some() && number("SLURM_PROCID").is_some()
}

/// The protocols, in the order in which they are tried, and the word that shows each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Protocol {
    Pmi1,
    Pmi2,
}

impl Protocol {
    fn of_environment() -> Option<Protocol> {
        if env::raw("PMI_FD").is_some() {
            let by_version = env::raw("PMI_VERSION").is_some_and(|version| version.trim() == "2");
            let by_slurm = in_slurm_step();
            return Some(if by_version || by_slurm { Protocol::Pmi2 } else { Protocol::Pmi1 });
        }
        None
    }

    fn named(name: &str) -> Option<Protocol> {
        match name {
            "pmi1" => Some(Protocol::Pmi1),
            "pmi2" => Some(Protocol::Pmi2),
            _ => None,
        }
    }

    fn join(self) -> Result<&'static dyn Bootstrap, String> {
        Ok(match self {
            Protocol::Pmi1 => Box::leak(Box::new(pmi1::join(inherited()?, place()?)?)),
            Protocol::Pmi2 => Box::leak(Box::new(pmi2::join(inherited()?, place()?)?)),
        })
    }
}

/// The connection to the launcher at `PMI_FD`.
fn inherited() -> Result<Connection, String> {
    let fd = needed("PMI_FD")?;
    Connection::inherited(fd as i32)
        .map_err(|error| format!("PMI_FD={fd}, by which the launcher is to be reached, cannot be used: {error}"))
}

/// Rank and size, as launchers of PMI say.
fn place() -> Result<(u32, u32), String> {
    let (rank, size) = (needed("PMI_RANK")?, needed("PMI_SIZE")?);
    if rank >= size {
        return Err(format!("PMI_RANK={rank} is not below PMI_SIZE={size}"));
    }
    Ok((rank, size))
}

/// The bootstrap of this process's launcher, which it has joined; `None` if it is the only process of its job, so that our
/// own start decides. Any failure ends the process with one line.
pub fn detect() -> Option<&'static dyn Bootstrap> {
    let several = SIZES.iter().find(|(name, _)| number(name).is_some_and(|size| size > 1) && in_use(name));
    if several.is_none() && number("PMI_ID").is_none() {
        return None;
    }
    match Protocol::of_environment() {
        Some(protocol) => Some(protocol.join().unwrap_or_else(|why| fatal!("{why}"))),
        None => {
            let &(name, who) = several?;
            fatal!("{name}={}: {who}", number(name).unwrap_or(0))
        }
    }
}

/// Whether the word `name` speaks of this process, and was not inherited by the script of a batch job.
fn in_use(name: &str) -> bool {
    !name.starts_with("SLURM") || in_slurm_step()
}
