//! The master of a job whose processes an external launcher started: a process that rank 0 forks at its start. Hosts
//! present themselves with their ranks; when all ranks have come, it assigns numbers to the hosts. From then on it is a
//! master as any other, except that output, input and signals are handled by the launcher. It ends with the job or, before the
//! job has begun, with rank 0's process.

use super::state::*;
use crate::defs::rank::{HostRank, JobRank};
use crate::launch::addresses::addresses_for_others;
use crate::launch::hosts::Distribution;
use crate::launch::meeting::terms::Terms;
use crate::os::children;
use crate::os::files;
use crate::os::limits;
use crate::os::process::Forked;
use crate::os::streams;
use crate::places::{Places, Ranks};
use std::os::fd::{AsRawFd, OwnedFd};

/// Addresses at which hosts look for the master.
pub(crate) const MOST_ADDRESSES: usize = 16;

/// Starts the master of a job of `size` ranks. Returns the addresses at which it listens. `abi` is the number of the library's
/// interface; `reason_name` that of [`Bootstrap`](crate::bootstrap::contract::Bootstrap).
pub(crate) fn start(
    size: u32,
    abi: u32,
    secret: JobSecret,
    reason_name: Option<&str>,
) -> Result<Vec<SocketAddr>, String> {
    let fixed = super::starting::fixed_address()?;
    let listener = super::starting::listen(fixed.unwrap_or(Ipv6Addr::UNSPECIFIED.into()), fixed.is_some())?;
    let no_port = |error: std::io::Error| format!("no TCP port for the hosts of the job: {error}");
    let port = listener.local_addr().map_err(no_port)?.port();
    // In order of preference.
    let ips = fixed.map_or_else(|| addresses_for_others(MOST_ADDRESSES), |ip| vec![ip]);
    let (watched, held) = files::pipe().map_err(|error| format!("no pipe to the job's master: {error} (ulimit -n)"))?;
    streams::flush_streams();
    let mask = Mask::block_all();
    let forked = process::fork();
    if let Ok(Forked::Child) = forked {
        // Not a child of this process, since the client may wait for any child.
        match process::fork() {
            Ok(Forked::Child) => run(size, abi, secret, listener, watched.into(), reason_name),
            Ok(Forked::Parent(_)) => process::end_now(0),
            Err(errno) => process::end_now(errno),
        }
    }
    mask.restore();
    let cannot = |errno| {
        format!("could not fork the job's master: {} ({})", process::error_text(errno), children::process_limits())
    };
    match forked {
        Ok(Forked::Parent(pid)) => match children::reap_one(pid, true) {
            Ok(Some(End::Exited(0))) => {}
            Ok(Some(End::Exited(errno))) | Err(errno) => return Err(cannot(errno)),
            _ => return Err(cannot(libc::EAGAIN)),
        },
        Ok(Forked::Child) => unreachable!("the child does not return"),
        Err(errno) => return Err(cannot(errno)),
    }
    // Open as long as this process lives.
    std::mem::forget(held);
    Ok(ips.into_iter().map(|ip| SocketAddr::new(ip, port)).collect())
}

fn run(
    size: u32,
    abi: u32,
    secret: JobSecret,
    listener: TcpListener,
    starter: OwnedFd,
    reason_name: Option<&str>,
) -> ! {
    process::set_name(c"gasnet-master");
    process::leave_group();
    let mut keep = [listener.as_raw_fd(), starter.as_raw_fd()];
    keep.sort_unstable();
    process::close_all_but(&keep);
    let program = Program { path: "the program".into(), argv: Vec::new(), dir: "/".into() };
    let order = Order { size, program, hosts: None, abi };
    let placement = Placement {
        how: SpawnMethod::External,
        hosts: Vec::new(),
        listed: Vec::new(),
        distribution: Distribution::BLOCK,
    };
    limits::allow_files(u64::from(size) + MOST_STRANGERS as u64 + 32);
    match Master::new(order, placement, secret) {
        Ok(mut master) => {
            master.door = Some(MasterDoor::new(listener));
            master.starter = Some(starter);
            master.reason_name = reason_name.map(str::to_string);
            super::leave(master.work())
        }
        Err(why) => {
            line(&format!("*** FATAL ERROR: {why}"));
            process::end_now(1)
        }
    }
}

impl Master {
    /// A host that has sent its hello presents its ranks, and proposes the settings of the job.
    pub(super) fn presented(&mut self, at: usize, ranks: Ranks, terms: &[u8], warden: WardenAddress) {
        let Some(nth) = self.lobby.iter().position(|(waiting, _)| *waiting == at) else { return self.hung_up(at) };
        let (_, mut hello) = self.lobby.swap_remove(nth);
        let Some(theirs) = Terms::of_bytes(terms) else { return self.hung_up(at) };
        let first = ranks.get(HostRank(0)).unwrap_or(JobRank(0)).0;
        let cpus = theirs.cpus.clone();
        match &mut self.terms {
            None => self.terms = Some((first, theirs)),
            Some((of, all)) => {
                if let Err(why) = all.combine(&theirs, *of, first) {
                    return self.decide(1, true, Some(format!("*** FATAL ERROR: {why}")));
                }
            }
        }
        // A launcher may have bound the process that presents the host.
        hello.cpus = cpus;
        self.presented.push(PresentedHost { at, hello, ranks, warden });
        if self.ranks_there() >= self.order.size.into() {
            self.seat_the_presented();
        }
    }

    /// All ranks are there.
    fn seat_the_presented(&mut self) {
        self.close_door();
        let mut presented = std::mem::take(&mut self.presented);
        presented.sort_by_key(|one| one.ranks.get(HostRank(0)).map(|rank| rank.0));
        let placement: Vec<Ranks> = presented.iter().map(|one| one.ranks.clone()).collect();
        let fits = Places::new(&placement, 0, 1).and_then(|places| match places.size() {
            size if size == self.order.size => Ok(()),
            size => Err(format!("{size} ranks came to a job of {}", self.order.size)),
        });
        if let Err(why) = fits {
            return self.decide(1, true, Some(format!("*** FATAL ERROR: {why}")));
        }
        let mut seats = Vec::new();
        for PresentedHost { at, hello, ranks, warden } in presented {
            seats.push(at);
            let mut host = Host::new(HostInfo { name: hello.name.clone(), ranks }, Some(hello));
            host.warden = Some(warden);
            host.stage = HostStage::Bound;
            self.hosts.push(host);
        }
        for (host, at) in seats.into_iter().enumerate() {
            if let Some(Some(conn)) = self.conns.get_mut(at) {
                conn.host = Some(host);
            } else {
                // It ended while it waited for the others.
                self.hosts[host].broke_at = Some(Instant::now());
            }
            self.assign(at, host, false);
        }
        self.all_are_bound();
    }

    fn ranks_there(&self) -> u64 {
        self.presented.iter().map(|one| u64::from(one.ranks.count())).sum()
    }

    /// The ranks that have not come in time.
    pub(super) fn late_ranks(&self) -> String {
        let there = self.ranks_there();
        let who: Vec<String> = self
            .presented
            .iter()
            .map(|one| HostInfo { name: one.hello.name.clone(), ranks: one.ranks.clone() }.to_string())
            .collect();
        format!("{there} of {} ranks ({}) have joined the job", self.order.size, who.join(", "))
    }
}
