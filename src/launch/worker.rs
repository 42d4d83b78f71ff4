//! How the first process of a host (the leader) joins a job that has a master: an internal variable of its environment names
//! the master's address. It reads the job's secret from an inherited pipe or its stdin, proves over the control connection
//! that it has the secret, and receives the ranks of its host. All of this happens in init, before the other ranks of the host are forked.

mod leader_line;

use self::leader_line::LeaderLine;
use crate::env;
use crate::fatal::fatal;
use crate::launch::addresses::{own_address, own_name};
use crate::launch::agent::Agent;
use crate::launch::control::{Assign, Frame, Hello, JobSecret, WardenAddress};
use crate::launch::fork::Uplink;
use crate::launch::hosts::HostInfo;
use crate::launch::paths::Paths;
use crate::launch::tree::{self, HostTree};
use crate::launch::{addresses, control};
use crate::os::{affinity, limits, process, streams};
use crate::places::Ranks;
use std::fmt::Write as _;
use std::io::{ErrorKind, Read};
use std::net::{IpAddr, SocketAddr, TcpListener, UdpSocket};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

/// The name of the internal variable.
pub(crate) const WORD: &str = "GASNET_UDP_WORKER";

const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";

/// Characters of a secret as a line, newline included.
pub(crate) const SECRET_LINE_BYTES: usize = 65;

/// A leader that has joined: the hosts of the job, and the state that its warden needs.
pub struct Joined {
    /// Ranks of the job.
    pub size: u32,
    /// This host's number, an index of `hosts`.
    pub host: u32,
    pub hosts: Vec<HostInfo>,
    /// Ranks of other hosts that use processors of this one.
    pub beside: u32,
    pub uplink: Uplink,
}

/// The source of the secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretSource {
    File(i32),
    Stdin,
}

/// The value of the internal variable: `address/port/seat/source`, in characters that no shell changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecretWord {
    pub master: SocketAddr,
    pub seat: u32,
    pub source: SecretSource,
}

impl SecretWord {
    pub fn parse(text: &str) -> Option<SecretWord> {
        let mut parts = text.split('/');
        let (ip, port, seat, source) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some() {
            return None;
        }
        Some(SecretWord {
            master: SocketAddr::new(ip.parse().ok()?, port.parse().ok()?),
            seat: if seat == "any" { control::ANY_SEAT } else { seat.parse().ok()? },
            source: match source.strip_prefix("fd") {
                Some(number) => SecretSource::File(number.parse().ok()?),
                None => (source == "stdin").then_some(SecretSource::Stdin)?,
            },
        })
    }
}

impl std::fmt::Display for SecretWord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}/", self.master.ip(), self.master.port())?;
        match self.seat {
            control::ANY_SEAT => write!(f, "any/")?,
            seat => write!(f, "{seat}/")?,
        }
        match self.source {
            SecretSource::File(fd) => write!(f, "fd{fd}"),
            SecretSource::Stdin => write!(f, "stdin"),
        }
    }
}

/// The secret as the line that carries it.
pub(crate) fn secret_line(secret: &JobSecret) -> String {
    let mut line = String::new();
    for byte in secret {
        let _ = write!(line, "{byte:02x}");
    }
    line + "\n"
}

pub(crate) fn secret_of_line(line: &[u8; SECRET_LINE_BYTES]) -> Option<JobSecret> {
    let digits = std::str::from_utf8(line.strip_suffix(b"\n")?).ok()?;
    let mut secret = [0; 32];
    for (byte, pair) in secret.iter_mut().zip(digits.as_bytes().chunks(2)) {
        if !pair.iter().all(u8::is_ascii_hexdigit) {
            return None;
        }
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(secret)
}

/// Whether this process was started by a master.
pub(crate) fn is_worker() -> bool {
    env::is_set(WORD)
}

/// Joins the job whose master started this process. `abi` is the library's number. Any failure ends the process
/// with one line.
pub(crate) fn join(abi: u32) -> Joined {
    let text = env::str(WORD).unwrap_or_default();
    let Some(word) = SecretWord::parse(&text) else {
        fatal!("{WORD}='{text}' is not a value that the master of a job sets: start the program without {WORD}");
    };
    // Processes that this one starts later are no workers of this job.
    process::unset_env(c"GASNET_UDP_WORKER");
    let secret = read_secret(word);
    let hello = Frame::Hello(hello(word, abi));
    let greet = |line: &mut LeaderLine| line.send(&hello).and_then(|()| line.expect("to be told its ranks"));
    let (mut line, assign) = match introduce(word.master, &secret, greet) {
        Ok((line, Frame::Assign(assign))) => (line, *assign),
        // Another host has failed, and the master has said so.
        Ok((_, Frame::End { code, .. })) => process::end_now(code),
        Ok(_) => fatal!("could not join the job: the master at {} says something unexpected", word.master),
        Err(why) => fatal!("could not join the job: {why}"),
    };
    for (name, value) in &assign.env {
        process::set_env(name, value);
    }
    process::unset_env(c"GASNET_UDP_WORKER");
    if !assign.dir.is_empty() {
        let dir = Path::new(std::ffi::OsStr::from_bytes(&assign.dir));
        if let Err(error) = std::env::set_current_dir(dir) {
            line.give_up(format!("no directory {} on host {}: {error}", dir.display(), own_name()));
        }
    }
    if !assign.stdin && word.source == SecretSource::Stdin {
        streams::null_stdin();
    }
    if assign.surplus {
        line.wait_for_end(Duration::from_millis(assign.peer_timeout_ms.into()));
    }
    let Some(count) = assign.hosts.get(assign.host as usize).map(|own| own.ranks.count()) else {
        fatal!("could not join the job: the master assigned host number {} of {}", assign.host, assign.hosts.len());
    };
    let post = WardenSockets::open(&line, count, assign.hosts.len()).unwrap_or_else(|why| line.give_up(why));
    match line.send(&Frame::Bound(post.known)) {
        Ok(()) => serve(line, assign, post, &secret).0,
        Err(why) => fatal!("could not join the job: {why}"),
    }
}

/// A host whose processes an external launcher has started: its ranks, and the settings that they propose for the job.
pub(crate) struct Presented {
    pub ranks: Ranks,
    /// The job has no more hosts.
    pub most_hosts: usize,
    pub terms: Vec<u8>,
    pub abi: u32,
}

/// Joins the job whose master listens at one of `masters`, which are tried one after the other. Also returns the settings of
/// the job. Any failure ends the process with one line.
pub(crate) fn present(masters: &[SocketAddr], secret: &JobSecret, host: Presented) -> (Joined, Vec<u8>) {
    let word = SecretWord { master: masters[0], seat: control::ANY_SEAT, source: SecretSource::File(-1) };
    let hello = Frame::Hello(hello(word, host.abi));
    let mut why_not = Vec::new();
    let greet = |line: &mut LeaderLine| {
        let post = match WardenSockets::open(line, host.ranks.count(), host.most_hosts) {
            Ok(post) => post,
            Err(why) => {
                line.send(&hello)?;
                line.give_up(why)
            }
        };
        let (ranks, terms) = (host.ranks.clone(), host.terms.clone());
        line.send_all(&[&hello, &Frame::Present { ranks, terms, warden: post.known }])?;
        Ok(post)
    };
    let line = masters.iter().find_map(|&at| {
        let dialled = introduce(at, secret, greet);
        dialled.map_err(|why| why_not.push(why)).ok()
    });
    let Some((mut line, post)) = line else { fatal!("could not join the job: {}", why_not.join("; ")) };
    let at = line.master;
    let assign = match line.expect("for the other hosts of the job") {
        Ok(Frame::Assign(assign)) => *assign,
        // The master has said why.
        Ok(Frame::End { code, .. }) => process::end_now(code),
        Ok(_) => fatal!("could not join the job: the master at {at} says something unexpected"),
        Err(why) => fatal!("could not join the job: {why}"),
    };
    serve(line, assign, post, secret)
}

/// Connects to the master and calls `greet`, several times if necessary; returns its result.
fn introduce<T>(
    master: SocketAddr,
    secret: &JobSecret,
    greet: impl Fn(&mut LeaderLine) -> Result<T, String>,
) -> Result<(LeaderLine, T), String> {
    // A master under attack may drop connections that have not authenticated yet.
    const TRIES: u32 = 8;
    let mut nth = 0;
    loop {
        let answer = LeaderLine::dial(master, secret).and_then(|mut line| {
            let answer = greet(&mut line);
            Ok((line, answer.map_err(|why| (why, true))?))
        });
        match answer {
            Ok(answer) => return Ok(answer),
            Err((why, again)) if !again || nth == TRIES => return Err(why),
            Err(_) => process::nap(Duration::from_millis(20 << nth)),
        }
        nth += 1;
    }
}

/// The sockets of a host's warden.
struct WardenSockets {
    /// The address of this host's ranks.
    address: IpAddr,
    socket: UdpSocket,
    listener: Option<TcpListener>,
    known: WardenAddress,
}

impl WardenSockets {
    /// For a host of `count` ranks in a job of at most `hosts` hosts; checks that they may open the files that they need.
    fn open(line: &LeaderLine, count: u32, hosts: usize) -> Result<WardenSockets, String> {
        let least = u64::from(count) * 4 + 64;
        let allowed = limits::allow_files(least);
        if allowed < least {
            return Err(format!(
                "{count} ranks on host {} need {least} open files, and a process may have {allowed} there (ulimit -n, \
                 the hard limit)",
                own_name()
            ));
        }
        let address = own_address(line.stream.local_addr().map_or(line.master.ip(), |addr| addr.ip()))?;
        let (socket, at) = addresses::bind(address, 1)?.pop().ok_or_else(String::new)?;
        let listener = (tree::degree(hosts) > 0).then(|| addresses::listen(address)).transpose()?;
        let port = listener.as_ref().and_then(|listener| listener.local_addr().ok()).map_or(0, |addr| addr.port());
        Ok(WardenSockets { address, socket, listener, known: WardenAddress { at, tree: port } })
    }
}

/// Waits until all hosts are there, and learns where their wardens are. Also returns the settings of the job.
fn serve(mut line: LeaderLine, assign: Assign, post: WardenSockets, secret: &JobSecret) -> (Joined, Vec<u8>) {
    let WardenSockets { address, socket, listener, .. } = post;
    let (wardens, beside, degree) = match line.expect("for the other hosts") {
        Ok(Frame::Table { wardens, beside, degree }) if wardens.len() == assign.hosts.len() => {
            (wardens, beside, degree)
        }
        // Another host has failed, and the master has said so.
        Ok(Frame::End { code, .. }) => process::end_now(code),
        Ok(_) => fatal!("could not join the job: the master at {} says something unexpected", line.master),
        Err(why) => fatal!("could not join the job: {why}"),
    };
    let (host, limit) = (assign.host, Duration::from_millis(assign.peer_timeout_ms.into()));
    let tree = (degree > 0).then(|| {
        let at: Vec<_> = wardens.iter().map(|warden| SocketAddr::new(warden.at.ip(), warden.tree)).collect();
        HostTree::new(listener, host, &assign.hosts, &at, degree, secret, limit)
    });
    let tree = tree.transpose().unwrap_or_else(|why| line.give_up(why));
    let addrs = wardens.into_iter().map(|warden| warden.at).collect();
    let paths = match Paths::new(socket, secret, host, assign.hosts.clone(), addrs, limit / 2) {
        Ok(paths) => paths,
        Err(error) => line.give_up(format!("no socket for the warden of host {}: {error}", own_name())),
    };
    let agent = Agent::new(line.stream, line.sealer, line.opener, &assign, paths, tree);
    let Assign { size, host, hosts, terms, .. } = assign;
    (Joined { size, host, hosts, beside, uplink: Uplink { agent, address } }, terms)
}

fn read_secret(word: SecretWord) -> JobSecret {
    let mut line = [0; SECRET_LINE_BYTES];
    let got = match word.source {
        SecretSource::File(fd) => process::inherited(fd).and_then(|mut file| file.read_exact(&mut line)),
        // Unbuffered: the rest of stdin belongs to the user.
        SecretSource::Stdin => read_stdin(&mut line),
    };
    if let Err(error) = &got {
        if process::is_forbidden(error) {
            fatal!("could not join the job at {}: its secret cannot be read: {error}", word.master);
        }
    }
    match got.ok().and_then(|()| secret_of_line(&line)) {
        Some(secret) => secret,
        None if word.source == SecretSource::Stdin => fatal!(
            "started as a worker of the job at {}, but stdin does not begin with that job's secret: what starts workers \
             (GASNET_CSPAWN_CMD) must pass its stdin on; by hand, start the program without {WORD}",
            word.master
        ),
        None => fatal!(
            "started as a worker of the job at {}, but not by that job's master: start the program without {WORD}",
            word.master
        ),
    }
}

fn read_stdin(mut line: &mut [u8]) -> std::io::Result<()> {
    while !line.is_empty() {
        match nix::unistd::read(std::io::stdin(), line) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(got) => line = &mut line[got..],
            Err(nix::errno::Errno::EINTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    Ok(())
}

fn hello(word: SecretWord, abi: u32) -> Hello {
    let name = own_name();
    Hello {
        seat: word.seat,
        pid: process::pid() as u32,
        machine: machine(),
        kernel: kernel(),
        cpus: affinity::allowed_bits(),
        name,
        abi: version(abi),
        // A file that the master itself started needs no comparison.
        binary: if word.source == SecretSource::Stdin { executable() } else { 0 },
    }
}

/// An identity of the running kernel.
fn kernel() -> u64 {
    let boot = std::fs::read(BOOT_ID).unwrap_or_default();
    let mut number = [0; 8];
    number.copy_from_slice(&blake3::hash(&boot).as_bytes()[..8]);
    if boot.is_empty() { 0 } else { u64::from_le_bytes(number) }
}

/// An identity of the machine, the same for all processes on it that share its namespaces.
pub(crate) fn machine() -> [u8; 16] {
    let mut of_machine = blake3::Hasher::new();
    of_machine.update(&std::fs::read(BOOT_ID).unwrap_or_default());
    for space in ["pid", "net", "ipc"] {
        let link = std::fs::read_link(format!("/proc/self/ns/{space}")).unwrap_or_default();
        of_machine.update(link.as_os_str().as_bytes());
    }
    of_machine.update(own_name().as_bytes());
    let mut machine = [0; 16];
    machine.copy_from_slice(&of_machine.finalize().as_bytes()[..16]);
    machine
}

/// Libraries with the same number can take part in one job.
pub(crate) fn version(abi: u32) -> u64 {
    let text = format!("{} {abi} {}", env!("CARGO_PKG_VERSION"), control::MAGIC[7]);
    let mut number = [0; 8];
    number.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..8]);
    u64::from_le_bytes(number)
}

/// A number for the contents of this process's executable; 0 if it cannot be read.
fn executable() -> u64 {
    let Ok(mut file) = std::fs::File::open("/proc/self/exe") else { return 0 };
    let mut hash = blake3::Hasher::new();
    let mut block = vec![0; 1 << 16];
    loop {
        match file.read(&mut block) {
            Ok(0) => break,
            Ok(got) => _ = hash.update(&block[..got]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return 0,
        }
    }
    let mut number = [0; 8];
    number.copy_from_slice(&hash.finalize().as_bytes()[..8]);
    u64::from_le_bytes(number).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_secret_is_read_from_the_line_that_carries_it() {
        let secret = control::random().unwrap();
        let line = secret_line(&secret);
        let mut bytes: [u8; SECRET_LINE_BYTES] = line.as_bytes().try_into().unwrap();
        assert_eq!(secret_of_line(&bytes), Some(secret));
        bytes[3] = b'+';
        assert_eq!(secret_of_line(&bytes), None);
        assert_eq!(secret_of_line(&[b'\n'; SECRET_LINE_BYTES]), None);
    }

    proptest! {
        #[test]
        fn a_word_is_read_as_it_was_written_and_holds_plain_characters_only(
            ip in any::<IpAddr>(), port in any::<u16>(), seat in any::<u32>(), fd in proptest::option::of(3i32..100),
        ) {
            let word =
                SecretWord { master: SocketAddr::new(ip, port), seat, source: fd.map_or(SecretSource::Stdin, SecretSource::File) };
            let text = word.to_string();
            prop_assert_eq!(SecretWord::parse(&text), Some(word));
            prop_assert!(text.bytes().all(|c| c.is_ascii_alphanumeric() || b"./:".contains(&c)));
        }

        #[test]
        fn any_text_is_a_word_or_is_not(text in ".*") {
            let _ = SecretWord::parse(&text);
        }
    }
}
