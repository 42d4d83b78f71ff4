//! The progress of each rank, and the conclusions for the whole job: ranks that have not entered the barrier,
//! differing collectives, messages in flight. The master of the job merges the standings of several hosts.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::board::TICK_MS;
use super::counts::{REPLY, REQUEST, Sums};
use super::record::{Note, RecordedWait};

/// The waits of a rank's threads that depend on other ranks.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum At {
    Barrier { phase: u32 },
    Collective { team: u64, number: u32, name: String },
}

/// A rank's counts for a peer, and the time since it sent its last message to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair {
    pub peer: u32,
    pub sent: [u32; 2],
    pub taken: [u32; 2],
    pub handled: [u32; 2],
    pub ago_ms: u32,
}

impl Pair {
    pub fn new(peer: u32, sums: Sums, clock: u32) -> Pair {
        let ago = u64::from(clock.wrapping_sub(sums.sent_at)) * TICK_MS;
        let ago_ms = u32::try_from(ago).unwrap_or(u32::MAX);
        Pair { peer, sent: sums.sent, taken: sums.taken, handled: sums.handled, ago_ms }
    }
}

/// One rank.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Standing {
    pub rank: u32,
    pub notified: u32,
    pub stopped: bool,
    pub at: Vec<At>,
    pub pairs: Vec<Pair>,
}

impl Standing {
    /// Adds a thread's wait.
    pub fn wait(&mut self, waiting: &RecordedWait) {
        match waiting.note() {
            Some(Note::Barrier { phase, .. }) => self.at.push(At::Barrier { phase }),
            Some(Note::Collective { team, number, name }) => {
                self.at.push(At::Collective { team, number, name: String::from_utf8_lossy(name).into_owned() });
            }
            _ => {}
        }
    }

    pub fn write(&self, out: &mut Vec<u32>) {
        out.extend([self.rank, self.notified, self.stopped.into(), self.at.len() as u32, self.pairs.len() as u32]);
        for at in &self.at {
            match at {
                At::Barrier { phase } => out.extend([0, *phase]),
                At::Collective { team, number, name } => {
                    out.extend([1, *number, (team >> 32) as u32, *team as u32, name.len() as u32]);
                    out.extend(name.bytes().map(u32::from));
                }
            }
        }
        for pair in &self.pairs {
            let Pair { peer, sent, taken, handled, ago_ms } = *pair;
            out.extend([peer, sent[0], sent[1], taken[0], taken[1], handled[0], handled[1], ago_ms]);
        }
    }

    /// Parses the next standing in `words`; None if there is none, or it is truncated.
    pub fn read(words: &mut impl Iterator<Item = u32>) -> Option<Standing> {
        let mut next = || words.next();
        let mut standing = Standing { rank: next()?, notified: next()?, stopped: next()? != 0, ..Standing::default() };
        let (waits, pairs) = (next()?, next()?);
        for _ in 0..waits {
            standing.at.push(match next()? {
                0 => At::Barrier { phase: next()? },
                _ => {
                    let number = next()?;
                    let team = u64::from(next()?) << 32 | u64::from(next()?);
                    let len = next()?;
                    let name = (0..len).map(|_| next().and_then(char::from_u32)).collect::<Option<String>>()?;
                    At::Collective { team, number, name }
                }
            });
        }
        for _ in 0..pairs {
            standing.pairs.push(Pair {
                peer: next()?,
                sent: [next()?, next()?],
                taken: [next()?, next()?],
                handled: [next()?, next()?],
                ago_ms: next()?,
            });
        }
        Some(standing)
    }
}

/// `ranks 0, 2 and 5-7`.
pub(crate) fn ranks(list: &[u32]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &rank in list {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == rank => *last = rank,
            _ => runs.push((rank, rank)),
        }
    }
    let texts: Vec<String> = runs
        .iter()
        .flat_map(|&(first, last)| match last - first {
            0 => vec![first.to_string()],
            1 => vec![first.to_string(), last.to_string()],
            _ => vec![format!("{first}-{last}")],
        })
        .collect();
    let word = if list.len() == 1 { "rank" } else { "ranks" };
    match texts.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{word} {} and {last}", others.join(", ")),
        _ => format!("{word} {}", texts.concat()),
    }
}

/// Formats a number of seconds.
pub(crate) fn seconds(ms: u64) -> String {
    if ms < 10_000 { format!("{:.1} s", ms as f64 / 1000.0) } else { format!("{} s", ms / 1000) }
}

/// The conclusions from all standings, in lines. `missing`: ranks without information.
pub(crate) fn summary(all: &[Standing]) -> String {
    let mut text = String::new();
    barrier(all, &mut text);
    collectives(all, &mut text);
    let stopped: Vec<u32> = all.iter().filter(|standing| standing.stopped).map(|standing| standing.rank).collect();
    if !stopped.is_empty() {
        let _ = writeln!(text, "    stopped by a signal (kill -CONT lets them go on): {}", ranks(&stopped));
    }
    messages(all, &mut text);
    text
}

fn barrier(all: &[Standing], text: &mut String) {
    let in_phase = |at: &At| match at {
        At::Barrier { phase } => Some(*phase),
        At::Collective { .. } => None,
    };
    let Some(phase) = all.iter().flat_map(|standing| standing.at.iter().filter_map(in_phase)).max() else { return };
    let rank_if = |keep: &dyn Fn(&Standing) -> bool| -> Vec<u32> {
        all.iter().filter(|standing| keep(standing)).map(|standing| standing.rank).collect()
    };
    let waiting = rank_if(&|standing| standing.at.contains(&At::Barrier { phase }));
    // Phases wrap.
    let missing = rank_if(&|standing| (phase.wrapping_sub(standing.notified) as i32) > 0);
    let verb = if waiting.len() == 1 { "waits" } else { "wait" };
    let _ = write!(text, "    barrier phase {phase}: {} {verb}", ranks(&waiting));
    match missing.len() {
        0 => _ = writeln!(text, "; every rank has come"),
        1 => _ = writeln!(text, "; {} has not come", ranks(&missing)),
        _ => _ = writeln!(text, "; {} have not come", ranks(&missing)),
    }
}

fn collectives(all: &[Standing], text: &mut String) {
    let mut teams: BTreeMap<u64, BTreeMap<(u32, &str), Vec<u32>>> = BTreeMap::new();
    for standing in all {
        for at in &standing.at {
            if let At::Collective { team, number, name } = at {
                teams.entry(*team).or_default().entry((*number, name)).or_default().push(standing.rank);
            }
        }
    }
    for (team, calls) in teams {
        for ((number, name), members) in &calls {
            let _ = writeln!(text, "    team {team:#x}: {} in collective {number}, {name}", ranks(members));
        }
        let numbers: Vec<u32> = calls.keys().map(|&(number, _)| number).collect();
        if numbers.windows(2).any(|pair| pair[0] == pair[1]) {
            let _ = writeln!(text, "    team {team:#x}: its members have called different collectives: a mismatch");
        } else if numbers.len() > 1 {
            let _ = writeln!(text, "    team {team:#x}: its members have not come equally far");
        }
    }
}

fn messages(all: &[Standing], text: &mut String) {
    let of: BTreeMap<(u32, u32), &Pair> =
        all.iter().flat_map(|standing| standing.pairs.iter().map(|pair| ((standing.rank, pair.peer), pair))).collect();
    let known = |rank: u32| all.iter().any(|standing| standing.rank == rank);
    let mut any = false;
    for (&(from, to), pair) in &of {
        if !known(to) {
            continue;
        }
        let got = of.get(&(to, from));
        for (traffic, name) in [(REQUEST, "request"), (REPLY, "reply")] {
            let handled = got.map_or(0, |got| got.handled[traffic]);
            let under_way = pair.sent[traffic].wrapping_sub(handled);
            // The two counts were read at different moments.
            if under_way == 0 || under_way > u32::MAX / 2 {
                continue;
            }
            any = true;
            let taken = got.map_or(0, |got| got.taken[traffic]).wrapping_sub(handled).min(under_way);
            let name = match (under_way, name) {
                (1, name) => name.to_string(),
                (_, "reply") => "replies".to_string(),
                (_, name) => format!("{name}s"),
            };
            let _ = write!(
                text,
                "    in flight: {under_way} {name} from rank {from} to rank {to}, the last sent about {} ago",
                seconds(pair.ago_ms.into())
            );
            let _ = match taken {
                0 => writeln!(text, "; not taken"),
                taken if taken == under_way => writeln!(text, "; in their handlers"),
                taken => writeln!(text, "; {taken} in their handlers, the others not taken"),
            };
        }
    }
    if !any {
        let _ = writeln!(text, "    no message is in flight");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(rank: u32, notified: u32, at: &[At]) -> Standing {
        Standing { rank, notified, at: at.to_vec(), ..Standing::default() }
    }

    #[test]
    fn a_standing_is_read_as_it_was_written() {
        let pair = Pair { peer: 3, sent: [1, 2], taken: [3, 4], handled: [5, 6], ago_ms: 7 };
        let call = At::Collective { team: 1 << 40 | 9, number: 5, name: "broadcast".to_string() };
        let mut one = rank(4, 2, &[At::Barrier { phase: 3 }, call]);
        one.pairs.push(pair);
        let mut words = Vec::new();
        one.write(&mut words);
        rank(5, 0, &[]).write(&mut words);
        let whole = words.len();
        let mut words = words.into_iter();
        assert_eq!(Standing::read(&mut words), Some(one.clone()));
        assert_eq!(Standing::read(&mut words), Some(rank(5, 0, &[])));
        assert_eq!(Standing::read(&mut words), None);
        let mut words = Vec::new();
        one.write(&mut words);
        (0..whole.min(words.len()) - 1)
            .for_each(|cut| assert_eq!(Standing::read(&mut words[..cut].iter().copied()), None));
    }

    #[test]
    fn who_is_missing_in_the_barrier_is_named() {
        let at = [At::Barrier { phase: 3 }];
        let all = [rank(0, 3, &at), rank(1, 3, &at), rank(2, 2, &[]), rank(3, 3, &at)];
        let text = summary(&all);
        assert!(text.contains("barrier phase 3: ranks 0, 1 and 3 wait; rank 2 has not come"), "{text}");
    }

    #[test]
    fn different_collectives_under_one_number_are_a_mismatch() {
        let call = |name: &str| At::Collective { team: 0, number: 5, name: name.to_string() };
        let text = summary(&[rank(0, 0, &[call("broadcast")]), rank(1, 0, &[call("barrier")])]);
        assert!(text.contains("different collectives"), "{text}");
    }

    #[test]
    fn a_message_is_in_flight_until_it_is_handled() {
        let pair = |peer, sent, handled| Pair {
            peer,
            sent: [sent, 0],
            taken: [handled, 0],
            handled: [handled, 0],
            ago_ms: 2500,
        };
        let mut all = [rank(0, 0, &[]), rank(1, 0, &[])];
        all[0].pairs.push(pair(1, 2, 0));
        let text = summary(&all);
        assert!(
            text.contains("in flight: 2 requests from rank 0 to rank 1, the last sent about 2.5 s ago; not taken"),
            "{text}"
        );
        all[1].pairs.push(pair(0, 0, 2));
        assert!(summary(&all).contains("no message is in flight"));
    }

    #[test]
    fn lists_of_ranks_are_short() {
        assert_eq!(ranks(&[4]), "rank 4");
        assert_eq!(ranks(&[0, 1]), "ranks 0 and 1");
        assert_eq!(ranks(&[0, 2, 5, 6, 7]), "ranks 0, 2 and 5-7");
    }
}
