//! Which launcher started this process, as the environment shows it.

use crate::bootstrap::contract::Bootstrap;
use crate::env;
use crate::fatal::fatal;
use crate::launch::external::connection::Connection;
use crate::launch::external::pmi1;

fn number(name: &str) -> Option<u32> {
    env::raw(name)?.trim().parse().ok()
}

/// The bootstrap of this process's launcher, which it has joined; `None` if it is the only process of its job, so that our
/// own start decides. Any failure ends the process with one line.
pub fn detect() -> Option<&'static dyn Bootstrap> {
    if let Some(fd) = number("PMI_FD") {
        let place = number("PMI_RANK").zip(number("PMI_SIZE"));
        if place.is_none_or(|(_, size)| size == 1) {
            return None;
        }
        let joined = Connection::inherited(fd as i32)
            .map_err(|error| format!("PMI_FD={fd}: {error}"))
            .and_then(|connection| pmi1::join(connection, place));
        return Some(Box::leak(Box::new(joined.unwrap_or_else(|why| fatal!("{why}")))));
    }
    None
}
