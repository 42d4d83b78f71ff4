//! Launchers that fall silent, talk nonsense, lose values or die half-way, as a server of PMI-1 and PMI-2 in this test does: each job
//! ends by itself with a line that names the fault. Real launchers are in `launchers.rs`.

#![allow(clippy::disallowed_methods)]

#[path = "udp/jobs.rs"]
mod jobs;

use jobs::*;
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Barrier, Mutex};

/// A launcher's fault.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Fault {
    None,
    /// It answers nothing.
    Silence,
    /// Its first answer.
    Says(&'static str),
    /// A line, or message, without an end.
    Endless,
    /// It ends after the first answer.
    Dies,
    /// It ends when all ranks are in a fence.
    DiesInFence,
    /// A fence that never ends.
    Holds,
    /// Values come back without their second half.
    Cuts,
    /// A character of each value is another one.
    Garbles,
}

struct Shared {
    job: String,
    values: Mutex<HashMap<String, String>>,
    fence: Barrier,
}

/// One rank's connection, as the launcher sees it.
struct Served {
    fault: Fault,
    shared: Arc<Shared>,
    stream: UnixStream,
}

fn field<'a>(line: &'a str, name: &str, separator: char) -> &'a str {
    line.split(separator).find_map(|field| field.strip_prefix(name)?.strip_prefix('=')).unwrap_or_default()
}

impl Served {
    fn say(&mut self, text: &str) -> bool {
        self.stream.write_all(text.as_bytes()).is_ok()
    }

    fn value(&self, key: &str) -> Option<String> {
        if key == "PMI_process_mapping" {
            return Some("(vector,(0,1,2))".to_string());
        }
        let mut value = self.shared.values.lock().unwrap().get(key)?.clone();
        match self.fault {
            Fault::Cuts => value.truncate(value.len() / 2),
            Fault::Garbles => {
                let at = value.len() * 2 / 3;
                let other = if value.as_bytes()[at] == b'A' { "B" } else { "A" };
                value.replace_range(at..at + 1, other);
            }
            _ => {}
        }
        Some(value)
    }

    /// False: the connection is to be closed.
    fn fence(&self) -> bool {
        self.shared.fence.wait();
        self.fault != Fault::DiesInFence
    }

    /// The first answer, or instead of it the fault; false: it was the last one.
    fn greet(&mut self, answer: &str) -> bool {
        match self.fault {
            Fault::Silence => {
                // Until the rank has ended.
                let _ = self.stream.read(&mut [0]);
                false
            }
            Fault::Says(text) => self.say(text),
            Fault::Endless => {
                let block = "9".repeat(1 << 16);
                while self.say(&block) {}
                false
            }
            Fault::Dies => {
                self.say(answer);
                false
            }
            _ => self.say(answer),
        }
    }

    fn serve_pmi1(mut self) {
        let mut lines = BufReader::new(self.stream.try_clone().unwrap());
        let mut line = String::new();
        while {
            line.clear();
            lines.read_line(&mut line)
        }
        .is_ok_and(|got| got > 0)
        {
            let of = |name| field(line.trim_end(), name, ' ');
            let goes_on = match of("cmd") {
                "init" => self.greet("cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n"),
                "get_maxes" => self.say("cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024\n"),
                "get_my_kvsname" => self.say(&format!("cmd=my_kvsname kvsname={}\n", self.shared.job)),
                "put" => {
                    self.shared.values.lock().unwrap().insert(of("key").to_string(), of("value").to_string());
                    self.say("cmd=put_result rc=0 msg=success\n")
                }
                "get" => match self.value(of("key")) {
                    Some(value) => {
                        // As hydra 4.2, which ends the job at an answer of more bytes than it announces for a value.
                        let answer = format!("cmd=get_result rc=0 value={value} found=TRUE\n");
                        answer.len() <= 1024 && self.say(&answer)
                    }
                    None => self.say("cmd=get_result rc=-1 msg=key_not_found value=unknown\n"),
                },
                "barrier_in" if self.fault == Fault::Holds => true,
                "barrier_in" => self.fence() && self.say("cmd=barrier_out rc=0\n"),
                "finalize" => self.say("cmd=finalize_ack rc=0\n"),
                _ => false,
            };
            if !goes_on {
                return;
            }
        }
    }

    fn message(&mut self) -> Option<String> {
        let mut length = [0; 6];
        self.stream.read_exact(&mut length).ok()?;
        let mut message = vec![0; std::str::from_utf8(&length).unwrap().trim().parse().unwrap()];
        self.stream.read_exact(&mut message).ok()?;
        String::from_utf8(message).ok()
    }

    /// As hydra 4.2, which ends the job at a message of more than 1024 bytes.
    fn answer(&mut self, body: &str) -> bool {
        body.len() <= 1018 && self.say(&format!("{:6}{body}", body.len()))
    }

    fn serve_pmi2(mut self) {
        let mut first = BufReader::with_capacity(1, self.stream.try_clone().unwrap());
        if first.read_line(&mut String::new()).is_err()
            || !self.say("cmd=response_to_init pmi_version=2 pmi_subversion=0 rc=0\n")
        {
            return;
        }
        while let Some(message) = self.message() {
            // As hydra 4.2, which parses no field without a value.
            if message.contains("=;") {
                return;
            }
            let of = |name| field(&message, name, ';');
            let goes_on = match of("cmd") {
                "fullinit" => {
                    let body =
                        format!("cmd=fullinit-response;rank={};size=2;appnum=0;debugged=FALSE;rc=0;", of("pmirank"));
                    self.greet(&format!("{:6}{body}", body.len()))
                }
                "job-getid" => {
                    let name = self.shared.job.clone();
                    self.answer(&format!("cmd=job-getid-response;jobid={name};rc=0;"))
                }
                "info-getjobattr" => self.answer("cmd=info-getjobattr-response;found=FALSE;rc=0;"),
                "kvs-put" => {
                    self.shared.values.lock().unwrap().insert(of("key").to_string(), of("value").to_string());
                    self.answer("cmd=kvs-put-response;rc=0;")
                }
                "kvs-get" => match self.value(of("key")) {
                    Some(value) => self.answer(&format!("cmd=kvs-get-response;found=TRUE;value={value};rc=0;")),
                    // As hydra 4.2.
                    None => self.answer("cmd=kvs-get-response;rc=1;"),
                },
                "kvs-fence" if self.fault == Fault::Holds => true,
                "kvs-fence" => self.fence() && self.answer("cmd=kvs-fence-response;rc=0;"),
                "finalize" => self.answer("cmd=finalize-response;rc=0;"),
                _ => false,
            };
            if !goes_on {
                return;
            }
        }
    }
}

/// Rank `rank` of two, with its connection at PMI_FD.
fn rank(rank: u32, version: u32, socket: &UnixStream, file: &Path, limit: &str) -> Child {
    let mut command = Command::new(probe());
    command.args(["contract", file.to_str().unwrap()]);
    let mut command = clean(command);
    let fd = socket.as_raw_fd();
    command.env("PROBE_LAUNCHER", "1").env("GASNET_SPAWN_TIMEOUT", limit).env("PMI_FD", fd.to_string());
    command.env("PMI_RANK", rank.to_string()).env("PMI_SIZE", "2").env("PMI_VERSION", version.to_string());
    // SAFETY: one system call, on a descriptor that the caller holds open.
    unsafe {
        command.pre_exec(move || {
            if libc::fcntl(fd, libc::F_SETFD, 0) == 0 { Ok(()) } else { Err(std::io::Error::last_os_error()) }
        })
    };
    command.spawn().unwrap()
}

/// The output of two ranks whose launcher has the fault, by rank.
fn job(version: u32, fault: Fault) -> [std::process::Output; 2] {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let name = format!("faults.{}.{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let shared = Arc::new(Shared { job: name.clone(), values: Mutex::default(), fence: Barrier::new(2) });
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, []).unwrap();
    let started = [0, 1].map(|number| {
        let (ours, theirs) = UnixStream::pair().unwrap();
        // Where nothing ends the wait but its limit.
        let limit = if matches!(fault, Fault::Silence | Fault::Holds) { "1" } else { "60" };
        let child = rank(number, version, &theirs, &file, limit);
        let served = Served { fault, shared: shared.clone(), stream: ours };
        let serve = if version == 1 { Served::serve_pmi1 } else { Served::serve_pmi2 };
        (child, std::thread::spawn(move || serve(served)))
    });
    let outs = started.map(|(child, _)| finish_child(child));
    std::fs::remove_file(file).unwrap();
    outs
}

/// Jobs of both versions end with a line of each rank that says `part`, or at least one rank's if the other is told by it.
fn ends_with(fault: Fault, part: &str) {
    for version in [1, 2] {
        let outs = job(version, fault);
        let said = outs.each_ref().map(|out| text(&out.stderr));
        let lines: Vec<&str> = said.iter().flat_map(|said| said.lines()).collect();
        assert!(outs.iter().all(|out| !out.status.success()), "{fault:?}: {said:?}");
        assert!(said.iter().all(|said| said.lines().count() <= 1), "{fault:?}, PMI-{version}: {said:?}");
        assert!(
            !lines.is_empty() && lines.iter().all(|line| line.contains(part)),
            "{fault:?}, PMI-{version}: {said:?}"
        );
    }
}

#[test]
fn a_launcher_without_fault_starts_the_job() {
    for version in [1, 2] {
        let outs = job(version, Fault::None);
        assert!(outs.iter().all(|out| out.status.success()), "PMI-{version}: {:?}", outs.map(|out| text(&out.stderr)));
    }
}

#[test]
fn a_launcher_that_does_not_answer_is_not_waited_for_without_a_limit() {
    ends_with(Fault::Silence, "no answer within 1 s (GASNET_SPAWN_TIMEOUT)");
    ends_with(Fault::Holds, "not every rank has come to the exchange within 1 s (GASNET_SPAWN_TIMEOUT)");
}

#[test]
fn each_of_two_jobs_that_end_at_once_says_why() {
    for version in [1, 2] {
        let both = [(); 2].map(|()| std::thread::spawn(move || job(version, Fault::Holds)));
        for outs in both.map(|thread| thread.join().unwrap()) {
            let said: String = outs.iter().map(|out| text(&out.stderr)).collect();
            assert!(said.contains("not every rank has come to the exchange"), "PMI-{version}: {said:?}");
        }
    }
}

#[test]
fn nonsense_of_a_launcher_is_shown() {
    // PMI-1 shows the line; a message of PMI-2 begins with its length.
    for text in ["hello\n", "\u{1}\u{2}\n123456789", "cmd=response_to_init pmi_version=3 rc=0\n"] {
        ends_with(Fault::Says(text), "it ");
    }
    ends_with(Fault::Endless, "message without an end");
}

#[test]
fn a_launcher_that_dies_during_the_start_ends_the_job() {
    ends_with(Fault::Dies, "the connection is closed, as its other end has ended");
    ends_with(Fault::DiesInFence, "the connection is closed, as its other end has ended");
}

#[test]
fn values_that_come_back_damaged_are_not_believed() {
    ends_with(Fault::Cuts, "truncated or corrupt");
    ends_with(Fault::Garbles, "truncated or corrupt");
}
