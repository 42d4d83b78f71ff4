//! The frames of the control connection, encoded by postcard. Pure functions; decoding neither panics nor reserves more
//! than a small multiple of the received bytes.

use std::net::SocketAddr;

use serde::{Deserialize, Serialize};

use crate::fatal::fatal;
use crate::launch::hosts::HostInfo;
use crate::places::Ranks;

/// The identity of a host: machine, library and executable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The number of the host that it was started for; `ANY_SEAT` if the command that started it cannot tell.
    pub seat: u32,
    pub pid: u32,
    /// The same for two processes on one machine.
    pub machine: [u8; 16],
    /// The same for two processes on one kernel, also in different containers; 0 if unknown.
    pub kernel: u64,
    /// The processors that its ranks may use, as bits.
    pub cpus: Vec<u64>,
    pub name: String,
    /// The version number of the library.
    pub abi: u64,
    /// A hash of the executable; 0 on the master's own machine.
    pub binary: u64,
}

pub(crate) const ANY_SEAT: u32 = u32::MAX;

/// The master's assignment to a host.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assign {
    pub size: u32,
    pub host: u32,
    pub hosts: Vec<HostInfo>,
    /// The time without an answer after which a host counts as lost.
    pub peer_timeout_ms: u32,
    /// Output goes to the master.
    pub route: bool,
    /// A line longer than this is forwarded in pieces; 0: all output is forwarded at once.
    pub line_bytes: u32,
    /// The job's stdout is a terminal: ranks flush their stdout at each line.
    pub terminal: bool,
    /// This host's first rank reads the job's stdin.
    pub stdin: bool,
    /// Another process of this machine has the ranks: wait for the end of the job.
    pub surplus: bool,
    /// The working directory; empty: keep the present one.
    pub dir: Vec<u8>,
    /// The environment of the master; empty if it was inherited.
    pub env: Vec<(Vec<u8>, Vec<u8>)>,
    /// The settings agreed on for the whole job, if hosts proposed them (`Present`).
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

/// Where a host's warden receives datagrams, and the port at which it listens for connections of other hosts; 0: none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WardenAddress {
    pub at: SocketAddr,
    pub tree: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Frame {
    Hello(Hello),
    /// With the hello of a host that an external launcher started: its ranks, their proposal of common settings, and its
    /// warden's address, which other hosts send in `Bound`.
    Present {
        ranks: Ranks,
        #[serde(with = "serde_bytes")]
        terms: Vec<u8>,
        warden: WardenAddress,
    },
    Assign(Box<Assign>),
    /// This host is ready to start its ranks.
    Bound(WardenAddress),
    /// All hosts are ready.
    Table {
        /// By host.
        wardens: Vec<WardenAddress>,
        /// Hosts below each host in their tree (tree.rs); 0: exchanges go through the master.
        degree: u32,
        /// Ranks of other hosts that use processors of this one: the hosts are containers of one machine.
        beside: u32,
    },
    /// From a host to the one above in their tree, on a new connection: its number.
    Branch(u32),
    /// To the master, or up the tree: the records that ranks exchange (values.rs). Back: those of all hosts.
    Fence(#[serde(with = "serde_bytes")] Vec<u8>),
    Alive,
    /// Output to `stream` (1 or 2) of a rank of this host: complete lines, or a part of a line that is too long.
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
    /// To the master: the end of this host's ranks. From the master: the end of the job.
    End {
        code: i32,
        crash: bool,
    },
    /// A signal to raise in the host's first rank.
    Signal(i32),
    /// An error message for the user; the job ends with this code.
    Trouble {
        code: i32,
        why: String,
    },
    /// All of the host's ranks have ended and all of their output has been sent.
    Bye,
    /// To the master: this rank of the host requests a report on the job. From the master: report on the host's ranks.
    Explain(u32),
    /// The progress of one rank of the host, as hang/standing.rs encodes it.
    Standing(#[serde(with = "serde_bytes")] Vec<u8>),
    /// The reports on all ranks of the host were sent.
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

    /// Decodes a body; any bytes may be given.
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
