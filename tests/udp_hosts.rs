//! Jobs by ssh: to an sshd of the test's own, and to several hosts made of network namespaces. What this machine does
//! not permit is skipped with a message.

#[path = "udp/hosts.rs"]
mod hosts;
#[path = "udp/jobs.rs"]
mod jobs;

use hosts::{Hosts, Sshd};
use jobs::*;
use std::io::Write;
use std::os::unix::ffi::OsStringExt;
use std::process::Stdio;

#[test]
fn ssh_carries_everything() {
    let Some(sshd) = Sshd::on_loopback() else { return };
    let odd: Vec<u8> = (1..=255).collect();
    let mut command = job(3, &["args"]);
    command.arg(std::ffi::OsString::from_vec(odd.clone()));
    sshd.use_for(&mut command, "localhost:2,127.0.0.1");
    let out = finish(command);
    succeeded(&out);
    assert_eq!(lines(&out.stdout), lines(&[b"args|", &odd[..], b"|\n"].concat().repeat(3)));

    let mut command = job(2, &["env", "ODD_VALUE"]);
    command.env("ODD_VALUE", std::ffi::OsString::from_vec(odd.clone())).current_dir("/proc");
    sshd.use_for(&mut command, "localhost");
    let out = finish(command);
    succeeded(&out);
    assert_eq!(lines(&out.stdout), lines(&[&odd[..], b"|/proc|\n"].concat().repeat(2)));

    let mut command = job(3, &["stdin"]);
    sshd.use_for(&mut command, "localhost 127.0.0.1");
    command.stdin(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"what was said").unwrap();
    let out = finish_child(child);
    let mut lines: Vec<_> = text(&out.stdout).lines().map(str::to_string).collect();
    lines.sort();
    assert_eq!(lines, ["0:what was said", "1:", "2:"], "{}", text(&out.stderr));

    // The first rank of a host is a child of that host's sshd, which alone gets its exit status.
    for (words, code) in [(["exit", "7", "1"], 7), (["die", "9", "1"], 137)] {
        let mut command = job(3, &words);
        sshd.use_for(&mut command, "localhost,127.0.0.1");
        assert_eq!(finish(command).status.code(), Some(code));
    }
    for victim in 0..4 {
        let mut command = job(4, &["pids"]);
        sshd.use_for(&mut command, "localhost,127.0.0.1");
        let waiting = Waiting::start(command);
        let pid = [waiting.ranks[0], waiting.ranks[3], waiting.wardens[2], waiting.master()][victim];
        assert!(!waiting.ends_after(pid, libc::SIGKILL).status.success());
    }
}

#[test]
fn what_ssh_cannot_do_is_said() {
    let Some(sshd) = Sshd::on_loopback() else { return };
    // A key that the host does not know: ssh would ask for a password.
    let mut command = job(2, &["args"]);
    sshd.use_for(&mut command, "localhost");
    command.env("GASNET_SSH_OPTIONS", sshd.options_without_key());
    let out = finish(command);
    assert_eq!(out.status.code(), Some(1));
    let line = complaint(&out);
    assert!(line.contains("host localhost (ranks 0-1): ssh failed: ") && line.contains("Permission denied"), "{line}");
    // An unknown host name.
    let mut command = job(2, &["args"]);
    sshd.use_for(&mut command, "no-such-host.invalid");
    let out = finish(command);
    let line = complaint(&out);
    assert!(
        line.contains("host no-such-host.invalid (ranks 0-1): ssh failed: ") && line.contains("SSH_SERVERS"),
        "{line}"
    );
    // A directory that is not there.
    let mut command = job(2, &["args"]);
    sshd.use_for(&mut command, "localhost");
    command.env("GASNET_SSH_REMOTE_PATH", "/no/such/dir");
    let out = finish(command);
    assert_eq!(out.status.code(), Some(126));
    let line = complaint(&out);
    assert!(line.contains("/no/such/dir") && line.contains("GASNET_SSH_REMOTE_PATH"), "{line}");
    // A helper that is not there.
    let mut command = job(2, &["args"]);
    sshd.use_for(&mut command, "localhost");
    command.env("GASNET_ENV_CMD", "no-such-env");
    let line = complaint(&finish(command));
    assert!(line.contains("no-such-env") && line.contains("GASNET_ENV_CMD"), "{line}");
    // No ssh.
    let mut command = job(2, &["args"]);
    command.env("GASNET_SSH_SERVERS", "localhost").env("GASNET_SSH_CMD", "/no/ssh");
    assert!(complaint(&finish(command)).contains("GASNET_SSH_CMD"));
}

#[test]
fn hosts_behind_links_run_a_job_and_a_cut_link_ends_it() {
    let Some(hosts) = Hosts::make(3) else { return };
    let mut command = job(6, &["meet"]);
    hosts.use_for(&mut command);
    let out = finish(command);
    succeeded(&out);
    let text_out = text(&out.stdout);
    assert_eq!(text_out.lines().count(), 6, "{text_out}");
    assert!(text_out.contains(&format!("rank 5 of 6 on host 2 {} 4+2", hosts.names()[2])), "{text_out}");

    // An address of this machine at which the hosts do not find it.
    let mut command = job(2, &["meet"]);
    hosts.use_for(&mut command);
    command.env("GASNET_MASTERIP", "127.0.0.1");
    let line = complaint(&finish(command));
    assert!(line.contains("does not reach the master at 127.0.0.1") && line.contains("GASNET_MASTERIP"), "{line}");

    // After a good end, while ranks of that host still work and print.
    let mut command = job(4, &["tail"]);
    hosts.use_these(&mut command, &hosts.names()[..2]);
    command.env("GASNET_UDP_PEER_TIMEOUT", "1").env("GASNET_EXITTIMEOUT_KILL", "30");
    let mut waiting = Waiting::start(command);
    waiting.until("works on");
    hosts.cut(1);
    // Sends no signal.
    let pid = waiting.master();
    let out = waiting.ends_after(pid, 0);
    hosts.mend(1);
    assert_eq!(out.status.code(), Some(1));
    let line = complaint(&out);
    assert!(line.contains(&format!("host {} (ranks 2-3) has been silent for 1 s", hosts.names()[1])), "{line}");

    let mut command = job(4, &["pids"]);
    hosts.use_for(&mut command);
    command.env("GASNET_UDP_PEER_TIMEOUT", "1");
    let waiting = Waiting::start(command);
    hosts.cut(1);
    let pid = waiting.ranks[0];
    // Sends no signal: the cut link ends the job.
    let out = waiting.ends_after(pid, 0);
    assert_eq!(out.status.code(), Some(1));
    let line = text(&out.stderr);
    assert!(line.contains(&format!("host {} ", hosts.names()[1])) && line.contains("silent for 1 s"), "{line}");
}
