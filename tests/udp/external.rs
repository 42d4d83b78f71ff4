//! The bootstrap of an external launcher for tests: the processes of a job are started one by one, each with its rank, and
//! exchange values and report their ends through sockets of the launcher (tests/bootstrap.rs).

use gasnet::internal::bootstrap::contract::{Bootstrap, Identity};
use gasnet::internal::bootstrap::values::Values;
use gasnet::internal::defs::rank::{HostRank, JobRank};
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixStream};
use std::sync::Mutex;

/// The environment variable of such a process: `name rank size`, with the name of an abstract socket.
pub const WORD: &str = "PROBE_EXTERNAL";

/// Kinds of messages, each followed by a length and that many bytes. A watch is a connection without messages, which the
/// launcher closes when the job has to end.
pub const HELLO: u8 = b'h';
pub const WATCH: u8 = b'w';
pub const FENCE: u8 = b'f';
pub const ABORT: u8 = b'a';
pub const LEAVE: u8 = b'l';

pub fn send(mut to: &UnixStream, kind: u8, bytes: &[u8]) {
    let length = (bytes.len() as u32).to_le_bytes();
    let _ = to.write_all(&[&[kind][..], &length, bytes].concat());
}

pub fn receive(mut from: &UnixStream) -> Option<(u8, Vec<u8>)> {
    let mut head = [0; 5];
    from.read_exact(&mut head).ok()?;
    let mut bytes = vec![0; u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize];
    from.read_exact(&mut bytes).ok()?;
    Some((head[0], bytes))
}

/// Each process is a host of its own.
pub struct External {
    identity: Identity,
    values: Mutex<Values>,
    conn: UnixStream,
    watch: UnixStream,
}

impl External {
    pub fn of(word: &str) -> External {
        let words: Vec<_> = word.split(' ').collect();
        let address = SocketAddr::from_abstract_name(words[0]).unwrap();
        let (me, size) = (JobRank(words[1].parse().unwrap()), words[2].parse().unwrap());
        let connect = |kind| {
            let conn = UnixStream::connect_addr(&address).unwrap();
            send(&conn, kind, &me.0.to_le_bytes());
            conn
        };
        let identity = Identity { me, size, here: HostRank(0), peers: vec![me], address: None };
        External { identity, values: Mutex::default(), conn: connect(HELLO), watch: connect(WATCH) }
    }

    fn exchange(&self, records: &[u8]) -> Vec<u8> {
        send(&self.conn, FENCE, records);
        receive(&self.conn).unwrap().1
    }
}

impl Bootstrap for External {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn put(&self, key: &str, value: &[u8]) {
        self.values.lock().unwrap().put(key, value);
    }

    fn fence(&self) {
        let mut values = self.values.lock().unwrap();
        let mine = values.take_offer(self.identity.me);
        assert!(values.take_in(self.exchange(&mine), self.identity.size));
    }

    fn get(&self, of: JobRank, key: &str) -> Option<Vec<u8>> {
        self.values.lock().unwrap().get(of, key)
    }

    fn barrier(&self) {
        self.exchange(&[]);
    }

    fn abort(&self, code: i32, line: &str) {
        send(&self.conn, ABORT, &[&code.to_le_bytes()[..], line.as_bytes()].concat());
    }

    fn leave(&self) {
        send(&self.conn, LEAVE, &[]);
    }

    fn died(&self) -> Option<i32> {
        Some(self.watch.as_raw_fd())
    }
}
