//! Starts a GASNet job: installed as `gasnetrun_<conduit>` and `amudprun`; argv[0] says which.

#[path = "../complaint.rs"]
mod complaint;
mod launcher;
mod options;

use gasnet::internal::conduit::entry::{ConduitEntry, Launch};
use gasnet::internal::conduit::table;
use gasnet::internal::fatal::line;
use gasnet::internal::launch::master;
use gasnet::internal::launch::master::state::Order;
use gasnet::internal::launch::spawn::Program;
use gasnet::internal::os::process;
use gasnet::internal::settings::ABI_NUMBER;
use options::{Spawner, Wish};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

#[global_allocator]
static HEAP: gasnet::internal::os::heap::Heap = gasnet::internal::os::heap::Heap;

const NOT_EXECUTABLE: u8 = 126;
const NOT_FOUND: u8 = 127;

/// A line for the user, and the exit code.
struct Failure(String, u8);

impl From<String> for Failure {
    fn from(text: String) -> Failure {
        Failure(text, 1)
    }
}

fn main() -> ExitCode {
    let mut words = std::env::args_os();
    let name = words.next().map(PathBuf::from).unwrap_or_default();
    let name = name.file_name().unwrap_or(OsStr::new("gasnetrun")).to_string_lossy().into_owned();
    match run(&name, words.collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure(text, code)) => {
            line(&format!("{name}: {text}"));
            ExitCode::from(code)
        }
    }
}

fn run(name: &str, words: Vec<OsString>) -> Result<(), Failure> {
    let other = || (!name.starts_with("gasnetrun_")).then_some(table::DEFAULT);
    let Some(conduit) = table::run_by(name).or_else(other) else {
        let there: Vec<_> = table::offered().map(|c| format!("{} ({})", c.name, c.runners[0])).collect();
        return Err(format!("this version has no such conduit; it has: {}", there.join(", ")).into());
    };
    let Some(wish) = options::understand(conduit, words)? else {
        return print(&options::help(conduit, name));
    };
    let set = || gasnet::internal::env::raw("GASNET_PSHM_NODES").filter(|_| conduit.launch == Launch::Fork);
    let processes = match (wish.processes, set()) {
        (Some(processes), _) => processes,
        (None, Some(set)) => options::processes(conduit, "GASNET_PSHM_NODES", &set)?,
        (None, None) => return Err("how many processes? Say -n N (and -h for help)".to_string().into()),
    };
    let [program, arguments @ ..] = &wish.program[..] else {
        return Err(format!("which program? Say: {name} -n {processes} program arguments…").into());
    };
    let path = find(program)?;
    if let Some(launcher) = launcher(conduit, &wish) {
        process::set_env(b"GASNET_CONDUIT", conduit.name.as_bytes());
        if let Some(depth) = wish.depth {
            process::set_env(b"GASNET_NETWORKDEPTH", depth.to_string().as_bytes());
        }
        // A process that the launcher does not lead to the others must not become a job of its own.
        if !is_set("GASNET_BOOTSTRAP") && !is_set("GASNET_SPAWN_CONTROL") {
            process::set_env(b"GASNET_BOOTSTRAP", b"launcher");
        }
        let job = launcher::Job {
            launchers: conduit.launchers,
            is_smp: conduit.launch == Launch::Fork,
            placement: wish.placement.clone(),
            processes,
            hosts: wish.hosts,
            cores: wish.cores,
            variables: wish.variables.clone(),
            program: &path,
            arguments,
        };
        return launch(conduit, launcher.command(&job)?, name, &wish);
    }
    if let (Some(hosts @ 2..), Launch::Fork) = (wish.hosts, conduit.launch) {
        return Err(format!("-N {hosts}: {} runs on one host", conduit.name).into());
    }
    if wish.verbose || wish.only_show {
        let shown: Vec<_> =
            std::iter::once(path.as_os_str()).chain(arguments.iter().map(OsString::as_os_str)).map(quoted).collect();
        let setting = match conduit.launch {
            Launch::Fork => format!("GASNET_PSHM_NODES={processes}"),
            Launch::Master | Launch::Library => {
                format!("{processes} processes, {}", wish.spawner.letter().unwrap_or("GASNET_SPAWNFN decides"))
            }
        };
        line(&format!("{name}: {setting} {}", shown.join(" ")));
    }
    if wish.only_show {
        return Ok(());
    }
    match conduit.launch {
        Launch::Fork => {
            let error = Command::new(&path)
                .arg0(program)
                .args(arguments)
                .env("GASNET_PSHM_NODES", processes.to_string())
                // Also in a task of another launcher, the program is a job of its own.
                .envs((!is_set("GASNET_BOOTSTRAP")).then_some(("GASNET_BOOTSTRAP", "fork")))
                .exec();
            Err(Failure(format!("{}: {error}", path.display()), NOT_EXECUTABLE))
        }
        Launch::Master => lead(conduit, path, processes, wish),
        Launch::Library => Err(format!("{} has no way to start processes but a launcher", conduit.name).into()),
    }
}

/// The launcher that the user asks for, or that of the allocation if the user has not said how to start the job.
fn launcher(conduit: &ConduitEntry, wish: &Wish) -> Option<launcher::Launcher> {
    let says_how =
        ["GASNET_SPAWNFN", "GASNET_CSPAWN_CMD", "GASNET_SSH_SERVERS", "GASNET_SSH_NODEFILE", "GASNET_NODEFILE"];
    match wish.spawner {
        Spawner::Launcher(launcher) => Some(launcher),
        Spawner::Unset if conduit.launch == Launch::Library => {
            let command = ["MPIRUN_CMD"].iter().any(|name| is_set(name));
            let allocated = launcher::Launcher::of_allocation().filter(|_| !command);
            Some(allocated.unwrap_or(launcher::Launcher::Mpi))
        }
        Spawner::Unset if conduit.launch == Launch::Master && !says_how.iter().any(|name| is_set(name)) => {
            launcher::Launcher::of_allocation()
        }
        _ => None,
    }
}

fn is_set(name: &str) -> bool {
    gasnet::internal::env::raw(name).is_some_and(|text| !text.is_empty())
}

/// Becomes the launcher.
fn launch(conduit: &ConduitEntry, words: Vec<OsString>, name: &str, wish: &Wish) -> Result<(), Failure> {
    if wish.verbose || wish.only_show {
        let shown: Vec<_> = words.iter().map(|word| quoted(word)).collect();
        line(&format!("{name}: GASNET_CONDUIT={} {}", conduit.name, shown.join(" ")));
    }
    if wish.only_show {
        return Ok(());
    }
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).env_remove("GASNET_PSHM_NODES");
    let error = command.exec();
    Err(Failure(format!("{}: {error}", Path::new(&words[0]).display()), NOT_EXECUTABLE))
}

/// Is the job's master, and ends with its code.
fn lead(conduit: &ConduitEntry, path: PathBuf, size: u32, wish: Wish) -> Result<(), Failure> {
    let dir = std::env::current_dir().map_err(|error| Failure(format!("the working directory is gone: {error}"), 1))?;
    process::set_env(b"GASNET_CONDUIT", conduit.name.as_bytes());
    if let Some(letter) = wish.spawner.letter() {
        process::set_env(b"GASNET_SPAWNFN", letter.as_bytes());
    }
    if wish.verbose {
        process::set_env(b"GASNET_SPAWN_VERBOSE", b"1");
    }
    if let Some(placement) = &wish.placement {
        process::set_env(b"GASNET_PLACEMENT", placement.as_bytes());
    }
    if let Some(depth) = wish.depth {
        process::set_env(b"GASNET_NETWORKDEPTH", depth.to_string().as_bytes());
    }
    // The hosts know no other directory than this one by name.
    let path = if path.is_absolute() { path } else { dir.join(path.strip_prefix(".").unwrap_or(&path)) };
    let program = Program { path, argv: wish.program, dir };
    master::leave(master::run(Order { size, program, hosts: wish.hosts, abi: ABI_NUMBER }))
}

/// The program as a shell finds it; then in the working directory.
fn find(program: &OsStr) -> Result<PathBuf, Failure> {
    let named = Path::new(program);
    let shown = named.display();
    if program.as_bytes().contains(&b'/') {
        return match problem(named) {
            None => Ok(named.to_path_buf()),
            Some((why, code)) => Err(Failure(format!("{shown}: {why}"), code)),
        };
    }
    let path = gasnet::internal::env::raw("PATH").unwrap_or_default();
    let here = Path::new(".").join(named);
    let mut places = path.split(':').map(|dir| Path::new(if dir.is_empty() { "." } else { dir }).join(named));
    let found =
        places.find(|place| problem(place).is_none()).or_else(|| problem(&here).is_none().then(|| here.clone()));
    match (found, problem(&here)) {
        (Some(found), _) => Ok(found),
        (None, Some((why, NOT_EXECUTABLE))) => Err(Failure(format!("{shown}: {why}"), NOT_EXECUTABLE)),
        (None, _) => Err(Failure(format!("{shown}: no such program in PATH or in this directory"), NOT_FOUND)),
    }
}

/// Why a file cannot be run, if so, and the exit code that says that.
fn problem(path: &Path) -> Option<(String, u8)> {
    match std::fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Some(("no such program".to_string(), NOT_FOUND)),
        Err(error) => Some((error.to_string(), NOT_EXECUTABLE)),
        Ok(file) if file.is_dir() => Some(("is a directory, not a program".to_string(), NOT_EXECUTABLE)),
        Ok(file) if file.permissions().mode() & 0o111 == 0 => Some(("is not executable".to_string(), NOT_EXECUTABLE)),
        Ok(_) => None,
    }
}

fn quoted(word: &OsStr) -> String {
    let text = word.to_string_lossy();
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.into_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

fn print(text: &str) -> Result<(), Failure> {
    use std::io::Write;
    std::io::stdout().write_all(text.as_bytes()).map_err(|error| Failure(error.to_string(), 1))
}
