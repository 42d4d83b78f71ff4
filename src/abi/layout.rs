//! The structs and constants that inline C shares with Rust, for `make headers` to write as asserts into layout.h.

use super::hot::*;
use super::types::*;
use core::mem::{offset_of, size_of};

/// A struct as rustc laid it out.
pub struct Shared {
    pub name: &'static str,
    pub size: usize,
    pub fields: &'static [(&'static str, usize)],
}

/// Destructuring without `..` makes a field that is not listed a compile error.
macro_rules! shared {
    ($($name:ident { $($field:ident),* $(,)? })*) => {
        pub const TABLE: &[Shared] = &[$(Shared {
            name: stringify!($name),
            size: size_of::<$name>(),
            fields: &[$((stringify!($field), offset_of!($name, $field))),*],
        }),*];
        $(const _: fn($name) = |all| { let $name { $($field: _),* } = all; };)*
    };
}

shared! {
    gasnet_seginfo_t { addr, size }
    gasnet_nodeinfo_t { host, supernode, offset }
    gasneti_hot_t { mynode, nodes, bias, serial, debug, all_direct, reserved }
}

/// Constants whose value cbindgen cannot read from the source.
pub const CONSTS: &[(&str, isize)] = &[("GASNETI_NOT_DIRECT", GASNETI_NOT_DIRECT)];
