//! Negotiated payloads: the state of a message between Prepare and Commit. A thread has at most one such message. If the
//! receiver shares memory, the buffer that Prepare gives for a Medium is the pool block on which the receiver's handler
//! will run, so the payload is written once and read once. A Medium payload that travels inline after the arguments is
//! written to memory of this thread, and so is any payload for the network and that of a Long: the target must not see it
//! before Commit.
//!
//! # Safety
//! The place of a prepared payload is one of: a block that this rank has claimed and not yet sent; this thread's own
//! memory below, which only `prepare` and `commit` of this thread touch; or the client's buffer, which is as long as the
//! client said and stays until Commit. A reply's token lives as long as the handler that prepared it runs: `retire`
//! ends the job if it returns before Commit or Cancel.
#![allow(unsafe_code)]

use core::cell::{Cell, UnsafeCell};
use core::ffi::c_void;

use crate::am::dispatch::HandlerBuffer;
use crate::am::token::Token;
use crate::am::wire::{self, Fit};
use crate::defs::message::{AmHeader, Category, Envelope, Immediate, MAX_ARGS, Payload, Traffic};
use crate::defs::rank::{JobRank, Location};
use crate::fatal::usage;
use crate::hang::waits::Note;
use crate::job::Job;
use crate::mem::{RemoteAddr, Src};
use crate::nbrhd::pool::BlockId;
use crate::nbrhd::ring::MAX_BODY;
use crate::thread::{self, Lists};
use crate::trace;

/// One of the four Prepare and Commit families: request or reply, Medium or Long.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Family {
    pub traffic: Traffic,
    pub category: Category,
}

impl Family {
    fn name(self) -> &'static str {
        match (self.traffic, self.category) {
            (Traffic::Request, Category::Long) => "RequestLong",
            (Traffic::Request, _) => "RequestMedium",
            (Traffic::Reply, Category::Long) => "ReplyLong",
            (Traffic::Reply, _) => "ReplyMedium",
        }
    }
}

/// The arguments of Prepare.
#[derive(Clone, Copy)]
pub struct Want {
    pub family: Family,
    /// The endpoint of this rank that sends, and the one that receives.
    pub from: u16,
    pub to: Location,
    /// The token of the request, if this is a reply; else null.
    pub token: *const Token,
    /// The client's buffer; null if Prepare is to provide one.
    pub client: *const c_void,
    pub least: usize,
    pub most: usize,
    /// The destination address of a Long, if known already; else 0.
    pub dest: usize,
    pub nargs: usize,
    /// The address at which the client wants local completion reported; 0 for none.
    pub tell: usize,
    pub immediate: Immediate,
}

/// The arguments of Commit.
#[derive(Clone, Copy)]
pub struct Parcel<'a> {
    pub family: Family,
    pub sd: usize,
    pub handler: u8,
    pub nbytes: usize,
    /// The destination address of a Long.
    pub dest: usize,
    pub args: &'a [i32],
    pub immediate: Immediate,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PayloadSource {
    Block(BlockId),
    Beside,
    Spare,
    Client,
}

/// Memory for a payload that travels inline after its arguments.
#[repr(C, align(16))]
struct Beside(UnsafeCell<[u64; MAX_BODY / 8]>);

/// The message that this thread prepared last.
struct LastPrepared {
    /// Its descriptor, unique in this process, until it is committed or cancelled; then 0.
    open: Cell<usize>,
    at: Cell<*mut c_void>,
    size: Cell<usize>,
    source: Cell<PayloadSource>,
    family: Cell<Family>,
    from: Cell<u16>,
    to: Cell<Location>,
    token: Cell<*const Token>,
    dest: Cell<usize>,
    nargs: Cell<usize>,
    tell: Cell<usize>,
    /// The low half of this thread's last descriptor; the high one is its index, plus one.
    turn: Cell<u32>,
    /// One for requests and one for replies, by `Traffic`: while a request waits for room, handlers may prepare replies.
    /// While a reply waits, no handler runs that may send.
    beside: [Beside; 2],
}

thread_local! {
    static DESK: LastPrepared = const {
        LastPrepared {
            open: Cell::new(0),
            at: Cell::new(core::ptr::null_mut()),
            size: Cell::new(0),
            source: Cell::new(PayloadSource::Client),
            family: Cell::new(Family { traffic: Traffic::Request, category: Category::Medium }),
            from: Cell::new(0),
            to: Cell::new(Location { rank: JobRank(0), ep: 0 }),
            token: Cell::new(core::ptr::null()),
            dest: Cell::new(0),
            nargs: Cell::new(0),
            tell: Cell::new(0),
            turn: Cell::new(0),
            beside: [const { Beside(UnsafeCell::new([0; MAX_BODY / 8])) }; 2],
        }
    };
}

/// Each thread's memory for payloads that Commit copies or handles. Taken out while handlers run: they may prepare, too.
static SPARE: Lists<u128> = Lists::new();

impl LastPrepared {
    /// Stores `want`, with `size` bytes for its payload at `at`, as this thread's open message; returns its descriptor.
    #[inline(always)]
    fn begin(&self, want: &Want, source: PayloadSource, at: *mut c_void, size: usize) -> usize {
        if let Some(token) = token_of(want.token) {
            token.set_prepared(true);
        }
        self.at.set(at);
        self.size.set(size);
        self.source.set(source);
        self.family.set(want.family);
        self.from.set(want.from);
        self.to.set(want.to);
        self.token.set(want.token);
        self.dest.set(want.dest);
        self.nargs.set(want.nargs);
        self.tell.set(want.tell);
        self.turn.set(self.turn.get().wrapping_add(1));
        self.open.set((thread::index() as usize + 1) << 32 | self.turn.get() as usize);
        self.open.get()
    }

    #[inline(always)]
    fn check(&self, call: &str, sd: usize) {
        if sd == 0 || sd != self.open.get() {
            self.bad_descriptor(call, sd);
        }
    }

    #[cold]
    fn bad_descriptor(&self, call: &str, sd: usize) -> ! {
        match (sd >> 32, thread::index() as usize + 1) {
            (0, _) => usage!(call, "sd is GEX_AM_SRCDESC_NO_OP or no descriptor"),
            (thread, me) if thread != me => usage!(call, "sd was prepared by another thread"),
            _ => usage!(call, "sd is stale: it was committed or cancelled"),
        }
    }

    #[inline(always)]
    fn check_family(&self, call: &str, family: Family) {
        if family != self.family.get() {
            self.bad_family(call);
        }
    }

    #[cold]
    fn bad_family(&self, call: &str) -> ! {
        usage!(call, "sd is of gex_AM_Prepare{}", self.family.get().name());
    }

    #[inline(always)]
    fn check_parcel(&self, call: &str, parcel: &Parcel<'_>) {
        self.check(call, parcel.sd);
        self.check_family(call, parcel.family);
        let wrong_dest = self.dest.get() != 0 && self.dest.get() != parcel.dest;
        if parcel.args.len() != self.nargs.get() || parcel.nbytes > self.size.get() || wrong_dest {
            let parcel = *parcel;
            self.bad_parcel(call, &parcel);
        }
    }

    #[cold]
    fn bad_parcel(&self, call: &str, parcel: &Parcel<'_>) -> ! {
        let Parcel { nbytes, dest, .. } = *parcel;
        let prepare = parcel.family.name();
        if parcel.args.len() != self.nargs.get() {
            usage!(call, "{} arguments, but gex_AM_Prepare{prepare} was told {}", parcel.args.len(), self.nargs.get());
        }
        if nbytes > self.size.get() {
            usage!(call, "nbytes {nbytes} is over gex_AM_SrcDescSize() = {}", self.size.get());
        }
        usage!(call, "dest_addr {dest:#x} is not the {:#x} that gex_AM_Prepare{prepare} got", self.dest.get());
    }
}

/// Whether this thread is between Prepare and Commit.
pub(crate) fn is_open() -> bool {
    DESK.with(|desk| desk.open.get() != 0)
}

/// The address and size in bytes of the payload buffer of `sd`.
#[inline]
pub(crate) fn place(call: &str, sd: usize) -> (*mut c_void, usize) {
    DESK.with(|desk| {
        desk.check(call, sd);
        (desk.at.get(), desk.size.get())
    })
}

/// The receiver of the message that `sd` describes.
pub(crate) fn destination(call: &str, sd: usize) -> Location {
    DESK.with(|desk| {
        desk.check(call, sd);
        desk.to.get()
    })
}

impl Job {
    /// Prepares a message; returns its descriptor, or 0 if there is no room and `want` is immediate.
    #[inline(always)]
    pub fn prepare(&self, call: &str, want: &Want) -> usize {
        if is_open() {
            still_open(call);
        }
        let Family { traffic, category } = want.family;
        let own = want.client.is_null();
        let most = self.most_payload(self.is_near(want.to.rank), traffic, category, own);
        if want.nargs > MAX_ARGS || want.least > most || want.most < want.least {
            // A copy, as the original is not in memory otherwise.
            let want = *want;
            bad_want(call, &want, most);
        }
        if traffic == Traffic::Request {
            self.poll_to_send();
        }
        let size = want.most.min(most);
        let (source, at, size) = if !own {
            (PayloadSource::Client, want.client.cast_mut(), size)
        } else if category == Category::Long || want.to.rank == self.me || self.nbrhd.inbox_of(want.to.rank).is_none() {
            (PayloadSource::Spare, spare(size), size)
        } else {
            let block = match wire::fit(self.envelope_of(want), want.nargs, size) {
                Fit::FirstSlot => None,
                Fit::Slots => self.block_at_hand(traffic).map(|block| (block, size)),
                Fit::Block => {
                    let Some(found) = self.claim_between(traffic, want.least, size, want.immediate) else { return 0 };
                    Some(found)
                }
            };
            match block {
                None => (PayloadSource::Beside, DESK.with(|desk| desk.beside[traffic as usize].0.get().cast()), size),
                Some((block, size)) => {
                    let at = self.nbrhd.own().pool.payload(block, size).as_ptr();
                    (PayloadSource::Block(block), at.cast(), size)
                }
            }
        };
        DESK.with(|desk| desk.begin(want, source, at, size))
    }

    /// An envelope of the same length as that of the prepared message, whose trace number is not known yet.
    #[inline(always)]
    fn envelope_of(&self, want: &Want) -> Envelope {
        let number = (self.settings.watched && trace::is_numbered()).then_some(0);
        Envelope::between(want.from, want.to.ep).numbered(number)
    }

    /// Claims a block for `size` bytes or, if none is free, for `least`; returns it and how many bytes of it may be used.
    #[inline]
    fn claim_between(
        &self,
        traffic: Traffic,
        least: usize,
        size: usize,
        immediate: Immediate,
    ) -> Option<(BlockId, usize)> {
        let serial = !self.settings.concurrent();
        let pool = self.nbrhd.own().pool;
        let claim = |nbytes| pool.claim(&self.nbrhd.cursors, traffic, nbytes, serial);
        if let Some(block) = claim(size) {
            pool.will_write(block, size);
            return Some((block, size));
        }
        let block = match claim(least) {
            None if immediate == Immediate::Yes => return None,
            None => self.wait_for_room(traffic, || Note::Block, || claim(size).or_else(|| claim(least))),
            Some(block) => block,
        };
        Some((block, size.min(pool.capacity(block))))
    }

    /// Sends the prepared message; returns the address for local completion (`Want::tell`). None: no room, nothing was
    /// sent, and the descriptor stays open.
    #[inline(always)]
    pub fn commit(&self, call: &str, parcel: &Parcel<'_>) -> Option<usize> {
        self.commit_numbered(call, parcel, None)
    }

    /// As `commit`, for a message with a trace number.
    #[inline(always)]
    pub fn commit_numbered(&self, call: &str, parcel: &Parcel<'_>, number: Option<u32>) -> Option<usize> {
        DESK.with(|desk| {
            desk.check_parcel(call, parcel);
            let (token, tell) = (desk.token.get(), desk.tell.get());
            // Handlers that run while this call waits for room may prepare replies.
            desk.open.set(0);
            if !self.send_prepared(desk, parcel, number) {
                // No handler has run.
                desk.open.set(parcel.sd);
                return None;
            }
            if let Some(token) = token_of(token) {
                token.set_prepared(false);
                token.replied();
            }
            Some(tell)
        })
    }

    /// Sends a Medium between the endpoints 0 of ranks that share memory, which most are; others as `send_prepared_any` does.
    #[inline(always)]
    fn send_prepared(&self, desk: &LastPrepared, parcel: &Parcel<'_>, number: Option<u32>) -> bool {
        let Parcel { family: Family { traffic, category }, handler, nbytes, args, immediate, .. } = *parcel;
        let (to, source) = (desk.to.get(), desk.source.get());
        let is_plain = number.is_none() && desk.from.get() | to.ep == 0;
        if category == Category::Medium && is_plain && source != PayloadSource::Spare {
            let header = AmHeader { traffic, handler, envelope: Envelope::PLAIN, args };
            if let PayloadSource::Block(block) = source {
                if let Some(inbox) = self.nbrhd.inbox_of(to.rank) {
                    return self.send_block(inbox, header, block, nbytes, immediate);
                }
            }
            // SAFETY: as in `send_prepared_any`.
            let src = unsafe { Src::new(desk.at.get(), nbytes) };
            return self.am_send(to, header, || Payload::Medium(src), immediate);
        }
        let parcel = *parcel;
        self.send_prepared_any(desk, &parcel, number)
    }

    #[inline(never)]
    fn send_prepared_any(&self, desk: &LastPrepared, parcel: &Parcel<'_>, number: Option<u32>) -> bool {
        let (to, at, source) = (desk.to.get(), desk.at.get(), desk.source.get());
        let Parcel { family: Family { traffic, category }, handler, nbytes, dest, args, immediate, .. } = *parcel;
        let envelope = Envelope::between(desk.from.get(), to.ep).numbered(number);
        let header = AmHeader { traffic, handler, envelope, args };
        if category == Category::Long && !self.may_go_in_pieces(immediate) {
            return false;
        }
        if let PayloadSource::Block(block) = source {
            if let Some(inbox) = self.nbrhd.inbox_of(to.rank) {
                return self.send_block(inbox, header, block, nbytes, immediate);
            }
        }
        // Taken out until the message has been copied or handled.
        let spare = if source == PayloadSource::Spare { core::mem::take(&mut *SPARE.mine()) } else { Vec::new() };
        let sent = if source == PayloadSource::Spare && category == Category::Medium && to.rank == self.me {
            self.handle_own(header, HandlerBuffer::Medium(at, nbytes));
            true
        } else {
            // SAFETY: `nbytes` is not over the size of the place (`check_parcel`); see the module.
            let src = unsafe { Src::new(at, nbytes) };
            let payload = match category {
                Category::Long => Payload::Long(src, RemoteAddr(dest)),
                _ => Payload::Medium(src),
            };
            self.am_send_any(to, header, payload, immediate)
        };
        if source == PayloadSource::Spare {
            *SPARE.mine() = spare;
        }
        sent
    }

    /// Drops the prepared message of `sd` and frees its block.
    pub fn cancel(&self, call: &str, family: Family, sd: usize) {
        DESK.with(|desk| {
            desk.check(call, sd);
            desk.check_family(call, family);
            if let PayloadSource::Block(block) = desk.source.get() {
                self.nbrhd.own().pool.free(block);
            }
            if let Some(token) = token_of(desk.token.get()) {
                token.set_prepared(false);
            }
            desk.open.set(0);
        });
    }
}

#[cold]
fn still_open(call: &str) -> ! {
    usage!(call, "this thread has prepared a message that is neither committed nor cancelled");
}

#[cold]
fn bad_want(call: &str, want: &Want, most: usize) -> ! {
    let Want { least, nargs, .. } = *want;
    if nargs > MAX_ARGS {
        usage!(call, "numargs is {nargs}, the limit is {MAX_ARGS}");
    }
    if least > most {
        usage!(call, "least_payload {least} is over the limit of {most} (gex_AM_Max{})", want.family.name());
    }
    usage!(call, "most_payload {} is below least_payload {least}", want.most);
}

#[inline]
fn token_of<'a>(token: *const Token) -> Option<&'a Token> {
    // SAFETY: null, or the token of the handler that runs (module contract).
    unsafe { token.as_ref() }
}

/// This thread's own memory, of at least `nbytes` bytes.
fn spare(nbytes: usize) -> *mut c_void {
    let mut spare = SPARE.mine();
    let words = nbytes.div_ceil(16);
    if spare.len() < words {
        spare.resize(words, 0);
    }
    spare.as_mut_ptr().cast()
}
