//! The udp conduit's data plane: reliable, authenticated messages, puts and gets between the ranks of a job over
//! datagrams. [`engine::Engine`] knows neither sockets nor clocks: it is given datagrams and the time (nanoseconds of
//! any clock that only goes forward), and hands out datagrams. Each rank has one, behind a lock of its owner.
//!
//! ```text
//! loop:  socket ── bytes ──> engine.on_datagram(now, from, bytes, up)     up: messages, completions; under the lock!
//!        engine.on_timer(now, up)
//!        (the owner runs the handlers of these messages without the lock; then engine.handled(..) for each)
//!        engine.am / long / put / get (..)                              Err(Full): not started; poll, then try again
//!        engine.transmit(now, |datagrams| socket)
//!        sleep until the socket is readable or engine.next_timer()
//! ```
//!
//! With `GASNET_UDP_FAULTS`, [`faults::Faulty`] stands before the socket: `datagrams.each(|bytes| faulty.send(..))`.
//!
//! Invariants
//! - Every message is delivered once, whole, in any order; a put is complete when its bytes are at the target.
//! - A datagram that fails authentication changes only a counter.
//! - Requests and replies have separate room at both ends; the bytes of a get need none.
//! - Memory is bounded: by `send_queue` and `am_window` for each peer and class and by `transfers` for each
//!   peer; an idle peer takes little.
//! - To a rank that does not poll, peers send small datagrams without units, at growing intervals; nothing is lost.

pub(crate) mod addresses;
pub(crate) mod auth;
pub(crate) mod congestion;
pub(crate) mod engine;
pub(crate) mod faults;
mod flight;
pub(crate) mod held;
pub(crate) mod meeting;
mod mtu;
mod peer;
pub(crate) mod rank;
mod receive;
pub(crate) mod reject;
mod rtt;
pub(crate) mod send;
pub(crate) mod socket;
pub(crate) mod terms;
mod unit;
mod upward;
mod window;
pub(crate) mod wire;

#[cfg(test)]
mod engine_tests;
#[cfg(test)]
mod loss_tests;
#[cfg(test)]
mod rank_tests;
#[cfg(test)]
mod refusal_tests;
#[cfg(test)]
mod room_tests;
#[cfg(test)]
mod speed_tests;

use crate::conduit::entry::{self, ConduitEntry, Launch, Network};
use crate::conduit::udp::rank::LIMITS;

pub(crate) static ENTRY: ConduitEntry = ConduitEntry {
    name: "udp",
    description: "ranks on any hosts, over UDP",
    offered: true,
    launch: Launch::Master,
    counted: true,
    meets: None,
    launchers: entry::OF_MPI,
    runners: &["gasnetrun_udp", "amudprun"],
    settings: "GASNET_UDP_",
    network: Some(Network { prepare: meeting::prepare, shared_bytes: addresses::shared_bytes, limits: LIMITS }),
};
