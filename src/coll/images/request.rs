//! The request of a call of GASNet-1's collectives, which is the same on all images.

use core::ffi::c_int;

use crate::coll::images::layout::Layout;
use crate::coll::operator::Operator;
use crate::fatal::usage;

/// A function of the table, with the arguments of a call.
#[derive(Clone, Copy)]
pub struct Reduction {
    pub operator: Operator,
    /// It does not commute.
    pub in_order: bool,
    pub func: c_int,
    pub arg: c_int,
}

/// A collective of GASNet-1. Roots are images of the team.
#[derive(Clone, Copy)]
pub enum Collective {
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
    /// Reduction of vectors of `count` elements, one of each image, element by element.
    Vectors {
        root: usize,
        count: usize,
        by: Reduction,
    },
    /// Reduction of the elements of one distributed array.
    Reduce {
        root: usize,
        source: Layout,
        by: Reduction,
    },
    Scan {
        dest: Layout,
        source: Layout,
        by: Reduction,
    },
}

impl Collective {
    /// The reduction of the array `source`: of one vector of each image if its block size is 0.
    pub(crate) fn reduction(call: &str, root: usize, source: Layout, by: Reduction) -> Collective {
        let Layout { block, offset, count, .. } = source;
        if block != 0 {
            return Collective::Reduce { root, source: source.checked(call, "src"), by };
        }
        if offset != 0 {
            usage!(
                call,
                "src_offset is {offset} and src_blksz 0, with which each image's vector is reduced, from its beginning"
            );
        }
        Collective::Vectors { root, count, by }
    }
}

/// The arguments of a call in a form that can be compared and described.
pub(crate) type RequestWords = [u64; 13];

/// Describes the arguments in `words`, for error messages.
pub(crate) fn describe(words: &RequestWords) -> String {
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
        SPLIT => return "any color and key".to_owned(),
        BROADCAST => return format!("root {root_rank}, nbytes {nbytes}"),
        _ => format!("dt {func:#x}, dt_sz {nbytes}, dt_cnt {count}, op {arg:#x}"),
    };
    if *kind > 7 { format!("{root}{what}") } else { format!("{root}{what}, flags {flags:#x}") }
}

/// Numbers of GASNet-EX's collectives, and of team creation.
pub(crate) const BARRIER: u64 = 8;
pub(crate) const BROADCAST: u64 = 9;
pub(crate) const ONE: u64 = 10;
pub(crate) const ALL: u64 = 11;
pub(crate) const SPLIT: u64 = 12;

/// The words of such a call: its root, the size of a block or element in bytes; and for reductions the number of
/// elements, the type and the operation.
pub(crate) fn words(kind: u64, root: u32, nbytes: usize, [count, dt, op]: [u64; 3]) -> RequestWords {
    [kind, root.into(), nbytes as u64, 0, dt, op, 0, 0, count, 0, 0, 0, 0]
}

/// A call.
#[derive(Clone, Copy)]
pub struct ImageRequest {
    pub call: &'static str,
    pub collective: Collective,
    /// The size of a block or an element, in bytes.
    pub nbytes: usize,
    pub flags: c_int,
    /// Debug clients: a hash of the addresses, if all images pass all addresses.
    pub addresses: u64,
}

impl ImageRequest {
    /// The lengths in bytes of an image's `dst` and `src`, in a team of `images` images; None if they exceed the
    /// address space.
    pub fn lengths(&self, image: usize, images: usize) -> Option<(usize, usize)> {
        let n = self.nbytes;
        let at = |root: usize, count: usize| if image == root { n.checked_mul(count) } else { Some(0) };
        Some(match self.collective {
            Collective::Broadcast { root } => (n, at(root, 1)?),
            Collective::Scatter { root } => (n, at(root, images)?),
            Collective::Gather { root } => (at(root, images)?, n),
            Collective::GatherAll => (n.checked_mul(images)?, n),
            Collective::Exchange => (n.checked_mul(images)?, n.checked_mul(images)?),
            Collective::Vectors { root, count, .. } => (at(root, count)?, n.checked_mul(count)?),
            Collective::Reduce { root, source, .. } => (at(root, 1)?, n.checked_mul(source.extent(image))?),
            Collective::Scan { dest, source, .. } => {
                (n.checked_mul(dest.extent(image))?, n.checked_mul(source.extent(image))?)
            }
        })
    }

    /// The request as words, which are equal on all images that make the same call.
    pub fn words(&self) -> RequestWords {
        let mut words = [0; 13];
        let head = |kind: u64, root: usize| [kind, root as u64];
        let layout = |of: Layout| [of.block as u64, of.offset as u64, of.count as u64];
        let function = |by: Reduction| [by.func as u32 as u64, by.arg as u32 as u64];
        let mut put = |from: usize, some: &[u64]| words[from..from + some.len()].copy_from_slice(some);
        put(2, &[self.nbytes as u64, self.flags as u32 as u64]);
        put(12, &[self.addresses]);
        match self.collective {
            Collective::Broadcast { root } => put(0, &head(0, root)),
            Collective::Scatter { root } => put(0, &head(1, root)),
            Collective::Gather { root } => put(0, &head(2, root)),
            Collective::GatherAll => put(0, &head(3, 0)),
            Collective::Exchange => put(0, &head(4, 0)),
            Collective::Vectors { root, count, by } => {
                put(0, &head(5, root));
                put(4, &function(by));
                put(8, &[count as u64]);
            }
            Collective::Reduce { root, source, by } => {
                put(0, &head(6, root));
                put(4, &function(by));
                put(6, &layout(source));
            }
            Collective::Scan { dest, source, by } => {
                put(0, &head(7, 0));
                put(4, &function(by));
                put(6, &layout(source));
                put(9, &layout(dest));
            }
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_call_say_its_arguments() {
        let broadcast = words(BROADCAST, 3, 40, [0; 3]);
        assert_eq!(describe(&broadcast), "root 3, nbytes 40");
        assert_eq!(describe(&words(ONE, 2, 8, [5, 16, 1])), "root 2, dt 0x10, dt_sz 8, dt_cnt 5, op 0x1");
        assert_eq!(describe(&words(ALL, 2, 8, [5, 16, 1])), "dt 0x10, dt_sz 8, dt_cnt 5, op 0x1");
        assert!(
            [words(BROADCAST, 4, 40, [0; 3]), words(BROADCAST, 3, 41, [0; 3])].iter().all(|other| *other != broadcast)
        );
    }
}
