//! Registration of segments: in one piece, or in several of the same length where the provider refuses that. A transfer that lies in two pieces goes
//! by messages, or by a firehose.

use core::ffi::c_int;

use super::keys;
use super::local::OwnMemory;
use super::rank::OfiRank;
use crate::conduit::{Key, Registration};
use crate::defs::rank::Location;
use crate::fatal::fatal;
use crate::os::shm::PAGE;
use crate::shims::ofi::access;

/// Pieces of a segment, at most.
const MOST_PIECES: usize = 16;

/// Whether the provider may have refused memory for its length.
fn is_of_length(code: c_int) -> bool {
    matches!(-code, libc::EINVAL | libc::E2BIG | libc::EFBIG | libc::EMSGSIZE | libc::ENOMEM | libc::ENOSPC)
}

impl OfiRank {
    /// Registers a segment. An error is a line for the user.
    pub(crate) fn register_pieces(&mut self, start: usize, bytes: usize) -> Result<(Registration, Key), String> {
        let mut why = None;
        let mut pieces = 1;
        while pieces <= MOST_PIECES && (pieces == 1 || bytes / pieces >= PAGE) {
            let each = if pieces == 1 { bytes } else { bytes.div_ceil(pieces).next_multiple_of(PAGE) };
            match self.register_each(start, bytes, each) {
                Ok(registered) => return registered,
                Err(code) => {
                    why.get_or_insert(code);
                    if !is_of_length(code) {
                        break;
                    }
                }
            }
            pieces *= 2;
        }
        Err(self.port.why_no_memory(why.unwrap_or_default()))
    }

    /// Registers pieces of `each` bytes, or none if the provider refuses one.
    fn register_each(
        &mut self,
        start: usize,
        bytes: usize,
        each: usize,
    ) -> Result<Result<(Registration, Key), String>, c_int> {
        let mut memories = Vec::new();
        for from in (0..bytes.max(1)).step_by(each.max(1)) {
            let added = self.port.add_memory(start + from, each.min(bytes - from), access::LOCAL | access::REMOTE);
            match added {
                Ok(memory) => memories.push(memory),
                Err(code) => {
                    for memory in &memories {
                        self.port.end_memory(memory);
                    }
                    return Err(code);
                }
            }
        }
        let base = memories.first().map_or(0, |memory| memory.base);
        let raw = memories.iter().map(|memory| memory.key.as_slice());
        let Some(key) = keys::key_of(start, bytes, each, base, raw) else {
            for memory in &memories {
                self.port.end_memory(memory);
            }
            let pieces = memories.len();
            return Ok(Err(format!("conduit ofi: the provider's keys are too long for {pieces} pieces of a segment")));
        };
        let mut next = None;
        for (nth, memory) in memories.into_iter().enumerate().rev() {
            let from = nth * each;
            let own = OwnMemory { start: start + from, bytes: each.min(bytes - from), memory, next };
            next = Some(self.local.own.insert(own));
        }
        Ok(next.map(|first| (Registration(first), key)).ok_or_else(|| "conduit ofi: no memory".to_owned()))
    }

    /// Imports the key of a peer's segment. An error is a line for the user.
    pub(crate) fn import_pieces(&mut self, of: Location, key: &[u8]) -> Result<(), String> {
        let parts = keys::parts_of(key).ok_or("conduit ofi: a key of another length")?;
        let import = |raw: &[u8]| {
            self.port.import_key(raw).map_err(|code| {
                let (why, provider) = (self.port.error_text(code), &self.port.offer.provider);
                format!("{provider} cannot use its key: {why} (all ranks need the same build of libfabric)")
            })
        };
        let words = parts.raw().map(import).collect::<Result<Vec<u64>, String>>()?;
        self.imports.add(of, &parts, &words);
        Ok(())
    }

    pub(crate) fn forget_pieces(&mut self, registration: Registration) {
        let mut next = Some(registration.0);
        while let Some(number) = next {
            let Some(own) = self.local.own.remove(number) else {
                fatal!("conduit ofi: registration {} is not live", registration.0);
            };
            self.port.end_memory(&own.memory);
            next = own.next;
        }
    }
}
