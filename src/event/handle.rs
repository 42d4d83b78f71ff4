//! Handles of operations, and the categories of their leaf events.

/// The client's reference to an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Handle(pub usize);

pub(super) const LEAF: usize = 2;
pub(super) const LEAF_SHIFT: u32 = 2;
/// Operations lie at multiples of 64.
pub(super) const ADDRESS: usize = !63;

impl Handle {
    /// The handle of an operation that is already complete.
    pub const DONE: Handle = Handle(0);
    /// No operation was started: resources were exhausted, and the call was immediate.
    pub const NO_OP: Handle = Handle(1);

    /// Puts that the network's next quiet completes; any number of them, of any thread. No operation has this address.
    pub const QUIET: Handle = Handle(64);

    /// The categories of this leaf event; None if it is not a leaf.
    pub fn leaf(self) -> Option<Which> {
        let bits = ((self.0 & !ADDRESS) >> LEAF_SHIFT) as u32;
        (self.0 & LEAF != 0).then_some(if bits == 0 { Which::LOCAL } else { Which(bits) })
    }
}

/// A set of categories; the bits of `gex_EC_t`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Which(pub u32);

impl Which {
    /// Puts, and with them their local completion.
    pub const PUTS: Which = Which(3);
    pub const LOCAL: Which = Which(2);
    pub const GETS: Which = Which(4);
    pub const RMWS: Which = Which(8);
    pub const ALL: Which = Which(u32::MAX);

    pub fn has_puts(self) -> bool {
        self.0 & 1 != 0
    }
}
