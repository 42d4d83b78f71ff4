//! How udp jobs start, live and end, with real processes: on this machine, by a command, by an sshd of the test's own,
//! and on several hosts made of network namespaces. What this machine does not permit is skipped with a message.

#[path = "udp/hosts.rs"]
mod hosts;

use hosts::{Hosts, Sshd};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Long enough for a machine that is busy, or was stopped for a while.
const LIMIT: Duration = Duration::from_secs(90);

/// The program that the ranks run. Cargo builds examples for a run of all tests, but not for one of this file alone.
fn probe() -> PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    let build = || {
        let profile_dir = PathBuf::from(env!("CARGO_BIN_EXE_gasnetrun")).with_file_name("");
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--quiet", "--locked", "--example", "udp_probe", "--target-dir"]);
        cargo.arg(profile_dir.parent().unwrap()).current_dir(env!("CARGO_MANIFEST_DIR"));
        if !cfg!(debug_assertions) {
            cargo.arg("--release");
        }
        assert!(cargo.status().unwrap().success());
        profile_dir.join("examples").join("udp_probe")
    };
    BUILT.get_or_init(build).clone()
}

/// A command without any of the user's settings.
fn clean(mut command: Command) -> Command {
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("GASNET_") {
            command.env_remove(name);
        }
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// gasnetrun_udp with `words`.
fn launcher(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gasnetrun"));
    command.arg0("gasnetrun_udp").args(words);
    clean(command)
}

/// The probe as `size` ranks.
fn job(size: u32, words: &[&str]) -> Command {
    let mut command = launcher(&["-n", &size.to_string()]);
    command.arg(probe()).args(words);
    command
}

/// Runs a command to its end, which must come by itself.
fn finish(mut command: Command) -> Output {
    let child = command.spawn().unwrap();
    finish_child(child)
}

fn finish_child(mut child: Child) -> Output {
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
    Output { status, stdout: out.join().unwrap(), stderr: err.join().unwrap() }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The only line on stderr.
fn complaint(out: &Output) -> String {
    let text = text(&out.stderr);
    assert_eq!(text.lines().count(), 1, "{text}");
    text
}

fn succeeded(out: &Output) {
    assert!(out.status.success() && out.stderr.is_empty(), "{}: {}", out.status, text(&out.stderr));
}

/// A job of four ranks that prints its processes and waits.
struct Waiting {
    child: Child,
    ranks: Vec<i32>,
    wardens: Vec<i32>,
    rest: BufReader<std::process::ChildStdout>,
}

impl Waiting {
    fn start(mut command: Command) -> Waiting {
        let mut child = command.spawn().unwrap();
        let mut rest = BufReader::new(child.stdout.take().unwrap());
        let mut found = Vec::new();
        while found.len() < 4 {
            let mut line = String::new();
            assert_ne!(rest.read_line(&mut line).unwrap(), 0, "the job ended");
            let words: Vec<_> = line.split_whitespace().collect();
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

    fn master(&self) -> i32 {
        self.child.id() as i32
    }

    /// Sends a signal and gives the job's end, after which none of its processes is left.
    fn ends_after(mut self, pid: i32, signal: i32) -> Output {
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
        Output { status, stdout: reader.join().unwrap().unwrap(), stderr: err }
    }
}

fn kill(pid: i32, signal: i32) {
    assert!(pid > 1);
    // SAFETY: integers; a process that this test started.
    assert_eq!(unsafe { libc::kill(pid, signal) }, 0);
}

/// Whether there is a process, other than a zombie.
fn runs(pid: i32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| !stat.rsplit(") ").next().unwrap_or_default().starts_with('Z'))
}

#[test]
fn ranks_of_a_job_share_a_secret_and_know_each_others_addresses() {
    for (hosts, size) in [("1", 1), ("1", 4), ("3", 7)] {
        let mut command = job(size, &["meet"]);
        command.env("GASNET_UDP_LOCAL_HOSTS", hosts);
        let out = finish(command);
        succeeded(&out);
        let text = text(&out.stdout);
        for rank in 0..size {
            assert!(text.contains(&format!("rank {rank} of {size} ")), "{text}");
        }
        assert_eq!(text.lines().count(), size as usize);
    }
}

#[test]
fn a_program_starts_its_own_job_and_loses_only_the_count() {
    let mut command = Command::new(probe());
    command.args(["2", "args", "3", "two words", ""]);
    let out = finish(clean(command));
    succeeded(&out);
    assert_eq!(text(&out.stdout), "args|3|two words||\n".repeat(2));
}

#[test]
fn a_missing_or_bad_count_prints_usage() {
    for words in [&[][..], &["0"], &["-1"], &["abc"], &["1e9"], &["1000000000"], &["2x"]] {
        let mut command = Command::new(probe());
        command.args(words);
        let out = finish(clean(command));
        assert_eq!(out.status.code(), Some(1));
        assert!(complaint(&out).contains("usage: "), "{words:?}");
    }
    for count in ["0", "-1", "abc", "1000000000", "5000"] {
        let out = finish(launcher(&["-n", count, "true"]));
        assert_eq!(out.status.code(), Some(1), "{count}");
        complaint(&out);
    }
}

#[test]
fn arguments_environment_and_directory_carry_over_byte_by_byte() {
    let odd: Vec<u8> = (1..=255).collect();
    let mut command = job(1, &["args"]);
    command.arg(std::ffi::OsString::from_vec(odd.clone()));
    let out = finish(command);
    succeeded(&out);
    assert_eq!(out.stdout, [b"args|", &odd[..], b"|\n"].concat());
    let mut command = job(2, &["env", "ODD_VALUE"]);
    command.env("ODD_VALUE", std::ffi::OsString::from_vec(odd.clone())).current_dir("/proc");
    let out = finish(command);
    assert_eq!(out.stdout, [&odd[..], b"|/proc|\n"].concat().repeat(2));
}

#[test]
fn rank_0_alone_has_the_stdin() {
    let mut command = job(3, &["stdin"]);
    command.env("GASNET_UDP_LOCAL_HOSTS", "2").stdin(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"what was said").unwrap();
    let out = finish_child(child);
    let mut lines: Vec<_> = text(&out.stdout).lines().map(str::to_string).collect();
    lines.sort();
    assert_eq!(lines, ["0:what was said", "1:", "2:"]);
}

#[test]
fn lines_of_ranks_stay_whole_and_none_is_lost() {
    let mut command = job(4, &["lines", "3000"]);
    command.env("GASNET_UDP_LOCAL_HOSTS", "2");
    let out = finish(command);
    assert!(out.status.success());
    for (stream, each) in [(&out.stdout, 3000), (&out.stderr, 300)] {
        let text = text(stream);
        assert_eq!(text.lines().count(), each * 4);
        let mut next = [0; 4];
        for line in text.lines() {
            let words: Vec<_> = line.split(' ').collect();
            assert_eq!(words[0], "rank", "{line}");
            let (rank, nth): (usize, usize) = (words[1].parse().unwrap(), words[3].parse().unwrap());
            assert_eq!(nth, next[rank]);
            next[rank] += 3000 / each;
            if words[2] == "line" {
                assert_eq!(words[4].len(), nth % 97);
            }
        }
    }
}

#[test]
fn labels_say_who_wrote_a_line() {
    let mut command = job(2, &["lines", "3"]);
    command.env("GASNET_LABEL_OUTPUT", "y");
    let out = finish(command);
    assert!(text(&out.stdout).lines().all(|line| line.starts_with(&format!("[{}] rank {0} ", &line[1..2]))));
}

#[test]
fn without_routing_or_line_buffers_ranks_write_where_the_job_does() {
    for how in [
        ("GASNET_LINEBUFFERSZ", "0"),
        ("GASNET_ROUTE_OUTPUT", "0"),
        ("AMUDP_ROUTE_OUTPUT", "no"),
        ("ROUTE_OUTPUT", "N"),
    ] {
        let mut command = job(2, &["args", "x"]);
        command.env(how.0, how.1);
        assert_eq!(text(&finish(command).stdout), "args|x|\n".repeat(2));
    }
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

#[test]
fn a_request_to_stop_the_master_stops_the_job() {
    for (signal, name) in [(libc::SIGINT, "SIGINT"), (libc::SIGTERM, "SIGTERM"), (libc::SIGHUP, "SIGHUP")] {
        let mut command = job(4, &["pids"]);
        command.env("GASNET_UDP_LOCAL_HOSTS", "2");
        let waiting = Waiting::start(command);
        let master = waiting.master();
        let out = waiting.ends_after(master, signal);
        assert_eq!(out.status.signal(), Some(libc::SIGINT).filter(|_| signal == libc::SIGINT));
        assert!(!out.status.success());
        assert_eq!(complaint(&out), format!("*** Caught a signal (proc 0): {name}({signal})\n"));
    }
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
fn a_worker_without_its_master_says_so() {
    let started = |word: &str| {
        let mut command = Command::new(probe());
        command.arg("args");
        let mut command = clean(command);
        command.env("GASNET_UDP_WORKER", word);
        let out = finish(command);
        assert!(!out.status.success());
        complaint(&out)
    };
    assert!(started("nonsense").contains("GASNET_UDP_WORKER='nonsense'"));
    assert!(started("127.0.0.1/9/0/fd77").contains("not by that job's master"));
    assert!(started("127.0.0.1/9/0/stdin").contains("stdin does not begin with that job's secret"));
}

#[test]
fn a_program_that_does_not_join_is_named() {
    assert!(finish(launcher(&["-n", "2", "true"])).status.success());
    let out = finish(launcher(&["-n", "2", "false"]));
    assert_eq!(out.status.code(), Some(1));
    assert!(complaint(&out).contains("ended with code 1 before it had joined the job"));
    let mut command = launcher(&["-n", "2", "sleep", "100"]);
    command.env("GASNET_SPAWN_TIMEOUT", "0.3");
    let out = finish(command);
    assert!(complaint(&out).contains("GASNET_SPAWN_TIMEOUT"), "{}", text(&out.stderr));
}

#[test]
fn bad_settings_get_one_line() {
    for (name, value, part) in [
        ("GASNET_SPAWNFN", "X", "must be"),
        ("GASNET_SPAWNFN", "S", "GASNET_SSH_SERVERS"),
        ("GASNET_SPAWNFN", "C", "GASNET_CSPAWN_CMD"),
        ("GASNET_CSPAWN_CMD", "echo", "%C"),
        ("GASNET_CSPAWN_CMD", "%C %q", "%q"),
        ("GASNET_SSH_NODEFILE", "/no/such/file", "/no/such/file"),
        ("GASNET_SSH_SERVERS", "a:0", "a:0"),
        ("GASNET_MASTERIP", "203.0.113.9", "no such address"),
        ("GASNET_WORKERIP", "203.0.113.9", "no such address"),
        ("GASNET_UDP_PEER_TIMEOUT", "never", "must be"),
    ] {
        let mut command = job(2, &["args"]);
        command.env(name, value);
        let out = finish(command);
        assert!(!out.status.success(), "{name}={value}");
        assert!(complaint(&out).contains(part), "{name}={value}: {}", text(&out.stderr));
    }
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
    // The second host is slow to come, so that the door stays open for a while.
    let mut command = job(2, &["meet"]);
    command
        .env("GASNET_CSPAWN_CMD", "exec 3<&0; (sleep 1.5; exec %C) <&3 & %C <&3 & wait")
        .env("GASNET_MASTERIP", "127.0.0.1");
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
            1 => stream.write(b"gasnet\0\x01"),
            2 => stream.write(&[b"gasnet\0\x01".as_slice(), &[7; 200]].concat()),
            _ => Ok(0),
        };
        held.push(stream);
    }
    assert!(held.len() > 50);
    let out = finish_child(child);
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert_eq!(text(&out.stdout).lines().count(), 2);
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
fn a_command_of_the_site_starts_the_processes() {
    let mut command = job(3, &["args", "it's", "a b"]);
    // Like srun: so many processes, all with the same stdin; in another directory, without the environment.
    const EACH: &str = "cd /; exec 3<&0; for i in $(seq %N); do env -i %C <&3 & done; wait";
    command.env("GASNET_CSPAWN_CMD", EACH);
    command.env("GASNET_SPAWNFN", "C").current_dir("/proc");
    let out = finish(command);
    succeeded(&out);
    assert_eq!(text(&out.stdout), "args|it's|a b|\n".repeat(3));
    let mut command = job(3, &["env", "MINE"]);
    command.env("GASNET_CSPAWN_CMD", EACH).env("MINE", "x\ty z");
    command.current_dir("/proc");
    let out = finish(command);
    assert_eq!(text(&out.stdout), "x\ty z|/proc|\n".repeat(3));
    let mut command = job(3, &["args"]);
    command.env("GASNET_CSPAWN_CMD", "false %C");
    let out = finish(command);
    assert_eq!(out.status.code(), Some(1));
    assert!(complaint(&out).contains("GASNET_CSPAWN_CMD (false "));
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
fn hosts_listed_in_a_file_or_simulated_get_their_share() {
    let share = |command: Command| {
        let out = finish(command);
        succeeded(&out);
        let mut lines: Vec<_> = text(&out.stdout).lines().map(str::to_string).collect();
        lines.sort();
        lines.last().unwrap().clone()
    };
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("udp_hosts");
    std::fs::write(&file, "# two\nlocalhost slots=3\n127.0.0.1:1\n").unwrap();
    let mut command = job(5, &["meet"]);
    command.env("GASNET_SPAWNFN", "L").env("GASNET_SSH_NODEFILE", &file);
    assert_eq!(share(command), "rank 4 of 5 on host 1 127.0.0.1 4+1");
    let mut command = launcher(&["-np", "3", "-N", "2", "-spawner=local"]);
    command.arg(probe()).arg("meet").env("GASNET_UDP_LOCAL_HOSTS", "3");
    assert_eq!(share(command), "rank 2 of 3 on host 1 localhost 2+1");
    let mut command = job(2, &["meet"]);
    command.env("SSH_SERVERS", "localhost,localhost").env("AMUDP_SPAWNFN", "L").env("GASNET_MASTERIP", "::1");
    if std::net::TcpListener::bind("[::1]:0").is_ok() {
        assert_eq!(share(command), "rank 1 of 2 on host 1 localhost 1+1");
    }
}

#[test]
fn a_binary_that_differs_is_refused() {
    let other = probe().with_file_name("udp_probe_differs");
    std::fs::copy(probe(), &other).unwrap();
    std::fs::OpenOptions::new().append(true).open(&other).unwrap().write_all(b"x").unwrap();
    let mut command = job(2, &["meet"]);
    command.env("GASNET_MASTERIP", "127.0.0.1");
    command.env(
        "GASNET_CSPAWN_CMD",
        r#"exec 3<&0; %C <&3 & C=$(echo "%C" | sed 's/udp_probe/udp_probe_differs/'); eval "$C" <&3 & wait"#,
    );
    let out = finish(command);
    std::fs::remove_file(&other).unwrap();
    assert_eq!(out.status.code(), Some(1));
    assert!(complaint(&out).contains("differs between hosts"), "{}", text(&out.stderr));
}

#[test]
fn many_ranks_start_on_one_machine() {
    let out = finish(job(128, &["code", "3"]));
    assert_eq!(out.status.code(), Some(3));
}

#[test]
fn ssh_carries_everything() {
    let Some(sshd) = Sshd::on_loopback() else { return };
    let odd: Vec<u8> = (1..=255).collect();
    let mut command = job(3, &["args"]);
    command.arg(std::ffi::OsString::from_vec(odd.clone()));
    sshd.use_for(&mut command, "localhost:2,127.0.0.1");
    let out = finish(command);
    succeeded(&out);
    assert_eq!(out.stdout, [b"args|", &odd[..], b"|\n"].concat().repeat(3));

    let mut command = job(2, &["env", "ODD_VALUE"]);
    command.env("ODD_VALUE", std::ffi::OsString::from_vec(odd.clone())).current_dir("/proc");
    sshd.use_for(&mut command, "localhost");
    let out = finish(command);
    succeeded(&out);
    assert_eq!(out.stdout, [&odd[..], b"|/proc|\n"].concat().repeat(2));

    let mut command = job(3, &["stdin"]);
    sshd.use_for(&mut command, "localhost 127.0.0.1");
    command.stdin(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"what was said").unwrap();
    let out = finish_child(child);
    let mut lines: Vec<_> = text(&out.stdout).lines().map(str::to_string).collect();
    lines.sort();
    assert_eq!(lines, ["0:what was said", "1:", "2:"], "{}", text(&out.stderr));

    // The first rank of a host is a child of that host's sshd, which alone learns how it died.
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
    assert!(text(&out.stderr).contains("host localhost (ranks 0-1): ssh failed"), "{}", text(&out.stderr));
    // A host that nobody knows.
    let mut command = job(2, &["args"]);
    sshd.use_for(&mut command, "no-such-host.invalid");
    let out = finish(command);
    assert!(text(&out.stderr).contains("host no-such-host.invalid (ranks 0-1): ssh failed"));
    // A directory that is not there.
    let mut command = job(2, &["args"]);
    sshd.use_for(&mut command, "localhost");
    command.env("GASNET_SSH_REMOTE_PATH", "/no/such/dir");
    let out = finish(command);
    assert_eq!(out.status.code(), Some(126));
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

    let mut command = job(4, &["pids"]);
    hosts.use_for(&mut command);
    command.env("GASNET_UDP_PEER_TIMEOUT", "1");
    let waiting = Waiting::start(command);
    hosts.cut(1);
    let pid = waiting.ranks[0];
    // No signal to anybody: the cut is what ends it.
    let out = waiting.ends_after(pid, 0);
    assert_eq!(out.status.code(), Some(1));
    let line = text(&out.stderr);
    assert!(line.contains(&format!("host {} ", hosts.names()[1])) && line.contains("silent for 1 s"), "{line}");
}
