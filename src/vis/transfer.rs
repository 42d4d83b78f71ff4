//! A transfer: both sides together.

use super::grid::Block;
use super::kernel;
use super::list::{self, List, Place};
use super::shape::Shape;

/// Where bytes go and where they come from, in addresses of the rank that has each. Bytes are matched in the order of the
/// lists, or by their place in the block.
#[derive(Clone, Copy, Debug)]
pub enum Transfer<'a> {
    /// The lists stay where they are until the operation is synchronised.
    Lists {
        dst: List<'static>,
        src: List<'static>,
    },
    Block(Block<'a>),
}

impl Transfer<'_> {
    /// No bytes at all.
    pub const NOTHING: Transfer<'static> = Transfer::Lists { dst: List::EMPTY, src: List::EMPTY };

    /// Both sides are without any piece.
    pub fn is_nothing(&self) -> bool {
        matches!(self, Transfer::Lists { dst, src } if dst.count() == 0 && src.count() == 0)
    }

    /// Bytes of each side, destination first; None if that is beyond any memory.
    pub fn totals(&self) -> (Option<usize>, Option<usize>) {
        match self {
            Transfer::Lists { dst, src } => (dst.total(), src.total()),
            Transfer::Block(block) => (Some(block.total()), Some(block.total())),
        }
    }

    /// About how many runs are contiguous on both sides.
    pub fn runs(&self) -> usize {
        match self {
            Transfer::Lists { dst, src } => dst.count().max(src.count()),
            Transfer::Block(block) => block.total() / block.elem,
        }
    }

    /// Where the destination lies: its first piece that is not empty, or all of a block; and its length.
    pub fn dst_place(&self) -> Option<(usize, usize)> {
        match self {
            Transfer::Lists { dst, .. } => first(*dst),
            Transfer::Block(block) => Some(len_of(block.dst_span())),
        }
    }

    /// As `dst_place`, of the source.
    pub fn src_place(&self) -> Option<(usize, usize)> {
        match self {
            Transfer::Lists { src, .. } => first(*src),
            Transfer::Block(block) => Some(len_of(block.src_span())),
        }
    }

    pub fn dst_shape(&self) -> Shape<'static> {
        match self {
            Transfer::Lists { dst, .. } => Shape::List(*dst),
            Transfer::Block(block) => Shape::Grid(block.dst_grid()),
        }
    }

    pub fn src_shape(&self) -> Shape<'static> {
        match self {
            Transfer::Lists { src, .. } => Shape::List(*src),
            Transfer::Block(block) => Shape::Grid(block.src_grid()),
        }
    }

    /// Copies everything, where both sides are mapped here at a bias. False if one side has more than the other; of that
    /// only what both have was copied.
    pub fn copy(&self, dst_bias: isize, src_bias: isize) -> bool {
        match *self {
            Transfer::Block(block) => {
                let (dst, src) = (block.dst.wrapping_add_signed(dst_bias), block.src.wrapping_add_signed(src_bias));
                kernel::block(&Block { dst, src, ..block });
                true
            }
            Transfer::Lists { dst, src } => match (dst.equal_len(), src.equal_len()) {
                (Some(len), Some(other)) if len == other => {
                    kernel::pieces(dst, dst_bias, src, src_bias, len);
                    dst.count() == src.count() || len == 0
                }
                _ => list::common(dst, src, |to, from, len| {
                    kernel::one(to.wrapping_add_signed(dst_bias), from.wrapping_add_signed(src_bias), len)
                }),
            },
        }
    }

    /// Calls `run` with (to, from, length) of every run that is contiguous on both sides.
    pub fn each_run(&self, mut run: impl FnMut(usize, usize, usize)) {
        match self {
            Transfer::Lists { dst, src } => {
                list::common(*dst, *src, run);
            }
            Transfer::Block(block) => kernel::odometer(block.dims, |to, from| {
                run(block.dst.wrapping_add_signed(to), block.src.wrapping_add_signed(from), block.elem);
            }),
        }
    }
}

fn first(list: List<'_>) -> Option<(usize, usize)> {
    list.from(Place::default()).next().map(|(_, at, len)| (at, len))
}

fn len_of((start, end): (usize, usize)) -> (usize, usize) {
    (start, end.wrapping_sub(start))
}
