//! Starts the ranks of a job on this machine by fork, with the warden as their parent (warden.rs) and, where it is needed, a
//! front that ends after the warden (front.rs).

mod deaths;
pub(crate) mod desk;
pub(crate) mod fate;
mod front;
pub(crate) mod kin;
mod late;
mod lateness;
pub(crate) mod report;
mod signals;
mod threads;
pub(crate) mod warden;

use crate::bootstrap::contract::Bootstrap;
use crate::bootstrap::forked::{LocalBootstrap, UnderMaster};
use crate::bootstrap::page::{ControlPage, MAX_RANKS};
use crate::bootstrap::{here, relay};
use crate::defs::rank::HostRank;
use crate::fatal::fatal;
use crate::launch::addresses::own_name;
use crate::launch::agent::Agent;
use crate::os::children;
use crate::os::process::{self, Forked, Lifeline};
use crate::os::signal::{self, Mask};
use crate::os::streams;
use kin::Kin;
use std::net::IpAddr;
use std::time::Duration;
use warden::{SLOW_READER, Warden};

/// The connection of a host's first process to the master.
pub struct Uplink {
    /// The connection, which the warden takes over.
    pub agent: Agent,
    /// The address at which peers reach the host's ranks.
    pub address: IpAddr,
}

/// Makes this process, or one that it forks if it has to stay in front, the first of this host's `size` ranks ("rank 0"
/// below), starts the others, and returns in each of them. `page` is shared memory, which
/// `exit::prepare` and `set_places` have initialized. `uplink`: the connection to the master, if there is one; fatal errors
/// before the fork are reported to it.
pub fn start(size: u32, page: &'static ControlPage, uplink: Option<Uplink>) -> Box<dyn Bootstrap> {
    let (mut agent, address) = match uplink {
        Some(Uplink { agent, address }) => (Some(agent), Some(address)),
        None => (None, None),
    };
    if size as usize > MAX_RANKS {
        fatal!("{size} processes are too many: GASNET_PSHM_NODES may be at most {MAX_RANKS}");
    }
    let hosted = agent.is_some();
    page.set_size(size);
    // The library's handlers use the page, and print: signals wait until this process is a rank, with its output redirected.
    let mask = Mask::block_all();
    here::set_page(page);
    let started = divide(size, page, &mut agent);
    mask.restore();
    let (here, relay) = started.unwrap_or_else(|why| cannot_start(agent, &why));
    let local = LocalBootstrap::new(page, here, address);
    if hosted { Box::new(UnderMaster::new(local, relay)) } else { Box::new(local) }
}

/// `start`, with all signals blocked, up to the bootstrap of each rank. An error is the reason, and leaves `agent` in place.
fn divide(
    size: u32,
    page: &'static ControlPage,
    agent: &mut Option<Agent>,
) -> Result<(HostRank, Option<relay::Relay>), String> {
    let alone = size == 1 && agent.is_none() && desk::hang_timeout().is_none();
    if !alone {
        let others = threads::others();
        let has_front = front::is_needed(size, agent.is_some(), others);
        threads::warn_of_others(others, if has_front { 0 } else { 1 }..size, page);
        if has_front {
            if let Err(errno) = front::step_back(page) {
                let (why, limits) = (process::error_text(errno), children::process_limits());
                return Err(format!("could not start the first rank on this machine: {why} ({limits})"));
            }
        }
    }
    page.born(HostRank(0), process::pid());
    if alone {
        return Ok((HostRank(0), None));
    }
    if let Some(errno) = children::why_not_waited() {
        let why = process::error_text(errno);
        return Err(format!("this process may not wait for ranks (wait4, waitid): {why}"));
    }
    here::set_hosted(agent.is_some());
    if let Some(Err(errno)) = agent.as_mut().map(|agent| agent.before_fork(here::LEADER)) {
        return Err(format!("no pipes for the output of a rank: {errno} (ulimit -n)"));
    }
    let relay = match agent.is_some().then(relay::pair).transpose() {
        Ok(pair) => pair.map(|(of_rank, of_warden)| {
            if let Some(agent) = agent {
                agent.relay(of_warden);
            }
            of_rank
        }),
        Err(errno) => {
            return Err(no_relay(errno as i32));
        }
    };
    streams::flush_streams();
    let lifeline = match Lifeline::new(signal::life()) {
        Ok(lifeline) => lifeline,
        Err(errno) => {
            let why = process::error_text(errno);
            return Err(format!("no pipe between the first rank and its warden: {why} (ulimit -n)"));
        }
    };
    match process::fork() {
        Ok(Forked::Parent(pid)) => {
            page.set_warden(pid);
            lifeline.close_held();
            here::set_warden_pipe(lifeline.watcher());
            if let Some(agent) = agent.take() {
                agent.become_rank();
            }
            Ok((HostRank(0), relay))
        }
        Ok(Forked::Child) => {
            page.set_warden(process::pid());
            if let Some(agent) = agent {
                agent.after_fork();
            }
            drop(relay);
            let me = Warden::new(page, size, lifeline, agent.take()).start_ranks();
            here::set_me(me);
            Ok((me, None))
        }
        Err(errno) => {
            let (why, limits) = (process::error_text(errno), children::process_limits());
            Err(format!("could not fork the job's warden: {why} ({limits})"))
        }
    }
}

/// Makes this process, which was started separately, rank `me` of its host. `lifeline`: its own pipe, whose writing end the
/// warden gets.
pub(crate) fn join(me: HostRank, page: &'static ControlPage, lifeline: &Lifeline) {
    here::set_joined(me);
    here::set_warden_pipe(lifeline.watcher());
    page.born(me, process::pid());
    here::set_page(page);
}

/// Rank 0 of ranks that were started separately: forks their warden, which watches `kin` and has the line to the master,
/// if there is one. Returns in rank 0 alone, with its line to the warden under a master.
pub(crate) fn start_warden(
    size: u32,
    page: &'static ControlPage,
    lifeline: Lifeline,
    kin: Kin,
    mut agent: Option<Agent>,
) -> Result<Option<relay::Relay>, String> {
    let relay = match &mut agent {
        Some(agent) => {
            let (of_rank, of_warden) = relay::pair().map_err(|errno| no_relay(errno as i32))?;
            agent.relay(of_warden);
            Some(of_rank)
        }
        None => None,
    };
    streams::flush_streams();
    let mask = Mask::block_all();
    let forked = process::fork();
    match forked {
        Ok(Forked::Child) => {
            page.set_warden(process::pid());
            process::leave_group();
            Warden::new(page, size, lifeline, agent).watch_over(kin)
        }
        Ok(Forked::Parent(pid)) => {
            page.set_warden(pid);
            lifeline.close_held();
            mask.restore();
            Ok(relay)
        }
        Err(errno) => {
            mask.restore();
            let (why, limits) = (process::error_text(errno), children::process_limits());
            Err(format!("could not fork the job's warden: {why} ({limits})"))
        }
    }
}

fn no_relay(errno: i32) -> String {
    format!("no pipes between the first rank and its warden: {} (ulimit -n)", process::error_text(errno))
}

/// Ends the job before there are ranks. One line for all hosts: the master's, if there is one.
fn cannot_start(agent: Option<Agent>, why: &str) -> ! {
    let Some(mut agent) = agent else { fatal!("{why}") };
    agent.trouble(1, format!("host {}: {why}", own_name()));
    agent.finish(|| true, Duration::ZERO, SLOW_READER);
    process::end_now(1)
}
