//! The decoded values of the environment. Nothing here is fatal or prints, since code that prints reads its settings here.

#![allow(clippy::disallowed_methods)]

use super::parse;
use std::borrow::Cow;
use std::os::unix::ffi::OsStringExt;

/// Whether this process runs under valgrind.
pub(crate) fn under_valgrind() -> bool {
    raw("LD_PRELOAD").is_some_and(|libraries| libraries.contains("vgpreload"))
}

/// The decoded value of any variable; does not use the table and reports nothing.
pub fn raw(name: &str) -> Option<String> {
    raw_bytes(name).map(|value| String::from_utf8_lossy(&value).into_owned())
}

fn raw_bytes(name: &str) -> Option<Vec<u8>> {
    if name.is_empty() || name.contains(['=', '\0']) {
        return None;
    }
    let value = std::env::var_os(name)?.into_vec();
    Some(match decoded(&value) {
        Cow::Borrowed(_) => value,
        Cow::Owned(decoded) => decoded,
    })
}

/// Decodes the launchers' escapes in a value, unless the user disabled this.
pub(crate) fn decoded(value: &[u8]) -> Cow<'_, [u8]> {
    match parse::unescaped(value) {
        Cow::Owned(_) if flag("GASNET_DISABLE_ENVDECODE") => Cow::Borrowed(value),
        decoded => decoded,
    }
}

/// Whether the user disabled warnings.
pub(crate) fn quiet() -> bool {
    flag("GASNET_QUIET")
}

/// A yes/no variable that controls the reporting of others and is not reported itself.
pub(super) fn flag(name: &str) -> bool {
    let Some(value) = std::env::var_os(name) else {
        return false;
    };
    let text = value.to_string_lossy();
    // `quiet` is asked while a fatal error is being printed, so nothing fatal may happen here.
    parse::yes(&text).unwrap_or(true)
}
