//! How the ranks of a job meet over UCX: each publishes its address and its version, and a key with which one peer tries atomics.

use std::time::{Duration, Instant};

use super::keys::{self, version_number, version_text};
use super::packet::{MOST_HEADER, UcxKind};
use super::state::UcxRank;
use crate::bootstrap::contract::{Bootstrap, MOST_VALUE};
use crate::conduit::shared::device::NetworkDevice;
use crate::conduit::shared::operations::{self, NetworkOp};
use crate::conduit::shared::tries::{self, Try};
use crate::conduit::{Completion, OpToken, Sent};
use crate::defs::rank::{JobRank, Location};
use crate::env;
use crate::env::show::is_verbose;
use crate::fatal::lines::line;
use crate::mem::{self, RemoteAddr};
use crate::os::services;
use crate::os::signal::Mask;
use crate::shims::ucx::{self, PortOptions, Ucx, UcxPort};

const ADDRESS: &str = "ucx.at";
const KEY: &str = "ucx.key";
const ATOMICS: &str = "ucx.atomics";

/// The endpoint under which ranks import the keys of the words on which they try atomics; no endpoint has this number.
const PROBED_EP: u16 = u16::MAX;
/// Of these words: peers try operations other than bitwise ones on the first, bitwise ones on the second, without changing them; their rank tries all
/// on the third.
const BITWISE_WORD: usize = 8;
const OWN_WORD: usize = 16;
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
    // A handler on UCX's thread could not call UCX.
    let with = |wakes| Mask::all_blocked(|| ucx.open_port(&PortOptions { peers, peers_here, wakes }));
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
    let probed: &'static mut [u64] = Box::leak(Box::new([tries::FIRST; 3]));
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
        let described = described(&mut rank, to);
        let lanes = of_description(&described);
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
        let would_hang = software_atomics_hang(version, is_detecting(&rank, to), &described);
        if would_hang && me.0 == 0 && is_verbose() {
            line(
                "GASNET: conduit ucx: Active Messages replace atomics that UCX would execute in software, which hang between hosts",
            );
        }
        let has_wrong_ones = agree_on_atomics(&mut rank, bootstrap, to, !would_hang);
        if has_wrong_ones && me.0 == 0 && is_verbose() {
            line(
                "GASNET: conduit ucx: this UCX's bitwise atomics do not give the right results; Active Messages replace them",
            );
        }
    }
    Ok(rank)
}

/// UCX's description of the connection to `to`.
fn described(rank: &mut UcxRank, to: JobRank) -> String {
    rank.connected(to);
    rank.port.describe(rank.members[to.index()].connection.as_ref())
}

/// Whether UCX detects failures of the connection to `to`.
fn is_detecting(rank: &UcxRank, to: JobRank) -> bool {
    rank.members[to.index()].connection.as_ref().is_some_and(|connection| connection.detects)
}

/// Whether atomics of UCX itself would hang. From 1.16 on those that UCX executes by messages do so on connections whose failures it detects, or end the
/// process by an assertion (seen in a program of UCP alone, two processes over tcp, 1.16, 1.18, 1.19 and 1.22). Devices that execute them have a lane for that.
fn software_atomics_hang(version: u64, detects: bool, described: &str) -> bool {
    detects
        && version >= version_number("1.16")
        && !described.lines().any(|line| line.contains("lane[") && line.contains(" amo#"))
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

/// Tries atomics on words of `to` and of this rank, and agrees with all ranks on those that all networks execute. Returns whether arithmetic
/// ones work on all ranks, but bitwise ones do not.
fn agree_on_atomics(rank: &mut UcxRank, bootstrap: &dyn Bootstrap, to: JobRank, may_try: bool) -> bool {
    let (until, me) = (Instant::now() + PROBES, rank.me);
    let mut start_of = |of: JobRank| {
        let of = Location { rank: of, ep: PROBED_EP };
        let key = offered(bootstrap, of.rank, KEY)?;
        rank.import_key(of, &key).ok()?;
        rank.start_of(of)
    };
    let starts = (start_of(to), start_of(me));
    let (Some(there), Some(here)) = starts else { return publish(rank, bootstrap, [false; 3], until) };
    if !may_try || !env::yes("GASNET_UCX_ATOMICS") {
        return publish(rank, bootstrap, [false; 3], until);
    }
    let [there, here] = [(to, there), (me, here)].map(|(rank, start)| (Location { rank, ep: PROBED_EP }, start));
    rank.tries = true;
    let mut works = |bytes: usize, is_bitwise: bool| {
        let offset = if is_bitwise { BITWISE_WORD } else { 0 };
        // UCX 1.13 takes another way to words of its own rank and of shared memory, whose bitwise operations ignore their operand.
        probe(rank, there, offset, bytes, tries::of(is_bitwise, false), until)
            && probe(rank, here, OWN_WORD, bytes, tries::of(is_bitwise, true), until)
    };
    let widths = [4, 8].map(|bytes| works(bytes, false));
    let is_bitwise =
        widths != [false; 2] && [4, 8].into_iter().zip(widths).all(|(bytes, is_there)| !is_there || works(bytes, true));
    rank.tries = false;
    publish(rank, bootstrap, [widths[0], widths[1], is_bitwise], until)
}

/// Tells all ranks whether the atomics on numbers of 4 and of 8 bytes, and the bitwise ones of these, work for this rank; serves the probes of others
/// meanwhile. Returns whether arithmetic ones work on all ranks, but bitwise ones do not.
fn publish(rank: &mut UcxRank, bootstrap: &dyn Bootstrap, works: [bool; 3], until: Instant) -> bool {
    // Until all probes have ended, and until this rank's own messages are sent: connections may not be ready.
    while !(rank.meets(UcxKind::Probed) && rank.is_quiet()) && Instant::now() < until {
        rank.advance(&|_, _| None, true);
    }
    bootstrap.put(ATOMICS, &works.map(u8::from));
    bootstrap.fence();
    let of = |rank: u32| bootstrap.get(JobRank(rank), ATOMICS);
    let all =
        |nth: usize| (0..rank.members.len() as u32).all(|rank| of(rank).is_some_and(|said| said.get(nth) == Some(&1)));
    let [narrow, wide, is_bitwise] = [0, 1, 2].map(all);
    rank.atomics = offered_atomics([narrow, wide], is_bitwise);
    (narrow || wide) && !is_bitwise
}

/// Whether UCX's atomics on the number of this width at `offset` of the words `at` give the right results. The word has the value `tries::FIRST`.
fn probe(
    rank: &mut UcxRank,
    at: (Location, usize),
    offset: usize,
    bytes: usize,
    operations: &[Try],
    until: Instant,
) -> bool {
    let (there, start) = at;
    tries::all_right(bytes, operations, |what| {
        let found: &'static mut [u64] = Box::leak(Box::new([0u64; 1]));
        let found = mem::all_of(found);
        let token = OpToken(u64::from(what.op));
        let sent = rank.start_atomic(there, RemoteAddr(start + offset), what, Some(found), token);
        if sent == Sent::Retry {
            return None;
        }
        let end = loop {
            match rank.arrivals.take_done(token) {
                _ if sent == Sent::Done => break Completion::Remote,
                Some(end) => break end,
                None if Instant::now() >= until => return None,
                None => rank.advance(&|_, _| None, true),
            };
        };
        let mut got = [0; 8];
        mem::read(&mut got[..bytes], found.part(0, bytes).as_src());
        // The low half is the first in memory on little-endian machines only.
        let got =
            if bytes == 4 { u64::from(tries::first_half(u64::from_ne_bytes(got))) } else { u64::from_ne_bytes(got) };
        (end == Completion::Remote).then_some(got)
    })
}

/// Those that are offered on a type, where atomics on numbers of 4 and of 8 bytes work, and bitwise ones.
fn offered_atomics(works: [bool; 2], is_bitwise: bool) -> fn(u32) -> u32 {
    const NARROW: u32 = 0b0011;
    const WIDE: u32 = 0b1100;
    let all = operations::offered;
    let others = |dtype| operations::offered_if(dtype, NetworkOp::is_arithmetic);
    match (works, is_bitwise) {
        ([true, true], true) => all,
        ([true, true], false) => others,
        ([true, false], true) => |dtype| if dtype & NARROW != 0 { operations::offered(dtype) } else { 0 },
        ([true, false], false) => {
            |dtype| if dtype & NARROW != 0 { operations::offered_if(dtype, NetworkOp::is_arithmetic) } else { 0 }
        }
        ([false, true], true) => |dtype| if dtype & WIDE != 0 { operations::offered(dtype) } else { 0 },
        ([false, true], false) => {
            |dtype| if dtype & WIDE != 0 { operations::offered_if(dtype, NetworkOp::is_arithmetic) } else { 0 }
        }
        ([false, false], _) => |_| 0,
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
        let with = text.replace("rma_bw#0", "rma_bw#0 amo#0");
        let hang = |version, detects, text| software_atomics_hang(version_number(version), detects, text);
        assert!(hang("1.16.0", true, text) && hang("1.22.0", true, text));
        assert!(!hang("1.15.0", true, text) && !hang("1.22.0", false, text) && !hang("1.22.0", true, &with));
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
