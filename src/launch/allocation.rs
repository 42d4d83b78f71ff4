//! The hosts that a batch system has given to this job, from its variables and files.

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
    if words.len() % 2 != 0 {
        return Err(format!("'{}': a number must follow each host", text.trim()));
    }
    hosts::file(&words.chunks(2).map(|pair| pair.join(" ")).collect::<Vec<_>>().join("\n"))
}

/// Lines of host, slots, queue and processors.
fn of_grid_engine(text: &str) -> Result<Vec<HostEntry>, String> {
    let pair = |line: &str| line.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
    hosts::file(&text.lines().map(pair).collect::<Vec<_>>().join("\n"))
}

/// `list` as in `n[1-3,7],m`; `tasks` as in `2(x3),1`.
fn of_slurm(list: &str, tasks: &str) -> Result<Vec<HostEntry>, String> {
    let mut hosts = Vec::new();
    for word in parts(list).into_iter().map(str::trim).filter(|word| !word.is_empty()) {
        let names = expanded(word).ok_or_else(|| format!("'{word}' is not a list of hosts as Slurm writes them"))?;
        hosts.extend(names.into_iter().map(|name| HostEntry { name, slots: 1 }));
    }
    for (host, slots) in hosts.iter_mut().zip(slots_of_slurm(tasks)) {
        host.slots = slots.max(1);
    }
    Ok(hosts)
}

/// `text` split at its commas outside of brackets.
fn parts(text: &str) -> Vec<&str> {
    let mut depth = 0;
    text.split(|c: char| {
        depth += i32::from(c == '[') - i32::from(c == ']');
        c == ',' && depth == 0
    })
    .collect()
}

/// The names that `word` stands for: in each pair of brackets numbers and ranges, such as `a[1-2,08-10]b[0-1]`, of which the
/// last varies fastest. `None`: of another form, or too many.
fn expanded(word: &str) -> Option<Vec<String>> {
    const MOST: usize = 1 << 20;
    let mut names = vec![String::new()];
    let mut rest = word;
    while let Some((before, after)) = rest.split_once('[') {
        let (inside, after) = after.split_once(']')?;
        let mut numbers = Vec::new();
        for range in inside.split(',') {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let (from, to) = (first.parse::<u32>().ok()?, last.parse::<u32>().ok()?);
            if to < from || (to - from) as usize >= MOST - numbers.len() {
                return None;
            }
            // Zeros before the first number say how long all are.
            numbers.extend((from..=to).map(|number| format!("{number:0width$}", width = first.len())));
        }
        if names.len() * numbers.len() > MOST {
            return None;
        }
        let with =
            |name: &String| numbers.iter().map(move |number| format!("{name}{before}{number}")).collect::<Vec<_>>();
        names = names.iter().flat_map(with).collect();
        rest = after;
    }
    if rest.contains(']') {
        return None;
    }
    names.iter_mut().for_each(|name| name.push_str(rest));
    Some(names)
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
        assert_eq!(
            shown(of_slurm("a[1-2,08-10]-x[0-1],m", "3(x2),1")),
            "a1-x0:3 a1-x1:3 a2-x0:1 a2-x1:1 a08-x0:1 a08-x1:1 a09-x0:1 a09-x1:1 a10-x0:1 a10-x1:1 m:1"
        );
        for bad in ["a[", "a[1-", "a[2-1]", "a]", "a[x]", "a[0-9999999]", "a[1-1000][1-2000]"] {
            assert!(of_slurm(bad, "").is_err_and(|why| why.contains(bad)), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in ".*", number in any::<u32>(), times in any::<u32>()) {
            let _ = (of_pairs(&text), of_grid_engine(&text), slots_of_slurm(&text), of_slurm(&text, &text));
            let _ = slots_of_slurm(&format!("{number}(x{})", times % 0x20_0000));
        }
    }
}
