//! Starting the first process of each host of a job: the common part of all methods, and the choice between them.

use crate::env;
use crate::env::parse;
use crate::launch::allocation;
use crate::launch::hosts;
use crate::launch::hosts::{Distribution, HostEntry, HostInfo};
use crate::os::children;
use crate::places;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdin};

/// The program to run: an executable and its argument vector, name included.
#[derive(Clone, Debug)]
pub struct Program {
    pub path: PathBuf,
    pub argv: Vec<OsString>,
    pub dir: PathBuf,
}

/// A process that was started for a host, or for several.
pub(crate) struct StartedProcess {
    pub child: Child,
    /// Its stdin, if the master writes to it.
    pub stdin: Option<ChildStdin>,
    /// Its stderr, if the master forwards it.
    pub stderr: Option<ChildStderr>,
    /// The first bytes to write to its stdin.
    pub input: Vec<u8>,
    /// The job's stdin is forwarded to it afterwards.
    pub has_stdin: bool,
    /// Its name in messages.
    pub what: String,
}

/// The reason why a process was not started.
pub(crate) fn why_not(error: &std::io::Error) -> String {
    match error.raw_os_error() {
        Some(libc::EAGAIN) => format!("{error}; a limit on processes is reached: {}", children::process_limits()),
        _ => error.to_string(),
    }
}

/// How processes are started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SpawnMethod {
    Local,
    Ssh,
    Command,
    /// An external launcher has started them (master/external.rs).
    External,
}

/// The placement of the ranks.
#[derive(Clone, Debug)]
pub(crate) struct Placement {
    pub how: SpawnMethod,
    /// The hosts; empty if only the command knows them.
    pub hosts: Vec<HostInfo>,
    /// All hosts that were listed.
    pub listed: Vec<String>,
    pub distribution: Distribution,
}

/// Reads from the environment how and where to start `size` ranks; `most_hosts` bounds the hosts that are used.
pub(crate) fn placement(size: u32, most_hosts: Option<u32>) -> Result<Placement, String> {
    let named = named_hosts()?;
    let asked = env::spawn_str("GASNET_SPAWNFN");
    let simulated = env::int("GASNET_UDP_LOCAL_HOSTS") as usize;
    // Another machine's ssh may be forbidden where a batch system gave this host alone.
    let given = if named.is_none() && asked.as_deref() != Some("L") && simulated == 1 {
        allocation::hosts()?.filter(|hosts| hosts.len() > 1 || !hosts.iter().all(|host| is_own_node(&host.name)))
    } else {
        None
    };
    let listed = named.or(given);
    let distribution = env::str("GASNET_PLACEMENT").unwrap_or_default();
    let distribution = Distribution::parse(&distribution).map_err(|why| format!("GASNET_PLACEMENT={why}"))?;
    let command = env::spawn_str("GASNET_CSPAWN_CMD").filter(|command| !command.trim().is_empty());
    let how = match asked.as_deref() {
        Some("L") => SpawnMethod::Local,
        Some("S") => SpawnMethod::Ssh,
        Some(_) => SpawnMethod::Command,
        None if command.is_some() => SpawnMethod::Command,
        None if listed.is_some() => SpawnMethod::Ssh,
        None => SpawnMethod::Local,
    };
    let mut entries = listed.unwrap_or_default();
    match how {
        SpawnMethod::Local => {
            if simulated > 1 || entries.is_empty() {
                entries = vec![HostEntry { name: "localhost".to_string(), slots: 1 }; simulated];
            }
            if let Some(far) = entries.iter().find(|entry| !is_here(&entry.name)) {
                return Err(format!(
                    "GASNET_SPAWNFN=L starts processes on this machine only, but host {} is listed; GASNET_SPAWNFN=S uses ssh",
                    far.name
                ));
            }
        }
        SpawnMethod::Ssh => {
            entries = hosts::merged(entries);
            if entries.is_empty() {
                return Err(
                    "GASNET_SPAWNFN=S needs hosts: name them in GASNET_SSH_SERVERS or GASNET_SSH_NODEFILE; no batch system has \
                     given any either"
                        .into()
                );
            }
        }
        SpawnMethod::Command if command.is_none() => {
            return Err("GASNET_SPAWNFN=C needs a command: GASNET_CSPAWN_CMD, as in 'srun -n %N %C'".to_string());
        }
        SpawnMethod::Command | SpawnMethod::External => {}
    }
    let mut listed: Vec<_> = entries.iter().map(|entry| entry.name.clone()).collect();
    if how == SpawnMethod::Command {
        // There are no more hosts than processes.
        listed.truncate(size as usize);
        return Ok(Placement { how, hosts: Vec::new(), listed, distribution });
    }
    if let Some(most) = most_hosts {
        if (entries.len() as u32) < most {
            return Err(format!("{most} hosts are wanted (-N), but {} listed", entries.len()));
        }
        entries.truncate(most as usize);
        // Evenly, regardless of the slots.
        entries.iter_mut().for_each(|entry| entry.slots = size.div_ceil(most));
    }
    let hosts = hosts::placed(&entries, size, distribution);
    places::check_size(size.into(), hosts.iter().map(|host| host.ranks.count()).max().unwrap_or(0).into())?;
    Ok(Placement { how, hosts, listed, distribution })
}

/// The hosts that the user names.
pub fn named_hosts() -> Result<Option<Vec<HostEntry>>, String> {
    for name in ["GASNET_SSH_SERVERS", "GASNET_CSPAWN_SERVERS"] {
        if let Some(text) = env::spawn_str(name).filter(|text| !text.trim().is_empty()) {
            let hosts = hosts::list(&text).map_err(|why| format!("{name}: {why}"))?;
            return Ok(Some(hosts).filter(|hosts| !hosts.is_empty()));
        }
    }
    for name in ["GASNET_SSH_NODEFILE", "GASNET_NODEFILE"] {
        if let Some(path) = env::spawn_str(name).filter(|path| !path.is_empty()) {
            let text = std::fs::read_to_string(&path).map_err(|error| format!("{name}={path}: {error}"))?;
            let hosts = hosts::file(&text).map_err(|why| format!("{name}={path}: {why}"))?;
            if hosts.is_empty() {
                return Err(format!("{name}={path}: names no host"));
            }
            return Ok(Some(hosts));
        }
    }
    Ok(None)
}

fn is_here(name: &str) -> bool {
    let own = crate::os::host::name().to_string_lossy();
    matches!(name, "localhost" | "127.0.0.1" | "::1") || name == own
}

/// Whether a batch system's name of a host, with or without a domain, stands for this machine.
fn is_own_node(name: &str) -> bool {
    let own = crate::os::host::name().to_string_lossy();
    let first = |name: &str| name.split('.').next().unwrap_or_default().to_string();
    let is_same = name.contains('.') != own.contains('.') && first(name) == first(&own);
    is_here(name) || is_same || env::raw("SLURMD_NODENAME").is_some_and(|own| own == name)
}

/// A yes/no of the spawner.
pub(crate) fn yes(name: &str) -> Option<bool> {
    // A value that is neither has been refused by the look-up.
    env::spawn_str(name).and_then(|text| parse::yes(&text).ok())
}

/// The words of `text` as a shell splits them: blanks separate, quotes and backslashes hold together. Nothing is
/// expanded.
pub fn words(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            c if c.is_whitespace() => words.extend(word.take()),
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        Some(end) if end == c => break,
                        Some('\\') if c == '"' => word.extend(chars.next()),
                        Some(inner) => word.push(inner),
                        None => return Err(format!("'{text}': a quote is not closed")),
                    }
                }
            }
            '\\' => word.get_or_insert_default().extend(chars.next()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

/// A command line from `template`, the value of setting `name`: `value` gives the text for the letter after each `%`, and
/// `letters` lists those letters for the error.
pub fn filled(
    name: &str,
    template: &str,
    letters: &str,
    value: impl Fn(char) -> Option<Vec<u8>>,
) -> Result<OsString, String> {
    let mut line = Vec::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('%') {
        line.extend_from_slice(before.as_bytes());
        let mut chars = after.chars();
        match chars.next() {
            Some('%') => line.push(b'%'),
            other => match other.and_then(&value) {
                Some(text) => line.extend(text),
                None => {
                    let other = other.map(String::from).unwrap_or_default();
                    return Err(format!("{name}: %{other} is unknown; there are {letters} and %%"));
                }
            },
        }
        rest = chars.as_str();
    }
    line.extend_from_slice(rest.as_bytes());
    Ok(OsString::from_vec(line))
}

/// `words` as words of a POSIX shell's line, with blanks between them.
pub fn quoted_all<'a>(words: impl IntoIterator<Item = &'a OsStr>) -> Vec<u8> {
    words.into_iter().map(quoted).collect::<Vec<_>>().join(&b' ')
}

/// `word` as one word of a POSIX shell's line: plain text as it is, the rest quoted.
pub fn quoted(word: &OsStr) -> Vec<u8> {
    let bytes = word.as_bytes();
    let plain = |&c: &u8| c.is_ascii_alphanumeric() || b"-_./:,+@%".contains(&c);
    if !bytes.is_empty() && bytes.iter().all(plain) {
        return bytes.to_vec();
    }
    let mut out = vec![b'\''];
    for &byte in bytes {
        match byte {
            b'\'' => out.extend_from_slice(b"'\\''"),
            _ => out.push(byte),
        }
    }
    out.push(b'\'');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_are_split_as_a_shell_does() {
        assert_eq!(
            words(r#"  ssh -o "User Name=x y" 'a"b' c\ d "" "#).unwrap(),
            ["ssh", "-o", "User Name=x y", "a\"b", "c d", ""]
        );
        assert!(words("'a").is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn a_quoted_word_of_any_bytes_comes_out_of_a_shell_as_it_was(bytes in proptest::collection::vec(1u8.., 0..60)) {
            let word = OsString::from_vec(bytes.clone());
            let mut line = b"printf %s ".to_vec();
            line.extend(quoted(&word));
            let out = std::process::Command::new("sh").arg("-c").arg(OsString::from_vec(line)).output().unwrap();
            prop_assert_eq!(out.stdout, bytes);
        }
    }
}
