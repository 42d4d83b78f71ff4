//! Common parts of tests of udp jobs: the probe, starting and watching jobs, and checks of their results.

// Not every test uses all of it.
#![allow(dead_code)]
// A test's own settings.
#![allow(clippy::disallowed_methods)]

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Long enough for a machine that is busy, or was stopped for a while.
pub const LIMIT: Duration = Duration::from_secs(90);

/// How long all tests of a program may take together: several times as long as they need.
const LIMIT_OF_ALL: Duration = Duration::from_secs(600);

/// Ends this program with its jobs, and names their processes, when a test hangs, as in a read from a process that says nothing.
fn watch() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        std::thread::spawn(|| {
            std::thread::sleep(LIMIT_OF_ALL);
            eprintln!("watchdog: the tests of this program have not ended in {} s; processes:", LIMIT_OF_ALL.as_secs());
            let all = processes();
            let mut ours = vec![std::process::id() as i32];
            let mut at = 0;
            while at < ours.len() {
                let of = ours[at];
                ours.extend(all.iter().filter(|(_, parent, _)| *parent == of).map(|(pid, ..)| pid));
                at += 1;
            }
            for (pid, parent, state) in all.iter().filter(|(pid, ..)| ours.contains(pid)) {
                let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
                let words = text(&line).replace('\0', " ");
                eprintln!("  {pid}, child of {parent}, state {state}: {}", words.chars().take(200).collect::<String>());
            }
            for &pid in &ours[1..] {
                // SAFETY: integers; a process of a job of these tests, or none any more.
                unsafe { libc::kill(pid, libc::SIGKILL) };
            }
            std::process::abort();
        });
    });
}

/// The program that the ranks run. Cargo builds examples for a run of all tests, but not for one of this file alone.
pub fn probe() -> PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    let build = || {
        let profile_dir = PathBuf::from(env!("CARGO_BIN_EXE_gasnetrun")).with_file_name("");
        let mut target_dir = profile_dir.parent().unwrap();
        // Builds for another machine have a directory of their own there.
        if gasnet::internal::env::raw("CARGO_BUILD_TARGET").is_some_and(|target| target_dir.ends_with(target)) {
            target_dir = target_dir.parent().unwrap();
        }
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--quiet", "--locked", "--example", "udp_probe", "--target-dir"]);
        cargo.arg(target_dir).current_dir(env!("CARGO_MANIFEST_DIR"));
        if !cfg!(debug_assertions) {
            cargo.arg("--release");
        }
        assert!(cargo.status().unwrap().success());
        profile_dir.join("examples").join("udp_probe")
    };
    BUILT.get_or_init(build).clone()
}

/// A command without any of the user's settings.
pub fn clean(mut command: Command) -> Command {
    watch();
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("GASNET_") {
            command.env_remove(name);
        }
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// gasnetrun_udp with `words`.
pub fn launcher(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gasnetrun"));
    command.arg0("gasnetrun_udp").args(words);
    clean(command)
}

/// The probe as `size` ranks.
pub fn job(size: u32, words: &[&str]) -> Command {
    let mut command = launcher(&["-n", &size.to_string()]);
    command.arg(probe()).args(words);
    command
}

/// Runs a command to its end, which must come by itself.
pub fn finish(mut command: Command) -> Output {
    let child = command.spawn().unwrap();
    finish_child(child)
}

pub fn finish_child(mut child: Child) -> Output {
    let (out, err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let read = |mut file: Box<dyn Read + Send>| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).unwrap();
            bytes
        })
    };
    let (out, err) = (read(Box::new(out)), read(Box::new(err)));
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if started.elapsed() > LIMIT {
            child.kill().unwrap();
            panic!("the job does not end by itself");
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    Output { status, stdout: out.join().unwrap(), stderr: judged(&err.join().unwrap()) }
}

/// Lines of stderr without those that an emulator causes, which contain one of the texts `RUNNER_SAYS`, separated by `|`.
pub fn judged(stderr: &[u8]) -> Vec<u8> {
    let Ok(texts) = std::env::var("RUNNER_SAYS") else { return stderr.to_vec() };
    let judged = |line: &&[u8]| !texts.split('|').any(|text| String::from_utf8_lossy(line).contains(text));
    stderr.split_inclusive(|&byte| byte == b'\n').filter(judged).flatten().copied().collect()
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The lines, sorted: those of different ranks arrive in any order.
pub fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<_> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
    lines.sort();
    lines
}

/// The only line on stderr.
pub fn complaint(out: &Output) -> String {
    let text = text(&out.stderr);
    assert_eq!(text.lines().count(), 1, "{text}");
    text
}

pub fn succeeded(out: &Output) {
    assert!(out.status.success() && out.stderr.is_empty(), "{}: {}", out.status, text(&out.stderr));
}

/// A job of four ranks that prints its processes and waits.
pub struct Waiting {
    pub child: Child,
    pub ranks: Vec<i32>,
    pub wardens: Vec<i32>,
    rest: BufReader<std::process::ChildStdout>,
}

impl Waiting {
    pub fn start(mut command: Command) -> Waiting {
        let mut child = command.spawn().unwrap();
        let mut rest = BufReader::new(child.stdout.take().unwrap());
        let mut found = Vec::new();
        while found.len() < 4 {
            let mut line = String::new();
            assert_ne!(rest.read_line(&mut line).unwrap(), 0, "the job ended");
            let words: Vec<_> = line.split_whitespace().collect();
            if words.get(2) != Some(&"pid") {
                continue;
            }
            let number = |at: usize| words[at].parse::<i32>().unwrap();
            found.push((number(1), number(3), number(5)));
        }
        found.sort();
        Waiting {
            child,
            ranks: found.iter().map(|entry| entry.1).collect(),
            wardens: found.iter().map(|entry| entry.2).collect(),
            rest,
        }
    }

    /// Returns when the job has printed a line with this in it.
    pub fn until(&mut self, part: &str) {
        let mut line = String::new();
        while !line.contains(part) {
            line.clear();
            assert_ne!(self.rest.read_line(&mut line).unwrap(), 0, "the job ended");
        }
    }

    /// Closes the job's stdout.
    pub fn stop_reading(self) -> Child {
        self.child
    }

    pub fn master(&self) -> i32 {
        self.child.id() as i32
    }

    /// Sends a signal and returns the job's output; checks that none of its processes is left.
    pub fn ends_after(mut self, pid: i32, signal: i32) -> Output {
        kill(pid, signal);
        self.child.stdout = None;
        let mut out = Vec::new();
        let mut err = Vec::new();
        let reader = std::thread::spawn(move || self.rest.read_to_end(&mut out).map(|_| out));
        let started = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(started.elapsed() < LIMIT, "the job does not end by itself");
            std::thread::sleep(Duration::from_millis(2));
        };
        self.child.stderr.take().unwrap().read_to_end(&mut err).unwrap();
        for &pid in self.ranks.iter().chain(&self.wardens) {
            while runs(pid) {
                assert!(started.elapsed() < LIMIT, "{pid} is left");
                std::thread::sleep(Duration::from_millis(2));
            }
        }
        Output { status, stdout: reader.join().unwrap().unwrap(), stderr: judged(&err) }
    }
}

pub fn kill(pid: i32, signal: i32) {
    assert!(pid > 1);
    // SAFETY: integers; a process that this test started.
    assert_eq!(unsafe { libc::kill(pid, signal) }, 0);
}

/// Processes: number, parent, and state as one letter.
pub fn processes() -> Vec<(i32, i32, char)> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let stat = |name: String| {
        let stat = std::fs::read_to_string(format!("/proc/{name}/stat")).ok()?;
        let mut fields = stat.rsplit(") ").next()?.split(' ');
        let state = fields.next()?.chars().next()?;
        Some((name.parse().ok()?, fields.next()?.parse().ok()?, state))
    };
    entries.filter_map(|entry| stat(entry.file_name().into_string().ok()?)).collect()
}

/// Whether there is a process, other than a zombie.
pub fn runs(pid: i32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| !stat.rsplit(") ").next().unwrap_or_default().starts_with('Z'))
}
