//! The connection to the master while a host has no warden yet: its leader has joined, and meets fatal errors alone.

use std::time::Duration;

use parking_lot::Mutex;

use crate::bootstrap::agent::Agent;

/// The connection of a leader that has joined, until its warden has it.
static OF_LEADER: Mutex<Option<Agent>> = Mutex::new(None);

/// Keeps the connection of the host's leader until the warden takes it over: a fatal error before that is told to the
/// master.
pub fn keep(agent: Option<Agent>) {
    *OF_LEADER.lock() = agent;
}

/// What `keep` was given.
pub fn kept() -> Option<Agent> {
    OF_LEADER.lock().take()
}

/// Whether a leader that meets a fatal error before it has ranks is to print it. Hosts often meet the same one at once:
/// each gives those before it time to say it, and says nothing if the job has ended meanwhile.
pub fn may_say_fatal() -> bool {
    const TURN: Duration = Duration::from_millis(400);
    const MOST_TURNS: u32 = 4;
    let Some(mut kept) = OF_LEADER.try_lock() else { return true };
    let Some(agent) = &mut *kept else { return true };
    !agent.has_ended_within(TURN * agent.host().min(MOST_TURNS))
}

/// A leader dies of a fatal error before it has ranks: its host ends with `code`.
pub fn failed(code: i32) {
    const PATIENCE: Duration = Duration::from_secs(3);
    let kept = OF_LEADER.try_lock().and_then(|mut kept| kept.take());
    if let Some(mut agent) = kept {
        agent.ending(code, true);
        agent.finish(|| true, PATIENCE);
    }
}
