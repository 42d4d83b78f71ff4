//! Reports on a job: when one is requested, or when no host makes progress, the master has every host report on its
//! ranks, and adds the conclusions for the whole job.

use super::state::*;
use crate::hang::standing::Standing;
use crate::launch::fork::desk::{asked_at, ending, hang_timeout, stood_still, title};

/// The time limit for a host's report.
const LIMIT: Duration = Duration::from_secs(20);
/// Requests within this time after the beginning of a report are answered by that report.
const SAME_QUESTION: Duration = Duration::from_millis(300);

impl Master {
    /// A rank, or the user, requests a report.
    pub(super) fn asked(&mut self, rank: Option<u32>) {
        let recent = self.reported.is_some_and(|at| at.elapsed() < SAME_QUESTION);
        if !recent {
            self.report(&rank.map_or("the process that started it was asked".to_string(), asked_at), false);
        }
    }

    fn report(&mut self, why: &str, unasked: bool) {
        if self.report.is_some() || self.ending.is_some() {
            return;
        }
        let running = |host: &Host| host.stage == HostStage::Bound;
        let awaited: Vec<usize> = (0..self.hosts.len()).filter(|&host| running(&self.hosts[host])).collect();
        let text = title(why, self.order.size);
        self.out[1].push_bytes(text.as_bytes());
        for at in 0..self.conns.len() {
            if self.conns[at].as_ref().and_then(|conn| conn.host).is_some_and(|host| awaited.contains(&host)) {
                self.send(at, &Frame::Explain(0));
            }
        }
        self.reported = Some(Instant::now());
        self.report = Some(Report { awaited, standings: Vec::new(), begun: Instant::now(), unasked });
        self.conclude();
    }

    pub(super) fn standing(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(4).filter_map(|word| word.try_into().ok()).map(u32::from_le_bytes);
        if let Some(report) = &mut self.report {
            if let Some(standing) = Standing::read(&mut words) {
                report.standings.push(standing);
            }
        }
    }

    pub(super) fn explained(&mut self, host: usize) {
        if let Some(report) = &mut self.report {
            report.awaited.retain(|&awaited| awaited != host);
        }
        self.conclude();
    }

    /// The time limit of the report in progress.
    pub(super) fn report_late_at(&self) -> Option<Instant> {
        self.report.as_ref().map(|report| report.begun + LIMIT)
    }

    /// Ends the report if all hosts have reported, or the time limit has passed.
    pub(super) fn conclude(&mut self) {
        let hosts = &self.hosts;
        let Some(report) = self.report.take_if(|report| {
            report.awaited.retain(|&host| hosts[host].stage == HostStage::Bound);
            report.awaited.is_empty() || report.begun.elapsed() >= LIMIT
        }) else {
            return;
        };
        let mut silent = String::new();
        for host in report.awaited {
            silent += &format!("    {} has not reported within {} s\n", self.hosts[host].info, LIMIT.as_secs());
        }
        let mut standings = report.standings;
        standings.sort_by_key(|standing| standing.rank);
        self.out[1].push_bytes(ending(&standings, &silent).as_bytes());
        self.reported = Some(Instant::now());
        if report.unasked && env::choice("GASNET_HANG_ACTION") == "abort" {
            let text = "*** GASNet: ending the job, which makes no progress (GASNET_HANG_ACTION)".to_string();
            self.decide(1, true, Some(text));
        }
    }

    /// A host has stopped making progress, or makes progress again.
    pub(super) fn still(&mut self, host: usize, still: bool, waiting: bool) {
        self.hosts[host].still = (still, waiting);
        let all_still = self.hosts.iter().all(|host| host.still.0 || host.stage == HostStage::Gone);
        let anybody_waits = self.hosts.iter().any(|host| host.still.1);
        if let Some(limit) = hang_timeout() {
            if all_still && anybody_waits {
                self.report(&stood_still(limit), true);
            }
        }
    }
}
