//! Bootstraps keep their contract under launchers that are not ours: hydra (PMI-1 and PMI-2), Open MPI's mpirun and prterun
//! (PMIx), and Slurm (PMI-2, PMIx and nothing). `make deps` installs them; a launcher that is not installed is
//! skipped, with a message. Slurm is one of two nodes on this machine, which the test starts and stops (capi-tests/launchers).

#![allow(clippy::disallowed_methods)]

#[path = "udp/jobs.rs"]
mod jobs;

use jobs::*;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};

/// A command line up to the number of ranks, and its last word before that number.
struct Launcher {
    words: Vec<String>,
    env: Vec<(&'static str, String)>,
    /// The exit code after a rank aborts with 7; and after one is killed.
    aborted: i32,
    killed: i32,
    /// The launcher itself crashes, after the job's end, in some of the jobs that a rank aborts.
    crashes: bool,
}

impl Launcher {
    fn new(line: &str, aborted: i32, killed: i32) -> Launcher {
        Launcher {
            words: line.split(' ').map(str::to_string).collect(),
            env: Vec::new(),
            aborted,
            killed,
            crashes: false,
        }
    }

    fn run(&self, size: u32, words: &[&str]) -> Output {
        finish(self.command(size, words))
    }

    fn command(&self, size: u32, words: &[&str]) -> Command {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]).args(["-n", &size.to_string()]).arg(probe()).args(words);
        let mut command = clean(command);
        command.env("PROBE_LAUNCHER", "1").env("GASNET_SPAWN_TIMEOUT", "20");
        for (name, value) in &self.env {
            command.env(name, value);
        }
        command
    }

    fn name(&self) -> String {
        self.words.join(" ")
    }
}

/// An empty file that no other test uses.
fn empty_file() -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let name = format!("launchers.{}.{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, []).unwrap();
    path
}

fn is_there(tool: &str) -> bool {
    let path = std::env::var("PATH").unwrap_or_default();
    let found = path.split(':').any(|dir| Path::new(dir).join(tool).exists());
    if !found {
        eprintln!("no {tool} here: not tested (make deps)");
    }
    found
}

fn keeps_the_contract(launcher: &Launcher, sizes: &[u32]) {
    for &size in sizes {
        let file = empty_file();
        let out = launcher.run(size, &["contract", file.to_str().unwrap()]);
        std::fs::remove_file(file).unwrap();
        assert!(out.status.success(), "{}: {} {}", launcher.name(), out.status, text(&out.stderr));
        let content = text(&out.stdout).lines().filter(|line| line.ends_with("is content")).count();
        assert_eq!(content, size as usize, "{}: {}", launcher.name(), text(&out.stdout));
    }
}

/// `hosts`: the largest number of lines with the reason.
fn ends_jobs(launcher: &Launcher, hosts: usize) {
    for who in ["0", "all"] {
        let abort = || launcher.run(3, &["abort", "7", "no port is free", who]);
        let mut out = abort();
        for _ in 0..9 {
            if !launcher.crashes || out.status.signal() != Some(libc::SIGSEGV) {
                break;
            }
            out = abort();
        }
        assert_eq!(
            out.status.code(),
            Some(launcher.aborted),
            "{}: {} {}",
            launcher.name(),
            out.status,
            text(&out.stderr)
        );
        let said = text(&out.stderr).matches("*** FATAL ERROR: no port is free\n").count();
        assert!((1..=hosts).contains(&said), "{}: {}", launcher.name(), text(&out.stderr));
    }
    let out = launcher.run(3, &["leave", "return"]);
    assert!(out.status.success(), "{}: {}", launcher.name(), text(&out.stderr));
    assert_eq!(text(&out.stdout).matches("was here").count(), 3);
    let mut command = launcher.command(3, &["die", "9", "1"]);
    command.env("PROBE_OTHERS", "fence").env("GASNET_SPAWN_TIMEOUT", "4");
    let out = finish(command);
    assert_eq!(out.status.code(), Some(launcher.killed), "{}: {}", launcher.name(), text(&out.stderr));
}

/// A launcher that would let the others run on: the library ends them, long before the time limit of exchanges, which is
/// longer than this test waits.
fn ends_jobs_of_the_dead(launcher: &Launcher) {
    for (dies, signal) in [("0", "9"), ("1", "6"), ("2", "9")] {
        let mut command = launcher.command(3, &["die", signal, dies]);
        command.env("PROBE_OTHERS", "fence").env("GASNET_SPAWN_TIMEOUT", "3600");
        let out = finish(command);
        let said = text(&out.stderr);
        assert!(!out.status.success(), "{}: {said}", launcher.name());
        let lines: Vec<_> = said.lines().filter(|line| line.contains("***") && !line.starts_with("slurm")).collect();
        // A rank that dies of SIGABRT says so itself.
        let right = |line: &&str| line.contains(&format!("rank {dies} ")) || line.contains(&format!("(proc {dies})"));
        assert!(lines.len() == 1 && lines.iter().all(right), "{} of {dies} by {signal}: {said}", launcher.name());
    }
}

#[test]
fn hydra_starts_jobs_over_pmi1_and_pmi2() {
    if is_there("mpiexec.hydra") {
        let mut hydra = Launcher::new("mpiexec.hydra", 7, 9);
        keeps_the_contract(&hydra, &[2, 5]);
        ends_jobs(&hydra, 1);
        hydra.env.push(("GASNET_BOOTSTRAP", "pmi2".to_string()));
        keeps_the_contract(&hydra, &[3]);
        // PMI-1 again, over TCP.
        let hydra = Launcher::new("mpiexec.hydra -pmi-port", 7, 9);
        keeps_the_contract(&hydra, &[2, 4]);
        ends_jobs(&hydra, 1);
    }
}

#[test]
fn the_launcher_that_was_found_is_shown() {
    let info = |words: &[&str]| {
        let mut command = Command::new(words[0]);
        command.args(&words[1..]);
        let out = finish(clean(command));
        text(&out.stdout).lines().find(|line| line.starts_with("  launcher ")).unwrap_or_default().to_string()
    };
    let program = env!("CARGO_BIN_EXE_gasnet_info");
    assert!(info(&["env", "-u", "PMI_FD", program]).ends_with("none: the library starts the ranks"));
    assert!(info(&["env", "GASNET_BOOTSTRAP=fork", program]).ends_with("none (GASNET_BOOTSTRAP=fork)"));
    if is_there("mpiexec.hydra") {
        assert!(info(&["mpiexec.hydra", "-n", "2", program]).ends_with("PMI-1 (PMI_FD, PMI_SIZE=2)"));
        let mut hydra = Launcher::new("mpiexec.hydra", 0, 0);
        hydra.env.push(("GASNET_VERBOSEENV", "1".to_string()));
        let out = hydra.run(3, &["contract", "/dev/null"]);
        let said = "GASNET: the ranks meet by PMI-1 (PMI_FD in the environment): 3 ranks, 3 of them on rank 0's host";
        assert_eq!(text(&out.stderr).matches(said).count(), 1, "{}", text(&out.stderr));
    }
}

fn mpirun() -> Launcher {
    Launcher::new("mpirun.openmpi --allow-run-as-root --oversubscribe", 7, 137)
}

#[test]
fn mpirun_of_open_mpi_starts_jobs_over_pmix() {
    if is_there("mpirun.openmpi") {
        keeps_the_contract(&mpirun(), &[2, 5]);
        ends_jobs(&mpirun(), 1);
    }
    if is_there("oshrun") {
        keeps_the_contract(&Launcher::new("oshrun --allow-run-as-root --oversubscribe", 0, 0), &[3]);
    }
}

/// `gasnetrun_udp`, which starts 3 processes of the probe by another launcher.
fn gasnetrun(words: &[&str], before: &[&str]) -> Command {
    use std::os::unix::process::CommandExt;
    let runner = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gasnetrun_udp");
    match std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_gasnetrun"), &runner) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => panic!("{error}"),
        _ => {}
    }
    let mut command = Command::new(before.first().map_or(runner.as_os_str(), |word| word.as_ref()));
    if let [_, rest @ ..] = before {
        command.args(rest).arg(runner);
    } else {
        command.arg0("gasnetrun_udp");
    }
    command.args(["-v", "-n", "3"]).args(words).arg(probe()).args(["leave", "return"]);
    let mut command = clean(command);
    for name in ["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe"] {
        command.env(name, "1");
    }
    for (name, value) in [
        ("PRTE_ALLOW_RUN_AS_ROOT", "1"),
        ("PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
        ("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe"),
    ] {
        command.env(name, value);
    }
    command.env("PROBE_LAUNCHER", "1");
    command
}

fn starts_three(command: Command, by: &str) {
    let out = finish(command);
    let (said, came) = (text(&out.stderr), text(&out.stdout).matches("was here").count());
    assert!(out.status.success() && came == 3 && said.contains(by), "{by}: {} {said}", out.status);
}

#[test]
fn gasnetrun_has_other_launchers_start_jobs() {
    if is_there("mpiexec.hydra") {
        starts_three(gasnetrun(&["-spawner=pmi", "-N", "1"], &[]), "/mpiexec.hydra -n 3 -ppn 3 ");
        let mut by_template = gasnetrun(&["-spawner=mpi"], &[]);
        by_template.env("MPIRUN_CMD", "env A=1 mpiexec.hydra -n %N %P %A");
        starts_three(by_template, "env A=1 mpiexec.hydra -n 3 ");
    }
    if is_there("mpirun.openmpi") {
        let mut mpirun = gasnetrun(&["-spawner=pmix", "-E", "A,NOT_SET"], &[]);
        mpirun.env("A", "1");
        starts_three(mpirun, " -x A ");
    }
    let mut alone = gasnetrun(&["-spawner=mpi"], &[]);
    alone.env("MPIRUN_CMD", "nice %C");
    let out = finish(alone);
    let said = text(&out.stderr);
    assert!(
        !out.status.success() && said.contains("GASNET_BOOTSTRAP=launcher, but the environment shows no"),
        "{said}"
    );
    // One rank is a job of the launcher, too; processes that a command does not connect are none.
    if is_there("mpiexec.hydra") {
        let mut one = gasnetrun(&["-n", "1"], &[]);
        one.env("GASNET_UDP_SPAWNER", "pmi");
        let out = finish(one);
        assert_eq!(text(&out.stdout).matches("was here").count(), 1, "{}", text(&out.stderr));
    }
    for (words, set, part) in [
        (vec!["-spawner=mpi", "-m", "cyclic"], "nice %C", "-m: "),
        (vec!["-spawner=mpi"], "mpirun -n %N", "MPIRUN_CMD lacks %C"),
        (vec!["-spawner=mpi"], "mpirun %C %Z", "MPIRUN_CMD: %Z is unknown"),
        (vec!["-spawner=mpi", "-c", "2"], "mpirun %C", "-c: write the launcher's own option for it into MPIRUN_CMD"),
    ] {
        let mut command = gasnetrun(&words, &[]);
        command.env("MPIRUN_CMD", set);
        let out = finish(command);
        assert!(out.status.code() == Some(1) && complaint(&out).contains(part), "{part}: {}", text(&out.stderr));
    }
}

#[test]
fn newer_launchers_start_jobs() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("build/launchers");
    if !dir.join("bin/prterun").exists() {
        eprintln!("no newer launchers here: not tested (capi-tests/launchers/wheels build/launchers)");
        return;
    }
    let prterun = dir.join("bin/prterun --allow-run-as-root --map-by :OVERSUBSCRIBE");
    let mut prterun = Launcher::new(prterun.to_str().unwrap(), 7, 137);
    prterun.env.push(("GASNET_PMIX_LIB", dir.join("lib/openmpi/libpmix.so.2").to_str().unwrap().to_string()));
    // Open MPI 5.0.11: a crash in PMIx_server_finalize if a rank aborts while others are in a fence, after the job's end; without
    // GASNet, 3 of 120 MPI programs that do so.
    prterun.crashes = true;
    keeps_the_contract(&prterun, &[3]);
    ends_jobs(&prterun, 1);
    keeps_the_contract(&Launcher::new(dir.join("bin/mpiexec.hydra").to_str().unwrap(), 0, 0), &[3]);
}

/// A Slurm of two nodes, as long as this lives.
struct Slurm(PathBuf);

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("capi-tests/launchers").join(name)
}

impl Slurm {
    fn start() -> Slurm {
        let dir = std::env::temp_dir().join(format!("gasnet-slurm.{}", std::process::id()));
        let slurm = Slurm(dir);
        let out = finish(clean({
            let mut up = Command::new("timeout");
            up.arg("60").arg(script("slurm-up")).arg(&slurm.0);
            up
        }));
        assert!(out.status.success(), "{}{}", text(&out.stdout), text(&out.stderr));
        slurm
    }

    fn srun(&self, line: &str, aborted: i32, killed: i32) -> Launcher {
        let mut launcher = Launcher::new(&format!("srun {line}"), aborted, killed);
        launcher.env.push(("SLURM_CONF", self.0.join("slurm.conf").to_str().unwrap().to_string()));
        launcher
    }
}

impl Drop for Slurm {
    fn drop(&mut self) {
        let _ = Command::new(script("slurm-down")).arg(&self.0).status();
    }
}

#[test]
fn srun_starts_jobs_over_pmi2_and_without_pmi() {
    if !is_there("srun") {
        return;
    }
    let slurm = Slurm::start();
    for line in
        ["-N2 --mpi=pmi2", "-N2 -m cyclic --mpi=pmi2", "-N2 --mpi=none", "-N2 -m plane=2 --mpi=none", "-N1 --mpi=none"]
    {
        keeps_the_contract(&slurm.srun(line, 0, 0), &[5]);
    }
    // It has no exit codes.
    ends_jobs(&slurm.srun("-N2 --mpi=pmi2", 137, 137), 1);
    ends_jobs_of_the_dead(&slurm.srun("-N2 --mpi=pmi2", 137, 137));
    ends_jobs(&slurm.srun("-N2 --mpi=none", 7, 137), 1);
    for protocol in ["pmi2", "none"] {
        // Two jobs at once in one allocation.
        let mut command = Command::new("salloc");
        let script = format!("for i in 1 2; do srun --overlap -N2 -n4 --mpi={protocol} \"$@\" & done; wait");
        command.args(["-Q", "-N2", "-n8", "bash", "-c", &script, "bash"]).arg(probe()).args(["leave", "return"]);
        let mut command = clean(command);
        command.env("PROBE_LAUNCHER", "1").env("SLURM_CONF", slurm.0.join("slurm.conf"));
        let out = finish(command);
        assert_eq!(text(&out.stdout).matches("was here").count(), 8, "{protocol}: {}", text(&out.stderr));
    }
    // Slurm's libraries have the C interfaces that Cray's have.
    for (library, protocol) in [("libpmi2.so.0", "pmi2"), ("libpmi.so.0", "none")] {
        let found = std::fs::read_dir("/usr/lib/x86_64-linux-gnu").is_ok_and(|mut dir| {
            dir.any(|entry| entry.is_ok_and(|entry| entry.file_name().to_string_lossy() == library))
        });
        if !found {
            eprintln!("no {library} here: not tested (make deps)");
            continue;
        }
        let mut by_library = slurm.srun(&format!("-N2 -m cyclic --mpi={protocol}"), 0, 0);
        by_library.env.push(("GASNET_BOOTSTRAP", "libpmi".to_string()));
        by_library.env.push(("GASNET_PMI_LIB", library.to_string()));
        // Slurm 24.11 of Debian 13: a module that its own libpmi loads lacks a function, which ends every program that calls PMI_Init.
        if text(&by_library.run(2, &["leave", "return"]).stderr).contains("slurm-wlm/cred_none.so: undefined symbol") {
            eprintln!("{library} cannot load its modules here: not tested");
            continue;
        }
        keeps_the_contract(&by_library, &[5]);
        let out = by_library.run(3, &["abort", "7", "no port is free", "1"]);
        assert_eq!(text(&out.stderr).matches("*** FATAL ERROR: no port is free\n").count(), 1, "{}", text(&out.stderr));
        assert!(!out.status.success());
    }
    // In an allocation gasnetrun needs no list of hosts.
    for (words, by) in [
        (&[][..], "/srun -n 3 --mpi=pmi2 "),
        (&["-spawner=slurm", "-N", "2", "-m", "cyclic"], "/srun -n 3 -N 2 -m cyclic --mpi=pmi2 "),
    ] {
        let mut command = gasnetrun(words, &["salloc", "-Q", "-N2", "-n6"]);
        command.env("SLURM_CONF", slurm.0.join("slurm.conf"));
        starts_three(command, by);
    }
    let notes = || std::fs::read_dir(std::env::var("HOME").unwrap_or("/".to_string())).into_iter().flatten().flatten();
    let left: Vec<_> = notes().filter(|entry| entry.file_name().to_string_lossy().starts_with(".gasnet-")).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// The probe with the environment of a launcher, but without one.
fn alone(words: &[(&str, &str)]) -> Output {
    let mut command = Command::new(probe());
    command.args(["contract", "/dev/null"]);
    let mut command = clean(command);
    command.env("PROBE_LAUNCHER", "1").env("GASNET_SPAWN_TIMEOUT", "0.5");
    for (name, value) in words {
        command.env(name, value);
    }
    finish(command)
}

#[test]
fn signs_of_several_tasks_that_lead_nowhere_are_an_error_that_says_what_to_do() {
    let cases: &[(&[(&str, &str)], &str)] = &[
        (&[("OMPI_COMM_WORLD_SIZE", "4")], "mpirun of Open MPI has started 4 processes (OMPI_COMM_WORLD_SIZE=4)"),
        (&[("PMI_SIZE", "2")], "there is no way to the others"),
        (&[("PMI_RANK", "2")], "a launcher of PMI has started at least 3 processes (PMI_RANK=2), but there is no way"),
        (&[("FLUX_TASK_RANK", "1")], "Flux has started at least 2 processes (FLUX_TASK_RANK=1)"),
        (
            &[("MPI_LOCALNRANKS", "3")],
            "mpiexec of MPICH, on this host alone, has started 3 processes (MPI_LOCALNRANKS=3)",
        ),
        (
            &[("PMI_SIZE", "2"), ("PMI_RANK", "0"), ("PMI_FD", "77")],
            "PMI_FD=77, which should lead to the launcher, cannot be used",
        ),
        (&[("PMI_SIZE", "2"), ("PMI_RANK", "0"), ("PMI_FD", "x")], "PMI_FD='x' is not a number"),
        (&[("PMI_SIZE", "2"), ("PMI_RANK", "2"), ("PMI_FD", "0")], "PMI_RANK=2 is not below PMI_SIZE=2"),
        (
            &[("PMIX_NAMESPACE", "a"), ("PMIX_RANK", "0"), ("GASNET_PMIX_LIB", "/nowhere.so")],
            "no libpmix can be opened",
        ),
        (&[("PMIX_NAMESPACE", "a"), ("PMIX_RANK", "0"), ("GASNET_PMIX_LIB", "libc.so.6")], "it is not a PMIx library"),
        (&[("PALS_RANKID", "0"), ("PALS_SIZE", "2"), ("GASNET_PMI_LIB", "/nowhere.so")], "no libpmi can be opened"),
        (&[("GASNET_BOOTSTRAP", "libpmi"), ("GASNET_PMI_LIB", "libc.so.6")], "it is not a PMI library"),
        (
            &[
                ("SLURM_STEP_ID", "0"),
                ("SLURM_JOB_ID", "1"),
                ("SLURM_PROCID", "1"),
                ("SLURM_STEP_NUM_TASKS", "2"),
                ("SLURM_GTIDS", "1"),
                ("HOME", "/tmp"),
            ],
            "rank 0 has left no note",
        ),
        (&[("SLURM_STEP_ID", "0"), ("SLURM_PROCID", "1"), ("SLURM_STEP_NUM_TASKS", "2")], "SLURM_GTIDS"),
        (&[("GASNET_BOOTSTRAP", "pmi2")], "PMI_RANK is not set"),
        (&[("PMI_PORT", "127.0.0.1:9"), ("PMI_ID", "0")], "the launcher at PMI_PORT=127.0.0.1:9 cannot be reached"),
    ];
    for (words, part) in cases {
        let out = alone(words);
        assert!(!out.status.success(), "{words:?}");
        let line = complaint(&out);
        assert!(line.contains(part) && line.contains("GASNET_BOOTSTRAP=fork"), "{words:?}: {line}");
    }
}
