//! One side of a transfer, a list or a grid: splitting into parts that fit a message, describing parts in words,
//! packing, unpacking.

use super::grid::{Grid, GridStep};
use super::kernel;
use super::list::{Cursor, List};
use crate::mem::{self, Dst, Src};
use crate::vis::grid::PieceRow;

#[derive(Clone, Debug)]
pub enum Shape<'a> {
    List(List<'a>),
    Grid(Grid),
}

/// The space in a message, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    pub most: usize,
    /// Description and data share the space (a put); otherwise each has this space for itself (a get).
    pub shared: bool,
}

impl Budget {
    /// The space for data if the description has this number of words.
    fn beside(self, words: usize) -> usize {
        let used = words * WORD;
        if used > self.most {
            return 0;
        }
        if self.shared { self.most - used } else { self.most }
    }
}

pub(crate) const WORD: usize = size_of::<u64>();
/// The smallest space that can hold a description and one byte.
pub(crate) const LEAST: usize = 8 * WORD;

// The first word of a description: the form, and the number of entries or dimensions.
const PIECES: u64 = 0;
const EQUAL: u64 = 1;
const GRID: u64 = 2;
const FORM_BITS: u32 = 2;

impl<'a> Shape<'a> {
    /// The total length in bytes; None if it exceeds the address space.
    #[cfg(test)]
    pub fn total(&self) -> Option<usize> {
        match self {
            Shape::List(list) => list.total(),
            Shape::Grid(grid) => Some(grid.total()),
        }
    }

    /// The start address, if it is a single run.
    pub fn contiguous(&self) -> Option<usize> {
        match self {
            Shape::Grid(grid) => grid.steps.is_empty().then_some(grid.at),
            Shape::List(list) => {
                let mut pieces = list.from(Cursor::default());
                let (_, start, len) = pieces.next()?;
                let mut end = start.wrapping_add(len);
                for (_, at, len) in pieces {
                    if at != end {
                        return None;
                    }
                    end = end.wrapping_add(len);
                }
                Some(start)
            }
        }
    }

    /// Calls `row` with the pieces of the `nbytes` bytes from `place` on; returns the place of their end.
    pub fn walk(&self, place: Cursor, nbytes: usize, mut row: impl FnMut(PieceRow)) -> Cursor {
        match self {
            Shape::Grid(grid) => grid.walk(place, nbytes, row),
            Shape::List(list) => {
                let mut left = nbytes;
                let mut end = place;
                for (index, at, len) in list.from(place) {
                    if left == 0 {
                        break;
                    }
                    let part = len.min(left);
                    row(PieceRow::one(at, part));
                    left -= part;
                    let done = if index == place.entry { place.skip } else { 0 } + part;
                    end = if part < len {
                        Cursor { entry: index, skip: done }
                    } else {
                        Cursor { entry: index + 1, skip: 0 }
                    };
                }
                end
            }
        }
    }

    /// The place of the end of the `nbytes` bytes from `place` on.
    pub fn advance(&self, place: Cursor, nbytes: usize) -> Cursor {
        match self {
            Shape::Grid(_) => Cursor { entry: place.entry + nbytes, skip: 0 },
            Shape::List(_) => self.walk(place, nbytes, |_| {}),
        }
    }

    /// Packs the bytes from `place` on into `into`; returns the place of their end.
    pub fn pack(&self, place: Cursor, into: Dst<'_>) -> Cursor {
        let mut to = into.as_ptr().expose_provenance();
        self.walk(place, into.len(), |row| {
            kernel::row(PieceRow { at: to, stride: row.len as isize, ..row }, row);
            to += row.bytes();
        })
    }

    /// Unpacks the bytes of `from` to this side from `place` on; returns the place of their end.
    pub fn unpack(&self, place: Cursor, from: Src<'_>) -> Cursor {
        let mut at = from.as_ptr().expose_provenance();
        self.walk(place, from.len(), |row| {
            kernel::row(row, PieceRow { at, stride: row.len as isize, ..row });
            at += row.bytes();
        })
    }

    /// Writes to `words` a description of the part from `place` on that fits into `budget`; returns its length in
    /// bytes, and the place of its end. `total` is the total length.
    pub fn describe(&self, place: Cursor, total: usize, budget: Budget, words: &mut Vec<u64>) -> (usize, Cursor) {
        words.clear();
        match self {
            Shape::List(list) => describe_list(*list, place, budget, words),
            Shape::Grid(grid) => describe_grid(grid, place, total - place.entry, budget, words),
        }
    }
}

fn head(form: u64, count: usize) -> u64 {
    form | (count as u64) << FORM_BITS
}

fn describe_list(list: List<'_>, place: Cursor, budget: Budget, words: &mut Vec<u64>) -> (usize, Cursor) {
    let equal = list.equal_len();
    words.push(0);
    if let Some(len) = equal {
        words.extend([len as u64, 0]);
    }
    let (fixed, size) = (words.len(), if equal.is_some() { 1 } else { 2 });
    let (mut data, mut end) = (0, place);
    for (index, at, len) in list.from(place) {
        let room = budget.beside(words.len() + size).saturating_sub(data);
        if room == 0 || (words.len() + size) * WORD > budget.most {
            break;
        }
        let skip = if index == place.entry { place.skip } else { 0 };
        let part = len.min(room);
        match equal {
            Some(_) => {
                if words.len() == fixed {
                    words[2] = skip as u64;
                }
                words.push(at.wrapping_sub(skip) as u64);
            }
            None => words.extend([at as u64, part as u64]),
        }
        data += part;
        end =
            if part < len { Cursor { entry: index, skip: skip + part } } else { Cursor { entry: index + 1, skip: 0 } };
        if part < len {
            break;
        }
    }
    words[0] = head(if equal.is_some() { EQUAL } else { PIECES }, (words.len() - fixed) / size);
    (data, end)
}

fn describe_grid(grid: &Grid, place: Cursor, left: usize, budget: Budget, words: &mut Vec<u64>) -> (usize, Cursor) {
    let needs = 4 + 2 * grid.steps.len();
    let nbytes;
    if needs * WORD <= budget.most / 2 {
        words.extend([head(GRID, grid.steps.len()), grid.at as u64, grid.elem as u64, place.entry as u64]);
        words.extend(grid.steps.iter().flat_map(|step| [step.count as u64, step.stride as u64]));
        nbytes = whole(left.min(budget.beside(needs)), grid, place.entry);
    } else {
        // With this number of dimensions a list of runs is shorter.
        let runs = if budget.shared {
            (budget.most - WORD) / (2 * WORD + grid.elem)
        } else {
            ((budget.most - WORD) / (2 * WORD)).min(budget.most / grid.elem)
        };
        // The first and the last run may be partial.
        let most =
            if runs > 2 { (runs - 2) * grid.elem } else { budget.beside(5).min(grid.elem - place.entry % grid.elem) };
        nbytes = left.min(most);
        words.push(0);
        grid.walk(place, nbytes, |row| {
            for index in 0..row.count {
                let at = row.at.wrapping_add_signed(row.stride.wrapping_mul(index as isize));
                words.extend([at as u64, row.len as u64]);
            }
        });
        words[0] = head(PIECES, (words.len() - 1) / 2);
    }
    (nbytes, Cursor { entry: place.entry + nbytes, skip: 0 })
}

/// The largest length up to `most`, from `done` on, that ends with a row, or else with an element, or else `most`.
fn whole(most: usize, grid: &Grid, done: usize) -> usize {
    [grid.row_bytes(), grid.elem]
        .into_iter()
        .map(|unit| (done + most) / unit * unit)
        .find(|&end| end > done)
        .map_or(most, |end| end - done)
}

/// Parses the description in a message: returns the shape, the place at which the bytes start, and the length of
/// the description; None if it is malformed.
pub(crate) fn described(message: Src<'_>) -> Option<(Shape<'_>, Cursor, usize)> {
    let word = |index: usize| {
        let mut bytes = [0; WORD];
        let at = index.checked_mul(WORD).filter(|at| message.len() >= WORD && *at <= message.len() - WORD)?;
        mem::read(&mut bytes, message.part(at, WORD));
        Some(u64::from_ne_bytes(bytes) as usize)
    };
    let first = word(0)? as u64;
    let count = (first >> FORM_BITS) as usize;
    let entries = |from: usize, size: usize| {
        let len = count.checked_mul(size * WORD)?;
        let used = (from * WORD).checked_add(len).filter(|used| *used <= message.len())?;
        Some((message.part(from * WORD, len), used))
    };
    match first & ((1 << FORM_BITS) - 1) {
        PIECES => {
            let (list, used) = entries(1, 2)?;
            Some((Shape::List(List::received(list, None)), Cursor::default(), used))
        }
        EQUAL => {
            let (len, skip) = (word(1)?, word(2)?);
            let (list, used) = entries(3, 1)?;
            Some((Shape::List(List::received(list, Some(len))), Cursor { entry: 0, skip }, used))
        }
        GRID => {
            let (_, used) = entries(4, 2)?;
            let mut steps = Vec::with_capacity(count);
            for index in 0..count {
                steps.push(GridStep { count: word(4 + 2 * index)?, stride: word(5 + 2 * index)? as isize });
            }
            let (elem, entry) = (word(2)?, word(3)?);
            let sane = elem > 0 && steps.iter().all(|step| step.count > 0);
            let grid = Grid { at: word(1)?, elem, steps };
            sane.then_some((Shape::Grid(grid), Cursor { entry, skip: 0 }, used))
        }
        _ => None,
    }
}
