//! The thread levels of MPI.

/// The thread levels of MPI, in its order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(i32)]
pub(crate) enum ThreadLevel {
    Single,
    Funneled,
    Serialized,
    Multiple,
}

impl ThreadLevel {
    pub(crate) const NAMES: [&str; 4] = ["SINGLE", "FUNNELED", "SERIALIZED", "MULTIPLE"];
    const ALL: [ThreadLevel; 4] =
        [ThreadLevel::Single, ThreadLevel::Funneled, ThreadLevel::Serialized, ThreadLevel::Multiple];

    pub(crate) fn numbered(number: i32) -> ThreadLevel {
        ThreadLevel::ALL[number.clamp(0, 3) as usize]
    }

    pub(crate) fn named(name: &str) -> Option<ThreadLevel> {
        let at = ThreadLevel::NAMES.iter().position(|known| *known == name)?;
        Some(ThreadLevel::ALL[at])
    }

    pub(crate) fn name(self) -> &'static str {
        ThreadLevel::NAMES[self as usize]
    }
}
