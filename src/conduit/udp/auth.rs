//! Authentication: every datagram ends with a tag that only holders of the job's secret can compute. Keys are derived
//! from the secret by BLAKE3, one for each ordered pair of ranks; the nonce is the packet number, which a sender uses
//! once for each receiver. Small datagrams use AEGIS-128L, which has the lower latency, large ones AEGIS-128X2, which
//! has the higher throughput.
//!
//! # Safety
//! Large datagrams lie partly in client memory, which others may write while it is read: the cipher's C library gets
//! addresses and lengths of it, never a slice.
#![allow(unsafe_code)]

use super::wire::{PLAIN, TAG};
use core::ffi::{c_int, c_void};

use crate::defs::rank::JobRank;
use crate::mem::Src;
use aegis::aegis128l::Aegis128L;
use aegis::aegis128x2::{Aegis128X2, Aegis128X2Mac};

/// Datagrams longer than this, without the tag, use AEGIS-128X2.
pub(crate) const LARGE: usize = 2048;

/// The job's secret, which rank 0 distributes through the bootstrap.
#[derive(Clone)]
pub struct Secret(pub [u8; 32]);

/// The keys of one direction between two ranks.
#[derive(Clone)]
pub struct AuthKey {
    small: [u8; 16],
    large: [u8; 16],
}

pub(crate) type Tag = [u8; TAG];

fn nonce(packet: u64) -> [u8; 16] {
    let mut nonce = [0; 16];
    nonce[..8].copy_from_slice(&packet.to_le_bytes());
    nonce
}

unsafe extern "C" {
    /// The function of the crate's C library that `Aegis128X2Mac::update` calls.
    fn aegis128x2_mac_update(state: *mut c_void, bytes: *const u8, len: usize) -> c_int;
}

// The crate's type is the C library's state and nothing else.
const _: () = assert!(size_of::<Aegis128X2Mac<TAG>>() == 704 && align_of::<Aegis128X2Mac<TAG>>() == 64);

/// `mac.update` for memory that others may write, of which no slice may be made.
fn update(mac: &mut Aegis128X2Mac<TAG>, bytes: Src<'_>) {
    // The C code copies from the address of 0 bytes, too, by memcpy, which null is not allowed for.
    if bytes.is_empty() {
        return;
    }
    // SAFETY: the state is the library's own (above), and `bytes` is mapped for its length (`Src::new`). The C code accepts
    // any bytes.
    unsafe { aegis128x2_mac_update((&raw mut *mac).cast(), bytes.as_ptr(), bytes.len()) };
}

/// Compares in constant time.
fn same(a: &Tag, b: &Tag) -> bool {
    u128::from_ne_bytes(*a) ^ u128::from_ne_bytes(*b) == 0
}

impl AuthKey {
    /// The key of datagrams from `from` to `to`.
    pub fn derive(secret: &Secret, from: JobRank, to: JobRank, encrypted: bool) -> AuthKey {
        let mut hasher = blake3::Hasher::new_keyed(&secret.0);
        hasher.update(if encrypted { b"udp encrypted" } else { b"udp in clear " });
        hasher.update(&from.0.to_le_bytes());
        hasher.update(&to.0.to_le_bytes());
        let mut bytes = [0; 32];
        hasher.finalize_xof().fill(&mut bytes);
        let (mut small, mut large) = ([0; 16], [0; 16]);
        small.copy_from_slice(&bytes[..16]);
        large.copy_from_slice(&bytes[16..]);
        AuthKey { small, large }
    }

    /// The tag of a datagram in clear that lies in one piece.
    #[inline]
    pub fn tag(&self, packet: u64, bytes: &[u8]) -> Tag {
        if bytes.len() <= LARGE {
            return Aegis128L::<TAG>::new(&self.small, &nonce(packet)).encrypt_in_place(&mut [], bytes);
        }
        self.tag_of_two(packet, Src::of(bytes), Src::none())
    }

    /// The tag of a datagram in clear that lies in two pieces and is longer than [`LARGE`]. If the pieces are
    /// written meanwhile, the tag is undefined.
    pub fn tag_of_two(&self, packet: u64, first: Src<'_>, second: Src<'_>) -> Tag {
        let mut mac = Aegis128X2Mac::<TAG>::new_with_nonce(&self.large, &nonce(packet));
        update(&mut mac, first);
        update(&mut mac, second);
        mac.finalize()
    }

    #[inline]
    pub fn verify(&self, packet: u64, bytes: &[u8], tag: &Tag) -> bool {
        same(&self.tag(packet, bytes), tag)
    }

    /// Encrypts all but the plain part of the header in place.
    pub fn seal(&self, packet: u64, bytes: &mut [u8]) -> Tag {
        let large = bytes.len() > LARGE;
        let (plain, body) = bytes.split_at_mut(PLAIN);
        if large {
            Aegis128X2::<TAG>::new(&self.large, &nonce(packet)).encrypt_in_place(body, plain)
        } else {
            Aegis128L::<TAG>::new(&self.small, &nonce(packet)).encrypt_in_place(body, plain)
        }
    }

    /// Decrypts bytes that [`AuthKey::seal`] encrypted. False if the tag does not match; the bytes are then undefined.
    pub fn open(&self, packet: u64, bytes: &mut [u8], tag: &Tag) -> bool {
        let large = bytes.len() > LARGE;
        let (plain, body) = bytes.split_at_mut(PLAIN);
        if large {
            Aegis128X2::<TAG>::new(&self.large, &nonce(packet)).decrypt_in_place(body, tag, plain).is_ok()
        } else {
            Aegis128L::<TAG>::new(&self.small, &nonce(packet)).decrypt_in_place(body, tag, plain).is_ok()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(from: u32, to: u32, encrypted: bool) -> AuthKey {
        AuthKey::derive(&Secret([9; 32]), JobRank(from), JobRank(to), encrypted)
    }

    #[test]
    fn a_tag_fits_one_direction_one_packet_number_and_every_byte() {
        for len in [40, 100, LARGE, LARGE + 1, 60000] {
            let mut bytes: Vec<u8> = (0..len).map(|i| i as u8).collect();
            let tag = key(1, 2, false).tag(5, &bytes);
            assert!(key(1, 2, false).verify(5, &bytes, &tag));
            assert!(!key(2, 1, false).verify(5, &bytes, &tag));
            assert!(!key(1, 3, false).verify(5, &bytes, &tag));
            assert!(!key(1, 2, true).verify(5, &bytes, &tag));
            assert!(!key(1, 2, false).verify(6, &bytes, &tag));
            assert!(!AuthKey::derive(&Secret([8; 32]), JobRank(1), JobRank(2), false).verify(5, &bytes, &tag));
            for at in [0, len / 2, len - 1] {
                bytes[at] ^= 1;
                assert!(!key(1, 2, false).verify(5, &bytes, &tag));
                bytes[at] ^= 1;
            }
        }
    }

    #[test]
    fn two_pieces_have_the_tag_of_the_whole() {
        let bytes: Vec<u8> = (0..9000).map(|i| (i * 7) as u8).collect();
        for cut in [0, 1, 56, 130, 9000] {
            assert_eq!(
                key(0, 1, false).tag_of_two(3, Src::of(&bytes[..cut]), Src::of(&bytes[cut..])),
                key(0, 1, false).tag(3, &bytes)
            );
        }
    }

    #[test]
    fn what_is_sealed_opens_once_unchanged() {
        for len in [PLAIN, 40, LARGE, LARGE + 1] {
            let clear: Vec<u8> = (0..len).map(|i| i as u8).collect();
            let mut bytes = clear.clone();
            let tag = key(0, 1, true).seal(7, &mut bytes);
            assert_eq!(bytes[..PLAIN], clear[..PLAIN]);
            assert!(len == PLAIN || bytes != clear);
            let mut changed = bytes.clone();
            changed[0] ^= 1;
            assert!(!key(0, 1, true).open(7, &mut changed, &tag));
            assert!(!key(0, 1, true).open(8, &mut bytes.clone(), &tag));
            assert!(key(0, 1, true).open(7, &mut bytes, &tag));
            assert_eq!(bytes, clear);
        }
    }
}
