//! The hosts that a batch system has given to this job, from its variables and files.

use std::process::Command;

use crate::env;
use crate::launch::hosts::{self, HostEntry};

/// Files that name a host in each line, as often as it has slots.
const FILES: [&str; 3] = ["PBS_NODEFILE", "COBALT_NODEFILE", "LSB_DJOB_HOSTFILE"];

/// The hosts with their slots, each once; `None`: no batch system has given any.
pub(crate) fn hosts() -> Result<Option<Vec<HostEntry>>, String> {
    let set = |name: &str| env::raw(name).filter(|text| !text.trim().is_empty());
    let found = if let Some(list) = set("SLURM_JOB_NODELIST") {
        Some(("SLURM_JOB_NODELIST", of_slurm(&list, &set("SLURM_TASKS_PER_NODE").unwrap_or_default())))
    } else if let Some(text) = set("LSB_MCPU_HOSTS") {
        Some(("LSB_MCPU_HOSTS", of_pairs(&text)))
    } else if let Some(text) = set("LSB_HOSTS") {
        Some(("LSB_HOSTS", hosts::list(&text)))
    } else if let Some(path) = set("PE_HOSTFILE") {
        Some(("PE_HOSTFILE", read(&path).and_then(|text| of_grid_engine(&text))))
    } else {
        let file = FILES.into_iter().find_map(|name| Some((name, set(name)?)));
        file.map(|(name, path)| (name, read(&path).and_then(|text| hosts::file(&text))))
    };
    let Some((name, found)) = found else { return Ok(None) };
    match found {
        Ok(hosts) if hosts.is_empty() => Err(format!("{name} names no host")),
        Ok(hosts) => Ok(Some(hosts::merged(hosts))),
        Err(why) => Err(format!("{name}: {why}; GASNET_SSH_SERVERS names hosts instead")),
    }
}

fn read(path: &str) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))
}

/// `a 4 b 2`.
fn of_pairs(text: &str) -> Result<Vec<HostEntry>, String> {
    let words: Vec<_> = text.split_whitespace().collect();
    if !words.len().is_multiple_of(2) {
        return Err(format!("'{}': a number must follow each host", text.trim()));
    }
    hosts::file(&words.chunks(2).map(|pair| pair.join(" ")).collect::<Vec<_>>().join("\n"))
}

/// Lines of host, slots, queue and processors.
fn of_grid_engine(text: &str) -> Result<Vec<HostEntry>, String> {
    let pair = |line: &str| line.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
    hosts::file(&text.lines().map(pair).collect::<Vec<_>>().join("\n"))
}

/// `list` as in `n[1-3,7],m`, which Slurm expands itself; `tasks` as in `2(x3),1`.
fn of_slurm(list: &str, tasks: &str) -> Result<Vec<HostEntry>, String> {
    let out = Command::new("scontrol").args(["show", "hostnames", list]).output();
    let out = out.map_err(|error| format!("'scontrol show hostnames {list}' cannot be run: {error}"))?;
    if !out.status.success() {
        let said = String::from_utf8_lossy(&out.stderr);
        return Err(format!("'scontrol show hostnames {list}' fails: {}", said.lines().next().unwrap_or_default()));
    }
    let mut hosts = hosts::file(&String::from_utf8_lossy(&out.stdout))?;
    for (host, slots) in hosts.iter_mut().zip(slots_of_slurm(tasks)) {
        host.slots = slots.max(1);
    }
    Ok(hosts)
}

/// Slots by host; words that are no numbers end the list.
fn slots_of_slurm(tasks: &str) -> Vec<u32> {
    let mut slots = Vec::new();
    for word in tasks.split(',') {
        let (number, times) = word.split_once("(x").unwrap_or((word, "1)"));
        let number = number.trim().parse::<u32>().ok().filter(|&number| number <= 65535);
        let times = times.strip_suffix(')').and_then(|times| times.parse::<u32>().ok());
        let (Some(number), Some(times @ 1..=0x10_0000)) = (number, times) else { break };
        slots.extend(std::iter::repeat_n(number, times as usize));
    }
    slots
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(hosts: Result<Vec<HostEntry>, String>) -> String {
        let of_host = |host: &HostEntry| format!("{}:{}", host.name, host.slots);
        hosts::merged(hosts.unwrap()).iter().map(of_host).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn each_batch_systems_list_is_read() {
        assert_eq!(shown(of_pairs("a 4 b 2")), "a:4 b:2");
        assert!(of_pairs("a 4 b").unwrap_err().contains("a number must follow"));
        assert_eq!(shown(of_grid_engine("a 4 q@a 0,1\nb 2 q@b <NULL>\n")), "a:4 b:2");
        assert_eq!(shown(hosts::file("a\na\nb\n")), "a:2 b:1");
        assert_eq!(slots_of_slurm("2(x3),1"), [2, 2, 2, 1]);
        assert!(slots_of_slurm("").is_empty());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in ".*", number in any::<u32>(), times in any::<u32>()) {
            let _ = (of_pairs(&text), of_grid_engine(&text), slots_of_slurm(&text));
            let _ = slots_of_slurm(&format!("{number}(x{})", times % 0x20_0000));
        }
    }
}
