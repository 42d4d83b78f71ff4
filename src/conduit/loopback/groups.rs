//! The collectives of the loopback conduit, and its groups. Each member of a group sends its part to the first one,
//! which sends each its result when all parts have come. It is strict: it ends the job if members enter different
//! collectives, and offers some types, operations and sizes only, so that accepted and declined collectives are both
//! tested.

use std::collections::HashMap;

use super::packet::PACKET;
use crate::conduit::shared::held::Held;
use crate::conduit::{Combine, GroupCollective, GroupId, OpToken};
use crate::defs::rank::JobRank;
use crate::fatal::fatal;
use crate::mem::{self, Dst, Src};

// Bits of `GEX_DT_*` and `GEX_OP_*`.
const I32: u32 = 1;
const U32: u32 = 1 << 1;
const I64: u32 = 1 << 2;
const U64: u32 = 1 << 3;
const DBL: u32 = 1 << 5;
const ADD: u32 = 0x8;
const MIN: u32 = 0x40;
const MAX: u32 = 0x80;

/// Bytes of the largest part and of the largest result.
const MOST: usize = 48 << 10;
const _: () = assert!(MOST + 64 * CALL < 8 * PACKET);
/// Bytes of the largest block that is combined.
const MOST_COMBINED: usize = 4 << 10;

pub(crate) fn offers(what: &GroupCollective, members: u32, bytes: usize) -> bool {
    let all = (members as usize).checked_mul(bytes).is_some_and(|all| all <= MOST);
    match what {
        GroupCollective::Barrier => true,
        GroupCollective::Broadcast { .. } => bytes <= MOST,
        GroupCollective::Scatter { .. }
        | GroupCollective::Gather { .. }
        | GroupCollective::Allgather
        | GroupCollective::Alltoall => all,
        GroupCollective::Reduce { combine, .. } | GroupCollective::Allreduce { combine } => {
            bytes <= MOST_COMBINED && combination(*combine).is_some()
        }
    }
}

/// Words that describe a collective in the packets of its parts.
pub(crate) const CALL: usize = 4;

fn call_of(what: &GroupCollective, bytes: usize) -> [u64; CALL] {
    let (kind, root, combine) = match *what {
        GroupCollective::Barrier => (0, 0, None),
        GroupCollective::Broadcast { root } => (1, root, None),
        GroupCollective::Scatter { root } => (2, root, None),
        GroupCollective::Gather { root } => (3, root, None),
        GroupCollective::Allgather => (4, 0, None),
        GroupCollective::Alltoall => (5, 0, None),
        GroupCollective::Reduce { root, combine } => (6, root, Some(combine)),
        GroupCollective::Allreduce { combine } => (7, 0, Some(combine)),
    };
    let Combine { dtype, op } = combine.unwrap_or(Combine { dtype: 0, op: 0 });
    [kind, root.into(), u64::from(dtype) << 32 | u64::from(op), bytes as u64]
}

/// A part of a collective, at the first member of the group.
struct MemberPart {
    from: JobRank,
    call: [u64; CALL],
    bytes: Vec<u8>,
}

/// A collective that this rank has entered.
struct Entered {
    what: GroupCollective,
    bytes: usize,
    dst: Held<Dst<'static>>,
    token: OpToken,
}

struct GroupState {
    members: Vec<JobRank>,
    /// The number of collectives that this rank has entered.
    begun: u32,
    /// By number, those that are not complete.
    entered: HashMap<u32, Entered>,
    is_broken: bool,
}

/// A message to send: a part, to the first member, or results, from there.
pub(crate) struct Outgoing {
    pub to: JobRank,
    pub number: u32,
    pub bytes: Vec<u8>,
}

#[derive(Default)]
pub(crate) struct Groups {
    known: HashMap<GroupId, GroupState>,
    /// Parts for this rank as first member, also of groups that it has not made yet.
    parts: HashMap<(GroupId, u32), Vec<MemberPart>>,
    pub executed: u64,
}

impl Groups {
    pub(crate) fn make(&mut self, id: GroupId, members: &[JobRank], is_broken: bool) {
        let group = GroupState { members: members.to_vec(), begun: 0, entered: HashMap::new(), is_broken };
        if self.known.insert(id, group).is_some() {
            fatal!("loopback: the group {:#x} is made twice", id.0);
        }
    }

    pub(crate) fn disband(&mut self, id: GroupId) -> bool {
        let group = self.group(id);
        if group.is_broken || group.entered.is_empty() {
            self.known.remove(&id);
            return true;
        }
        false
    }

    fn group(&mut self, id: GroupId) -> &mut GroupState {
        self.known.get_mut(&id).unwrap_or_else(|| fatal!("loopback: there is no group {:#x} of this rank", id.0))
    }

    /// Enters a collective; None if a member of the group has left or died. The part goes to the first member.
    pub(crate) fn enter(
        &mut self,
        id: GroupId,
        what: &GroupCollective,
        bytes: usize,
        src: Src<'_>,
        dst: Held<Dst<'static>>,
        token: OpToken,
    ) -> Option<Outgoing> {
        self.executed += 1;
        let group = self.group(id);
        if !offers(what, group.members.len() as u32, bytes) {
            fatal!("loopback: {what:?} of {bytes} bytes is not offered");
        }
        if group.is_broken {
            return None;
        }
        group.begun += 1;
        let number = group.begun;
        group.entered.insert(number, Entered { what: *what, bytes, dst, token });
        let call = call_of(what, bytes);
        let mut part: Vec<u8> = call.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let head = part.len();
        part.resize(head + src.len(), 0);
        mem::read(&mut part[head..], src);
        Some(Outgoing { to: group.members[0], number, bytes: part })
    }

    /// At the first member: a part has come. Returns all results if it was the last one.
    pub(crate) fn part(&mut self, id: GroupId, number: u32, from: JobRank, part: &[u8]) -> Vec<Outgoing> {
        let (words, bytes) = part.split_at_checked(CALL * size_of::<u64>()).unwrap_or_else(|| {
            fatal!("loopback: {} bytes that are no part of a collective have come from rank {}", part.len(), from.0)
        });
        let mut call = [0; CALL];
        let words = words.chunks_exact(size_of::<u64>()).filter_map(|bytes| bytes.try_into().ok());
        for (word, bytes) in call.iter_mut().zip(words) {
            *word = u64::from_ne_bytes(bytes);
        }
        if self.known.get(&id).is_some_and(|group| group.is_broken) {
            return Vec::new();
        }
        self.parts.entry((id, number)).or_default().push(MemberPart { from, call, bytes: bytes.to_vec() });
        self.results(id, number)
    }

    /// The results of a collective, if all parts are here and this rank has entered it.
    fn results(&mut self, id: GroupId, number: u32) -> Vec<Outgoing> {
        let Some(group) = self.known.get(&id) else { return Vec::new() };
        let Some(entered) = group.entered.get(&number) else { return Vec::new() };
        if self.parts.get(&(id, number)).is_none_or(|parts| parts.len() < group.members.len()) {
            return Vec::new();
        }
        let parts = self.parts.remove(&(id, number)).unwrap_or_default();
        let of = |member: &JobRank| {
            parts.iter().find(|part| part.from == *member).unwrap_or_else(|| {
                fatal!("loopback: rank {} has entered no collective of its group", member.0);
            })
        };
        let parts: Vec<&MemberPart> = group.members.iter().map(of).collect();
        let call = call_of(&entered.what, entered.bytes);
        if let Some(other) = parts.iter().find(|part| part.call != call) {
            fatal!("loopback: ranks {} and {} have entered different collectives", group.members[0].0, other.from.0);
        }
        let result =
            |(member, &to)| Outgoing { to, number, bytes: result(&entered.what, entered.bytes, &parts, member) };
        group.members.iter().enumerate().map(result).collect()
    }

    /// The result of a collective has come: the token of a completed operation; None if it has failed.
    pub(crate) fn result(&mut self, id: GroupId, number: u32, result: Src<'_>) -> Option<OpToken> {
        let Entered { dst: Held(dst), token, .. } = self.known.get_mut(&id)?.entered.remove(&number)?;
        if !result.is_empty() {
            mem::copy(dst, result);
        }
        Some(token)
    }

    /// Handles the end of a rank; returns the tokens of the operations that fail.
    pub(crate) fn gone(&mut self, rank: JobRank) -> Vec<OpToken> {
        let mut failed = Vec::new();
        for (id, group) in self.known.iter_mut().filter(|(_, group)| group.members.contains(&rank)) {
            group.is_broken = true;
            failed.extend(group.entered.drain().map(|(_, entered)| entered.token));
            self.parts.retain(|(of, _), _| of != id);
        }
        failed
    }
}

/// The bytes that `member` gets.
fn result(what: &GroupCollective, bytes: usize, parts: &[&MemberPart], member: usize) -> Vec<u8> {
    let block = |from: &MemberPart, nth: usize| from.bytes[nth * bytes..][..bytes].to_vec();
    let all = || parts.iter().flat_map(|part| block(part, 0)).collect();
    let is_root = |root: u32| root as usize == member;
    match *what {
        GroupCollective::Broadcast { root } => block(parts[root as usize], 0),
        GroupCollective::Scatter { root } => block(parts[root as usize], member),
        GroupCollective::Gather { root } if is_root(root) => all(),
        GroupCollective::Allgather => all(),
        GroupCollective::Alltoall => parts.iter().flat_map(|part| block(part, member)).collect(),
        GroupCollective::Reduce { root, combine } if is_root(root) => combined(combine, parts),
        GroupCollective::Allreduce { combine } => combined(combine, parts),
        GroupCollective::Barrier | GroupCollective::Gather { .. } | GroupCollective::Reduce { .. } => Vec::new(),
    }
}

type Combination = fn(&mut [u8], &[u8]);

fn combined(combine: Combine, parts: &[&MemberPart]) -> Vec<u8> {
    let Some(apply) = combination(combine) else { fatal!("loopback: {combine:?} is not offered") };
    let mut sum = parts[0].bytes.clone();
    parts[1..].iter().for_each(|part| apply(&mut sum, &part.bytes));
    sum
}

/// `left[i] = left[i] op right[i]`.
fn combination(Combine { dtype, op }: Combine) -> Option<Combination> {
    macro_rules! each {
        ($type:ty, $op:expr) => {
            |left, right| {
                const WIDTH: usize = size_of::<$type>();
                let lefts = left.chunks_exact_mut(WIDTH).filter_map(<[u8]>::first_chunk_mut::<WIDTH>);
                let rights = right.chunks_exact(WIDTH).filter_map(<[u8]>::first_chunk::<WIDTH>);
                for (left, right) in lefts.zip(rights) {
                    let op: fn($type, $type) -> $type = $op;
                    *left = op(<$type>::from_ne_bytes(*left), <$type>::from_ne_bytes(*right)).to_ne_bytes();
                }
            }
        };
    }
    Some(match (dtype, op) {
        (I32 | U32, ADD) => each!(u32, u32::wrapping_add),
        (I64 | U64, ADD) => each!(u64, u64::wrapping_add),
        (DBL, ADD) => each!(f64, |left, right| left + right),
        (I32, MIN) => each!(i32, Ord::min),
        (I32, MAX) => each!(i32, Ord::max),
        (U64, MIN) => each!(u64, Ord::min),
        (U64, MAX) => each!(u64, Ord::max),
        _ => return None,
    })
}
