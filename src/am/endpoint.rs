//! Messages with an envelope: between endpoints of which one at least is not its rank's first, or numbered while a trace
//! is written.

use crate::am::Token;
use crate::am::dispatch::{self, Buffer};
use crate::am::table::CLIENT_BASE;
use crate::defs::message::Envelope;
use crate::fatal::fatal;
use crate::job::Job;
use crate::trace;

/// Runs handler `index` of the endpoint that the envelope names.
#[inline(never)]
pub fn run(job: &Job, token: &Token, envelope: Envelope, index: u8, buffer: Buffer, args: &[i32]) {
    if let Some(number) = envelope.number() {
        trace::incoming(number);
    }
    let (from, to) = (envelope.from_ep(), envelope.to_ep());
    if from | to == 0 {
        return dispatch::run(job, token, index, buffer, args);
    }
    let Some(table) = job.endpoint_table(to, index).filter(|_| index >= CLIENT_BASE) else {
        fatal!("AM from rank {} is for endpoint {to}, which this rank has not, or not for messages", token.source().0);
    };
    token.between(from, to);
    dispatch::run_client(job, token, table, index, buffer, args);
}
