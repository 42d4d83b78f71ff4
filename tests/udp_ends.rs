//! Tests of the end of udp jobs: with code 0, after a death, by a request, by silence; and of processes that must not end
//! them.

#[path = "udp/jobs.rs"]
mod jobs;

use jobs::*;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::time::Duration;

#[test]
fn a_death_is_named_with_rank_and_host() {
    for (how, what, code) in [("9", "died of SIGKILL", 137), ("0", "died of _exit(9)", 9)] {
        for rank in ["0", "2", "3"] {
            let mut command = job(4, &["die", how, rank]);
            command.env("GASNET_UDP_LOCAL_HOSTS", "2");
            let out = finish(command);
            assert_eq!(out.status.code(), Some(code));
            let line = complaint(&out);
            assert!(
                line.contains(&format!("rank {rank} ")) && line.contains("on host localhost") && line.contains(what)
            );
        }
    }
    let out = finish(job(2, &["die", "6", "1"]));
    assert_eq!(out.status.code(), Some(134));
    assert_eq!(complaint(&out), "*** Caught a fatal signal (proc 1): SIGABRT(6)\n");
}

#[test]
fn whatever_is_killed_the_whole_job_ends() {
    for hosts in ["1", "2"] {
        for victim in ["rank 0", "rank 1", "rank 2", "rank 3", "warden", "master"] {
            let mut command = job(4, &["pids"]);
            command.env("GASNET_UDP_LOCAL_HOSTS", hosts);
            let waiting = Waiting::start(command);
            let pid = match victim {
                "warden" => waiting.wardens[3],
                "master" => waiting.master(),
                rank => waiting.ranks[rank[5..].parse::<usize>().unwrap()],
            };
            let out = waiting.ends_after(pid, libc::SIGKILL);
            assert!(!out.status.success(), "{victim}");
            if victim != "master" {
                let line = complaint(&out);
                assert!(line.contains("localhost") && line.contains(if victim == "warden" { "ranks" } else { victim }));
            }
        }
    }
}

/// `command` with this disposition of `signal`, whatever that of this process.
fn with_disposition(mut command: Command, signal: i32, disposition: libc::sighandler_t) -> Command {
    use std::os::unix::process::CommandExt;
    // SAFETY: one system call, which may be made between fork and exec.
    unsafe {
        command.pre_exec(move || {
            libc::signal(signal, disposition);
            Ok(())
        })
    };
    command
}

#[test]
fn a_request_to_stop_the_master_stops_the_job() {
    for (signal, name) in [(libc::SIGINT, "SIGINT"), (libc::SIGTERM, "SIGTERM"), (libc::SIGHUP, "SIGHUP")] {
        let mut command = with_disposition(job(4, &["pids"]), signal, libc::SIG_DFL);
        // Rank 0 may take its time on a busy machine.
        command.env("GASNET_UDP_LOCAL_HOSTS", "2").env("GASNET_EXITTIMEOUT", "30");
        let waiting = Waiting::start(command);
        let master = waiting.master();
        let out = waiting.ends_after(master, signal);
        assert_eq!(out.status.signal(), Some(libc::SIGINT).filter(|_| signal == libc::SIGINT));
        assert!(!out.status.success());
        assert_eq!(complaint(&out), format!("*** Caught a signal (proc 0): {name}({signal})\n"));
    }
    let mut command = job(4, &["pids"]);
    command.env("GASNET_UDP_LOCAL_HOSTS", "2").env("GASNET_EXITTIMEOUT", "1");
    let waiting = Waiting::start(command);
    kill(waiting.ranks[0], libc::SIGSTOP);
    let master = waiting.master();
    let out = waiting.ends_after(master, libc::SIGTERM);
    let line = "*** Caught a signal (proc 0 has not ended the job within 1 s, GASNET_EXITTIMEOUT): SIGTERM(15)\n";
    assert_eq!(complaint(&out), line);
}

#[test]
fn a_signal_that_nohup_has_the_master_ignore_does_not_stop_the_job() {
    let mut command = with_disposition(job(4, &["pids"]), libc::SIGHUP, libc::SIG_IGN);
    command.env("GASNET_UDP_LOCAL_HOSTS", "2").env("GASNET_EXITTIMEOUT", "1");
    let mut waiting = Waiting::start(command);
    kill(waiting.master(), libc::SIGHUP);
    std::thread::sleep(Duration::from_millis(1500));
    assert!(waiting.child.try_wait().unwrap().is_none());
    let master = waiting.master();
    assert_eq!(complaint(&waiting.ends_after(master, libc::SIGTERM)), "*** Caught a signal (proc 0): SIGTERM(15)\n");
}

#[test]
fn a_host_that_falls_silent_ends_the_job_but_a_stopped_rank_does_not() {
    let start = || {
        let mut command = job(4, &["pids"]);
        command.env("GASNET_UDP_LOCAL_HOSTS", "2").env("GASNET_UDP_PEER_TIMEOUT", "0.5");
        Waiting::start(command)
    };
    let waiting = start();
    let warden = waiting.wardens[3];
    let out = waiting.ends_after(warden, libc::SIGSTOP);
    assert_eq!(out.status.code(), Some(1));
    assert!(complaint(&out).contains("host localhost (ranks 2-3) has been silent for 0.5 s"));
    let mut waiting = start();
    kill(waiting.ranks[2], libc::SIGSTOP);
    std::thread::sleep(Duration::from_secs(2));
    assert!(waiting.child.try_wait().unwrap().is_none());
    kill(waiting.ranks[2], libc::SIGCONT);
    let master = waiting.master();
    assert!(!waiting.ends_after(master, libc::SIGTERM).status.success());
}

#[test]
fn the_secret_is_in_no_command_line_nor_environment() {
    let mut command = job(4, &["pids"]);
    command.env("GASNET_UDP_LOCAL_HOSTS", "2");
    let waiting = Waiting::start(command);
    let longest_hex = |bytes: &[u8]| bytes.split(|c| !c.is_ascii_hexdigit()).map(<[u8]>::len).max().unwrap_or(0);
    for &pid in waiting.ranks.iter().chain(&waiting.wardens).chain(&[waiting.master()]) {
        for what in ["cmdline", "environ"] {
            let bytes = std::fs::read(format!("/proc/{pid}/{what}")).unwrap();
            let allowed = std::env::vars().map(|(_, value)| longest_hex(value.as_bytes())).max().unwrap_or(0);
            assert!(longest_hex(&bytes) < 64.max(allowed + 1), "{what} of {pid}");
        }
    }
    let master = waiting.master();
    waiting.ends_after(master, libc::SIGTERM);
}

#[test]
fn strangers_change_nothing() {
    // The second host joins late, so that the master listens for a while.
    let mut command = job(2, &["meet"]);
    command
        .env("GASNET_CSPAWN_CMD", "exec 3<&0; (sleep 1.5; exec %C) <&3 & %C <&3 & wait")
        .env("GASNET_MASTERIP", "127.0.0.1")
        .env("GASNET_UDP_COUNTERS", "1");
    let child = command.spawn().unwrap();
    let port = (0..200).find_map(|_| {
        std::thread::sleep(Duration::from_millis(5));
        listening_port(child.id())
    });
    let port = port.expect("the master listens");
    let mut held = Vec::new();
    for nth in 0..200u32 {
        let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) else { break };
        let _ = match nth % 4 {
            0 => stream.write(&[0xff; 4096]),
            1 => stream.write(b"gasnet\0\x02"),
            2 => stream.write(&[b"gasnet\0\x02".as_slice(), &[7; 200]].concat()),
            _ => Ok(0),
        };
        held.push(stream);
    }
    assert!(held.len() > 50);
    let out = finish_child(child);
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert_eq!(text(&out.stdout).lines().count(), 2);
    let line = complaint(&out);
    let count = line
        .strip_prefix("*** NOTE: master: ")
        .and_then(|rest| rest.split_once(" connections refused; from 127.0.0.1 ("));
    assert!(count.is_some_and(|(count, _)| count.parse::<u32>().is_ok_and(|count| count > 50)), "{line}");
}

/// The TCP port at which a process listens.
fn listening_port(pid: u32) -> Option<u16> {
    let files = std::fs::read_dir(format!("/proc/{pid}/fd")).ok()?;
    let sockets: Vec<_> = files
        .flatten()
        .filter_map(|file| std::fs::read_link(file.path()).ok()?.to_str()?.strip_prefix("socket:[").map(str::to_string))
        .collect();
    let table = std::fs::read_to_string("/proc/net/tcp").ok()?;
    table.lines().skip(1).find_map(|line| {
        let words: Vec<_> = line.split_whitespace().collect();
        let ours = sockets.iter().any(|socket| socket.trim_end_matches(']') == words[9]);
        (words[3] == "0A" && ours).then(|| u16::from_str_radix(words[1].split(':').nth(1)?, 16).ok())?
    })
}

#[test]
fn a_reader_that_pauses_harms_nothing_and_one_that_leaves_ends_the_job() {
    let start = || {
        let mut command = job(4, &["lines", "20000"]);
        command.env("GASNET_UDP_LOCAL_HOSTS", "2").env("GASNET_UDP_PEER_TIMEOUT", "0.5");
        command.env("GASNET_EXITTIMEOUT", "20").stderr(Stdio::null()).spawn().unwrap()
    };
    let mut child = start();
    std::thread::sleep(Duration::from_secs(2));
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(out.lines().count(), 80_000);
    let mut child = start();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn the_exit_code_is_the_jobs() {
    for hosts in ["1", "2"] {
        for (words, code) in
            [(&["code", "0"][..], 0), (&["code", "5"], 5), (&["exit", "7", "1"], 7), (&["exit", "8", "0"], 8)]
        {
            let mut command = job(2, words);
            command.env("GASNET_UDP_LOCAL_HOSTS", hosts);
            let out = finish(command);
            assert_eq!(out.status.code(), Some(code), "{words:?} {}", text(&out.stderr));
            assert!(out.stderr.is_empty());
        }
    }
}

#[test]
fn a_host_that_is_lost_after_a_good_end_is_named_and_the_end_is_not_good() {
    for (signal, how) in [
        (libc::SIGSTOP, "has been silent for 0.5 s (GASNET_UDP_PEER_TIMEOUT)"),
        (libc::SIGKILL, "has not taken leave: its warden is gone"),
    ] {
        let mut command = job(4, &["tail"]);
        command.env("GASNET_UDP_LOCAL_HOSTS", "2").env("GASNET_UDP_PEER_TIMEOUT", "0.5");
        command.env("GASNET_EXITTIMEOUT_KILL", "10");
        let mut waiting = Waiting::start(command);
        waiting.until("works on");
        let warden = waiting.wardens[3];
        let out = waiting.ends_after(warden, signal);
        assert_eq!(out.status.code(), Some(1), "{signal}: {}", text(&out.stderr));
        let line = complaint(&out);
        assert!(line.contains(&format!("host localhost (ranks 2-3) {how}")) && line.contains("may be lost"), "{line}");
    }
}

#[test]
fn output_that_nobody_reads_when_the_job_has_ended_well_is_no_good_end() {
    let mut command = job(4, &["tail"]);
    command.env("GASNET_UDP_LOCAL_HOSTS", "2").env("GASNET_EXITTIMEOUT_KILL", "10");
    let mut waiting = Waiting::start(command);
    waiting.until("works on");
    let mut child = waiting.stop_reading();
    let mut err = Vec::new();
    child.stderr.take().unwrap().read_to_end(&mut err).unwrap();
    let err = text(&judged(&err));
    assert_eq!(child.wait().unwrap().code(), Some(1), "{err}");
    assert_eq!(err, "*** Caught a signal (nobody reads the output): SIGPIPE(13)\n");
}

#[test]
fn of_hosts_that_fail_at_the_same_time_one_says_why() {
    for (first, second) in [
        (libc::SIGABRT, libc::SIGABRT),
        (libc::SIGABRT, libc::SIGKILL),
        (libc::SIGKILL, libc::SIGSEGV),
        (libc::SIGTERM, libc::SIGTERM),
    ] {
        let mut command = job(4, &["pids"]);
        command.env("GASNET_UDP_LOCAL_HOSTS", "2");
        let waiting = Waiting::start(command);
        // The master gets both messages at the same time.
        let master = waiting.master();
        kill(master, libc::SIGSTOP);
        kill(waiting.ranks[1], first);
        kill(waiting.ranks[3], second);
        std::thread::sleep(Duration::from_millis(300));
        let out = waiting.ends_after(master, libc::SIGCONT);
        assert!(!out.status.success());
        let line = complaint(&out);
        assert!(line.contains("SIG"), "{line}");
    }
}

#[test]
fn processes_without_ranks_leave_when_the_master_is_lost() {
    // One of the processes on a machine has all its ranks.
    let tag = format!("without-ranks-{}", std::process::id());
    let mut command = job(4, &["pids", &tag]);
    command.env("GASNET_CSPAWN_CMD", "exec 3<&0; for i in $(seq %N); do %C <&3 & done; wait");
    command.env("GASNET_MASTERIP", "127.0.0.1").env("GASNET_UDP_PEER_TIMEOUT", "0.5");
    let mut waiting = Waiting::start(command);
    let master = waiting.master();
    let theirs = || -> Vec<i32> {
        let is_its = |pid: i32| {
            let words = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            words.split(|&byte| byte == 0).any(|word| word == tag.as_bytes())
        };
        processes().into_iter().map(|(pid, ..)| pid).filter(|&pid| pid != master && is_its(pid)).collect()
    };
    // Four ranks, and three that wait, at least.
    assert!(theirs().len() >= 7);
    kill(master, libc::SIGSTOP);
    let started = std::time::Instant::now();
    while !theirs().is_empty() && started.elapsed() < Duration::from_secs(40) {
        std::thread::sleep(Duration::from_millis(50));
    }
    let left = theirs();
    kill(master, libc::SIGKILL);
    waiting.child.wait().unwrap();
    assert!(left.is_empty(), "{left:?} are left");
}
