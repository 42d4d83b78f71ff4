//! A meeting of all ranks by messages, which no rank waits for: dissemination, where in round `n` each rank sends to the one 2^n above it.

use crate::defs::rank::JobRank;

pub(crate) struct Rounds {
    me: u32,
    size: u32,
    /// The rounds that have begun here; 0: this rank has not come.
    begun: u32,
    /// Bits of those in which a message has arrived.
    arrived: u64,
}

impl Rounds {
    pub(crate) fn new(me: JobRank, size: u32) -> Rounds {
        Rounds { me: me.0, size, begun: 0, arrived: 0 }
    }

    pub(crate) fn arrived(&mut self, round: u32) {
        self.arrived |= 1 << (round & 63);
    }

    /// Of all rounds.
    fn count(&self) -> u32 {
        self.size.next_power_of_two().trailing_zeros()
    }

    /// The rank to which a round that begins now sends, and its number; None: nothing can begin now.
    pub(crate) fn next(&mut self) -> Option<(JobRank, u32)> {
        let round = self.begun;
        let may = round < self.count() && (round == 0 || self.arrived >> (round - 1) & 1 == 1);
        may.then(|| {
            self.begun += 1;
            (JobRank((self.me + (1 << round)) % self.size), round)
        })
    }

    /// All ranks have come.
    pub(crate) fn is_over(&self) -> bool {
        let all = self.count();
        self.begun == all && (all == 0 || self.arrived >> (all - 1) & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_over_when_all_ranks_have_come_and_not_before() {
        for size in 1..20u32 {
            for late in 0..size {
                let mut ranks: Vec<Rounds> = (0..size).map(|me| Rounds::new(JobRank(me), size)).collect();
                let step = |come: &dyn Fn(u32) -> bool, ranks: &mut Vec<Rounds>| {
                    for _ in 0..size {
                        for me in (0..size).filter(|me| come(*me)) {
                            while let Some((to, round)) = ranks[me as usize].next() {
                                ranks[to.index()].arrived(round);
                            }
                        }
                    }
                };
                step(&|me| me != late, &mut ranks);
                assert!(size == 1 || ranks.iter().all(|rank| !rank.is_over()), "{size} {late}");
                step(&|_| true, &mut ranks);
                assert!(ranks.iter().all(Rounds::is_over), "{size} {late}");
            }
        }
    }
}
