//! The handlers of the library itself, by index: below 128, fixed. Each module that sends messages has its own;
//! start.rs registers all of them (start/handlers.rs) before the first message.
//!
//! # Safety
//! The table holds addresses of `LibHandler`s only: the initial one, and those that `register` stores.
#![allow(unsafe_code)]

use crate::am::token::Token;
use crate::defs::message::Msg;
use crate::fatal::fatal;
use crate::sync::atomic::{AtomicPtr, Ordering};

// Indices of the library's own handlers.
pub(crate) const PUT_MEDIUM: u8 = 1;
pub(crate) const PUT_LONG: u8 = 2;
pub(crate) const PUT_DONE: u8 = 3;
pub(crate) const GET_MEDIUM: u8 = 4;
pub(crate) const GET_DATA: u8 = 5;
pub(crate) const GET_LONG: u8 = 6;
pub(crate) const GET_DONE: u8 = 7;
pub(crate) const MEMSET: u8 = 8;
pub(crate) const BARRIER_STEP: u8 = 9;
pub(crate) const BARRIER_ARRIVE: u8 = 10;
pub(crate) const BARRIER_RELEASE: u8 = 11;
pub(crate) const VOID: u8 = 12;
pub(crate) const EXCHANGE: u8 = 13;
pub(crate) const LONG_ARGS: u8 = 15;
pub(crate) const LONG_PIECE: u8 = 16;
pub(crate) const CLOCK: u8 = 18;
pub(crate) const CLOCK_ANSWER: u8 = 19;
pub(crate) const COLL_SIGNAL: u8 = 21;
pub(crate) const COLL_BLOCK: u8 = 22;
pub(crate) const COLL_DECLARED: u8 = 50;
pub(crate) const ATOMIC: u8 = 40;
pub(crate) const ATOMIC_DONE: u8 = 41;
pub(crate) const VIS_PUT: u8 = 30;
pub(crate) const VIS_GET: u8 = 31;
pub(crate) const VIS_GET_DATA: u8 = 32;
pub(crate) const VIS_PEER: u8 = 33;

/// A handler of the library itself (indices below 128).
pub(crate) type LibHandler = fn(&Token, Msg<'_>);

static TABLE: [AtomicPtr<()>; 128] = [const { AtomicPtr::new(unknown as *mut ()) }; 128];

/// Registers `handlers` at their indices. Called once, before any message arrives.
pub(crate) fn register(handlers: &[(u8, LibHandler)]) {
    for &(index, handler) in handlers {
        TABLE[usize::from(index)].store(handler as *mut (), Ordering::Relaxed);
    }
}

/// The handler at `index`, which is below 128.
#[inline]
pub(crate) fn at(index: u8) -> LibHandler {
    let handler = TABLE[usize::from(index)].load(Ordering::Relaxed);
    // SAFETY: the module's paragraph.
    unsafe { core::mem::transmute::<*mut (), LibHandler>(handler) }
}

fn unknown(token: &Token, _: Msg<'_>) {
    fatal!("AM from rank {} names a library handler that does not exist", token.source().0);
}
