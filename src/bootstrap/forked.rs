//! The bootstrap of ranks that one process of their host forked. On one host all exchanges go through the control page. In
//! a job with a master, the first rank of each host also sends the host's records to the master, through the warden,
//! and distributes those of all hosts on its host.

use core::ffi::c_int;
use std::net::IpAddr;
use std::time::Duration;

use parking_lot::Mutex;

use crate::bootstrap::contract::{Bootstrap, Identity};
use crate::bootstrap::here;
use crate::bootstrap::on_host::OnHost;
use crate::bootstrap::page::ControlPage;
use crate::bootstrap::relay::Relay;
use crate::bootstrap::values::Values;
use crate::defs::rank::{HostRank, JobRank};
use crate::fatal::fatal;
use crate::os::process::{self, Line};

/// The bootstrap of a job on one host, whose ranks were forked under a warden.
pub(crate) struct LocalBootstrap {
    page: &'static ControlPage,
    host: OnHost,
    identity: Identity,
    values: Mutex<Values>,
}

impl LocalBootstrap {
    /// Rank `here` of the host whose page is `page`. `address`: the IP address at which peers reach the host's ranks.
    pub(crate) fn new(page: &'static ControlPage, here: HostRank, address: Option<IpAddr>) -> LocalBootstrap {
        let identity = Identity {
            me: page.job_rank(here),
            size: page.job_size(),
            here,
            peers: (0..page.size()).map(|rank| page.job_rank(HostRank(rank))).collect(),
            address,
        };
        LocalBootstrap { page, host: OnHost::new(page, here), identity, values: Mutex::default() }
    }

    /// The values of the ranks of the host.
    fn gather(&self) -> Vec<u8> {
        let mine = self.values.lock().take_offer(self.identity.me);
        self.host.exchange(&mine).concat()
    }

    fn take_in(&self, records: Vec<u8>) {
        if !self.values.lock().take_in(records, self.identity.size) {
            fatal!("the values that the ranks exchanged at the start of the job are malformed");
        }
    }
}

impl Bootstrap for LocalBootstrap {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn put(&self, key: &str, value: &[u8]) {
        self.values.lock().put(key, value);
    }

    fn fence(&self) {
        self.take_in(self.gather());
    }

    fn get(&self, of: JobRank, key: &str) -> Option<Vec<u8>> {
        self.values.lock().get(of, key)
    }

    fn barrier(&self) {
        self.host.barrier();
    }

    /// The warden prints the line, or passes it to the master, which prints it.
    fn abort(&self, code: c_int, line: &str) {
        let is_first = self.page.reason.give(code, line);
        if self.page.warden() == 0 {
            if is_first && !line.is_empty() && self.page.may_say() {
                Line::of(format_args!("*** FATAL ERROR: {line}")).print();
            }
        } else {
            here::call_warden(self.page);
        }
    }

    /// The warden sees how the process ends.
    fn leave(&self) {}

    /// The warden ends the job.
    fn died(&self) -> Option<c_int> {
        None
    }
}

/// The bootstrap of a job with a master, on one host or several.
pub(crate) struct UnderMaster {
    here: LocalBootstrap,
    /// The pipes to the warden, in the first rank of the host only.
    relay: Option<Relay>,
}

impl UnderMaster {
    pub(crate) fn new(here: LocalBootstrap, relay: Option<Relay>) -> UnderMaster {
        UnderMaster { here, relay }
    }

    /// Exchanges the records of this host's ranks for those of all ranks. `records` is used in the first rank only.
    fn exchange(&self, records: &[u8]) -> Vec<u8> {
        let all = match &self.relay {
            Some(relay) => match relay.exchange(records) {
                Ok(all) => all,
                Err(error) => lost(&error),
            },
            None => Vec::new(),
        };
        self.here.host.broadcast(&all)
    }
}

/// The warden has ended; its lifeline reports that at the same time and ends this process.
fn lost(error: &std::io::Error) -> ! {
    process::nap(Duration::from_secs(2));
    fatal!("the job's warden does not forward the values that ranks exchange: {error}")
}

impl Bootstrap for UnderMaster {
    fn identity(&self) -> &Identity {
        self.here.identity()
    }

    fn put(&self, key: &str, value: &[u8]) {
        self.here.put(key, value);
    }

    fn fence(&self) {
        let of_host = self.here.gather();
        self.here.take_in(self.exchange(&of_host));
    }

    fn get(&self, of: JobRank, key: &str) -> Option<Vec<u8>> {
        self.here.get(of, key)
    }

    fn barrier(&self) {
        self.here.barrier();
        self.exchange(&[]);
    }

    fn abort(&self, code: c_int, line: &str) {
        self.here.abort(code, line);
    }

    fn leave(&self) {}

    fn died(&self) -> Option<c_int> {
        None
    }
}
