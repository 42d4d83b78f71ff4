//! What a call of GASNet-1's collectives asks for: the same on all images.

use core::ffi::c_int;

use crate::coll::layout::Layout;
use crate::coll::operator::Operator;

/// `GASNET_COLL_*` flags.
pub mod flag {
    use core::ffi::c_int;

    pub const IN_NOSYNC: c_int = 1;
    pub const IN_MYSYNC: c_int = 2;
    pub const IN_ALLSYNC: c_int = 4;
    pub const OUT_NOSYNC: c_int = 8;
    pub const OUT_MYSYNC: c_int = 16;
    pub const OUT_ALLSYNC: c_int = 32;
    pub const SINGLE: c_int = 64;
    pub const LOCAL: c_int = 128;
    pub const AGGREGATE: c_int = 256;
    pub const DST_IN_SEGMENT: c_int = 1024;
    pub const SRC_IN_SEGMENT: c_int = 2048;
    pub const INCLUSIVE_SCAN: c_int = 0x10000;
    pub const EXCLUSIVE_SCAN: c_int = 0x20000;
    pub const NO_IMAGES: c_int = 0x80000;
}

/// A function of the table, as a call uses it.
#[derive(Clone, Copy)]
pub struct By {
    pub operator: Operator,
    /// It does not commute.
    pub in_order: bool,
    pub func: c_int,
    pub arg: c_int,
}

/// Which collective. Roots are images of the team.
#[derive(Clone, Copy)]
pub enum What {
    Broadcast {
        root: usize,
    },
    Scatter {
        root: usize,
    },
    Gather {
        root: usize,
    },
    GatherAll,
    Exchange,
    /// Every image's vector of `count` elements, element by element.
    Vectors {
        root: usize,
        count: usize,
        by: By,
    },
    /// The elements of one array.
    Reduce {
        root: usize,
        source: Layout,
        by: By,
    },
    Scan {
        dest: Layout,
        source: Layout,
        by: By,
    },
}

/// A call, to be compared and told.
pub type Words = [u64; 13];

/// What `words` say of the arguments, for a reader.
pub fn told(words: &Words) -> String {
    let [kind, root_rank, nbytes, flags, func, arg, block, offset, count, dst_block, dst_offset, ..] = words;
    let root = match *kind {
        0..=2 | 5 | 6 | ONE => format!("root {root_rank}, "),
        _ => String::new(),
    };
    let function = format!("func {}, func_arg {}", *func as i32, *arg as i32);
    let what = match *kind {
        0..=4 => format!("nbytes {nbytes}"),
        5 => format!("elem_size {nbytes}, elem_count {count}, {function}"),
        6 => format!("elem_size {nbytes}, elem_count {count}, src_blksz {block}, src_offset {offset}, {function}"),
        7 => format!(
            "elem_size {nbytes}, elem_count {count}, src_blksz {block}, src_offset {offset}, dst_blksz {dst_block}, dst_offset {dst_offset}, {function}"
        ),
        BARRIER => return "no arguments".to_owned(),
        SPLIT => return "whatever color and key".to_owned(),
        BROADCAST => return format!("root {root_rank}, nbytes {nbytes}"),
        _ => format!("dt {func:#x}, dt_sz {nbytes}, dt_cnt {count}, op {arg:#x}"),
    };
    if *kind > 7 { format!("{root}{what}") } else { format!("{root}{what}, flags {flags:#x}") }
}

/// Kinds of GASNet-EX's collectives, and of making teams.
pub const BARRIER: u64 = 8;
pub const BROADCAST: u64 = 9;
pub const ONE: u64 = 10;
pub const ALL: u64 = 11;
pub const SPLIT: u64 = 12;

/// A call of one of those: its root, the bytes of a block or an element; and for reductions the elements, type and
/// operation.
pub fn words(kind: u64, root: u32, nbytes: usize, [count, dt, op]: [u64; 3]) -> Words {
    [kind, root.into(), nbytes as u64, 0, dt, op, 0, 0, count, 0, 0, 0, 0]
}

/// A call.
#[derive(Clone, Copy)]
pub struct Asked {
    pub call: &'static str,
    pub what: What,
    /// Bytes of a block, or of an element.
    pub nbytes: usize,
    pub flags: c_int,
    /// Debug: a digest of addresses that all images give.
    pub addresses: u64,
}

impl Asked {
    /// Bytes at an image's `dst` and `src`, of `images`; None if they are more than an address space.
    pub fn lengths(&self, image: usize, images: usize) -> Option<(usize, usize)> {
        let n = self.nbytes;
        let at = |root: usize, count: usize| if image == root { n.checked_mul(count) } else { Some(0) };
        Some(match self.what {
            What::Broadcast { root } => (n, at(root, 1)?),
            What::Scatter { root } => (n, at(root, images)?),
            What::Gather { root } => (at(root, images)?, n),
            What::GatherAll => (n.checked_mul(images)?, n),
            What::Exchange => (n.checked_mul(images)?, n.checked_mul(images)?),
            What::Vectors { root, count, .. } => (at(root, count)?, n.checked_mul(count)?),
            What::Reduce { root, source, .. } => (at(root, 1)?, n.checked_mul(source.extent(image))?),
            What::Scan { dest, source, .. } => {
                (n.checked_mul(dest.extent(image))?, n.checked_mul(source.extent(image))?)
            }
        })
    }

    /// In words that are equal on all images that call the same.
    pub fn words(&self) -> Words {
        let mut words = [0; 13];
        let head = |kind: u64, root: usize| [kind, root as u64];
        let layout = |of: Layout| [of.block as u64, of.offset as u64, of.count as u64];
        let function = |by: By| [by.func as u32 as u64, by.arg as u32 as u64];
        let mut put = |from: usize, some: &[u64]| words[from..from + some.len()].copy_from_slice(some);
        put(2, &[self.nbytes as u64, self.flags as u32 as u64]);
        put(12, &[self.addresses]);
        match self.what {
            What::Broadcast { root } => put(0, &head(0, root)),
            What::Scatter { root } => put(0, &head(1, root)),
            What::Gather { root } => put(0, &head(2, root)),
            What::GatherAll => put(0, &head(3, 0)),
            What::Exchange => put(0, &head(4, 0)),
            What::Vectors { root, count, by } => {
                put(0, &head(5, root));
                put(4, &function(by));
                put(8, &[count as u64]);
            }
            What::Reduce { root, source, by } => {
                put(0, &head(6, root));
                put(4, &function(by));
                put(6, &layout(source));
            }
            What::Scan { dest, source, by } => {
                put(0, &head(7, 0));
                put(4, &function(by));
                put(6, &layout(source));
                put(9, &layout(dest));
            }
        }
        words
    }
}
