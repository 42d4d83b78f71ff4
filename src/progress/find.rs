//! From a process number to whom to ask for a report on its job: the warden where there is one, who answers though ranks are
//! stopped; else the rank itself, or the process that started a udp job.

use std::fs;

use crate::os::process;
use crate::os::signal;

use super::ask::BY_USER;

/// What /proc/PID/status says, as far as it matters here.
struct Status {
    name: String,
    parent: i32,
    /// Signals that are blocked and caught, as bits.
    blocked: u64,
    caught: u64,
}

const WARDEN: &str = "gasnet-warden";

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

/// The warden among the children of `pid`.
fn warden_under(pid: i32) -> Option<i32> {
    let numbers = fs::read_dir("/proc").ok()?.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let is_it = |other: &i32| status(*other).is_some_and(|status| status.parent == pid && status.name == WARDEN);
    numbers.into_iter().find(is_it)
}

/// Who is asked if the user names `pid`.
fn whom(pid: i32) -> Result<i32, String> {
    let own = status(pid).ok_or_else(|| format!("there is no process {pid}"))?;
    if own.name == WARDEN {
        return Ok(pid);
    }
    let ours = bit(signal::question());
    let is_rank = own.caught & ours != 0 && own.caught & bit(signal::life()) != 0;
    if is_rank {
        let parent = status(own.parent).filter(|parent| parent.name == WARDEN).map(|_| own.parent);
        return Ok(parent.or_else(|| warden_under(pid)).unwrap_or(pid));
    }
    // A master waits for the signals that it knows, and for no others.
    if own.blocked & ours != 0 && own.blocked & bit(BY_USER) != 0 && own.blocked & bit(signal::life()) == 0 {
        return Ok(pid);
    }
    Err(format!("process {pid} ({}) is neither a rank of a job nor what started one", own.name))
}

/// Has the job of process `pid` report on itself.
pub fn ask(pid: i32) -> Result<(), String> {
    let whom = whom(pid)?;
    match process::kill(whom, signal::question()) {
        true => Ok(()),
        false => Err(format!("process {whom} cannot be asked: {}", std::io::Error::last_os_error())),
    }
}
