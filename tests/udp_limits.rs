//! Tests of the start of udp jobs if the process that starts them has a low limit on open files.

#[path = "udp/jobs.rs"]
mod jobs;

use jobs::*;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

const FEW: u64 = 40;

/// Makes `command` start with these limits on open files.
fn with_files(mut command: Command, soft: u64, hard: u64) -> Command {
    let limit = libc::rlimit { rlim_cur: soft, rlim_max: hard };
    // SAFETY: a struct that lives here.
    let set = move || match unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &limit) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    };
    // SAFETY: one system call.
    unsafe { command.pre_exec(set) };
    command
}

/// A command that starts one process for each rank on this machine.
const EACH: &str = "exec 3<&0; for i in $(seq %N); do %C <&3 & done; wait";

/// The probe as `size` ranks, one a host, by a script in place of ssh, which creates a file when it runs.
fn job_by_ssh(size: u32, words: &[&str], name: &str) -> (Command, PathBuf) {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (script, trace) = (dir.join(format!("{name}_ssh")), dir.join(format!("{name}_ran")));
    let _ = std::fs::remove_file(&trace);
    std::fs::write(&script, format!(": >'{}'\nexec /bin/sh -c \"$2\"\n", trace.display())).unwrap();
    // The program says what limit it has got, if that is not the one that the job was started with.
    let show = format!(r#"[ "$(ulimit -Sn)" = {FEW} ] || echo "limit $(ulimit -Sn)"; exec "$0" "$@""#);
    let mut command = launcher(&["-n", &size.to_string(), "sh", "-c", &show]);
    let hosts: Vec<_> = (0..size).map(|nth| format!("host{nth}")).collect();
    command.arg(probe()).args(words).env("GASNET_SSH_SERVERS", hosts.join(",")).env("GASNET_MASTERIP", "127.0.0.1");
    command.env("GASNET_SSH_CMD", format!("sh '{}'", script.display()));
    (command, trace)
}

#[test]
fn a_job_of_many_hosts_starts_under_a_low_soft_limit_and_the_program_gets_that_limit() {
    let (command, _) = job_by_ssh(16, &["code", "3"], "soft");
    let out = finish(with_files(command, FEW, 4096));
    assert_eq!(out.status.code(), Some(3), "{}", text(&out.stderr));
    assert!(out.stderr.is_empty() && out.stdout.is_empty(), "{} {}", text(&out.stderr), text(&out.stdout));
}

#[test]
fn a_job_of_many_processes_of_a_command_starts_under_a_low_soft_limit() {
    let mut command = job(40, &["code", "3"]);
    command.env("GASNET_CSPAWN_CMD", EACH).env("GASNET_MASTERIP", "127.0.0.1");
    let out = finish(with_files(command, FEW, 4096));
    assert_eq!(out.status.code(), Some(3), "{}", text(&out.stderr));
    assert!(out.stderr.is_empty(), "{}", text(&out.stderr));
}

#[test]
fn a_hard_limit_that_is_too_low_is_said_before_anything_starts() {
    let (command, trace) = job_by_ssh(16, &["code", "3"], "hard");
    let out = finish(with_files(command, FEW, FEW));
    assert_eq!(out.status.code(), Some(1));
    let line = complaint(&out);
    assert!(line.contains("16 hosts by ssh need ") && line.contains("may have 40 (ulimit -n"), "{line}");
    assert!(!trace.exists());
    let mut command = job(40, &["code", "3"]);
    command.env("GASNET_CSPAWN_CMD", EACH).env("GASNET_MASTERIP", "127.0.0.1");
    let line = complaint(&finish(with_files(command, FEW, FEW)));
    assert!(line.contains("40 processes by GASNET_CSPAWN_CMD need ") && line.contains("(ulimit -n"), "{line}");
    // Few hosts need few files.
    let out = finish(with_files(job(2, &["code", "0"]), FEW, 200));
    succeeded(&out);
}

#[test]
fn a_connection_that_cannot_be_taken_for_want_of_files_is_said() {
    let mut command = job(4, &["code", "0"]);
    command.env("GASNET_CSPAWN_CMD", format!("sleep 1; {EACH}")).env("GASNET_MASTERIP", "127.0.0.1");
    let child = command.spawn().unwrap();
    std::thread::sleep(Duration::from_millis(500));
    let limit = libc::rlimit { rlim_cur: 4, rlim_max: 4 };
    // SAFETY: a struct that lives here, and a process that this test started.
    let set = unsafe { libc::prlimit(child.id() as i32, libc::RLIMIT_NOFILE, &limit, std::ptr::null_mut()) };
    assert_eq!(set, 0);
    let out = finish_child(child);
    assert_eq!(out.status.code(), Some(1));
    let line = complaint(&out);
    assert!(line.contains("accept: Too many open files") && line.contains("(ulimit -n)"), "{line}");
}
