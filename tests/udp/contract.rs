//! The test of a bootstrap's contract (bootstrap/contract.rs), run by all ranks of a job at the same time.

use gasnet::internal::bootstrap::contract::{Bootstrap, MOST_KEY, MOST_VALUE};
use gasnet::internal::defs::rank::JobRank;
use std::io::Write;
use std::path::Path;

/// `file`: one that all ranks append to, empty at first.
pub fn run(boot: &dyn Bootstrap, file: &Path) {
    everybody_knows_who_shares_its_host(boot);
    values_are_there_after_the_fence_and_not_before(boot);
    the_last_value_counts_and_others_stay(boot);
    values_are_binary_and_of_any_length(boot);
    much_can_be_exchanged_at_once(boot);
    nobody_passes_before_all_have_come(boot, file);
}

fn ranks(boot: &dyn Bootstrap) -> impl Iterator<Item = JobRank> + use<> {
    (0..boot.identity().size).map(JobRank)
}

fn everybody_knows_who_shares_its_host(boot: &dyn Bootstrap) {
    let id = boot.identity();
    assert!(id.me.0 < id.size);
    assert_eq!(id.peers[id.here.index()], id.me);
    let peers: Vec<u8> = id.peers.iter().flat_map(|rank| rank.0.to_le_bytes()).collect();
    boot.put("peers", &peers);
    boot.fence();
    for rank in ranks(boot) {
        let theirs = boot.get(rank, "peers").unwrap();
        assert_eq!(theirs == peers, id.peers.contains(&rank), "rank {} and {}", id.me.0, rank.0);
    }
}

fn values_are_there_after_the_fence_and_not_before(boot: &dyn Bootstrap) {
    let id = boot.identity();
    // The last rank puts none.
    let puts = id.me.0 + 1 < id.size;
    if puts {
        boot.put("a", &id.me.0.to_le_bytes());
    }
    assert_eq!(boot.get(id.me, "a"), None);
    boot.fence();
    for rank in ranks(boot) {
        let want = (rank.0 + 1 < id.size).then(|| rank.0.to_le_bytes().to_vec());
        assert_eq!(boot.get(rank, "a"), want);
        assert_eq!(boot.get(rank, "none"), None);
    }
    assert_eq!(boot.get(JobRank(id.size), "a"), None);
}

fn the_last_value_counts_and_others_stay(boot: &dyn Bootstrap) {
    let id = boot.identity();
    boot.put("first", b"1");
    boot.put("twice", b"2");
    boot.put("twice", b"3");
    boot.fence();
    // Of even ranks only.
    if id.me.0 % 2 == 0 {
        boot.put("first", b"4");
    }
    boot.fence();
    boot.fence();
    for rank in ranks(boot) {
        let want: &[u8] = if rank.0 % 2 == 0 { b"4" } else { b"1" };
        assert_eq!(boot.get(rank, "first").unwrap(), want);
        assert_eq!(boot.get(rank, "twice").unwrap(), b"3");
    }
}

fn value(rank: u32, len: usize) -> Vec<u8> {
    (0..len).map(|at| (at * 7 + (at >> 8) + rank as usize * 31) as u8).collect()
}

fn values_are_binary_and_of_any_length(boot: &dyn Bootstrap) {
    let id = boot.identity();
    let long = "k-1.".repeat(MOST_KEY / 4);
    for (nth, len) in [0, 1, 255, 256, MOST_VALUE].into_iter().enumerate() {
        let key = if nth == 4 { long.clone() } else { format!("len{nth}") };
        boot.put(&key, &value(id.me.0, len));
        boot.fence();
        for rank in ranks(boot) {
            assert!(boot.get(rank, &key).unwrap() == value(rank.0, len), "{len} bytes of {}", rank.0);
        }
    }
}

fn much_can_be_exchanged_at_once(boot: &dyn Bootstrap) {
    const VALUES: u32 = 100;
    let id = boot.identity();
    for nth in 0..VALUES {
        boot.put(&format!("much{nth}"), &value(id.me.0 + nth, MOST_VALUE));
    }
    boot.fence();
    for (rank, nth) in ranks(boot).flat_map(|rank| (0..VALUES).map(move |nth| (rank, nth))) {
        assert!(boot.get(rank, &format!("much{nth}")).unwrap() == value(rank.0 + nth, MOST_VALUE));
    }
}

fn nobody_passes_before_all_have_come(boot: &dyn Bootstrap, file: &Path) {
    let size = u64::from(boot.identity().size);
    let mut open = std::fs::OpenOptions::new().append(true).open(file).unwrap();
    for round in 1..=40 {
        open.write_all(b"x").unwrap();
        let is_fence = round % 2 == 0;
        if is_fence {
            boot.fence()
        } else {
            boot.barrier()
        }
        let came = open.metadata().unwrap().len();
        assert!(came >= size * round, "round {round}: {came} of {size} ranks a round");
        boot.barrier();
    }
}
