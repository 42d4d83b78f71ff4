//! A bootstrap over a launcher's store. The values that a rank puts before a fence are one record (bootstrap/values.rs),
//! which is cut into values of the store. Their keys name the fence, the rank and the piece, so that no key is written
//! twice. A rank that has put nothing writes nothing. A record is fetched when one of its values is read, and kept.

use core::ffi::c_int;
use std::collections::HashMap;
use std::net::IpAddr;
use std::time::Duration;

use parking_lot::Mutex;

use crate::bootstrap::contract::{Bootstrap, Identity};
use crate::bootstrap::values::Values;
use crate::defs::rank::{HostRank, JobRank};
use crate::fatal::{ABORTED, fatal};
use crate::launch::addresses::own_name;
use crate::launch::external::guard::Guard;
use crate::launch::external::kvs::Kvs;
use crate::launch::external::text;
use crate::launch::fork::fate::Fate;
use crate::os::children::End;
use crate::os::local_socket;
use crate::os::process::{self, Line};
use crate::os::streams;

/// The time for which a rank that aborts the job waits for its launcher, so that the other ranks of the host find the reason
/// already printed.
const CLAIMED: Duration = Duration::from_millis(200);

/// The time for which ranks of hosts without rank 0 let those of rank 0's host print the reason and end the job, so that one line is
/// printed for the job.
const FIRST_HOSTS_TURN: Duration = Duration::from_millis(300);

/// The time limit for a launcher to read the line from this process's stderr.
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
    /// Until the warden watches this rank.
    guard: Option<Guard>,
}

struct State {
    size: u32,
    offer: Values,
    fences: u32,
    /// Records by fence and rank, once fetched; empty if the rank had put nothing.
    known: HashMap<(u32, u32), Values>,
}

/// The identity of a rank, as its launcher describes it.
pub struct Place {
    pub rank: u32,
    pub size: u32,
    /// The ranks of this host, ascending; `None` if the launcher does not list them.
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
        let mut over = Over { kvs, identity, state: Mutex::new(state), said, guard: None };
        over.guard = over.start_guard();
        let peers = peers.unwrap_or_else(|| over.peers_by_host());
        over.identity.peers = peers.into_iter().map(JobRank).collect();
        let Some(here) = over.identity.peers.iter().position(|&peer| peer.0 == rank) else {
            fatal!("{}: rank {rank} is not among the ranks of its own host", over.kvs.name());
        };
        over.identity.here = HostRank(here as u32);
        over
    }

    fn start_guard(&self) -> Option<Guard> {
        let (rank, host) = (self.identity.me.0, own_name());
        Guard::start(self.kvs.needs_guard()?, |pid, end| {
            let code = end.map_or(1, End::code);
            let says = local_socket::claim(&self.said);
            if says {
                Line::of(format_args!(
                    "*** GASNet: rank {rank} (pid {pid}) on host {host} {} while the job started; ending the job",
                    Fate(end)
                ))
                .print();
            }
            self.end_job(if code == 0 { 1 } else { code }, says);
        })
    }

    fn dismiss_guard(&self) {
        if let Some(guard) = &self.guard {
            guard.dismiss();
        }
    }

    /// `says`: this process has printed why.
    fn end_job(&self, code: c_int, says: bool) {
        // Hydra loses output that it has not passed on yet when it is told.
        streams::wait_until_read(READ);
        process::nap(PASSED_ON);
        self.kvs.abort(code);
        if says {
            // The launcher ends this process and the others. Until then the name stays claimed.
            process::nap(CLAIMED);
        }
    }

    /// The ranks that are on this host, found out by an exchange.
    fn peers_by_host(&self) -> Vec<u32> {
        let own = crate::launch::worker::machine();
        self.put("host", &own);
        self.fence();
        let is_here = |&rank: &u32| self.get(JobRank(rank), "host").as_deref() == Some(&own);
        (0..self.identity.size).filter(is_here).collect()
    }

    /// Handles the failure of a fence. If a rank has died, the launcher ends this process with that rank's code.
    fn or_lost(&self, passed: Result<(), String>) {
        let Err(why) = passed else { return };
        process::nap(LAUNCHERS_TURN);
        if !local_socket::claim(&self.said) {
            // Another rank of this host prints the line.
            self.dismiss_guard();
            process::nap(LAUNCHERS_TURN);
            process::end_now(1);
        }
        self.fail(&why, true);
    }

    fn or_end<T>(&self, result: Result<T, String>) -> T {
        result.unwrap_or_else(|why| self.fail(&why, local_socket::claim(&self.said)))
    }

    /// Ends the job because the store failed. `says`: this process prints the reason.
    fn fail(&self, why: &str, says: bool) -> ! {
        let line = format!("{}: {why}", self.kvs.name());
        if self.guard.is_none() {
            fatal!("{line}");
        }
        // The launcher lets the other ranks run on when this one dies, and the guard would print the death, too.
        self.dismiss_guard();
        if says {
            Line::of(format_args!("*** FATAL ERROR: {line}")).print();
        }
        self.end_job(ABORTED, says);
        process::end_now(ABORTED)
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

    /// The values that rank `of` put before fence `fence`.
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

/// A multiple of 4, so that the first piece begins with the head for any bound of the launcher.
fn piece_bytes(kvs: &impl Kvs) -> usize {
    kvs.longest() / 4 * 4
}

fn broken(of: u32) -> String {
    format!("it returned the values of rank {of} truncated or corrupt")
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

    /// One rank of a host prints the line, and of rank 0's host if that comes to it, too.
    fn abort(&self, code: c_int, line: &str) {
        self.dismiss_guard();
        if !line.is_empty() && self.identity.peers.first() != Some(&JobRank(0)) {
            process::nap(FIRST_HOSTS_TURN);
        }
        let says = !line.is_empty() && local_socket::claim(&self.said);
        if says {
            Line::of(format_args!("*** FATAL ERROR: {line}")).print();
        }
        self.end_job(code, says);
    }

    fn reason_name(&self) -> Option<&str> {
        Some(&self.said)
    }

    fn is_watched(&self) {
        self.dismiss_guard();
        if let Some(guard) = &self.guard {
            guard.await_end();
        }
    }

    fn part(&self) {
        self.kvs.part();
    }

    fn leave(&self) {
        self.dismiss_guard();
        self.kvs.leave();
    }

    fn died(&self) -> Option<c_int> {
        self.kvs.died()
    }
}
