//! The symmetric object of a rank that others write: queues of messages, one for each class, and words of combinations.
//!
//! A message is a head, in words of which each carries a tag and 32 bits, and a payload of its own place in the slot. The tag is that
//! of the slot's present use, so a head needs no order among its words: it has arrived when every word has the tag.

use crate::conduit::shared::arrivals::SHORT_ARGS;
use crate::conduit::{Envelope, MAX_ARGS, Traffic};
use crate::mem::Dst;
use crate::sync::atomic::Ordering;

/// The largest Medium.
pub(crate) const MEDIUM: usize = 64 << 10;
/// Slots of a queue at most.
pub(crate) const MOST_SLOTS: usize = 256;

const LINE: usize = 128;
/// Words of the longest head: two, the payload's length, its address, the envelope, arguments; whole lines.
pub(crate) const HEAD_WORDS: usize = (2 + 1 + 2 + 2 + MAX_ARGS).next_multiple_of(8);
const HEAD: usize = HEAD_WORDS * 8;

/// Of the words that the ranks of a job combine: rounds of dissemination, for two successive combinations each.
const ROUNDS: usize = 20;
pub(crate) const COMBINED_WORDS: usize = 8;
const COMBINATION: usize = 2 * ROUNDS * COMBINED_WORDS * 8;
const HEADS_AT: usize = (4 * LINE + 2 * COMBINATION).next_multiple_of(4096);

/// Offsets in the object.
#[derive(Clone, Copy)]
pub(crate) struct SlotLayout {
    /// Slots of each queue, a power of 2.
    pub depth: u64,
}

impl SlotLayout {
    pub(crate) fn bytes(self) -> usize {
        self.payloads_at() + 2 * self.depth as usize * MEDIUM
    }

    /// Heads are beside each other, so that those of a queue are in few pages.
    fn payloads_at(self) -> usize {
        (HEADS_AT + 2 * self.depth as usize * HEAD).next_multiple_of(4096)
    }

    /// The number of a slot among those of both queues.
    #[inline]
    fn number_of(self, class: Traffic, ticket: u64) -> usize {
        class as usize * self.depth as usize + self.slot_of(ticket)
    }

    /// The word from which senders take tickets.
    pub(crate) fn tickets_at(self, class: Traffic) -> usize {
        class as usize * LINE
    }

    /// The word on which its owner tries atomics, and the one for the rank before it.
    pub(crate) fn tries_at(self, by_owner: bool) -> usize {
        usize::from(by_owner) * LINE + LINE / 2
    }

    /// The word in which the owner says how many messages it has handled: in the order of tickets.
    pub(crate) fn handled_at(self, class: Traffic) -> usize {
        (2 + class as usize) * LINE
    }

    /// Where the words of a round go, in combinations of one of two kinds.
    pub(crate) fn combination_at(self, kind: usize, round: usize, phase: u32) -> usize {
        assert!(round < ROUNDS);
        4 * LINE + kind * COMBINATION + (2 * round + (phase & 1) as usize) * COMBINED_WORDS * 8
    }

    #[inline]
    pub(crate) fn slot_of(self, ticket: u64) -> usize {
        (ticket & (self.depth - 1)) as usize
    }

    #[inline]
    pub(crate) fn head_at(self, class: Traffic, ticket: u64) -> usize {
        HEADS_AT + self.number_of(class, ticket) * HEAD
    }

    /// The head in the object of its receiver.
    #[inline]
    pub(crate) fn head_in<'a>(self, object: Dst<'a>, class: Traffic, ticket: u64) -> Dst<'a> {
        object.part(self.head_at(class, ticket), HEAD)
    }

    #[inline]
    pub(crate) fn payload_at(self, class: Traffic, ticket: u64) -> usize {
        self.payloads_at() + self.number_of(class, ticket) * MEDIUM
    }
}

/// The type of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum SlotKind {
    /// Nothing: a ticket without a message.
    Void,
    Short,
    /// The payload is in the slot.
    Medium,
    /// The payload is in its receiver's segment already.
    Long,
    /// A Long whose payload is in the slot.
    LongHere,
}

const KINDS: [SlotKind; 5] = [SlotKind::Void, SlotKind::Short, SlotKind::Medium, SlotKind::Long, SlotKind::LongHere];

impl SlotKind {
    fn has_payload(self) -> bool {
        matches!(self, SlotKind::Medium | SlotKind::Long | SlotKind::LongHere)
    }

    fn names_memory(self) -> bool {
        matches!(self, SlotKind::Long | SlotKind::LongHere)
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct SlotHead<'a> {
    pub kind: SlotKind,
    pub handler: u8,
    pub from: u32,
    pub len: u32,
    /// Of a Long's payload.
    pub at: usize,
    pub envelope: Envelope,
    pub args: &'a [i32],
}

const ENVELOPE: u32 = 1 << 24;

/// The tag of the words of a use of a slot.
#[inline]
pub(crate) fn tag_of(ticket: u64) -> u32 {
    (ticket as u32).wrapping_add(1)
}

#[inline]
pub(crate) fn tagged(tag: u32, data: u32) -> u64 {
    u64::from(tag) << 32 | u64::from(data)
}

/// The data of a word, if it has the tag.
#[inline]
pub(crate) fn untagged(tag: u32, word: u64) -> Option<u32> {
    ((word >> 32) as u32 == tag).then_some(word as u32)
}

impl SlotHead<'_> {
    /// Calls `push` with each of its words, in their order.
    #[inline(always)]
    pub(crate) fn write(&self, tag: u32, mut push: impl FnMut(u64)) {
        let mut push = |data: u32| push(tagged(tag, data));
        let plain = self.envelope.is_plain();
        let flags = if plain { 0 } else { ENVELOPE };
        push(self.kind as u32 | u32::from(self.handler) << 8 | (self.args.len() as u32) << 16 | flags);
        push(self.from);
        if self.kind.has_payload() {
            push(self.len);
        }
        if self.kind.names_memory() {
            push(self.at as u32);
            push((self.at as u64 >> 32) as u32);
        }
        if !plain {
            push(self.envelope.word() as u32);
            push((self.envelope.word() >> 32) as u32);
        }
        self.args.iter().for_each(|&arg| push(arg as u32));
    }
}

/// The word of a head at this index.
#[inline]
fn word(words: Dst<'_>, at: usize) -> u64 {
    // Acquire: with the Release of a sender that shares this memory; the library's own order else.
    words.part(8 * at, 8).word_64().load(Ordering::Acquire)
}

/// Whether the first word of a head is in `words`.
#[inline]
pub(crate) fn has_begun(words: Dst<'_>, tag: u32) -> bool {
    untagged(tag, word(words, 0)).is_some()
}

/// A Short whose envelope is plain, with few arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SlotShort {
    pub handler: u8,
    pub from: u32,
    pub nargs: usize,
    pub args: [i32; SHORT_ARGS],
}

/// The one that has arrived in `words`. None: not all of it, or another message.
#[inline]
pub(crate) fn read_short(words: Dst<'_>, tag: u32) -> Option<SlotShort> {
    let first = untagged(tag, word(words, 0))?;
    let nargs = (first >> 16) as usize & 0xff;
    if first & (0xff | ENVELOPE) != SlotKind::Short as u32 || nargs > SHORT_ARGS {
        return None;
    }
    let from = untagged(tag, word(words, 1))?;
    let mut args = [0; SHORT_ARGS];
    for (at, arg) in args.iter_mut().enumerate().take(nargs) {
        *arg = untagged(tag, word(words, 2 + at))? as i32;
    }
    Some(SlotShort { handler: (first >> 8) as u8, from, nargs, args })
}

/// The head that has arrived in `words`. None: not, or not all of it.
#[inline]
pub(crate) fn read<'a>(words: Dst<'_>, tag: u32, args: &'a mut [i32; MAX_ARGS]) -> Option<SlotHead<'a>> {
    let mut at = 0;
    let mut pull = || {
        at += 1;
        untagged(tag, word(words, at - 1))
    };
    let first = pull()?;
    let from = pull()?;
    let kind = *KINDS.get(first as usize & 0xff)?;
    let len = if kind.has_payload() { pull()? } else { 0 };
    let place = if kind.names_memory() { u64::from(pull()?) | u64::from(pull()?) << 32 } else { 0 };
    let envelope = match first & ENVELOPE {
        0 => Envelope::PLAIN,
        _ => Envelope::of_word(u64::from(pull()?) | u64::from(pull()?) << 32),
    };
    let args = args.get_mut(..(first >> 16) as usize & 0xff)?;
    for arg in args.iter_mut() {
        *arg = pull()? as i32;
    }
    Some(SlotHead { kind, handler: (first >> 8) as u8, from, len, at: place as usize, envelope, args })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mem;

    #[test]
    fn a_head_arrives_when_its_last_word_does() {
        for kind in KINDS {
            for nargs in 0..=MAX_ARGS {
                for envelope in [Envelope::PLAIN, Envelope::between(3, 9).numbered(Some(7))] {
                    let args: Vec<i32> = (0..nargs as i32).map(|arg| arg - 3).collect();
                    let (from, len, at) = (77, 300, 0x1234_5678_9abc);
                    let head = SlotHead { kind, handler: 201, from, len, at, envelope, args: &args };
                    let tag = tag_of(u64::from(u32::MAX) + 5);
                    let (mut words, mut count) = ([0; HEAD_WORDS], 0);
                    head.write(tag, |word| (words[count], count) = (word, count + 1));
                    let few = kind == SlotKind::Short && envelope.is_plain() && nargs <= SHORT_ARGS;
                    for missing in 0..count {
                        let mut seen = words;
                        seen[missing] = tagged(tag.wrapping_sub(64), seen[missing] as u32);
                        let mut space = [0; MAX_ARGS];
                        assert!(read(mem::all_of(&mut seen), tag, &mut space).is_none(), "{kind:?} {missing}");
                        assert_eq!(read_short(mem::all_of(&mut seen), tag), None);
                        assert_eq!(has_begun(mem::all_of(&mut seen), tag), missing > 0);
                    }
                    let mut space = [0; MAX_ARGS];
                    let got = read(mem::all_of(&mut words), tag, &mut space).unwrap();
                    assert_eq!(
                        (got.kind, got.handler, got.from, got.envelope, got.args),
                        (kind, 201, from, envelope, &args[..])
                    );
                    assert!(!kind.names_memory() || (got.at, got.len) == (at, len));
                    let short = read_short(mem::all_of(&mut words), tag);
                    let got = short.map(|short| (short.handler, short.from, short.args[..short.nargs].to_vec()));
                    assert_eq!(got, few.then_some((201, from, args)));
                }
            }
        }
    }

    #[test]
    fn parts_of_the_object_do_not_overlap() {
        for depth in [1, 2, 64, MOST_SLOTS as u64] {
            let layout = SlotLayout { depth };
            let mut parts = Vec::new();
            for class in [Traffic::Request, Traffic::Reply] {
                parts.push((layout.tickets_at(class), 8));
                parts.push((layout.handled_at(class), 8));
                for ticket in 0..depth {
                    parts.push((layout.head_at(class, ticket), HEAD_WORDS * 8));
                    parts.push((layout.payload_at(class, ticket), MEDIUM));
                }
            }
            for kind in 0..2 {
                for round in 0..ROUNDS {
                    for phase in 0..2 {
                        parts.push((layout.combination_at(kind, round, phase), COMBINED_WORDS * 8));
                    }
                }
            }
            parts.sort_unstable();
            assert!(parts.windows(2).all(|pair| pair[0].0 + pair[0].1 <= pair[1].0));
            assert!(parts.last().is_some_and(|(at, len)| at + len <= layout.bytes()));
        }
    }
}
