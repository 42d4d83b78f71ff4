//! GASNet in Rust: one library for every conduit, thread mode and debugging aid.
//! ARCHITECTURE.md is the map; a call goes down its layers, one file each, and returns.

#![deny(unsafe_code)]
#![warn(unreachable_pub)]

pub mod abi;
mod am;
mod barrier;
mod bootstrap;
mod client;
mod coll;
mod conduit;
mod defs;
mod diag;
mod endpoint;
mod env;
mod event;
mod exit;
mod fatal;
mod firehose;
mod hang;
mod hsl;
mod job;
mod launch;
mod mem;
mod mk;
mod nbrhd;
mod os;
mod places;
mod ratomic;
mod rma;
mod segment;
mod settings;
mod shims;
mod start;
mod sync;
mod team;
mod thread;
mod tools;
mod trace;
mod vis;

/// Of the installed library (the Makefile says so), not of Rust programs that use this crate.
#[cfg(gasnet_library)]
#[global_allocator]
static HEAP: os::heap::Heap = os::heap::Heap;

/// The items that the programs, tests and fuzz targets of this package use, under the paths that they have in the crate.
/// Not an interface. Everything else is private, so that the compiler finds unused items.
#[doc(hidden)]
pub mod internal {
    pub use crate::abi;
    pub mod am {
        pub mod deaths {
            pub use crate::am::deaths::outlive;
        }
        pub mod limits {
            pub use crate::am::limits::SHARED_LIMITS;
        }
        pub mod token {
            pub use crate::am::token::Token;
        }
    }
    pub mod barrier {
        pub use crate::barrier::area_bytes;
        pub mod dissem {
            pub use crate::barrier::dissem::{steps, target};
        }
    }
    pub mod bootstrap {
        pub mod contract {
            pub use crate::bootstrap::contract::{Bootstrap, Identity, MOST_KEY, MOST_VALUE};
        }
        pub mod here {
            pub use crate::bootstrap::here::enter;
        }
        pub mod launcher {
            pub use crate::bootstrap::launcher::set_external;
        }
        pub mod page {
            pub use crate::bootstrap::page::{ControlPage, control_bytes};
        }
        pub mod values {
            pub use crate::bootstrap::values::Values;
        }
    }
    pub mod coll {
        pub mod message {
            pub use crate::coll::message::allgather::{Round, Schedule};
            pub use crate::coll::message::startup::{counts, pieces};
        }
        pub mod near {
            pub use crate::coll::near::ArenaPart;
        }
    }
    pub mod conduit {
        pub mod entry {
            pub use crate::conduit::entry::{ConduitEntry, Launch};
        }
        pub mod table {
            pub use crate::conduit::table::{DEFAULT, FINDS, offered, run_by};
        }
        pub mod udp {
            pub mod addresses {
                pub use crate::conduit::udp::addresses::BYTES_A_RANK;
            }
            pub mod auth {
                pub use crate::conduit::udp::auth::{AuthKey, Secret};
            }
            pub mod engine {
                pub use crate::conduit::udp::engine::{BYTES_A_PEER, Engine};
            }
            pub mod faults {
                pub use crate::conduit::udp::faults::{Chance, Faults, Faulty};
            }
            pub mod held {
                pub use crate::conduit::udp::held::Went;
            }
            pub mod send {
                pub use crate::conduit::udp::send::Source;
            }
            pub mod meeting {
                pub use crate::conduit::udp::meeting::offer;
            }
            pub mod rank {
                pub use crate::conduit::udp::rank::MEDIUM;
            }
            pub mod terms {
                pub use crate::conduit::udp::terms::{Config, Ended, EnginePayload, Taken, Up};
            }
            pub mod wire {
                pub use crate::conduit::udp::wire::{
                    DATA, Header, MAX_HEADER, MAX_MTU, MAX_WORDS, MIN_MTU, Part, TAG, WINDOW, plain, write_am_head,
                    write_get, write_got_head, write_part_head, write_put_head,
                };
            }
        }
    }
    pub mod defs {
        pub mod message {
            pub use crate::defs::message::{MAX_ARGS, Payload, Traffic};
        }
        pub mod rank {
            pub use crate::defs::rank::{HostRank, JobRank, NodeRank};
        }
    }
    pub mod endpoint {
        pub mod table {
            pub use crate::endpoint::table::CLIENT_BASE;
        }
    }
    pub mod env {
        pub use crate::env::{all, any_int, check_unknown, names_set, nearest, problem, raw, yes};
        pub mod doc {
            pub use crate::env::doc::{default, markdown, values};
        }
        pub mod parse {
            pub use crate::env::parse::{
                dbl, distance, int, int_within, longest_int, names, rank_list, seg_limit, size, size_up, unescaped, yes,
            };
        }
        pub mod table {
            pub use crate::env::table::{Group, MAX_JOB_RANKS, MAX_RANKS, VARS, ValueType, find, is_without_effect};
        }
    }
    pub mod exit {
        pub use crate::exit::{begin, end_jobs_of_fatal_errors, ending, exit, prepare};
    }
    pub mod fatal {
        pub use crate::fatal::{install_panic_hook, line, raise, set_job_ender, set_rank};
    }
    pub mod hang {
        pub mod find {
            pub use crate::hang::find::ask;
        }
    }
    pub mod job {
        pub use crate::job::{Job, job};
    }
    pub mod launch {
        pub mod addresses {
            pub use crate::launch::addresses::bind;
        }
        pub mod control {
            pub use crate::launch::control::{
                Assign, Bad, Frame, Hello, JobSecret, OPENING_BYTES, Opener, STRANGER_BYTES, Sealer, Side,
                WardenAddress, opened, opening,
            };
        }
        pub mod external {
            pub use crate::launch::external::kvs::Kvs;
            pub use crate::launch::external::mapping::peers;
            pub use crate::launch::external::over::{Over, Place};
            pub use crate::launch::external::pmi1::WireMessage;
            pub use crate::launch::external::pmi2::{field, message_bytes};
            pub use crate::launch::external::pmix::local_peers;
            pub use crate::launch::external::slurm::note::StepNote;
            pub use crate::launch::external::text;
            pub use crate::launch::external::{describe, detect};
        }
        pub mod fork {
            pub use crate::launch::fork::start;
        }
        pub mod gathering {
            pub use crate::launch::gathering::{announce, announced};
        }
        pub mod hosts {
            pub use crate::launch::hosts::{Distribution, HostEntry, HostInfo, Net, file, list, merged, placed};
        }
        pub mod master {
            pub use crate::launch::master::{leave, run};
            pub mod state {
                pub use crate::launch::master::state::Order;
            }
        }
        pub mod spawn {
            pub use crate::launch::spawn::{Program, filled, named_hosts, quoted, quoted_all, words};
        }
        pub mod spawn_command {
            pub use crate::launch::spawn_command::filled;
        }
        pub mod traditional {
            pub use crate::launch::traditional::join;
        }
        pub mod tree {
            pub use crate::launch::tree::{below, degree};
        }
        pub mod worker {
            pub use crate::launch::worker::{Joined, SecretWord};
        }
    }
    pub mod mem {
        pub use crate::mem::{Dst, RemoteAddr, Src, read};
    }
    pub mod nbrhd {
        pub use crate::nbrhd::{Region, RegionLayout, SENDERS};
        pub mod reach {
            pub use crate::nbrhd::reach::{BYTES_A_RANK, SPACE_A_RANK};
        }
        pub mod ring {
            pub use crate::nbrhd::ring::Producer;
        }
    }
    pub mod os {
        pub mod heap {
            pub use crate::os::heap::Heap;
        }
        pub mod probe {
            pub use crate::os::probe::{
                clock_source, has_membarrier, has_memfd, hugetlbfs, meminfo, memory_limit, processor, processors,
                ptrace_scope, reads_processes, space, system, sysv_max,
            };
        }
        pub mod services {
            pub use crate::os::services::{SERVICES, UsedBy};
        }
        pub mod process {
            pub use crate::os::process::{Forked, end_now, fork, kill, pid, random, set_env};
        }
        pub mod shm {
            pub use crate::os::shm::{PAGE, anonymous};
        }
        pub mod streams {
            pub use crate::os::streams::hold_standard_streams;
        }
    }
    pub mod places {
        pub use crate::places::{Places, Ranks};
    }
    pub mod settings {
        pub use crate::settings::ABI_NUMBER;
    }
    pub mod sync {
        pub mod atomic {
            pub use crate::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
        }
    }
    pub mod team {
        pub use crate::team::{SplitArgs, Team, primordial};
    }
    pub mod thread {
        pub use crate::thread::{MAX_THREADS, forked};
    }
    pub mod trace {
        pub mod event {
            pub use crate::trace::event::{Detail, Event};
        }
        pub mod mask {
            pub use crate::trace::mask::Letter;
        }
        pub mod rows {
            pub use crate::trace::rows::{Row, of_name};
        }
    }
}
