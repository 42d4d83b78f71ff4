//! Tests of the commands gasnetrun_smp, gasnet_info and gasnet_trace.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Output};

fn gasnetrun(words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gasnetrun"));
    command.arg0("gasnetrun_smp").args(words).env_remove("GASNET_PSHM_NODES").current_dir(env!("CARGO_TARGET_TMPDIR"));
    command.output().unwrap()
}

fn info(words: &[&str], environment: &[(&str, &str)]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gasnet_info"));
    let out = command.args(words).envs(environment.iter().copied()).output().unwrap();
    assert!(out.status.success());
    String::from_utf8(out.stdout).unwrap()
}

/// A file in this test's directory.
fn file(name: &str, text: &str, mode: u32) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    path
}

const SHOW: [&str; 3] = ["sh", "-c", r#"echo "$GASNET_PSHM_NODES $0 $*""#];

#[test]
fn the_program_gets_its_ranks_and_its_own_arguments() {
    for options in
        [&["-n", "3"][..], &["-np", "3"], &["-n3"], &["-np=3"], &["-n", "3", "-N", "1", "-c", "2", "-E", "A,B", "-k"]]
    {
        for separator in [&[][..], &["--"]] {
            let words = [options, separator, &SHOW, &["-n", "4", "two words"]].concat();
            let out = gasnetrun(&words);
            assert_eq!(String::from_utf8_lossy(&out.stdout), "3 -n 4 two words\n", "{words:?}");
            assert!(out.status.success() && out.stderr.is_empty());
        }
    }
}

#[test]
fn words_of_the_program_may_be_any_bytes() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gasnetrun"));
    command.arg0("gasnetrun_smp").args(["-n2", "-v", "-v", "printf", "%s"]).arg(OsStr::from_bytes(b"\xff -n4"));
    assert_eq!(command.output().unwrap().stdout, b"\xff -n4");
}

#[test]
fn the_last_of_several_values_counts() {
    let out = gasnetrun(&[&["-n", "2", "--np=3", "-E", "-n"], &SHOW[..]].concat());
    assert_eq!(String::from_utf8_lossy(&out.stdout), "3 sh \n");
}

#[test]
fn other_programs_name_options_that_they_do_not_know() {
    let info = || Command::new(env!("CARGO_BIN_EXE_gasnet_info"));
    let trace = || Command::new(env!("CARGO_BIN_EXE_gasnet_trace"));
    for (mut program, words, part) in [
        (info(), &["--nonsense"][..], "gasnet_info: -nonsense: no such option"),
        (info(), &["--job"], "gasnet_info: -job needs a value"),
        (info(), &["--job", "me"], "gasnet_info: --job: 'me'"),
        (info(), &["extra"], "gasnet_info: extra: "),
        (trace(), &["-nonsense", "t"], "gasnet_trace: -nonsense: no such option"),
        (trace(), &["-check", "/dev/null/t"], "gasnet_trace: /dev/null/t: "),
    ] {
        let out = program.args(words).output().unwrap();
        let text = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(1), "{words:?}");
        assert!(text.starts_with(part) && text.lines().count() == 1, "{words:?}: {text}");
    }
}

#[test]
fn json_that_is_none_is_told_with_its_line() {
    let good = "[\n{\"ph\":\"i\",\"pid\":0,\"tid\":0,\"ts\":1.5},\n";
    let check = |name: &str, text: &str| {
        let file = file(name, text, 0o644);
        Command::new(env!("CARGO_BIN_EXE_gasnet_trace")).arg("-check").arg(file).output().unwrap()
    };
    // The file of a killed rank has no end.
    let out = check("cut.json", good);
    assert!(out.status.success() && out.stdout.starts_with(b"1 events of 1 ranks"), "{out:?}");
    let out = check("bad.json", &format!("{good}{{\"ph\" 1}}]"));
    let text = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.code() == Some(1) && text.contains("bad.json: ") && text.contains("line 3"), "{text}");
}

#[test]
fn the_exit_code_is_the_programs() {
    assert_eq!(gasnetrun(&["-n", "2", "sh", "-c", "exit 7"]).status.code(), Some(7));
}

#[test]
fn a_program_in_this_directory_needs_no_path() {
    file("here_only", "#!/bin/sh\nexit 5\n", 0o755);
    assert_eq!(gasnetrun(&["-n", "2", "here_only"]).status.code(), Some(5));
}

#[test]
fn mistakes_get_one_line_and_a_code() {
    file("not_executable", "", 0o644);
    let cases: [(&[&str], i32, &str); 14] = [
        (&["true"], 1, "-n N"),
        (&["-n", "2"], 1, "which program"),
        (&["-n"], 1, "needs a value"),
        (&["-n", "0", "true"], 1, "'0': must be between 1 and"),
        (&["-n", "-3", "true"], 1, "'-3'"),
        (&["-n", "two", "true"], 1, "'two'"),
        (&["-n", "2x", "true"], 1, "'2x'"),
        (&["-n", "99999999999999999999", "true"], 1, "must be an integer"),
        (&["-N", "2", "-n", "2", "true"], 1, "one host"),
        (&["-spawner=ssh", "-n", "2", "true"], 1, "only fork"),
        (&["-x", "-n", "2", "true"], 1, "-x: no such option"),
        (&["-n", "2", "./no_such_program"], 127, "no such program"),
        (&["-n", "2", "./not_executable"], 126, "is not executable"),
        (&["-n", "2", "/"], 126, "directory"),
    ];
    for (words, code, part) in cases {
        let out = gasnetrun(words);
        let text = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(code), "{words:?}: {text}");
        assert!(
            text.starts_with("gasnetrun_smp: ") && text.contains(part) && text.lines().count() == 1,
            "{words:?}: {text}"
        );
    }
}

#[test]
fn hosts_come_from_the_batch_system() {
    let pbs = file("pbs_nodes", "a\na\nb\n", 0o644);
    let grid = file("grid_nodes", "c 2 all.q@c 0,1\nd 1 all.q@d <NULL>\n", 0o644);
    let cases = [
        ("PBS_NODEFILE", pbs.to_str().unwrap(), "hosts a,b"),
        ("COBALT_NODEFILE", pbs.to_str().unwrap(), "hosts a,b"),
        ("LSB_DJOB_HOSTFILE", pbs.to_str().unwrap(), "hosts a,b"),
        ("LSB_HOSTS", "x x y", "hosts x,y"),
        ("LSB_MCPU_HOSTS", "x 4 y 2 z 1", "hosts x,y,z"),
        ("PE_HOSTFILE", grid.to_str().unwrap(), "hosts c,d"),
        ("LSB_MCPU_HOSTS", "x 4 y", "LSB_MCPU_HOSTS: 'x 4 y': a number must follow each host; GASNET_SSH_SERVERS"),
        ("PBS_NODEFILE", "/nowhere", "PBS_NODEFILE: /nowhere: No such file"),
    ];
    for (name, value, part) in cases {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gasnetrun"));
        command.arg0("gasnetrun_udp").args(["-n", "4", "true"]).env(name, value);
        // Lists the hosts instead of starting anything there.
        let out = command.env("GASNET_CSPAWN_CMD", "echo hosts %M >&2; exit 3; %C").output().unwrap();
        let text = String::from_utf8_lossy(&out.stderr);
        assert!(!out.status.success() && text.contains(part), "{name}={value}: {text}");
    }
}

#[test]
fn showing_the_command_does_not_run_it() {
    let out = gasnetrun(&["-t", "-n", "2", "sh", "-c", "echo ran"]);
    assert!(out.stdout.is_empty());
    let text = String::from_utf8_lossy(&out.stderr);
    assert!(text.contains("GASNET_PSHM_NODES=2 ") && text.contains("-c 'echo ran'"), "{text}");
}

#[test]
fn the_name_says_the_conduit() {
    let out =
        Command::new(env!("CARGO_BIN_EXE_gasnetrun")).arg0("gasnetrun_ibv").args(["-n", "1", "true"]).output().unwrap();
    assert_eq!(out.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&out.stderr).contains("it has: smp"));
}

#[test]
fn every_variable_is_shown_with_its_help() {
    let text = info(&[], &[]);
    for var in gasnet::internal::env::table::VARS {
        assert!(text.contains(var.name) && text.contains(var.help), "{}", var.name);
    }
}

#[test]
fn what_is_set_is_marked_and_bad_values_are_told() {
    let text = info(&[], &[("GASNET_QUIET", "1"), ("GASNET_MAX_THREADS", "x"), ("GASNET_BARIER", "1")]);
    assert!(text.contains("* GASNET_QUIET = 1"));
    assert!(text.contains("! GASNET_MAX_THREADS = x") && text.contains("this value cannot be read"));
    assert!(text.contains("did you mean GASNET_BARRIER?"));
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let mut command = Command::new("sh");
    let out = command.args(["-c", r#""$0" | head -1"#, env!("CARGO_BIN_EXE_gasnet_info")]).output().unwrap();
    assert!(out.stderr.is_empty(), "{}", String::from_utf8_lossy(&out.stderr));
}
