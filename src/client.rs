//! The client: the caller of init, with its name and flags. There is one in each process.

use core::ffi::c_void;
use core::ptr;
use std::ffi::{CStr, CString};
use std::sync::OnceLock;

use crate::sync::atomic::AtomicPtr;

/// `GEX_FLAG_USES_GASNET1`: GASNet-1 calls are allowed, too.
pub(crate) const USES_GASNET1: u32 = 1;
/// `GEX_FLAG_DEFER_THREADS`.
pub(crate) const DEFER_THREADS: u32 = 2;

/// What init was told.
pub struct Client {
    pub name: CString,
    pub flags: u32,
    /// It began with gasnet_init, so gasnet_attach must follow before anything else.
    pub attaches: bool,
    pub cdata: AtomicPtr<c_void>,
}

static CLIENT: OnceLock<Client> = OnceLock::new();

/// The client, after init.
pub(crate) fn client() -> Option<&'static Client> {
    CLIENT.get()
}

/// Init has succeeded for the client `name`.
pub(crate) fn begin(name: &CStr, flags: u32, attaches: bool) -> &'static Client {
    let cdata = AtomicPtr::new(ptr::null_mut());
    CLIENT.get_or_init(|| Client { name: name.to_owned(), flags, attaches, cdata })
}
