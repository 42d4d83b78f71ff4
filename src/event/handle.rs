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

    /// The leaf event of this operation for `which`.
    pub(super) fn leaf_for(self, which: Which) -> Handle {
        let bits = if which == Which::LOCAL { 0 } else { which.0 as usize & 15 };
        Handle(self.0 & ADDRESS | bits << LEAF_SHIFT | LEAF)
    }

    /// As `leaf_for`, where no operation stands behind this handle: it is complete, or puts whose sources are free wait for a quiet.
    pub(super) fn leaf_without_operation(self, which: Which) -> Option<Handle> {
        match self {
            Handle::QUIET if which != Which::LOCAL && which.has_puts() => Some(Handle::QUIET),
            Handle::DONE | Handle::QUIET => Some(Handle::DONE),
            _ => None,
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leaf_says_its_operation_and_its_category() {
        let root = Handle(0x7f00_1234_5640);
        for which in [Which::LOCAL, Which::PUTS, Which::GETS, Which::RMWS] {
            let leaf = root.leaf_for(which);
            assert_eq!((leaf.leaf(), leaf.0 & ADDRESS), (Some(which), root.0));
            assert_eq!((leaf.leaf_for(which), root.leaf_without_operation(which)), (leaf, None));
        }
        assert_eq!(root.leaf(), None);
    }

    #[test]
    fn puts_left_to_the_quiet_have_free_sources() {
        for (which, of_quiet) in [
            (Which::LOCAL, Handle::DONE),
            (Which::GETS, Handle::DONE),
            (Which::RMWS, Handle::DONE),
            (Which::PUTS, Handle::QUIET),
            (Which::ALL, Handle::QUIET),
        ] {
            assert_eq!(Handle::QUIET.leaf_without_operation(which), Some(of_quiet));
            assert_eq!(Handle::DONE.leaf_without_operation(which), Some(Handle::DONE));
        }
    }
}
