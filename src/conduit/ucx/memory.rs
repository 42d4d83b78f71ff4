//! Memory of this rank that UCX knows, and that of peers: accesses are checked against the key that the peer has published, which is
//! unpacked with the first access.

use super::keys::{ImportedKey, made};
use super::state::UcxRank;
use crate::conduit::{Key, Registration};
use crate::defs::rank::Location;
use crate::fatal::fatal;
use crate::shims::ucx::UcxKey;

impl UcxRank {
    /// The key with which this rank accesses `len` bytes at `at` in the segment of `to`; ends the job if it is not valid for them.
    #[inline]
    pub(crate) fn key_for(&mut self, to: Location, at: usize, len: usize) -> UcxKey {
        let known = self.members[to.rank.index()].keys.0.iter().find(|key| key.ep == to.ep);
        match known {
            Some(&ImportedKey { start, bytes, unpacked: Some(key), .. })
                if at >= start && at - start <= bytes && len <= bytes - (at - start) =>
            {
                key
            }
            _ => self.unpack(to, at, len),
        }
    }

    #[cold]
    fn unpack(&mut self, to: Location, at: usize, len: usize) -> UcxKey {
        let Location { rank, ep } = to;
        self.connected(rank);
        let member = &mut self.members[rank.index()];
        let Some(key) = member.keys.0.iter_mut().find(|key| key.ep == ep) else {
            fatal!("conduit ucx: a transfer to endpoint {ep} of rank {}, whose key was not imported", rank.0);
        };
        if at < key.start || at - key.start > key.bytes || len > key.bytes - (at - key.start) {
            fatal!(
                "rank {} reaches for {len} bytes at {at:#x}, outside the segment of endpoint {ep} of rank {}",
                self.me.0,
                rank.0
            );
        }
        let Some(connection) = &member.connection else { fatal!("conduit ucx: rank {} is not connected", rank.0) };
        match connection.unpack(&key.packed) {
            Ok(unpacked) => *key.unpacked.insert(unpacked),
            Err(error) => fatal!(
                "conduit ucx: the key of the segment of rank {}, endpoint {ep}, is not valid here: {} (all ranks need the same build of UCX)",
                rank.0,
                error.text()
            ),
        }
    }

    /// Where the memory starts whose key was imported.
    pub(crate) fn start_of(&self, of: Location) -> Option<usize> {
        self.members[of.rank.index()].keys.0.iter().find(|key| key.ep == of.ep).map(|key| key.start)
    }

    /// Imports a key of `of`. An error is a line for the user.
    pub(crate) fn import_key(&mut self, of: Location, key: &[u8]) -> Result<(), String> {
        if let Some(before) = self.members[of.rank.index()].keys.import(of.ep, key, self.version)? {
            self.port.forget(before);
        }
        Ok(())
    }

    /// Registers memory of this rank with UCX. An error is a line for the user.
    pub(crate) fn register_memory(&mut self, start: usize, bytes: usize) -> Result<(Registration, Key), String> {
        let memory = self.port.map(start, bytes).map_err(|error| {
            format!("ucp_mem_map fails: {} (the limit of locked memory may be too small: ulimit -l)", error.text())
        })?;
        let packed = self.port.pack(&memory).map_err(|error| format!("ucp_rkey_pack fails: {}", error.text()))?;
        let key = made(start, bytes, self.version, &packed)?;
        Ok((Registration(self.memories.insert(memory)), key))
    }

    pub(crate) fn forget_memory(&mut self, registration: Registration) {
        if let Some(memory) = self.memories.remove(registration.0) {
            self.port.unmap(memory);
        }
    }
}
