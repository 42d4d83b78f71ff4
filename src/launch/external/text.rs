//! Binary values as text, for launchers whose values are text: six bits a character, with an alphabet that has no special
//! meaning in any version of PMI. Records have a length and a checksum, so that truncated or corrupt ones are detected.

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Length and checksum, before the record.
pub(crate) const HEAD: usize = 8;

/// `bytes` as text.
pub fn encoded(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(bytes.len().div_ceil(3) * 4);
    for part in bytes.chunks(3) {
        let word = part.iter().fold(0u32, |word, &byte| word << 8 | u32::from(byte)) << (8 * (3 - part.len()));
        text.extend((0..=part.len()).map(|nth| LETTERS[(word >> (18 - 6 * nth)) as usize & 63]));
    }
    text
}

/// The bytes that `text` encodes; `None`: it is malformed.
pub fn decoded(text: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 2);
    for part in text.chunks(4) {
        let mut word = 0u32;
        for &letter in part {
            word = word << 6 | LETTERS.iter().position(|&known| known == letter)? as u32;
        }
        word <<= 6 * (4 - part.len());
        let len = part.len() * 6 / 8;
        if len == 0 || word & (0xff_ffff >> (8 * len)) != 0 {
            return None;
        }
        bytes.extend_from_slice(&word.to_be_bytes()[1..=len]);
    }
    Some(bytes)
}

fn checksum(record: &[u8]) -> [u8; 4] {
    let hash = blake3::hash(record);
    let bytes = hash.as_bytes();
    [bytes[0], bytes[1], bytes[2], bytes[3]]
}

/// `record` with its head.
pub fn headed(record: &[u8]) -> Vec<u8> {
    [&(record.len() as u32).to_le_bytes()[..], &checksum(record), record].concat()
}

/// The bytes of a headed record that begins with `bytes`, its head included.
pub(crate) fn headed_bytes(bytes: &[u8]) -> Option<usize> {
    Some(HEAD + u32::from_le_bytes(*bytes.first_chunk()?) as usize)
}

/// The record in `headed`; `None`: it was truncated or is corrupt.
pub fn record(headed: &[u8]) -> Option<&[u8]> {
    let (head, record) = headed.split_first_chunk::<HEAD>()?;
    let whole = u32::from_le_bytes(*head.first_chunk()?) as usize == record.len();
    (whole && head[4..] == checksum(record)).then_some(record)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bytes_come_back_from_plain_text(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let text = encoded(&bytes);
            prop_assert!(text.iter().all(|c| c.is_ascii_alphanumeric() || b"-_".contains(c)));
            prop_assert_eq!(decoded(&text), Some(bytes));
        }

        #[test]
        fn one_text_stands_for_some_bytes(text in "[A-Za-z0-9_-]{0,40}") {
            if let Some(bytes) = decoded(text.as_bytes()) {
                prop_assert_eq!(encoded(&bytes), text.as_bytes());
            }
        }

        #[test]
        fn a_record_that_was_cut_or_garbled_is_found_out(
            bytes in proptest::collection::vec(any::<u8>(), 0..300), at in any::<prop::sample::Index>(), bit in 0..8,
        ) {
            let headed = headed(&bytes);
            prop_assert_eq!(headed_bytes(&headed), Some(headed.len()));
            prop_assert_eq!(record(&headed), Some(&*bytes));
            let at = at.index(headed.len());
            prop_assert_eq!(record(&headed[..at]), None);
            let mut garbled = headed.clone();
            garbled[at] ^= 1u8 << bit;
            prop_assert_eq!(record(&garbled), None);
        }
    }
}
