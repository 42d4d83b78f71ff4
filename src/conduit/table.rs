//! The table of conduits. The settings, start, gasnetrun, gasnet_info and the Makefile read it before a job
//! starts. A new conduit is a line here; nothing else in the library names conduits.

use super::entry::{ConduitEntry, Launch, OF_MPI};
use super::{loopback, mpi, ofi, shmem, ucx, udp};

/// The conduit of clients that name none.
pub static DEFAULT: &ConduitEntry = &SMP;

static SMP: ConduitEntry = ConduitEntry {
    name: "smp",
    description: "the ranks of one host, through shared memory",
    offered: true,
    launch: Launch::Fork,
    counted: false,
    meets: None,
    launchers: OF_MPI,
    runners: &["gasnetrun_smp", "gasnetrun"],
    settings: "GASNET_SMP_",
    network: None,
};

/// All conduits.
pub(crate) static CONDUITS: [&ConduitEntry; 7] =
    [&SMP, &udp::ENTRY, &mpi::ENTRY, &shmem::ENTRY, &ucx::ENTRY, &ofi::ENTRY, &loopback::ENTRY];

/// The findings of a conduit on this machine, as lines of a name and a value. An error is a line for the user.
pub(crate) type Finds = fn() -> Result<Vec<(String, String)>, String>;

/// The conduits that choose among several ways to communicate.
pub static FINDS: [(&str, Finds); 2] = [("ucx", ucx::found::found), ("ofi", ofi::choosing::found)];

/// The conduits that clients can be built for.
pub fn offered() -> impl Iterator<Item = &'static ConduitEntry> {
    CONDUITS.into_iter().filter(|entry| entry.offered)
}

pub(crate) fn named(name: &str) -> Option<&'static ConduitEntry> {
    CONDUITS.into_iter().find(|entry| entry.name == name)
}

/// The conduit whose jobs a program called `runner` starts.
pub fn run_by(runner: &str) -> Option<&'static ConduitEntry> {
    offered().find(|entry| entry.runners.contains(&runner))
}

/// The names of these conduits, for messages: "smp, udp".
pub(crate) fn names() -> String {
    offered().map(|entry| entry.name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::table::{VARS, ValueType};
    use std::path::Path;

    fn root() -> &'static Path {
        Path::new(env!("CARGO_MANIFEST_DIR"))
    }

    #[test]
    fn the_makefile_installs_the_conduits_that_are_offered() {
        let makefile = std::fs::read_to_string(root().join("Makefile")).unwrap();
        let listed = makefile.lines().find_map(|line| line.strip_prefix("CONDUITS_HERE :=")).unwrap();
        assert_eq!(listed.split_whitespace().collect::<Vec<_>>(), offered().map(|c| c.name).collect::<Vec<_>>());
        for entry in offered() {
            assert!(root().join(format!("include/{}-conduit/gasneti_conduit.h", entry.name)).exists(), "{entry:?}");
            assert!(entry.runners.contains(&&*format!("gasnetrun_{}", entry.name)), "{entry:?}");
        }
    }

    #[test]
    fn the_setting_chooses_among_all_conduits() {
        let var = VARS.iter().find(|var| var.name == "GASNET_CONDUIT").unwrap();
        let names: Vec<_> = CONDUITS.iter().map(|entry| entry.name).collect();
        assert!(matches!(var.kind, ValueType::Choice(choices) if choices == names), "{:?} {names:?}", var.kind);
    }

    #[test]
    fn names_and_runners_are_unique() {
        for (at, entry) in CONDUITS.iter().enumerate() {
            assert_eq!(named(entry.name), Some(*entry));
            for other in &CONDUITS[..at] {
                assert!(!entry.runners.iter().any(|name| other.runners.contains(name)), "{entry:?} {other:?}");
                assert_ne!(entry.settings, other.settings);
            }
            assert!(entry.runners.iter().all(|name| run_by(name) == Some(*entry)));
        }
    }

    #[test]
    fn settings_with_a_prefix_are_those_of_a_conduit() {
        let of_a_conduit = |name: &str| CONDUITS.iter().any(|entry| name.starts_with(entry.settings));
        assert!(VARS.iter().any(|var| of_a_conduit(var.name)));
        for var in VARS.iter().filter(|var| of_a_conduit(var.name)) {
            let of: Vec<_> = CONDUITS.iter().filter(|entry| var.name.starts_with(entry.settings)).collect();
            assert_eq!(of.len(), 1, "{}", var.name);
        }
    }
}
