//! The hosts of a job: lists of hosts as users write them, the placement of ranks on them, and the choice of a machine's
//! addresses. Pure functions from text.

use crate::places::Ranks;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::net::IpAddr;
use std::ops::RangeInclusive;

/// A host of the job and the ranks that it runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostInfo {
    pub name: String,
    pub ranks: Ranks,
}

impl std::fmt::Display for HostInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "host {} ({})", self.name, self.ranks)
    }
}

/// A host's use of a machine.
pub(crate) struct Uses<'a> {
    /// An identity of the running kernel; 0 if unknown.
    pub kernel: u64,
    /// Processors, as bits.
    pub cpus: &'a [u64],
    pub ranks: u32,
}

/// For each host, the ranks of other hosts that use processors of it: hosts may be containers of one machine.
pub(crate) fn beside(hosts: &[Uses<'_>]) -> Vec<u32> {
    let mut of_kernel: HashMap<u64, Vec<&Uses<'_>>> = HashMap::new();
    for host in hosts {
        of_kernel.entry(host.kernel).or_default().push(host);
    }
    let of_host = |here: &Uses<'_>| {
        let shares = |there: &&&Uses<'_>| there.cpus.iter().zip(here.cpus).any(|(theirs, ours)| theirs & ours != 0);
        let all: u32 = of_kernel[&here.kernel].iter().filter(shares).map(|there| there.ranks).sum();
        if here.kernel == 0 { 0 } else { all.saturating_sub(here.ranks) }
    };
    hosts.iter().map(of_host).collect()
}

/// The number of consecutive ranks that a host gets in each round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Distribution(u32);

impl Distribution {
    /// All ranks of a host are consecutive.
    pub const BLOCK: Distribution = Distribution(u32::MAX);
    /// One rank to each host in turn.
    pub const CYCLIC: Distribution = Distribution(1);

    /// `block`, `cyclic` or `plane=N`, in any case.
    pub fn parse(text: &str) -> Result<Distribution, String> {
        let word = text.trim().to_ascii_lowercase();
        let plane = word.strip_prefix("plane=").and_then(|ranks| ranks.parse().ok()).filter(|&ranks| ranks > 0);
        match (word.as_str(), plane) {
            ("block", _) => Ok(Distribution::BLOCK),
            ("cyclic", _) => Ok(Distribution::CYCLIC),
            (_, Some(ranks)) => Ok(Distribution(ranks)),
            _ => Err(format!("'{text}': must be block, cyclic or plane=N, where N is a number of ranks")),
        }
    }
}

/// Distributes ranks to the hosts in turn; host i gets `counts[i]` ranks and is skipped once it has them.
pub(crate) fn dealt(counts: &[u32], distribution: Distribution) -> Vec<Ranks> {
    let mut hosts = vec![Ranks::default(); counts.len()];
    let mut next = 0;
    loop {
        let before = next;
        for (ranks, &count) in hosts.iter_mut().zip(counts) {
            let share = (count - ranks.count()).min(distribution.0);
            ranks.push(next, share);
            next += share;
        }
        if next == before {
            return hosts;
        }
    }
}

/// An entry of a list of hosts, with the number of ranks that the host takes in one round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostEntry {
    pub name: String,
    pub slots: u32,
}

const MOST_SLOTS: u32 = 65535;

/// Hosts separated by commas or blanks: `a b:4 c*2 [fe80::1]:2 user@d`.
pub fn list(text: &str) -> Result<Vec<HostEntry>, String> {
    let words = text.split(|c: char| c == ',' || c.is_whitespace()).filter(|word| !word.is_empty());
    words.map(entry).collect()
}

/// A file of hosts, one a line: `a`, `b:4`, `c slots=2`, `d 2`; `#` begins a comment. A host may be named again.
pub fn file(text: &str) -> Result<Vec<HostEntry>, String> {
    let mut entries = Vec::new();
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default();
        let mut words = line.split(|c: char| c == ',' || c.is_whitespace()).filter(|word| !word.is_empty());
        let Some(first) = words.next() else { continue };
        let mut host = entry(first)?;
        for word in words {
            let number = ["slots=", "cpus=", "count="].iter().find_map(|key| word.strip_prefix(key));
            match (number, word.bytes().all(|c| c.is_ascii_digit())) {
                (Some(number), _) => host.slots = slots(number, line)?,
                (None, true) => host.slots = slots(word, line)?,
                // Words that other launchers use are ignored.
                (None, false) => {}
            }
        }
        entries.push(host);
    }
    Ok(entries)
}

fn slots(text: &str, of: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(n @ 1..=MOST_SLOTS) => Ok(n),
        _ => Err(format!("'{}': a host takes between 1 and {MOST_SLOTS} ranks", of.trim())),
    }
}

fn entry(word: &str) -> Result<HostEntry, String> {
    let (name, number) = if let Some(rest) = word.strip_prefix('[') {
        match rest.split_once(']') {
            Some((name, "")) => (name, None),
            Some((name, rest)) => (name, Some(rest.strip_prefix([':', '*']).ok_or(format!("'{word}' is not a host"))?)),
            None => return Err(format!("'{word}': the bracket is not closed")),
        }
    } else if let Some((name, number)) = word.split_once('*') {
        (name, Some(number))
    } else if word.matches(':').count() == 1 {
        word.split_once(':').map_or((word, None), |(name, number)| (name, Some(number)))
    } else {
        // Several colons: an IPv6 address.
        (word, None)
    };
    // The name becomes a word of a command line.
    if name.is_empty() || name.starts_with('-') || !name.bytes().all(|c| c.is_ascii_graphic()) {
        return Err(format!("'{word}' is not a host"));
    }
    Ok(HostEntry { name: name.to_string(), slots: number.map_or(Ok(1), |number| slots(number, word))? })
}

/// The same host named twice is one host with the slots of both, where it stood first.
pub fn merged(entries: Vec<HostEntry>) -> Vec<HostEntry> {
    let mut hosts: Vec<HostEntry> = Vec::new();
    for entry in entries {
        match hosts.iter_mut().find(|host| host.name == entry.name) {
            Some(host) => host.slots = (host.slots + entry.slots).min(MOST_SLOTS),
            None => hosts.push(entry),
        }
    }
    hosts
}

/// Places `size` ranks on the hosts: each host gets as many ranks as it has slots, in repeated rounds if there are more
/// ranks than slots. The distribution selects the ranks of each host, not their number. Hosts without ranks are omitted.
pub fn placed(entries: &[HostEntry], size: u32, distribution: Distribution) -> Vec<HostInfo> {
    let total: u64 = entries.iter().map(|entry| u64::from(entry.slots)).sum();
    if total == 0 {
        return Vec::new();
    }
    let rounds = (u64::from(size) / total) as u32;
    let mut rest = (u64::from(size) % total) as u32;
    let mut names = Vec::new();
    let mut counts = Vec::new();
    for entry in entries {
        let extra = entry.slots.min(rest);
        rest -= extra;
        let count = rounds * entry.slots + extra;
        if count > 0 {
            names.push(entry.name.clone());
            counts.push(count);
        }
    }
    let ranks = dealt(&counts, distribution);
    names.into_iter().zip(ranks).map(|(name, ranks)| HostInfo { name, ranks }).collect()
}

/// An address, or all addresses with the same first bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Net {
    ip: IpAddr,
    bits: u32,
}

impl Net {
    /// `10.1.2.3`, `10.1.0.0/16`, `fd00::/8`; an IPv4 address that ends in `.0` is the network of that name.
    pub fn parse(text: &str) -> Option<Net> {
        let text = text.trim();
        let (ip, bits) = match text.split_once('/') {
            Some((ip, bits)) => (ip.parse::<IpAddr>().ok()?, Some(bits.parse::<u32>().ok()?)),
            None => (text.trim_matches(['[', ']']).parse().ok()?, None),
        };
        let width = if ip.is_ipv4() { 32 } else { 128 };
        let implied = match ip {
            IpAddr::V4(ip) => 32 - u32::from(ip).trailing_zeros() / 8 * 8,
            IpAddr::V6(_) => 128,
        };
        let bits = bits.unwrap_or(implied);
        (bits <= width).then_some(Net { ip, bits })
    }

    pub fn holds(&self, ip: IpAddr) -> bool {
        let same = |a: u128, b: u128, width: u32| self.bits == 0 || (a ^ b) >> (width - self.bits) == 0;
        match (self.ip, ip) {
            (IpAddr::V4(a), IpAddr::V4(b)) => same(u32::from(a).into(), u32::from(b).into(), 32),
            (IpAddr::V6(a), IpAddr::V6(b)) => same(a.into(), b.into(), 128),
            _ => false,
        }
    }
}

/// `5000-5999`, or one port.
pub(crate) fn ports(text: &str) -> Option<RangeInclusive<u16>> {
    let (first, last) = text.trim().split_once('-').unwrap_or((text.trim(), text.trim()));
    let (first, last) = (first.trim().parse::<u16>().ok()?, last.trim().parse::<u16>().ok()?);
    (first > 0 && first <= last).then_some(first..=last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn names(entries: &[HostEntry]) -> Vec<(&str, u32)> {
        entries.iter().map(|entry| (entry.name.as_str(), entry.slots)).collect()
    }

    #[test]
    fn containers_of_one_machine_count_the_ranks_that_use_the_same_processors() {
        let of = |hosts: &[(u64, &[u64], u32)]| {
            beside(&hosts.iter().map(|&(kernel, cpus, ranks)| Uses { kernel, cpus, ranks }).collect::<Vec<_>>())
        };
        assert_eq!(of(&[(7, &[3], 2), (7, &[3], 5), (8, &[3], 1)]), [5, 2, 0]);
        assert_eq!(of(&[(7, &[0, 1], 2), (7, &[0, 3], 3), (7, &[1], 4)]), [3, 2, 0], "processors differ");
        assert_eq!(of(&[(0, &[3], 2), (0, &[3], 3)]), [0, 0], "unknown machines");
        assert_eq!(of(&[(7, &[], 2), (7, &[], 3)]), [0, 0], "unknown processors");
    }

    #[test]
    fn a_list_names_hosts_and_their_slots() {
        let hosts = list(" a, b:4\tc*2  [fe80::1]:3,::1,u@d ").unwrap();
        assert_eq!(names(&hosts), [("a", 1), ("b", 4), ("c", 2), ("fe80::1", 3), ("::1", 1), ("u@d", 1)]);
        assert_eq!(list("").unwrap(), []);
        for bad in ["a:0", "a:x", "a:", "a*-1", "[::1", "[::1]x", "-oProxyCommand=x", ":4", "a:65536", "ä"] {
            assert!(list(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_file_names_one_host_a_line() {
        let text = "# machines\na\nb slots=4 max_slots=8\n\nc 2\na\n d:3 # the last\n";
        assert_eq!(names(&file(text).unwrap()), [("a", 1), ("b", 4), ("c", 2), ("a", 1), ("d", 3)]);
        assert_eq!(names(&merged(file(text).unwrap())), [("a", 2), ("b", 4), ("c", 2), ("d", 3)]);
        assert!(file("a slots=0").is_err());
    }

    #[test]
    fn more_ranks_than_slots_go_round_again() {
        let counts = |text: &str, size| -> Vec<u32> {
            placed(&list(text).unwrap(), size, Distribution::BLOCK).iter().map(|host| host.ranks.count()).collect()
        };
        assert_eq!(counts("a,b,c,d", 4), [1, 1, 1, 1]);
        assert_eq!(counts("a,b,c,d", 2), [1, 1]);
        assert_eq!(counts("a,b,c,d", 6), [2, 2, 1, 1]);
        assert_eq!(counts("a:4,b:4", 6), [4, 2]);
        assert_eq!(counts("a:4,b:2", 13), [9, 4]);
        assert_eq!(counts("", 3), [0; 0]);
    }

    #[test]
    fn ranks_are_dealt_in_blocks_in_turn_or_several_at_a_time() {
        let lists = |text: &str, size, how: &str| -> Vec<String> {
            let hosts = placed(&list(text).unwrap(), size, Distribution::parse(how).unwrap());
            hosts.iter().map(HostInfo::to_string).collect()
        };
        assert_eq!(lists("a,b", 6, "block"), ["host a (ranks 0-2)", "host b (ranks 3-5)"]);
        assert_eq!(lists("a,b", 6, "Cyclic"), ["host a (ranks 0, 2, 4)", "host b (ranks 1, 3, 5)"]);
        assert_eq!(lists("a,b", 6, "plane=2"), ["host a (ranks 0-1, 4)", "host b (ranks 2-3, 5)"]);
        // More on one host than on the other: the rest is consecutive.
        assert_eq!(lists("a:4,b:1", 5, "cyclic"), ["host a (ranks 0, 2-4)", "host b (rank 1)"]);
        assert_eq!(lists("a", 3, "cyclic"), ["host a (ranks 0-2)"]);
        for bad in ["", "blocks", "plane", "plane=", "plane=0", "plane=-1", "plane=x", "plane=4294967296"] {
            assert!(Distribution::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_net_holds_what_begins_like_it() {
        let holds = |net: &str, ip: &str| Net::parse(net).unwrap().holds(ip.parse().unwrap());
        assert!(holds("10.1.2.3", "10.1.2.3") && !holds("10.1.2.3", "10.1.2.4"));
        assert!(holds("10.1.0.0/16", "10.1.9.9") && !holds("10.1.0.0/16", "10.2.0.1"));
        assert!(holds("192.168.7.0", "192.168.7.200") && !holds("192.168.7.0", "192.168.8.1"));
        assert!(holds("fd00::/8", "fd12::1") && !holds("fd00::/8", "10.0.0.1"));
        assert!(holds("0.0.0.0/0", "1.2.3.4"));
        for bad in ["", "abc", "10.0.0.0/33", "10.0.0", "::/129", "10.0.0.0/-1"] {
            assert_eq!(Net::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn ports_are_a_range_or_one() {
        assert_eq!(ports("5000-5999"), Some(5000..=5999));
        assert_eq!(ports(" 7 "), Some(7..=7));
        for bad in ["", "0", "0-9", "9-8", "1-65536", "a-b", "-", "5000-"] {
            assert_eq!(ports(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn every_rank_is_placed_once_and_blocks_are_in_order(
            slots in proptest::collection::vec(1u32..9, 1..9), size in 1u32..200, plane in 1u32..9,
        ) {
            let entries: Vec<_> =
                slots.iter().enumerate().map(|(n, &slots)| HostEntry { name: format!("h{n}"), slots }).collect();
            let blocks = placed(&entries, size, Distribution::BLOCK);
            let mut next = 0;
            for host in &blocks {
                prop_assert_eq!(&host.ranks, &Ranks::block(next, host.ranks.count()));
                prop_assert!(host.ranks.count() > 0);
                next += host.ranks.count();
            }
            prop_assert_eq!(next, size);
            let dealt = placed(&entries, size, Distribution(plane));
            let mut seen: Vec<u32> = dealt.iter().flat_map(|host| host.ranks.iter()).map(|rank| rank.0).collect();
            seen.sort_unstable();
            prop_assert_eq!(seen, (0..size).collect::<Vec<_>>());
            for (one, other) in blocks.iter().zip(&dealt) {
                prop_assert_eq!((&one.name, one.ranks.count()), (&other.name, other.ranks.count()));
            }
        }

        #[test]
        fn any_text_is_read_or_refused(text in ".*") {
            let _ = list(&text);
            let _ = file(&text);
            let _ = Distribution::parse(&text);
            let _ = Net::parse(&text);
            let _ = ports(&text);
        }
    }
}
