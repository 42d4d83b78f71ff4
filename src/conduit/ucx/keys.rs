//! Keys of memory: a rank publishes where its segment is, and the key that UCX has packed for it.

use crate::conduit::Key;
use crate::defs::rank::JobRank;
use crate::shims::ucx::UcxKey;

/// Bytes before the packed key: where the memory is, how long it is, and the version of UCX.
const BEFORE: usize = 24;

/// A key of a peer's memory.
pub(crate) struct ImportedKey {
    pub ep: u16,
    pub start: usize,
    pub bytes: usize,
    pub packed: Box<[u8]>,
    pub unpacked: Option<UcxKey>,
}

/// The keys of a peer, of one endpoint or a few.
#[derive(Default)]
pub(crate) struct UcxKeys(pub Vec<ImportedKey>);

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
