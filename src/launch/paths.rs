//! Finds out whether hosts reach each other by datagrams. A rank without an answer from another one cannot tell whether that
//! rank is dead, stopped or busy, but the warden of its host always answers. So, at the request of such a rank, wardens query
//! each other by datagrams with a keyed MAC; datagrams that are not authentic, or repeated, are ignored.

use crate::defs::rank::JobRank;
use crate::launch::control;
use crate::launch::control::JobSecret;
use crate::launch::hosts::HostInfo;
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

/// The number of queries without an answer after which a host counts as unreachable.
const ASKS: u32 = 8;
/// A host that has never answered may still be starting its ranks.
const LEAST_AT_START: Duration = Duration::from_secs(5);
/// The largest number of datagrams received in one call.
const MOST_AT_ONCE: u32 = 64;

const MAGIC: [u8; 8] = *b"gasnetp\x01";
const TAG_BYTES: usize = 16;
const BYTES: usize = MAGIC.len() + 1 + 4 + 4 + 8 + TAG_BYTES;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NoteKind {
    Ask = 1,
    Answer = 2,
}

/// The datagrams between wardens; hosts by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PathNote {
    kind: NoteKind,
    from: u32,
    to: u32,
    nonce: u64,
}

impl PathNote {
    fn seal(&self, key: &JobSecret) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8] = self.kind as u8;
        bytes[9..13].copy_from_slice(&self.from.to_le_bytes());
        bytes[13..17].copy_from_slice(&self.to.to_le_bytes());
        bytes[17..25].copy_from_slice(&self.nonce.to_le_bytes());
        let tag = blake3::keyed_hash(key, &bytes[..BYTES - TAG_BYTES]);
        bytes[BYTES - TAG_BYTES..].copy_from_slice(&tag.as_bytes()[..TAG_BYTES]);
        bytes
    }

    fn open(bytes: &[u8], key: &JobSecret) -> Option<PathNote> {
        let bytes: &[u8; BYTES] = bytes.try_into().ok()?;
        let (body, tag) = bytes.split_at(BYTES - TAG_BYTES);
        if body[..8] != MAGIC {
            return None;
        }
        let mut wanted = [0; 32];
        wanted.copy_from_slice(blake3::keyed_hash(key, body).as_bytes());
        // blake3 compares hashes in constant time.
        let mut got = wanted;
        got[..TAG_BYTES].copy_from_slice(tag);
        if blake3::Hash::from(got) != blake3::Hash::from(wanted) {
            return None;
        }
        let word = |at: usize| u32::from_le_bytes([body[at], body[at + 1], body[at + 2], body[at + 3]]);
        let kind = match body[8] {
            1 => NoteKind::Ask,
            2 => NoteKind::Answer,
            _ => return None,
        };
        let nonce = u64::from(word(17)) | u64::from(word(21)) << 32;
        Some(PathNote { kind, from: word(9), to: word(13), nonce })
    }
}

/// A host that is being queried.
struct Doubt {
    host: u32,
    nonce: u64,
    asked: u32,
    period: Duration,
    ask_at: Instant,
}

pub struct Paths {
    socket: UdpSocket,
    key: JobSecret,
    me: u32,
    hosts: Vec<HostInfo>,
    /// The addresses of the wardens, by host.
    addrs: Vec<SocketAddr>,
    patience: Duration,
    has_answered: Vec<bool>,
    doubts: Vec<Doubt>,
    /// The error of the last datagram, if it could not be sent.
    refused: Option<io::Error>,
}

impl Paths {
    /// `socket` is bound to the address of host `me` in `addrs`; a host that does not answer for `patience` is unreachable.
    pub fn new(
        socket: UdpSocket,
        secret: &JobSecret,
        me: u32,
        hosts: Vec<HostInfo>,
        addrs: Vec<SocketAddr>,
        patience: Duration,
    ) -> io::Result<Paths> {
        socket.set_nonblocking(true)?;
        let has_answered = vec![false; hosts.len()];
        Ok(Paths {
            socket,
            key: control::derived(secret, "paths"),
            me,
            hosts,
            addrs,
            patience,
            has_answered,
            doubts: Vec::new(),
            refused: None,
        })
    }

    pub fn socket(&self) -> &UdpSocket {
        &self.socket
    }

    pub fn host(&self, host: u32) -> Option<&HostInfo> {
        self.hosts.get(host as usize)
    }

    pub fn me(&self) -> Option<&HostInfo> {
        self.host(self.me)
    }

    /// Starts to query the host of `rank`, which is silent.
    pub fn doubt(&mut self, rank: JobRank, now: Instant) {
        let Some(host) = self.hosts.iter().position(|host| host.ranks.index_of(rank).is_some()) else { return };
        let patience = if self.has_answered[host] { self.patience } else { self.patience.max(LEAST_AT_START) };
        let host = host as u32;
        if host == self.me || self.doubts.iter().any(|doubt| doubt.host == host) {
            return;
        }
        let Ok(random) = control::random() else { return };
        let nonce = random.iter().take(8).fold(0, |all, &byte| all << 8 | u64::from(byte));
        self.doubts.push(Doubt { host, nonce, asked: 0, period: patience / ASKS, ask_at: now });
    }

    /// The time at which `ask` must be called next.
    pub fn due(&self) -> Option<Instant> {
        self.doubts.iter().map(|doubt| doubt.ask_at).min()
    }

    /// Sends the queries that are due. Returns a host that has not answered in time, if there is one.
    pub fn ask(&mut self, now: Instant) -> Option<u32> {
        for at in 0..self.doubts.len() {
            let doubt = &mut self.doubts[at];
            if doubt.ask_at > now {
                continue;
            }
            if doubt.asked == ASKS {
                return Some(self.doubts.swap_remove(at).host);
            }
            doubt.asked += 1;
            doubt.ask_at = now + doubt.period;
            let note = PathNote { kind: NoteKind::Ask, from: self.me, to: doubt.host, nonce: doubt.nonce };
            self.send(note);
        }
        None
    }

    fn send(&mut self, note: PathNote) {
        if let Some(addr) = self.addrs.get(note.to as usize) {
            // Datagrams that cannot be sent now are sent again later.
            self.refused = self.socket.send_to(&note.seal(&self.key), addr).err();
        }
    }

    /// The error of the last datagram, as an addition to a message.
    pub fn refusal(&self) -> String {
        self.refused.as_ref().map_or(String::new(), |error| format!(" (sendto: {error})"))
    }

    /// Receives datagrams and answers them.
    pub fn receive(&mut self) {
        let mut block = [0; BYTES + 1];
        for _ in 0..MOST_AT_ONCE {
            let Ok((len, _)) = self.socket.recv_from(&mut block) else { return };
            let Some(note) = PathNote::open(&block[..len], &self.key).filter(|note| note.to == self.me) else {
                continue;
            };
            match note.kind {
                // The answer goes to the known address of that host, not to the source of the datagram.
                NoteKind::Ask => {
                    self.send(PathNote { kind: NoteKind::Answer, from: self.me, to: note.from, nonce: note.nonce })
                }
                NoteKind::Answer => {
                    let before = self.doubts.len();
                    self.doubts.retain(|doubt| (doubt.host, doubt.nonce) != (note.from, note.nonce));
                    if self.doubts.len() < before {
                        self.has_answered[note.from as usize] = true;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::places::Ranks;
    use proptest::prelude::*;

    fn pair() -> [Paths; 2] {
        let sockets = [0, 1].map(|_| UdpSocket::bind("127.0.0.1:0").unwrap());
        let addrs: Vec<_> = sockets.iter().map(|socket| socket.local_addr().unwrap()).collect();
        let hosts: Vec<_> =
            (0..2).map(|at| HostInfo { name: format!("h{at}"), ranks: Ranks::block(at * 2, 2) }).collect();
        let mut me = 0;
        sockets.map(|socket| {
            me += 1;
            let patience = Duration::from_millis(800);
            Paths::new(socket, &[7; 32], me - 1, hosts.clone(), addrs.clone(), patience).unwrap()
        })
    }

    /// Repeats until `done`, or for a limited time.
    fn until(mut done: impl FnMut() -> bool) {
        let start = Instant::now();
        while !done() {
            assert!(start.elapsed() < Duration::from_secs(20));
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn a_host_that_answers_is_no_longer_doubted() {
        let [mut a, mut b] = pair();
        a.doubt(JobRank(3), Instant::now());
        assert_eq!(a.ask(Instant::now()), None);
        until(|| {
            b.receive();
            a.receive();
            a.due().is_none()
        });
        assert_eq!(b.due(), None);
    }

    #[test]
    fn a_host_that_never_answers_is_named_after_all_questions() {
        let [mut a, _b] = pair();
        let mut now = Instant::now();
        a.doubt(JobRank(2), now);
        a.doubt(JobRank(3), now);
        a.doubt(JobRank(1), now);
        for _ in 0..ASKS {
            assert_eq!(a.ask(now), None);
            assert_eq!(a.ask(now), None);
            now = a.due().unwrap();
        }
        assert_eq!(a.ask(now), Some(1));
        assert_eq!(a.due(), None);
    }

    #[test]
    fn an_old_answer_settles_nothing() {
        let [mut a, mut b] = pair();
        a.doubt(JobRank(3), Instant::now());
        let old = PathNote { kind: NoteKind::Answer, from: 1, to: 0, nonce: !a.doubts[0].nonce };
        b.send(old);
        let (len, _) = {
            let mut block = [0; 100];
            a.socket.set_nonblocking(false).unwrap();
            a.socket.peek_from(&mut block).unwrap()
        };
        assert_eq!(len, BYTES);
        a.socket.set_nonblocking(true).unwrap();
        a.receive();
        assert!(a.due().is_some());
        b.receive();
    }

    proptest! {
        #[test]
        fn a_changed_note_is_none(at in 0..BYTES, flip in 1u8.., nonce in any::<u64>(), other in any::<[u8; 32]>()) {
            let note = PathNote { kind: NoteKind::Ask, from: 3, to: 4, nonce };
            let mut bytes = note.seal(&[9; 32]);
            prop_assert_eq!(PathNote::open(&bytes, &[9; 32]), Some(note));
            prop_assert_eq!(PathNote::open(&bytes[..at], &[9; 32]), None);
            prop_assert_eq!(PathNote::open(&bytes, &other), None);
            bytes[at] ^= flip;
            prop_assert_eq!(PathNote::open(&bytes, &[9; 32]), None);
        }
    }
}
