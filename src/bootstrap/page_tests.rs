//! The control page and places of ranks.

use crate::bootstrap::page::tests::page;
use crate::defs::rank::{HostRank, JobRank};

#[test]
fn the_page_knows_ranks_of_any_placement() {
    let page = page(3);
    let ranks = [1, 4, 5].map(JobRank);
    page.set_places(ranks.into_iter(), 7);
    for (index, rank) in (0..).map(HostRank).zip(ranks) {
        assert_eq!((page.job_rank(index), page.host_rank(rank)), (rank, Some(index)));
    }
    assert!([0, 2, 3, 6, 7].into_iter().all(|rank| page.host_rank(JobRank(rank)).is_none()));
}
