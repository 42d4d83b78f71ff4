//! The frames of the control connection; postcard makes each into a body of bytes. Pure functions; reading neither panics
//! nor reserves more than a small multiple of the bytes that have come.

use std::net::SocketAddr;

use serde::{Deserialize, Serialize};

use crate::fatal::fatal;
use crate::launch::hosts::HostInfo;
use crate::places::Ranks;

/// The identity of a host: machine, library and executable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The number of the host that it was started for; `ANY_SEAT` if the command that started it did not know.
    pub seat: u32,
    pub pid: u32,
    /// The same for two processes on one machine.
    pub machine: [u8; 16],
    pub name: String,
    /// Of the library.
    pub abi: u64,
    /// Of the executable; 0 if it is the master's own machine that runs it.
    pub binary: u64,
}

pub(crate) const ANY_SEAT: u32 = u32::MAX;

/// The task of a host.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assign {
    pub size: u32,
    pub host: u32,
    pub hosts: Vec<HostInfo>,
    /// Silence that is taken for death.
    pub peer_timeout_ms: u32,
    /// Output goes to the master.
    pub route: bool,
    /// A line longer than this is passed on in pieces; 0: every piece is passed on at once.
    pub line_bytes: u32,
    /// The user looks at a terminal: ranks flush their stdout at each line.
    pub terminal: bool,
    /// This host's first rank reads the job's stdin.
    pub stdin: bool,
    /// Another process of this machine has the ranks: wait for the end of the job.
    pub surplus: bool,
    /// Where to work; empty: stay.
    pub dir: Vec<u8>,
    /// The environment of the master; empty if it was inherited.
    pub env: Vec<(Vec<u8>, Vec<u8>)>,
    /// What is alike in the whole job, if hosts proposed it (`Present`).
    #[serde(with = "serde_bytes")]
    pub terms: Vec<u8>,
}

/// How a rank ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Death {
    Exited(i32),
    Killed(i32),
    /// Killed, probably by the kernel for lack of memory.
    OutOfMemory,
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Frame {
    Hello(Hello),
    /// After the hello of a host that somebody else has started: its ranks, and their proposal of what all must have alike.
    Present {
        ranks: Ranks,
        #[serde(with = "serde_bytes")]
        terms: Vec<u8>,
    },
    Assign(Box<Assign>),
    /// This host may start its ranks, and its warden will have this address.
    Bound(SocketAddr),
    /// All hosts may; the addresses of their wardens, by host.
    Table(Vec<SocketAddr>),
    /// To the master: the records that the ranks of this host exchange (values.rs). From the master: those of all hosts.
    Fence(#[serde(with = "serde_bytes")] Vec<u8>),
    Alive,
    /// From `stream` (1, 2) of a rank of this host; complete lines, or a part of a line that is too long.
    Lines {
        rank: u32,
        stream: u8,
        #[serde(with = "serde_bytes")]
        bytes: Vec<u8>,
    },
    Died {
        rank: u32,
        pid: u32,
        how: Death,
    },
    /// To the master: this host's ranks end so. From the master: the job does.
    End {
        code: i32,
        crash: bool,
    },
    /// To be raised in the host's first rank.
    Signal(i32),
    /// An error message for the user; the job ends with this code.
    Trouble {
        code: i32,
        why: String,
    },
    /// All of the host's ranks have ended and all of their output has been sent.
    Bye,
    /// To the master: this rank of the host wants a report on the job. From the master: report on the host's ranks.
    Explain(u32),
    /// How far one rank of the host has come, as hang/standing.rs writes it.
    Standing(#[serde(with = "serde_bytes")] Vec<u8>),
    /// All ranks of the host have been reported on.
    Explained,
    /// Whether the host has stopped making progress, and whether a thread of it waits.
    Still {
        still: bool,
        waiting: bool,
    },
}

impl Frame {
    /// Appends the frame as a body.
    pub fn write(&self, out: &mut Vec<u8>) {
        match postcard::to_extend(self, std::mem::take(out)) {
            Ok(written) => *out = written,
            Err(why) => fatal!("control connection: {why}"),
        }
    }

    /// Parses a body of any bytes.
    pub fn read(body: &[u8]) -> Option<Frame> {
        let (frame, rest) = postcard::take_from_bytes(body).ok()?;
        let is_complete = match &frame {
            Frame::Assign(assign) => {
                let placed: u64 = assign.hosts.iter().map(|host| u64::from(host.ranks.count())).sum();
                placed == u64::from(assign.size)
            }
            _ => true,
        };
        (rest.is_empty() && is_complete).then_some(frame)
    }
}
