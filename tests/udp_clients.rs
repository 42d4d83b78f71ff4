//! C programs as udp jobs: on several hosts made of network namespaces whose links differ, shrink, break and come back,
//! and under strangers' datagrams. They are built against the installed library (`make install`; `make check` has done
//! that), and skipped without one.

#[path = "udp/hosts.rs"]
mod hosts;
#[path = "udp/jobs.rs"]
mod jobs;

use hosts::{Hosts, skip};
use jobs::*;
use std::io::{BufRead, BufReader, Read};
use std::net::UdpSocket;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// A number that is given once.
fn another() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// The C program, built.
fn client(source: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let prefix = gasnet::internal::env::raw("PREFIX").map_or(root.join("build/install"), PathBuf::from);
    let archive = prefix.join("lib/libgasnet-udp-par.a");
    if !archive.exists() {
        skip(&format!("no library {}: make install PREFIX=build/install", archive.display()));
        return None;
    }
    let name = Path::new(source).file_stem()?.to_str()?;
    let exe =
        PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("udp_{name}_{}_{}", std::process::id(), another()));
    let mut cc = Command::new(gasnet::internal::env::raw("CC").unwrap_or("cc".into()));
    cc.args(["-std=gnu99", "-O1", "-Wall", "-Wextra", "-Werror", "-DGASNET_PAR", "-D_GNU_SOURCE=1", "-D_REENTRANT"]);
    for dir in [prefix.join("include"), prefix.join("include/udp-conduit"), root.join("capi-tests")] {
        cc.arg("-I").arg(dir);
    }
    cc.arg(root.join(source)).arg("-o").arg(&exe).arg(archive).args(["-pthread", "-lm"]);
    let out = cc.output().ok()?;
    assert!(out.status.success(), "{source}: {}", text(&out.stderr));
    Some(exe)
}

/// A built program; dropping the value removes it.
struct Built(PathBuf);

impl Built {
    fn of(source: &str) -> Option<Built> {
        client(source).map(Built)
    }

    fn job(&self, size: u32, words: &[&str]) -> Command {
        let mut command = launcher(&["-n", &size.to_string()]);
        command.arg(&self.0).args(words);
        command
    }
}

impl Drop for Built {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// A job of `work` whose ranks all run.
struct Running {
    child: Child,
    out: BufReader<std::process::ChildStdout>,
}

impl Running {
    fn start(mut command: Command) -> Running {
        let mut child = command.spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        if line != "running\n" {
            let mut err = String::new();
            child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
            panic!("{line}{err}");
        }
        Running { child, out }
    }

    /// The job's end, which comes by itself.
    fn end(mut self) -> Output {
        let mut rest = self.out;
        let reader = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            rest.read_to_end(&mut bytes).map(|_| bytes)
        });
        let started = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if started.elapsed() > LIMIT {
                self.child.kill().unwrap();
                panic!("the job does not end by itself");
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        let mut err = Vec::new();
        self.child.stderr.take().unwrap().read_to_end(&mut err).unwrap();
        Output { status, stdout: reader.join().unwrap().unwrap(), stderr: judged(&err) }
    }
}

/// Every rank has printed that it succeeded.
fn all_ok(out: &Output, size: usize) {
    succeeded(out);
    let lines = text(&out.stdout);
    assert_eq!(lines.lines().filter(|line| line.starts_with("ok ")).count(), size, "{lines}");
}

const WORK: &str = "tests/udp/work.c";

#[test]
fn c_programs_run_on_hosts_whose_links_differ() {
    let Some(programs) = [
        "capi-tests/am/long_payloads_of_every_size_arrive.c",
        "capi-tests/rma/every_form_moves_every_size.c",
        "capi-tests/barrier/every_algorithm_gives_the_same_answers.c",
    ]
    .map(Built::of)
    .into_iter()
    .collect::<Option<Vec<_>>>() else {
        return;
    };
    let Some(hosts) = Hosts::make(4) else { return };
    hosts.set_mtu(0, 9000);
    hosts.set_mtu(1, 9000);
    hosts.set_mtu(2, 1280);
    for (program, together) in programs.iter().zip(["0", "1", "0"]) {
        let mut command = program.job(8, &[]);
        hosts.use_for(&mut command);
        command.env("GASNET_SUPERNODE_MAXSIZE", together);
        all_ok(&finish(command), 8);
    }
    let Some(work) = Built::of(WORK) else { return };
    if !hosts.names6().is_empty() {
        let mut command = work.job(8, &["0.1"]);
        hosts.use_these(&mut command, hosts.names6());
        all_ok(&finish(command), 8);
        // One host by each.
        let mut command = work.job(2, &["0.1"]);
        hosts.use_these(&mut command, &[hosts.names()[0].clone(), hosts.names6()[1].clone()]);
        let out = finish(command);
        assert_eq!(out.status.code(), Some(1));
        assert!(complaint(&out).contains("GASNET_WORKERIP"), "{}", text(&out.stderr));
    }
}

#[test]
fn a_job_outlives_a_link_that_shrinks_breaks_and_comes_back_and_ends_with_one_that_does_not() {
    let Some(work) = Built::of(WORK) else { return };
    let Some(hosts) = Hosts::make(3) else { return };
    let start = |words: &[&str], timeout: &str| {
        let mut command = work.job(6, words);
        hosts.use_for(&mut command);
        Running::start({
            command.env("GASNET_UDP_PEER_TIMEOUT", timeout);
            command
        })
    };
    // The job ends some seconds after the link is back: TCP doubles the time between retransmissions, so ssh's connection recovers later than the link.
    let running = start(&["8"], "20");
    std::thread::sleep(Duration::from_millis(500));
    hosts.set_mtu(2, 1280);
    std::thread::sleep(Duration::from_secs(1));
    hosts.cut(1);
    std::thread::sleep(Duration::from_secs(2));
    hosts.mend(1);
    all_ok(&running.end(), 6);

    // Two hosts that reach the master, but not each other.
    let running = start(&["forever"], "3");
    hosts.part(0, 1, true);
    let out = running.end();
    hosts.part(0, 1, false);
    assert_eq!(out.status.code(), Some(1));
    let line = complaint(&out);
    let both = hosts.names()[..2].iter().all(|name| line.contains(name));
    assert!(line.contains("no answer by UDP") && both, "{line}");

    let running = start(&["forever"], "3");
    hosts.cut(1);
    let out = running.end();
    hosts.mend(1);
    assert_eq!(out.status.code(), Some(1));
    assert!(complaint(&out).contains(&format!("host {} (ranks 2-3)", hosts.names()[1])), "{}", text(&out.stderr));

    // All processes of a host die at once, which is detected immediately.
    let running = start(&["forever"], "60");
    let at = Instant::now();
    hosts.kill_all(2);
    let out = running.end();
    assert!(at.elapsed() < Duration::from_secs(30), "{:?}", at.elapsed());
    assert!(!out.status.success());
    assert!(complaint(&out).contains(&format!("host {} ", hosts.names()[2])), "{}", text(&out.stderr));
}

/// The UDP ports of this machine's loopback address that are in use now.
fn udp_ports() -> Vec<u16> {
    let table = std::fs::read_to_string("/proc/net/udp").unwrap();
    let of_line = |line: &str| u16::from_str_radix(line.split_whitespace().nth(1)?.strip_prefix("0100007F:")?, 16).ok();
    table.lines().filter_map(of_line).collect()
}

/// A range of UDP and TCP ports that nobody uses now.
fn free_ports(count: u16) -> std::ops::Range<u16> {
    let start = 12_000 + (std::process::id() % 100) as u16 * 100 + another() as u16 % 5 * 20;
    let free = |port: u16| UdpSocket::bind(("127.0.0.1", port)).is_ok();
    let mut first = start;
    while !(first..first + count).all(free) {
        first += 1;
        assert!(first < start + 10_000);
    }
    first..first + count
}

#[test]
fn datagrams_of_strangers_are_counted_and_change_nothing() {
    let Some(work) = Built::of(WORK) else { return };
    let ports = free_ports(8);
    let mut command = work.job(4, &["1.5"]);
    command.env("GASNET_UDP_LOCAL_HOSTS", "2").env("GASNET_UDP_COUNTERS", "1");
    command.env("GASNET_UDP_PORTS", format!("{}-{}", ports.start, ports.end - 1));
    let running = Running::start(command);
    let used: Vec<_> = udp_ports().into_iter().filter(|port| ports.contains(port)).collect();
    // Four ranks and two wardens.
    assert_eq!(used.len(), 6);
    let stranger = UdpSocket::bind("127.0.0.1:0").unwrap();
    let mut sent = 0;
    for nth in 0..400u32 {
        for &port in &used {
            let bytes: Vec<u8> =
                (0..[0, 1, 41, 60, 200, 1400, 9000][nth as usize % 7]).map(|at| (at * nth) as u8).collect();
            sent += u32::from(stranger.send_to(&bytes, ("127.0.0.1", port)).is_ok());
        }
        std::thread::sleep(Duration::from_micros(200));
    }
    assert_eq!(sent, 2400);
    let own = stranger.local_addr().unwrap();
    let out = running.end();
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert_eq!(text(&out.stdout).lines().filter(|line| line.starts_with("ok ")).count(), 4);
    let lines = text(&out.stderr);
    for rank in 0..4 {
        let line = lines.lines().find(|line| line.starts_with(&format!("*** NOTE (proc {rank}): udp: datagrams:")));
        let counted =
            line.and_then(|line| line.split(&format!("from {own} (")).nth(1)?.split(')').next()?.parse::<u32>().ok());
        // The kernel may have dropped some datagrams.
        assert!(counted.is_some_and(|counted| (200..=400).contains(&counted)), "{lines}");
    }
    assert_eq!(lines.lines().count(), 4, "{lines}");
}

#[test]
fn many_datagrams_of_strangers_draw_a_warning() {
    let Some(work) = Built::of(WORK) else { return };
    let ports = free_ports(5);
    let mut command = work.job(2, &["forever"]);
    command.env("GASNET_UDP_LOCAL_HOSTS", "2");
    command.env("GASNET_UDP_PORTS", format!("{}-{}", ports.start, ports.end - 1));
    let running = Running::start(command);
    let stranger = UdpSocket::bind("127.0.0.1:0").unwrap();
    for port in udp_ports().into_iter().filter(|port| ports.contains(port)) {
        for _ in 0..3000 {
            let _ = stranger.send_to(&[7; 100], ("127.0.0.1", port));
            std::thread::sleep(Duration::from_micros(20));
        }
    }
    std::thread::sleep(Duration::from_millis(300));
    kill(running.child.id() as i32, libc::SIGTERM);
    let out = running.end();
    let lines = text(&out.stderr);
    let own = stranger.local_addr().unwrap();
    for rank in 0..2 {
        let warnings = lines.lines().filter(|line| line.starts_with(&format!("*** WARNING (proc {rank}): udp: ")));
        let warnings: Vec<_> = warnings.collect();
        assert!(warnings.len() == 1 && warnings[0].contains(&format!("from {own} (")), "{lines}");
    }
}

#[test]
fn ports_in_use_and_small_sockets_are_told_of() {
    let Some(work) = Built::of(WORK) else { return };
    let ports = free_ports(2);
    let mut command = work.job(2, &["0.1"]);
    command.env("GASNET_UDP_PORTS", format!("{}-{}", ports.start, ports.end - 1));
    let out = finish(command);
    assert!(!out.status.success());
    assert!(complaint(&out).contains("(GASNET_UDP_PORTS)"), "{}", text(&out.stderr));

    let mut command = work.job(4, &["0.5"]);
    command.env("GASNET_SOCKETBUFFER_MAX", "4K").env("GASNET_UDP_LOCAL_HOSTS", "2");
    let out = finish(command);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let lines = text(&out.stderr);
    assert!(lines.lines().all(|line| line.contains("net.core.rmem_max")) && !lines.is_empty(), "{lines}");

    let mut command = work.job(2, &["0.3"]);
    command.env("GASNET_FAULT_RATE", "0.02").env("GASNET_UDP_LOCAL_HOSTS", "2").env("GASNET_UDP_COUNTERS", "1");
    let out = finish(command);
    assert!(out.status.success());
    assert!(!text(&out.stderr).contains(" 0 of them again"), "{}", text(&out.stderr));
}

#[test]
fn a_stopped_rank_is_not_dead_while_its_host_answers() {
    let Some(work) = Built::of(WORK) else { return };
    let mut command = work.job(4, &["forever"]);
    command.env("GASNET_UDP_LOCAL_HOSTS", "2").env("GASNET_UDP_PEER_TIMEOUT", "1");
    let mut running = Running::start(command);
    let is_rank = |pid: i32| {
        let of = |what: &str| std::fs::read_link(format!("/proc/{pid}/{what}"));
        let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        of("exe").is_ok_and(|exe| exe == work.0) && !["gasnet-warden\n", "gasnet-front\n"].contains(&name.as_str())
    };
    let pids = std::fs::read_dir("/proc").unwrap().flatten();
    let ranks: Vec<i32> =
        pids.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter(|&pid| is_rank(pid)).collect();
    assert_eq!(ranks.len(), 4);
    kill(ranks[3], libc::SIGSTOP);
    std::thread::sleep(Duration::from_secs(3));
    assert!(running.child.try_wait().unwrap().is_none());
    kill(ranks[3], libc::SIGCONT);
    kill(running.child.id() as i32, libc::SIGTERM);
    let out = running.end();
    assert_eq!(complaint(&out), format!("*** Caught a signal (proc 0): SIGTERM({})\n", libc::SIGTERM));
    assert!(ranks.into_iter().all(|pid| !runs(pid)));
    assert!(!out.status.success());
}
