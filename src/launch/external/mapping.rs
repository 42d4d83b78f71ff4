//! `PMI_process_mapping`, the text in which launchers of PMI say which ranks share a host:
//! `(vector,(first host, hosts, ranks a host),…)`. Blocks give ranks to hosts in order, and are gone through again while
//! ranks are left. Pure functions; any text may come.

/// Nobody has more hosts, or ranks on one.
const MOST: u64 = 1 << 24;

/// The ranks, ascending, that share the host of rank `me` among `size`; `None`: the text does not say.
pub(crate) fn peers(text: &str, me: u32, size: u32) -> Option<Vec<u32>> {
    let blocks = blocks(text)?;
    let host = hosts(&blocks, size).nth(me as usize)?;
    Some(hosts(&blocks, size).zip(0..).filter(|&(other, _)| other == host).map(|(_, rank)| rank).collect())
}

struct Block {
    first: u64,
    hosts: u64,
    ranks: u64,
}

fn blocks(text: &str) -> Option<Vec<Block>> {
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
        blocks.push(Block { first, hosts, ranks });
        rest = after;
    }
    (!blocks.is_empty()).then_some(blocks)
}

/// The host of each rank.
fn hosts(blocks: &[Block], size: u32) -> impl Iterator<Item = u64> {
    let turn =
        || blocks.iter().flat_map(|block| (0..block.hosts * block.ranks).map(|nth| block.first + nth / block.ranks));
    std::iter::repeat_with(turn).flatten().take(size as usize)
}
