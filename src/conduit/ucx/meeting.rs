//! How the ranks of a job meet over UCX: each publishes its address and its version, and a key with which one peer tries atomics.

use std::time::{Duration, Instant};

use super::keys::{self, version_number, version_text};
use super::packet::{MOST_HEADER, UcxKind};
use super::state::UcxRank;
use crate::bootstrap::contract::{Bootstrap, MOST_VALUE};
use crate::conduit::shared::device::NetworkDevice;
use crate::conduit::shared::operations;
use crate::conduit::{Atomic, Completion, OpToken, Sent};
use crate::defs::rank::{JobRank, Location};
use crate::env;
use crate::env::show::is_verbose;
use crate::fatal::lines::line;
use crate::mem::{self, RemoteAddr};
use crate::os::services;
use crate::shims::ucx::{self, PortOptions, Ucx, UcxPort};

const ADDRESS: &str = "ucx.at";
const KEY: &str = "ucx.key";
const ATOMICS: &str = "ucx.atomics";

/// The endpoint under which ranks import the keys of the words on which they try atomics; no endpoint has this number.
const PROBED_EP: u16 = u16::MAX;
/// The value of these words, which no probe changes.
const PROBED: u64 = 0x5a5a_1234_a5a5_4321;
/// The time that all probes together may take.
const PROBES: Duration = Duration::from_secs(20);

/// A worker of UCX. An error is a line for the user.
pub(crate) fn open_port(ucx: &'static Ucx, peers: u32, peers_here: u32) -> Result<UcxPort, String> {
    // UCX ends the process by an assertion if the thread that it starts is refused to it.
    if let Some(error) = services::no_threads() {
        return Err(format!(
            "conduit ucx: UCX starts a thread, for which a filter refuses clone3 to the C library: {error} (it makes an older call if the \
             filter answers ENOSYS)"
        ));
    }
    let with = |wakes| ucx.open_port(&PortOptions { peers, peers_here, wakes });
    let opened = match env::yes("GASNET_UCX_WAKEUP") {
        // Not all transports can wake a rank; then it polls now and then while it sleeps.
        true => with(true).or_else(|_| with(false)),
        false => with(false),
    };
    let port = opened.map_err(|(call, error)| {
        let set = |name: &str| env::raw(name).map_or(format!("{name} is not set"), |value| format!("{name}={value}"));
        format!(
            "conduit ucx: UCX {} ({}) has no transport that can be used: {call} fails: {} ({}, {}; ucx_info -d lists transports and devices)",
            ucx.version(),
            ucx.file,
            error.text(),
            set("UCX_TLS"),
            set("UCX_NET_DEVICES")
        )
    })?;
    let longest = port.longest_header();
    if longest < MOST_HEADER {
        return Err(format!(
            "conduit ucx: the headers of UCX's messages have at most {longest} bytes over these transports, fewer than the {MOST_HEADER} that \
             are needed: UCX_TLS names others"
        ));
    }
    Ok(port)
}

/// Offers `bytes` under `key`, in as many values as they need.
fn offer(bootstrap: &dyn Bootstrap, key: &str, bytes: &[u8]) {
    bootstrap.put(key, &(bytes.len() as u32).to_le_bytes());
    for (nth, part) in bytes.chunks(MOST_VALUE).enumerate() {
        bootstrap.put(&format!("{key}.{nth}"), part);
    }
}

fn offered(bootstrap: &dyn Bootstrap, of: JobRank, key: &str) -> Option<Vec<u8>> {
    let len = bootstrap.get(of, key)?.try_into().ok().map(u32::from_le_bytes)? as usize;
    let mut bytes = Vec::with_capacity(len);
    for nth in 0..len.div_ceil(MOST_VALUE) {
        bytes.extend(bootstrap.get(of, &format!("{key}.{nth}"))?);
    }
    (bytes.len() == len).then_some(bytes)
}

/// The state of this rank, which reaches all others. An error is a line for the user.
pub(crate) fn meet(bootstrap: &dyn Bootstrap) -> Result<UcxRank, String> {
    let identity = bootstrap.identity();
    let (me, size) = (identity.me, identity.size);
    let ucx = ucx::open()?;
    let port = open_port(ucx, size, identity.peers.len() as u32)?;
    let version = version_number(&ucx.version());
    let address = [&version.to_le_bytes()[..], &port.address()].concat();
    offer(bootstrap, ADDRESS, &address);
    let probed: &'static mut [u64] = Box::leak(Box::new([PROBED; 2]));
    let probed = mem::all_of(probed);
    let memory = port.map(probed.as_ptr().expose_provenance(), probed.len());
    let key = memory.and_then(|memory| port.pack(&memory));
    if let Ok(packed) = key {
        let start = probed.as_ptr().expose_provenance();
        offer(bootstrap, KEY, keys::made(start, probed.len(), version, &packed)?.bytes());
    }
    bootstrap.fence();
    let address_of = |rank: u32| {
        let bytes = offered(bootstrap, JobRank(rank), ADDRESS);
        let Some((theirs, address)) = bytes.as_deref().and_then(<[u8]>::split_first_chunk::<8>) else {
            return Err(format!("ucx: rank {rank} has not published its address at the start of the job"));
        };
        let theirs = u64::from_le_bytes(*theirs);
        if theirs != version {
            return Err(format!(
                "conduit ucx: rank {rank} has UCX {}, and rank {} has UCX {}: all ranks need the same (GASNET_UCX_LIB)",
                version_text(theirs),
                me.0,
                version_text(version)
            ));
        }
        Ok((address.into(), !identity.peers.contains(&JobRank(rank))))
    };
    let addresses = (0..size).map(address_of).collect::<Result<Vec<(Box<[u8]>, bool)>, _>>()?;
    let is_apart: Vec<bool> = addresses.iter().map(|(_, is_apart)| *is_apart).collect();
    let to = keys::to_probe(me, &is_apart);
    let mut rank = UcxRank::new(port, version, me, addresses, false);
    if size > 1 {
        let lanes = lanes(&mut rank, to);
        let mut transports: Vec<String> = Vec::new();
        for (name, _) in &lanes {
            if !transports.contains(name) {
                transports.push(name.clone());
            }
        }
        rank.pins = transports.iter().any(|name| pins(name));
        if rank.members[to.index()].is_apart {
            let of_tcp = lanes.iter().find(|(name, _)| name == "tcp");
            rank.device = of_tcp.and_then(|(_, device)| NetworkDevice::watch(device));
        }
        rank.batches.turn(match env::str("GASNET_UCX_BATCH").as_deref() {
            Some("auto") | None => transports.iter().any(|name| name == "tcp"),
            Some(set) => set == "yes",
        });
        if me.0 == 0 && is_verbose() {
            let (version, file) = (ucx.version(), &ucx.file);
            let how = if rank.batches.are_on() { "share packets" } else { "have a packet each" };
            line(&format!(
                "GASNET: conduit ucx: UCX {version} ({file}), {}; short messages {how}",
                transports.join(", ")
            ));
        }
        let key = offered(bootstrap, to, KEY);
        agree_on_atomics(&mut rank, bootstrap, to, key.as_deref());
    }
    Ok(rank)
}

/// The transports of the connection to `to`, with their devices.
fn lanes(rank: &mut UcxRank, to: JobRank) -> Vec<(String, String)> {
    rank.connected(to);
    let connection = rank.members[to.index()].connection.as_ref();
    of_description(&rank.port.describe(connection))
}

/// The transports and devices in UCX's description of a connection, whose lines are as `lane[0]:  3:tcp/eth0.0 md[2] -> ... am`.
fn of_description(text: &str) -> Vec<(String, String)> {
    let lanes = text.lines().filter_map(|line| line.split_once("lane[").map(|(_, lane)| lane));
    let named = lanes.filter_map(|lane| {
        let (_, rest) = lane.split_once(':')?.1.split_once(':')?;
        let (name, rest) = rest.split_once('/')?;
        let (device, _) = rest.split_whitespace().next()?.rsplit_once('.')?;
        Some((name.to_owned(), device.to_owned()))
    });
    named.collect()
}

/// Whether a transport pins registered memory: devices do, sockets and memory of the host do not.
fn pins(transport: &str) -> bool {
    const DO_NOT: [&str; 7] = ["tcp", "self", "posix", "sysv", "cma", "knem", "xpmem"];
    !DO_NOT.contains(&transport)
}

/// Tries atomics on a word of `to`, and agrees with all ranks on the widths whose atomics all networks execute.
fn agree_on_atomics(rank: &mut UcxRank, bootstrap: &dyn Bootstrap, to: JobRank, key: Option<&[u8]>) {
    let there = Location { rank: to, ep: PROBED_EP };
    let until = Instant::now() + PROBES;
    let imported = key.is_some_and(|key| rank.import_key(there, key).is_ok()) && env::yes("GASNET_UCX_ATOMICS");
    let at = rank.start_of(there).filter(|_| imported);
    rank.tries = true;
    let widths = [4, 8].map(|bytes| at.is_some_and(|at| probe(rank, there, at, bytes, until)));
    rank.tries = false;
    // All ranks serve the probes of others until all have ended, and until their own messages are sent: connections may not be ready.
    while !(rank.meets(UcxKind::Probed) && rank.is_quiet()) && Instant::now() < until {
        rank.advance(&|_, _| None, true);
    }
    bootstrap.put(ATOMICS, &widths.map(u8::from));
    bootstrap.fence();
    let of = |rank: u32| bootstrap.get(JobRank(rank), ATOMICS);
    let all =
        |nth: usize| (0..rank.members.len() as u32).all(|rank| of(rank).is_some_and(|said| said.get(nth) == Some(&1)));
    rank.atomics = offered_atomics([all(0), all(1)]);
}

/// Whether all operations of UCX on a number of this width give the right result, and do not change the word.
fn probe(rank: &mut UcxRank, there: Location, at: usize, bytes: usize, until: Instant) -> bool {
    const FETCH_AND: u32 = 0x8000;
    const FETCH_OR: u32 = 0x1_0000;
    const FETCH_XOR: u32 = 0x2_0000;
    const FETCH_ADD: u32 = 0x4_0000;
    const SWAP: u32 = 0x200_0000;
    const COMPARE_SWAP: u32 = 0x400_0000;
    let dtype = if bytes == 4 { 1 << 1 } else { 1 << 3 };
    let right = if bytes == 4 {
        u64::from(PROBED.to_ne_bytes().first_chunk::<4>().map_or(0, |low| u32::from_ne_bytes(*low)))
    } else {
        PROBED
    };
    let operations = [
        (FETCH_AND, u64::MAX, 0),
        (FETCH_OR, 0, 0),
        (FETCH_XOR, 0, 0),
        (FETCH_ADD, 0, 0),
        (SWAP, right, 0),
        (COMPARE_SWAP, right, right),
    ];
    operations.into_iter().all(|(op, op1, op2)| {
        let found: &'static mut [u64] = Box::leak(Box::new([0u64; 1]));
        let found = mem::all_of(found);
        let token = OpToken(u64::from(op));
        let what = Atomic { dtype, op, op1, op2 };
        if rank.start_atomic(there, RemoteAddr(at), &what, Some(found), token) != Sent::Later {
            return false;
        }
        let end = loop {
            match rank.arrivals.take_done(token) {
                Some(end) => break end,
                None if Instant::now() >= until => return false,
                None => rank.advance(&|_, _| None, true),
            };
        };
        let mut got = [0; 8];
        mem::read(&mut got[..bytes], found.part(0, bytes).as_src());
        let mut want = [0; 8];
        want[..bytes].copy_from_slice(&right.to_ne_bytes()[..bytes]);
        end == Completion::Remote && got == want
    })
}

/// Those that are offered on a type, where atomics on numbers of 4 and of 8 bytes work.
fn offered_atomics(works: [bool; 2]) -> fn(u32) -> u32 {
    const NARROW: u32 = 0b0011;
    const WIDE: u32 = 0b1100;
    match works {
        [true, true] => operations::offered,
        [true, false] => |dtype| if dtype & NARROW != 0 { operations::offered(dtype) } else { 0 },
        [false, true] => |dtype| if dtype & WIDE != 0 { operations::offered(dtype) } else { 0 },
        [false, false] => |_| 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conduit::conformance_tests;
    use crate::conduit::shared::serialized::Serialized;

    #[test]
    fn transports_are_read_from_the_description_of_a_connection() {
        let text = "#\n# UCP endpoint\n#\n#               peer: x\n\
                    #                 lane[0]:  3:posix/memory.0 md[1]     -> md[1]/posix/sysdev[255]/seg[8256]  am am_bw#0\n\
                    #                 lane[1]:  0:tcp/lo.0 md[2] -> md[2]/tcp/sysdev[255] rma_bw#0 wireup\n\
                    #                 lane[2]:  1:tcp/eth0.7.0 md[2] -> md[2]/tcp\n";
        let lanes = [("posix", "memory"), ("tcp", "lo"), ("tcp", "eth0.7")];
        assert_eq!(of_description(text), lanes.map(|(name, device)| (name.to_owned(), device.to_owned())));
        assert!(of_description("nothing").is_empty());
        assert_eq!(["tcp", "posix", "rc_mlx5", "ud_verbs", "cma"].map(pins), [false, false, true, true, false]);
    }

    /// Needs a shim (GASNET_SHIM_PATH), which `make check` builds where there are the headers of UCX. Two ends in one process.
    #[test]
    fn ucx_keeps_the_contract() {
        if !conformance_tests::has_shim("conduit-ucx") {
            return;
        }
        let ucx = ucx::open().unwrap();
        for batches in [false, true] {
            conformance_tests::run(false, || {
                let ports = [0, 1].map(|_| open_port(ucx, 2, 2).unwrap());
                let addresses = ports.each_ref().map(|port| (port.address().into_boxed_slice(), false));
                let mut me = 0;
                ports.map(|port| {
                    let mut rank = UcxRank::new(port, 1, JobRank(me), addresses.to_vec(), batches);
                    rank.atomics = operations::offered;
                    me += 1;
                    Serialized::open(rank)
                })
            });
        }
    }
}
