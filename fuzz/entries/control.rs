//! The control connection between a host and the master: before and behind the proof of the secret.

use gasnet::internal::bootstrap::values::Values;
use gasnet::internal::defs::rank::JobRank;
use gasnet::internal::launch::control;
use gasnet::internal::launch::control::{Bad, Frame, Opener, STRANGER_BYTES, Sealer, Side};

use super::gauge;
use super::input::Input;

const SECRET: control::JobSecret = [7; 32];

fn ways() -> (Sealer, Opener) {
    (Sealer::new(&SECRET, Side::Worker, &[1; 32], &[2; 32]), Opener::new(&SECRET, Side::Master, &[1; 32], &[2; 32]))
}

pub fn run(data: &[u8]) {
    let mut input = Input::bytes(data);
    match input.u8() % 4 {
        0 => stranger(input),
        1 => body(input.take(usize::MAX)),
        2 => members(input),
        _ => {
            let mut opening = [0; control::OPENING_BYTES];
            let bytes = input.take(opening.len());
            opening[..bytes.len()].copy_from_slice(bytes);
            if let Ok(nonce) = control::opened(&opening) {
                assert_eq!(control::opening(&nonce), opening);
            }
        }
    }
}

/// No frame of an unauthenticated peer is accepted, and little of it is stored.
fn stranger(mut input: Input<'_>) {
    let (_, mut opener) = ways();
    gauge::reset();
    gauge::inside(|| {
        while !input.is_spent() {
            let len = 1 + usize::from(input.u8());
            opener.push(input.take(len));
            match opener.next_frame() {
                Ok(None) => {}
                Ok(Some(frame)) => panic!("believed: {frame:?}"),
                Err(bad) => return assert!(matches!(bad, Bad::Long | Bad::Tag)),
            }
        }
    });
    let most = 4 * (STRANGER_BYTES as isize + 512);
    assert!(gauge::held().1 <= most, "a stranger takes {} bytes", gauge::held().1);
}

/// Any body is refused, or is a frame that is written as no more bytes, which are the same frame; reading reserves no
/// more than a multiple of the bytes that came. As the records of an exchange any bytes are refused, or give values
/// of ranks that the job has.
fn body(bytes: &[u8]) {
    let mut values = Values::default();
    if values.take_in(bytes.to_vec(), 8) {
        for value in (0..9).filter_map(|rank| values.get(JobRank(rank), "udp.at")) {
            assert!(value.len() < bytes.len());
        }
    }
    gauge::reset();
    let frame = gauge::inside(|| Frame::read(bytes));
    assert!(gauge::held().1 <= 4096 + 128 * bytes.len() as isize, "{} bytes for {}", gauge::held().1, bytes.len());
    if let Some(frame) = frame {
        let mut again = Vec::new();
        frame.write(&mut again);
        assert!(again.len() <= bytes.len());
        assert_eq!(Frame::read(&again), Some(frame));
    }
}

/// Frames of members arrive in order, however the stream is split; after a change in transit no further frame arrives.
fn members(mut input: Input<'_>) {
    let (mut sealer, mut opener) = ways();
    opener.trust();
    let (mut frames, mut bytes, mut ends) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..input.u8() % 8 {
        let len = usize::from(input.u8());
        let frame = Frame::read(input.take(len)).unwrap_or(Frame::Alive);
        sealer.seal(&frame, &mut bytes);
        frames.push(frame);
        ends.push(bytes.len());
    }
    let mut good = bytes.len();
    let (at, change) = (usize::from(input.u16()), input.u8());
    if change != 0 && at < bytes.len() {
        bytes[at] ^= change;
        good = at;
    }
    let whole = ends.iter().filter(|&&end| end <= good).count();
    let (mut got, mut rest) = (0, &bytes[..]);
    let mut believed = |opener: &mut Opener| loop {
        match opener.next_frame() {
            Ok(Some(frame)) => {
                assert_eq!(frame, frames[got]);
                got += 1;
            }
            Ok(None) => return true,
            Err(_) => return false,
        }
    };
    while !rest.is_empty() {
        let (piece, more) = rest.split_at(rest.len().min(1 + usize::from(input.u8())));
        rest = more;
        opener.push(piece);
        if !believed(&mut opener) {
            break;
        }
    }
    assert_eq!(got, whole);
}
