//! Memory kinds. Host memory is the only kind: no conduit of this version transfers device memory. A request for a
//! device kind fails with a description of the missing part; the device's runtime is opened to test for it, and
//! never linked.
//!
//! # Safety
//! The functions called in an open runtime have had these parameters in all its versions.
#![allow(unsafe_code)]

use core::ffi::CStr;

use crate::os::dl::OpenLibrary;

/// A device, according to the arguments of `gex_MK_Create`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Device {
    /// A device number of the CUDA driver.
    Cuda(i32),
    /// A device number of the HIP runtime.
    Hip(i32),
    /// Whether the Level Zero handles of device and context are given.
    Ze { handles: bool },
}

/// The runtime of a class of devices.
struct Runtime {
    class: &'static str,
    /// The library's name for users, and its file names.
    library: &'static str,
    names: &'static [&'static CStr],
    init: &'static CStr,
    /// The number of devices.
    count: Option<&'static CStr>,
}

const CUDA: Runtime = Runtime {
    class: "GEX_MK_CLASS_CUDA_UVA",
    library: "libcuda.so.1",
    names: &[c"libcuda.so.1"],
    init: c"cuInit",
    count: Some(c"cuDeviceGetCount"),
};
const HIP: Runtime = Runtime {
    class: "GEX_MK_CLASS_HIP",
    library: "libamdhip64.so",
    names: &[c"libamdhip64.so", c"libamdhip64.so.7", c"libamdhip64.so.6", c"libamdhip64.so.5"],
    init: c"hipInit",
    count: Some(c"hipGetDeviceCount"),
};
const ZE: Runtime = Runtime {
    class: "GEX_MK_CLASS_ZE",
    library: "libze_loader.so.1",
    names: &[c"libze_loader.so.1", c"libze_loader.so"],
    init: c"zeInit",
    count: None,
};

/// The reason why there is no kind for `device`, as text for the user.
pub(crate) fn why_not(device: Device) -> String {
    let (runtime, number) = match device {
        Device::Cuda(number) => (CUDA, Some(number)),
        Device::Hip(number) => (HIP, Some(number)),
        Device::Ze { .. } => (ZE, None),
    };
    runtime.lacks(number).unwrap_or_else(|| match device {
        Device::Ze { handles: false } => format!("{}: gex_zeDevice or gex_zeContext is NULL", runtime.class),
        _ => format!(
            "{}: {} and the device are there, but no conduit of this version moves device memory \
             (GASNET_HAVE_MK_CLASS_* are not defined)",
            runtime.class, runtime.library
        ),
    })
}

impl Runtime {
    /// The missing requirement for device `number`.
    fn lacks(&self, number: Option<i32>) -> Option<String> {
        let Runtime { class, library, .. } = self;
        let Some(open) = OpenLibrary::open(self.names) else {
            return Some(format!("{class} needs {library}, which is not found on this host"));
        };
        let text = |name: &CStr| name.to_string_lossy().into_owned();
        // SAFETY: the module's paragraph: flags in, a status out.
        match unsafe { open.call_with_number(self.init, 0) } {
            Some(0) => {}
            Some(status) => return Some(format!("{class}: {} of {library} fails with {status}", text(self.init))),
            None => return Some(format!("{class}: {library} has no {}", text(self.init))),
        }
        let (count, number) = (self.count?, number?);
        // SAFETY: the module's paragraph: a count and a status out.
        match unsafe { open.call_for_number(count) } {
            Some((0, devices)) if number < 0 || number >= devices => {
                Some(format!("{class}: there is no device {number}, {library} knows {devices}"))
            }
            Some((0, _)) => None,
            Some((status, _)) => Some(format!("{class}: {} of {library} fails with {status}", text(count))),
            None => Some(format!("{class}: {library} has no {}", text(count))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named() {
        let absent = Runtime { names: &[c"libgasnet-no-such-thing.so.7"], ..CUDA };
        let why = absent.lacks(Some(0)).expect("there is no such library");
        assert_eq!(why, "GEX_MK_CLASS_CUDA_UVA needs libcuda.so.1, which is not found on this host");
    }

    #[test]
    fn a_library_of_something_else_is_no_runtime() {
        let other = Runtime { names: &[c"libc.so.6"], ..HIP };
        assert_eq!(other.lacks(Some(0)).as_deref(), Some("GEX_MK_CLASS_HIP: libamdhip64.so has no hipInit"));
    }

    #[test]
    fn every_class_has_a_reason_whatever_this_host_has() {
        for device in [Device::Cuda(0), Device::Cuda(-1), Device::Hip(99), Device::Ze { handles: false }] {
            assert!(why_not(device).starts_with("GEX_MK_CLASS_"));
        }
    }
}
