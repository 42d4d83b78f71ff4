//! Keys of memory: a rank publishes where its segment is, and the key that UCX has packed for it; peers check each access against that,
//! and unpack the key with the first access.

use super::rank::UcxRank;
use crate::conduit::{Key, Registration};
use crate::defs::rank::{JobRank, Location};
use crate::fatal::fatal;
use crate::shims::ucx::UcxKey;

/// Bytes before the packed key: where the memory is, how long it is, and the version of UCX.
const BEFORE: usize = 24;

/// A key of a peer's memory.
struct ImportedKey {
    ep: u16,
    start: usize,
    bytes: usize,
    packed: Box<[u8]>,
    unpacked: Option<UcxKey>,
}

/// The keys of a peer, of one endpoint or a few.
#[derive(Default)]
pub(crate) struct UcxKeys(Vec<ImportedKey>);

/// The version of UCX as a number: "1.13.1" is that of 1.13.
pub(crate) fn version_number(version: &str) -> u64 {
    let mut parts = version.split('.').map(|part| part.parse::<u64>().unwrap_or(0));
    parts.next().unwrap_or(0) << 32 | parts.next().unwrap_or(0)
}

/// As `version_number` gave it, for messages.
pub(crate) fn version_text(number: u64) -> String {
    format!("{}.{}", number >> 32, number & 0xffff_ffff)
}

/// The key that peers import. An error is a line for the user.
pub(crate) fn made(start: usize, bytes: usize, version: u64, packed: &[u8]) -> Result<Key, String> {
    let words = [start as u64, bytes as u64, version].map(u64::to_ne_bytes);
    let whole = [words.as_flattened(), packed].concat();
    let len = whole.len();
    Key::new(&whole).ok_or_else(|| {
        format!(
            "UCX's key for it has {len} bytes, more than this library exchanges: UCX_NET_DEVICES names fewer devices"
        )
    })
}

impl UcxKeys {
    /// Imports the key of the segment of endpoint `ep`; returns the key before it. An error is a line for the user.
    pub(crate) fn import(&mut self, ep: u16, key: &[u8], version: u64) -> Result<Option<UcxKey>, String> {
        let word = |at: usize| key.get(at..at + 8)?.try_into().ok().map(u64::from_ne_bytes);
        let (Some(start), Some(bytes), Some(theirs)) = (word(0), word(8), word(16)) else {
            return Err(format!("its key of {} bytes is not one of conduit ucx", key.len()));
        };
        if theirs != version {
            return Err(format!(
                "its key is of UCX {}, and this rank has UCX {}: all ranks need the same (GASNET_UCX_LIB)",
                version_text(theirs),
                version_text(version)
            ));
        }
        let before = self.0.iter().position(|known| known.ep == ep).map(|at| self.0.swap_remove(at));
        let (start, bytes, packed) = (start as usize, bytes as usize, key[BEFORE..].into());
        self.0.push(ImportedKey { ep, start, bytes, packed, unpacked: None });
        Ok(before.and_then(|key| key.unpacked))
    }
}

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

/// The rank that a probe of the network accesses: the next one on another host, else the next one.
pub(crate) fn to_probe(me: JobRank, is_apart: &[bool]) -> JobRank {
    let size = is_apart.len() as u32;
    let others = (1..size).map(|step| JobRank((me.0 + step) % size));
    others.clone().find(|rank| is_apart[rank.index()]).or(others.clone().next()).unwrap_or(me)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_other_builds_are_refused_with_both_versions() {
        let [ours, theirs] = ["1.13.1", "1.22.0"].map(version_number);
        let mut keys = UcxKeys::default();
        let key = made(4096, 100, theirs, &[1, 2, 3]).unwrap();
        let Err(why) = keys.import(0, key.bytes(), ours) else { panic!("it was imported") };
        assert!(why.contains("1.22") && why.contains("1.13"), "{why}");
        assert!(keys.import(0, &key.bytes()[..20], theirs).is_err());
        assert!(keys.import(0, key.bytes(), theirs).is_ok_and(|before| before.is_none()));
        assert!(made(0, 1, ours, &[0; 300]).is_err());
    }

    #[test]
    fn a_probe_prefers_another_host() {
        let to = |me, apart: &[bool]| to_probe(JobRank(me), apart).0;
        assert_eq!(to(0, &[false]), 0);
        assert_eq!(to(1, &[false, false]), 0);
        assert_eq!(to(0, &[false, false, true, true]), 2);
        assert_eq!(to(3, &[true, true, false, false]), 0);
    }
}
