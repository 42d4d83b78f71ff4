//! `./a.out N arguments…`: a program for a network that was not started as a worker is the master of a new job. It removes
//! its first argument, starts itself on the hosts, and ends with the job's code without returning to its own main.

use crate::env::table::MAX_JOB_RANKS;
use crate::fatal::{fatal, line};
use crate::launch::master::state::Order;
use crate::launch::spawn::Program;
use crate::launch::{master, worker};
use crate::os::process;
use crate::os::streams;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// Joins the job whose master started this process. If none did, starts one (`./a.out N arguments…`) and does not return.
/// `conduit` names the job's conduit, `abi` is the number of the library's interface.
pub fn join(conduit: &str, argv: Option<Vec<OsString>>, abi: u32) -> worker::Joined {
    if worker::is_worker() { worker::join(abi) } else { be_master(conduit, argv, abi) }
}

/// `argv` is the argument vector that the client passed to init, if any.
pub(crate) fn be_master(conduit: &str, argv: Option<Vec<OsString>>, abi: u32) -> ! {
    let whole = command_line();
    let argv = argv.filter(|argv| !argv.is_empty()).unwrap_or_else(|| whole.clone());
    let Some(size) = argv.get(1).and_then(ranks) else {
        usage(conduit, &argv);
    };
    let dir = match std::env::current_dir() {
        Ok(dir) => dir,
        Err(error) => fatal!("the working directory is gone: {error}"),
    };
    let program = Program { path: executable(), argv: without_count(argv, whole), dir };
    streams::flush_streams();
    master::leave(master::run(Order { size, program, hosts: None, abi }))
}

/// Whether the first argument is a number of ranks.
pub(crate) fn has_count(argv: &Option<Vec<OsString>>) -> bool {
    match argv {
        Some(argv) if !argv.is_empty() => argv.get(1).and_then(ranks).is_some(),
        _ => command_line().get(1).and_then(ranks).is_some(),
    }
}

fn ranks(word: &OsString) -> Option<u32> {
    word.to_str()?.parse::<u32>().ok().filter(|&n| (1..=MAX_JOB_RANKS).contains(&n.into()))
}

fn usage(conduit: &str, argv: &[OsString]) -> ! {
    let name = argv.first().map_or("a.out".into(), |name| name.to_string_lossy().into_owned());
    let problem = argv
        .get(1)
        .map_or(String::new(), |word| format!("'{}' is not a number of processes; ", Path::new(word).display()));
    line(&format!(
        "{problem}usage: {name} N arguments…, where N is the number of processes, 1 to {MAX_JOB_RANKS}; or gasnetrun_{conduit} -n N \
         {name} arguments…"
    ));
    process::end_now(1)
}

fn executable() -> PathBuf {
    match std::fs::read_link("/proc/self/exe") {
        Ok(path) if path.exists() => path,
        // The file was replaced since: only this machine has it, under this name.
        _ => PathBuf::from("/proc/self/exe"),
    }
}

/// This process's arguments as the kernel has them.
fn command_line() -> Vec<OsString> {
    let bytes = std::fs::read("/proc/self/cmdline").unwrap_or_default();
    let bytes = bytes.strip_suffix(b"\0").unwrap_or(&bytes);
    bytes.split(|&byte| byte == 0).map(|word| OsString::from_vec(word.to_vec())).collect()
}

/// The arguments of the processes to start. Under an interpreter the client's are only the last ones of `whole`.
fn without_count(argv: Vec<OsString>, whole: Vec<OsString>) -> Vec<OsString> {
    let mut words = if whole.ends_with(&argv[1..]) && whole.len() >= argv.len() { whole } else { argv.clone() };
    words.remove(words.len() - argv.len() + 1);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn the_count_is_taken_away_where_it_stands() {
        assert_eq!(without_count(words("a.out 3 x y"), words("./a.out 3 x y")), words("./a.out x y"));
        assert_eq!(without_count(words("p.py 3 3"), words("python -u p.py 3 3")), words("python -u p.py 3"));
        assert_eq!(without_count(words("a.out 3"), words("a.out -q 4")), words("a.out"));
    }

    #[test]
    fn only_a_number_of_ranks_is_one() {
        for bad in ["", "0", "-1", "abc", "1e9", "1000000000", "1048577", " 2", "2x"] {
            assert_eq!(ranks(&bad.into()), None, "{bad}");
        }
        assert_eq!(ranks(&"1048576".into()), Some(1 << 20));
    }
}
