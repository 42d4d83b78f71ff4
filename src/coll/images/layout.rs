//! Block-cyclic distribution of arrays over the images of a team.

use crate::fatal::usage;

/// An array of `count` elements that starts at element `offset` of a block-cyclic distribution. If the block size
/// is 0, the whole array is on image `offset`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    pub block: usize,
    pub offset: usize,
    pub count: usize,
    pub images: usize,
}

/// Elements that are consecutive both in the array and in the memory of one image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Run {
    /// The index of the first element in the memory of the image.
    pub at: usize,
    /// The index of the first element in the array.
    pub first: usize,
    pub len: usize,
}

impl Layout {
    /// This layout; ends the job if its arguments, whose names begin with `which`, contradict each other.
    pub(crate) fn checked(self, call: &str, which: &str) -> Layout {
        let Layout { block, offset, count, images } = self;
        if block == 0 && offset >= images {
            usage!(
                call,
                "{which}_offset {offset} is not below the number of images of the team, {images}, and selects the image of the array if {which}_blksz is 0"
            );
        }
        if offset.checked_add(count).and_then(|end| end.checked_add(block)).is_none() {
            usage!(call, "{which}_offset {offset} and elem_count {count} exceed the address space");
        }
        self
    }

    /// The numbers of the first block and of the one after the last.
    fn blocks(&self) -> (usize, usize) {
        match (self.count, self.block) {
            (0, _) => (0, 0),
            (_, 0) => (self.offset, self.offset + 1),
            (count, block) => (self.offset / block, (self.offset + count).div_ceil(block)),
        }
    }

    /// The image of a block, and the run of elements in that block.
    fn run(&self, number: usize) -> (usize, Run) {
        let Layout { block, offset, count, images } = *self;
        if block == 0 {
            return (offset, Run { at: 0, first: 0, len: count });
        }
        let from = (number * block).max(offset);
        let to = ((number + 1) * block).min(offset + count);
        (number % images, Run { at: number / images * block + from % block, first: from - offset, len: to - from })
    }

    /// All runs, in the order of the array, each with its image.
    pub fn all_runs(&self) -> impl Iterator<Item = (usize, Run)> + use<> {
        let layout = *self;
        let (first, end) = layout.blocks();
        (first..end).map(move |number| layout.run(number))
    }

    /// The runs of one image, in the order of the array.
    pub fn runs(&self, image: usize) -> impl Iterator<Item = Run> + use<> {
        let layout = *self;
        let (first, end) = layout.blocks();
        let step = if layout.block == 0 { 1 } else { layout.images };
        let skip = match layout.block {
            0 if image == layout.offset => 0,
            0 => end,
            _ => (image + layout.images - first % layout.images) % layout.images,
        };
        (first + skip..end.max(first + skip)).step_by(step).map(move |number| layout.run(number).1)
    }

    /// The number of elements in the memory of an image up to the last one that belongs to the array.
    pub fn extent(&self, image: usize) -> usize {
        self.runs(image).last().map_or(0, |run| run.at + run.len)
    }

    /// The number of elements of the array on an image.
    pub fn owned(&self, image: usize) -> usize {
        self.runs(image).map(|run| run.len).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition of the distribution, for one element.
    fn oracle(layout: Layout, element: usize) -> (usize, usize) {
        if layout.block == 0 {
            return (layout.offset, element);
        }
        let place = layout.offset + element;
        let number = place / layout.block;
        (number % layout.images, number / layout.images * layout.block + place % layout.block)
    }

    #[test]
    fn runs_have_every_element_once_where_it_is() {
        for images in 1..6 {
            for block in 0..5 {
                for offset in 0..(if block == 0 { images } else { 13 }) {
                    for count in 0..24 {
                        let layout = Layout { block, offset, count, images };
                        let mut found = Vec::new();
                        for image in 0..images {
                            let mut extent = 0;
                            let before = found.len();
                            for run in layout.runs(image) {
                                for step in 0..run.len {
                                    found.push((run.first + step, (image, run.at + step)));
                                    extent = extent.max(run.at + step + 1);
                                }
                            }
                            assert_eq!(layout.extent(image), extent, "{layout:?} {image}");
                            assert_eq!(layout.owned(image), found.len() - before);
                        }
                        found.sort_unstable();
                        let wanted: Vec<_> = (0..count).map(|element| (element, oracle(layout, element))).collect();
                        assert_eq!(found, wanted, "{layout:?}");
                        let in_order: Vec<_> = layout
                            .all_runs()
                            .flat_map(|(image, run)| {
                                (0..run.len).map(move |step| (run.first + step, (image, run.at + step)))
                            })
                            .collect();
                        assert_eq!(in_order, wanted, "{layout:?}");
                    }
                }
            }
        }
    }
}
