//! A bootstrap over a launcher's store. The values that a rank puts before a fence are one record (bootstrap/values.rs),
//! which is cut into values of the store, under keys that name the fence, the rank and the piece: none is ever written
//! twice. A rank that has put nothing writes nothing. A record is fetched when a value of it is asked for, and kept.

use core::ffi::c_int;
use std::collections::HashMap;
use std::net::IpAddr;
use std::time::Duration;

use parking_lot::Mutex;

use crate::bootstrap::contract::{Bootstrap, Identity};
use crate::bootstrap::values::Values;
use crate::defs::rank::{HostRank, JobRank};
use crate::fatal::fatal;
use crate::launch::external::kvs::Kvs;
use crate::launch::external::text;
use crate::os::local_socket;
use crate::os::process::{self, Line};
use crate::os::streams;

/// The longest that a rank which aborts the job waits for its launcher, so that others see that it has said why.
const CLAIMED: Duration = Duration::from_millis(200);

/// How long a launcher gets to read the line, and then to pass it on.
const READ: Duration = Duration::from_secs(1);
const PASSED_ON: Duration = Duration::from_millis(50);
/// How long a launcher may take to end the ranks of a job after one has died.
const LAUNCHERS_TURN: Duration = Duration::from_secs(2);

/// The largest record of a rank.
const MOST_RECORD: usize = 64 << 20;

pub struct Over<K> {
    kvs: K,
    identity: Identity,
    state: Mutex<State>,
    /// Of this job on this host: the name of an abstract socket. The first rank to bind it prints the reason of an abort.
    said: String,
}

struct State {
    size: u32,
    offer: Values,
    fences: u32,
    /// By fence and rank, once asked for; empty if the rank had put nothing.
    known: HashMap<(u32, u32), Values>,
}

/// Who a rank is, as its launcher says.
pub struct Place {
    pub rank: u32,
    pub size: u32,
    /// The ranks of this host, ascending; `None` if the launcher does not tell.
    pub peers: Option<Vec<u32>>,
    pub address: Option<IpAddr>,
    /// A name that no other job on this host has.
    pub job: String,
}

impl<K: Kvs> Over<K> {
    pub fn new(kvs: K, place: Place) -> Over<K> {
        let Place { rank, size, peers, address, job } = place;
        let mut name = blake3::Hasher::new();
        name.update(b"said").update(job.as_bytes());
        let said = format!("gasnet-said-{}", &name.finalize().to_hex()[..32]);
        let state = State { size, offer: Values::default(), fences: 0, known: HashMap::new() };
        let identity = Identity { me: JobRank(rank), size, here: HostRank(0), peers: Vec::new(), address };
        let mut over = Over { kvs, identity, state: Mutex::new(state), said };
        let peers = peers.unwrap_or_else(|| over.peers_by_host());
        over.identity.peers = peers.into_iter().map(JobRank).collect();
        let Some(here) = over.identity.peers.iter().position(|&peer| peer.0 == rank) else {
            fatal!("{}: rank {rank} is not among the ranks of its own host", over.kvs.name());
        };
        over.identity.here = HostRank(here as u32);
        over
    }

    /// The ranks that are on this host, found out by an exchange.
    fn peers_by_host(&self) -> Vec<u32> {
        let own = crate::launch::worker::machine();
        self.put("host", &own);
        self.fence();
        let is_here = |&rank: &u32| self.get(JobRank(rank), "host").as_deref() == Some(&own);
        (0..self.identity.size).filter(is_here).collect()
    }

    /// Of a fence: where it fails because a rank has died, the launcher ends this process with that rank's code.
    fn or_lost(&self, passed: Result<(), String>) {
        if passed.is_err() {
            process::nap(LAUNCHERS_TURN);
            if !local_socket::claim(&self.said) {
                // Another rank of this host says it.
                process::nap(LAUNCHERS_TURN);
                process::end_now(1);
            }
        }
        self.or_end(passed);
    }

    fn or_end<T>(&self, result: Result<T, String>) -> T {
        result.unwrap_or_else(|why| fatal!("{}: {why}", self.kvs.name()))
    }
}

impl State {
    fn publish(&mut self, kvs: &impl Kvs, me: JobRank) -> Result<(), String> {
        let record = self.offer.take_offer(me);
        if record.is_empty() {
            return Ok(());
        }
        let headed = text::headed(&record);
        let bytes = if kvs.is_text() { text::encoded(&headed) } else { headed };
        for (nth, piece) in bytes.chunks(piece_bytes(kvs)).enumerate() {
            kvs.put(&key(self.fences, me.0, nth), piece)?;
        }
        Ok(())
    }

    /// What rank `of` put before fence `fence`.
    fn record(&mut self, kvs: &impl Kvs, fence: u32, of: u32) -> Result<&Values, String> {
        if !self.known.contains_key(&(fence, of)) {
            let record = fetch(kvs, fence, of)?;
            let mut values = Values::default();
            if !values.take_in(record, self.size) {
                return Err(broken(of));
            }
            self.known.insert((fence, of), values);
        }
        Ok(&self.known[&(fence, of)])
    }
}

fn key(fence: u32, rank: u32, piece: usize) -> String {
    format!("gasnet-{fence}-{rank}-{piece}")
}

/// A multiple of 4, so that the first piece begins with the head whatever the launcher's bound.
fn piece_bytes(kvs: &impl Kvs) -> usize {
    kvs.longest() / 4 * 4
}

fn broken(of: u32) -> String {
    format!("the values of rank {of} have come back cut or garbled")
}

fn fetch(kvs: &impl Kvs, fence: u32, of: u32) -> Result<Vec<u8>, String> {
    let Some(mut bytes) = kvs.get(of, &key(fence, of, 0))? else { return Ok(Vec::new()) };
    let head = if kvs.is_text() { text::decoded(bytes.get(..16).unwrap_or_default()) } else { Some(bytes.clone()) };
    let whole = head.and_then(|head| text::headed_bytes(&head)).filter(|&len| len <= MOST_RECORD);
    let whole = whole.ok_or_else(|| broken(of))?;
    let length = if kvs.is_text() { whole.div_ceil(3) * 4 - (3 - whole % 3) % 3 } else { whole };
    for nth in 1.. {
        if bytes.len() >= length {
            break;
        }
        let piece = kvs.get(of, &key(fence, of, nth))?.filter(|piece| !piece.is_empty());
        bytes.extend_from_slice(&piece.ok_or_else(|| broken(of))?);
    }
    let headed = if kvs.is_text() { text::decoded(&bytes) } else { Some(bytes) };
    let record = headed.as_deref().and_then(text::record).ok_or_else(|| broken(of))?;
    Ok(record.to_vec())
}

impl<K: Kvs> Bootstrap for Over<K> {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn put(&self, key: &str, value: &[u8]) {
        self.state.lock().offer.put(key, value);
    }

    fn fence(&self) {
        let mut state = self.state.lock();
        let passed = state.publish(&self.kvs, self.identity.me).and_then(|()| self.kvs.fence(true));
        state.fences += 1;
        self.or_lost(passed);
    }

    fn get(&self, of: JobRank, key: &str) -> Option<Vec<u8>> {
        if of.0 >= self.identity.size {
            return None;
        }
        let mut state = self.state.lock();
        for fence in (0..state.fences).rev() {
            let values = self.or_end(state.record(&self.kvs, fence, of.0));
            if let Some(value) = values.get(of, key) {
                return Some(value);
            }
        }
        None
    }

    fn barrier(&self) {
        self.or_lost(self.kvs.fence(false));
    }

    /// One rank of each host prints the line.
    fn abort(&self, code: c_int, line: &str) {
        let says = !line.is_empty() && local_socket::claim(&self.said);
        if says {
            Line::of(format_args!("*** FATAL ERROR: {line}")).print();
        }
        // Hydra loses output that it has not passed on yet when it is told.
        streams::wait_until_read(READ);
        process::nap(PASSED_ON);
        self.kvs.abort(code);
        if says {
            // The launcher ends this process and the others. Until then the name stays claimed.
            process::nap(CLAIMED);
        }
    }

    fn leave(&self) {
        self.kvs.leave();
    }

    fn died(&self) -> Option<c_int> {
        self.kvs.died()
    }
}
