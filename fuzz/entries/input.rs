//! Choices: from the bytes of a fuzzer as long as there are any, or from a seed.

use gasnet::internal::conduit::udp::faults::Chance;

pub struct Input<'a> {
    bytes: &'a [u8],
    chance: Option<Chance>,
    is_calm: bool,
}

impl<'a> Input<'a> {
    /// Zeros follow the bytes.
    pub fn bytes(bytes: &'a [u8]) -> Input<'a> {
        Input { bytes, chance: None, is_calm: true }
    }

    /// Random numbers follow the bytes, and nothing that is not certain to happen does any more.
    pub fn bytes_and_more(bytes: &'a [u8]) -> Input<'a> {
        Input { bytes, chance: Some(Chance(bytes.len() as u64)), is_calm: true }
    }

    pub fn seed(seed: u64) -> Input<'a> {
        Input { bytes: &[], chance: Some(Chance(seed)), is_calm: false }
    }

    /// By a fuzzer, which wants short runs.
    pub fn is_fuzzed(&self) -> bool {
        self.is_calm
    }

    pub fn is_spent(&self) -> bool {
        self.bytes.is_empty()
    }

    pub fn take(&mut self, len: usize) -> &'a [u8] {
        let (taken, rest) = self.bytes.split_at(len.min(self.bytes.len()));
        self.bytes = rest;
        taken
    }

    /// A number of `width` bytes.
    fn number(&mut self, width: usize) -> u64 {
        if self.bytes.is_empty() {
            let random = self.chance.as_mut().map_or(0, Chance::draw);
            return if width == 8 { random } else { random >> (64 - 8 * width) };
        }
        let mut number = [0; 8];
        let taken = self.take(width);
        number[..taken.len()].copy_from_slice(taken);
        u64::from_le_bytes(number)
    }

    pub fn u8(&mut self) -> u8 {
        self.number(1) as u8
    }

    pub fn u16(&mut self) -> u16 {
        self.number(2) as u16
    }

    pub fn u32(&mut self) -> u32 {
        self.number(4) as u32
    }

    pub fn u64(&mut self) -> u64 {
        self.number(8)
    }

    /// Below `end`, which is not 0.
    pub fn below(&mut self, end: u64) -> u64 {
        match end {
            1 => 0,
            2..=0x100 => (self.number(1) * end) >> 8,
            0x101..=0x1_0000 => (self.number(2) * end) >> 16,
            _ => self.number(4) * (end >> 32 | 1) % end,
        }
    }

    pub fn hits(&mut self, share: f64) -> bool {
        if share <= 0.0 || (self.is_calm && self.bytes.is_empty()) {
            return false;
        }
        (self.number(2) as f64) < share * 65536.0
    }

    pub fn one_of<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize]
    }
}
