//! Finds, for a process number, the process that can report on its job: the warden if there is one, which responds
//! even if ranks are stopped; else the rank itself, or the process that started a udp job.

use std::fs;
use std::path::PathBuf;

use crate::os::process;
use crate::os::signal;

use super::ask::BY_USER;

/// The fields of /proc/PID/status that are used here.
struct Status {
    name: String,
    parent: i32,
    /// Signals that are blocked and caught, as bits.
    blocked: u64,
    caught: u64,
}

const WARDEN: &str = "gasnet-warden";
const FRONT: &str = "gasnet-front";

fn status(pid: i32) -> Option<Status> {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let signals = |name: &str| u64::from_str_radix(field(name)?, 16).ok();
    Some(Status {
        name: field("Name:")?.to_string(),
        parent: field("PPid:")?.parse().ok()?,
        blocked: signals("SigBlk:")?,
        caught: signals("SigCgt:")?,
    })
}

fn bit(signal: i32) -> u64 {
    1 << (signal - 1)
}

/// A child of `pid`.
fn child_of(pid: i32, is_wanted: impl Fn(&Status) -> bool) -> Option<i32> {
    let is_it = |other: &i32| status(*other).is_some_and(|status| status.parent == pid && is_wanted(&status));
    processes()?.find(is_it)
}

/// The numbers of all processes.
fn processes() -> Option<impl Iterator<Item = i32>> {
    Some(fs::read_dir("/proc").ok()?.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()))
}

/// Whether it catches the library's signals.
fn is_rank(status: &Status) -> bool {
    [signal::question(), signal::life()].iter().all(|&own| status.caught & bit(own) != 0) && status.name != FRONT
}

/// The warden at the other end of a pipe of `pid`, a rank that was started separately.
fn warden_of_joined(pid: i32) -> Option<i32> {
    let pipes = |pid: i32| -> Vec<PathBuf> {
        let files = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
        files
            .filter_map(|file| fs::read_link(file.path()).ok())
            .filter(|link| link.to_string_lossy().starts_with("pipe:"))
            .collect()
    };
    let own = pipes(pid);
    let is_warden = |other: &i32| status(*other).is_some_and(|status| status.name == WARDEN);
    processes()?.filter(is_warden).find(|&warden| pipes(warden).iter().any(|pipe| own.contains(pipe)))
}

/// The process to which a request for `pid` is sent.
fn whom(pid: i32) -> Result<i32, String> {
    let own = status(pid).ok_or_else(|| format!("there is no process {pid}"))?;
    if own.name == WARDEN {
        return Ok(pid);
    }
    if own.name == FRONT {
        if let Some(leader) = child_of(pid, is_rank) {
            return whom(leader);
        }
    }
    let ours = bit(signal::question());
    if is_rank(&own) {
        let parent = status(own.parent).filter(|parent| parent.name == WARDEN).map(|_| own.parent);
        let child = || child_of(pid, |child| child.name == WARDEN);
        return Ok(parent.or_else(child).or_else(|| warden_of_joined(pid)).unwrap_or(pid));
    }
    // A master waits for a fixed set of signals.
    if own.blocked & ours != 0 && own.blocked & bit(BY_USER) != 0 && own.blocked & bit(signal::life()) == 0 {
        return Ok(pid);
    }
    Err(format!("process {pid} ({}) is neither a rank of a job nor what started one", own.name))
}

/// Requests a report on the job of process `pid`.
pub fn ask(pid: i32) -> Result<(), String> {
    let whom = whom(pid)?;
    match process::kill(whom, signal::question()) {
        true => Ok(()),
        false => Err(format!("process {whom} cannot be asked: {}", std::io::Error::last_os_error())),
    }
}
