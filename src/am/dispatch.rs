//! Runs the handler of a message that has arrived.
//!
//! # Safety
//! Client handlers are C functions whose address the client registered for this index; calling one with the
//! argument count and category of the message is the client's promise (GASNet: "M of send and handler match").
#![allow(unsafe_code)]

use core::ffi::c_void;

use crate::am::library;
use crate::am::token::Token;
use crate::am::wire::{self, MessageForm};
use crate::conduit::{Completion, Deliver};
use crate::defs::message::{AmHeader, Arrived, Category, Envelope, MAX_ARGS, Msg, OpToken, Traffic};
use crate::defs::rank::{JobRank, NodeRank};
use crate::endpoint::table::{self, CLIENT_BASE, HandlerTable, takes};
use crate::endpoint::{at as endpoint_at, capability};
use crate::event::Op;
use crate::fatal::{blame, fatal};
use crate::hang::counts::{REPLY, REQUEST};
use crate::hsl;
use crate::job::Job;
use crate::mem::{Dst, RemoteAddr, Src};
use crate::nbrhd::ring::{Body, MAX_BODY, RingHead};
use crate::nbrhd::xmap;
use crate::thread;
use crate::trace;

/// A handler's view of a payload: where it is, and its length.
#[derive(Clone, Copy)]
pub(crate) enum HandlerBuffer {
    None,
    Medium(*mut c_void, usize),
    Long(*mut c_void, usize),
}

impl HandlerBuffer {
    /// An equal value in a new variable: a variable whose address is passed to a function, even one that is rarely called, stays in memory.
    #[inline(always)]
    fn again(self) -> HandlerBuffer {
        match self {
            HandlerBuffer::None => HandlerBuffer::None,
            HandlerBuffer::Medium(buf, nbytes) => HandlerBuffer::Medium(buf, nbytes),
            HandlerBuffer::Long(buf, nbytes) => HandlerBuffer::Long(buf, nbytes),
        }
    }

    #[inline]
    fn category(self) -> Category {
        match self {
            HandlerBuffer::None => Category::Short,
            HandlerBuffer::Medium(..) => Category::Medium,
            HandlerBuffer::Long(..) => Category::Long,
        }
    }
}

impl Msg<'_> {
    /// The payload.
    pub(crate) fn src(&self) -> Src<'_> {
        // SAFETY: the creator of the message keeps the payload readable while its handler runs.
        unsafe { Src::new(self.buf, self.nbytes) }
    }
}

macro_rules! call {
    (@one $f:expr, [$($p:expr => $pt:ty),*], $a:expr, [$($i:tt)*]) => {{
        let f: unsafe extern "C-unwind" fn($($pt),* $(, call!(@int $i))*) =
            // SAFETY: `f` is the address of a C function that takes exactly these parameters (module contract).
            unsafe { core::mem::transmute::<usize, _>($f) };
        // SAFETY: as above; `a` has an element for each `$i`.
        unsafe { f($($p),* $(, $a[$i])*) }
    }};
    (@int $i:tt) => { i32 };
    ($f:expr, [$($p:expr => $pt:ty),*], $a:expr) => {
        match $a.len() {
            0 => call!(@one $f, [$($p => $pt),*], $a, []),
            1 => call!(@one $f, [$($p => $pt),*], $a, [0]),
            2 => call!(@one $f, [$($p => $pt),*], $a, [0 1]),
            3 => call!(@one $f, [$($p => $pt),*], $a, [0 1 2]),
            4 => call!(@one $f, [$($p => $pt),*], $a, [0 1 2 3]),
            5 => call!(@one $f, [$($p => $pt),*], $a, [0 1 2 3 4]),
            6 => call!(@one $f, [$($p => $pt),*], $a, [0 1 2 3 4 5]),
            7 => call!(@one $f, [$($p => $pt),*], $a, [0 1 2 3 4 5 6]),
            8 => call!(@one $f, [$($p => $pt),*], $a, [0 1 2 3 4 5 6 7]),
            9 => call!(@one $f, [$($p => $pt),*], $a, [0 1 2 3 4 5 6 7 8]),
            10 => call!(@one $f, [$($p => $pt),*], $a, [0 1 2 3 4 5 6 7 8 9]),
            11 => call!(@one $f, [$($p => $pt),*], $a, [0 1 2 3 4 5 6 7 8 9 10]),
            12 => call!(@one $f, [$($p => $pt),*], $a, [0 1 2 3 4 5 6 7 8 9 10 11]),
            13 => call!(@one $f, [$($p => $pt),*], $a, [0 1 2 3 4 5 6 7 8 9 10 11 12]),
            14 => call!(@one $f, [$($p => $pt),*], $a, [0 1 2 3 4 5 6 7 8 9 10 11 12 13]),
            15 => call!(@one $f, [$($p => $pt),*], $a, [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14]),
            _ => call!(@one $f, [$($p => $pt),*], $a, [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15]),
        }
    };
}

/// Runs handler `index` on this thread.
#[inline(always)]
pub(crate) fn run(job: &Job, token: &Token, index: u8, buffer: HandlerBuffer, args: &[i32]) {
    if index < CLIENT_BASE {
        let (buf, nbytes) = match buffer {
            HandlerBuffer::None => (core::ptr::null_mut(), 0),
            HandlerBuffer::Medium(buf, nbytes) | HandlerBuffer::Long(buf, nbytes) => (buf, nbytes),
        };
        library::at(index)(token, Msg { args, buf, nbytes });
        // A stale token that the client kept may have this token's address.
        token.retire();
        return;
    }
    run_client(job, token, &table::PRIMORDIAL, index, buffer, args);
}

/// As `run`, but the handler is looked up at the endpoint that the envelope names.
#[inline]
pub(crate) fn run_any(job: &Job, token: &Token, envelope: Envelope, index: u8, buffer: HandlerBuffer, args: &[i32]) {
    if envelope.is_plain() {
        run(job, token, index, buffer, args);
    } else {
        run_enveloped(job, token, envelope, index, buffer, args);
    }
}

/// Runs handler `index` of the endpoint that the envelope names.
#[inline(never)]
fn run_enveloped(job: &Job, token: &Token, envelope: Envelope, index: u8, buffer: HandlerBuffer, args: &[i32]) {
    if let Some(number) = envelope.number() {
        trace::incoming(number);
    }
    let (from, to) = (envelope.from_ep(), envelope.to_ep());
    // The library's own handlers are not an endpoint's; their envelope names the segment of a Long.
    if from | to == 0 || index < CLIENT_BASE {
        return run(job, token, index, buffer, args);
    }
    let Some(table) = endpoint_table(to, index) else {
        fatal!("AM from rank {} is for endpoint {to}, which this rank has not, or not for messages", token.source().0);
    };
    token.between(from, to);
    run_client(job, token, table, index, buffer, args);
}

/// The handler table to use for handler `index` of endpoint `ep` of this rank; None if there is no such endpoint, or it is
/// not for messages. If the client has not registered the handler at `ep`, this is the table of endpoint 0, so that clients
/// with several endpoints may register once.
pub(crate) fn endpoint_table(ep: u16, index: u8) -> Option<&'static HandlerTable> {
    if ep == 0 {
        return Some(&table::PRIMORDIAL);
    }
    let own = &endpoint_at(ep).filter(|ep| ep.capabilities & capability::AM != 0)?.table;
    Some(if own.client(index) == 0 { &table::PRIMORDIAL } else { own })
}

/// Runs the client's handler `index` of `table`.
#[inline(always)]
pub(crate) fn run_client(
    job: &Job,
    token: &Token,
    table: &HandlerTable,
    index: u8,
    buffer: HandlerBuffer,
    args: &[i32],
) {
    let handler = table.client(index);
    if handler == 0 {
        unregistered(token, index);
    }
    token.enter(index, buffer.category());
    if job.settings.watched {
        run_watched(job, handler, token, table, index, buffer.again(), args);
    } else {
        call_client(handler, token, buffer, args);
    }
    token.retire();
}

/// As `run_client`, while the calls of this rank are watched.
#[inline(never)]
fn run_watched(
    job: &Job,
    handler: usize,
    token: &Token,
    table: &HandlerTable,
    index: u8,
    buffer: HandlerBuffer,
    args: &[i32],
) {
    let (bytes, carried) = match buffer {
        HandlerBuffer::None => (None, Src::none()),
        HandlerBuffer::Medium(at, nbytes) | HandlerBuffer::Long(at, nbytes) => {
            // SAFETY: the handler may read its payload, so this function may read it first.
            (Some(nbytes), unsafe { Src::new(at, nbytes) })
        }
    };
    if !job.settings.debug && trace::count_handler(token.is_request(), bytes) {
        return call_client(handler, token, buffer, args);
    }
    trace::handler_gets(token.is_request(), token.source().0, args, carried);
    let _span = trace::handler(token.is_request(), token.source().0, index, args.len(), bytes);
    if !job.settings.debug {
        return call_client(handler, token, buffer, args);
    }
    check_declared(token, table, index, args.len());
    thread::in_handler(|| {
        call_client(handler, token, buffer, args);
        hsl::check_handler_return(index);
    });
}

#[inline(always)]
fn call_client(handler: usize, token: &Token, buffer: HandlerBuffer, args: &[i32]) {
    let token = core::ptr::from_ref(token).cast_mut().cast::<c_void>();
    match buffer {
        HandlerBuffer::None => match args.len() {
            0 => call!(@one handler, [token => *mut c_void], args, []),
            1 => call!(@one handler, [token => *mut c_void], args, [0]),
            2 => call!(@one handler, [token => *mut c_void], args, [0 1]),
            _ => call_short(handler, token, args),
        },
        HandlerBuffer::Medium(buf, nbytes) | HandlerBuffer::Long(buf, nbytes) => match args.len() {
            0 => call!(@one handler, [token => *mut c_void, buf => *mut c_void, nbytes => usize], args, []),
            1 => call!(@one handler, [token => *mut c_void, buf => *mut c_void, nbytes => usize], args, [0]),
            _ => call_with_payload(handler, token, buf, nbytes, args),
        },
    }
}

// Apart, because they save all registers for the calls with many arguments.
#[inline(never)]
fn call_short(handler: usize, token: *mut c_void, args: &[i32]) {
    call!(handler, [token => *mut c_void], args);
}

#[inline(never)]
fn call_with_payload(handler: usize, token: *mut c_void, buf: *mut c_void, nbytes: usize, args: &[i32]) {
    call!(handler, [token => *mut c_void, buf => *mut c_void, nbytes => usize], args);
}

fn what(token: &Token) -> &'static str {
    if token.is_request() { "request" } else { "reply" }
}

#[cold]
fn unregistered(token: &Token, index: u8) -> ! {
    fatal!(
        "AM {} from rank {} names handler {index}, which this rank has not registered",
        what(token),
        token.source().0
    )
}

/// Debug: ends the job if the message is not of the kind that the handler's entry declares.
fn check_declared(token: &Token, table: &HandlerTable, index: u8, nargs: usize) {
    let Some(entry) = table.entry(index).filter(|entry| entry.flags != 0) else { return };
    let category = match token.category() {
        Category::Short => takes::SHORT,
        Category::Medium => takes::MEDIUM,
        Category::Long => takes::LONG,
    };
    let kind = if token.is_request() { takes::REQUEST } else { takes::REPLY };
    let message = || format!("AM {} {} from rank {}", token.category().name(), what(token), token.source().0);
    if entry.flags & category == 0 || entry.flags & kind == 0 {
        fatal!("{} is not what handler {index} is registered for (gex_flags {:#x})", message(), entry.flags);
    }
    if entry.nargs as usize != nargs {
        fatal!("{} has {nargs} arguments, handler {index} is registered with gex_nargs {}", message(), entry.nargs);
    }
}

impl Deliver for Job {
    fn am(&self, from: JobRank, header: &AmHeader<'_>, payload: Arrived<'_>) {
        let AmHeader { traffic, handler, envelope, args } = *header;
        let tally = self.counts.tally(from.0);
        tally.taken(traffic as usize);
        let token = Token::new(from, traffic == Traffic::Request);
        let buffer = match payload {
            Arrived::None => HandlerBuffer::None,
            Arrived::Medium(place) => HandlerBuffer::Medium(place.as_ptr().cast(), place.len()),
            Arrived::Long(place) => HandlerBuffer::Long(place.as_ptr().cast(), place.len()),
        };
        run_any(self, &token, envelope, handler, buffer, &args[..args.len().min(MAX_ARGS)]);
        tally.handled(traffic as usize);
    }

    fn own(&self, at: RemoteAddr, len: usize) -> Option<Dst<'static>> {
        blame::range(at.0, len);
        // SAFETY: in a segment of this rank (checked), or empty.
        (len == 0 || self.nbrhd.in_any_segment(self.me, at, len)).then(|| unsafe { xmap::view(at, 0, len) })
    }

    fn done(&self, token: OpToken, completion: Completion) {
        match completion {
            Completion::Local => Op::complete_locally(token.0),
            Completion::Remote => Op::complete_remotely(token.0),
            // The target has died or left, or the connection to it has failed, of which this is often the first sign: not an error if
            // the job is ending. The operation stays incomplete until the job ends, with the reason that the wardens find, or the
            // conduit once the target has been unreachable for some time although it lives.
            Completion::Failed => {}
        }
    }

    fn done_times(&self, token: OpToken, completion: Completion, times: u32) {
        match completion {
            Completion::Remote => Op::complete_remotely_times(token.0, times),
            _ => (0..times).for_each(|_| self.done(token, completion)),
        }
    }
}

/// Runs the handler of a message taken out of a ring of this rank.
#[inline]
pub(crate) fn deliver(job: &Job, head: RingHead, message: &mut Body, request: bool) {
    if wire::has_envelope(head) {
        deliver_enveloped(job, head, message, request);
    } else {
        deliver_as::<false>(job, head, message, request);
    }
}

#[inline(never)]
fn deliver_enveloped(job: &Job, head: RingHead, message: &mut Body, request: bool) {
    deliver_as::<true>(job, head, message, request);
}

/// As `deliver`. `ENVELOPE`: whether the message has an envelope.
#[inline(always)]
fn deliver_as<const ENVELOPE: bool>(job: &Job, head: RingHead, message: &mut Body, request: bool) {
    let sender = NodeRank(u32::from(head.from));
    let source = job.nbrhd.job_rank(sender);
    let traffic = if request { REQUEST } else { REPLY };
    let tally = job.counts.tally(source.0);
    tally.taken(traffic);
    let token = Token::new(source, request);
    let nargs = wire::nargs(head);
    let body = message.0.as_mut_ptr().cast::<u8>();
    if !ENVELOPE && wire::is_plain_short(head) {
        // SAFETY: the body is 64-byte aligned and `Ring::take` has filled the arguments (`wire::length`); nothing writes
        // them while `args` lives.
        let args = unsafe { core::slice::from_raw_parts(body.cast::<i32>(), nargs) };
        run(job, &token, head.handler, HandlerBuffer::None, args);
        return tally.handled(traffic);
    }
    let kind = MessageForm::of(head);
    let (envelope, args_at) = if ENVELOPE {
        let at = wire::fixed_bytes(kind);
        // SAFETY: `Ring::take` has filled the envelope (`wire::length`), whose place is a multiple of 8.
        (Envelope::of_word(unsafe { body.add(at).cast::<u64>().read() }), at + Envelope::BYTES)
    } else {
        (Envelope::PLAIN, wire::fixed_bytes(kind))
    };
    // SAFETY: the body is 64-byte aligned and `Ring::take` has filled its fixed part and arguments (`wire::length`);
    // `args_at` is a multiple of 4; nothing writes them while `args` lives.
    let args = unsafe { core::slice::from_raw_parts(body.add(args_at).cast::<i32>(), nargs) };
    let run = |buffer| {
        if ENVELOPE {
            run_enveloped(job, &token, envelope, head.handler, buffer, args);
        } else {
            run(job, &token, head.handler, buffer, args);
        }
    };
    // SAFETY: `Ring::take` fills the first word of every message.
    let first = unsafe { message.0[0].assume_init() };
    match kind {
        MessageForm::Short => run(HandlerBuffer::None),
        MessageForm::MediumInline => {
            let (nbytes, _) = wire::medium(first);
            let at = wire::payload_at(head);
            assert!(at + nbytes <= MAX_BODY);
            // SAFETY: in bounds (checked).
            let buf = unsafe { body.add(at) };
            run(HandlerBuffer::Medium(buf.cast(), nbytes));
        }
        MessageForm::MediumBlock => {
            let (nbytes, block) = wire::medium(first);
            let pool = job.nbrhd.inbox(sender).pool;
            let payload = pool.payload(block, nbytes);
            run(HandlerBuffer::Medium(payload.as_ptr().cast(), nbytes));
            pool.free(block);
        }
        MessageForm::Long => {
            // SAFETY: a Long's fixed part is two words, which `Ring::take` has filled.
            let nbytes = unsafe { message.0[1].assume_init() } as usize;
            run(HandlerBuffer::Long(first as usize as *mut c_void, nbytes));
        }
    }
    tally.handled(traffic);
}
