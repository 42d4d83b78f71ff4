//! Creating teams, collectively over a parent team, and destroying them. The id of a team consists of the rank in
//! the job of one of its creators and a counter of that rank, so it is unique in the job.

use crate::coll::engine::ENGINE;
use crate::coll::near::{self, ArenaPart, Near};
use crate::defs::rank::{JobRank, Location, NodeRank};
use crate::endpoint;
use crate::fatal::usage;
use crate::job::Job;
use crate::sync::atomic::{AtomicU32, Ordering};
use crate::team::{self, SplitArgs, Team};

/// The number of ids that this rank has generated.
static NAMED: AtomicU32 = AtomicU32::new(0);

fn next_name() -> u64 {
    u64::from(NAMED.fetch_add(1, Ordering::Relaxed) + 1)
}

/// The id from the counter `word` of rank `by` of the job.
fn name(by: JobRank, word: u64) -> u64 {
    u64::from(by.0) << 32 | word
}

impl Job {
    /// Splits `parent` by color; each new team is ordered by key, then by rank in `parent`. Returns None for a
    /// member without arguments, which joins no team.
    pub fn team_split(&self, parent: &'static Team, args: Option<SplitArgs>) -> Option<&'static Team> {
        let SplitArgs { color, key } = args.unwrap_or(SplitArgs { color: 0, key: 0 });
        let is_here = |&rank: &u32| self.nbrhd.node_rank(parent.job_rank(rank)).is_some();
        let part = args.and_then(|_| self.near_reserve((0..parent.size()).filter(is_here).count()));
        let joins = u64::from(args.is_some()) << 32;
        let mine = [joins | u64::from(color), u64::from(key as u32), next_name(), near::part_word(part)];
        let all = self.gather_words(parent, mine);
        args?;
        let mut members: Vec<(i32, u32)> = (0..)
            .zip(&all)
            .filter(|(_, given)| given[0] == mine[0])
            .map(|(rank, given)| (given[1] as i32, rank))
            .collect();
        members.sort_unstable();
        let rank = members.iter().position(|&(_, rank)| rank == parent.rank())? as u32;
        let first = members.first()?.1;
        let id = name(parent.job_rank(first), all[first as usize][2]);
        let locations: Vec<Location> = members.iter().map(|&(_, rank)| parent.at(rank)).collect();
        let team = team::make(self, &locations, rank, parent.endpoint(), id);
        self.lend(&locations, (first == parent.rank()).then_some(part).flatten(), part);
        self.share(&[(rank, team)], &locations, parent.job_rank(first), all[first as usize][3]);
        Some(team)
    }

    /// Lends the memory `part` that this rank has reserved to the team of `members` if it is `taken`, else frees
    /// it.
    fn lend(&self, members: &[Location], taken: Option<ArenaPart>, part: Option<ArenaPart>) {
        let near: Option<Box<[NodeRank]>> = members.iter().map(|member| self.nbrhd.node_rank(member.rank)).collect();
        self.near_settle(part, near.filter(|members| members.len() > 1 && taken.is_some()));
    }

    /// Attaches the memory that `owner` announced with `word` to this process's members of a new team, and makes the network's group of
    /// it.
    fn share(&self, mine: &[(u32, &'static Team)], members: &[Location], owner: JobRank, word: u64) {
        if let [(_, team)] = mine {
            self.native_group(team);
        }
        let Some(part) = near::word_part(word).filter(|_| members.len() > 1) else { return };
        let ranks: Vec<JobRank> = members.iter().map(|member| member.rank).collect();
        for &(rank, team) in mine {
            if let Some(near) = Near::new(self, &ranks, rank as usize, owner, part) {
                team.set_near(near);
            }
        }
    }

    /// Creates the team of `members`, unless that is empty. Returns this process's members of it, by rank.
    pub fn team_create(&self, parent: &'static Team, members: &[Location]) -> Vec<&'static Team> {
        let part = self.near_reserve(members.len());
        let mine = [members.len() as u64, digest(members), next_name(), near::part_word(part)];
        let all = self.gather_words(parent, mine);
        // The first of the creators of this team generates its id and provides its memory.
        let Some(by) = all.iter().position(|given| given[..2] == mine[..2]) else { return Vec::new() };
        let owner = parent.job_rank(by as u32);
        let id = name(owner, all[by][2]);
        self.lend(members, (by == parent.rank() as usize).then_some(part).flatten(), part);
        let teams: Vec<(u32, &'static Team)> = (0..)
            .zip(members)
            .filter(|(_, member)| member.rank == self.me)
            .filter_map(|(rank, member)| Some((rank, team::make(self, members, rank, endpoint::at(member.ep)?, id))))
            .collect();
        self.share(&teams, members, owner, all[by][3]);
        teams.into_iter().map(|(_, team)| team).collect()
    }

    /// Creates another team of the members of `team`.
    pub fn team_duplicate(&self, team: &'static Team) -> &'static Team {
        let part = if team.rank() == 0 { self.near_reserve(team.size() as usize) } else { None };
        let all = self.gather_words(team, [next_name(), near::part_word(part)]);
        let id = name(team.job_rank(0), all[0][0]);
        let members: Vec<Location> = (0..team.size()).map(|rank| team.at(rank)).collect();
        self.lend(&members, part, part);
        let new = team::make(self, &members, team.rank(), team.endpoint(), id);
        self.share(&[(team.rank(), new)], &members, team.job_rank(0), all[0][1]);
        new
    }

    /// Destroys `team` on this member. Ends the job if this is not allowed.
    pub fn team_end(&self, call: &str, team: &'static Team) {
        if team.is_primordial() {
            usage!(call, "the team is the primordial one, which lives as long as the job");
        }
        let in_flight = ENGINE.count_of(self, team);
        if self.team_forget(team) | self.images_forget(team) || in_flight != 0 || !self.native_disband(team) {
            usage!(call, "collectives over the team are still in flight on this rank");
        }
        self.coll_forget_calls(team);
        team.leave_near();
        team.end();
    }
}

/// A hash (FNV-1a) of a list of members, which distinguishes the lists of one call.
fn digest(members: &[Location]) -> u64 {
    members
        .iter()
        .flat_map(|member| [member.rank.0, member.ep.into()])
        .fold(0xcbf2_9ce4_8422_2325, |digest, word| (digest ^ u64::from(word)).wrapping_mul(0x0100_0000_01b3))
}
