//! The handlers of barriers by messages: they only record arrivals.

use super::Stage;
use super::messages::ByMessages;
use super::names::{Names, PhaseWord};
use super::of_all::of_all;
use crate::am::token::Token;
use crate::defs::message::Msg;
use crate::job::job;

/// The barrier by messages of this rank, if it takes part in one.
fn by_messages() -> Option<&'static ByMessages> {
    match &of_all(job()).stage {
        Stage::ByMessages(stage) => Some(stage),
        Stage::TwoStages(stages) => stages.far(),
        _ => None,
    }
}

/// Request to the parent: the arrival of a rank and of all below it.
pub(crate) fn on_arrive(_token: &Token, msg: Msg<'_>) {
    if let Some(ByMessages::Tree(stage)) = by_messages() {
        stage.arrive(msg.args[0] as u32, Names::unpack(msg.args[1] as u32, msg.args[2]));
    }
}

/// Request from the parent: all ranks have arrived.
pub(crate) fn on_release(_token: &Token, msg: Msg<'_>) {
    if let Some(ByMessages::Tree(stage)) = by_messages() {
        stage.hear(PhaseWord::new(msg.args[0] as u32, Names::unpack(msg.args[1] as u32, msg.args[2])));
    }
}

/// Request: the message of another rank's step.
pub(crate) fn on_step(_token: &Token, msg: Msg<'_>) {
    if let Some(ByMessages::Dissem(stage)) = by_messages() {
        let (phase, step, state) = (msg.args[0] as u32, msg.args[1] as u32 >> 2, msg.args[1] as u32 & 3);
        stage.hear(step, phase, Names::unpack(state, msg.args[2]));
    }
}
