//! A value alone on its cache lines.

use core::ops::Deref;

/// Keeps `T` off its neighbours' lines; 128 because adjacent lines are fetched in pairs.
#[repr(C, align(128))]
#[derive(Default)]
pub(crate) struct Padded<T>(pub T);

impl<T> Deref for Padded<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}
