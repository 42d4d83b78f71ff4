//! Strided regions. A transfer between two of them is a [`StridedBlock`]: its dimensions are sorted by stride, and
//! adjacent dimensions are merged where both sides are contiguous. One side is a [`Grid`].

use super::list::Cursor;

/// `count` pieces of `len` bytes: the first at `at`, each `stride` bytes after the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieceRow {
    pub(super) at: usize,
    pub(super) stride: isize,
    pub(super) count: usize,
    pub(super) len: usize,
}

impl PieceRow {
    pub(super) fn one(at: usize, len: usize) -> PieceRow {
        PieceRow { at, stride: 0, count: 1, len }
    }

    pub(super) fn bytes(self) -> usize {
        self.count * self.len
    }
}

/// A dimension of a transfer: its extent, and its strides in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Dim {
    pub count: usize,
    pub dst: isize,
    pub src: isize,
}

/// A transfer of `elem` contiguous bytes for every combination of indices of `dims`; the first index varies
/// fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StridedBlock<'a> {
    pub dst: usize,
    pub src: usize,
    pub elem: usize,
    pub dims: &'a [Dim],
}

impl<'a> StridedBlock<'a> {
    /// The same bytes with dimensions sorted by stride. No count is 0, nor is `elem`.
    #[inline]
    pub fn new(dst: usize, src: usize, elem: usize, dims: &'a mut [Dim]) -> StridedBlock<'a> {
        if is_normal(elem, dims) {
            return StridedBlock { dst, src, elem, dims };
        }
        StridedBlock::normal(dst, src, elem, dims)
    }

    #[inline(never)]
    fn normal(mut dst: usize, mut src: usize, mut elem: usize, dims: &'a mut [Dim]) -> StridedBlock<'a> {
        let mut live = 0;
        for index in 0..dims.len() {
            let mut dim = dims[index];
            if dim.count <= 1 {
                continue;
            }
            if dim.dst < 0 {
                let last = dim.count as isize - 1;
                dst = dst.wrapping_add_signed(dim.dst.wrapping_mul(last));
                src = src.wrapping_add_signed(dim.src.wrapping_mul(last));
                dim = Dim { count: dim.count, dst: dim.dst.wrapping_neg(), src: dim.src.wrapping_neg() };
            }
            // Insertion sort: there are few dimensions, and most are in order.
            let mut at = live;
            while at > 0 && (dims[at - 1].dst, dims[at - 1].src.unsigned_abs()) > (dim.dst, dim.src.unsigned_abs()) {
                dims[at] = dims[at - 1];
                at -= 1;
            }
            dims[at] = dim;
            live += 1;
        }
        let dims = &mut dims[..live];
        let mut kept = 0;
        for index in 0..dims.len() {
            let dim = dims[index];
            if kept == 0 && dim.dst == elem as isize && dim.src == elem as isize {
                elem *= dim.count;
                continue;
            }
            if let Some(last) = dims[..kept].last_mut() {
                let span = last.count as isize;
                if dim.dst == last.dst.wrapping_mul(span) && dim.src == last.src.wrapping_mul(span) {
                    last.count *= dim.count;
                    continue;
                }
            }
            dims[kept] = dim;
            kept += 1;
        }
        let dims: &'a [Dim] = &dims[..kept];
        StridedBlock { dst, src, elem, dims }
    }

    pub fn total(&self) -> usize {
        self.dims.iter().fold(self.elem, |total, dim| total * dim.count)
    }

    /// The first address that it writes, and one past the last.
    pub fn dst_span(&self) -> (usize, usize) {
        span(self.dst, self.elem, self.dims.iter().map(|dim| (dim.count, dim.dst)))
    }

    /// The first address that it reads, and one past the last.
    pub fn src_span(&self) -> (usize, usize) {
        span(self.src, self.elem, self.dims.iter().map(|dim| (dim.count, dim.src)))
    }

    pub fn dst_grid(&self) -> Grid {
        Grid::new(self.dst, self.elem, self.dims.iter().map(|dim| GridStep { count: dim.count, stride: dim.dst }))
    }

    pub fn src_grid(&self) -> Grid {
        Grid::new(self.src, self.elem, self.dims.iter().map(|dim| GridStep { count: dim.count, stride: dim.src }))
    }
}

/// Whether `StridedBlock::normal` would leave them as they are, as most clients' are.
#[inline]
fn is_normal(elem: usize, dims: &[Dim]) -> bool {
    let mut before = (0, 0);
    let mut joins = (elem as isize, elem as isize);
    dims.iter().all(|dim| {
        let strides = (dim.dst, dim.src.unsigned_abs());
        let normal = dim.count > 1 && strides >= before && (dim.dst, dim.src) != joins;
        before = strides;
        joins = (dim.dst.wrapping_mul(dim.count as isize), dim.src.wrapping_mul(dim.count as isize));
        normal
    })
}

fn span(at: usize, elem: usize, dims: impl Iterator<Item = (usize, isize)>) -> (usize, usize) {
    let (mut first, mut last) = (at, at);
    for (count, stride) in dims {
        let reach = stride.wrapping_mul(count as isize - 1);
        let side = if stride < 0 { &mut first } else { &mut last };
        *side = side.wrapping_add_signed(reach);
    }
    (first, last.wrapping_add(elem))
}

/// A dimension of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct GridStep {
    pub count: usize,
    pub stride: isize,
}

/// One side of a block, in the same order; adjacent dimensions are merged where this side is contiguous.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    pub at: usize,
    pub elem: usize,
    pub steps: Vec<GridStep>,
}

impl Grid {
    /// No count is 0, nor is `elem`.
    pub fn new(at: usize, elem: usize, steps: impl Iterator<Item = GridStep>) -> Grid {
        let mut grid = Grid { at, elem, steps: Vec::with_capacity(steps.size_hint().0) };
        for step in steps {
            match grid.steps.last_mut() {
                None if step.stride == grid.elem as isize => grid.elem *= step.count,
                Some(last) if step.stride == last.stride.wrapping_mul(last.count as isize) => last.count *= step.count,
                _ => grid.steps.push(step),
            }
        }
        grid
    }

    #[cfg(test)]
    pub fn total(&self) -> usize {
        self.steps.iter().fold(self.elem, |total, step| total * step.count)
    }

    /// Bytes of a whole innermost row.
    pub fn row_bytes(&self) -> usize {
        self.steps.first().map_or(self.elem, |step| self.elem * step.count)
    }

    /// Calls `row` with the pieces of the `nbytes` bytes from `place` on, which must exist; returns the place of
    /// their end.
    pub fn walk(&self, place: Cursor, nbytes: usize, mut row: impl FnMut(PieceRow)) -> Cursor {
        let end = Cursor { entry: place.entry + nbytes, skip: 0 };
        let Some(inner) = self.steps.first() else {
            row(PieceRow::one(self.at.wrapping_add(place.entry), nbytes));
            return end;
        };
        let mut few = [0; 8];
        let mut many = Vec::new();
        let index = match few.get_mut(..self.steps.len()) {
            Some(index) => index,
            None => {
                many.resize(self.steps.len(), 0);
                &mut many[..]
            }
        };
        let (mut at, mut skip, mut whole) = (self.at, place.entry % self.elem, place.entry / self.elem);
        for (index, step) in index.iter_mut().zip(&self.steps) {
            *index = whole % step.count;
            whole /= step.count;
            at = at.wrapping_add_signed(step.stride.wrapping_mul(*index as isize));
        }
        let mut left = nbytes;
        while left > 0 {
            let count;
            if skip > 0 || left < self.elem {
                let len = (self.elem - skip).min(left);
                row(PieceRow::one(at.wrapping_add(skip), len));
                left -= len;
                skip += len;
                if skip < self.elem {
                    break;
                }
                skip = 0;
                count = 1;
            } else {
                count = (inner.count - index[0]).min(left / self.elem);
                row(PieceRow { at, stride: inner.stride, count, len: self.elem });
                left -= count * self.elem;
            }
            at = at.wrapping_add_signed(inner.stride.wrapping_mul(count as isize));
            index[0] += count;
            for level in 0..self.steps.len() {
                let step = self.steps[level];
                if index[level] < step.count {
                    break;
                }
                index[level] = 0;
                at = at.wrapping_add_signed(step.stride.wrapping_mul(step.count as isize).wrapping_neg());
                let Some(next) = self.steps.get(level + 1) else { break };
                index[level + 1] += 1;
                at = at.wrapping_add_signed(next.stride);
            }
        }
        end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_dimensions_in_normal_form_are_left_as_they_are() {
        let strides = [-16, -8, 0, 4, 8, 16, 24];
        let mut all = Vec::new();
        for count in 1..4 {
            all.extend(strides.iter().flat_map(|&dst| strides.map(|src| Dim { count, dst, src })));
        }
        for &first in &all {
            for &second in &all {
                let (mut seen, mut sorted) = ([first, second], [first, second]);
                assert_eq!(StridedBlock::new(0, 0, 8, &mut seen), StridedBlock::normal(0, 0, 8, &mut sorted));
            }
        }
    }
}
