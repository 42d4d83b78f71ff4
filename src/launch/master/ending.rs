//! The end of a job: the decision, the messages to hosts and user, and the end by force.

use super::HEARD;
use super::state::*;
use super::streams::ErrorReason;
use crate::fatal::ABORTED;
use crate::os::local_socket;

/// The exit code of ssh if it failed, or if the remote program was killed.
const SSH_FAILED: i32 = 255;

impl Master {
    /// Prints the line with the reason for the end of the job.
    pub(super) fn say(&mut self, text: String) {
        if !self.is_said() && (self.ending.is_none() || self.ended_well()) {
            self.said = true;
            self.out[1].push_line(&text);
        }
    }

    /// Whether the reason for the end was printed. After a rank has printed one, either the rank ends soon, or it has survived.
    pub(super) fn is_said(&self) -> bool {
        const ITS_END_FOLLOWS: Duration = Duration::from_secs(2);
        self.said || self.rank_said.is_some_and(|at| self.ending.is_some() || at.elapsed() < ITS_END_FOLLOWS)
    }

    /// Reports that some of the job's output is, or may be, lost; the exit code is then not 0.
    pub(super) fn lose(&mut self, text: String) {
        if self.ending.is_none() {
            return self.decide(1, true, Some(text));
        }
        self.output_lost = true;
        self.out[1].push_line(&text);
    }

    /// Stops waiting for a host that has not sent Bye.
    pub(super) fn lose_host(&mut self, at: usize, how: &str) {
        let host = &mut self.hosts[at];
        host.stage = HostStage::Gone;
        host.lost = true;
        let after = match self.ending {
            Some(JobEnding { code, .. }) => {
                format!(", after the job had ended with code {code}: the last output of its ranks may be lost")
            }
            None => "; ending the job".to_string(),
        };
        let text = format!("*** GASNet: {} {how}{after}", host.info);
        self.lose(text);
    }

    /// Decides that the job ends with `code`, unless its end was decided before.
    pub(super) fn decide(&mut self, code: i32, crash: bool, why: Option<String>) {
        if self.ending.is_some() {
            return;
        }
        if let Some(why) = why {
            self.say(why);
        }
        self.end(code, crash);
    }

    /// After a good end: a late rank has failed, or the user has interrupted the job, so the code is not 0.
    pub(super) fn worsen(&mut self, code: i32, crash: bool) {
        if code != 0 && self.ended_well() {
            self.end(code, crash);
        }
    }

    pub(super) fn ended_well(&self) -> bool {
        self.ending.is_some_and(|ending| ending.code == 0)
    }

    fn end(&mut self, code: i32, crash: bool) {
        const CORE_DUMP: Duration = Duration::from_secs(30);
        let mut limit = self.limits.timeout() + Duration::from_secs(2);
        if code == 0 && !crash {
            // The hosts' wardens end late ranks; this limit matters only if a warden fails.
            limit += self.limits.timeout() + 2 * self.limits.kill();
        } else if crash && process::dumps_core() {
            limit += CORE_DUMP;
        }
        if code == 0 {
            // The rank has survived it.
            self.rank_said = None;
        }
        self.ending = Some(JobEnding { code, crash, late_at: Instant::now() + limit, forced: false, alone: false });
        // A host that joins late is told of the end.
        self.feeding = false;
        for at in 0..self.conns.len() {
            self.send(at, &Frame::End { code, crash });
        }
        for at in 0..self.hosts.len() {
            if self.hosts[at].stage == HostStage::Away {
                self.hosts[at].stage = HostStage::Gone;
                self.kill_processes_of(Some(at), libc::SIGTERM);
            }
        }
        if self.how == SpawnMethod::Command && self.hosts.is_empty() {
            self.kill_processes_of(None, libc::SIGTERM);
        }
    }

    pub(super) fn kill_processes(&mut self, signal: i32) {
        for process in self.processes.iter_mut().filter(|process| process.ended.is_none()) {
            process::kill(process.started.child.id() as i32, signal);
        }
    }

    pub(super) fn kill_processes_of(&mut self, host: Option<usize>, signal: i32) {
        for process in self.processes.iter_mut().filter(|process| process.ended.is_none() && process.host == host) {
            process::kill(process.started.child.id() as i32, signal);
        }
    }

    pub(super) fn all_over(&mut self) -> bool {
        const LAST: Duration = Duration::from_millis(500);
        let Some(mut ending) = self.ending else { return false };
        let now = Instant::now();
        let hosts_gone = self.hosts.iter().all(|host| host.stage == HostStage::Gone);
        // Hosts that have joined a job which does not start are told of its end.
        let all_told = self.conns.iter().flatten().all(|conn| conn.waiting.is_empty());
        if hosts_gone && all_told && self.processes.iter().all(|process| process.ended.is_some()) {
            return true;
        }
        if hosts_gone && !ending.alone {
            ending.alone = true;
            // A leader may still have a little to do on its way out; ssh and its like have not.
            let any_left = self.processes.iter().any(|process| process.ended.is_none() && !self.is_of_lost(process));
            let grace = match self.how {
                SpawnMethod::Local if ending.code == 0 && any_left => self.limits.kill().max(Duration::from_secs(5)),
                SpawnMethod::Local => Duration::from_secs(5),
                _ => Duration::from_secs(1),
            };
            ending.late_at = ending.late_at.min(now + grace);
            for Process { started, .. } in &mut self.processes {
                started.stdin = None;
            }
        }
        if now >= ending.late_at {
            if ending.forced {
                let limit = if ending.code == 0 { "GASNET_EXITTIMEOUT_KILL" } else { "GASNET_EXITTIMEOUT" };
                for at in 0..self.hosts.len() {
                    if self.hosts[at].stage != HostStage::Gone {
                        self.lose_host(at, &format!("has not taken leave in time ({limit})"));
                    }
                }
                return true;
            }
            ending.forced = true;
            ending.late_at = now + LAST;
            if self.how == SpawnMethod::Local {
                // A process that was stopped finds that it is the last one as soon as it runs.
                process::wake_group(process::pid());
                for process in &self.processes {
                    process::wake_group(process.started.child.id() as i32);
                }
            }
            if ending.code == 0 {
                let left = self.processes.iter().filter(|process| process.ended.is_none() && !self.is_of_lost(process));
                let who: Vec<_> = left.map(|process| process.started.what.as_str()).collect();
                if !who.is_empty() {
                    let text = format!(
                        "*** GASNet: not ended long after the job had ended with code 0 (GASNET_EXITTIMEOUT_KILL), and killed: {}",
                        who.join(", ")
                    );
                    self.out[1].push_line(&text);
                }
            }
            self.kill_processes(libc::SIGKILL);
        }
        self.ending = Some(ending);
        false
    }

    /// Whether a process belongs to a host that is lost.
    fn is_of_lost(&self, process: &Process) -> bool {
        process.host.is_some_and(|host| self.hosts[host].lost)
    }

    /// Checks the time limits.
    pub(super) fn check_times(&mut self, reading: bool) {
        let now = Instant::now();
        for slot in &mut self.conns {
            if let Some(conn) = slot.take_if(|conn| !conn.member && now >= conn.since + STRANGER_TIME) {
                self.strangers.count(conn.peer.ip());
            }
        }
        for at in 0..self.conns.len() {
            let Some(conn) = &mut self.conns[at] else { continue };
            if !conn.member || !conn.silence.look(reading) {
                continue;
            }
            let waited = conn.silence.limit().as_secs_f64();
            if let Some(host) = conn.host {
                self.lose_host(host, &format!("has been silent for {waited} s (GASNET_UDP_PEER_TIMEOUT)"));
            }
            self.conns[at] = None;
        }
        if self.processes.iter().any(|process| self.show_at(process).is_some_and(|at| now >= at)) {
            self.show_errors_of(None);
        }
        for at in 0..self.hosts.len() {
            if self.hosts[at].broke_at.is_some_and(|broke| now >= broke + EXPLANATION_TIME) {
                self.hosts[at].broke_at = None;
                self.explain(at);
            }
        }
        if self.broke_at.take_if(|broke| now >= *broke + EXPLANATION_TIME).is_some() {
            self.explain_command();
        }
        if let Some(door) = &mut self.door {
            door.shut_until.take_if(|until| now >= *until);
        }
        if self.deadline.is_some_and(|deadline| now >= deadline) {
            self.too_late();
        }
        self.conclude();
        if let Some((signal, since)) = self.stopped {
            if now >= since + self.limits.timeout() && self.ending.is_none() {
                let limit = self.limits.timeout().as_secs_f64();
                let text = format!(
                    "*** Caught a signal (proc 0 has not ended the job within {limit} s, GASNET_EXITTIMEOUT): {}({signal})",
                    Signal(signal)
                );
                self.decide(stop_code(signal), false, Some(text));
            }
        }
    }

    /// A host's connection broke, or its process ended before there was one.
    pub(super) fn explain(&mut self, at: usize) {
        let stage = self.hosts[at].stage;
        // Hosts that are ended by force are named after the time limit.
        if stage == HostStage::Gone || self.ending.is_some_and(|ending| ending.forced) {
            return;
        }
        self.hosts[at].stage = HostStage::Gone;
        if let Some((signal, _)) = self.stopped {
            // The terminal sends its signals to all foreground processes; the host got it before the library caught signals.
            return self.decide(stop_code(signal), true, Some(caught_early(signal)));
        }
        let process = self.processes.iter().position(|process| process.host == Some(at));
        let end = process.and_then(|process| self.processes[process].ended).map(end_of);
        let reason = process.map_or(ErrorReason::None, |process| self.reason_of(process));
        let because = reason.because();
        let name = self.hosts[at].info.to_string();
        if stage == HostStage::Bound {
            // The first rank ends with the code or signal of the warden, if it could find that out.
            let (how, code) = match end {
                Some(End::Exited(SSH_FAILED)) if self.how == SpawnMethod::Ssh => {
                    ("is gone, or its connection".to_string(), 1)
                }
                // It has said why.
                Some(End::Killed(libc::SIGABRT)) if self.how == SpawnMethod::Local => {
                    return self.decide(ABORTED, true, None);
                }
                Some(End::Killed(signal)) if self.how == SpawnMethod::Local => {
                    let text =
                        format!("*** GASNet: {name}: its first process died of {}; ending the job", Signal(signal));
                    return self.decide(128 + signal, true, Some(text));
                }
                Some(End::Exited(code)) if code > 128 => (format!("died of {}", Signal(code - 128)), code),
                _ => ("is gone".to_string(), 1),
            };
            // The guard of a rank that was killed while the job started may have said so.
            let is_said =
                self.ending.is_none() && self.reason_name.as_deref().is_some_and(|name| !local_socket::claim(name));
            return match self.ending {
                None if is_said => self.decide(code, true, None),
                None => self.decide(code, true, Some(format!("*** GASNet: {name}: its warden {how}; ending the job"))),
                // After a crash other hosts may end, too.
                Some(ending) if ending.crash => {}
                // The first process of a PID namespace takes the warden along. No output passes through the warden, and the
                // launcher sees how ranks end.
                Some(ending) if ending.code == 0 && self.how == SpawnMethod::External => {}
                Some(_) => self.lose_host(at, &format!("has not taken leave: its warden {how}")),
            };
        }
        if stage == HostStage::Away && end == Some(End::Exited(0)) {
            self.show_errors_of(Some(at));
        }
        let path = self.order.program.path.display();
        match (self.how, stage, end, &reason) {
            (_, HostStage::Away, Some(End::Exited(0)), _) => {
                // A program that does not use the library, or only prints its usage.
                let others = self.hosts.iter().any(|host| !matches!(host.stage, HostStage::Away | HostStage::Gone));
                if others {
                    let text = format!("*** FATAL ERROR: {name}: {path} ended without calling gasnet_init");
                    self.decide(1, true, Some(text));
                } else if self.hosts.iter().all(|host| host.stage == HostStage::Gone) {
                    self.decide(0, false, None);
                }
            }
            // It has said why.
            (SpawnMethod::Local, _, Some(End::Killed(libc::SIGABRT)), _) => {
                self.decide(128 + libc::SIGABRT, true, None)
            }
            (_, HostStage::Away, Some(end), ErrorReason::Fatal(why)) => {
                let code = if end.code() == SSH_FAILED { ABORTED } else { end.code().max(1) };
                self.decide(code, true, Some(format!("*** FATAL ERROR: {name}: {why}")));
            }
            (SpawnMethod::Ssh, HostStage::Away, Some(End::Exited(SSH_FAILED)), _) => {
                let text = format!(
                    "*** FATAL ERROR: {name}: ssh failed{because}; 'ssh -o BatchMode=yes {} true' must work without a \
                     password (GASNET_SSH_CMD, GASNET_SSH_OPTIONS, GASNET_SSH_SERVERS)",
                    self.hosts[at].info.name
                );
                self.decide(1, true, Some(text));
            }
            (SpawnMethod::Ssh, HostStage::Away, Some(End::Exited(code @ (126 | 127))), _) => {
                let text = format!(
                    "*** FATAL ERROR: {name}: {path} cannot be run there{because}; it must be in the same directory on \
                     every host (GASNET_SSH_REMOTE_PATH{})",
                    if env::spawn_str("GASNET_ENV_CMD").is_some() { ", GASNET_ENV_CMD" } else { "" }
                );
                self.decide(code, true, Some(text));
            }
            (_, _, end, _) => {
                let (how, code) = match end {
                    Some(End::Exited(code)) => (format!("ended with code {code}"), code.max(1)),
                    Some(End::Killed(signal)) => (format!("died of {}", Signal(signal)), 128 + signal),
                    None => ("was lost".to_string(), 1),
                };
                let by = match self.how {
                    SpawnMethod::Ssh => {
                        process.map_or(String::new(), |at| format!(" ({})", self.processes[at].started.what))
                    }
                    _ => String::new(),
                };
                let text = format!("*** FATAL ERROR: {name}: {path}{by} {how} before it had joined the job{because}");
                self.decide(code, true, Some(text));
            }
        }
    }

    pub(super) fn too_late(&mut self) {
        if self.how == SpawnMethod::External
            && self.hosts.is_empty()
            && self.presented.is_empty()
            && self.lobby.is_empty()
        {
            // No host's ranks have come so far as to connect: they wait for each other in an exchange of the launcher's, and say
            // so.
            return self.decide(1, true, None);
        }
        let waited = env::dbl("GASNET_SPAWN_TIMEOUT");
        let missing: Vec<_> = self
            .hosts
            .iter()
            .filter(|host| matches!(host.stage, HostStage::Away | HostStage::Here))
            .map(|host| host.info.to_string())
            .collect();
        let who = match (self.how, missing.split_first()) {
            (SpawnMethod::Command, None) => {
                let (here, size) = (self.lobby.len(), self.order.size);
                format!("GASNET_CSPAWN_CMD: only {here} of {size} processes have joined the job")
            }
            (SpawnMethod::External, None) => format!("only {}", self.late_ranks()),
            (_, Some((one, []))) => format!("{one} has not joined the job"),
            (_, Some((one, others))) => format!("{one} and {} other hosts have not joined the job", others.len()),
            (_, None) => "the job did not start".to_string(),
        };
        let why = match self.door.as_ref().and_then(MasterDoor::why) {
            Some(why) => format!(": {why}"),
            None => "; can it reach this machine? (GASNET_MASTERIP)".to_string(),
        };
        let text = format!("*** FATAL ERROR: {who} within {waited} s (GASNET_SPAWN_TIMEOUT){why}");
        self.decide(1, true, Some(text));
    }

    pub(super) fn reap(&mut self) {
        for at in 0..self.processes.len() {
            let process = &mut self.processes[at];
            if process.ended.is_some() {
                continue;
            }
            let status = match process.started.child.try_wait() {
                Ok(Some(status)) => status,
                Ok(None) => continue,
                Err(error) => self.cannot("learn how its processes end (waitpid)", &error),
            };
            process.ended = Some(status);
            process.started.stdin = None;
            match process.host {
                Some(host) if self.hosts[host].stage == HostStage::Away => {
                    self.hosts[host].broke_at.get_or_insert_with(Instant::now);
                }
                None => _ = self.broke_at.get_or_insert_with(Instant::now),
                _ => {}
            }
        }
    }

    /// The process of rank 0 has ended. Before all hosts are there, that ends the job.
    pub(super) fn starter_has_ended(&mut self) {
        self.starter = None;
        if !self.running() {
            // It has said why, or its launcher does.
            self.decide(1, true, None);
        }
    }

    /// The command that starts all processes has ended.
    fn explain_command(&mut self) {
        let Some(Process { ended: Some(status), .. }) = self.processes.first().filter(|_| self.hosts.is_empty()) else {
            return;
        };
        let end = end_of(*status);
        if let Some((signal, _)) = self.stopped {
            return self.decide(stop_code(signal), false, Some(caught_early(signal)));
        }
        let what = self.processes[0].started.what.clone();
        let reason = self.reason_of(0);
        let text = match (&reason, end) {
            (ErrorReason::Fatal(why), _) => format!("*** FATAL ERROR: {why}"),
            // The processes may still join.
            (_, End::Exited(0)) => return,
            (_, End::Exited(code)) => format!("*** FATAL ERROR: {what} ended with code {code}{}", reason.because()),
            (_, End::Killed(signal)) => {
                format!("*** FATAL ERROR: {what} died of {}{}", Signal(signal), reason.because())
            }
        };
        self.decide(end.code().max(1), true, Some(text));
    }

    pub(super) fn signalled(&mut self, signal: i32) {
        const SAME_REQUEST: Duration = Duration::from_millis(250);
        if matches!(signal, libc::SIGCHLD | libc::SIGPIPE) {
            return;
        }
        if self.how == SpawnMethod::External && HEARD.contains(&signal) {
            // Their launcher sends signals to the ranks.
            return;
        }
        if signal == ask::BY_USER || signal == signal::question() {
            if self.running() {
                self.asked(None);
            }
            return;
        }
        if self.ended_well() && self.stopped.is_none() {
            let text = format!("*** Caught a signal (while late ranks were waited for): {}({signal})", Signal(signal));
            self.out[1].push_line(&text);
            self.worsen(stop_code(signal), false);
        }
        match self.stopped {
            Some((_, since)) if since.elapsed() < SAME_REQUEST => {}
            Some((first, _)) => {
                self.decide(stop_code(first), true, None);
                if let Some(ending) = &mut self.ending {
                    ending.late_at = ending.late_at.min(Instant::now() + Duration::from_secs(1));
                }
            }
            None => {
                self.stopped = Some((signal, Instant::now()));
                if self.running() && self.ending.is_none() {
                    // The first rank reacts as it would without a master.
                    for at in 0..self.conns.len() {
                        if self.conns[at].as_ref().is_some_and(|conn| conn.host == Some(0)) {
                            self.send(at, &Frame::Signal(signal));
                        }
                    }
                } else {
                    self.decide(stop_code(signal), false, Some(caught_early(signal)));
                }
            }
        }
    }
}

fn caught_early(signal: i32) -> String {
    format!("*** Caught a signal (before the job ran): {}({signal})", Signal(signal))
}

pub(super) fn stop_code(signal: i32) -> i32 {
    match signal {
        libc::SIGINT => 128 + libc::SIGINT,
        _ => 1,
    }
}

pub(super) fn end_of(status: ExitStatus) -> End {
    use std::os::unix::process::ExitStatusExt;
    match status.signal() {
        Some(signal) => End::Killed(signal),
        None => End::Exited(status.code().unwrap_or(1)),
    }
}

pub(super) fn died(rank: u32, pid: u32, host: &str, how: Death) -> String {
    let of = match how {
        Death::Killed(signal) => format!("died of {}", Signal(signal)),
        Death::OutOfMemory => {
            "died of SIGKILL, probably from the kernel's out-of-memory killer, which has been at work".to_string()
        }
        Death::Exited(code) => format!("died of _exit({code}), without gasnet_exit"),
        Death::Unknown => "died without exiting".to_string(),
    };
    format!("*** GASNet: rank {rank} (pid {pid}) on host {host} {of}; ending the job")
}
