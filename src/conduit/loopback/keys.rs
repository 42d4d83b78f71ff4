//! The memory of a strict network: a peer's memory is reached only with an imported key, and memory of this rank is used
//! after a call only within a live registration. A violation is a bug of a layer above and ends the job.

use std::collections::HashMap;

use super::packet::There;
use crate::conduit::{Key, Registration};
use crate::defs::rank::{JobRank, Location};
use crate::fatal::fatal;

/// A registered region of this rank's memory.
struct RegisteredRegion {
    ep: u16,
    start: usize,
    bytes: usize,
}

impl RegisteredRegion {
    fn holds(&self, at: usize, len: usize) -> bool {
        at >= self.start && at - self.start <= self.bytes && len <= self.bytes - (at - self.start)
    }
}

/// The registrations of this rank, and the keys of its peers.
#[derive(Default)]
pub(crate) struct Keys {
    /// Registration n is at index n - 1; None once forgotten.
    own: Vec<Option<RegisteredRegion>>,
    /// The number in the key of each endpoint's segment.
    imported: HashMap<Location, u32>,
}

/// Starts every key, so that bytes that are not a key are detected.
const MARK: u32 = 0x6c6f_6f70;

impl Keys {
    /// A key: the mark, the endpoint, and the number of the registration.
    pub(crate) fn register(&mut self, ep: u16, start: usize, bytes: usize) -> Option<(Registration, Key)> {
        self.own.push(Some(RegisteredRegion { ep, start, bytes }));
        let number = self.own.len() as u32;
        let words = [MARK, u32::from(ep), number];
        let key: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        Some((Registration(number), Key::new(&key)?))
    }

    pub(crate) fn forget(&mut self, registration: Registration) {
        match self.own.get_mut((registration.0 as usize).wrapping_sub(1)) {
            Some(region @ Some(_)) => *region = None,
            _ => fatal!("loopback: forget: registration {} is not live", registration.0),
        }
    }

    /// Returns an error if the bytes are not a key of that endpoint.
    pub(crate) fn import(&mut self, of: Location, key: &[u8]) -> Result<(), String> {
        let words: Vec<u32> =
            key.chunks_exact(4).filter_map(|word| word.try_into().ok()).map(u32::from_ne_bytes).collect();
        match words[..] {
            [MARK, ep, number] if key.len() == 12 && ep == u32::from(of.ep) => {
                self.imported.insert(of, number);
                Ok(())
            }
            _ => Err(format!(
                "loopback: import: {} bytes are not a key of endpoint {} of rank {}",
                key.len(),
                of.ep,
                of.rank.0
            )),
        }
    }

    /// Names `len` bytes at `at` of `to` by key and address.
    pub(crate) fn there(&self, to: Location, at: usize, len: usize) -> There {
        match self.imported.get(&to) {
            Some(&key) => There { at, key },
            None if len == 0 => There { at, key: 0 },
            None => fatal!(
                "loopback: a transfer of {len} bytes at {at:#x} of rank {}, endpoint {}, whose key was not imported",
                to.rank.0,
                to.ep
            ),
        }
    }

    /// Checks the local memory of a transfer that continues after the call: ends the job unless it lies in `registration`.
    /// Without a registration, `len` must not exceed `copied`, the bytes that are copied.
    pub(crate) fn check_local(&self, registration: Option<Registration>, at: usize, len: usize, copied: usize) {
        let Some(registration) = registration else {
            if len > copied {
                fatal!(
                    "loopback: {len} bytes at {at:#x} of this rank are used after the call and lie in no registration"
                );
            }
            return;
        };
        if !self.live(registration).is_some_and(|region| region.holds(at, len)) {
            fatal!("loopback: {len} bytes at {at:#x} of this rank do not lie in registration {}", registration.0);
        }
    }

    fn live(&self, registration: Registration) -> Option<&RegisteredRegion> {
        self.own.get((registration.0 as usize).wrapping_sub(1))?.as_ref()
    }

    /// Whether a peer's key is valid for `len` bytes at this address.
    pub(crate) fn opens(&self, there: There, len: usize) -> bool {
        len == 0 || self.live(Registration(there.key)).is_some_and(|region| region.holds(there.at, len))
    }

    /// Ends the job: `from` accessed memory that its key is not valid for.
    pub(crate) fn refuse(&self, from: JobRank, there: There, len: usize) -> ! {
        let of = match self.live(Registration(there.key)) {
            Some(region) => format!("segment (of its endpoint {})", region.ep),
            None => "segment (with a key that is no longer valid)".to_owned(),
        };
        fatal!("rank {} reaches for {len} bytes at {:#x}, outside this rank's {of}", from.0, there.at)
    }
}
