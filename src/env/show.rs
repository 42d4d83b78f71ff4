//! The report on the variables that were looked up.

use super::read::flag;
use crate::fatal::lines::{line, rank};
use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

/// Whether this process reports variables that it looks up: if the user requested it, on rank 0 and in programs
/// without a job.
pub(crate) fn is_verbose() -> bool {
    rank().unwrap_or(0) == 0 && flag("GASNET_VERBOSEENV")
}

/// Reports a setting if `is_verbose` and it was not reported before.
pub(crate) fn show(name: &str, value: &str, is_default: bool) {
    static SHOWN: Mutex<Option<HashSet<String>>> = Mutex::new(None);
    if !is_verbose() {
        return;
    }
    let mut shown = SHOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if shown.get_or_insert_default().insert(name.to_string()) {
        display(name, value, is_default);
    }
}

/// Reports a setting if `is_verbose`, also repeatedly.
pub(crate) fn display(name: &str, value: &str, is_default: bool) {
    if is_verbose() {
        line(&format!("ENV parameter: {name} = {value}{}", if is_default { "   (default)" } else { "" }));
    }
}
