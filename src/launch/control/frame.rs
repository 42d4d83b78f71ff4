//! What frames say, and how: each is one body of bytes, a number for its kind and then its fields in order. Numbers are
//! little-endian; texts and lists come after their length. Pure functions; reading neither panics nor reserves more
//! than what has come.

use std::net::{IpAddr, SocketAddr};

use crate::launch::hosts::HostInfo;
use crate::places::Ranks;

/// Who has come, on which machine, with which program.
#[derive(Clone, Debug, PartialEq, Eq)]
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

pub const ANY_SEAT: u32 = u32::MAX;

/// What a host is to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
}

/// How a rank ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Death {
    Exited(i32),
    Killed(i32),
    /// Killed, probably by the kernel, for want of memory.
    OutOfMemory,
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame {
    Hello(Hello),
    Assign(Box<Assign>),
    /// This host may start its ranks, and its warden will have this address.
    Bound(SocketAddr),
    /// All hosts may; the addresses of their wardens, by host.
    Table(Vec<SocketAddr>),
    /// To the master: the records that the ranks of this host exchange (values.rs). From the master: those of all hosts.
    Fence(Vec<u8>),
    Alive,
    /// From `stream` (1, 2) of a rank of this host; whole lines, or as much of one as fits.
    Lines {
        rank: u32,
        stream: u8,
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
    /// What went wrong, for the user; the job ends with this code.
    Trouble {
        code: i32,
        why: String,
    },
    /// All of the host's ranks are gone and everything that they wrote has been sent.
    Bye,
    /// To the master: this rank of the host wants a report on the job. From the master: report on the host's ranks.
    Explain(u32),
    /// How far one rank of the host has come, as hang/standing.rs writes it.
    Standing(Vec<u8>),
    /// All ranks of the host have been reported on.
    Explained,
    /// Nothing moves on this host any more, or again it does; and whether a thread of it waits.
    Still {
        still: bool,
        waiting: bool,
    },
}

impl Frame {
    /// Appends the frame as a body.
    pub fn write(&self, out: &mut Vec<u8>) {
        let mut w = Writer(out);
        match self {
            Frame::Hello(hello) => {
                w.u8(1);
                w.u32(hello.seat);
                w.u32(hello.pid);
                w.0.extend_from_slice(&hello.machine);
                w.bytes(hello.name.as_bytes());
                w.u64(hello.abi);
                w.u64(hello.binary);
            }
            Frame::Assign(assign) => {
                w.u8(2);
                assign.write(&mut w);
            }
            Frame::Bound(addr) => {
                w.u8(3);
                w.addr(addr);
            }
            Frame::Table(addrs) => {
                w.u8(4);
                w.list(addrs, |w, addr| w.addr(addr));
            }
            Frame::Alive => w.u8(5),
            Frame::Lines { rank, stream, bytes } => {
                w.u8(6);
                w.u32(*rank);
                w.u8(*stream);
                w.bytes(bytes);
            }
            Frame::Died { rank, pid, how } => {
                w.u8(7);
                w.u32(*rank);
                w.u32(*pid);
                let (kind, value) = match *how {
                    Death::Exited(code) => (0, code),
                    Death::Killed(signal) => (1, signal),
                    Death::OutOfMemory => (2, 0),
                    Death::Unknown => (3, 0),
                };
                w.u8(kind);
                w.u32(value as u32);
            }
            Frame::End { code, crash } => {
                w.u8(8);
                w.u32(*code as u32);
                w.flag(*crash);
            }
            Frame::Signal(signal) => {
                w.u8(9);
                w.u32(*signal as u32);
            }
            Frame::Trouble { code, why } => {
                w.u8(10);
                w.u32(*code as u32);
                w.bytes(why.as_bytes());
            }
            Frame::Bye => w.u8(11),
            Frame::Explain(rank) => {
                w.u8(12);
                w.u32(*rank);
            }
            Frame::Standing(bytes) => {
                w.u8(13);
                w.bytes(bytes);
            }
            Frame::Explained => w.u8(14),
            Frame::Still { still, waiting } => {
                w.u8(15);
                w.flag(*still);
                w.flag(*waiting);
            }
            Frame::Fence(records) => {
                w.u8(16);
                w.bytes(records);
            }
        }
    }

    /// The frame that `body` is, whatever bytes it has.
    pub fn read(body: &[u8]) -> Option<Frame> {
        let mut r = Reader(body);
        let frame = match r.u8()? {
            1 => Frame::Hello(Hello {
                seat: r.u32()?,
                pid: r.u32()?,
                machine: r.array()?,
                name: r.text()?,
                abi: r.u64()?,
                binary: r.u64()?,
            }),
            2 => Frame::Assign(Box::new(Assign::read(&mut r)?)),
            3 => Frame::Bound(r.addr()?),
            4 => Frame::Table(r.list(Reader::addr)?),
            5 => Frame::Alive,
            6 => Frame::Lines { rank: r.u32()?, stream: r.u8()?, bytes: r.bytes()?.to_vec() },
            7 => {
                let (rank, pid, kind, value) = (r.u32()?, r.u32()?, r.u8()?, r.u32()? as i32);
                let how = match (kind, value) {
                    (0, code) => Death::Exited(code),
                    (1, signal) => Death::Killed(signal),
                    (2, 0) => Death::OutOfMemory,
                    (3, 0) => Death::Unknown,
                    _ => return None,
                };
                Frame::Died { rank, pid, how }
            }
            8 => Frame::End { code: r.u32()? as i32, crash: r.flag()? },
            9 => Frame::Signal(r.u32()? as i32),
            10 => Frame::Trouble { code: r.u32()? as i32, why: r.text()? },
            11 => Frame::Bye,
            12 => Frame::Explain(r.u32()?),
            13 => Frame::Standing(r.bytes()?.to_vec()),
            14 => Frame::Explained,
            15 => Frame::Still { still: r.flag()?, waiting: r.flag()? },
            16 => Frame::Fence(r.bytes()?.to_vec()),
            _ => return None,
        };
        r.0.is_empty().then_some(frame)
    }
}

impl Assign {
    fn write(&self, w: &mut Writer<'_>) {
        w.u32(self.size);
        w.u32(self.host);
        w.list(&self.hosts, |w, host| {
            w.bytes(host.name.as_bytes());
            w.ranks(&host.ranks);
        });
        w.u32(self.peer_timeout_ms);
        w.flag(self.route);
        w.u32(self.line_bytes);
        w.flag(self.terminal);
        w.flag(self.stdin);
        w.flag(self.surplus);
        w.bytes(&self.dir);
        w.list(&self.env, |w, (name, value)| {
            w.bytes(name);
            w.bytes(value);
        });
    }

    fn read(r: &mut Reader<'_>) -> Option<Assign> {
        let assign = Assign {
            size: r.u32()?,
            host: r.u32()?,
            hosts: r.list(|r| Some(HostInfo { name: r.text()?, ranks: r.ranks()? }))?,
            peer_timeout_ms: r.u32()?,
            route: r.flag()?,
            line_bytes: r.u32()?,
            terminal: r.flag()?,
            stdin: r.flag()?,
            surplus: r.flag()?,
            dir: r.bytes()?.to_vec(),
            env: r.list(|r| Some((r.bytes()?.to_vec(), r.bytes()?.to_vec())))?,
        };
        let placed: u64 = assign.hosts.iter().map(|host| u64::from(host.ranks.count())).sum();
        (placed == assign.size.into()).then_some(assign)
    }
}

struct Writer<'a>(&'a mut Vec<u8>);

impl Writer<'_> {
    fn u8(&mut self, value: u8) {
        self.0.push(value);
    }

    fn flag(&mut self, value: bool) {
        self.u8(value.into());
    }

    fn u32(&mut self, value: u32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    fn u64(&mut self, value: u64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.u32(bytes.len() as u32);
        self.0.extend_from_slice(bytes);
    }

    fn list<T>(&mut self, items: &[T], mut each: impl FnMut(&mut Self, &T)) {
        self.u32(items.len() as u32);
        for item in items {
            each(self, item);
        }
    }

    /// Runs of consecutive ranks: first rank and number of ranks of each.
    fn ranks(&mut self, ranks: &Ranks) {
        self.u32(ranks.runs().len() as u32);
        for (first, count) in ranks.runs() {
            self.u32(first);
            self.u32(count);
        }
    }

    fn addr(&mut self, addr: &SocketAddr) {
        match addr.ip() {
            IpAddr::V4(ip) => {
                self.u8(4);
                self.0.extend_from_slice(&ip.octets());
            }
            IpAddr::V6(ip) => {
                self.u8(6);
                self.0.extend_from_slice(&ip.octets());
            }
        }
        self.0.extend_from_slice(&addr.port().to_le_bytes());
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn u8(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    fn flag(&mut self) -> Option<bool> {
        match self.u8()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let len = self.u32()? as usize;
        self.take(len)
    }

    fn text(&mut self) -> Option<String> {
        Some(str::from_utf8(self.bytes()?).ok()?.to_string())
    }

    fn list<T>(&mut self, mut each: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.u32()? as usize;
        // Every item takes a byte at least: a count that lies reserves nothing.
        if count > self.0.len() {
            return None;
        }
        let mut items = Vec::new();
        for _ in 0..count {
            items.push(each(self)?);
        }
        Some(items)
    }

    fn ranks(&mut self) -> Option<Ranks> {
        let mut ranks = Ranks::default();
        for (first, count) in self.list(|r| Some((r.u32()?, r.u32()?)))? {
            ranks.push(first, count).then_some(())?;
        }
        Some(ranks)
    }

    fn addr(&mut self) -> Option<SocketAddr> {
        let ip = match self.u8()? {
            4 => IpAddr::from(self.array::<4>()?),
            6 => IpAddr::from(self.array::<16>()?),
            _ => return None,
        };
        Some(SocketAddr::new(ip, self.array().map(u16::from_le_bytes)?))
    }
}
