//! One side of a transfer, whichever form it has: cut into what fits a message, described in words, packed, unpacked.

use super::grid::{Grid, Step};
use super::kernel::{self, Row};
use super::list::{List, Place};
use crate::mem::{self, Dst, Src};

#[derive(Clone, Debug)]
pub enum Shape<'a> {
    List(List<'a>),
    Grid(Grid),
}

/// What a message has room for, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    pub most: usize,
    /// Description and data share it (a put); else each has as much (a get).
    pub shared: bool,
}

impl Budget {
    /// Room for data beside a description of so many words.
    fn beside(self, words: usize) -> usize {
        let used = words * WORD;
        if used > self.most {
            return 0;
        }
        if self.shared { self.most - used } else { self.most }
    }
}

pub const WORD: usize = size_of::<u64>();
/// A budget below this has no room for a description and a byte.
pub const LEAST: usize = 8 * WORD;

// The first word of a description: the form, and how many entries or steps.
const PIECES: u64 = 0;
const EQUAL: u64 = 1;
const GRID: u64 = 2;
const FORM_BITS: u32 = 2;

impl<'a> Shape<'a> {
    /// Bytes of it; None if that is beyond any memory.
    pub fn total(&self) -> Option<usize> {
        match self {
            Shape::List(list) => list.total(),
            Shape::Grid(grid) => Some(grid.total()),
        }
    }

    /// How many contiguous runs it has.
    pub fn runs(&self) -> usize {
        match self {
            Shape::List(list) => list.count(),
            Shape::Grid(grid) => grid.total() / grid.elem,
        }
    }

    /// Where it starts, if all of it is one run.
    pub fn contiguous(&self) -> Option<usize> {
        match self {
            Shape::Grid(grid) => grid.steps.is_empty().then_some(grid.at),
            Shape::List(list) => {
                let mut pieces = list.from(Place::default());
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

    /// Calls `row` with the pieces of the `nbytes` bytes from `place` on; returns where they end.
    pub fn walk(&self, place: Place, nbytes: usize, mut row: impl FnMut(Row)) -> Place {
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
                    row(Row::one(at, part));
                    left -= part;
                    let done = if index == place.entry { place.skip } else { 0 } + part;
                    end = if part < len {
                        Place { entry: index, skip: done }
                    } else {
                        Place { entry: index + 1, skip: 0 }
                    };
                }
                end
            }
        }
    }

    /// Where the `nbytes` bytes from `place` on end.
    pub fn advance(&self, place: Place, nbytes: usize) -> Place {
        match self {
            Shape::Grid(_) => Place { entry: place.entry + nbytes, skip: 0 },
            Shape::List(_) => self.walk(place, nbytes, |_| {}),
        }
    }

    /// Fills `into` with the bytes from `place` on; returns where they end.
    pub fn pack(&self, place: Place, into: Dst<'_>) -> Place {
        let mut to = into.as_ptr().expose_provenance();
        self.walk(place, into.len(), |row| {
            kernel::row(Row { at: to, stride: row.len as isize, ..row }, row);
            to += row.bytes();
        })
    }

    /// Puts the bytes of `from` where this has them from `place` on; returns where they end.
    pub fn unpack(&self, place: Place, from: Src<'_>) -> Place {
        let mut at = from.as_ptr().expose_provenance();
        self.walk(place, from.len(), |row| {
            kernel::row(row, Row { at, stride: row.len as isize, ..row });
            at += row.bytes();
        })
    }

    /// Describes in `words` what comes from `place` on, as much as `budget` has room for; returns how many bytes that
    /// is, and where they end. `total` is the whole's.
    pub fn describe(&self, place: Place, total: usize, budget: Budget, words: &mut Vec<u64>) -> (usize, Place) {
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

fn describe_list(list: List<'_>, place: Place, budget: Budget, words: &mut Vec<u64>) -> (usize, Place) {
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
        end = if part < len { Place { entry: index, skip: skip + part } } else { Place { entry: index + 1, skip: 0 } };
        if part < len {
            break;
        }
    }
    words[0] = head(if equal.is_some() { EQUAL } else { PIECES }, (words.len() - fixed) / size);
    (data, end)
}

fn describe_grid(grid: &Grid, place: Place, left: usize, budget: Budget, words: &mut Vec<u64>) -> (usize, Place) {
    let needs = 4 + 2 * grid.steps.len();
    let nbytes;
    if needs * WORD <= budget.most / 2 {
        words.extend([head(GRID, grid.steps.len()), grid.at as u64, grid.elem as u64, place.entry as u64]);
        words.extend(grid.steps.iter().flat_map(|step| [step.count as u64, step.stride as u64]));
        nbytes = whole(left.min(budget.beside(needs)), grid, place.entry);
    } else {
        // So many dimensions that a list of runs is shorter.
        let runs = if budget.shared {
            (budget.most - WORD) / (2 * WORD + grid.elem)
        } else {
            ((budget.most - WORD) / (2 * WORD)).min(budget.most / grid.elem)
        };
        // Two of the runs may be parts.
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
    (nbytes, Place { entry: place.entry + nbytes, skip: 0 })
}

/// The most bytes up to `most` that end with a row from `done` on, or with an element, or else `most`.
fn whole(most: usize, grid: &Grid, done: usize) -> usize {
    [grid.row_bytes(), grid.elem]
        .into_iter()
        .map(|unit| (done + most) / unit * unit)
        .find(|&end| end > done)
        .map_or(most, |end| end - done)
}

/// What a message describes: the shape, where in it its bytes start, and the length of the description. None: it does not
/// say anything sensible.
pub fn described(message: Src<'_>) -> Option<(Shape<'_>, Place, usize)> {
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
            Some((Shape::List(List::received(list, None)), Place::default(), used))
        }
        EQUAL => {
            let (len, skip) = (word(1)?, word(2)?);
            let (list, used) = entries(3, 1)?;
            Some((Shape::List(List::received(list, Some(len))), Place { entry: 0, skip }, used))
        }
        GRID => {
            let (_, used) = entries(4, 2)?;
            let mut steps = Vec::with_capacity(count);
            for index in 0..count {
                steps.push(Step { count: word(4 + 2 * index)?, stride: word(5 + 2 * index)? as isize });
            }
            let (elem, entry) = (word(2)?, word(3)?);
            let sane = elem > 0 && steps.iter().all(|step| step.count > 0);
            let grid = Grid { at: word(1)?, elem, steps };
            sane.then_some((Shape::Grid(grid), Place { entry, skip: 0 }, used))
        }
        _ => None,
    }
}
