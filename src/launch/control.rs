//! The TCP connection between the master and the warden of a host. It carries frames, each with a length, an encrypted
//! body and a tag. Both sides send a nonce first; the keys of a connection come from the job's secret and both nonces,
//! one for each direction, and a frame's number is the nonce of its cipher, so that a frame from another connection,
//! of the other direction or out of order is rejected. The frames are defined in frame.rs. No I/O here. For any bytes,
//! memory is bounded by the limit that the caller sets.

mod frame;

pub(crate) use frame::{ANY_SEAT, Death};
pub use frame::{Assign, Frame, Hello, WardenAddress};

use aegis::aegis128l::Aegis128L;

use crate::os::process;

/// The job's secret, from which all keys come.
pub type JobSecret = [u8; 32];
pub(crate) type Nonce = [u8; 32];

/// The first bytes of each direction; the last byte is the version of the protocol.
pub(crate) const MAGIC: [u8; 8] = *b"gasnet\0\x06";
/// Magic and nonce.
pub const OPENING_BYTES: usize = MAGIC.len() + size_of::<Nonce>();
/// The largest body before the other side has shown that it knows the secret.
pub const STRANGER_BYTES: usize = 1024;
/// The largest body after that; the largest content is an environment.
pub(crate) const MEMBER_BYTES: usize = 64 << 20;

const TAG_BYTES: usize = 16;
const LENGTH_BYTES: usize = 4;

/// A key for `purpose`, derived from the job's secret.
pub(crate) fn derived(secret: &JobSecret, purpose: &str) -> JobSecret {
    *blake3::keyed_hash(secret, purpose.as_bytes()).as_bytes()
}

/// Random bytes from the kernel.
pub(crate) fn random() -> std::io::Result<[u8; 32]> {
    let mut bytes = [0; 32];
    process::random(&mut bytes)?;
    Ok(bytes)
}

pub fn opening(nonce: &Nonce) -> [u8; OPENING_BYTES] {
    let mut bytes = [0; OPENING_BYTES];
    bytes[..MAGIC.len()].copy_from_slice(&MAGIC);
    bytes[MAGIC.len()..].copy_from_slice(nonce);
    bytes
}

/// The nonce in the other side's opening.
pub fn opened(bytes: &[u8; OPENING_BYTES]) -> Result<Nonce, Bad> {
    let (magic, nonce) = bytes.split_at(MAGIC.len());
    if magic != MAGIC {
        return Err(Bad::Version);
    }
    nonce.try_into().map_err(|_| Bad::Version)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Master,
    Worker,
}

/// The reason why bytes are rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bad {
    /// The other side is not this library, or another version of it.
    Version,
    /// A frame that is longer than allowed.
    Long,
    /// Not made with the job's secret, or changed, repeated or reordered on the way.
    Tag,
    /// Made with the secret, but malformed.
    Form,
}

/// One direction of a connection.
struct Direction {
    key: [u8; 16],
    frames: u64,
}

impl Direction {
    fn new(secret: &JobSecret, from: Side, master: &Nonce, worker: &Nonce) -> Direction {
        let mut hash = blake3::Hasher::new_keyed(secret);
        let from: &[u8] = if from == Side::Master { b"control: master" } else { b"control: worker" };
        for part in [from, master, worker] {
            hash.update(part);
        }
        let mut key = [0; 16];
        hash.finalize_xof().fill(&mut key);
        Direction { key, frames: 0 }
    }

    /// The cipher of the next frame; the pair of key and nonce is used once.
    fn cipher(&mut self) -> Aegis128L<TAG_BYTES> {
        let mut nonce = [0; 16];
        nonce[..8].copy_from_slice(&self.frames.to_le_bytes());
        self.frames += 1;
        Aegis128L::new(&self.key, &nonce)
    }
}

/// Encodes and encrypts frames.
pub struct Sealer(Direction);

impl Sealer {
    pub fn new(secret: &JobSecret, me: Side, master: &Nonce, worker: &Nonce) -> Sealer {
        Sealer(Direction::new(secret, me, master, worker))
    }

    /// Appends `frame` to `out`.
    pub fn seal(&mut self, frame: &Frame, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&[0; LENGTH_BYTES]);
        frame.write(out);
        let length = ((out.len() - start - LENGTH_BYTES) as u32).to_le_bytes();
        out[start..start + LENGTH_BYTES].copy_from_slice(&length);
        let tag = self.0.cipher().encrypt_in_place(&mut out[start + LENGTH_BYTES..], &length);
        out.extend_from_slice(&tag);
    }
}

/// Decrypts and decodes frames from bytes, which may arrive in pieces of any size.
pub struct Opener {
    way: Direction,
    bytes: Vec<u8>,
    used: usize,
    limit: usize,
}

impl Opener {
    /// `me` is the reading side. Bodies are at most `STRANGER_BYTES` until `trust` is called.
    pub fn new(secret: &JobSecret, me: Side, master: &Nonce, worker: &Nonce) -> Opener {
        let other = if me == Side::Master { Side::Worker } else { Side::Master };
        Opener { way: Direction::new(secret, other, master, worker), bytes: Vec::new(), used: 0, limit: STRANGER_BYTES }
    }

    pub fn trust(&mut self) {
        self.limit = MEMBER_BYTES;
    }

    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.used);
        self.used = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// The next frame, if it has arrived completely. After an error the connection must not be used.
    pub fn next_frame(&mut self) -> Result<Option<Frame>, Bad> {
        let Some((&length, rest)) = self.bytes[self.used..].split_first_chunk::<LENGTH_BYTES>() else {
            return Ok(None);
        };
        let body_bytes = u32::from_le_bytes(length) as usize;
        if body_bytes > self.limit {
            return Err(Bad::Long);
        }
        let Some(&tag) = rest.get(body_bytes..).and_then(<[u8]>::first_chunk::<TAG_BYTES>) else { return Ok(None) };
        let start = self.used + LENGTH_BYTES;
        let body = &mut self.bytes[start..start + body_bytes];
        self.way.cipher().decrypt_in_place(body, &tag, &length).map_err(|_| Bad::Tag)?;
        self.used = start + body_bytes + TAG_BYTES;
        Frame::read(body).map(Some).ok_or(Bad::Form)
    }
}

#[cfg(test)]
#[path = "control_tests.rs"]
mod tests;
