//! The connection to the master while a host has no warden yet: the leader, which has joined, reports fatal errors itself.

use std::time::Duration;

use parking_lot::Mutex;

use crate::fatal::fatal;
use crate::launch::agent::Agent;
use crate::os::process;

/// Time limit for sending the reason to a slow master.
const PATIENCE: Duration = Duration::from_secs(3);

/// The connection of a leader that has joined, until its warden has it.
static OF_LEADER: Mutex<Option<Agent>> = Mutex::new(None);

/// Keeps the connection of the host's leader until the warden takes it over; fatal errors before that are sent to the
/// master.
pub(crate) fn keep(agent: Option<Agent>) {
    *OF_LEADER.lock() = agent;
}

/// Takes the connection that `keep` stored.
pub(crate) fn kept() -> Option<Agent> {
    OF_LEADER.lock().take()
}

/// Sends the master the reason for which a leader ends the job before it has ranks. Since several hosts often find the same
/// error, the master prints only the first line that it receives. False: there is no connection to a master.
pub(crate) fn says(line: &str) -> bool {
    let Some(mut kept) = OF_LEADER.try_lock() else { return false };
    kept.as_mut().is_some_and(|agent| agent.says_why(line))
}

/// A leader dies of a fatal error before it has ranks: its host ends with `code`.
pub(crate) fn failed(code: i32) {
    let kept = OF_LEADER.try_lock().and_then(|mut kept| kept.take());
    if let Some(mut agent) = kept {
        agent.ending(code, true);
        agent.finish(|| true, Duration::ZERO, PATIENCE);
    }
}

/// Ends the job before there are ranks. The master prints the reason, if there is one; otherwise this process does.
pub(crate) fn give_up(why: &str) -> ! {
    let Some(mut agent) = kept() else { fatal!("{why}") };
    agent.trouble(1, why.to_string());
    agent.finish(|| true, Duration::ZERO, PATIENCE);
    process::end_now(1)
}
