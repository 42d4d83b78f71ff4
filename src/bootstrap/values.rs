//! The values of an exchange: those of this rank for the next fence, and those of all ranks so far. A rank's offer is
//! encoded as a record: its rank in the job, the length of the rest, and for each value the lengths of key and value, then
//! key and value. Records are concatenated in any order, so that hosts and the master join them without parsing. Pure
//! functions; malformed bytes are rejected.

use crate::bootstrap::contract::{MOST_KEY, MOST_VALUE};
use crate::defs::rank::JobRank;

/// Bytes of a record before its values.
const RECORD_HEAD: usize = 8;
/// Bytes of a value before its key.
const VALUE_HEAD: usize = 3;

/// All values that a process has. For each fence and rank of the job: the bytes of its record and 4 bytes more, until the
/// start of the job is over.
#[derive(Default)]
pub struct Values {
    offer: Vec<u8>,
    fences: Vec<Fence>,
}

/// The records of one fence.
struct Fence {
    bytes: Vec<u8>,
    /// Where the values of each rank begin in `bytes`; `NONE` if it has offered none.
    starts: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Values {
    pub fn put(&mut self, key: &str, value: &[u8]) {
        let plain = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || b"-.".contains(&c);
        assert!((1..=MOST_KEY).contains(&key.len()) && key.bytes().all(plain), "not a key: '{key}'");
        assert!(value.len() <= MOST_VALUE, "{} bytes for '{key}'", value.len());
        self.offer.push(key.len() as u8);
        self.offer.extend_from_slice(&(value.len() as u16).to_le_bytes());
        self.offer.extend_from_slice(key.as_bytes());
        self.offer.extend_from_slice(value);
    }

    /// The record of the values put since the last call, as rank `me`; empty if there were none.
    pub fn take_offer(&mut self, me: JobRank) -> Vec<u8> {
        let values = std::mem::take(&mut self.offer);
        if values.is_empty() {
            return values;
        }
        let mut record = Vec::with_capacity(RECORD_HEAD + values.len());
        record.extend_from_slice(&me.0.to_le_bytes());
        record.extend_from_slice(&(values.len() as u32).to_le_bytes());
        record.extend_from_slice(&values);
        record
    }

    /// Adds the records of a fence among `size` ranks. False if the bytes are malformed.
    #[must_use]
    pub fn take_in(&mut self, bytes: Vec<u8>, size: u32) -> bool {
        if bytes.is_empty() {
            return true;
        }
        let mut starts = vec![NONE; size as usize];
        let mut at = 0;
        while at < bytes.len() {
            let Some((rank, values)) = record(&bytes[at..]) else { return false };
            let Some(start) = starts.get_mut(rank as usize) else { return false };
            *start = (at + RECORD_HEAD) as u32;
            at += RECORD_HEAD + values.len();
        }
        self.fences.push(Fence { bytes, starts });
        true
    }

    pub fn get(&self, of: JobRank, key: &str) -> Option<Vec<u8>> {
        self.fences.iter().rev().find_map(|fence| {
            let start = *fence.starts.get(of.index())?;
            let (_, mut values) = record(fence.bytes.get((start as usize).checked_sub(RECORD_HEAD)?..)?)?;
            let mut found = None;
            while let Some((name, value, rest)) = first(values) {
                if name == key.as_bytes() {
                    // The last value put under a key counts.
                    found = Some(value.to_vec());
                }
                values = rest;
            }
            found
        })
    }
}

/// The rank and the values of the record that `bytes` begins with.
fn record(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (head, rest) = bytes.split_first_chunk::<RECORD_HEAD>()?;
    let word = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    Some((word(0), rest.get(..word(4) as usize)?))
}

/// The first key and value, and the rest.
fn first(values: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let (&[key, low, high], rest) = values.split_first_chunk::<VALUE_HEAD>()?;
    let (name, rest) = rest.split_at_checked(key.into())?;
    let (value, rest) = rest.split_at_checked(u16::from_le_bytes([low, high]).into())?;
    Some((name, value, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The offers of some ranks as one fence.
    fn fenced(offers: &[(u32, &str, &[u8])], size: u32) -> Vec<u8> {
        let mut all = Vec::new();
        for rank in 0..size {
            let mut one = Values::default();
            offers.iter().filter(|offer| offer.0 == rank).for_each(|(_, key, value)| one.put(key, value));
            all.extend(one.take_offer(JobRank(rank)));
        }
        all
    }

    #[test]
    fn the_last_value_of_a_key_counts_and_others_stay() {
        let mut values = Values::default();
        assert!(values.take_in(fenced(&[(0, "a", b"1"), (0, "b", b""), (2, "a", b"3")], 3), 3));
        assert!(values.take_in(fenced(&[(0, "a", b"4"), (0, "a", b"5")], 3), 3));
        assert!(values.take_in(Vec::new(), 3));
        let get = |rank, key| values.get(JobRank(rank), key);
        assert_eq!(get(0, "a").unwrap(), b"5");
        assert_eq!(get(0, "b").unwrap(), b"");
        assert_eq!(get(2, "a").unwrap(), b"3");
        assert_eq!((get(1, "a"), get(2, "b"), get(3, "a"), get(0, "c")), (None, None, None, None));
    }

    #[test]
    fn records_of_ranks_that_the_job_lacks_are_refused() {
        assert!(!Values::default().take_in(fenced(&[(2, "a", b"1")], 3), 2));
    }

    #[test]
    #[should_panic(expected = "not a key")]
    fn a_key_has_plain_characters() {
        Values::default().put("A b", b"");
    }

    proptest! {
        #[test]
        fn any_bytes_are_records_or_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..100), size in 0u32..9) {
            let mut values = Values::default();
            let _ = values.take_in(bytes, size);
            for rank in 0..size {
                let _ = values.get(JobRank(rank), "a");
            }
        }

        #[test]
        fn values_come_back_as_they_were_put(value in proptest::collection::vec(any::<u8>(), 0..=MOST_VALUE), rank in 0u32..5) {
            let mut values = Values::default();
            prop_assert!(values.take_in(fenced(&[(rank, "some.key-1", &value)], 5), 5));
            prop_assert_eq!(values.get(JobRank(rank), "some.key-1"), Some(value));
        }
    }
}
