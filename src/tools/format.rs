//! Texts for error messages about lists of addresses, vectors, strides and EX's bit sets.

use std::fmt::Write;

/// The maximum number of bytes of a list entry, and of the text around a list.
const ENTRY: usize = 64;
const FRAME: usize = 64;

/// A buffer that holds the text of a list of `count` entries.
pub(crate) fn list_bufsz(count: usize) -> usize {
    count * ENTRY + FRAME
}

pub(crate) fn addresses(list: impl Iterator<Item = usize>, len: usize) -> String {
    let mut text = String::from("[");
    for (i, addr) in list.enumerate() {
        let _ = write!(text, "{}{addr:#x}", if i == 0 { "" } else { ", " });
    }
    let _ = write!(text, "] of {len} bytes each");
    text
}

pub(crate) fn vectors(list: impl Iterator<Item = (usize, usize)>) -> String {
    let mut text = String::from("[");
    for (i, (addr, len)) in list.enumerate() {
        let _ = write!(text, "{}{{{addr:#x}, {len}}}", if i == 0 { "" } else { ", " });
    }
    text.push(']');
    text
}

pub(crate) fn numbers(list: impl Iterator<Item = i128>) -> String {
    let mut text = String::from("[");
    for (i, number) in list.enumerate() {
        let _ = write!(text, "{}{number}", if i == 0 { "" } else { ", " });
    }
    text.push(']');
    text
}

/// The names of the bits of `value`, with the rest as a number.
pub(crate) fn bits(value: u32, names: &[(u32, &str)]) -> String {
    let mut parts = Vec::new();
    let mut rest = value;
    for &(bit, name) in names {
        if rest & bit == bit {
            parts.push(name.to_string());
            rest &= !bit;
        }
    }
    if rest != 0 || parts.is_empty() {
        parts.push(format!("{rest:#x}"));
    }
    parts.join("|")
}

pub(crate) const DATA_TYPES: [(u32, &str); 7] = [
    (0x1, "GEX_DT_I32"),
    (0x2, "GEX_DT_U32"),
    (0x4, "GEX_DT_I64"),
    (0x8, "GEX_DT_U64"),
    (0x10, "GEX_DT_FLT"),
    (0x20, "GEX_DT_DBL"),
    (0x40, "GEX_DT_USER"),
];

pub(crate) const TOKEN_FIELDS: [(u32, &str); 5] = [
    (0x1, "GEX_TI_SRCRANK"),
    (0x2, "GEX_TI_ENTRY"),
    (0x4, "GEX_TI_IS_REQ"),
    (0x8, "GEX_TI_IS_LONG"),
    (0x10, "GEX_TI_EP"),
];

pub(crate) const OPERATIONS: [(u32, &str); 27] = [
    (1 << 0, "GEX_OP_AND"),
    (1 << 1, "GEX_OP_OR"),
    (1 << 2, "GEX_OP_XOR"),
    (1 << 3, "GEX_OP_ADD"),
    (1 << 4, "GEX_OP_SUB"),
    (1 << 5, "GEX_OP_MULT"),
    (1 << 6, "GEX_OP_MIN"),
    (1 << 7, "GEX_OP_MAX"),
    (1 << 8, "GEX_OP_INC"),
    (1 << 9, "GEX_OP_DEC"),
    (1 << 10, "GEX_OP_SET"),
    (1 << 11, "GEX_OP_CAS"),
    (1 << 15, "GEX_OP_FAND"),
    (1 << 16, "GEX_OP_FOR"),
    (1 << 17, "GEX_OP_FXOR"),
    (1 << 18, "GEX_OP_FADD"),
    (1 << 19, "GEX_OP_FSUB"),
    (1 << 20, "GEX_OP_FMULT"),
    (1 << 21, "GEX_OP_FMIN"),
    (1 << 22, "GEX_OP_FMAX"),
    (1 << 23, "GEX_OP_FINC"),
    (1 << 24, "GEX_OP_FDEC"),
    (1 << 25, "GEX_OP_SWAP"),
    (1 << 26, "GEX_OP_FCAS"),
    (1 << 27, "GEX_OP_GET"),
    (1 << 30, "GEX_OP_USER"),
    (1 << 31, "GEX_OP_USER_NC"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_list_fits_its_buffer() {
        let many = || std::iter::repeat_n(usize::MAX, 100);
        assert!(addresses(many(), usize::MAX).len() < list_bufsz(100));
        assert!(vectors(many().zip(many())).len() < list_bufsz(100));
        assert!(numbers(std::iter::repeat_n(i64::MIN as i128, 100)).len() < list_bufsz(100));
    }

    #[test]
    fn unknown_bits_are_shown_as_a_number() {
        assert_eq!(bits(0x81, &DATA_TYPES), "GEX_DT_I32|0x80");
        assert_eq!(bits(0, &DATA_TYPES), "0x0");
    }
}
