//! Shims: small C libraries between this one and a communication library (`shims/` has their sources). A shim is compiled with
//! the headers of that library, so that its constants, types and inline functions are right; it exports one table of
//! functions, with a version. It is opened when a job runs on its conduit and never closed. So this library links to no
//! communication library.
//!
//! # Safety
//! A table has the type that its version names; `shims/*.h` declares the same.
#![allow(unsafe_code)]

pub(crate) mod mpi;
pub(crate) mod mpi_library;
pub(crate) mod ofi;
mod ofi_offers;
pub(crate) mod shmem;
mod thread_level;
pub(crate) mod ucx;
pub(crate) mod ucx_library;

use core::ffi::{CStr, c_void};
use std::ffi::CString;
use std::path::{Path, PathBuf};

use crate::env;
use crate::os::dl::{self, OpenLibrary};

/// The directories where shims may be: those of `GASNET_SHIM_PATH`; or beside this library, where it was installed, and the
/// usual ones.
fn directories() -> Vec<PathBuf> {
    if let Some(named) = env::str("GASNET_SHIM_PATH") {
        return named.split(':').map(PathBuf::from).collect();
    }
    let own = dl::own_file();
    let dir = own.as_deref().and_then(Path::parent);
    let beside = dir.map(|dir| dir.join("gasnet"));
    // Of a static program in `bin`.
    let near = dir.filter(|dir| dir.ends_with("bin")).and_then(Path::parent).map(|dir| dir.join("lib/gasnet"));
    let usual = ["/usr/local/lib/gasnet", "/usr/lib/gasnet"].map(PathBuf::from);
    let mut all: Vec<PathBuf> = Vec::new();
    for dir in beside.into_iter().chain(near).chain(dl::shims_installed_in()).chain(usual) {
        if !all.contains(&dir) {
            all.push(dir);
        }
    }
    all
}

/// Opens a library of the shims that has to be there before a communication library is, if it is there.
fn open_first(file: &str) {
    if let Some(path) = directories().iter().map(|dir| dir.join(file)).find(|path| path.exists()) {
        if let Ok(path) = CString::new(path.display().to_string()) {
            let _ = OpenLibrary::open_with_modules(&path);
        }
    }
}

/// Opens the shim `name` of conduit `conduit` and returns the address of the table that its function `symbol` returns, which
/// begins with a version and a length in bytes. An error is a line for the user.
fn open(conduit: &str, name: &str, symbol: &CStr, version: u32, bytes: usize) -> Result<*const c_void, String> {
    let file = format!("conduit-{conduit}{name}.so");
    let tried = directories();
    let found = tried.iter().map(|dir| dir.join(&file)).find(|path| path.exists());
    let Some(path) = found else {
        let tried: Vec<_> = tried.iter().map(|dir| dir.display().to_string()).collect();
        return Err(format!(
            "there is no {file} in {}: build it with gasnet-build-shim {conduit}, or GASNET_SHIM_PATH names its directory",
            tried.join(", ")
        ));
    };
    let shown = path.display().to_string();
    let c_path = CString::new(shown.clone()).map_err(|_| format!("{shown} is not a path"))?;
    let library = OpenLibrary::open_with_modules(&c_path).ok_or_else(|| format!("{shown}: {}", dl::why()))?;
    let get = library.symbol(symbol).ok_or_else(|| format!("{shown} is not a shim of conduit {conduit}"))?;
    // SAFETY: the symbol is a function of this type in every shim.
    let get = unsafe { core::mem::transmute::<*mut c_void, extern "C" fn() -> *const c_void>(get) };
    let table = get();
    // SAFETY: every table begins with two such words.
    let [theirs, length] = unsafe { table.cast::<[u32; 2]>().read() };
    if (theirs, length as usize) != (version, bytes) {
        return Err(format!(
            "{shown} was built for another version of this library (a table of version {theirs} and {length} bytes, not {version} and \
             {bytes}): build it again with gasnet-build-shim {conduit}"
        ));
    }
    Ok(table)
}
