//! The start of a job: opens the port for the hosts, and starts a process on each of them.

use super::state::*;
use super::streams::nonblocking;
use crate::launch::addresses;
use crate::os::limits;

impl Master {
    /// Listens, and starts a process on every host.
    pub(super) fn listen_and_spawn(&mut self) -> Result<(), String> {
        let fixed = fixed_address()?;
        let at = match (self.how, fixed) {
            (_, Some(ip)) => ip,
            (SpawnMethod::Local, None) => IpAddr::from(Ipv4Addr::LOCALHOST),
            // Both families.
            (_, None) => IpAddr::from(Ipv6Addr::UNSPECIFIED),
        };
        let listener = listen(at, fixed.is_some())?;
        let port = listener.local_addr().map_err(|error| unusable(at, &error))?.port();
        self.door = Some(MasterDoor::new(listener));
        let (size, verbose) = (self.order.size, self.verbose);
        match self.how {
            SpawnMethod::Local => {
                for seat in 0..self.hosts.len() {
                    let master = SocketAddr::new(at, port);
                    let started = spawn_local::start(&self.order.program, seat as u32, master, &self.secret, self.mask);
                    self.started(Some(seat), started)?;
                }
            }
            SpawnMethod::Ssh => {
                let ssh = Ssh::from_env()?;
                let names: Vec<_> = self.hosts.iter().map(|host| host.info.name.clone()).collect();
                let ips = match fixed {
                    Some(ip) => vec![ip; names.len()],
                    None => addresses_facing(&names),
                };
                for (seat, (name, ip)) in names.iter().zip(ips).enumerate() {
                    if verbose {
                        line(&format!(
                            "*** GASNet: {} ranks by {}",
                            self.hosts[seat].info.ranks.count(),
                            ssh.shown(name)
                        ));
                    }
                    let master = SocketAddr::new(ip, port);
                    let program = &self.order.program;
                    let started = ssh.start(program, name, seat as u32, master, &self.secret, self.mask);
                    self.started(Some(seat), started)?;
                }
            }
            // external.rs listens.
            SpawnMethod::External => {}
            SpawnMethod::Command => {
                let template = env::spawn_str("GASNET_CSPAWN_CMD").unwrap_or_default();
                let ip = match fixed {
                    Some(ip) => ip,
                    None => addresses_facing(&self.listed).first().copied().unwrap_or_else(own_address),
                };
                let master = SocketAddr::new(ip, port);
                let (program, listed) = (&self.order.program, &self.listed);
                let started = spawn_command::start(&template, program, size, listed, master, &self.secret, self.mask);
                self.started(None, started)?;
            }
        }
        Ok(())
    }

    pub(super) fn started(
        &mut self,
        host: Option<usize>,
        started: Result<StartedProcess, String>,
    ) -> Result<(), String> {
        let started = started.inspect_err(|_| self.kill_processes(libc::SIGKILL))?;
        if self.verbose {
            line(&format!("*** GASNet: started {} (pid {})", started.what, started.child.id()));
        }
        self.feeding |= started.has_stdin;
        let pipes = [started.stdin.as_ref().map(AsFd::as_fd), started.stderr.as_ref().map(AsFd::as_fd)];
        let set = pipes.iter().flatten().try_for_each(nonblocking);
        self.processes.push(Process {
            started,
            host,
            ended: None,
            said: Vec::new(),
            said_at: None,
            shown: self.verbose,
        });
        set.inspect_err(|_| self.kill_processes(libc::SIGKILL))
    }
}

/// The address of the master, if the user has set it.
pub(super) fn fixed_address() -> Result<Option<IpAddr>, String> {
    let Some(text) = env::spawn_str("GASNET_MASTERIP") else { return Ok(None) };
    let found = addresses::local_address(&text);
    found.map(Some).map_err(|why| format!("GASNET_MASTERIP='{text}': this machine {why}"))
}

fn unusable(at: IpAddr, error: &std::io::Error) -> String {
    match env::str("GASNET_UDP_PORTS") {
        None => format!("no TCP port at {at}: {error} (GASNET_MASTERIP chooses the address)"),
        Some(ports) => format!("no TCP port in {ports} at {at}: {error} (GASNET_UDP_PORTS)"),
    }
}

/// A port at `at` for the hosts of the job; unless `fixed`, at all addresses of a kernel that has IPv4 alone.
pub(super) fn listen(at: IpAddr, fixed: bool) -> Result<TcpListener, String> {
    let ports = addresses::allowed_ports()?;
    let listen = |at: IpAddr| addresses::first_free(ports.clone(), |port| TcpListener::bind((at, port)));
    let listener = listen(at)
        .or_else(|error| match fixed {
            false => listen(Ipv4Addr::UNSPECIFIED.into()),
            true => Err(error),
        })
        .map_err(|error| unusable(at, &error))?;
    listener.set_nonblocking(true).map_err(|error| unusable(at, &error))?;
    Ok(listener)
}

/// Raises the limit on open files to the number that the start of the job needs: a connection to each host, pipes to the process that starts it.
pub(super) fn allow_files(how: SpawnMethod, hosts: u64, size: u32) -> Result<(), String> {
    /// The port, signals, and descriptors that are open only while a process is started.
    const BESIDES: u64 = 10;
    let (needed, what) = match how {
        SpawnMethod::Local => (hosts, format!("{hosts} hosts")),
        SpawnMethod::Ssh => (3 * hosts, format!("{hosts} hosts by ssh")),
        SpawnMethod::External => (u64::from(size), format!("{size} ranks")),
        SpawnMethod::Command => (u64::from(size) + 2, format!("{size} processes by GASNET_CSPAWN_CMD")),
    };
    let needed = needed + limits::open_files() + BESIDES;
    match limits::allow_files(needed + MOST_STRANGERS as u64) {
        allowed if allowed < needed => Err(format!(
            "{what} need {needed} open files in the process that starts them, which may have {allowed} (ulimit -n, the \
             hard limit)"
        )),
        _ => Ok(()),
    }
}

/// The addresses of this machine on the routes to the hosts, as far as they are known. A loopback address is omitted if
/// there are other hosts.
pub(super) fn addresses_facing(hosts: &[String]) -> Vec<IpAddr> {
    let facing = |host: &String| -> Option<IpAddr> {
        let name = host.rsplit('@').next().unwrap_or(host);
        let to = (name, 22).to_socket_addrs().ok()?.next()?;
        let from: IpAddr = if to.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
        // Connecting a datagram socket sends nothing.
        let socket = UdpSocket::bind((from, 0)).ok()?;
        socket.connect(to).ok()?;
        Some(socket.local_addr().ok()?.ip())
    };
    let found: Vec<_> = hosts.iter().map(facing).collect();
    let outside = found.iter().flatten().find(|ip| !ip.is_loopback()).copied();
    found
        .into_iter()
        .map(|ip| match ip {
            Some(ip) if !ip.is_loopback() || outside.is_none() => ip,
            _ => outside.unwrap_or_else(own_address),
        })
        .collect()
}

/// The address of this machine on its default route.
pub(super) fn own_address() -> IpAddr {
    let facing = || {
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
        // An address reserved for documentation (RFC 5737); nothing is sent.
        socket.connect((Ipv4Addr::new(203, 0, 113, 1), 9))?;
        socket.local_addr()
    };
    facing().map_or(IpAddr::from(Ipv4Addr::LOCALHOST), |addr| addr.ip())
}
