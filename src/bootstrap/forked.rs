//! The bootstrap of ranks that one process of their host forked. On one host all of it goes through the control page. In
//! a job with a master, the first rank of each host also sends the host's records to the master, through the warden,
//! and gives those of all hosts to the others.

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

/// Of a job on one host: fork and the warden.
pub(crate) struct LocalBootstrap {
    page: &'static ControlPage,
    host: OnHost,
    identity: Identity,
    values: Mutex<Values>,
}

impl LocalBootstrap {
    /// Rank `here` of the host whose page is `page`. `address`: at which the host's ranks are to be reached.
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
            fatal!("what the ranks of the job have exchanged at its start cannot be understood");
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

    /// The warden prints the line, or has the master do so.
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

/// Of a job with a master, on one host or several.
pub(crate) struct UnderMaster {
    here: LocalBootstrap,
    /// In the first rank of the host.
    relay: Option<Relay>,
}

impl UnderMaster {
    pub(crate) fn new(here: LocalBootstrap, relay: Option<Relay>) -> UnderMaster {
        UnderMaster { here, relay }
    }

    /// Gives the records of this host's ranks, which the first rank alone has to know, and gets those of all ranks.
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
    fatal!("the job's warden does not pass on what ranks exchange: {error}")
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
