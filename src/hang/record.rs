//! The record of a thread's waits on the board. Waits nest: a handler that runs during a wait may wait for resources.

use core::fmt;

use crate::os::sleep::now_ns;
use crate::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering};

use super::counts::REPLY;

/// The maximum depth of nested waits that are recorded.
const DEEPEST: usize = 3;
const TEXT_WORDS: usize = 6;

/// A description of a wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Note<'a> {
    /// The other ranks, in init or attach.
    Start,
    /// The barrier of all ranks.
    Barrier { phase: u32, id: Option<i32> },
    /// The barrier of another team.
    TeamBarrier { phase: u32, id: Option<i32> },
    /// GASNET_BLOCKUNTIL, in this file at this line.
    Until { file: &'a [u8], line: u32 },
    /// Operations: the numbers of puts, gets and atomics that have not completed; the last was with `peer`, if
    /// known.
    Operations { puts: u32, gets: u32, atomics: u32, peer: Option<u32> },
    /// A collective: its team's id, its number in the team, and its name.
    Collective { team: u64, number: u32, name: &'a [u8] },
    /// A message cannot be sent: the peer's queue is full.
    Room { peer: u32, reply: bool },
    /// A message cannot be sent: no block for its payload is free.
    Block,
    /// The other images of this rank, in a collective.
    Images,
    /// Another wait in the library.
    Library,
    /// A handler-safe lock.
    Lock { at: usize },
    /// The receive thread, all its life.
    Messages,
    /// A thread of the network's library, all its life.
    Network,
}

impl Note<'_> {
    /// The peer's queue for messages of this traffic (numbered as in counts.rs) is full.
    pub fn room(peer: u32, traffic: usize) -> Note<'static> {
        Note::Room { peer, reply: traffic == REPLY }
    }
}

#[repr(C)]
struct WaitFrame {
    kind: AtomicU32,
    /// A small number.
    little: AtomicU32,
    since_ns: AtomicU64,
    a: AtomicU64,
    b: AtomicU64,
    text: [AtomicU64; TEXT_WORDS],
}

/// One thread's waits.
#[repr(C)]
pub(crate) struct Record {
    /// The thread; 0: the record is free.
    tid: AtomicI32,
    depth: AtomicU32,
    /// Polls of the thread, where they are counted.
    polls: AtomicU32,
    unused: AtomicU32,
    frames: [WaitFrame; DEEPEST],
}

impl WaitFrame {
    fn write(&self, note: &Note<'_>) {
        self.kind.store(0, Ordering::Relaxed);
        let (kind, little, a, b, text): (u32, u32, u64, u64, &[u8]) = match *note {
            Note::Start => (1, 0, 0, 0, b""),
            Note::Barrier { phase, id } => {
                (2, phase, u64::from(id.is_some()), u64::from(id.unwrap_or_default() as u32), b"")
            }
            Note::TeamBarrier { phase, id } => {
                (9, phase, u64::from(id.is_some()), u64::from(id.unwrap_or_default() as u32), b"")
            }
            Note::Until { file, line } => (3, line, 0, 0, file),
            Note::Operations { puts, gets, atomics, peer } => {
                let peer = peer.map_or(0, |peer| u64::from(peer) + 1);
                (4, puts, u64::from(gets) << 32 | u64::from(atomics), peer, b"")
            }
            Note::Collective { team, number, name } => (5, number, team, 0, name),
            Note::Room { peer, reply } => (6, peer, u64::from(reply), 0, b""),
            Note::Block => (7, 0, 0, 0, b""),
            Note::Images => (10, 0, 0, 0, b""),
            Note::Library => (11, 0, 0, 0, b""),
            Note::Lock { at } => (8, 0, at as u64, 0, b""),
            Note::Messages => (12, 0, 0, 0, b""),
            Note::Network => (13, 0, 0, 0, b""),
        };
        self.little.store(little, Ordering::Relaxed);
        self.a.store(a, Ordering::Relaxed);
        self.b.store(b, Ordering::Relaxed);
        // The end of a long path.
        let text = &text[text.len().saturating_sub(8 * TEXT_WORDS)..];
        for (at, word) in self.text.iter().enumerate() {
            let mut bytes = [0; 8];
            let part = text.get(8 * at..).unwrap_or_default();
            let part = &part[..part.len().min(8)];
            bytes[..part.len()].copy_from_slice(part);
            word.store(u64::from_ne_bytes(bytes), Ordering::Relaxed);
        }
        self.since_ns.store(now_ns(), Ordering::Relaxed);
        // Release: with the Acquire in `read`.
        self.kind.store(kind, Ordering::Release);
    }

    fn read(&self) -> Option<RecordedWait> {
        let kind = self.kind.load(Ordering::Acquire);
        let mut text = Vec::with_capacity(8 * TEXT_WORDS);
        self.text.iter().for_each(|word| text.extend(word.load(Ordering::Relaxed).to_ne_bytes()));
        text.truncate(text.iter().position(|&byte| byte == 0).unwrap_or(text.len()));
        Some(RecordedWait {
            kind,
            little: self.little.load(Ordering::Relaxed),
            a: self.a.load(Ordering::Relaxed),
            b: self.b.load(Ordering::Relaxed),
            text,
            since_ns: self.since_ns.load(Ordering::Relaxed),
        })
    }
}

/// A wait, as read by another process.
#[derive(Clone, Debug)]
pub struct RecordedWait {
    kind: u32,
    little: u32,
    a: u64,
    b: u64,
    text: Vec<u8>,
    pub since_ns: u64,
}

impl RecordedWait {
    /// None if it is not a valid [`Note`].
    pub fn note(&self) -> Option<Note<'_>> {
        Some(match self.kind {
            1 => Note::Start,
            2 => Note::Barrier { phase: self.little, id: (self.a != 0).then_some(self.b as u32 as i32) },
            3 => Note::Until { file: &self.text, line: self.little },
            4 => Note::Operations {
                puts: self.little,
                gets: (self.a >> 32) as u32,
                atomics: self.a as u32,
                peer: self.b.checked_sub(1).map(|peer| peer as u32),
            },
            5 => Note::Collective { team: self.a, number: self.little, name: &self.text },
            6 => Note::Room { peer: self.little, reply: self.a != 0 },
            7 => Note::Block,
            8 => Note::Lock { at: self.a as usize },
            9 => Note::TeamBarrier { phase: self.little, id: (self.a != 0).then_some(self.b as u32 as i32) },
            10 => Note::Images,
            11 => Note::Library,
            12 => Note::Messages,
            13 => Note::Network,
            _ => return None,
        })
    }
}

impl fmt::Display for Note<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Note::Start => write!(f, "for the other ranks to initialise or attach"),
            Note::Barrier { phase, id: Some(id) } => write!(f, "in barrier phase {phase}, id {id}"),
            Note::Barrier { phase, id: None } => write!(f, "in barrier phase {phase}, anonymous"),
            Note::TeamBarrier { phase, id: Some(id) } => write!(f, "in a team's barrier, phase {phase}, id {id}"),
            Note::TeamBarrier { phase, id: None } => write!(f, "in a team's barrier, phase {phase}, anonymous"),
            Note::Until { file, line } => {
                write!(f, "in GASNET_BLOCKUNTIL at {}:{line}", String::from_utf8_lossy(file))
            }
            Note::Operations { puts, gets, atomics, peer } => {
                let mut parts = Vec::new();
                for (count, name) in [(puts, "put"), (gets, "get"), (atomics, "atomic")] {
                    if count > 0 {
                        parts.push(format!("{count} {name}{}", if count > 1 { "s" } else { "" }));
                    }
                }
                let what = if parts.is_empty() { "an operation".to_string() } else { parts.join(", ") };
                write!(f, "for {what} to complete")?;
                peer.map_or(Ok(()), |peer| write!(f, ", the last with rank {peer}"))
            }
            Note::Collective { team, number, name } => {
                write!(f, "in collective {number} of team {team:#x} ({})", String::from_utf8_lossy(name))
            }
            Note::Room { peer, reply } => {
                write!(f, "to send {} to rank {peer}, whose queue is full", if reply { "a reply" } else { "a message" })
            }
            Note::Block => write!(f, "for memory for a payload: receivers have not handled those before it"),
            Note::Images => write!(f, "for the other images of this rank, in a collective"),
            Note::Library => write!(f, "in the library"),
            Note::Lock { at } => write!(f, "for the handler-safe lock at {at:#x}"),
            Note::Messages => write!(f, "for messages, as the receive thread"),
            Note::Network => write!(f, "for the network, as a thread of its library"),
        }
    }
}

impl Record {
    /// The thread that has the record; None if it is free.
    pub(crate) fn thread(&self) -> Option<i32> {
        Some(self.tid.load(Ordering::Acquire)).filter(|&tid| tid != 0)
    }

    /// Whether the thread waits.
    pub(crate) fn is_waiting(&self) -> bool {
        self.depth.load(Ordering::Acquire) != 0
    }

    /// The number of the thread's polls since polls are counted.
    pub(crate) fn polls(&self) -> u32 {
        self.polls.load(Ordering::Relaxed)
    }

    /// The thread's waits, the innermost first.
    pub(crate) fn waits(&self) -> Vec<RecordedWait> {
        let depth = (self.depth.load(Ordering::Acquire) as usize).min(DEEPEST);
        self.frames[..depth].iter().rev().filter_map(WaitFrame::read).collect()
    }

    /// Assigns a free record to thread `tid`.
    pub(super) fn take(&self, tid: i32) -> bool {
        // AcqRel: the record is seen as its previous thread left it.
        let taken = self.tid.compare_exchange(0, tid, Ordering::AcqRel, Ordering::Relaxed).is_ok();
        if taken {
            self.depth.store(0, Ordering::Relaxed);
        }
        taken
    }

    /// Its thread begins the wait `note`.
    pub(super) fn begin(&self, note: &Note<'_>) {
        let depth = self.depth.load(Ordering::Relaxed);
        if let Some(frame) = self.frames.get(depth as usize) {
            frame.write(note);
        }
        self.depth.store(depth + 1, Ordering::Release);
    }

    /// Ends the wait that its thread began last.
    pub(super) fn end(&self) {
        self.depth.store(self.depth.load(Ordering::Relaxed).saturating_sub(1), Ordering::Release);
    }

    /// Its thread polls.
    pub(super) fn count_poll(&self) {
        self.polls.store(self.polls.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
    }

    /// Its thread has ended, or releases it.
    pub(super) fn release(&self) {
        self.depth.store(0, Ordering::Relaxed);
        self.tid.store(0, Ordering::Release);
    }
}
