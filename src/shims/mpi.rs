//! MPI, as its shim offers it (`shims/mpi_shim.h`): the same table, with types.
//!
//! # Safety
//! The table is that of a shim of this version. MPI is called by one thread at a time, as callers promise. Buffers of requests
//! stay where they are until the request is complete, as the callers of unsafe functions promise.
#![allow(unsafe_code)]

use core::ffi::{CStr, c_char, c_int, c_void};
use std::sync::OnceLock;

use super::mpi_library;
pub(crate) use super::thread_level::ThreadLevel;
use crate::fatal::fatal;
use crate::mem::{Dst, Src};
use crate::sync::atomic::{AtomicBool, AtomicU32, Ordering};

const VERSION: u32 = 3;

/// The receives that a port keeps posted, at most.
pub(crate) const MOST_RECEIVES: usize = 256;

/// `struct gasneti_mpi_world`.
#[repr(C)]
struct RawWorld {
    rank: i32,
    size: i32,
    level: i32,
    by_client: i32,
    largest_tag: i32,
    loses_receives: i32,
    version: [c_char; 256],
}

/// The job as MPI describes it.
#[derive(Clone, Debug)]
pub(crate) struct World {
    pub rank: u32,
    pub size: u32,
    pub level: ThreadLevel,
    /// The client had initialised MPI before.
    pub by_client: bool,
    pub largest_tag: i32,
    /// Posted receives from any source may never end.
    pub loses_receives: bool,
    pub version: String,
}

/// A request that is not complete.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(crate) struct MpiRequest(u64);

/// A collective of a group, in the words of the shim.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct MpiCollective {
    pub what: i32,
    pub root: i32,
    pub kind: i32,
    pub op: i32,
    pub count: u64,
    pub src: *const c_void,
    pub dst: *mut c_void,
}

type PortPtr = *mut c_void;
type GroupPtr = *mut c_void;

/// `struct gasneti_mpi_shim`.
#[repr(C)]
struct Table {
    version: u32,
    bytes: u32,
    family: *const c_char,
    state: extern "C" fn() -> c_int,
    init: extern "C" fn(c_int, extern "C" fn(), *mut RawWorld) -> c_int,
    error_text: extern "C" fn(c_int, *mut c_char, c_int),
    allgather: extern "C" fn(*const c_void, c_int, *mut c_void) -> c_int,
    barrier: extern "C" fn() -> c_int,
    finalize: extern "C" fn() -> c_int,
    abort_job: extern "C" fn(c_int),
    open: extern "C" fn(c_int, c_int, *mut PortPtr) -> c_int,
    receive: extern "C" fn(PortPtr, c_int, *mut c_void, c_int) -> c_int,
    post: extern "C" fn(PortPtr, c_int) -> c_int,
    arrived: extern "C" fn(PortPtr, c_int, *mut c_int, *mut c_int) -> c_int,
    send: extern "C" fn(PortPtr, c_int, *const c_void, c_int, *mut MpiRequest) -> c_int,
    bulk_send: extern "C" fn(PortPtr, c_int, c_int, *const c_void, c_int, *mut MpiRequest) -> c_int,
    bulk_receive: extern "C" fn(PortPtr, c_int, c_int, *mut c_void, c_int, *mut MpiRequest) -> c_int,
    done: extern "C" fn(*mut MpiRequest) -> c_int,
    close: extern "C" fn(PortPtr) -> c_int,
    meet: extern "C" fn(PortPtr, *const i64, *mut i64, *mut MpiRequest) -> c_int,
    least: extern "C" fn(PortPtr, *const i64, *mut i64, *mut MpiRequest) -> c_int,
    group: extern "C" fn(PortPtr, *const c_int, c_int, c_int, *mut GroupPtr) -> c_int,
    collect: extern "C" fn(GroupPtr, *const MpiCollective, *mut MpiRequest) -> c_int,
    disband: extern "C" fn(GroupPtr) -> c_int,
    window: extern "C" fn(PortPtr) -> c_int,
    attach: extern "C" fn(PortPtr, *mut c_void, u64, *mut u64) -> c_int,
    detach: extern "C" fn(PortPtr, *mut c_void) -> c_int,
    get: extern "C" fn(PortPtr, c_int, u64, *mut c_void, c_int, *mut MpiRequest) -> c_int,
}

// SAFETY: functions and a constant text.
unsafe impl Sync for Table {}

/// The MPI of this process.
pub(crate) struct Mpi {
    table: &'static Table,
    /// Its file.
    pub file: String,
    /// The program itself is linked to it.
    pub is_programs: bool,
    world: OnceLock<World>,
}

/// MPI is being finalized, or has been.
static FINALIZED: AtomicBool = AtomicBool::new(false);
/// Ports that are open.
static OPEN_PORTS: AtomicU32 = AtomicU32::new(0);

/// The first error of [`Port::close`]: MPI is not finalized after it.
static CLOSE_ERROR: OnceLock<String> = OnceLock::new();

extern "C" fn finalizes() {
    FINALIZED.store(true, Ordering::Release);
}

static MPI: OnceLock<Result<Mpi, String>> = OnceLock::new();

/// The MPI that this process uses, opened. An error is a line for the user.
pub(crate) fn open() -> Result<&'static Mpi, String> {
    let opened = MPI.get_or_init(|| {
        let library = mpi_library::open()?;
        let name = format!("-{}", library.family);
        let table = super::open("mpi", &name, c"gasneti_mpi_shim", VERSION, size_of::<Table>());
        let table = table.map_err(|why| format!("{why} ({} is the MPI: GASNET_MPI_LIB)", library.file))?;
        // SAFETY: the table of a shim of this version, which is never closed.
        let table = unsafe { &*table.cast::<Table>() };
        // SAFETY: the shim's constant text.
        let family = unsafe { CStr::from_ptr(table.family) }.to_string_lossy();
        if family != library.family {
            return Err(format!(
                "conduit-mpi-{}.so was built with the headers of another MPI ({family}) than {}: build it again with gasnet-build-shim mpi, or \
                 GASNET_SHIM_PATH names the directory of another one",
                library.family, library.file
            ));
        }
        Ok(Mpi { table, file: library.file, is_programs: library.is_programs, world: OnceLock::new() })
    });
    opened.as_ref().map_err(String::clone)
}

/// Whether MPI is finalized, or about to be.
#[inline]
pub(crate) fn is_finalized() -> bool {
    FINALIZED.load(Ordering::Acquire)
}

/// Ends the job if MPI is finalized: its calls would end this process with lines of their own.
#[inline]
pub(crate) fn check_runs() {
    if is_finalized() {
        fatal!("the program communicates after it has finalized MPI, over which conduit mpi communicates");
    }
}

/// Whether MPI runs, and no thread uses it any more.
pub(crate) fn may_finalize() -> bool {
    !is_finalized() && OPEN_PORTS.load(Ordering::Acquire) == 0
}

impl Mpi {
    /// Joins the job, and waits for all its ranks. An error is a line for the user.
    pub(crate) fn init(&'static self, level: ThreadLevel) -> Result<&'static World, String> {
        if (self.table.state)() == 2 {
            return Err(format!(
                "the program has finalized MPI ({}) before gasnet_init: conduit mpi needs MPI from there to the end",
                self.file
            ));
        }
        let mut raw =
            RawWorld { rank: 0, size: 0, level: 0, by_client: 0, largest_tag: 0, loses_receives: 0, version: [0; 256] };
        self.checked("MPI_Init_thread", (self.table.init)(level as c_int, finalizes, &raw mut raw))?;
        // SAFETY: the shim ends the text.
        let version = unsafe { CStr::from_ptr(raw.version.as_ptr()) }.to_string_lossy().into_owned();
        let level = ThreadLevel::numbered(raw.level);
        let world = World {
            rank: raw.rank as u32,
            size: raw.size as u32,
            level,
            by_client: raw.by_client != 0,
            largest_tag: raw.largest_tag,
            loses_receives: raw.loses_receives != 0,
            version,
        };
        Ok(self.world.get_or_init(|| world))
    }

    pub(crate) fn world(&self) -> &World {
        self.world.get().unwrap_or_else(|| fatal!("MPI is used before it is initialised"))
    }

    fn text(&self, code: c_int) -> String {
        let mut text = [0_u8; 512];
        (self.table.error_text)(code, text.as_mut_ptr().cast(), text.len() as c_int);
        let text =
            CStr::from_bytes_until_nul(&text).map(|text| text.to_string_lossy().into_owned()).unwrap_or_default();
        if text.is_empty() { format!("error {code}") } else { text }
    }

    fn checked(&self, call: &str, result: c_int) -> Result<c_int, String> {
        if result >= 0 {
            return Ok(result);
        }
        Err(format!("{call} of {} fails: {}", self.file, self.text(-result)))
    }

    /// The result, unless MPI has failed.
    #[inline]
    fn sure(&self, call: &str, result: c_int) -> c_int {
        if result < 0 {
            self.failed(call, result);
        }
        result
    }

    #[cold]
    fn failed(&self, call: &str, result: c_int) -> ! {
        check_runs();
        fatal!("conduit mpi: {call} of {} fails: {}", self.file, self.text(-result))
    }

    /// `mine` of each rank, in their order; all are equally long. Waits for all ranks.
    pub(crate) fn allgather(&self, mine: &[u8]) -> Result<Vec<u8>, String> {
        let mut all = vec![0; mine.len() * self.world().size as usize];
        let result = (self.table.allgather)(mine.as_ptr().cast(), mine.len() as c_int, all.as_mut_ptr().cast());
        self.checked("MPI_Allgather", result).map(|_| all)
    }

    /// Waits for all ranks.
    pub(crate) fn barrier(&self) -> Result<(), String> {
        self.checked("MPI_Barrier", (self.table.barrier)()).map(|_| ())
    }

    /// Waits for all ranks. An error, also one of [`Port::close`], is a line for the user. Takes no lock of this library.
    pub(crate) fn finalize(&self) -> Result<(), String> {
        if let Some(why) = CLOSE_ERROR.get() {
            return Err(why.clone());
        }
        self.checked("MPI_Finalize", (self.table.finalize)()).map(|_| ())
    }

    /// Asks MPI to end the job; does not return where MPI does not.
    pub(crate) fn abort_job(&self, code: c_int) {
        (self.table.abort_job)(code);
    }

    /// A port to all ranks; waits for them. `probes`: its receives are not posted, but it probes for messages.
    pub(crate) fn open_port(&'static self, probes: bool) -> Port {
        self.port(-1, probes)
    }

    /// Two ports that reach each other.
    #[cfg(test)]
    pub(crate) fn open_pair(&'static self, probes: bool) -> [Port; 2] {
        [0, 1].map(|which| self.port(which, probes))
    }

    fn port(&'static self, which: c_int, probes: bool) -> Port {
        let mut port = core::ptr::null_mut();
        self.sure("MPI_Comm_dup", (self.table.open)(which, probes.into(), &raw mut port));
        OPEN_PORTS.fetch_add(1, Ordering::AcqRel);
        let receives_by = if probes { "MPI_Improbe or MPI_Test" } else { "MPI_Test" };
        Port { mpi: self, port, is_pair: which >= 0, receives_by }
    }
}

/// Communicators of our own, and the receives that are posted on them.
pub(crate) struct Port {
    mpi: &'static Mpi,
    port: PortPtr,
    /// It reaches another port of this process, and no rank.
    pub is_pair: bool,
    /// The calls of MPI by which it receives, for a line about their failure.
    receives_by: &'static str,
}

// SAFETY: one thread at a time uses it.
unsafe impl Send for Port {}

/// A message that has arrived.
pub(crate) struct ArrivedAt {
    pub from: u32,
    pub bytes: usize,
}

impl Port {
    /// The ranks of the job.
    pub(crate) fn ranks(&self) -> usize {
        self.mpi.world().size as usize
    }

    pub(crate) fn largest_tag(&self) -> i32 {
        self.mpi.world().largest_tag
    }

    /// Makes receive `slot`.
    ///
    /// # Safety
    /// `buffer` stays where it is while the port is open, and nobody else uses it from `post` until `arrived` says that a
    /// message is in it.
    pub(crate) unsafe fn receive(&self, slot: usize, buffer: Dst<'_>) {
        let (at, len) = (buffer.as_ptr().cast(), buffer.len() as c_int);
        self.mpi.sure("MPI_Recv_init", (self.mpi.table.receive)(self.port, slot as c_int, at, len));
    }

    /// Posts receive `slot`, which `receive` has made.
    #[inline]
    pub(crate) fn post(&self, slot: usize) {
        self.mpi.sure("MPI_Start", (self.mpi.table.post)(self.port, slot as c_int));
    }

    /// The message that has arrived in receive `slot`, given once.
    #[inline]
    pub(crate) fn arrived(&self, slot: usize) -> Option<ArrivedAt> {
        let (mut from, mut bytes) = (0, 0);
        let result = (self.mpi.table.arrived)(self.port, slot as c_int, &raw mut from, &raw mut bytes);
        (self.mpi.sure(self.receives_by, result) != 0)
            .then_some(ArrivedAt { from: from as u32, bytes: bytes as u32 as usize })
    }

    /// Starts to send a message.
    ///
    /// # Safety
    /// The bytes stay as they are until the request is complete.
    #[inline]
    pub(crate) unsafe fn send(&self, to: u32, bytes: Src<'_>) -> MpiRequest {
        let mut request = MpiRequest(0);
        let (at, len) = (bytes.as_ptr().cast(), bytes.len() as c_int);
        self.mpi.sure("MPI_Isend", (self.mpi.table.send)(self.port, to as c_int, at, len, &raw mut request));
        request
    }

    /// Starts to send to a bulk receive with the same tag. None: it is sent.
    ///
    /// # Safety
    /// As `send`.
    pub(crate) unsafe fn bulk_send(&self, to: u32, tag: i32, bytes: Src<'_>) -> Option<MpiRequest> {
        let mut request = MpiRequest(0);
        let (at, len) = (bytes.as_ptr().cast(), bytes.len() as c_int);
        let result = (self.mpi.table.bulk_send)(self.port, to as c_int, tag, at, len, &raw mut request);
        (self.mpi.sure("MPI_Isend", result) == 0).then_some(request)
    }

    /// Starts to receive from a bulk send with the same tag. None: the bytes are here.
    ///
    /// # Safety
    /// The buffer stays where it is until the request is complete.
    pub(crate) unsafe fn bulk_receive(&self, from: u32, tag: i32, buffer: Dst<'_>) -> Option<MpiRequest> {
        let mut request = MpiRequest(0);
        let (at, len) = (buffer.as_ptr().cast(), buffer.len() as c_int);
        let result = (self.mpi.table.bulk_receive)(self.port, from as c_int, tag, at, len, &raw mut request);
        (self.mpi.sure("MPI_Irecv", result) == 0).then_some(request)
    }

    /// Whether the request is complete; then it no longer exists.
    #[inline]
    pub(crate) fn is_done(&self, request: &mut MpiRequest) -> bool {
        self.mpi.sure("MPI_Test", (self.mpi.table.done)(&raw mut *request)) != 0
    }

    /// Ends the posted receives; called once, when the port is no longer used.
    pub(crate) fn close(&self) {
        if !is_finalized() {
            let closed = self.mpi.checked("MPI_Cancel", (self.mpi.table.close)(self.port));
            let _ = closed.map_err(|why| CLOSE_ERROR.set(why));
        }
        OPEN_PORTS.fetch_sub(1, Ordering::AcqRel);
    }

    /// Enters the combination of all ranks for the end of the job. None: all are there, and `words.combined` has the greatest of each
    /// word.
    ///
    /// # Safety
    /// As `least`.
    pub(crate) unsafe fn meet(&self, words: &mut CombinedWords) -> Option<MpiRequest> {
        let mut request = MpiRequest(0);
        let (mine, greatest) = (words.mine.as_ptr(), words.combined.as_mut_ptr());
        let result = (self.mpi.table.meet)(self.port, mine, greatest, &raw mut request);
        (self.mpi.sure("MPI_Iallreduce", result) == 0).then_some(request)
    }

    /// Enters the combination of all ranks. None: `words.combined` is the result.
    ///
    /// # Safety
    /// The words stay where they are, and nobody uses them, until the request is complete.
    pub(crate) unsafe fn least(&self, words: &mut CombinedWords) -> Option<MpiRequest> {
        let mut request = MpiRequest(0);
        let (mine, least) = (words.mine.as_ptr(), words.combined.as_mut_ptr());
        let result = (self.mpi.table.least)(self.port, mine, least, &raw mut request);
        (self.mpi.sure("MPI_Iallreduce", result) == 0).then_some(request)
    }

    /// Makes a group; waits for its members.
    pub(crate) fn group(&self, ranks: &[c_int], tag: i32) -> MpiGroup {
        let mut group = core::ptr::null_mut();
        let result = (self.mpi.table.group)(self.port, ranks.as_ptr(), ranks.len() as c_int, tag, &raw mut group);
        self.mpi.sure("MPI_Comm_create_group", result);
        MpiGroup { mpi: self.mpi, group }
    }
}

/// One-sided calls, in the port's window.
impl Port {
    /// Makes the window; waits for all ranks. An error is a line for the user.
    pub(crate) fn make_window(&self) -> Result<(), String> {
        self.mpi.checked("MPI_Win_create_dynamic", (self.mpi.table.window)(self.port)).map(|_| ())
    }

    /// Attaches memory, and returns the address at which peers reach it. An error is a line for the user.
    pub(crate) fn attach(&self, start: usize, bytes: usize) -> Result<u64, String> {
        let mut address = 0;
        let at = core::ptr::with_exposed_provenance_mut(start);
        let result = (self.mpi.table.attach)(self.port, at, bytes as u64, &raw mut address);
        self.mpi.checked("MPI_Win_attach", result).map(|_| address)
    }

    pub(crate) fn detach(&self, start: usize) {
        let at = core::ptr::with_exposed_provenance_mut(start);
        self.mpi.sure("MPI_Win_detach", (self.mpi.table.detach)(self.port, at));
    }

    /// Starts to copy from memory that `from` has attached.
    ///
    /// # Safety
    /// The destination stays where it is until the request is complete.
    pub(crate) unsafe fn get(&self, from: u32, address: u64, dst: Dst<'_>) -> MpiRequest {
        let mut request = MpiRequest(0);
        let (at, len) = (dst.as_ptr().cast(), dst.len() as c_int);
        let result = (self.mpi.table.get)(self.port, from as c_int, address, at, len, &raw mut request);
        self.mpi.sure("MPI_Rget", result);
        request
    }
}

/// The words of a rank in a combination, and the result.
#[derive(Default)]
pub(crate) struct CombinedWords {
    pub mine: [i64; 3],
    pub combined: [i64; 3],
}

/// A group with collectives of its own.
pub(crate) struct MpiGroup {
    mpi: &'static Mpi,
    group: GroupPtr,
}

// SAFETY: one thread at a time uses it.
unsafe impl Send for MpiGroup {}

impl MpiGroup {
    /// Enters a collective. None: this rank's part is complete.
    ///
    /// # Safety
    /// Its buffers have the sizes that the collective needs, and stay until the request is complete.
    pub(crate) unsafe fn collect(&self, what: &MpiCollective) -> Option<MpiRequest> {
        let mut request = MpiRequest(0);
        let result = (self.mpi.table.collect)(self.group, what, &raw mut request);
        (self.mpi.sure("a collective", result) == 0).then_some(request)
    }

    pub(crate) fn disband(self) {
        self.mpi.sure("MPI_Comm_free", (self.mpi.table.disband)(self.group));
    }
}
