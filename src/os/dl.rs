//! Libraries that are opened while the program runs.

use core::ffi::{CStr, c_char, c_int, c_void};
use std::path::PathBuf;

unsafe extern "C" {
    /// Defined in abi/c/dl.c.
    fn dl_open_if_can(name: *const c_char, global: c_int) -> *mut c_void;
    /// Defined in abi/c/dl.c.
    fn dl_symbol_if_can(library: *mut c_void, name: *const c_char) -> *mut c_void;
    /// Defined in abi/c/dl.c.
    fn dl_error_if_can() -> *const c_char;
    /// Defined in abi/c/dl.c.
    fn dl_file_if_can(address: *const c_void) -> *const c_char;
    /// Defined in abi/c/dl.c.
    fn dl_shims_installed_in() -> *const c_char;
}

/// # Safety
/// `text` is null or a C string.
unsafe fn owned(text: *const c_char) -> Option<String> {
    // SAFETY: the caller's promise.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}

/// Why the last call of this thread has failed.
pub(crate) fn why() -> String {
    // SAFETY: the loader's text, until the next call of this thread.
    unsafe { owned(dl_error_if_can()) }.unwrap_or_else(|| "the loader gives no reason".to_string())
}

/// The file of the program or library that contains `address`.
pub(crate) fn file_of(address: *const c_void) -> Option<PathBuf> {
    // SAFETY: the loader's text.
    unsafe { owned(dl_file_if_can(address)) }.map(PathBuf::from)
}

/// The file of the program or library that contains this library.
pub(crate) fn own_file() -> Option<PathBuf> {
    file_of((dl_shims_installed_in as *const ()).cast())
}

/// The directory of the shims where this library was installed.
pub(crate) fn shims_installed_in() -> Option<PathBuf> {
    // SAFETY: a C string of this library.
    unsafe { owned(dl_shims_installed_in()) }.filter(|dir| !dir.is_empty()).map(PathBuf::from)
}

/// An open library; never closed, since its code may have started threads.
pub(crate) struct OpenLibrary(*mut c_void);

impl OpenLibrary {
    /// The first of `names` that the loader finds.
    pub(crate) fn open(names: &[&CStr]) -> Option<OpenLibrary> {
        names.iter().find_map(|name| OpenLibrary::opened(name, 0))
    }

    /// As `open`, for a library that loads modules which look for its functions.
    pub(crate) fn open_with_modules(name: &CStr) -> Option<OpenLibrary> {
        OpenLibrary::opened(name, 1)
    }

    fn opened(name: &CStr, global: c_int) -> Option<OpenLibrary> {
        // SAFETY: a C string.
        let library = unsafe { dl_open_if_can(name.as_ptr(), global) };
        (!library.is_null()).then_some(OpenLibrary(library))
    }

    /// The program, the libraries that it is linked to, and those opened with their modules.
    pub(crate) fn of_process() -> Option<OpenLibrary> {
        // SAFETY: null stands for the program.
        let program = unsafe { dl_open_if_can(core::ptr::null(), 0) };
        (!program.is_null()).then_some(OpenLibrary(program))
    }

    /// The address of a function.
    pub(crate) fn symbol(&self, name: &CStr) -> Option<*mut c_void> {
        // SAFETY: `open` made the handle; a C string.
        let symbol = unsafe { dl_symbol_if_can(self.0, name.as_ptr()) };
        (!symbol.is_null()).then_some(symbol)
    }

    /// Calls the function `name(argument)` of the library; None if it has none.
    ///
    /// # Safety
    /// If there is such a function, it takes one unsigned int and returns an int.
    pub(crate) unsafe fn call_with_number(&self, name: &CStr, argument: u32) -> Option<i32> {
        let symbol = self.symbol(name)?;
        // SAFETY: the caller's contract.
        let function = unsafe { core::mem::transmute::<*mut c_void, extern "C" fn(u32) -> i32>(symbol) };
        Some(function(argument))
    }

    /// Calls the function `name(&number)` of the library; returns its result and the number.
    ///
    /// # Safety
    /// If there is such a function, it takes a pointer to an int, which it writes, and returns an int.
    pub(crate) unsafe fn call_for_number(&self, name: &CStr) -> Option<(i32, i32)> {
        let symbol = self.symbol(name)?;
        // SAFETY: the caller's contract.
        let function = unsafe { core::mem::transmute::<*mut c_void, extern "C" fn(*mut i32) -> i32>(symbol) };
        let mut number = 0;
        let status = function(&raw mut number);
        Some((status, number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_is_not_there_is_not_found() {
        assert!(OpenLibrary::open(&[c"libgasnet-no-such-thing.so.7"]).is_none());
    }

    #[test]
    fn functions_of_a_library_are_found_by_name() {
        let libc = OpenLibrary::open(&[c"libgasnet-no-such-thing.so.7", c"libc.so.6"]).expect("there is a C library");
        assert!(libc.symbol(c"gasnet_no_such_thing").is_none());
        // SAFETY: `abs` is of that form.
        assert_eq!(unsafe { libc.call_with_number(c"abs", 5) }, Some(5));
    }
}
