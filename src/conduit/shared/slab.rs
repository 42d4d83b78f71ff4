//! A table of values indexed by small numbers; the numbers of removed values are reused.

pub(crate) struct Slab<T> {
    values: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Default for Slab<T> {
    fn default() -> Slab<T> {
        Slab { values: Vec::new(), free: Vec::new() }
    }
}

impl<T> Slab<T> {
    pub(crate) fn insert(&mut self, value: T) -> u32 {
        match self.free.pop() {
            Some(at) => {
                self.values[at as usize] = Some(value);
                at
            }
            None => {
                self.values.push(Some(value));
                self.values.len() as u32 - 1
            }
        }
    }

    /// The number that the next value will get.
    #[inline]
    pub(crate) fn next_number(&self) -> u32 {
        self.free.last().copied().unwrap_or(self.values.len() as u32)
    }

    pub(crate) fn get_mut(&mut self, at: u32) -> Option<&mut T> {
        self.values.get_mut(at as usize)?.as_mut()
    }

    #[inline]
    pub(crate) fn get(&self, at: u32) -> Option<&T> {
        self.values.get(at as usize)?.as_ref()
    }

    /// As `remove`, of a value that is there and not needed.
    #[inline]
    pub(crate) fn clear(&mut self, at: u32) {
        self.values[at as usize] = None;
        self.free.push(at);
    }

    pub(crate) fn remove(&mut self, at: u32) -> Option<T> {
        let value = self.values.get_mut(at as usize)?.take();
        if value.is_some() {
            self.free.push(at);
        }
        value
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.values.iter_mut().flatten()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.values.iter().flatten()
    }

    /// The numbers of the values that `which` holds for.
    pub(crate) fn numbers_of(&self, which: impl Fn(&T) -> bool) -> Vec<u32> {
        (0..).zip(&self.values).filter(|(_, value)| value.as_ref().is_some_and(&which)).map(|(at, _)| at).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.values.len() == self.free.len()
    }

    /// Frees the table's memory if it is empty.
    pub(crate) fn rest(&mut self) {
        if self.is_empty() {
            *self = Slab::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_given_back_when_nothing_is_in_it() {
        let mut slab = Slab::default();
        assert!(slab.is_empty());
        assert_eq!(slab.next_number(), 0);
        let (a, b) = (slab.insert('a'), slab.insert('b'));
        assert_eq!(slab.next_number(), 2);
        assert!(!slab.is_empty());
        assert_eq!(slab.get(a), Some(&'a'));
        slab.clear(a);
        assert_eq!((slab.get(a), slab.next_number()), (None, a));
        slab.rest();
        assert_eq!(slab.get_mut(b), Some(&mut 'b'));
        assert_eq!(slab.numbers_of(|_| true), [b]);
        assert_eq!((slab.remove(b), slab.remove(b)), (Some('b'), None));
        assert!(slab.is_empty() && slab.values.capacity() > 0);
        slab.rest();
        assert_eq!((slab.values.capacity(), slab.free.capacity()), (0, 0));
    }
}
