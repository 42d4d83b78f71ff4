//! Udp jobs whose hosts are PID namespaces, as containers are: the kernel kills all processes there when the first one ends,
//! and the first process may not reap orphans. Skipped where no such namespace can be made.

#[path = "udp/jobs.rs"]
mod jobs;

use jobs::*;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn namespaces() -> bool {
    let made = clean(Command::new("unshare")).args(["--pid", "--fork", "--mount-proc", "true"]).status();
    let made = made.is_ok_and(|status| status.success());
    if !made {
        eprintln!("skipped: no PID namespaces can be made here");
    }
    made
}

/// A job of `size` ranks, the first process of each of which is `words` and the program.
fn contained(size: u32, words: &str, program: &[&str]) -> Command {
    let mut command = job(size, program);
    command.env("GASNET_MASTERIP", "127.0.0.1").env(
        "GASNET_CSPAWN_CMD",
        format!("exec 3<&0; for i in $(seq %N); do unshare --pid --fork --mount-proc {words} %C <&3 & done; wait"),
    );
    command
}

#[test]
fn nothing_is_lost_with_the_first_process_of_a_namespace() {
    if !namespaces() {
        return;
    }
    // The program itself, and a child of a shell in place of the container's init.
    for words in ["", "sh -c \'\"$@\"; exit $?\' sh"] {
        for (how, code) in [("return", 0), ("0", 0), ("3", 3)] {
            for _ in 0..4 {
                let out = finish(contained(2, words, &["leave", how]));
                assert_eq!(out.status.code(), Some(code), "{how}: {}", text(&out.stderr));
                assert!(out.stderr.is_empty(), "{how}: {}", text(&out.stderr));
                assert_eq!(text(&out.stdout).lines().count(), 2, "{how}: {}", text(&out.stdout));
            }
        }
        for (how, what, code) in [("9", "SIGKILL", 137), ("0", "_exit(9)", 9), ("6", "SIGABRT", 134)] {
            let out = finish(contained(2, words, &["die", how, "1"]));
            assert_eq!(out.status.code(), Some(code), "{}", text(&out.stderr));
            // The shell may print a line of its own.
            let said = text(&out.stderr);
            let lines: Vec<_> = said.lines().filter(|line| line.starts_with("*** ")).collect();
            assert!(lines.len() == 1 && lines[0].contains(what), "{said}");
        }
    }
}

#[test]
fn containers_count_the_ranks_of_others_that_use_their_processors() {
    if !namespaces() {
        return;
    }
    let besides = |words: &str| {
        let out = finish(contained(2, words, &["beside"]));
        assert!(out.status.success(), "{}", text(&out.stderr));
        let mut lines: Vec<String> = text(&out.stdout).lines().map(str::to_string).collect();
        lines.sort();
        lines
    };
    assert_eq!(besides(""), ["rank 0 has 1 beside", "rank 1 has 1 beside"]);
    if std::thread::available_parallelism().is_ok_and(|cores| cores.get() > 1) {
        assert_eq!(besides("taskset -c $((i - 1))"), ["rank 0 has 0 beside", "rank 1 has 0 beside"]);
    }
}

/// A namespace whose first process reaps no orphans.
struct Careless {
    unshare: Child,
    first: i32,
}

impl Careless {
    fn make() -> Careless {
        let mut command = Command::new("unshare");
        command
            .args(["--pid", "--fork", "--kill-child", "--mount-proc", "sleep", "300"])
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let unshare = command.spawn().unwrap();
        let started = Instant::now();
        let first = loop {
            let child = processes().into_iter().find(|&(_, parent, _)| parent == unshare.id() as i32);
            match child
                .filter(|&(pid, ..)| std::fs::read(format!("/proc/{pid}/cmdline")).unwrap().starts_with(b"sleep"))
            {
                Some((pid, ..)) => break pid,
                None => assert!(started.elapsed() < LIMIT, "no namespace"),
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        Careless { unshare, first }
    }

    fn zombies(&self) -> usize {
        processes().into_iter().filter(|&(_, parent, state)| parent == self.first && state == 'Z').count()
    }
}

impl Drop for Careless {
    fn drop(&mut self) {
        kill(self.first, libc::SIGKILL);
        let _ = self.unshare.wait();
    }
}

#[test]
fn a_job_leaves_no_zombies() {
    if !namespaces() {
        return;
    }
    let careless = Careless::make();
    for (words, code) in
        [(&["leave", "return"][..], 0), (&["leave", "3"], 3), (&["die", "9", "0"], 137), (&["die", "6", "1"], 134)]
    {
        let mut command = Command::new("nsenter");
        command.args(["-t", &careless.first.to_string(), "-p", "-m"]).arg(probe()).arg("4").args(words);
        let mut command = clean(command);
        command.env("GASNET_UDP_LOCAL_HOSTS", "2");
        let out = finish(command);
        assert_eq!(out.status.code(), Some(code), "{}", text(&out.stderr));
    }
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(careless.zombies(), 0);
}
