//! Which images are whose: images are numbered consecutively over the members of a team.

use std::sync::Arc;

use crate::coll::shares::Shares;

/// The images of a team's members.
#[derive(Clone)]
pub struct Spans {
    /// The number of images before each member, then the total; None if each has one.
    starts: Option<Arc<[usize]>>,
    members: usize,
}

impl Spans {
    /// One image for each of `members`.
    pub fn even(members: u32) -> Spans {
        Spans { starts: None, members: members as usize }
    }

    pub fn new(counts: impl Iterator<Item = usize>) -> Spans {
        let mut starts = vec![0];
        let mut all = 0;
        for count in counts {
            all += count;
            starts.push(all);
        }
        Spans { members: starts.len() - 1, starts: Some(starts.into()) }
    }

    /// The number of images.
    pub fn total(&self) -> usize {
        self.starts.as_ref().and_then(|starts| starts.last().copied()).unwrap_or(self.members)
    }

    /// The first image of `member`, and the number of its images.
    pub fn of(&self, member: u32) -> (usize, usize) {
        let shares = self.shares(1);
        (shares.at(member as usize), shares.count(member as usize))
    }

    /// The member of image `image`, and the image's index among those of the member.
    pub fn find(&self, image: usize) -> (u32, usize) {
        match &self.starts {
            None => (image as u32, 0),
            Some(starts) => {
                let member = starts.partition_point(|&start| start <= image) - 1;
                (member as u32, image - starts[member])
            }
        }
    }

    /// The shares of the members if each image has `unit` bytes.
    pub fn shares(&self, unit: usize) -> Shares {
        match &self.starts {
            None => Shares::even(unit),
            Some(starts) => Shares::uneven(unit, Arc::clone(starts)),
        }
    }

    /// The shares of the members if image i has `count(i)` units; and the index of each image's first unit.
    pub fn shares_of(&self, unit: usize, count: impl Fn(usize) -> usize) -> (Shares, Vec<usize>) {
        let mut places = Vec::with_capacity(self.total() + 1);
        let mut all = 0;
        for image in 0..self.total() {
            places.push(all);
            all += count(image);
        }
        places.push(all);
        let starts = (0..self.members as u32).map(|member| places[self.of(member).0]).chain([all]).collect();
        (Shares::uneven(unit, starts), places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_numbered_from_member_to_member() {
        let spans = Spans::new([2, 1, 3].into_iter());
        assert_eq!(spans.total(), 6);
        assert_eq!(
            (0..6).map(|image| spans.find(image)).collect::<Vec<_>>(),
            [(0, 0), (0, 1), (1, 0), (2, 0), (2, 1), (2, 2)]
        );
        assert_eq!(spans.of(2), (3, 3));
        let (shares, places) = spans.shares_of(4, |image| image);
        assert_eq!(places, [0, 0, 1, 3, 6, 10, 15]);
        assert_eq!([shares.at(1), shares.len(1), shares.at(2), shares.len(2)], [4, 8, 12, 48]);
        assert_eq!(Spans::even(3).find(2), (2, 0));
    }
}
