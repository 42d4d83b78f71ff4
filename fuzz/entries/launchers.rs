//! Input from other launchers: messages of PMI-1 and PMI-2, which ranks share a host, values of other ranks, the
//! note of a rendezvous.

use gasnet::internal::launch::external::{StepNote, WireMessage, field, local_peers, message_bytes, peers, text};

use super::input::Input;

pub fn run(data: &[u8]) {
    let mut input = Input::bytes(data);
    let kind = input.u8() % 6;
    let size = 1 + u32::from(input.u8());
    let me = u32::from(input.u8()) % size;
    let bytes = input.take(usize::MAX);
    let said = &*String::from_utf8_lossy(bytes);
    match kind {
        0 => shares(peers(said, me, size), me, size, |other| peers(said, other, size)),
        1 => shares(local_peers(said, me, size), me, size, |other| local_peers(said, other, size)),
        2 => {
            let message = WireMessage::new(bytes);
            assert!(message.command().len() <= said.len());
            assert!(message.field("value").is_none_or(|value| said.contains(value)));
        }
        3 => {
            if let Ok(Some(len)) = message_bytes(bytes) {
                assert!((6..=bytes.len()).contains(&len));
            }
            assert!(field(said, "value").is_none_or(|value| !value.contains(';')));
        }
        4 => {
            if let Some(decoded) = text::decoded(bytes) {
                assert_eq!(text::encoded(&decoded), bytes);
                assert!(text::record(&decoded).is_none_or(|record| text::headed(record) == decoded));
            }
        }
        _ => {
            if let Some(note) = StepNote::parse(said) {
                assert_eq!(StepNote::parse(&note.text()), Some(note));
            }
        }
    }
}

/// All ranks of a host agree on the list of its ranks.
fn shares(mine: Option<Vec<u32>>, me: u32, size: u32, of: impl Fn(u32) -> Option<Vec<u32>>) {
    let Some(mine) = mine else { return };
    assert!(mine.contains(&me) && mine.is_sorted() && mine.iter().all(|&rank| rank < size));
    for &other in mine.iter().take(3) {
        assert_eq!(of(other).as_ref(), Some(&mine));
    }
}
