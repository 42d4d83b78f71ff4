//! Tests of the start of udp jobs, with real processes on this machine, started by the library itself or by a command.

#[path = "udp/jobs.rs"]
mod jobs;

use jobs::*;
use std::io::Write;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

#[test]
fn ranks_of_a_job_exchange_a_secret_and_reach_each_other() {
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
    assert_eq!(lines(&out.stdout), lines(&[&odd[..], b"|/proc|\n"].concat().repeat(2)));
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
        ("GASNET_UDP_PORTS", "5000-", "GASNET_UDP_PORTS='5000-'"),
        ("GASNET_UDP_PORTS", "0", "GASNET_UDP_PORTS='0'"),
    ] {
        let mut command = job(2, &["args"]);
        command.env(name, value);
        let out = finish(command);
        assert!(!out.status.success(), "{name}={value}");
        assert!(complaint(&out).contains(part), "{name}={value}: {}", text(&out.stderr));
    }
}

#[test]
fn a_command_of_the_site_starts_the_processes() {
    let mut command = job(3, &["args", "it's", "a b"]);
    // Like srun: starts %N processes with the same stdin, in another directory and without the environment.
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
    let mut command = job(2, &["args"]);
    command.env("GASNET_CSPAWN_CMD", "echo broken >&2; exit 3; %C");
    let out = finish(command);
    assert_eq!(out.status.code(), Some(3));
    assert!(complaint(&out).contains("ended with code 3: broken"), "{}", text(&out.stderr));
    // A command that does not pass its stdin on.
    let mut command = job(2, &["args"]);
    command.env("GASNET_CSPAWN_CMD", "for i in $(seq %N); do %C </dev/null & done; wait");
    assert!(complaint(&finish(command)).contains("GASNET_CSPAWN_CMD) must pass its stdin on"));
    // As many hosts as there are processes.
    let mut command = job(2, &["args"]);
    command.env("GASNET_CSPAWN_CMD", "echo hosts %M >&2; exit 4; %C").env("CSPAWN_SERVERS", "a b c");
    assert!(complaint(&finish(command)).ends_with("ended with code 4: hosts a,b\n"));
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
fn hosts_of_an_allocation_are_used_where_none_are_listed() {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (nodes, ssh) = (dir.join("udp_nodes"), dir.join("ssh_to_here"));
    std::fs::write(&nodes, "127.0.0.1\nlocalhost\n127.0.0.1\n").unwrap();
    // Runs the command, its last word, here.
    std::fs::write(&ssh, "#!/bin/sh\nfor last; do :; done\nexec sh -c \"$last\"\n").unwrap();
    std::fs::set_permissions(&ssh, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let hosts = |words: &[(&str, &str)]| {
        let mut command = job(4, &["meet"]);
        command.env("GASNET_SSH_CMD", &ssh).env("GASNET_MASTERIP", "127.0.0.1").env("GASNET_SPAWN_VERBOSE", "1");
        command.envs(words.iter().copied());
        let out = finish(command);
        assert!(out.status.success(), "{words:?}: {}", text(&out.stderr));
        let places = lines(&out.stdout).into_iter().map(text);
        let places: Vec<_> =
            places.filter_map(|line| line.trim().split_once("host ").map(|(_, at)| at.to_string())).collect();
        (places.join(", "), text(&out.stderr).contains("ranks by "))
    };
    let nodes = nodes.to_str().unwrap();
    let two = "0 127.0.0.1 0+3, 0 127.0.0.1 0+3, 0 127.0.0.1 0+3, 1 localhost 3+1".to_string();
    let all = hosts(&[("PBS_NODEFILE", nodes)]);
    assert_eq!(all, (two, true));
    // One host, this one, has no need of ssh; a list and GASNET_SPAWNFN=L come first.
    let here = "0 localhost 0+4, ".repeat(4).trim_end_matches(", ").to_string();
    assert_eq!(hosts(&[("LSB_MCPU_HOSTS", "n1 4"), ("SLURMD_NODENAME", "n1")]), (here.clone(), false));
    assert_eq!(hosts(&[("PBS_NODEFILE", nodes), ("GASNET_SPAWNFN", "L")]), (here.clone(), false));
    assert_eq!(hosts(&[("PBS_NODEFILE", nodes), ("GASNET_SSH_SERVERS", "localhost")]), (here.clone(), true));
    assert!(!hosts(&[("PBS_NODEFILE", nodes), ("GASNET_UDP_LOCAL_HOSTS", "2")]).1);
}

#[test]
fn ranks_are_dealt_to_hosts_as_the_user_asks() {
    for (how, of_host) in [("block", [0, 0, 0, 1, 1]), ("cyclic", [0, 1, 0, 1, 0]), ("plane=2", [0, 0, 1, 1, 0])] {
        let mut command = launcher(&["-n", "5", "-m", how]);
        command.arg(probe()).arg("meet").env("GASNET_UDP_LOCAL_HOSTS", "2").env("GASNET_LABEL_OUTPUT", "1");
        let out = finish(command);
        succeeded(&out);
        let first = |host| of_host.iter().position(|&of| of == host).unwrap();
        let wanted = (0..5).map(|rank| {
            let host = of_host[rank];
            format!("[{rank}] rank {rank} of 5 on host {host} localhost {}+{}\n", first(host), 3 - host)
        });
        assert_eq!(lines(&out.stdout).concat(), wanted.collect::<String>().into_bytes(), "{how}");
    }
    // The death of a rank is reported with its rank in the job.
    let mut command = job(4, &["die", "9", "3"]);
    command.env("GASNET_UDP_LOCAL_HOSTS", "2").env("GASNET_PLACEMENT", "cyclic");
    let out = finish(command);
    assert!(complaint(&out).contains("rank 3 (pid ") && out.status.code() == Some(137), "{}", text(&out.stderr));
    let mut command = job(4, &["meet"]);
    command.env("GASNET_PLACEMENT", "round");
    let wanted = "GASNET_PLACEMENT='round': must be block, cyclic or plane=N";
    assert!(complaint(&finish(command)).contains(wanted));
    let out = finish(launcher(&["-n", "2", "-m", "plane=0", "true"]));
    assert!(complaint(&out).contains("-m 'plane=0': must be block, cyclic or plane=N"));
    let out = finish(launcher(&["-n", "5000", "true"]));
    assert!(complaint(&out).contains("a host runs 4096 ranks at most, not 5000: "));
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
