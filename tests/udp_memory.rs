//! The memory of a silent peer. In a process of its own, as it counts every allocation.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};

use gasnet::internal::conduit::udp::auth::Secret;
use gasnet::internal::conduit::udp::engine::Engine;
use gasnet::internal::conduit::udp::held::Went;
use gasnet::internal::conduit::udp::terms::{Config, Ended, EnginePayload, Up};
use gasnet::internal::defs::message::Traffic;
use gasnet::internal::defs::rank::JobRank;
use gasnet::internal::mem::{Dst, RemoteAddr, Src};

struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);

// SAFETY: the system's allocator does the work; this only counts.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        HELD.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise, passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise, passed on.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

struct Nobody;

impl Up for Nobody {
    fn am(&mut self, _: JobRank, _: Traffic, _: &[u8], _: EnginePayload<'_>, _: u32) {}
    fn own(&mut self, _: RemoteAddr, _: usize) -> Option<Dst<'static>> {
        None
    }
    fn outside(&mut self, _: JobRank, _: RemoteAddr, _: usize) {}
    fn done(&mut self, _: u64, _: Ended) {}
    fn lost(&mut self, _: JobRank, _: u64) {}
}

const PEERS: u32 = 4096;

fn engine(me: u32) -> Engine {
    let mut config = Config::new(JobRank(me), PEERS, Secret([1; 32]));
    config.mtu_first = config.mtu_most;
    Engine::new(config)
}

fn carry(from: &mut Engine, to: &mut Engine, now: u64) -> usize {
    let mut all = Vec::new();
    from.transmit(now, &mut |datagrams| {
        datagrams.each(|bytes| all.push(bytes.to_vec()));
        Went::Out
    });
    for bytes in &mut all {
        to.on_datagram(now, SocketAddr::from(([127, 0, 0, 1], 9)), bytes, &mut Nobody).expect("accepted");
    }
    all.len()
}

/// A request, a reply and a medium of several datagrams each way.
fn converse(a: &mut Engine, b: &mut Engine, to: u32, now: &mut u64) {
    let body = vec![5; 60_000];
    for n in 0..3 {
        a.am(JobRank(to), Traffic::Request, b"head", Src::of(&body[..n * 30_000])).expect("room");
        b.am(JobRank(0), Traffic::Reply, b"head", Src::of(&body[..n * 30_000])).expect("room");
    }
    while carry(a, b, *now) + carry(b, a, *now) > 0 || !a.is_idle() || !b.is_idle() {
        *now += 1_000_000;
        a.on_timer(*now, &mut Nobody);
        b.on_timer(*now, &mut Nobody);
    }
}

#[test]
fn a_silent_peer_takes_four_kib_at_most() {
    let start = HELD.load(Ordering::Relaxed);
    let mut hub = engine(0);
    let unmet = HELD.load(Ordering::Relaxed) - start;
    assert!(unmet <= 64 * PEERS as usize, "{unmet} bytes before anybody spoke");
    let mut now = 1_000_000_000;
    for peer in 1..PEERS {
        let mut other = engine(peer);
        converse(&mut hub, &mut other, peer, &mut now);
    }
    now += 10_000_000_000;
    hub.on_timer(now, &mut Nobody);
    let met = HELD.load(Ordering::Relaxed) - start;
    println!("{} bytes a peer never met, {} bytes a peer gone silent", unmet / PEERS as usize, met / PEERS as usize);
    assert!(met <= 4096 * PEERS as usize, "{met} bytes for {PEERS} peers");
}
