//! The kind of shared memory for segments. Chosen at run time: `auto` takes the first kind that works, in
//! the order of [`ORDER`]; a named kind that does not work is an error. Nothing is ever left in a file system:
//! objects are unlinked as they are made.
//!
//! # Safety
//! The one attachment made here, a test that attaching works, is detached at once.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use crate::env;
use crate::fatal::{fatal, note};
use crate::os::shm;

/// A kind of shared memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BackingKind {
    Memfd,
    Posix,
    File,
    SysV,
    Hugetlbfs,
}

const NAMES: [(&str, BackingKind); 5] = [
    ("memfd", BackingKind::Memfd),
    ("posix", BackingKind::Posix),
    ("file", BackingKind::File),
    ("sysv", BackingKind::SysV),
    ("hugetlbfs", BackingKind::Hugetlbfs),
];

/// The kinds that `auto` tries, in order. Huge pages only on request: they are charged at once.
const ORDER: [BackingKind; 4] = [BackingKind::Memfd, BackingKind::Posix, BackingKind::SysV, BackingKind::File];

impl BackingKind {
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(_, kind)| *kind == self).map_or("?", |(name, _)| name)
    }

    pub fn number(self) -> u64 {
        self as u64
    }

    pub fn of_number(number: u64) -> Option<BackingKind> {
        NAMES.iter().map(|&(_, kind)| kind).find(|kind| kind.number() == number)
    }

    /// Sizes and offsets are multiples of this.
    pub fn granule(self) -> usize {
        if self == BackingKind::Hugetlbfs { 2 << 20 } else { shm::PAGE }
    }
}

/// The object that will hold all segments of this host; for System V, only the choice of that kind.
pub struct Backing {
    pub kind: BackingKind,
    /// None for System V: each rank makes its own at attach.
    pub fd: Option<OwnedFd>,
    /// Bytes that all segments together may have; None if only memory limits it.
    pub room: Option<u64>,
}

impl Backing {
    /// Opens the kind that `GASNET_SHM_BACKING` names, or the first that works for `ranks` segments of up to
    /// `bytes_each`.
    pub fn choose(ranks: u64, bytes_each: u64) -> Backing {
        let wanted = env::choice("GASNET_SHM_BACKING");
        let automatic = || {
            let opened = ORDER.into_iter().map(|kind| (kind, try_open(kind, ranks)));
            first_that_works(ranks.saturating_mul(bytes_each), opened)
        };
        let chosen = match NAMES.iter().find(|(known, _)| *known == wanted) {
            Some((name, kind)) => try_open(*kind, ranks).map_err(|error| format!("{name}: {error}")),
            None if env::yes("GASNET_USE_HUGEPAGES") => {
                try_open(BackingKind::Hugetlbfs, ranks).or_else(|_| automatic())
            }
            None => automatic(),
        };
        match chosen {
            Ok(backing) => {
                if env::yes("GASNET_VERBOSEENV") {
                    note!("shared memory for segments comes from {} (GASNET_SHM_BACKING)", backing.kind.name());
                }
                backing
            }
            Err(why) => fatal!("no shared memory for segments: {why}; GASNET_SHM_BACKING chooses another kind"),
        }
    }
}

/// The first of `opened` that has room for `enough` bytes; if none has, the one with the most room.
fn first_that_works(
    enough: u64,
    opened: impl Iterator<Item = (BackingKind, io::Result<Backing>)>,
) -> Result<Backing, String> {
    let mut reasons = Vec::new();
    let mut roomiest: Option<Backing> = None;
    for (kind, opened) in opened {
        match opened {
            Ok(backing) if backing.room.is_none_or(|room| room >= enough) => return Ok(backing),
            Ok(backing) if roomiest.as_ref().is_none_or(|other| backing.room > other.room) => roomiest = Some(backing),
            Ok(_) => {}
            Err(error) => reasons.push(format!("{}: {error}", kind.name())),
        }
    }
    roomiest.ok_or_else(|| reasons.join("; "))
}

fn try_open(kind: BackingKind, ranks: u64) -> io::Result<Backing> {
    let (fd, room) = match kind {
        BackingKind::Memfd => (Some(shm::memfd(false)?), shm::longest_file()),
        BackingKind::Posix => with_room(shm::posix()?)?,
        BackingKind::File => {
            let dir = directory();
            let named = |error| io::Error::other(format!("{} (GASNET_SHM_DIR): {error}", dir.display()));
            with_room(shm::file(&dir).map_err(named)?)?
        }
        BackingKind::Hugetlbfs => {
            let free = shm::free_huge_bytes();
            if free == 0 {
                return Err(io::Error::other("no free huge pages (vm.nr_hugepages)"));
            }
            (Some(shm::memfd(true)?), Some(free))
        }
        BackingKind::SysV => {
            let (_, at) = shm::sysv_create(shm::PAGE)?;
            // SAFETY: just made, and not used.
            unsafe { shm::sysv_detach(at) };
            (None, shm::sysv_room(ranks))
        }
    };
    Ok(Backing { kind, fd, room })
}

fn with_room(fd: OwnedFd) -> io::Result<(Option<OwnedFd>, Option<u64>)> {
    let room = shm::room(&fd)?.min(shm::longest_file().unwrap_or(u64::MAX));
    Ok((Some(fd), Some(room)))
}

/// The directory of the `file` kind.
pub(crate) fn directory() -> PathBuf {
    env::str("GASNET_SHM_DIR").unwrap_or_else(env::tmp_dir).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_multiples_of_the_pages_of_the_kind() {
        for kind in ORDER {
            assert_eq!(kind.granule(), shm::PAGE);
        }
        assert_eq!(BackingKind::Hugetlbfs.granule(), 2 << 20);
    }

    #[test]
    fn the_first_kind_with_enough_room_is_taken_or_else_the_roomiest() {
        let choose = |enough, rooms: &[Option<Option<u64>>]| {
            let mut opened = ORDER.into_iter().zip(rooms);
            let mut seen = 0;
            let counted = core::iter::from_fn(|| {
                let (kind, room) = opened.next()?;
                seen += 1;
                let of = |room| Backing { kind, fd: None, room };
                Some((kind, room.map(of).ok_or_else(|| io::Error::other("not here"))))
            });
            let chosen = first_that_works(enough, counted).map(|backing| (backing.kind, backing.room));
            (chosen, seen)
        };
        let [first, second, third, fourth] = ORDER;
        assert_eq!(choose(100, &[Some(None), Some(None)]), (Ok((first, None)), 1));
        assert_eq!(choose(100, &[Some(Some(99)), Some(Some(100)), Some(None)]), (Ok((second, Some(100))), 2));
        assert_eq!(choose(100, &[None, Some(Some(5)), None, Some(None)]), (Ok((fourth, None)), 4));
        // None has enough: the first of those with the most.
        assert_eq!(choose(100, &[Some(Some(5)), Some(Some(7)), Some(Some(6)), None]), (Ok((second, Some(7))), 4));
        assert_eq!(
            choose(100, &[Some(Some(5)), Some(Some(5)), Some(Some(9)), Some(Some(9))]),
            (Ok((third, Some(9))), 4)
        );
        let why = "memfd: not here; posix: not here; sysv: not here; file: not here";
        assert_eq!(choose(0, &[None; 4]), (Err(why.into()), 4));
    }

    #[test]
    fn the_object_of_a_file_system_has_the_room_that_files_may_have() {
        let (fd, room) = with_room(shm::file("/tmp".as_ref()).expect("a file")).expect("room");
        assert!(fd.is_some() && room.is_some_and(|room| room > 0));
        assert!(room.is_some_and(|room| shm::longest_file().is_none_or(|longest| room <= longest)));
    }
}
