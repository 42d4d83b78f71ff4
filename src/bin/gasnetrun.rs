//! Starts a GASNet job: installed as `gasnetrun_<conduit>`; argv[0] says which.

use gasnet::fatal::line;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const NOT_EXECUTABLE: u8 = 126;
const NOT_FOUND: u8 = 127;

/// What the command line asks for.
#[derive(Default)]
struct Wish {
    processes: Option<u32>,
    verbose: bool,
    only_show: bool,
    program: Vec<OsString>,
}

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
    let conduit = name.strip_prefix("gasnetrun_").unwrap_or("smp");
    if conduit != "smp" || name == "amudprun" {
        return Err("this version has no such conduit; it has: smp (gasnetrun_smp)".to_string().into());
    }
    let Some(wish) = understand(words)? else {
        return print(&help(name));
    };
    let processes = match (wish.processes, gasnet::env::raw("GASNET_PSHM_NODES")) {
        (Some(processes), _) => processes,
        (None, Some(set)) => count("GASNET_PSHM_NODES", &set)?,
        (None, None) => return Err("how many processes? Say -n N (and -h for help)".to_string().into()),
    };
    let [program, arguments @ ..] = &wish.program[..] else {
        return Err(format!("which program? Say: {name} -n {processes} program arguments…").into());
    };
    let path = find(program)?;
    if wish.verbose || wish.only_show {
        let shown: Vec<_> =
            std::iter::once(path.as_os_str()).chain(arguments.iter().map(OsString::as_os_str)).map(quoted).collect();
        line(&format!("{name}: GASNET_PSHM_NODES={processes} {}", shown.join(" ")));
    }
    if wish.only_show {
        return Ok(());
    }
    let error =
        Command::new(&path).arg0(program).args(arguments).env("GASNET_PSHM_NODES", processes.to_string()).exec();
    Err(Failure(format!("{}: {error}", path.display()), NOT_EXECUTABLE))
}

/// Reads the options, up to the program. `None`: help is wanted.
fn understand(words: Vec<OsString>) -> Result<Option<Wish>, Failure> {
    let mut wish = Wish::default();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let text = word.to_string_lossy().into_owned();
        // -np=4, --spawner=fork, -n4
        let (option, mut attached) = match text.split_once('=') {
            Some((option, value)) => (option.to_string(), Some(value.to_string())),
            None => (text.clone(), None),
        };
        let option = match option.strip_prefix("--") {
            Some(long) if !long.is_empty() => format!("-{long}"),
            _ => option,
        };
        let mut option = option.as_str();
        if let Some(number) = option.strip_prefix("-n").filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) {
            (option, attached) = ("-n", Some(number.to_string()));
        }
        let mut value = |of: &str| match attached
            .clone()
            .or_else(|| words.next().map(|word| word.to_string_lossy().into_owned()))
        {
            Some(value) => Ok(value),
            None => Err(Failure::from(format!("{of} needs a value after it"))),
        };
        match option {
            "-n" | "-np" => wish.processes = Some(count(option, &value(option)?)?),
            "-N" => match count("-N", &value("-N")?)? {
                1 => {}
                hosts => return Err(format!("-N {hosts}: smp runs on one host").into()),
            },
            "-c" => drop(count("-c", &value("-c")?)?),
            // Every rank is forked, so it has the whole environment anyway.
            "-E" => drop(value("-E")?),
            "-v" => wish.verbose = true,
            "-t" => wish.only_show = true,
            // Nothing is left behind that could be kept.
            "-k" => {}
            "-spawner" => match value("-spawner")?.as_str() {
                "fork" => {}
                other => return Err(format!("-spawner={other}: smp has only fork").into()),
            },
            "-h" | "-help" => return Ok(None),
            "--" => {
                wish.program = words.collect();
                break;
            }
            _ if text.starts_with('-') => return Err(format!("{text}: no such option (-h for help)").into()),
            _ => {
                wish.program = std::iter::once(word).chain(words).collect();
                break;
            }
        }
    }
    Ok(Some(wish))
}

fn count(of: &str, text: &str) -> Result<u32, Failure> {
    match gasnet::env::parse::int_within(text, 1, gasnet::env::table::MAX_RANKS) {
        Ok(n) => Ok(n as u32),
        Err(allowed) => Err(format!("{of} '{text}': must be {allowed}").into()),
    }
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
    let path = gasnet::env::raw("PATH").unwrap_or_default();
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

fn help(name: &str) -> String {
    format!(
        "usage: {name} -n N [options] [--] program arguments…

Runs a GASNet program as N processes on this machine.

  -n N, -np N      number of processes (without it: GASNET_PSHM_NODES)
  -N 1             number of hosts: smp has one
  -c N             processors for each process: taken, without effect
  -E VARS          variables to pass on: taken, without effect, as all are
  -spawner=fork    what starts the processes: smp has only fork
  -v               show what is run
  -t               show what would be run, and do not run it
  -k               keep temporary files: taken, without effect, as there are none
  -h               this text

The exit code is the job's; 126 if the program cannot be run, 127 if there is none, 1 for other mistakes.
"
    )
}
