//! Atomic operations by Active Messages: the request carries the operation, the target's owner executes it with the
//! processor's atomics, and the reply carries the previous value. Each operation is a piece of an [`Op`].
//!
//! # Safety
//! The address in a request is of this rank's segment, the one in a reply of the requester's own memory: the client
//! promised both when it initiated the operation, and keeps them until it is synchronised.
#![allow(unsafe_code)]

use core::ffi::c_void;
use core::ptr;

use crate::am::library;
use crate::am::token::Token;
use crate::defs::message::{Immediate, Msg, Payload};
use crate::defs::rank::Location;
use crate::event;
use crate::fatal::blame::Serving;
use crate::fatal::fatal;
use crate::job::Job;
use crate::mem::{self, Dst, RemoteAddr, Src, halves, whole};
use crate::ratomic::local;
use crate::ratomic::ops::{AtomicOp, Request, Type, Verb};

/// Arguments of a request: two of the operation in flight, two of the result's place, and these.
const CODE: usize = 4;
const AT: usize = 5;
const OP1: usize = 7;
const OP2: usize = 9;
const ALL: usize = 11;

fn word(args: &[i32], at: usize) -> usize {
    whole(args[at], args[at + 1])
}

/// Type and operation as one argument.
fn code(dtype: Type, op: AtomicOp) -> i32 {
    dtype.index() as i32 | (op.code().trailing_zeros() as i32) << 8
}

fn decode(code: i32) -> (Type, AtomicOp) {
    let dtype = Type::ALL.get((code & 0xff) as usize);
    let op = AtomicOp::of(1u32.checked_shl((code >> 8) as u32).unwrap_or(0));
    match (dtype, op) {
        (Some(&dtype), Some(op)) => (dtype, op),
        _ => fatal!("a message asks for the atomic operation {code:#x}, which does not exist"),
    }
}

/// Starts `request` on `to` as a piece of `op`; `result` is the address for the previous value, if the operation
/// fetches it. Returns false if resources were exhausted and the operation was not started.
pub(crate) fn start(
    job: &Job,
    op: &'static event::Op,
    to: Location,
    at: RemoteAddr,
    request: &Request,
    result: Option<Dst<'_>>,
    immediate: Immediate,
) -> bool {
    let kind = request.op.kind();
    let mut args = [0; ALL];
    args[..2].copy_from_slice(&op.token_args(kind));
    let place = result.map_or(0, |result| result.as_ptr().expose_provenance());
    args[2..4].copy_from_slice(&halves(place));
    args[CODE] = code(request.dtype, request.op);
    args[AT..OP1].copy_from_slice(&halves(at.0));
    args[OP1..OP2].copy_from_slice(&halves(request.op1 as usize));
    args[OP2..].copy_from_slice(&halves(request.op2 as usize));
    // Operands that the operation does not read are not sent.
    let used = match request.op.verb {
        Verb::Get | Verb::Inc | Verb::Dec => OP1,
        Verb::Cas => ALL,
        _ => OP2,
    };
    op.start(kind);
    let sent =
        job.am_request_at(0, Location { ep: 0, ..to }, library::ATOMIC, || Payload::None, &args[..used], immediate);
    if !sent {
        op.finish(kind);
    }
    sent
}

/// Request: the operation (args 4) at (args 5, 6).
pub(crate) fn on_atomic(token: &Token, msg: Msg<'_>) {
    let (dtype, op) = decode(msg.args[CODE]);
    let operand = |at: usize| if msg.args.len() > at { word(msg.args, at) as u64 } else { 0 };
    let at = ptr::with_exposed_provenance_mut::<c_void>(word(msg.args, AT));
    // SAFETY: the module's paragraph: in this rank's segment, by the client's promise.
    let target = unsafe { Dst::new(at, dtype.bytes()) };
    let serving = Serving::at(target.as_src(), token.source(), "operates on");
    let found = local::apply(target, dtype, op.verb, operand(OP1), operand(OP2));
    drop(serving);
    let mut args = [0; CODE + 3];
    args[..=CODE].copy_from_slice(&msg.args[..=CODE]);
    args[CODE + 1..].copy_from_slice(&halves(found as usize));
    token.reply(library::ATOMIC_DONE, Payload::None, &args);
}

/// Reply: the previous value is (args 5, 6), and is stored at (args 2, 3) if the operation (args 4) fetches.
pub(crate) fn on_done(_token: &Token, msg: Msg<'_>) {
    let (dtype, op) = decode(msg.args[CODE]);
    if op.fetches {
        let place = ptr::with_exposed_provenance_mut::<c_void>(word(msg.args, 2));
        // SAFETY: the module's paragraph: the result's place in an operation that is not yet synchronised.
        let place = unsafe { Dst::new(place, dtype.bytes()) };
        // The low bytes: the value has the width of its type.
        mem::copy(place, Src::of(&word(msg.args, CODE + 1).to_le_bytes()[..dtype.bytes()]));
    }
    event::Op::complete_args(msg.args[0], msg.args[1]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_and_operation_survive_the_argument() {
        for dtype in Type::ALL {
            for op in (0..32).filter_map(|bit| AtomicOp::of(1 << bit)) {
                assert_eq!(decode(code(dtype, op)), (dtype, op));
            }
        }
    }
}
