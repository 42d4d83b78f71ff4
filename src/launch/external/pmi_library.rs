//! The C interfaces of PMI-1 and PMI-2 in a library of the machine, opened while the program runs: for launchers whose protocol only
//! that library knows, such as Cray's. Names and types of the functions are those of MPICH's PMI documents.
//!
//! # Safety
//! The functions have the types of those documents; buffers live until a call returns, and have the length that is passed.
#![allow(unsafe_code)]

use core::ffi::{CStr, c_char, c_int, c_void};
use std::ffi::CString;
use std::sync::mpsc::{RecvTimeoutError, channel};

use crate::env;
use crate::launch::external::connection::{late_ranks, patience};
use crate::launch::external::kvs::Kvs;
use crate::launch::external::over::{Over, Place};
use crate::os::dl::OpenLibrary;

type Number = unsafe extern "C" fn(*mut c_int) -> c_int;
type Plain = unsafe extern "C" fn() -> c_int;
type Text = unsafe extern "C" fn(*mut c_char, c_int) -> c_int;
type Abort = unsafe extern "C" fn(c_int, *const c_char) -> c_int;

/// Numbers in the standard of PMI-2.
const MOST_KEY: usize = 64;
const MOST_VALUE: usize = 1024;
/// No hint where a value comes from.
const ANY_RANK: c_int = -1;

#[derive(Clone, Copy)]
enum Calls {
    First {
        put: unsafe extern "C" fn(*const c_char, *const c_char, *const c_char) -> c_int,
        commit: unsafe extern "C" fn(*const c_char) -> c_int,
        barrier: Plain,
        get: unsafe extern "C" fn(*const c_char, *const c_char, *mut c_char, c_int) -> c_int,
    },
    Second {
        put: unsafe extern "C" fn(*const c_char, *const c_char) -> c_int,
        fence: Plain,
        get: unsafe extern "C" fn(*const c_char, c_int, *const c_char, *mut c_char, c_int, *mut c_int) -> c_int,
    },
}

pub(crate) struct PmiLibrary {
    name: String,
    calls: Calls,
    abort: Abort,
    finalize: Plain,
    /// The name of the job's store, or of the job.
    space: CString,
    longest: usize,
}

/// The file that `GASNET_PMI_LIB` names, or the first of the usual ones that can be opened.
fn open() -> Result<(String, OpenLibrary), String> {
    let usual = || ["libpmi2.so.0", "libpmi.so.0", "libpmi.so"].map(str::to_string).into();
    let files: Vec<String> = env::str("GASNET_PMI_LIB").map_or_else(usual, |file| vec![file]);
    let opened = files.iter().find_map(|file| {
        let name = CString::new(file.as_str()).ok()?;
        Some((file.clone(), OpenLibrary::open_with_modules(&name)?))
    });
    opened.ok_or_else(|| format!("no libpmi can be opened (tried {}): GASNET_PMI_LIB names it", files.join(", ")))
}

/// `name` of `library`, as a function of the type that the caller's table of types gives it.
fn symbol(file: &str, library: &OpenLibrary, name: &CStr) -> Result<*mut c_void, String> {
    library.symbol(name).ok_or_else(|| format!("{file} has no {}: it is not a PMI library", name.to_string_lossy()))
}

macro_rules! function {
    ($file:expr, $library:expr, $name:literal, $function:ty) => {
        // SAFETY: the standard gives the function this type.
        unsafe { std::mem::transmute::<*mut c_void, $function>(symbol($file, $library, $name)?) }
    };
    ($file:expr, $library:expr, $name:literal) => {
        // SAFETY: as above; the variant's field has the type.
        unsafe { std::mem::transmute(symbol($file, $library, $name)?) }
    };
}

fn checked(call: &str, code: c_int) -> Result<(), String> {
    if code == 0 { Ok(()) } else { Err(format!("{call} returns {code}")) }
}

/// A text of `most` bytes at most, which `fill` writes.
fn text(call: &str, most: usize, fill: impl FnOnce(*mut c_char, c_int) -> c_int) -> Result<CString, String> {
    let mut bytes = vec![0_u8; most + 1];
    checked(call, fill(bytes.as_mut_ptr().cast(), most as c_int))?;
    CStr::from_bytes_until_nul(&bytes).map(CStr::to_owned).map_err(|_| format!("{call} gives a text without an end"))
}

/// Joins the job whose launcher the machine's PMI library knows. Errors are lines for the user.
pub(crate) fn join() -> Result<Over<PmiLibrary>, String> {
    let (file, library) = open()?;
    let name = format!("the launcher that {file} knows");
    let is_second = library.symbol(c"PMI2_KVS_Fence").is_some();
    let joined = if is_second { second(&file, &library, &name) } else { first(&file, &library, &name) };
    let (pmi, place) = joined.map_err(|why| format!("{name}: {why}"))?;
    Ok(Over::new(pmi, place))
}

fn place(rank: c_int, size: c_int, space: &CStr) -> Result<Place, String> {
    match (u32::try_from(rank), u32::try_from(size)) {
        (Ok(rank), Ok(size)) if rank < size => {
            let job = format!("libpmi {}", space.to_string_lossy());
            Ok(Place { rank, size, peers: None, address: None, job })
        }
        _ => Err(format!("it says that this is rank {rank} of {size}")),
    }
}

fn second(file: &str, library: &OpenLibrary, name: &str) -> Result<(PmiLibrary, Place), String> {
    type Init = unsafe extern "C" fn(*mut c_int, *mut c_int, *mut c_int, *mut c_int) -> c_int;
    let init = function!(file, library, c"PMI2_Init", Init);
    let id = function!(file, library, c"PMI2_Job_GetId", Text);
    let (mut spawned, mut size, mut rank, mut number) = (0, 0, 0, 0);
    // SAFETY: four numbers.
    checked("PMI2_Init", unsafe { init(&mut spawned, &mut size, &mut rank, &mut number) })?;
    // SAFETY: a buffer and its length.
    let space = text("PMI2_Job_GetId", 1024, |at, len| unsafe { id(at, len) })?;
    let pmi = PmiLibrary {
        name: name.to_string(),
        calls: Calls::Second {
            put: function!(file, library, c"PMI2_KVS_Put"),
            fence: function!(file, library, c"PMI2_KVS_Fence", Plain),
            get: function!(file, library, c"PMI2_KVS_Get"),
        },
        abort: function!(file, library, c"PMI2_Abort", Abort),
        finalize: function!(file, library, c"PMI2_Finalize", Plain),
        longest: MOST_VALUE - 1,
        space,
    };
    let place = place(rank, size, &pmi.space)?;
    Ok((pmi, place))
}

fn first(file: &str, library: &OpenLibrary, name: &str) -> Result<(PmiLibrary, Place), String> {
    let number = |call: &CStr, function: Number| {
        let mut number = 0;
        // SAFETY: a number.
        checked(&call.to_string_lossy(), unsafe { function(&mut number) }).map(|()| number)
    };
    number(c"PMI_Init", function!(file, library, c"PMI_Init", Number))?;
    let rank = number(c"PMI_Get_rank", function!(file, library, c"PMI_Get_rank", Number))?;
    let size = number(c"PMI_Get_size", function!(file, library, c"PMI_Get_size", Number))?;
    let most = |call: &'static CStr, function: Number| number(call, function).map(|most| most.max(0) as usize);
    let most_name =
        most(c"PMI_KVS_Get_name_length_max", function!(file, library, c"PMI_KVS_Get_name_length_max", Number))?;
    let most_key =
        most(c"PMI_KVS_Get_key_length_max", function!(file, library, c"PMI_KVS_Get_key_length_max", Number))?;
    let most_value =
        most(c"PMI_KVS_Get_value_length_max", function!(file, library, c"PMI_KVS_Get_value_length_max", Number))?;
    let longest = most_value.min(1 << 16).saturating_sub(1);
    if longest < 64 || most_key < 40 {
        return Err("it limits keys or values to too few bytes".to_string());
    }
    let own = function!(file, library, c"PMI_KVS_Get_my_name", Text);
    // SAFETY: a buffer and its length.
    let space = text("PMI_KVS_Get_my_name", most_name.clamp(1, 1 << 16), |at, len| unsafe { own(at, len) })?;
    let pmi = PmiLibrary {
        name: name.to_string(),
        calls: Calls::First {
            put: function!(file, library, c"PMI_KVS_Put"),
            commit: function!(file, library, c"PMI_KVS_Commit"),
            barrier: function!(file, library, c"PMI_Barrier", Plain),
            get: function!(file, library, c"PMI_KVS_Get"),
        },
        abort: function!(file, library, c"PMI_Abort", Abort),
        finalize: function!(file, library, c"PMI_Finalize", Plain),
        longest,
        space,
    };
    let place = place(rank, size, &pmi.space)?;
    Ok((pmi, place))
}

fn c_text(bytes: &[u8]) -> Result<CString, String> {
    CString::new(bytes).map_err(|_| "a value with a zero byte".to_string())
}

impl Kvs for PmiLibrary {
    fn name(&self) -> &str {
        &self.name
    }

    fn longest(&self) -> usize {
        self.longest
    }

    fn is_text(&self) -> bool {
        true
    }

    fn put(&self, key: &str, value: &[u8]) -> Result<(), String> {
        let (key, value) = (c_text(key.as_bytes())?, c_text(value)?);
        // SAFETY: C strings.
        unsafe {
            match self.calls {
                Calls::First { put, .. } => {
                    checked("PMI_KVS_Put", put(self.space.as_ptr(), key.as_ptr(), value.as_ptr()))
                }
                Calls::Second { put, .. } => checked("PMI2_KVS_Put", put(key.as_ptr(), value.as_ptr())),
            }
        }
    }

    /// Another thread waits in the library, which has no time limit.
    fn fence(&self, _puts: bool) -> Result<(), String> {
        let (calls, space) = (self.calls, self.space.clone());
        let (done, passed) = channel();
        let fence = move || {
            // SAFETY: a C string, or nothing; this rank makes no other call of the library meanwhile.
            let code = unsafe {
                match calls {
                    Calls::First { commit, barrier, .. } => match commit(space.as_ptr()) {
                        0 => barrier(),
                        code => code,
                    },
                    Calls::Second { fence, .. } => fence(),
                }
            };
            let _ = done.send(code);
        };
        let thread = std::thread::Builder::new().name("gasnet-fence".to_string()).spawn(fence);
        let thread = thread.map_err(|error| format!("no thread for a fence: {error} (ulimit -u)"))?;
        match passed.recv_timeout(patience()) {
            Ok(code) => {
                let _ = thread.join();
                checked("its fence", code)
            }
            Err(RecvTimeoutError::Timeout) => Err(late_ranks()),
            Err(RecvTimeoutError::Disconnected) => Err("its fence has failed".to_string()),
        }
    }

    fn get(&self, _of: u32, key: &str) -> Result<Option<Vec<u8>>, String> {
        let key = c_text(key.as_bytes())?;
        debug_assert!(key.as_bytes().len() < MOST_KEY);
        let mut bytes = vec![0_u8; self.longest + 2];
        let (at, len) = (bytes.as_mut_ptr().cast::<c_char>(), self.longest as c_int + 1);
        // SAFETY: C strings; a buffer that is one byte longer than said, so that the text ends in it.
        let code = unsafe {
            match self.calls {
                Calls::First { get, .. } => get(self.space.as_ptr(), key.as_ptr(), at, len),
                Calls::Second { get, .. } => {
                    let mut got = 0;
                    get(self.space.as_ptr(), ANY_RANK, key.as_ptr(), at, len, &mut got)
                }
            }
        };
        // It does not tell a missing value from other errors.
        let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
        bytes.truncate(end);
        Ok(Some(bytes).filter(|bytes| code == 0 && !bytes.is_empty()))
    }

    fn abort(&self, code: c_int) {
        // PMI-2 has a flag in place of the code: the whole job.
        let number = if matches!(self.calls, Calls::Second { .. }) { 1 } else { code };
        // SAFETY: a C string.
        unsafe { (self.abort)(number, c"".as_ptr()) };
    }

    fn leave(&self) {
        // SAFETY: no arguments.
        unsafe { (self.finalize)() };
    }
}
