//! The command line of gasnetrun.

use crate::Failure;
use gasnet::conduit::entry::{ConduitEntry, Launch};
use gasnet::env::table::{MAX_JOB_RANKS, MAX_RANKS};
use gasnet::launch::hosts::Distribution;
use std::ffi::OsString;

/// What the command line asks for.
#[derive(Default)]
pub struct Wish {
    pub processes: Option<u32>,
    /// Hosts at most.
    pub hosts: Option<u32>,
    /// The letter of GASNET_SPAWNFN.
    pub spawn: Option<&'static str>,
    pub depth: Option<u32>,
    /// GASNET_PLACEMENT.
    pub placement: Option<String>,
    pub verbose: bool,
    pub only_show: bool,
    pub program: Vec<OsString>,
}

/// Reads the options, up to the program. `None`: help is wanted.
pub fn understand(conduit: &ConduitEntry, words: Vec<OsString>) -> Result<Option<Wish>, Failure> {
    let mut wish = Wish::default();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let text = word.to_string_lossy().into_owned();
        // -np=4, --spawner=fork, -n4
        let (option, mut attached) = match text.split_once('=') {
            Some((option, value)) => (option.to_string(), Some(value.to_string())),
            None => (text.clone(), None),
        };
        let option = match option.strip_prefix("--") {
            Some(long) if !long.is_empty() => format!("-{long}"),
            _ => option,
        };
        let mut option = option.as_str();
        if let Some(number) = option.strip_prefix("-n").filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) {
            (option, attached) = ("-n", Some(number.to_string()));
        }
        let mut value = |of: &str| match attached
            .clone()
            .or_else(|| words.next().map(|word| word.to_string_lossy().into_owned()))
        {
            Some(value) => Ok(value),
            None => Err(Failure::from(format!("{of} needs a value after it"))),
        };
        match option {
            "-n" | "-np" => wish.processes = Some(processes(conduit, option, &value(option)?)?),
            "-N" => match count("-N", &value("-N")?)? {
                hosts if conduit.launch == Launch::Master => wish.hosts = Some(hosts),
                1 => {}
                hosts => return Err(format!("-N {hosts}: {} runs on one host", conduit.name).into()),
            },
            "-c" => drop(count("-c", &value("-c")?)?),
            // Every rank is forked, so it has the whole environment anyway.
            "-E" => drop(value("-E")?),
            "-v" => wish.verbose = true,
            "-t" => wish.only_show = true,
            // Nothing is left behind that could be kept.
            "-k" => {}
            "-spawner" | "-spawn" => {
                let given = value(option)?;
                wish.spawn = match (conduit.launch, given.to_ascii_lowercase().as_str()) {
                    (Launch::Fork, "fork") => None,
                    (Launch::Fork, _) => return Err(format!("{option}={given}: {} has only fork", conduit.name).into()),
                    (Launch::Master, "l" | "local" | "fork") => Some("L"),
                    (Launch::Master, "s" | "ssh") => Some("S"),
                    (Launch::Master, "c" | "command" | "custom") => Some("C"),
                    (Launch::Master, _) => {
                        return Err(format!("{option} {given}: must be L (local), S (ssh) or C (command)").into());
                    }
                };
            }
            "-m" if conduit.launch == Launch::Master => {
                let given = value("-m")?;
                Distribution::parse(&given).map_err(|why| format!("-m {why}"))?;
                wish.placement = Some(given);
            }
            "-depth" if conduit.launch == Launch::Master => wish.depth = Some(count("-depth", &value("-depth")?)?),
            "-encode" | "-encode-args" | "-encode-env" | "-noencode" | "-noencode-args" | "-noencode-env" => {}
            "-h" | "-help" => return Ok(None),
            "--" => {
                wish.program = words.collect();
                break;
            }
            _ if text.starts_with('-') => return Err(format!("{text}: no such option (-h for help)").into()),
            _ => {
                wish.program = std::iter::once(word).chain(words).collect();
                break;
            }
        }
    }
    Ok(Some(wish))
}

/// A number of processes of a job.
pub fn processes(conduit: &ConduitEntry, of: &str, text: &str) -> Result<u32, Failure> {
    up_to(if conduit.launch == Launch::Fork { MAX_RANKS } else { MAX_JOB_RANKS }, of, text)
}

fn count(of: &str, text: &str) -> Result<u32, Failure> {
    up_to(MAX_JOB_RANKS, of, text)
}

fn up_to(most: i64, of: &str, text: &str) -> Result<u32, Failure> {
    match gasnet::env::parse::int_within(text, 1, most) {
        Ok(n) => Ok(n as u32),
        Err(allowed) => Err(format!("{of} '{text}': must be {allowed}").into()),
    }
}

pub fn help(conduit: &ConduitEntry, name: &str) -> String {
    if conduit.launch == Launch::Master {
        return help_hosts(name);
    }
    format!(
        "usage: {name} -n N [options] [--] program arguments…

Runs a GASNet program as N processes on this machine.

  -n N, -np N      number of processes (without it: GASNET_PSHM_NODES)
  -N 1             number of hosts: smp has one
  -c N             processors for each process: taken, without effect
  -E VARS          variables to pass on: taken, without effect, as all are
  -spawner=fork    what starts the processes: smp has only fork
  -v               show what is run
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
                   (-spawner=local|ssh|command is the same)
  -m PLACEMENT     which ranks the hosts get: block, cyclic or plane=N (sets GASNET_PLACEMENT)
  -depth D         sets GASNET_NETWORKDEPTH
  -c N             processors for each process: taken, without effect
  -E VARS          variables to pass on: taken, without effect, as all are
  -v               show what is started where
  -t               show what would be run, and do not run it
  -k, -encode…     taken, without effect: there is nothing to keep or to encode
  -h               this text

Hosts come from GASNET_SSH_SERVERS='a b:4 c' or the file that GASNET_SSH_NODEFILE names; without any, all
processes run here. The exit code is the job's; 126 if the program cannot be run, 127 if there is none, 1 for other
mistakes.
"
    )
}
