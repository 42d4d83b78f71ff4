//! Messages between endpoints of which one at least is not its rank's first: each travels as a message of the
//! library's, whose first argument says which handler of which endpoint it is for, and from which it comes.

use crate::am::dispatch::{self, Buffer};
use crate::am::table::{BETWEEN_ENDPOINTS, CLIENT_BASE};
use crate::am::{Category, MAX_ARGS, MOST_ARGS, Msg, Token};
use crate::fatal::fatal;
use crate::job::job;
use crate::team::Location;

/// The argument that comes first: 8 bits of handler, 12 of either endpoint.
pub(super) fn word(handler: u8, from: u16, to: u16) -> i32 {
    (u32::from(handler) | u32::from(from) << 8 | u32::from(to) << 20) as i32
}

fn unword(word: i32) -> (u8, u16, u16) {
    let word = word as u32;
    (word as u8, (word >> 8) as u16 & 0xfff, (word >> 20) as u16)
}

/// Calls `send` with the handler and arguments that a message from endpoint `from` here to `to` travels with.
#[inline(never)]
pub fn wrapped<R>(from: u16, to: Location, handler: u8, args: &[i32], send: impl FnOnce(u8, &[i32]) -> R) -> R {
    let mut all = [0; MOST_ARGS];
    all[0] = word(handler, from, to.ep);
    let nargs = args.len().min(MAX_ARGS);
    all[1..=nargs].copy_from_slice(&args[..nargs]);
    send(BETWEEN_ENDPOINTS, &all[..=nargs])
}

/// A message for an endpoint of this rank.
pub fn on_message(token: &Token, msg: Msg<'_>) {
    let [first, args @ ..] = msg.args else {
        fatal!("AM from rank {} between endpoints names none", token.source().0);
    };
    deliver(token, *first, Msg { args, ..msg });
}

/// Runs the handler that `first` names.
pub(super) fn deliver(token: &Token, first: i32, msg: Msg<'_>) {
    let (handler, from, to) = unword(first);
    let job = job();
    let Some(table) = job.endpoint_table(to, handler).filter(|_| handler >= CLIENT_BASE) else {
        fatal!("AM from rank {} is for endpoint {to}, which this rank has not, or not for messages", token.source().0);
    };
    token.between(from, to);
    let buffer = match msg.category {
        Category::Short => Buffer::None,
        Category::Medium => Buffer::Medium(msg.buf, msg.nbytes),
        Category::Long => Buffer::Long(msg.buf, msg.nbytes),
    };
    dispatch::run_client(job, token, table, handler, buffer, msg.args);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::JobRank;

    #[test]
    fn handler_and_endpoints_travel_in_one_argument_before_up_to_16() {
        let args: [i32; 16] = core::array::from_fn(|i| i as i32 - 3);
        wrapped(63, Location { rank: JobRank(5), ep: 4095 }, 255, &args, |handler, all| {
            assert_eq!((handler, all.len()), (BETWEEN_ENDPOINTS, 17));
            assert_eq!((unword(all[0]), &all[1..]), ((255, 63, 4095), &args[..]));
        });
    }
}
