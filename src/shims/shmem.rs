//! OpenSHMEM, as its shim offers it (`shims/shmem_shim.h`): the same table, with types. Finds the library: the one that
//! `GASNET_SHMEM_LIB` names; one that is already in the process, because the client uses it; one that can be opened.
//!
//! # Safety
//! The table is that of a shim of this version. The library is called by one thread at a time, as callers promise. Symmetric objects
//! exist until the library is finalized.
#![allow(unsafe_code)]

use core::ffi::{CStr, c_char, c_int, c_void};
use core::ptr::with_exposed_provenance_mut as address;
use std::ffi::CString;
use std::sync::OnceLock;

use super::mpi::ThreadLevel;
use crate::env;
use crate::fatal::fatal;
use crate::mem::{Dst, Src};
use crate::os::dl::{self, OpenLibrary};
use crate::sync::atomic::{AtomicBool, AtomicU32, Ordering};

const VERSION: u32 = 1;

/// `struct gasneti_shmem_world`.
#[repr(C)]
struct RawShmemWorld {
    rank: i32,
    size: i32,
    level: i32,
    by_client: i32,
    major: i32,
    minor: i32,
    version: [c_char; 256],
}

/// The job as OpenSHMEM describes it.
#[derive(Clone, Debug)]
pub(crate) struct ShmemWorld {
    pub rank: u32,
    pub size: u32,
    /// Of the interface.
    pub major: i32,
    pub minor: i32,
    /// The library's name.
    pub version: String,
}

/// `struct gasneti_shmem_shim`.
#[repr(C)]
struct ShmemTable {
    version: u32,
    bytes: u32,
    family: *const c_char,
    state: extern "C" fn() -> c_int,
    init: extern "C" fn(usize, c_int, *mut RawShmemWorld) -> c_int,
    heap_variable: *const c_char,
    allocate: extern "C" fn(usize) -> *mut c_void,
    pointer: extern "C" fn(*const c_void, c_int) -> *mut c_void,
    allgather: extern "C" fn(*const c_void, usize, *mut c_void),
    barrier: extern "C" fn(),
    finalize: extern "C" fn(),
    global_exit: extern "C" fn(c_int),
    put: extern "C" fn(*mut c_void, *const c_void, usize, c_int),
    get: extern "C" fn(*mut c_void, *const c_void, usize, c_int),
    put_words: extern "C" fn(*mut u64, *const u64, usize, c_int),
    get_word: extern "C" fn(*const u64, c_int) -> u64,
    quiet: extern "C" fn(),
    progress: extern "C" fn(),
    atomic: extern "C" fn(c_int, c_int, *mut c_void, u64, u64, c_int) -> u64,
}

// SAFETY: functions and constant texts.
unsafe impl Sync for ShmemTable {}

/// A family of libraries with one binary interface.
struct ShmemFamily {
    /// Of the shim: `conduit-shmem-NAME.so`.
    name: &'static str,
    /// An object that only libraries of this family have.
    sign: &'static CStr,
    files: &'static [&'static str],
    /// A file of the shim to open before the library.
    first: Option<&'static str>,
}

const FAMILIES: [ShmemFamily; 2] = [
    ShmemFamily {
        name: "ompi",
        sign: c"oshmem_shmem_initialized",
        files: &["liboshmem.so.40"],
        first: Some("conduit-shmem-ompi-first.so"),
    },
    ShmemFamily {
        name: "sos",
        sign: c"SHMEMX_TEAM_NODE",
        files: &["libsma.so.0", "libsma.so.8", "libsma.so.9", "libsma.so.10", "libsma.so"],
        first: Some("conduit-shmem-sos-first.so"),
    },
];

/// The OpenSHMEM of this process.
pub(crate) struct Shmem {
    table: &'static ShmemTable,
    /// Its file.
    pub file: String,
    world: OnceLock<ShmemWorld>,
}

/// This process has finalized the library, or is about to.
static FINALIZED: AtomicBool = AtomicBool::new(false);
/// Conduits that may still call it.
static IN_USE: AtomicU32 = AtomicU32::new(0);
static SHMEM: OnceLock<Result<Shmem, String>> = OnceLock::new();

fn opened(file: &str) -> Option<OpenLibrary> {
    OpenLibrary::open_with_modules(&CString::new(file).ok()?)
}

fn family_of(library: &OpenLibrary) -> Option<&'static ShmemFamily> {
    FAMILIES.iter().find(|family| library.symbol(family.sign).is_some())
}

/// The file of the library, and its family.
fn found() -> Result<(String, &'static ShmemFamily), String> {
    if let Some(file) = env::str("GASNET_SHMEM_LIB") {
        FAMILIES
            .iter()
            .filter_map(|family| family.first.filter(|_| family.files.iter().any(|of| file.contains(of))))
            .for_each(super::open_first);
        let library =
            opened(&file).ok_or_else(|| format!("GASNET_SHMEM_LIB={file} cannot be opened: {}", dl::why()))?;
        let family = family_of(&library)
            .ok_or_else(|| format!("GASNET_SHMEM_LIB={file} is neither Open MPI's OpenSHMEM nor Sandia's"))?;
        return Ok((file, family));
    }
    if let Some(process) = OpenLibrary::of_process() {
        if let Some(at) = process.symbol(c"shmem_init") {
            let file = dl::file_of(at.cast_const()).unwrap_or_default().display().to_string();
            let why = || format!("the program's OpenSHMEM ({file}) is neither Open MPI's nor Sandia's");
            return family_of(&process).map(|family| (file.clone(), family)).ok_or_else(why);
        }
    }
    let files = || FAMILIES.iter().flat_map(|family| family.files.iter().map(move |file| (*file, family)));
    let is_there = |(file, family): &(&str, &ShmemFamily)| {
        family.first.into_iter().for_each(super::open_first);
        opened(file).is_some()
    };
    files().find(is_there).map(|(file, family)| (file.to_string(), family)).ok_or_else(|| {
        let tried: Vec<_> = files().map(|(file, _)| file).collect();
        format!(
            "conduit shmem: no OpenSHMEM library can be opened (tried {}): install one (Debian: libopenmpi3 has Open MPI's), or \
             GASNET_SHMEM_LIB or LD_LIBRARY_PATH names it",
            tried.join(", ")
        )
    })
}

/// The OpenSHMEM that this process uses, opened. An error is a line for the user.
pub(crate) fn open() -> Result<&'static Shmem, String> {
    let opened = SHMEM.get_or_init(|| {
        let (file, family) = found()?;
        let name = format!("-{}", family.name);
        let table = super::open("shmem", &name, c"gasneti_shmem_shim", VERSION, size_of::<ShmemTable>());
        let table = table.map_err(|why| format!("{why} ({file} is the OpenSHMEM: GASNET_SHMEM_LIB)"))?;
        // SAFETY: the table of a shim of this version, which is never closed.
        let table = unsafe { &*table.cast::<ShmemTable>() };
        Ok(Shmem { table, file, world: OnceLock::new() })
    });
    opened.as_ref().map_err(String::clone)
}

/// A symmetric object: memory of this rank; its address also names those of other ranks.
#[derive(Clone, Copy)]
pub(crate) struct Symmetric {
    pub start: usize,
    pub bytes: usize,
}

impl Symmetric {
    /// This rank's memory.
    pub(crate) fn view(self) -> Dst<'static> {
        // SAFETY: the object exists until the library is finalized, after which nobody communicates.
        unsafe { Dst::new(address(self.start), self.bytes) }
    }

    /// Ends the job if that is not part of the object.
    #[inline]
    fn at(self, offset: usize, len: usize) -> usize {
        if offset > self.bytes || len > self.bytes - offset {
            fatal!("conduit shmem: {len} bytes at {offset} are outside a symmetric object of {} bytes", self.bytes);
        }
        self.start + offset
    }
}

/// Whether this process has finalized OpenSHMEM, or is about to.
pub(crate) fn is_finalized() -> bool {
    FINALIZED.load(Ordering::Acquire)
}

impl Shmem {
    /// Joins the job, and waits for all its ranks. `heap`: bytes of the symmetric heap that this rank wants. An error is a line for
    /// the user.
    pub(crate) fn init(&'static self, heap: usize, level: ThreadLevel) -> Result<&'static ShmemWorld, String> {
        if (self.table.state)() == 2 {
            return Err(format!("the program has finalized OpenSHMEM ({}) before gasnet_init", self.file));
        }
        let mut raw = RawShmemWorld { rank: 0, size: 0, level: 0, by_client: 0, major: 0, minor: 0, version: [0; 256] };
        if (self.table.init)(heap, level as c_int, &raw mut raw) != 0 {
            return Err(format!(
                "the symmetric heap of {} is too small for conduit shmem: {}",
                self.file,
                self.heap_variable()
            ));
        }
        // SAFETY: the shim ends the text.
        let version = unsafe { CStr::from_ptr(raw.version.as_ptr()) }.to_string_lossy().into_owned();
        let (rank, size) = (raw.rank as u32, raw.size as u32);
        let world = ShmemWorld { rank, size, major: raw.major, minor: raw.minor, version };
        Ok(self.world.get_or_init(|| world))
    }

    pub(crate) fn world(&self) -> &ShmemWorld {
        self.world.get().unwrap_or_else(|| fatal!("OpenSHMEM is used before it is initialised"))
    }

    /// The variable that sets the size of the symmetric heap.
    pub(crate) fn heap_variable(&self) -> String {
        // SAFETY: a constant of the shim.
        unsafe { CStr::from_ptr(self.table.heap_variable) }.to_string_lossy().into_owned()
    }

    /// `mine` of each rank, in their order; all are equally long. Waits for all ranks.
    pub(crate) fn allgather(&self, mine: &[u8]) -> Vec<u8> {
        let mut all = vec![0; mine.len() * self.world().size as usize];
        (self.table.allgather)(mine.as_ptr().cast(), mine.len(), all.as_mut_ptr().cast());
        all
    }

    /// Waits for all ranks.
    pub(crate) fn barrier(&self) {
        (self.table.barrier)();
    }

    /// Zeroed symmetric memory, or None on all ranks, which ask for the same. Waits for them.
    pub(crate) fn allocate(&self, bytes: usize, zero: bool) -> Option<Symmetric> {
        let start = (self.table.allocate)(bytes);
        if start.is_null() {
            return None;
        }
        let object = Symmetric { start: start.expose_provenance(), bytes };
        if zero {
            crate::mem::fill(object.view(), 0);
        }
        Some(object)
    }

    /// The object of `rank`, if it is mapped here.
    pub(crate) fn mapped(&self, object: Symmetric, rank: u32) -> Option<Dst<'static>> {
        let at = (self.table.pointer)(address::<c_void>(object.start), rank as c_int);
        // SAFETY: as `Symmetric::view`, which the library has mapped here as well.
        (!at.is_null()).then(|| unsafe { Dst::new(at, object.bytes) })
    }

    /// A conduit uses the library from now on, until `ends_use`.
    pub(crate) fn begins_use(&self) {
        IN_USE.fetch_add(1, Ordering::AcqRel);
    }

    pub(crate) fn ends_use(&self) {
        IN_USE.fetch_sub(1, Ordering::AcqRel);
    }

    /// Whether OpenSHMEM runs, and is in use no more.
    pub(crate) fn may_finalize(&self) -> bool {
        (self.table.state)() == 1 && IN_USE.load(Ordering::Acquire) == 0
    }

    /// Waits for all ranks. Takes no lock of this library, and no memory of its heap.
    pub(crate) fn finalize(&self) {
        if !FINALIZED.swap(true, Ordering::AcqRel) {
            (self.table.finalize)();
        }
    }

    pub(crate) fn global_exit(&self, code: c_int) {
        (self.table.global_exit)(code);
    }

    /// Copies `src` to the object of `rank`; on return `src` may be reused, and after `quiet` the bytes are there.
    #[inline]
    pub(crate) fn put(&self, object: Symmetric, offset: usize, src: Src<'_>, rank: u32) {
        let dst = address(object.at(offset, src.len()));
        (self.table.put)(dst, src.as_ptr().cast(), src.len(), rank as c_int);
    }

    /// Copies from the object of `rank`; the bytes are here on return.
    #[inline]
    pub(crate) fn get(&self, dst: Dst<'_>, object: Symmetric, offset: usize, rank: u32) {
        let src = address::<c_void>(object.at(offset, dst.len()));
        (self.table.get)(dst.as_ptr().cast(), src, dst.len(), rank as c_int);
    }

    /// As `put`; each word arrives whole, in any order.
    #[inline]
    pub(crate) fn put_words(&self, object: Symmetric, offset: usize, words: &[u64], rank: u32) {
        let dst = address(object.at(offset, size_of_val(words)));
        (self.table.put_words)(dst, words.as_ptr(), words.len(), rank as c_int);
    }

    #[inline]
    pub(crate) fn get_word(&self, object: Symmetric, offset: usize, rank: u32) -> u64 {
        (self.table.get_word)(address::<u64>(object.at(offset, 8)), rank as c_int)
    }

    /// Waits until everything that this rank has put is at its target.
    #[inline]
    pub(crate) fn quiet(&self) {
        (self.table.quiet)();
    }

    /// Lets the library serve other ranks.
    #[inline]
    pub(crate) fn progress(&self) {
        (self.table.progress)();
    }

    /// Executes an operation of the shim on a number of the shim's type in the object of `rank`; returns the previous value if it
    /// fetches.
    #[inline]
    pub(crate) fn atomic(
        &self,
        object: Symmetric,
        offset: usize,
        rank: u32,
        [kind, op]: [c_int; 2],
        values: [u64; 2],
    ) -> u64 {
        let at = address(object.at(offset, if kind < 2 { 4 } else { 8 }));
        (self.table.atomic)(kind, op, at, values[0], values[1], rank as c_int)
    }
}
