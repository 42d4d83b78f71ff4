//! Negotiated payloads: what is between Prepare and Commit. A thread has one at most. Where the receiver shares
//! memory, the buffer that Prepare gives for a Medium is the block on which the receiver's handler will run, so the
//! payload is written once and read once; what is so short that it travels beside the arguments is written to memory
//! of this thread's, and so is what goes to the network or is a Long: nothing may be seen of it before Commit.
//!
//! # Safety
//! The place of a prepared payload is one of: a block that this rank has claimed and not yet sent; this thread's own
//! memory below, which only `prepare` and `commit` of this thread touch; or the client's buffer, which is as long as the
//! client said and stays until Commit. A reply's token lives as long as the handler that prepared it runs: `retire`
//! ends the job if it returns before Commit or Cancel.
#![allow(unsafe_code)]

use core::cell::{Cell, RefCell, UnsafeCell};
use core::ffi::c_void;

use crate::am::dispatch::Buffer;
use crate::am::endpoint::wrapped;
use crate::am::{Category, MAX_ARGS, Patience, Payload, Token, wire};
use crate::conduit::Traffic;
use crate::fatal::usage;
use crate::job::Job;
use crate::mem::{RemoteAddr, Src};
use crate::nbrhd::pool::BlockId;
use crate::nbrhd::ring::MAX_BODY;
use crate::team::Location;
use crate::thread;

/// Which of the four Prepare and Commit families.
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

/// What a client asks Prepare for.
#[derive(Clone, Copy)]
pub struct Want {
    pub family: Family,
    /// The endpoint of this rank that sends, and the one that receives.
    pub from: u16,
    pub to: Location,
    /// Of a reply; else null.
    pub token: *const Token,
    /// The client's buffer; null: it wants one.
    pub client: *const c_void,
    pub least: usize,
    pub most: usize,
    /// Of a Long whose destination is known already; else 0.
    pub dest: usize,
    pub nargs: usize,
    /// Where the client wants to be told of local completion: an address, 0 for nowhere.
    pub tell: usize,
    pub patience: Patience,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Block(BlockId),
    Beside,
    Spare,
    Client,
}

#[derive(Clone, Copy)]
struct Prepared {
    want: Want,
    source: Source,
    at: *mut c_void,
    size: usize,
}

/// A payload that travels beside its arguments.
#[repr(C, align(16))]
struct Beside(UnsafeCell<[u64; MAX_BODY / 8]>);

struct Desk {
    /// How many messages this thread has prepared.
    turn: Cell<u32>,
    open: Cell<Option<Prepared>>,
    beside: Beside,
}

thread_local! {
    static DESK: Desk = const {
        Desk { turn: Cell::new(0), open: Cell::new(None), beside: Beside(UnsafeCell::new([0; MAX_BODY / 8])) }
    };
    /// Memory for payloads that are copied or handled at Commit. Taken out while handlers may run: they may prepare, too.
    static SPARE: RefCell<Vec<u128>> = const { RefCell::new(Vec::new()) };
}

/// The descriptor of the message that this thread prepared last: no other thread or turn has the same.
fn descriptor(desk: &Desk) -> usize {
    (thread::index() as usize + 1) << 32 | desk.turn.get() as usize
}

/// Whether this thread is between Prepare and Commit.
pub fn is_open() -> bool {
    DESK.with(|desk| desk.open.get().is_some())
}

/// The handler of `token` has returned with a reply prepared.
#[cold]
pub fn left_open(token: &Token) -> ! {
    usage!(
        "gex_AM_PrepareReply",
        "handler {} (of a request from rank {}) returned without Commit or Cancel",
        token.index(),
        token.source().0
    )
}

/// The place and size of what `sd` describes.
pub fn place(call: &str, sd: usize) -> (*mut c_void, usize) {
    let prepared = DESK.with(|desk| find(call, desk, sd));
    (prepared.at, prepared.size)
}

fn find(call: &str, desk: &Desk, sd: usize) -> Prepared {
    match desk.open.get() {
        Some(prepared) if sd == descriptor(desk) => prepared,
        _ => bad_descriptor(call, sd),
    }
}

#[cold]
fn bad_descriptor(call: &str, sd: usize) -> ! {
    match (sd >> 32, thread::index() as usize + 1) {
        (0, _) => usage!(call, "sd is GEX_AM_SRCDESC_NO_OP or no descriptor"),
        (thread, me) if thread != me => usage!(call, "sd was prepared by another thread"),
        _ => usage!(call, "sd is stale: it was committed or cancelled"),
    }
}

impl Job {
    /// Gets ready to send; returns the descriptor, or 0 if it would have to wait and may not.
    pub fn prepare(&self, call: &str, want: Want) -> usize {
        if is_open() {
            usage!(call, "this thread has prepared a message that is neither committed nor cancelled");
        }
        if want.nargs > MAX_ARGS {
            usage!(call, "numargs is {}, the limit is {MAX_ARGS}", want.nargs);
        }
        let Family { traffic, category } = want.family;
        let own = want.client.is_null();
        let near = self.is_near(want.to.rank);
        let most = self.most_payload(near, traffic, category, own);
        if want.least > most {
            usage!(call, "least_payload {} is over the limit of {most} (gex_AM_Max{})", want.least, want.family.name());
        }
        if want.most < want.least {
            usage!(call, "most_payload {} is below least_payload {}", want.most, want.least);
        }
        if traffic == Traffic::Request {
            self.poll_to_send();
        }
        let size = want.most.min(most);
        let nargs = want.nargs + usize::from(want.from | want.to.ep != 0);
        let prepared = if !own {
            Prepared { want, source: Source::Client, at: want.client.cast_mut(), size }
        } else if category == Category::Long || want.to.rank == self.me || self.nbrhd.inbox_of(want.to.rank).is_none() {
            Prepared { want, source: Source::Spare, at: spare(size), size }
        } else if size <= wire::inline_max(nargs) {
            let at = DESK.with(|desk| desk.beside.0.get().cast());
            Prepared { want, source: Source::Beside, at, size }
        } else {
            let Some((block, size)) = self.claim_between(traffic, want.least, size, want.patience) else { return 0 };
            let at = self.nbrhd.own().pool.payload(block, size).as_ptr().cast();
            Prepared { want, source: Source::Block(block), at, size }
        };
        if let Some(token) = token_of(&want) {
            token.set_prepared(true);
        }
        DESK.with(|desk| {
            desk.turn.set(desk.turn.get().wrapping_add(1));
            desk.open.set(Some(prepared));
            descriptor(desk)
        })
    }

    /// The biggest free block of `least` to `size` bytes, and how much of it is wanted.
    fn claim_between(
        &self,
        traffic: Traffic,
        least: usize,
        size: usize,
        patience: Patience,
    ) -> Option<(BlockId, usize)> {
        let serial = !self.settings.concurrent();
        let pool = self.nbrhd.own().pool;
        let claim = || {
            let claim = |nbytes| pool.claim(&self.nbrhd.cursors, traffic, nbytes, serial);
            claim(size).or_else(|| claim(least))
        };
        let block = match claim() {
            None if patience == Patience::Now => return None,
            None => self.wait_for_room(traffic, claim),
            Some(block) => block,
        };
        Some((block, size.min(pool.capacity(block))))
    }

    /// Sends the first `nbytes` bytes of what `sd` describes. False: nothing was sent, for want of patience, and `sd`
    /// stays as it is.
    #[allow(clippy::too_many_arguments)]
    pub fn commit(
        &self,
        call: &str,
        family: Family,
        sd: usize,
        handler: u8,
        nbytes: usize,
        dest: usize,
        args: &[i32],
        patience: Patience,
    ) -> bool {
        let prepared = DESK.with(|desk| find(call, desk, sd));
        let want = &prepared.want;
        check_family(call, family, want.family);
        if args.len() != want.nargs {
            usage!(call, "{} arguments, but gex_AM_Prepare{} was told {}", args.len(), family.name(), want.nargs);
        }
        if nbytes > prepared.size {
            usage!(call, "nbytes {nbytes} is over gex_AM_SrcDescSize() = {}", prepared.size);
        }
        if want.dest != 0 && want.dest != dest {
            usage!(call, "dest_addr {dest:#x} is not the {:#x} that gex_AM_Prepare{} got", want.dest, family.name());
        }
        // Handlers that run while this one waits for room may prepare replies.
        DESK.with(|desk| desk.open.set(None));
        let spare = if prepared.source == Source::Spare { SPARE.take() } else { Vec::new() };
        let sent = self.send_prepared(&prepared, handler, nbytes, dest, args, patience);
        if prepared.source == Source::Spare {
            SPARE.set(spare);
        }
        if !sent {
            DESK.with(|desk| desk.open.set(Some(prepared)));
            return false;
        }
        if let Some(token) = token_of(want) {
            token.set_prepared(false);
            token.replied();
        }
        true
    }

    fn send_prepared(
        &self,
        prepared: &Prepared,
        handler: u8,
        nbytes: usize,
        dest: usize,
        args: &[i32],
        patience: Patience,
    ) -> bool {
        let Want { family: Family { traffic, category }, from, to, .. } = prepared.want;
        let send = |handler: u8, args: &[i32]| match prepared.source {
            Source::Block(block) => match self.nbrhd.inbox_of(to.rank) {
                Some(inbox) => self.send_block(inbox, traffic, handler, block, nbytes, args, patience),
                None => unreachable!("blocks are for ranks of the nbrhd"),
            },
            Source::Spare if category == Category::Medium && to.rank == self.me => {
                self.handle_own(traffic, handler, Buffer::Medium(prepared.at, nbytes), args);
                true
            }
            _ => {
                // SAFETY: `nbytes` is not over the size of the place (checked in `commit`); see the module.
                let src = unsafe { Src::new(prepared.at, nbytes) };
                let payload = match category {
                    Category::Long => Payload::Long(src, RemoteAddr(dest)),
                    _ => Payload::Medium(src),
                };
                self.am_send(to, traffic, handler, payload, args, patience)
            }
        };
        if from | to.ep == 0 { send(handler, args) } else { wrapped(from, to, handler, args, send) }
    }

    /// Gives back what `sd` describes.
    pub fn cancel(&self, call: &str, family: Family, sd: usize) {
        let prepared = DESK.with(|desk| find(call, desk, sd));
        check_family(call, family, prepared.want.family);
        if let Source::Block(block) = prepared.source {
            self.nbrhd.own().pool.free(block);
        }
        if let Some(token) = token_of(&prepared.want) {
            token.set_prepared(false);
        }
        DESK.with(|desk| desk.open.set(None));
    }
}

fn check_family(call: &str, family: Family, prepared: Family) {
    if family != prepared {
        usage!(call, "sd is of gex_AM_Prepare{}", prepared.name());
    }
}

/// Where a prepared message goes, and where its client wants to be told (see [`Want`]).
pub struct Route {
    pub to: Location,
    pub tell: usize,
}

pub fn route(call: &str, sd: usize) -> Route {
    let want = DESK.with(|desk| find(call, desk, sd)).want;
    Route { to: want.to, tell: want.tell }
}

fn token_of(want: &Want) -> Option<&Token> {
    // SAFETY: null, or the token of the handler that runs (module contract).
    unsafe { want.token.as_ref() }
}

/// This thread's own memory, of at least `nbytes` bytes.
fn spare(nbytes: usize) -> *mut c_void {
    SPARE.with_borrow_mut(|spare| {
        let words = nbytes.div_ceil(16);
        if spare.len() < words {
            spare.resize(words, 0);
        }
        spare.as_mut_ptr().cast()
    })
}
