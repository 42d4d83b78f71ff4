//! What init fixed: conduit, thread mode, debug checks, segment mode. Values, never `cfg`: one library serves
//! every kind of client. They come from the records that the client's translation units left in its
//! `gasneti_client` section, then from the environment.

use crate::conduit::entry::ConduitEntry;
use crate::conduit::table;
use crate::env;
use crate::fatal::fatal;

/// Raised whenever include/gasneti/abi.h or layout.h change meaning; every client record carries it.
pub const ABI_NUMBER: u32 = 2;

/// How many threads of a rank may call the library.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Threads {
    /// One thread.
    Seq,
    /// Many threads, never two at once.
    ParSync,
    /// Many threads, concurrently.
    Par,
}

impl Threads {
    pub fn name(self) -> &'static str {
        match self {
            Threads::Seq => "SEQ",
            Threads::ParSync => "PARSYNC",
            Threads::Par => "PAR",
        }
    }
}

/// Which memory of a rank others may reach.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SegmentMode {
    Fast,
    Large,
    Everything,
}

/// One translation unit's record, as read from the client's section.
#[derive(Clone, Debug)]
pub struct ClientRecord {
    pub abi: u32,
    pub threads: Threads,
    pub segment: SegmentMode,
    pub debug: bool,
    /// Its gasnett_debug_malloc is the checked heap's.
    pub heap: bool,
    pub conduit: String,
    pub file: String,
}

/// What init fixed for the whole job.
#[derive(Clone, Debug)]
pub struct Settings {
    pub threads: Threads,
    pub segment: SegmentMode,
    /// Usage checks are on: the client was compiled with `-DGASNET_DEBUG`, or `GASNET_DEBUG=1`.
    pub debug: bool,
    /// Calls look what else is to be done, and inline C leaves everything to them: `debug`, or tracing or statistics are
    /// wanted.
    pub watched: bool,
    pub conduit: &'static ConduitEntry,
}

impl Settings {
    /// Several threads may be inside the library at the same time.
    #[inline]
    pub fn concurrent(&self) -> bool {
        self.threads == Threads::Par
    }

    /// Merges the records of all translation units; refuses a mixture, naming two files that disagree.
    /// No record at all (a caller in another language) means PAR, release and the default conduit.
    pub fn from_records(records: &[ClientRecord]) -> Settings {
        let mut settings = Settings {
            threads: Threads::Par,
            segment: SegmentMode::Fast,
            debug: false,
            watched: false,
            conduit: table::DEFAULT,
        };
        let mut conduit = table::DEFAULT.name;
        if let Some(first) = records.first() {
            for other in records {
                refuse_mixture(first, other);
            }
            settings.threads = first.threads;
            settings.segment = first.segment;
            settings.debug = first.debug;
            conduit = &first.conduit;
        }
        if env::is_set("GASNET_CONDUIT") {
            conduit = env::choice("GASNET_CONDUIT");
        }
        settings.conduit = table::named(conduit).unwrap_or_else(|| {
            fatal!("conduit {conduit:?} is not in this library, which has: {} (GASNET_CONDUIT chooses)", table::names())
        });
        settings.debug |= env::yes("GASNET_DEBUG");
        settings.watched = settings.debug;
        settings
    }
}

fn refuse_mixture(a: &ClientRecord, b: &ClientRecord) {
    let differ = |what: &str, left: &str, right: &str| {
        if left != right {
            fatal!(
                "mixed objects: {} was compiled with {what} {left}, {} with {what} {right}; recompile all with the same setting",
                a.file,
                b.file
            );
        }
    };
    if b.abi != ABI_NUMBER {
        fatal!(
            "{} was compiled against headers of ABI {}, this library has ABI {ABI_NUMBER}; recompile it",
            b.file,
            b.abi
        );
    }
    differ("thread mode", a.threads.name(), b.threads.name());
    differ("segment mode", &format!("{:?}", a.segment), &format!("{:?}", b.segment));
    differ("conduit", &a.conduit, &b.conduit);
    differ("GASNET_DEBUG", &a.debug.to_string(), &b.debug.to_string());
    differ("GASNET_DEBUGMALLOC", &a.heap.to_string(), &b.heap.to_string());
}
