//! A transfer: both sides together.

use super::grid::StridedBlock;
use super::kernel;
use super::list::{self, Cursor, List};
use super::shape::Shape;
use crate::sync::atomic::{Ordering, fence};

/// The destination and source of a transfer, in addresses of the rank that owns each. Bytes are paired in the order
/// of the lists, or by their position in the block.
#[derive(Clone, Copy, Debug)]
pub enum VisTransfer<'a> {
    /// The lists remain valid until the operation is synchronised.
    Lists {
        dst: List<'static>,
        src: List<'static>,
    },
    Block(StridedBlock<'a>),
}

impl VisTransfer<'_> {
    /// An empty transfer.
    pub const NOTHING: VisTransfer<'static> = VisTransfer::Lists { dst: List::EMPTY, src: List::EMPTY };

    /// Whether neither side has a piece.
    pub fn is_nothing(&self) -> bool {
        matches!(self, VisTransfer::Lists { dst, src } if dst.count() == 0 && src.count() == 0)
    }

    /// The lengths of the two sides in bytes, destination first; None if one exceeds the address space.
    pub fn totals(&self) -> (Option<usize>, Option<usize>) {
        match self {
            VisTransfer::Lists { dst, src } => (dst.total(), src.total()),
            VisTransfer::Block(block) => (Some(block.total()), Some(block.total())),
        }
    }

    /// The approximate number of runs that are contiguous on both sides.
    pub fn runs(&self) -> usize {
        match self {
            VisTransfer::Lists { dst, src } => dst.count().max(src.count()),
            VisTransfer::Block(block) => block.total() / block.elem,
        }
    }

    /// An address range of the destination: its first nonempty piece, or the whole extent of a block.
    pub fn dst_place(&self) -> Option<(usize, usize)> {
        match self {
            VisTransfer::Lists { dst, .. } => first(*dst),
            VisTransfer::Block(block) => Some(len_of(block.dst_span())),
        }
    }

    /// As `dst_place`, of the source.
    pub fn src_place(&self) -> Option<(usize, usize)> {
        match self {
            VisTransfer::Lists { src, .. } => first(*src),
            VisTransfer::Block(block) => Some(len_of(block.src_span())),
        }
    }

    pub fn dst_shape(&self) -> Shape<'static> {
        match self {
            VisTransfer::Lists { dst, .. } => Shape::List(*dst),
            VisTransfer::Block(block) => Shape::Grid(block.dst_grid()),
        }
    }

    pub fn src_shape(&self) -> Shape<'static> {
        match self {
            VisTransfer::Lists { src, .. } => Shape::List(*src),
            VisTransfer::Block(block) => Shape::Grid(block.src_grid()),
        }
    }

    /// Copies all data; both sides are mapped here, each with a bias. Returns false if the sides differ in length,
    /// after copying the common part.
    #[inline]
    pub fn copy(&self, dst_bias: isize, src_bias: isize) -> bool {
        let equal = match *self {
            VisTransfer::Block(ref block) => {
                kernel::block(block, dst_bias, src_bias);
                true
            }
            VisTransfer::Lists { dst, src } => copy_lists(dst, dst_bias, src, src_bias),
        };
        // As `mem::copy_out` and `mem::copy_in`: one of the sides is another rank's.
        fence(Ordering::AcqRel);
        equal
    }

    /// Calls `run` with (to, from, length) of every run that is contiguous on both sides.
    pub fn each_run(&self, mut run: impl FnMut(usize, usize, usize)) {
        match self {
            VisTransfer::Lists { dst, src } => {
                list::common(*dst, *src, run);
            }
            VisTransfer::Block(block) => kernel::odometer(block.dims, |to, from| {
                run(block.dst.wrapping_add_signed(to), block.src.wrapping_add_signed(from), block.elem);
            }),
        }
    }
}

#[inline(never)]
fn copy_lists(dst: List<'_>, dst_bias: isize, src: List<'_>, src_bias: isize) -> bool {
    match (dst.equal_len(), src.equal_len()) {
        (Some(len), Some(other)) if len == other => {
            kernel::pieces(dst, dst_bias, src, src_bias, len);
            dst.count() == src.count() || len == 0
        }
        _ => list::common(dst, src, |to, from, len| {
            kernel::one(to.wrapping_add_signed(dst_bias), from.wrapping_add_signed(src_bias), len)
        }),
    }
}

fn first(list: List<'_>) -> Option<(usize, usize)> {
    list.from(Cursor::default()).next().map(|(_, at, len)| (at, len))
}

fn len_of((start, end): (usize, usize)) -> (usize, usize) {
    (start, end.wrapping_sub(start))
}
