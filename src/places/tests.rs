use super::*;
use crate::launch::hosts::{Distribution, dealt};
use crate::mem;
use proptest::prelude::*;

/// The host of each rank, as a plain list: hosts are numbered in the order of their first ranks.
fn of_list(list: &[u32]) -> Vec<Ranks> {
    let hosts = list.iter().max().map_or(0, |last| last + 1);
    let on = |host| (0..).map(JobRank).zip(list).filter(move |of| *of.1 == host).map(|of| of.0);
    (0..hosts).map(|host| on(host).collect()).collect()
}

/// Lists in which each number up to the largest occurs.
fn any_list() -> impl Strategy<Value = Vec<u32>> {
    proptest::collection::vec(0u32..7, 1..70).prop_map(|list| {
        let mut known: Vec<u32> = list.clone();
        known.sort_unstable();
        known.dedup();
        list.iter().map(|host| known.partition_point(|at| at < host) as u32).collect()
    })
}

/// All answers of `places` agree with the list.
fn agrees(places: Places, list: &[u32], together: u32) -> Result<(), TestCaseError> {
    prop_assert_eq!(places.size() as usize, list.len());
    let hosts = list.iter().max().map_or(0, |last| last + 1);
    prop_assert_eq!(places.hosts(), hosts);
    let members: Vec<Vec<JobRank>> = (0..hosts)
        .map(|host| (0..).map(JobRank).zip(list).filter(|of| *of.1 == host).map(|of| of.0).collect())
        .collect();
    let mut nbrhds = Vec::new();
    for (host, ranks) in (0..).zip(&members) {
        prop_assert_eq!(places.count(host) as usize, ranks.len());
        prop_assert_eq!(&places.on_host(host).collect::<Vec<_>>(), ranks);
        for (index, &rank) in (0..).map(HostRank).zip(ranks) {
            prop_assert_eq!(places.place(rank), (host, index));
            prop_assert_eq!(places.host(rank), host);
            prop_assert_eq!(places.rank(host, index), rank);
        }
        nbrhds.extend(ranks.chunks(together as usize));
    }
    nbrhds.sort();
    prop_assert_eq!(places.supernodes() as usize, nbrhds.len());
    let leaders: Vec<JobRank> = nbrhds.iter().map(|ranks| ranks[0]).collect();
    prop_assert_eq!(places.leaders().collect::<Vec<_>>(), leaders);
    for (number, ranks) in (0..).zip(&nbrhds) {
        prop_assert_eq!(places.nbrhd(number).collect::<Vec<_>>(), ranks.to_vec());
        for &rank in *ranks {
            prop_assert_eq!(places.supernode(rank), number);
        }
    }
    let local = places.local();
    let own = &members[places.here() as usize];
    let is_block = own.windows(2).all(|pair| pair[0].0 + 1 == pair[1].0);
    prop_assert_eq!(local.len(), if is_block { 0 } else { list.len() });
    for (rank, word) in (0..).map(JobRank).zip(local) {
        let index = own.iter().position(|&own| own == rank).map_or(NOT_LOCAL, |index| index as u32);
        prop_assert_eq!(get(word), index);
    }
    Ok(())
}

proptest! {
    #[test]
    fn a_table_says_what_a_plain_list_of_hosts_says(list in any_list(), together in 1u32..75, here in 0u32..7) {
        let hosts = of_list(&list);
        let places = Places::new(&hosts, here % hosts.len() as u32, together).unwrap();
        agrees(places, &list, together)?;
        agrees(places.alone(), &list, 1)?;
    }

    #[test]
    fn a_copy_in_shared_memory_is_the_same_and_a_changed_word_is_found(
        list in any_list(), together in 1u32..75, at in any::<prop::sample::Index>(), flip in 1u32..,
    ) {
        let places = Places::new(&of_list(&list), 0, together).unwrap();
        let area = Dst::of(mem::bytes_of_mut(vec![7; places.bytes() / 4 + 3].leak()));
        let copy = places.put(area).unwrap();
        let room = area.words_32();
        agrees(copy, &list, together)?;
        let word = &room[at.index(places.bytes() / 4)];
        word.store(get(word) ^ flip, Ordering::Relaxed);
        prop_assert!(Places::open(room).is_err());
        word.store(get(word) ^ flip, Ordering::Relaxed);
        prop_assert!(Places::open(room).is_ok());
        prop_assert!(Places::open(&room[..places.bytes() / 4 - 1]).is_err());
    }

    #[test]
    fn blocks_take_words_by_host_only(counts in proptest::collection::vec(1u32..300, 1..9)) {
        let places = Places::new(&dealt(&counts, Distribution::BLOCK), 0, 16).unwrap();
        let nbrhds: u32 = counts.iter().map(|count| count.div_ceil(16)).sum();
        prop_assert_eq!(places.bytes(), 4 * (HEADER + 6 * counts.len() + 3 + 2 * nbrhds as usize));
        let list: Vec<u32> = (0..).zip(&counts).flat_map(|(host, &count)| vec![host; count as usize]).collect();
        agrees(places, &list, 16)?;
    }
}

#[test]
fn what_is_no_placement_is_refused_with_the_reason() {
    let why = |hosts: &[Ranks], here| Places::new(hosts, here, 1).map(|places| places.size()).unwrap_err();
    let block = Ranks::block;
    assert_eq!(why(&[block(0, 2), block(3, 1)], 0), "the placement has rank 2 on no host");
    assert_eq!(why(&[block(0, 2), block(1, 2)], 0), "the placement has rank 1 on two hosts");
    assert_eq!(why(&[block(0, 2), Ranks::default()], 0), "host 1 of the placement has no rank");
    assert_eq!(why(&[block(0, 2)], 1), "the placement has 1 hosts and no host 1");
    assert_eq!(why(&[], 0), "a job has between 1 and 1048576 ranks, not 0");
    assert!(why(&[block(0, 4097)], 0).starts_with("a host runs 4096 ranks at most, not 4097: "));
}

#[test]
fn the_largest_job_has_a_table_and_one_more_rank_is_refused() {
    let (most, hosts) = (MAX_JOB_RANKS as u32, 1 << 10);
    let counts = vec![most / hosts; hosts as usize];
    let places = Places::new(&dealt(&counts, Distribution::CYCLIC), 5, 64).unwrap();
    assert_eq!(places.place(JobRank(most - 1)), (hosts - 1, HostRank(most / hosts - 1)));
    assert_eq!(places.rank(5, HostRank(7)), JobRank(7 * hosts + 5));
    assert_eq!(places.supernodes(), most / 64);
    let mut counts = counts;
    counts.push(1);
    let why = Places::new(&dealt(&counts, Distribution::BLOCK), 0, 1).map(|_| ()).unwrap_err();
    assert_eq!(why, "a job has between 1 and 1048576 ranks, not 1048577");
}

#[test]
fn memory_without_a_table_is_refused() {
    let none: &'static [AtomicU32] = vec![AtomicU32::new(0)].leak();
    assert!(Places::open(none).is_err() && Places::open(&none[..0]).is_err());
}
