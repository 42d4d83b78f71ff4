//! Endpoints: where communication of this process starts and ends. Index 0 is the primordial one; the client makes the
//! others. They live as long as the process.

pub(crate) mod table;

use core::ffi::c_void;
use core::ptr;
use std::sync::OnceLock;

use parking_lot::Mutex;

use crate::fatal::Error;
use crate::nbrhd::reach::MAX_EPS;
use crate::segment::object::SegmentObject;
use crate::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use table::HandlerTable;

/// What an endpoint can do: `GEX_EP_CAPABILITY_*`.
pub(crate) mod capability {
    pub(crate) const RMA: u32 = 1;
    pub(crate) const AM: u32 = 2;
    pub(crate) const VIS: u32 = 4;
    pub(crate) const COLL: u32 = 8;
    pub(crate) const AD: u32 = 16;
    pub(crate) const ALL: u32 = 31;
}

/// One endpoint.
pub struct Endpoint {
    pub index: u16,
    pub capabilities: u32,
    pub flags: u32,
    pub cdata: AtomicPtr<c_void>,
    /// The handlers of messages to this endpoint; unused by the primordial one, whose table is the job's.
    pub table: HandlerTable,
    segment: OnceLock<&'static SegmentObject>,
}

static ALL: [OnceLock<Endpoint>; MAX_EPS] = [const { OnceLock::new() }; MAX_EPS];
static COUNT: AtomicU32 = AtomicU32::new(1);
static MAKING: Mutex<()> = Mutex::new(());

fn new(index: u16, capabilities: u32, flags: u32) -> Endpoint {
    let cdata = AtomicPtr::new(ptr::null_mut());
    Endpoint { index, capabilities, flags, cdata, table: HandlerTable::new(), segment: OnceLock::new() }
}

/// The endpoint that every process has.
pub(crate) fn primordial() -> &'static Endpoint {
    ALL[0].get_or_init(|| new(0, capability::ALL, 0))
}

/// Makes one more endpoint.
pub(crate) fn make(capabilities: u32, flags: u32) -> Result<&'static Endpoint, Error> {
    let _one = MAKING.lock();
    let index = COUNT.load(Ordering::Relaxed);
    let Some(place) = ALL.get(index as usize) else {
        return Err(Error::Resource);
    };
    let ep = place.get_or_init(|| new(index as u16, capabilities, flags));
    COUNT.store(index + 1, Ordering::Release);
    Ok(ep)
}

/// The endpoint of this index, if there is one.
pub(crate) fn at(index: u16) -> Option<&'static Endpoint> {
    ALL.get(usize::from(index))?.get()
}

/// The endpoint behind a client's handle.
pub(crate) fn find(handle: *const Endpoint) -> Option<&'static Endpoint> {
    ALL.iter().filter_map(OnceLock::get).find(|ep| ptr::eq(*ep, handle))
}

impl Endpoint {
    /// The segment bound to it, if that lives.
    pub fn segment(&self) -> Option<&'static SegmentObject> {
        self.segment.get().copied().filter(|segment| segment.is_live())
    }

    /// Binds `segment`; an endpoint has one at most.
    pub fn bind(&self, segment: &'static SegmentObject) -> Result<(), Error> {
        self.segment.set(segment).map_err(|_| Error::BadArg)
    }
}
