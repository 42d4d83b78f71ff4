//! The interface to a launcher's key-value store, for every protocol.

use core::ffi::c_int;

/// A launcher's key-value store: values that are written once, under unique keys, and a fence. An error is a line for the
/// user.
pub trait Kvs: Sync {
    /// The name of the launcher in messages: `hydra or another launcher of PMI-1 (PMI_FD=6)`.
    fn name(&self) -> &str;

    /// The longest value in bytes.
    fn longest(&self) -> usize;

    /// Whether values must be text without spaces, `;` and `=`.
    fn is_text(&self) -> bool;

    fn put(&self, key: &str, value: &[u8]) -> Result<(), String>;

    /// Returns when every rank has called it; `puts`: some rank may have put values since the last fence.
    fn fence(&self, puts: bool) -> Result<(), String>;

    /// `None`: rank `of` has put no such value before the last fence.
    fn get(&self, of: u32, key: &str) -> Result<Option<Vec<u8>>, String>;

    /// Asks the launcher to end the job with `code`. Takes no lock, allocates nothing.
    fn abort(&self, code: c_int);

    /// The ranks of the job leave it together: waits for all of them. Where a launcher's library needs no such thing, nothing.
    fn part(&self) {}

    /// Tells the launcher that this rank is done with it. Takes no lock, allocates nothing.
    fn leave(&self);

    /// Where the launcher would let the other ranks run on after one has died: the connection to it.
    fn needs_guard(&self) -> Option<c_int> {
        None
    }

    /// The descriptor that hangs up when the launcher ends, if there is one.
    fn died(&self) -> Option<c_int> {
        None
    }
}
