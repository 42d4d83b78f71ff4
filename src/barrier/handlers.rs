//! The handlers of barriers by messages: they only record arrivals.

use super::Stage;
use super::names::{Names, PhaseWord};
use super::of_all::of_all;
use crate::am::token::Token;
use crate::defs::message::Msg;
use crate::job::job;

/// Request to rank 0: the arrival of a rank.
pub(crate) fn on_arrive(_token: &Token, msg: Msg<'_>) {
    if let Stage::Central(stage) = &of_all(job()).stage {
        stage.arrive(msg.args[0] as u32, Names::unpack(msg.args[1] as u32, msg.args[2]));
    }
}

/// Request from rank 0: all ranks have arrived.
pub(crate) fn on_release(_token: &Token, msg: Msg<'_>) {
    if let Stage::Central(stage) = &of_all(job()).stage {
        stage.hear(PhaseWord::new(msg.args[0] as u32, Names::unpack(msg.args[1] as u32, msg.args[2])));
    }
}

/// Request: the message of another rank's step.
pub(crate) fn on_step(_token: &Token, msg: Msg<'_>) {
    let stage = match &of_all(job()).stage {
        Stage::Dissem(stage) => Some(stage),
        Stage::TwoStages(stages) => stages.far(),
        _ => None,
    };
    if let Some(stage) = stage {
        let (phase, step, state) = (msg.args[0] as u32, msg.args[1] as u32 >> 2, msg.args[1] as u32 & 3);
        stage.hear(step, phase, Names::unpack(state, msg.args[2]));
    }
}
