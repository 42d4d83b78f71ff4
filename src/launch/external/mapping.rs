//! `PMI_process_mapping`, the text in which launchers of PMI describe which ranks share a host:
//! `(vector,(first host, hosts, ranks per host),…)`. Blocks assign ranks to hosts in order, and are repeated until all ranks
//! are assigned. Pure functions, for any text.

/// The largest accepted number of hosts, and of ranks on one.
const MOST: u64 = 1 << 24;

/// The ranks, ascending, that share the host of rank `me` among `size`; `None`: the text is malformed.
pub fn peers(text: &str, me: u32, size: u32) -> Option<Vec<u32>> {
    let blocks = blocks(text)?;
    let host = hosts(&blocks, size).nth(me as usize)?;
    Some(hosts(&blocks, size).zip(0..).filter(|&(other, _)| other == host).map(|(_, rank)| rank).collect())
}

struct MappedBlock {
    first: u64,
    hosts: u64,
    ranks: u64,
}

fn blocks(text: &str) -> Option<Vec<MappedBlock>> {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let mut rest = text.strip_prefix("(vector")?.strip_suffix(')')?;
    let mut blocks = Vec::new();
    while !rest.is_empty() {
        let (block, after) = rest.strip_prefix(",(")?.split_once(')')?;
        let mut numbers = block.split(',').map(|number| number.parse::<u64>().ok().filter(|&number| number <= MOST));
        let (first, hosts, ranks) = (numbers.next()??, numbers.next()??, numbers.next()??);
        if numbers.next().is_some() || hosts == 0 || ranks == 0 {
            return None;
        }
        blocks.push(MappedBlock { first, hosts, ranks });
        rest = after;
    }
    (!blocks.is_empty()).then_some(blocks)
}

/// The host of each rank.
fn hosts(blocks: &[MappedBlock], size: u32) -> impl Iterator<Item = u64> {
    let turn =
        || blocks.iter().flat_map(|block| (0..block.hosts * block.ranks).map(|nth| block.first + nth / block.ranks));
    std::iter::repeat_with(turn).flatten().take(size as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ranks_of_a_host_are_those_of_its_blocks() {
        assert_eq!(peers("(vector,(0,2,2))", 2, 4).unwrap(), [2, 3]);
        assert_eq!(peers("(vector, (0,1,3), (1,1,1))", 3, 4).unwrap(), [3]);
        // Cyclic placement, and repeated blocks.
        assert_eq!(peers("(vector,(0,2,1))", 1, 5).unwrap(), [1, 3]);
        assert_eq!(peers("(vector,(0,1,2),(1,1,1),(0,1,1))", 3, 4).unwrap(), [0, 1, 3]);
    }

    #[test]
    fn a_text_that_is_no_mapping_is_refused() {
        for text in [
            "",
            "(vector)",
            "(vector,(0,2,2)",
            "(vector,(0,2,2),(0,",
            "(vector,(0,-1,2))",
            "(vector,(0,2))",
            "(vector,(0,0,1))",
            "(vector,(0,1,99999999999))",
            "(hostname,a,b)",
        ] {
            assert_eq!(peers(text, 0, 4), None, "{text}");
        }
        assert_eq!(peers("(vector,(0,1,4))", 4, 4), None);
    }

    proptest! {
        #[test]
        fn every_rank_is_on_one_host(blocks in proptest::collection::vec((0u32..4, 1u32..4, 1u32..4), 1..4), size in 1u32..40) {
            let text: String = blocks.iter().map(|(first, hosts, ranks)| format!(",({first},{hosts},{ranks})")).collect();
            let text = format!("(vector{text})");
            for me in 0..size {
                let mine = peers(&text, me, size).unwrap();
                prop_assert!(mine.contains(&me) && mine.is_sorted() && mine.iter().all(|&rank| rank < size));
                for &other in &mine {
                    prop_assert_eq!(&peers(&text, other, size).unwrap(), &mine);
                }
            }
        }

        #[test]
        fn any_text_is_a_mapping_or_is_not(text in ".*", me in 0u32..9) {
            let _ = peers(&text, me, 9);
        }
    }
}
