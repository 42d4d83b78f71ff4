//! The end of a process that uses the library after an error. Each test starts itself again as the process that dies.

use std::os::fd::OwnedFd;
use std::os::unix::net::UnixDatagram;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::time::Duration;

const SIGABRT: i32 = 6;

/// Runs the ignored test `name` alone. Returns its output to stderr, one item for each write(2), and the signal it died of.
fn dies(name: &str, environment: &[(&str, &str)]) -> (Vec<String>, Option<i32>) {
    let (ours, theirs) = UnixDatagram::pair().unwrap();
    ours.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", name, "--ignored", "--nocapture"]).envs(environment.iter().copied());
    let mut child = command.stdout(Stdio::null()).stderr(OwnedFd::from(theirs)).spawn().unwrap();
    // Closes our copy of the child's stderr, which `command` holds.
    drop(command);
    let signal = child.wait().unwrap().signal();
    let mut writes = Vec::new();
    let mut buffer = [0; 65536];
    while let Ok(len @ 1..) = ours.recv(&mut buffer) {
        writes.push(String::from_utf8_lossy(&buffer[..len]).into_owned());
    }
    (writes, signal)
}

#[test]
#[ignore = "the process that dies"]
fn child_raises() {
    gasnet::internal::fatal::set_rank(3);
    gasnet::internal::fatal::raise(format_args!("the cause, {} of it", 2));
}

#[test]
fn a_fatal_error_is_one_line_in_one_write() {
    let (writes, signal) = dies("child_raises", &[]);
    assert_eq!(writes, ["*** FATAL ERROR (proc 3): the cause, 2 of it\n"]);
    assert_eq!(signal, Some(SIGABRT));
}

#[test]
#[ignore = "the process that dies"]
fn child_panics() {
    gasnet::internal::fatal::install_panic_hook();
    let nothing: Option<i32> = std::hint::black_box(None);
    nothing.expect("something");
}

#[test]
fn a_panic_reads_like_every_other_error() {
    let (writes, signal) = dies("child_panics", &[]);
    assert_eq!(writes.len(), 1, "{writes:?}");
    assert!(writes[0].starts_with("*** FATAL ERROR: internal error: something (tests/errors.rs:"), "{writes:?}");
    assert_eq!(signal, Some(SIGABRT));
}

#[test]
#[ignore = "the process that dies"]
fn child_raises_while_it_dies() {
    gasnet::internal::fatal::set_job_ender(|code| gasnet::internal::fatal::raise(format_args!("again, with {code}")));
    gasnet::internal::fatal::raise(format_args!("first"));
}

#[test]
fn an_error_while_dying_of_one_ends_at_once() {
    let (writes, signal) = dies("child_raises_while_it_dies", &[]);
    assert_eq!(writes, ["*** FATAL ERROR: first\n", "*** FATAL ERROR: again, with 134\n"]);
    assert_eq!(signal, Some(SIGABRT));
}

#[test]
#[ignore = "the process that dies"]
fn child_raises_on_many_threads() {
    let threads: Vec<_> =
        (0..8).map(|i| std::thread::spawn(move || gasnet::internal::fatal::raise(format_args!("from {i}")))).collect();
    for thread in threads {
        let _ = thread.join();
    }
}

#[test]
fn errors_of_many_threads_do_not_mix() {
    let (writes, signal) = dies("child_raises_on_many_threads", &[]);
    assert!(!writes.is_empty());
    for line in &writes {
        assert!(
            line.starts_with("*** FATAL ERROR: from ") && line.ends_with('\n') && line.lines().count() == 1,
            "{line}"
        );
    }
    assert_eq!(signal, Some(SIGABRT));
}

#[test]
#[ignore = "the process that dies"]
fn child_checks_its_environment() {
    gasnet::internal::env::check_unknown();
    std::process::abort();
}

#[test]
fn a_bad_value_is_fatal_and_named_once() {
    let (writes, _) = dies("child_checks_its_environment", &[("GASNET_BACKTRACE", "perhaps")]);
    assert_eq!(
        writes,
        ["*** FATAL ERROR: environment variable GASNET_BACKTRACE='perhaps': must be YES, Y, 1, NO, N or 0\n"]
    );
}

#[test]
fn an_unknown_name_is_one_warning_and_quiet_silences_it() {
    let unknown = ("GASNET_PSHM_NODE", "2");
    let (writes, _) = dies("child_checks_its_environment", &[unknown]);
    assert_eq!(
        writes,
        ["*** WARNING: unknown environment variable GASNET_PSHM_NODE: did you mean GASNET_PSHM_NODES?\n"]
    );
    let (writes, _) = dies("child_checks_its_environment", &[unknown, ("GASNET_QUIET", "y")]);
    assert!(writes.is_empty(), "{writes:?}");
}

#[test]
#[ignore = "the process that dies"]
fn child_looks_up_twice() {
    for _ in 0..2 {
        gasnet::internal::env::any_int("CAPI_UNSET", 2048, 1);
        gasnet::internal::env::yes("GASNET_FS_SYNC");
    }
    gasnet::internal::fatal::set_rank(1);
    gasnet::internal::env::yes("GASNET_CATCH_EXIT");
    std::process::abort();
}

#[test]
fn a_look_up_is_reported_once_and_on_rank_0_only() {
    let (writes, _) = dies("child_looks_up_twice", &[("GASNET_VERBOSEENV", "1"), ("GASNET_FS_SYNC", "yes")]);
    assert_eq!(writes, ["ENV parameter: CAPI_UNSET = 2 KB   (default)\n", "ENV parameter: GASNET_FS_SYNC = YES\n"]);
}
