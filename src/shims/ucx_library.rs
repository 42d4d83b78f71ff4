//! Finds the UCX that this process is to use: the library that `GASNET_UCX_LIB` names; one that is already in the process, because the
//! client or another library of it uses it; or the one that the loader finds.

use std::ffi::CString;

use crate::env;
use crate::os::dl::{self, OpenLibrary};
use crate::os::maps::mapped_files;
use crate::os::process;

const USUAL: &str = "libucp.so.0";

/// The files of libucp that are in this process.
fn in_process() -> Vec<String> {
    mapped_files().into_iter().filter(|file| is_ucp(file)).collect()
}

fn is_ucp(file: &str) -> bool {
    file.rsplit('/').next().is_some_and(|name| name.starts_with("libucp.so") || name.starts_with("libucp-"))
}

/// Opens it; returns its file. An error is a line for the user.
pub(crate) fn open() -> Result<String, String> {
    // Errors of a connection and crashes are told by this library, once; UCX would print a line for each operation, and take the place of
    // the handlers of signals: of SIGHUP, too, which then would not end the job.
    for (name, value) in [("UCX_LOG_LEVEL", "fatal"), ("UCX_HANDLE_ERRORS", "none"), ("UCX_DEBUG_SIGNO", "0")] {
        if env::raw(name).is_none() {
            process::set_env(name.as_bytes(), value.as_bytes());
        }
    }
    let named = env::str("GASNET_UCX_LIB");
    let before = in_process();
    let file = named.clone().or_else(|| before.first().cloned()).unwrap_or_else(|| USUAL.to_string());
    let c_file = CString::new(file.clone()).map_err(|_| format!("GASNET_UCX_LIB={file:?} is not a path"))?;
    let Some(library) = OpenLibrary::open_with_modules(&c_file) else {
        let why = dl::why();
        return Err(match named {
            Some(_) => format!("GASNET_UCX_LIB={file} cannot be opened: {why}"),
            None => format!(
                "conduit ucx: no UCX library can be opened ({file}: {why}): install UCX 1.10 or later (Debian: libucx0), or GASNET_UCX_LIB \
                 names its libucp.so.0"
            ),
        });
    };
    if library.symbol(c"ucp_am_send_nbx").is_none() {
        return Err(match named {
            Some(_) => format!("GASNET_UCX_LIB={file} is not UCX, or older than 1.10"),
            None => format!("conduit ucx: {file} is older than UCX 1.10: GASNET_UCX_LIB names a newer one"),
        });
    }
    let after = in_process();
    match &after[..] {
        [first, second, ..] => Err(format!(
            "conduit ucx: this process has two versions of UCX, {first} and {second}, which cannot work side by side: GASNET_UCX_LIB (or \
             LD_LIBRARY_PATH) has to name the one that the program uses"
        )),
        [only] => Ok(only.clone()),
        [] => Ok(file),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_of_ucp_are_known_by_their_names() {
        for file in ["/usr/lib/libucp.so.0.0.0", "/opt/a b/libucp.so.0", "/site/libucx_cu12.libs/libucp-1f2e.so.0.0.0"]
        {
            assert!(is_ucp(file), "{file}");
        }
        for file in ["/usr/lib/libucs.so.0", "/opt/libucp.so/data"] {
            assert!(!is_ucp(file), "{file}");
        }
    }
}
