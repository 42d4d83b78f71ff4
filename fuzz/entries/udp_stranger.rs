//! Datagrams of a sender without the job's secret, among them changed copies of real ones: each is rejected, and
//! nothing but a counter changes.

use std::net::SocketAddr;

use gasnet::internal::conduit::udp::auth::Secret;
use gasnet::internal::conduit::udp::engine::Engine;
use gasnet::internal::conduit::udp::held::Went;
use gasnet::internal::conduit::udp::terms::{Config, Ended, EnginePayload, Up};
use gasnet::internal::defs::message::Traffic;
use gasnet::internal::defs::rank::JobRank;
use gasnet::internal::mem::{Dst, RemoteAddr, Src};

use super::gauge;
use super::input::Input;

/// No event is reported for datagrams of a stranger.
struct Nobody;

impl Up for Nobody {
    fn am(&mut self, _: JobRank, _: Traffic, _: &[u8], _: EnginePayload<'_>, _: u32) {
        panic!("a stranger's message");
    }
    fn own(&mut self, _: RemoteAddr, _: usize) -> Option<Dst<'static>> {
        panic!("a stranger asks for memory");
    }
    fn outside(&mut self, _: JobRank, _: RemoteAddr, _: usize) {
        panic!("a stranger reaches outside");
    }
    fn done(&mut self, _: u64, _: Ended) {
        panic!("a stranger completes a transfer");
    }
    fn lost(&mut self, _: JobRank, _: u64) {}
}

struct Taker(u32);

impl Up for Taker {
    fn am(&mut self, _: JobRank, _: Traffic, _: &[u8], _: EnginePayload<'_>, _: u32) {
        self.0 += 1;
    }
    fn own(&mut self, _: RemoteAddr, _: usize) -> Option<Dst<'static>> {
        None
    }
    fn outside(&mut self, _: JobRank, _: RemoteAddr, _: usize) {}
    fn done(&mut self, _: u64, _: Ended) {}
    fn lost(&mut self, _: JobRank, _: u64) {}
}

fn engine(me: u32, encrypt: bool) -> Engine {
    let mut config = Config::new(JobRank(me), 3, Secret([5; 32]));
    config.encrypt = encrypt;
    Engine::new(config)
}

fn sent(engine: &mut Engine, now: u64) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    engine.transmit(now, &mut |datagrams| {
        datagrams.each(|bytes| all.push(bytes.to_vec()));
        Went::Out
    });
    all
}

pub fn run(data: &[u8]) {
    let mut input = Input::bytes(data);
    let how = input.u8();
    let (encrypt, met, changed) = (how & 1 != 0, how & 2 != 0, how & 4 != 0);
    let (mut friend, mut engine) = (engine(0, encrypt), engine(1, encrypt));
    let from = SocketAddr::from(([10, 0, 0, 1], 7));
    let mut next = || {
        friend.am(JobRank(1), Traffic::Request, b"head", Src::of(b"a payload")).expect("room");
        sent(&mut friend, 1).remove(0)
    };
    if met {
        engine.on_datagram(1, from, &mut next(), &mut Taker(0)).expect("a friend's");
        sent(&mut engine, 1);
    }
    let real = next();
    let mut datagram = Vec::new();
    if changed {
        datagram.extend_from_slice(&real);
        while !input.is_spent() {
            let at = usize::from(input.u8());
            match input.u8() {
                0 => datagram.truncate(at),
                1 => datagram.extend_from_slice(input.take(at)),
                change => {
                    if let Some(byte) = datagram.get_mut(at) {
                        *byte ^= change;
                    }
                }
            }
        }
    } else {
        datagram.extend_from_slice(input.take(usize::MAX));
    }
    let is_real = datagram == real;
    let look = |engine: &Engine| {
        let counters = engine.counters();
        (engine.next_timer(), engine.rtt_ns(JobRank(0)), engine.is_idle(), counters.flight.sent, counters.rejected)
    };
    let before = look(&engine);
    if is_real {
        let mut taker = Taker(0);
        engine.on_datagram(2, from, &mut datagram, &mut taker).expect("a friend's");
        assert_eq!(taker.0, 1);
        return;
    }
    gauge::reset();
    let taken = gauge::inside(|| engine.on_datagram(2, from, &mut datagram, &mut Nobody));
    assert!(taken.is_err());
    assert!(gauge::held().1 < 4096, "a stranger takes {} bytes", gauge::held().1);
    let after = look(&engine);
    assert_eq!(after, (before.0, before.1, before.2, before.3, before.4 + 1));
    assert!(sent(&mut engine, 2).is_empty(), "a stranger is answered");
    // After any datagrams of strangers, the friend is still heard.
    let mut taker = Taker(0);
    engine.on_datagram(3, from, &mut real.clone(), &mut taker).expect("a friend's");
    assert_eq!(taker.0, 1);
}
