//! Debug clients: checks whether pieces of a destination overlap, in which case the result would be undefined, and whether
//! dimensions that must be nested are nested.

use super::grid::{Dim, StridedBlock};
use super::kernel::odometer;
use super::list::{Cursor, List};
use super::transfer::VisTransfer;
use crate::fatal::usage;

/// The maximum number of pieces of a block that are checked one by one.
const MOST_PIECES: usize = 1 << 20;

/// An address that would be written twice, if there is one.
pub(crate) fn written_twice(transfer: &VisTransfer<'_>) -> Option<usize> {
    match transfer {
        VisTransfer::Block(block) => in_block(block),
        VisTransfer::Lists { dst, .. } => in_list(*dst),
    }
}

/// On both sides, each stride is at least the extent of the dimensions below it.
#[cold]
pub(crate) fn check_nested(call: &str, elem: usize, dims: &[Dim]) {
    for (what, stride_of) in [("dststrides", (|dim| dim.dst) as fn(&Dim) -> isize), ("srcstrides", |dim| dim.src)] {
        let mut room = elem as isize;
        for (level, dim) in dims.iter().enumerate().filter(|(_, dim)| dim.count > 1) {
            let stride = stride_of(dim);
            if stride < room {
                usage!(call, "{what}[{level}] is {stride}, less than the {room} bytes within it");
            }
            room = stride.saturating_mul(dim.count as isize);
        }
    }
}

fn in_list(list: List<'_>) -> Option<usize> {
    shared(list.from(Cursor::default()).map(|(_, at, len)| (at, len)).collect())
}

fn in_block(block: &StridedBlock<'_>) -> Option<usize> {
    let mut reach = block.elem;
    let mut nested = true;
    // Dimensions are sorted by stride here, and strides are not negative.
    for dim in block.dims {
        nested &= dim.dst.unsigned_abs() >= reach;
        reach = reach.saturating_add(dim.dst.unsigned_abs().saturating_mul(dim.count - 1));
    }
    if nested || block.total() / block.elem > MOST_PIECES {
        return None;
    }
    let mut pieces = Vec::with_capacity(block.total() / block.elem);
    odometer(block.dims, |to, _| pieces.push((block.dst.wrapping_add_signed(to), block.elem)));
    shared(pieces)
}

fn shared(mut pieces: Vec<(usize, usize)>) -> Option<usize> {
    pieces.sort_unstable();
    pieces.windows(2).find(|pair| pair[0].0 + pair[0].1 > pair[1].0).map(|pair| pair[1].0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(elem: usize, dims: &mut [Dim]) -> Option<usize> {
        in_block(&StridedBlock::new(1000, 5000, elem, dims))
    }
    fn dim(count: usize, dst: isize) -> Dim {
        Dim { count, dst, src: 1 << 10 }
    }

    #[test]
    fn rows_that_reach_into_each_other_are_found() {
        assert_eq!(of(8, &mut [dim(4, 8)]), None);
        assert_eq!(of(8, &mut [dim(4, 7)]), Some(1007));
        assert_eq!(of(8, &mut [dim(4, -7)]), Some(1000 - 14));
        assert_eq!(of(8, &mut [dim(2, 0)]), Some(1000));
        assert_eq!(of(8, &mut [dim(1, 0)]), None);
    }

    #[test]
    fn planes_may_lie_between_rows() {
        // Byte 3 * i + 5 * k for i below 5 and k below 3: each once.
        assert_eq!(of(1, &mut [dim(5, 3), dim(3, 5)]), None);
        assert_eq!(of(1, &mut [dim(6, 3), dim(4, 5)]), Some(1015));
    }
}
