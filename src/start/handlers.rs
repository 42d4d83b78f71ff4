//! The table of the library's own handlers: the function of each index.

use crate::am::library::*;
use crate::am::{deaths, pieces};
use crate::barrier::handlers;
use crate::coll::{check, engine, message::startup};
use crate::ratomic;
use crate::rma::amref;
use crate::start::clock;
use crate::vis;

/// Index, handler. One line each.
pub(crate) const ALL: &[(u8, LibHandler)] = &[
    (PUT_MEDIUM, amref::on_put_medium),
    (PUT_LONG, amref::on_put_long),
    (PUT_DONE, amref::on_put_done),
    (GET_MEDIUM, amref::on_get_medium),
    (GET_DATA, amref::on_get_data),
    (GET_LONG, amref::on_get_long),
    (GET_DONE, amref::on_get_done),
    (MEMSET, amref::on_memset),
    (BARRIER_STEP, handlers::on_step),
    (BARRIER_ARRIVE, handlers::on_arrive),
    (BARRIER_RELEASE, handlers::on_release),
    (VOID, deaths::on_void),
    (EXCHANGE, startup::on_exchange),
    (LONG_ARGS, pieces::on_args),
    (LONG_PIECE, pieces::on_piece),
    (CLOCK, clock::on_question),
    (CLOCK_ANSWER, clock::on_answer),
    (COLL_SIGNAL, engine::on_signal),
    (COLL_BLOCK, engine::on_block),
    (COLL_DECLARED, check::on_declared),
    (ATOMIC, ratomic::amref::on_atomic),
    (ATOMIC_DONE, ratomic::amref::on_done),
    (VIS_PUT, vis::handlers::on_put),
    (VIS_GET, vis::handlers::on_get),
    (VIS_GET_DATA, vis::handlers::on_get_data),
    (VIS_PEER, vis::peer::on_announce),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_index_has_one_handler() {
        let mut indices: Vec<u8> = ALL.iter().map(|of| of.0).collect();
        indices.sort_unstable();
        assert!(indices.is_sorted_by(|a, b| a < b) && indices.iter().all(|&index| index < 128), "{indices:?}");
    }
}
