//! Fault injection on the sending side: `loss=1%,dup=1%,reorder=5%,corrupt=0.1%,delay=10ms,seed=7`. The fault of a datagram
//! depends only on the seed, the rank, and the number of datagrams sent before.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::defs::rank::JobRank;

/// The faults to inject; shares are between 0 and 1.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Faults {
    pub loss: f64,
    pub dup: f64,
    pub reorder: f64,
    pub corrupt: f64,
    pub delay_ns: u64,
    pub seed: u64,
}

/// The longest delay that is accepted.
const MOST_DELAY_NS: f64 = 60e9;

impl Faults {
    /// Parses a list as in the head of this file. The error names the wrong item and the accepted ones.
    pub fn parse(text: &str) -> Result<Faults, String> {
        let mut faults = Faults::default();
        for item in text.split(',').map(str::trim).filter(|item| !item.is_empty()) {
            let (name, value) =
                item.split_once('=').ok_or_else(|| format!("{item}: not of the form NAME=VALUE, as in loss=1%"))?;
            let (name, value) = (name.trim(), value.trim());
            match name {
                "loss" => faults.loss = share(item, value)?,
                "dup" => faults.dup = share(item, value)?,
                "reorder" => faults.reorder = share(item, value)?,
                "corrupt" => faults.corrupt = share(item, value)?,
                "delay" => faults.delay_ns = delay(item, value)?,
                "seed" => faults.seed = value.parse().map_err(|_| format!("{item}: not an integer of 64 bits"))?,
                _ => return Err(format!("{name}: not one of loss, dup, reorder, corrupt, delay, seed")),
            }
        }
        Ok(faults)
    }

    pub fn are_none(&self) -> bool {
        Faults { seed: 0, ..*self } == Faults::default()
    }
}

fn share(item: &str, value: &str) -> Result<f64, String> {
    let (number, scale) = value.strip_suffix('%').map_or((value, 1.0), |number| (number, 0.01));
    match number.trim().parse::<f64>() {
        Ok(number) if (0.0..=1.0).contains(&(number * scale)) => Ok(number * scale),
        _ => Err(format!("{item}: not a share between 0% and 100%, as in 1% or 0.01")),
    }
}

fn delay(item: &str, value: &str) -> Result<u64, String> {
    let at = value.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(value.len());
    let scale = match &value[at..] {
        "us" => Some(1e3),
        "ms" => Some(1e6),
        "s" => Some(1e9),
        "" if value == "0" => Some(0.0),
        _ => None,
    };
    match (value[..at].parse::<f64>(), scale) {
        (Ok(number), Some(scale)) if number * scale <= MOST_DELAY_NS => Ok((number * scale) as u64),
        _ => Err(format!("{item}: not a time up to 60s, as in 10ms, 500us or 1s")),
    }
}

/// Random numbers from a seed (Steele, Lea, Flood: splitmix64).
#[derive(Clone, Debug)]
pub struct Chance(pub u64);

impl Chance {
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.draw()) * u128::from(end)) >> 64) as u64
    }

    pub fn hits(&mut self, share: f64) -> bool {
        (self.draw() >> 11) as f64 / ((1u64 << 53) as f64) < share
    }
}

/// A delayed datagram, ordered by time.
type DelayedDatagram = Reverse<(u64, u64, u32, Vec<u8>)>;

/// Stands between the engine and the socket of one rank.
pub struct Faulty {
    faults: Faults,
    chance: Chance,
    count: u64,
    late: BinaryHeap<DelayedDatagram>,
}

/// The longest delay of a datagram that is to be reordered.
const OVERTAKEN_NS: u64 = 500_000;

impl Faulty {
    pub fn new(faults: Faults, me: JobRank) -> Faulty {
        let mut chance = Chance(faults.seed ^ u64::from(me.0) << 32);
        chance.draw();
        Faulty { faults, chance, count: 0, late: BinaryHeap::new() }
    }

    /// Sends a datagram at `now`: `out` gets the copies that leave at once; delayed ones leave through [`Faulty::pass`].
    pub fn send(&mut self, now: u64, to: JobRank, bytes: &[u8], out: &mut dyn FnMut(JobRank, &[u8])) {
        let copies = if self.chance.hits(self.faults.dup) { 2 } else { 1 };
        for _ in 0..copies {
            let lost = self.chance.hits(self.faults.loss);
            let corrupt = self.chance.hits(self.faults.corrupt).then(|| self.chance.draw());
            let overtaken = self.chance.hits(self.faults.reorder).then(|| self.chance.below(OVERTAKEN_NS));
            if lost {
                continue;
            }
            let mut changed = Vec::new();
            let mut bytes = bytes;
            if let (Some(random), false) = (corrupt, bytes.is_empty()) {
                changed.extend_from_slice(bytes);
                changed[random as usize % bytes.len()] ^= 1 << (random >> 61);
                bytes = &changed;
            }
            let wait = self.faults.delay_ns + overtaken.unwrap_or(0);
            if wait == 0 {
                out(to, bytes);
            } else {
                self.count += 1;
                self.late.push(Reverse((now + wait, self.count, to.0, bytes.to_vec())));
            }
        }
    }

    /// Sends the delayed datagrams that are due at `now`.
    pub fn pass(&mut self, now: u64, out: &mut dyn FnMut(JobRank, &[u8])) {
        while self.due().is_some_and(|due| due <= now) {
            let Some(Reverse((_, _, to, bytes))) = self.late.pop() else { return };
            out(JobRank(to), &bytes);
        }
    }

    /// The time at which the next delayed datagram is due.
    pub fn due(&self) -> Option<u64> {
        self.late.peek().map(|Reverse((due, ..))| *due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_and_what_is_wrong_is_named() {
        let faults = Faults::parse("loss=1%,dup=0.01, reorder=5%,corrupt=0.1%,delay=10ms,seed=7").expect("good");
        let expected = Faults { loss: 0.01, dup: 0.01, reorder: 0.05, corrupt: 0.001, delay_ns: 10_000_000, seed: 7 };
        assert_eq!(faults, expected);
        assert!(Faults::parse("").expect("nothing").are_none());
        assert!(Faults::parse("seed=9,delay=0").expect("nothing").are_none());
        for (bad, told) in [
            ("loss", "loss: not of the form"),
            ("loss=", "loss=: not a share"),
            ("loss=101%", "loss=101%: not a share"),
            ("loss=-1%", "loss=-1%: not a share"),
            ("loss=NaN", "loss=NaN: not a share"),
            ("lost=1%", "lost: not one of loss"),
            ("delay=10", "delay=10: not a time"),
            ("delay=2h", "delay=2h: not a time"),
            ("delay=61s", "delay=61s: not a time"),
            ("seed=x", "seed=x: not an integer"),
        ] {
            let error = Faults::parse(bad).expect_err(bad);
            assert!(error.starts_with(told), "{error}");
        }
    }

    #[test]
    fn the_same_seed_does_the_same_and_shares_are_kept() {
        let faults = Faults::parse("loss=10%,dup=10%,corrupt=10%,reorder=10%,seed=3").expect("good");
        let run = |me| {
            let (mut faulty, mut seen) = (Faulty::new(faults, JobRank(me)), Vec::new());
            for i in 0..10_000u64 {
                let mut out = |to: JobRank, bytes: &[u8]| seen.push((to, bytes.to_vec()));
                faulty.send(i * 1000, JobRank(1), &i.to_le_bytes(), &mut out);
                faulty.pass(i * 1000, &mut out);
            }
            faulty.pass(u64::MAX, &mut |to, bytes| seen.push((to, bytes.to_vec())));
            seen
        };
        let seen = run(0);
        assert_eq!(seen, run(0));
        assert_ne!(seen, run(2));
        assert!((9_600..10_200).contains(&seen.len()));
    }
}
