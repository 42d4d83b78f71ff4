//! The command line of gasnetrun.

use crate::Failure;
use crate::complaint::complaint;
use crate::launcher::Launcher;
use gasnet::internal::conduit::entry::{ConduitEntry, Launch};
use gasnet::internal::env;
use gasnet::internal::env::table::{MAX_JOB_RANKS, MAX_RANKS};
use gasnet::internal::launch::hosts::Distribution;
use getopts::{Options, ParsingStyle};
use std::ffi::OsString;

/// The parsed command line.
#[derive(Default)]
pub struct Wish {
    pub processes: Option<u32>,
    /// Hosts at most.
    pub hosts: Option<u32>,
    /// Processors of each process, and variables to pass on: for launchers that need to be told.
    pub cores: Option<u32>,
    pub variables: Vec<String>,
    pub spawner: Spawner,
    pub depth: Option<u32>,
    /// GASNET_PLACEMENT.
    pub placement: Option<String>,
    pub verbose: bool,
    pub only_show: bool,
    pub program: Vec<OsString>,
}

/// The program that starts the processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spawner {
    #[default]
    Unset,
    /// The program forks them.
    Fork,
    /// The letter of GASNET_SPAWNFN.
    Own(&'static str),
    Launcher(Launcher),
}

impl Spawner {
    pub fn letter(self) -> Option<&'static str> {
        match self {
            Spawner::Own(letter) => Some(letter),
            _ => None,
        }
    }
}

/// Options that are accepted and have no effect: nothing is left behind that could be kept, and the environment is passed
/// on unencoded.
const IGNORED: [&str; 7] = ["k", "encode", "encode-args", "encode-env", "noencode", "noencode-args", "noencode-env"];

fn grammar(conduit: &ConduitEntry) -> Options {
    let mut grammar = Options::new();
    // As getopt_long_only: -np=4 and --np 4 are the same. The program's own options follow its name.
    grammar.long_only(true).parsing_style(ParsingStyle::StopAtFirstFree);
    grammar
        .optmulti("n", "np", "", "N")
        .optmulti("N", "", "", "N")
        .optmulti("c", "", "", "N")
        .optmulti("E", "", "", "V");
    grammar.optmulti("", "spawn", "", "W").optmulti("", "spawner", "", "W");
    grammar.optflagmulti("v", "", "").optflagmulti("t", "", "").optflagmulti("h", "help", "");
    if conduit.launch != Launch::Fork {
        grammar.optmulti("m", "", "", "P").optmulti("", "depth", "", "D");
    }
    for name in IGNORED {
        let (short, long) = if name.len() == 1 { (name, "") } else { ("", name) };
        grammar.optflagmulti(short, long, "");
    }
    grammar
}

/// Reads the options, up to the program. `None`: help is wanted.
pub fn understand(conduit: &ConduitEntry, mut words: Vec<OsString>) -> Result<Option<Wish>, Failure> {
    let texts = words.iter().map(|word| {
        let text = word.to_string_lossy();
        // -n4
        match text.strip_prefix("-n").filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) {
            Some(number) => format!("-n={number}"),
            None => text.into_owned(),
        }
    });
    let given = grammar(conduit).parse(texts).map_err(|why| Failure::from(complaint(&why)))?;
    if given.opt_present("h") {
        return Ok(None);
    }
    let last = |option: &str| given.opt_strs(option).pop();
    let number = |option: &str| last(option).map(|text| count(&format!("-{option}"), &text)).transpose();
    let mut wish = Wish {
        processes: last("n").map(|text| processes(conduit, "-n", &text)).transpose()?,
        hosts: number("N")?,
        cores: number("c")?,
        variables: given.opt_strs("E").iter().flat_map(|list| list.split(',')).map(str::to_string).collect(),
        verbose: given.opt_present("v"),
        only_show: given.opt_present("t"),
        ..Wish::default()
    };
    for option in ["spawn", "spawner"] {
        if let Some(word) = last(option) {
            wish.spawner = spawner(conduit, option, &word)?;
        }
    }
    if wish.spawner == Spawner::Unset {
        let names = [
            "GASNET_SMP_SPAWNER",
            "GASNET_UDP_SPAWNER",
            "GASNET_MPI_SPAWNER",
            "GASNET_SHMEM_SPAWNER",
            "GASNET_UCX_SPAWNER",
            "GASNET_OFI_SPAWNER",
        ];
        let set = names.into_iter().find(|name| name.starts_with(conduit.settings));
        if let Some((name, word)) = set.and_then(|name| Some((name, env::raw(name)?))) {
            wish.spawner = spawner(conduit, name, &word)?;
        }
    }
    if conduit.launch != Launch::Fork {
        wish.depth = number("depth")?;
        wish.placement = last("m");
        if let Some(placement) = &wish.placement {
            Distribution::parse(placement).map_err(|why| format!("-m {why}"))?;
        }
    }
    // As they were, which the parsed texts are not if they are not UTF-8.
    wish.program = words.split_off(words.len() - given.free.len());
    Ok(Some(wish))
}

fn spawner(conduit: &ConduitEntry, option: &str, given: &str) -> Result<Spawner, Failure> {
    let word = given.to_ascii_lowercase();
    if let Some(launcher) = Launcher::named(&word) {
        return Ok(Spawner::Launcher(launcher));
    }
    match (conduit.launch, word.as_str()) {
        (Launch::Fork, "fork") => Ok(Spawner::Fork),
        (Launch::Fork, _) => {
            Err(format!("-{option}={given}: {} has only fork, mpi, pmi, pmix and slurm", conduit.name).into())
        }
        (Launch::Master, "l" | "local" | "fork") => Ok(Spawner::Own("L")),
        (Launch::Master, "s" | "ssh") => Ok(Spawner::Own("S")),
        (Launch::Master, "c" | "command" | "custom") => Ok(Spawner::Own("C")),
        (Launch::Library, _) => {
            Err(format!("-{option} {given}: {} has only mpi, pmi, pmix and slurm", conduit.name).into())
        }
        (Launch::Master, _) => {
            Err(format!("-{option} {given}: must be L (local), S (ssh), C (command), mpi, pmi, pmix or slurm").into())
        }
    }
}

/// A number of processes of a job.
pub fn processes(conduit: &ConduitEntry, of: &str, text: &str) -> Result<u32, Failure> {
    up_to(if conduit.launch == Launch::Fork { MAX_RANKS } else { MAX_JOB_RANKS }, of, text)
}

fn count(of: &str, text: &str) -> Result<u32, Failure> {
    up_to(MAX_JOB_RANKS, of, text)
}

fn up_to(most: i64, of: &str, text: &str) -> Result<u32, Failure> {
    match gasnet::internal::env::parse::int_within(text, 1, most) {
        Ok(n) => Ok(n as u32),
        Err(allowed) => Err(format!("{of} '{text}': must be {allowed}").into()),
    }
}

pub fn help(conduit: &ConduitEntry, name: &str) -> String {
    match conduit.launch {
        Launch::Fork => help_fork(name),
        Launch::Master => help_hosts(name),
        Launch::Library => help_library(conduit, name),
    }
}

fn help_library(conduit: &ConduitEntry, name: &str) -> String {
    format!(
        "usage: {name} -n N [options] [--] program arguments…

Runs a GASNet program as N processes of conduit {}, by a launcher of its library.

  -n N, -np N      number of processes
  -N HOSTS         number of hosts, which get as many processes each
  -spawner=HOW     mpi (default; MPIRUN_CMD, {}), pmi (PMIRUN_CMD, hydra, srun), pmix (prterun, Open MPI,
                   srun), slurm (srun)
  -depth D         sets GASNET_NETWORKDEPTH
  -m PLACEMENT     which processes the hosts get, for srun
  -c N             processors for each process
  -E VARS          variables to pass on, for launchers that do not pass all
  -v               show the command
  -t               show what would be run, and do not run it
  -k, -encode…     taken, without effect: there is nothing to keep or to encode
  -h               this text

MPIRUN_CMD is a command with %N for the number of processes and %C for the program and its arguments, such as
'mpirun -np %N %C'. The program uses the launcher's library. The exit code is the launcher's;
126 if the launcher cannot be run, 127 if there is no such program, 1 for other mistakes.
",
        conduit.name, conduit.launchers[0]
    )
}

fn help_fork(name: &str) -> String {
    format!(
        "usage: {name} -n N [options] [--] program arguments…

Runs a GASNet program as N processes on this machine.

  -n N, -np N      number of processes (without it: GASNET_PSHM_NODES)
  -N 1             number of hosts: smp has one
  -c N             processors for each process, for launchers; without effect on fork
  -E VARS          variables to pass on, for launchers that do not pass all
  -spawner=HOW     fork (default), or a launcher: mpi (MPIRUN_CMD, mpirun), pmi (PMIRUN_CMD, hydra, srun),
                   pmix (prterun, Open MPI, srun), slurm (srun)
  -v               show the command
  -t               show what would be run, and do not run it
  -k               keep temporary files: taken, without effect, as there are none
  -h               this text

The exit code is the job's; 126 if the program cannot be run, 127 if there is none, 1 for other mistakes.
"
    )
}

fn help_hosts(name: &str) -> String {
    format!(
        "usage: {name} -n N [options] [--] program arguments…

Runs a GASNet program as N processes, on this machine or on the hosts that are listed.

  -n N, -np N      number of processes
  -N HOSTS         use only the first HOSTS hosts listed, and spread the processes evenly
  -spawn L|S|C     how processes are started: L on this machine, S by ssh, C by GASNET_CSPAWN_CMD
                   (-spawner=local|ssh|command is the same); or a launcher: mpi (MPIRUN_CMD, mpirun), pmi
                   (PMIRUN_CMD, hydra, srun), pmix (prterun, Open MPI, srun), slurm (srun)
  -m PLACEMENT     which ranks the hosts get: block, cyclic or plane=N (sets GASNET_PLACEMENT)
  -depth D         sets GASNET_NETWORKDEPTH
  -c N             processors for each process, for launchers; else without effect
  -E VARS          variables to pass on, for launchers that do not pass all
  -v               show each command and its host
  -t               show what would be run, and do not run it
  -k, -encode…     taken, without effect: there is nothing to keep or to encode
  -h               this text

Hosts come from GASNET_SSH_SERVERS='a b:4 c' or the file that GASNET_SSH_NODEFILE names; without any, from the batch
system: in an allocation of Slurm srun starts the processes, with PBS, LSF, Cobalt and Grid Engine ssh does; without one,
all processes run here. The exit code is the job's; 126 if the program cannot be run, 127 if there is none, 1 for other
mistakes.
"
    )
}
