//! Text without the heap.

use core::ffi::c_int;
use core::fmt::Write;

/// Writes `bytes` to `fd`; gives up on errors.
pub(super) fn write_fd(fd: c_int, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        // SAFETY: the bytes are readable.
        match unsafe { libc::write(fd, bytes.as_ptr().cast(), bytes.len()) } {
            n if n > 0 => bytes = &bytes[n as usize..],
            _ if std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted => {}
            _ => return,
        }
    }
}

/// Text in a buffer on the stack; truncated to 256 bytes.
pub(super) struct Short(pub [u8; 256], pub usize);

impl Default for Short {
    fn default() -> Short {
        Short([0; 256], 0)
    }
}

impl Write for Short {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        let room = &mut self.0[self.1..];
        let taken = text.len().min(room.len());
        room[..taken].copy_from_slice(&text.as_bytes()[..taken]);
        self.1 += taken;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_not_overrun() {
        let mut text = Short::default();
        for _ in 0..100 {
            write!(text, "0123456789").unwrap();
        }
        assert_eq!(text.1, 256);
    }
}
