//! The report on the ranks of a host, written by their warden (or by a copy of the only rank): for each rank, the
//! waits of each thread and their durations, the stacks, and the messages exchanged with other ranks.

use std::fmt::Write;
use std::time::Duration;

use crate::os::process;
use crate::os::sleep::now_ns;

use super::ask;
use super::board::Board;
use super::counts::Sums;
use super::images::LoadedImages;
use super::proc::{self, Thread};
use super::record::{Note, RecordedWait};
use super::standing::{Pair, Standing, seconds};

/// The time limit for a thread to write its stack, while the total for all threads is less than `ALL`.
const PATIENCE: Duration = Duration::from_millis(300);
const HURRY: Duration = Duration::from_millis(5);
const ALL: Duration = Duration::from_secs(5);
/// The maximum number of peers in a block: those with messages in flight, then those with the most recent messages.
const MOST_PEERS: usize = 8;
const MOST_SHOWN_FRAMES: usize = 24;

/// The warden's information on a rank.
pub(crate) struct Subject {
    /// On the host, and in the job.
    pub here: u32,
    pub rank: u32,
    pub pid: i32,
    /// Its state besides its waits, if known, such as leaving.
    pub doing: Option<&'static str>,
}

/// One report.
pub(crate) struct Reporter {
    board: &'static Board,
    /// The number on the host of a rank of the job, if it is there.
    local: Box<dyn Fn(u32) -> Option<u32>>,
    images: LoadedImages,
    spent: Duration,
    pub standings: Vec<Standing>,
}

struct ReportedPeer {
    peer: u32,
    own: Sums,
    /// The peer's counts for this rank, if the peer is on this host.
    theirs: Option<Sums>,
}

impl ReportedPeer {
    fn under_way(&self) -> bool {
        self.theirs.is_some_and(|theirs| theirs.handled != self.own.sent)
    }
}

impl Reporter {
    /// `local` gives the index on the host of a rank of the job that is on this host.
    pub(crate) fn new(board: &'static Board, local: impl Fn(u32) -> Option<u32> + 'static) -> Reporter {
        Reporter {
            board,
            local: Box::new(local),
            images: LoadedImages::default(),
            spent: Duration::ZERO,
            standings: Vec::new(),
        }
    }

    /// The block of one rank.
    pub(crate) fn block(&mut self, subject: &Subject) -> String {
        let Subject { here, rank, pid, doing } = *subject;
        let mut standing = Standing { rank, ..Standing::default() };
        let marks = self.board.marks(here);
        standing.notified = marks.notified.load(crate::sync::atomic::Ordering::Relaxed);
        let threads = proc::threads(pid);
        standing.stopped = threads.first().is_some_and(|thread| thread.state == b'T');
        let mut text = format!("--- rank {rank} (pid {pid})");
        match (threads.is_empty(), standing.stopped, doing) {
            (true, ..) => text += " is gone",
            (_, true, _) => text += &format!(" is stopped by a signal; kill -CONT {pid} lets it go on"),
            (_, _, Some(doing)) => text += &format!(" {doing}"),
            _ => {}
        }
        text.push('\n');
        self.images.look_at(pid);
        let records = self.board.records(here);
        for thread in &threads {
            let waits = records
                .iter()
                .find(|record| record.thread() == Some(thread.tid))
                .map_or(Vec::new(), |record| record.waits());
            waits.iter().for_each(|waiting| standing.wait(waiting));
            self.thread(pid, thread, &waits, &mut text);
        }
        self.messages(here, rank, &mut standing, &mut text);
        self.standings.push(standing);
        text
    }

    fn thread(&mut self, pid: i32, thread: &Thread, waits: &[RecordedWait], text: &mut String) {
        let Thread { tid, name, state, .. } = thread;
        let ours = proc::is_own_name(name);
        let is_network_s = waits.iter().any(|waiting| matches!(waiting.note(), Some(Note::Network)));
        let _ = write!(text, "    thread {tid}");
        match waits.split_first() {
            Some((inner, outer)) => {
                let since = |waiting: &RecordedWait| seconds(now_ns().saturating_sub(waiting.since_ns) / 1_000_000);
                match inner.note() {
                    Some(note) => _ = write!(text, " waits {note}, for {}", since(inner)),
                    None => *text += " waits in the library",
                }
                for waiting in outer {
                    if let Some(note) = waiting.note() {
                        let _ = write!(text, "; in a handler that ran while it waited {note}, for {}", since(waiting));
                    }
                }
            }
            None if ours => _ = write!(text, " is the library's own ({name})"),
            None => *text += " does not wait in the library: it computes, or waits, outside",
        }
        let _ = writeln!(text, " [{}]", proc::state_name(*state));
        // The receive thread runs handlers of the client.
        if !is_network_s && (!ours || !waits.is_empty()) {
            self.stack(pid, thread, !waits.is_empty(), text);
        }
    }

    fn stack(&mut self, pid: i32, thread: &Thread, in_library: bool, text: &mut String) {
        let call = proc::call(pid, thread.tid);
        let disturbs = !in_library && call.as_ref().is_some_and(|call| proc::is_ended_by_handlers(call.number));
        if !disturbs && matches!(thread.state, b'R' | b'S') {
            let patience = if self.spent < ALL { PATIENCE } else { HURRY };
            let begun = now_ns();
            let stack = ask::stack_of(self.board, pid, thread.tid, patience);
            self.spent += Duration::from_nanos(now_ns() - begun);
            if let Some(stack) = stack {
                return self.frames(&stack, "", text);
            }
        }
        let Some(call) = call.filter(|call| call.pc != 0) else {
            *text += "        (no stack: it did not answer)\n";
            return;
        };
        let why = match thread.state {
            b'T' | b't' => "as far as its memory shows, since it is stopped",
            _ if disturbs => "as far as its memory shows: a question would have ended its sleep",
            _ => "as far as its memory shows, since it did not answer",
        };
        let stack = self.guess(pid, call.sp, call.pc);
        self.frames(&stack, why, text);
    }

    fn frames(&mut self, stack: &[u64], remark: &str, text: &mut String) {
        if !remark.is_empty() {
            let _ = writeln!(text, "        ({remark})");
        }
        let mut names: Vec<String> =
            stack.iter().enumerate().map(|(index, &at)| self.images.name(at, index > 0)).collect();
        // The thread that received the user's signal is still in its handler: the next frame is the kernel's.
        if let Some(handler) = names.iter().position(|name| name.contains("::signal::was_asked")) {
            names.drain(..(handler + 2).min(names.len()));
        }
        for (index, name) in names.iter().take(MOST_SHOWN_FRAMES).enumerate() {
            let _ = writeln!(text, "        #{index} {name}");
        }
    }

    /// The position of a thread that cannot write its stack, and the words on its stack that look like return
    /// addresses, because they point behind a call instruction.
    fn guess(&mut self, pid: i32, sp: u64, pc: u64) -> Vec<u64> {
        const LOOK_AT: usize = 8192;
        const MOST: usize = 12;
        let bytes = process::peek(pid, sp, LOOK_AT);
        let words = bytes.chunks_exact(8).filter_map(|word| word.try_into().ok()).map(u64::from_le_bytes);
        let callers = words.filter(|&word| self.images.is_code(word) && follows_call(pid, word));
        let mut stack: Vec<u64> = [pc].into_iter().chain(callers.take(MOST)).collect();
        // Nothing above main is of interest, and many words there look like return addresses.
        if let Some(main) = stack.iter().skip(1).position(|&at| self.images.name(at, true).starts_with("main+")) {
            stack.truncate(main + 2);
        }
        stack
    }

    fn messages(&self, here: u32, rank: u32, standing: &mut Standing, text: &mut String) {
        let board = self.board;
        let clock = board.clock();
        let mut peers: Vec<ReportedPeer> = Vec::new();
        for peer in (0..board.size()).filter(|&peer| peer != rank) {
            let own = board.sums(here, peer);
            if own == Sums::default() {
                continue;
            }
            let theirs = (self.local)(peer).map(|local| board.sums(local, rank));
            standing.pairs.push(Pair::new(peer, own, clock));
            peers.push(ReportedPeer { peer, own, theirs });
        }
        let all = peers.len();
        peers.sort_by_key(|peer| (!peer.under_way(), core::cmp::Reverse(peer.own.sent_at), peer.peer));
        for ReportedPeer { peer, own, theirs } in peers.into_iter().take(MOST_PEERS) {
            let Sums { sent, handled, .. } = own;
            let _ = write!(text, "    messages: to rank {peer}: requests {}, replies {}", sent[0], sent[1]);
            if let Some(theirs) = theirs {
                let _ = write!(text, " (handled there: {}, {})", theirs.handled[0], theirs.handled[1]);
            }
            if sent != [0, 0] {
                let ago = u64::from(clock.wrapping_sub(own.sent_at)) * super::board::TICK_MS;
                let _ = write!(text, ", the last about {} ago", seconds(ago));
            }
            let _ = writeln!(text, "; from it, handled: requests {}, replies {}", handled[0], handled[1]);
        }
        if all > MOST_PEERS {
            let _ = writeln!(text, "    messages: and with {} more ranks", all - MOST_PEERS);
        }
    }
}

/// Whether the bytes before `at` may be a call instruction.
fn follows_call(pid: i32, at: u64) -> bool {
    const LONGEST: usize = 7;
    let code = process::peek(pid, at.saturating_sub(LONGEST as u64), LONGEST);
    if code.len() < LONGEST {
        return false;
    }
    // call rel32; call r/m64 (FF /2) of 2, 3, 6 or 7 bytes.
    let indirect = |len: usize| code[LONGEST - len] == 0xff && code[LONGEST - len + 1] >> 3 & 7 == 2;
    code[LONGEST - 5] == 0xe8 || [2, 3, 6, 7].into_iter().any(indirect)
}
