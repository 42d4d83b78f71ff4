//! libpmix, opened while the program runs: the few functions and types of the PMIx standard (4 and 5) that a job needs,
//! declared here, so that neither headers nor the library are needed to build.
//!
//! # Safety
//! Types and functions are those of the standard; a test compares the types with the headers. Buffers live until a call
//! returns; memory that the library uses later (the fence's answer) is static.
#![allow(unsafe_code)]

use core::ffi::{CStr, c_char, c_int, c_void};
use std::ffi::CString;
use std::fmt;
use std::mem::zeroed;
use std::sync::OnceLock;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use crate::env;
use crate::os::dl::OpenLibrary;

pub(crate) const MOST_NAMESPACE: usize = 255;
pub(crate) const MOST_KEY: usize = 511;

#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Proc {
    pub namespace: [c_char; MOST_NAMESPACE + 1],
    pub rank: u32,
}

#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct ByteObject {
    pub bytes: *mut c_char,
    pub size: usize,
}

#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) union Data {
    pub flag: bool,
    pub integer: c_int,
    pub number: u32,
    pub string: *mut c_char,
    pub bytes: ByteObject,
    /// `pmix_envar_t` is the largest member: two pointers and a character.
    pub largest: [u64; 3],
}

#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct RawValue {
    pub kind: u16,
    pub data: Data,
}

#[repr(C)]
pub(crate) struct Info {
    pub key: [c_char; MOST_KEY + 1],
    pub flags: u32,
    pub value: RawValue,
}

const BOOL: u16 = 1;
const STRING: u16 = 3;
const INT: u16 = 6;
const UINT32: u16 = 14;
const BYTE_OBJECT: u16 = 27;
const RANK_WILDCARD: u32 = u32::MAX - 1;
/// With processes of this host and of others.
const GLOBAL: u8 = 3;
const SUCCESS: c_int = 0;
const NOT_FOUND: c_int = -46;

/// An error of PMIx.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct PmixStatus(c_int);

impl PmixStatus {
    /// The value asked for does not exist; PMIx 3 and later have several numbers for it.
    pub(crate) fn is_not_found(self) -> bool {
        self.0 == NOT_FOUND
    }
}

impl fmt::Display for PmixStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match PMIX.get() {
            // SAFETY: the function gives a static text for any number.
            Some(Ok(pmix)) => unsafe { CStr::from_ptr((pmix.calls.error_string)(self.0)) },
            _ => c"",
        };
        write!(f, "{} ({})", text.to_string_lossy(), self.0)
    }
}

/// A value of the types that are asked for.
#[derive(Debug)]
pub(crate) enum Value {
    Bytes(Vec<u8>),
    Text(String),
    Number(u32),
    /// A value of a type that is not used here.
    Other,
}

type OnFence = extern "C" fn(c_int, *mut c_void);

type InitFunction = unsafe extern "C" fn(*mut Proc, *const Info, usize) -> c_int;
type FinalizeFunction = unsafe extern "C" fn(*const Info, usize) -> c_int;
type AbortFunction = unsafe extern "C" fn(c_int, *const c_char, *const Proc, usize) -> c_int;
type PutFunction = unsafe extern "C" fn(u8, *const c_char, *mut RawValue) -> c_int;
type CommitFunction = unsafe extern "C" fn() -> c_int;
type FenceFunction = unsafe extern "C" fn(*const Proc, usize, *const Info, usize, OnFence, *mut c_void) -> c_int;
type GetFunction = unsafe extern "C" fn(*const Proc, *const c_char, *const Info, usize, *mut *mut RawValue) -> c_int;
type ErrorStringFunction = unsafe extern "C" fn(c_int) -> *const c_char;

struct PmixCalls {
    init: InitFunction,
    finalize: FinalizeFunction,
    abort: AbortFunction,
    put: PutFunction,
    commit: CommitFunction,
    fence: FenceFunction,
    get: GetFunction,
    error_string: ErrorStringFunction,
}

pub(crate) struct Pmix {
    file: String,
    calls: PmixCalls,
    me: Mutex<Option<Proc>>,
    /// The number of the fence in progress, and its status once it is complete.
    fenced: Mutex<(usize, Option<c_int>)>,
    changed: Condvar,
}

static PMIX: OnceLock<Result<Pmix, String>> = OnceLock::new();

extern "C" fn on_fence(status: c_int, number: *mut c_void) {
    if let Some(Ok(pmix)) = PMIX.get() {
        let mut fenced = pmix.fenced.lock();
        if fenced.0 == number as usize {
            fenced.1 = Some(status);
            pmix.changed.notify_all();
        }
    }
}

fn checked(status: c_int) -> Result<(), PmixStatus> {
    if status == SUCCESS { Ok(()) } else { Err(PmixStatus(status)) }
}

fn info(key: &CStr, kind: u16, data: Data) -> Info {
    let mut info = Info { key: [0; MOST_KEY + 1], flags: 0, value: RawValue { kind, data } };
    for (to, from) in info.key.iter_mut().zip(key.to_bytes()) {
        *to = *from as c_char;
    }
    info
}

fn yes(key: &CStr) -> Info {
    info(key, BOOL, Data { largest: [1, 0, 0] })
}

impl Pmix {
    /// The machine's library, opened once.
    pub(crate) fn open() -> Result<&'static Pmix, String> {
        PMIX.get_or_init(Pmix::load).as_ref().map_err(Clone::clone)
    }

    fn load() -> Result<Pmix, String> {
        let mut files: Vec<String> = env::str("GASNET_PMIX_LIB").into_iter().collect();
        if files.is_empty() {
            files.push("libpmix.so.2".to_string());
            let prefixes = ["PMIX_PREFIX", "PMIX_INSTALL_PREFIX", "PRTE_PREFIX", "OPAL_PREFIX"];
            let prefixes = prefixes.into_iter().filter_map(env::raw);
            files.extend(prefixes.map(|prefix| format!("{prefix}/lib/libpmix.so.2")));
        }
        let opened = files.iter().find_map(|file| {
            let name = CString::new(file.as_str()).ok()?;
            Some((file, OpenLibrary::open(&[&name])?))
        });
        let Some((file, library)) = opened else {
            return Err(format!("no libpmix can be opened (tried {}): GASNET_PMIX_LIB names it", files.join(", ")));
        };
        macro_rules! function {
            ($name:literal, $function:ty) => {
                match library.symbol($name) {
                    // SAFETY: the standard gives the function this type.
                    Some(symbol) => unsafe { std::mem::transmute::<*mut c_void, $function>(symbol) },
                    None => return Err(format!("{file} has no {}: it is not a PMIx library", $name.to_string_lossy())),
                }
            };
        }
        let calls = PmixCalls {
            init: function!(c"PMIx_Init", InitFunction),
            finalize: function!(c"PMIx_Finalize", FinalizeFunction),
            abort: function!(c"PMIx_Abort", AbortFunction),
            put: function!(c"PMIx_Put", PutFunction),
            commit: function!(c"PMIx_Commit", CommitFunction),
            fence: function!(c"PMIx_Fence_nb", FenceFunction),
            get: function!(c"PMIx_Get", GetFunction),
            error_string: function!(c"PMIx_Error_string", ErrorStringFunction),
        };
        let (me, fenced) = (Mutex::new(None), Mutex::new((0, None)));
        Ok(Pmix { file: file.clone(), calls, me, fenced, changed: Condvar::new() })
    }

    /// The library's file.
    pub(crate) fn file(&self) -> &str {
        &self.file
    }

    /// Connects to the server; this process's rank.
    pub(crate) fn init(&self) -> Result<u32, PmixStatus> {
        // SAFETY: all zeros is a Proc.
        let mut me: Proc = unsafe { zeroed() };
        // SAFETY: room for the process; no info.
        checked(unsafe { (self.calls.init)(&mut me, std::ptr::null(), 0) })?;
        *self.me.lock() = Some(me);
        Ok(me.rank)
    }

    pub(crate) fn finalize(&self) {
        // SAFETY: no info.
        unsafe { (self.calls.finalize)(std::ptr::null(), 0) };
    }

    pub(crate) fn abort(&self, code: c_int) {
        // SAFETY: a C string; no list of processes: all of the job.
        unsafe { (self.calls.abort)(code, c"".as_ptr(), std::ptr::null(), 0) };
    }

    /// The same, of a process that another library has connected to the server, such as MPI. False: there is no such server.
    pub(crate) fn abort_as_other(code: c_int) -> bool {
        let Ok(pmix) = Pmix::open() else { return false };
        // SAFETY: as in `abort`; where nobody has connected this library, it only returns an error.
        unsafe { (pmix.calls.abort)(code, c"".as_ptr(), std::ptr::null(), 0) == SUCCESS }
    }

    pub(crate) fn put(&self, key: &CStr, value: &[u8]) -> Result<(), PmixStatus> {
        let bytes = ByteObject { bytes: value.as_ptr().cast_mut().cast(), size: value.len() };
        let mut value = RawValue { kind: BYTE_OBJECT, data: Data { bytes } };
        // SAFETY: a C string and a value, which the library copies.
        checked(unsafe { (self.calls.put)(GLOBAL, key.as_ptr(), &mut value) })
    }

    pub(crate) fn commit(&self) -> Result<(), PmixStatus> {
        // SAFETY: no arguments.
        checked(unsafe { (self.calls.commit)() })
    }

    /// A fence of all processes, which passes values on if `collect`. `None`: not complete within `limit`.
    pub(crate) fn fence(&self, collect: bool, limit: Duration) -> Option<Result<(), PmixStatus>> {
        let info = [yes(c"pmix.collect")];
        let number = {
            let mut fenced = self.fenced.lock();
            *fenced = (fenced.0 + 1, None);
            fenced.0
        };
        // SAFETY: `info` lives until the library has copied it (before it returns); no list of processes: all.
        let begun = unsafe {
            let count = usize::from(collect);
            (self.calls.fence)(std::ptr::null(), 0, info.as_ptr(), count, on_fence, number as *mut c_void)
        };
        const DONE_ALREADY: c_int = -157;
        match begun {
            SUCCESS => {}
            DONE_ALREADY => return Some(Ok(())),
            status => return Some(Err(PmixStatus(status))),
        }
        let mut fenced = self.fenced.lock();
        self.changed.wait_while_for(&mut fenced, |fenced| fenced.1.is_none(), limit);
        fenced.1.map(checked)
    }

    /// The value of `key` of rank `of`, or of the job.
    pub(crate) fn get(&self, of: Option<u32>, key: &CStr, limit: Duration) -> Result<Value, PmixStatus> {
        let Some(mut proc) = *self.me.lock() else { return Err(PmixStatus(NOT_FOUND)) };
        proc.rank = of.unwrap_or(RANK_WILDCARD);
        let seconds = limit.as_secs().clamp(1, 1 << 20) as c_int;
        let info = [yes(c"pmix.immediate"), info(c"pmix.timeout", INT, Data { integer: seconds })];
        let mut value = std::ptr::null_mut();
        // SAFETY: a process, a C string and two infos, which live here; room for a pointer.
        checked(unsafe { (self.calls.get)(&proc, key.as_ptr(), info.as_ptr(), info.len(), &mut value) })?;
        if value.is_null() {
            return Err(PmixStatus(NOT_FOUND));
        }
        // SAFETY: the library made the value with malloc, for this process to own; the member that `kind` says is set.
        unsafe {
            let RawValue { kind, data } = *value;
            let taken = match kind {
                BYTE_OBJECT => {
                    let ByteObject { bytes, size } = data.bytes;
                    let copy =
                        if size == 0 { Vec::new() } else { std::slice::from_raw_parts(bytes.cast(), size).to_vec() };
                    libc::free(bytes.cast());
                    Value::Bytes(copy)
                }
                STRING => {
                    let text = CStr::from_ptr(data.string).to_string_lossy().into_owned();
                    libc::free(data.string.cast());
                    Value::Text(text)
                }
                UINT32 => Value::Number(data.number),
                _ => Value::Other,
            };
            libc::free(value.cast());
            Ok(taken)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::{offset_of, size_of};
    use std::process::{Command, Stdio};

    /// Sizes and offsets of our types, in the order of the C expressions below.
    const OURS: [usize; 9] = [
        size_of::<Proc>(),
        offset_of!(Proc, rank),
        size_of::<RawValue>(),
        offset_of!(RawValue, data),
        size_of::<Info>(),
        offset_of!(Info, flags),
        offset_of!(Info, value),
        size_of::<ByteObject>(),
        offset_of!(ByteObject, size),
    ];

    const THEIRS: &str = "#include <stdio.h>
        #include <stddef.h>
        #include <pmix.h>
        int main(void) {
          size_t all[] = { sizeof(pmix_proc_t), offsetof(pmix_proc_t, rank), sizeof(pmix_value_t), offsetof(pmix_value_t, data),
            sizeof(pmix_info_t), offsetof(pmix_info_t, flags), offsetof(pmix_info_t, value), sizeof(pmix_byte_object_t),
            offsetof(pmix_byte_object_t, size), PMIX_BOOL, PMIX_STRING, PMIX_INT, PMIX_UINT32, PMIX_BYTE_OBJECT, PMIX_GLOBAL,
            -PMIX_ERR_NOT_FOUND, -PMIX_OPERATION_SUCCEEDED, -(long)(int)(PMIX_RANK_WILDCARD) };
          for (size_t at = 0; at < sizeof all / sizeof *all; at++) printf(\"%zu \", all[at]);
          printf(\"%s %s %s %s %s\", PMIX_JOB_SIZE, PMIX_LOCAL_PEERS, PMIX_COLLECT_DATA, PMIX_IMMEDIATE, PMIX_TIMEOUT);
          return 0;
        }";

    #[test]
    fn types_and_constants_are_those_of_installed_headers() {
        let found = Command::new("pkg-config").args(["--cflags", "pmix"]).output();
        let flags = found
            .ok()
            .filter(|found| found.status.success())
            .map(|found| String::from_utf8_lossy(&found.stdout).into_owned());
        let Some(flags) = flags else {
            eprintln!("no headers of PMIx here: not compared");
            return;
        };
        let program = std::env::temp_dir().join(format!("gasnet-pmix-layout.{}", std::process::id()));
        let mut compiler = Command::new("cc");
        compiler.args(["-x", "c", "-"]).args(flags.split_whitespace()).arg("-o").arg(&program);
        let mut compiler = compiler.stdin(Stdio::piped()).spawn().unwrap();
        std::io::Write::write_all(&mut compiler.stdin.take().unwrap(), THEIRS.as_bytes()).unwrap();
        assert!(compiler.wait().unwrap().success());
        let theirs = Command::new(&program).output().unwrap();
        std::fs::remove_file(&program).unwrap();
        let constants = [BOOL.into(), STRING.into(), INT.into(), UINT32.into(), BYTE_OBJECT.into(), GLOBAL.into()];
        let numbers = [46, 157, 2];
        let ours: Vec<_> = OURS.into_iter().chain(constants).chain(numbers).map(|number| number.to_string()).collect();
        let names = "pmix.job.size pmix.lpeers pmix.collect pmix.immediate pmix.timeout";
        assert_eq!(String::from_utf8_lossy(&theirs.stdout), format!("{} {names}", ours.join(" ")));
        assert_eq!((NOT_FOUND, RANK_WILDCARD as i32), (-46, -2));
    }
}
