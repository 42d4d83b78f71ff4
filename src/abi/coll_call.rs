//! The common part of GASNet-1's collective calls: the calling image, the flags, and views of the arguments.
//!
//! # Safety
//! Views are made of the caller's arguments and kept until the collective is complete, as the caller promises.
#![allow(unsafe_code)]

use core::ffi::{c_int, c_void};

use crate::abi::coll::{check_buffer, enter_coll, event};
use crate::abi::coll_legacy::{gasnet_coll_handle_t, gasnet_team_handle_t};
use crate::barrier::of_all::of_all;
use crate::coll::images::actions::ImageBuffers;
use crate::coll::images::assembly::CallBuffers;
use crate::coll::images::caller::Caller;
use crate::coll::images::flag;
use crate::coll::images::layout::Layout;
use crate::coll::images::request::{Collective, ImageRequest, Reduction};
use crate::coll::images::{NONCOMM, digest};
use crate::coll::operator::Operator;
use crate::fatal::usage;
use crate::mem::{Dst, RemoteAddr, Src};
use crate::trace::{self, Span};

/// Addresses on one side of a collective.
#[derive(Clone, Copy)]
pub(super) enum CallSide {
    One(*mut c_void),
    /// The addresses of the rank's images, or with GASNET_COLL_SINGLE those of all images.
    List(*const *mut c_void),
}

/// One call.
pub(super) struct Call {
    /// The call's event in the trace ends when this is dropped.
    _span: Span,
    caller: Caller,
    name: &'static str,
    flags: c_int,
}

impl Call {
    pub(super) fn new(name: &'static str, team: gasnet_team_handle_t, flags: c_int) -> Call {
        Call::enter(name, team, flags, false)
    }

    /// A scan.
    pub(super) fn scan(name: &'static str, team: gasnet_team_handle_t, flags: c_int) -> Call {
        Call::enter(name, team, flags, true)
    }

    fn enter(name: &'static str, team: gasnet_team_handle_t, flags: c_int, scans: bool) -> Call {
        let _span = trace::span(name);
        let (job, team) = enter_coll(name, team);
        let flags = flag::whole(name, flags, scans, job.settings.debug);
        if job.settings.debug && of_all(job).in_progress() {
            usage!(name, "called between a barrier's notify and its wait, where no collective may be started");
        }
        Call { _span, caller: Caller::new(job, team, name, flags), name, flags }
    }

    /// The root `image`, given by the argument named `what`.
    pub(super) fn root(&self, what: &str, image: u32) -> usize {
        let images = self.caller.spans.total();
        if image as usize >= images {
            usage!(self.name, "{what} {image} is not below the number of images of the team, {images}");
        }
        image as usize
    }

    /// Function `func` on elements of `elem_size` bytes.
    pub(super) fn function(&self, func: c_int, arg: c_int, elem_size: usize) -> Reduction {
        if elem_size == 0 {
            usage!(self.name, "elem_size is 0");
        }
        let (act, flags) = self.caller.job.table_function(self.name, func);
        let in_order = flags & NONCOMM != 0;
        let func_flags = if in_order { NONCOMM as c_int } else { 0 };
        Reduction { operator: Operator::of_table(act, elem_size, func_flags, arg), in_order, func, arg }
    }

    /// The array that the arguments `which` describe.
    pub(super) fn layout(&self, which: &str, block: usize, offset: usize, count: usize) -> Layout {
        Layout { block, offset, count, images: self.caller.spans.total() }.checked(self.name, which)
    }

    /// The reduction that `layout`'s arguments describe.
    pub(super) fn reduction(
        &self,
        root: usize,
        block: usize,
        offset: usize,
        count: usize,
        by: Reduction,
    ) -> Collective {
        let source = Layout { block, offset, count, images: self.caller.spans.total() };
        Collective::reduction(self.name, root, source, by)
    }

    fn request(&self, collective: Collective, nbytes: usize) -> ImageRequest {
        ImageRequest { call: self.name, collective, nbytes, flags: self.flags, addresses: 0 }
    }

    fn lengths(&self, request: &ImageRequest, image: usize) -> (usize, usize) {
        let images = self.caller.spans.total();
        match request.lengths(image, images) {
            Some(lengths) => lengths,
            None => usage!(self.name, "nbytes {} times {images} images exceed the address space", request.nbytes),
        }
    }

    /// The rank's image `index` has its `which` at `at`.
    fn check(&self, which: &str, at: *const c_void, len: usize, in_segment: c_int) {
        check_buffer(self.name, which, at, len);
        let job = self.caller.job;
        if job.settings.debug
            && len > 0
            && self.flags & in_segment != 0
            && !job.nbrhd.in_segment(job.me, RemoteAddr(at.addr()), len)
        {
            usage!(
                self.name,
                "{which} {at:p} ({len} bytes) is not in the segment of this rank, and flags {:#x} say that it is",
                self.flags
            );
        }
    }

    /// # Safety
    /// A list has an address for each image of its `List`.
    unsafe fn address(&self, which: &str, side: CallSide, index: usize) -> *mut c_void {
        match side {
            CallSide::One(at) => at,
            CallSide::List(list) => {
                if list.is_null() {
                    usage!(self.name, "{which}list is NULL");
                }
                let first = self.caller.image - self.caller.index;
                let at = if self.flags & flag::SINGLE != 0 { first + index } else { index };
                // SAFETY: the caller's promise.
                unsafe { *list.add(at) }
            }
        }
    }

    /// # Safety
    /// As `contribute`, of the rank's image `index`.
    unsafe fn memory(
        &self,
        request: &ImageRequest,
        dst: CallSide,
        src: CallSide,
        index: usize,
    ) -> (Dst<'static>, Src<'static>) {
        let image = self.caller.image - self.caller.index + index;
        let (dst_len, src_len) = self.lengths(request, image);
        // An address that is not in a list is the calling image's own.
        let own = |side: CallSide, len: usize| {
            if matches!(side, CallSide::One(_)) && index != self.caller.index { 0 } else { len }
        };
        let (dst_len, src_len) = (own(dst, dst_len), own(src, src_len));
        // SAFETY: the caller's promise.
        let (dst, src) = unsafe { (self.address("dst", dst, index), self.address("src", src, index)) };
        self.check("dst", dst, dst_len, flag::DST_IN_SEGMENT);
        self.check("src", src, src_len, flag::SRC_IN_SEGMENT);
        // SAFETY: the caller's promise; an address that the collective does not use has length 0.
        unsafe { (Dst::new(dst, dst_len), Src::new(src, src_len)) }
    }

    /// Debug clients: the addresses of all images, if the call has them.
    ///
    /// # Safety
    /// As `contribute`.
    unsafe fn addresses(&self, sides: [CallSide; 2]) -> u64 {
        if !self.caller.job.settings.debug || self.flags & flag::SINGLE == 0 {
            return 0;
        }
        let images = self.caller.spans.total();
        // SAFETY: with GASNET_COLL_SINGLE lists have an address for each image: the caller's promise.
        let entry = |list: *const *mut c_void, image: usize| unsafe { *list.add(image) }.addr() as u64;
        digest(sides.into_iter().flat_map(|side| match side {
            CallSide::One(at) => vec![at.addr() as u64],
            CallSide::List(list) if list.is_null() => Vec::new(),
            CallSide::List(list) => (0..images).map(|image| entry(list, image)).collect(),
        }))
    }

    /// # Safety
    /// `dst` and `src` have the bytes that `collective` transfers, for each of their images, and are not accessed otherwise
    /// while the sync flags forbid it.
    unsafe fn contribute(
        &self,
        collective: Collective,
        nbytes: usize,
        dst: CallSide,
        src: CallSide,
    ) -> (ImageRequest, CallBuffers) {
        let mut request = self.request(collective, nbytes);
        // SAFETY: the caller's promise.
        request.addresses = unsafe { self.addresses([dst, src]) };
        if let (CallSide::One(_), CallSide::One(_)) = (dst, src) {
            // SAFETY: the caller's promise.
            let (dst, src) = unsafe { self.memory(&request, dst, src, self.caller.index) };
            return (request, CallBuffers::Own(dst, src));
        }
        // SAFETY: the caller's promise.
        let of = |index| unsafe { self.memory(&request, dst, src, index) };
        let (dsts, srcs) = (0..self.caller.mine).map(of).unzip();
        (request, CallBuffers::All(ImageBuffers { dsts, srcs }))
    }

    /// # Safety
    /// As `contribute`, until the call returns.
    pub(super) unsafe fn run(self, collective: Collective, nbytes: usize, dst: CallSide, src: CallSide) {
        // SAFETY: the caller's promise.
        let (request, buffers) = unsafe { self.contribute(collective, nbytes, dst, src) };
        self.caller.run(request, buffers);
    }

    /// # Safety
    /// As `contribute`, until the handle is synchronised.
    pub(super) unsafe fn start(
        self,
        collective: Collective,
        nbytes: usize,
        dst: CallSide,
        src: CallSide,
    ) -> gasnet_coll_handle_t {
        // SAFETY: the caller's promise.
        let (request, buffers) = unsafe { self.contribute(collective, nbytes, dst, src) };
        event(self.caller.start(request, buffers))
    }
}
