//! The rows of statistics and traces: a public call, by its name, or an event inside the library.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::trace::mask::Letter;

/// Index of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Row(pub u16);

impl Row {
    /// No row: nothing is recorded.
    pub const NONE: Row = Row(u16::MAX);
    // Rows that are not calls; the first of the table, in this order.
    pub const REQUEST_HANDLER: Row = Row(0);
    pub const REPLY_HANDLER: Row = Row(1);
    pub const BARRIER_PHASE: Row = Row(2);
    pub const DATAGRAMS: Row = Row(3);
    pub const INFO: Row = Row(4);
    pub const SYNC_DONE: Row = Row(5);
    pub const SYNC_NOT_READY: Row = Row(6);
    pub const CLIENT: Row = Row(7);
    /// A thread slept in a wait until it was woken, or until its time limit.
    pub const SLEEP_WOKEN: Row = Row(8);
    pub const SLEEP_TIMED_OUT: Row = Row(9);

    #[inline]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    pub fn name(self) -> &'static str {
        table().names[self.index()].0
    }

    pub fn letter(self) -> Letter {
        table().names[self.index()].1
    }

    pub fn all() -> impl Iterator<Item = Row> {
        (0..table().names.len() as u16).map(Row)
    }
}

const FIRST: [(&str, Letter); 10] = [
    ("AM_REQUEST_HANDLER", Letter::AM),
    ("AM_REPLY_HANDLER", Letter::AM),
    ("BARRIER_NOTIFY_TO_WAIT", Letter::BARRIER),
    ("UDP_DATAGRAMS", Letter::CONDUIT),
    ("INFO", Letter::INFO),
    ("SYNC_DONE", Letter::SYNC),
    ("SYNC_NOT_READY", Letter::SYNC),
    ("CLIENT", Letter::CLIENT),
    ("SLEEP_WOKEN", Letter::POLL),
    ("SLEEP_TIMED_OUT", Letter::POLL),
];

/// Public calls, by letter: a prefix, and the rest of each name, separated by blanks; `{}` is an empty rest.
#[rustfmt::skip]
const CALLS: &[(Letter, &str, &str)] = &[
    (Letter::GET, "gasnet_get", "{} _bulk _nb _nb_bulk _nbi _nbi_bulk _val _nb_val"),
    (Letter::GET, "gasnet_get", "s_bulk s_nb_bulk s_nbi_bulk v_bulk v_nb_bulk v_nbi_bulk i_bulk i_nb_bulk i_nbi_bulk"),
    (Letter::GET, "gex_RMA_Get", "Blocking NB NBI BlockingVal"),
    (Letter::GET, "gex_VIS_", "VectorGetBlocking VectorGetNB VectorGetNBI IndexedGetBlocking IndexedGetNB IndexedGetNBI StridedGetBlocking StridedGetNB StridedGetNBI"),
    (Letter::PUT, "gasnet_put", "{} _bulk _nb _nb_bulk _nbi _nbi_bulk _val _nb_val _nbi_val"),
    (Letter::PUT, "gasnet_put", "s_bulk s_nb_bulk s_nbi_bulk v_bulk v_nb_bulk v_nbi_bulk i_bulk i_nb_bulk i_nbi_bulk"),
    (Letter::PUT, "gasnet_memset", "{} _nb _nbi"),
    (Letter::PUT, "gex_RMA_Put", "Blocking NB NBI BlockingVal NBVal NBIVal"),
    (Letter::PUT, "gex_VIS_", "VectorPutBlocking VectorPutNB VectorPutNBI IndexedPutBlocking IndexedPutNB IndexedPutNBI StridedPutBlocking StridedPutNB StridedPutNBI"),
    (Letter::ATOMIC, "gex_AD_Op", "NB_I32 NB_U32 NB_I64 NB_U64 NB_FLT NB_DBL NBI_I32 NBI_U32 NBI_I64 NBI_U64 NBI_FLT NBI_DBL"),
    (Letter::SYNC, "gasnet_wait_sync", "nb nb_all nb_some nb_valget nbi_puts nbi_gets nbi_all"),
    (Letter::SYNC, "gasnet_try_sync", "nb nb_nopoll nb_all nb_all_nopoll nb_some nb_some_nopoll nbi_puts nbi_gets nbi_all"),
    (Letter::SYNC, "gex_Event_", "Test TestSome TestAll Wait WaitSome WaitAll"),
    (Letter::SYNC, "gex_NBI_", "Test Wait"),
    (Letter::COLL, "gex_Coll_", "BarrierNB BarrierBlocking BroadcastNB ReduceToOneNB ReduceToAllNB"),
    (Letter::COLL, "gasnet_coll_", "init broadcast broadcast_nb scatter scatter_nb gather gather_nb gather_all gather_all_nb exchange exchange_nb reduce reduce_nb scan scan_nb"),
    (Letter::COLL, "gasnet_coll_", "broadcastM broadcastM_nb scatterM scatterM_nb gatherM gatherM_nb gather_allM gather_allM_nb exchangeM exchangeM_nb reduceM reduceM_nb scanM scanM_nb"),
    (Letter::COLL_SYNC, "gasnet_coll_", "try_sync try_sync_some try_sync_all wait_sync wait_sync_some wait_sync_all"),
    (Letter::BARRIER, "gasnet_", "barrier barrier_notify barrier_wait barrier_try coll_barrier coll_barrier_notify coll_barrier_wait coll_barrier_try"),
    (Letter::LOCK, "gasnet_hsl_", "lock trylock unlock"),
    (Letter::LOCK, "gex_HSL_", "Lock Trylock Unlock"),
    (Letter::AM, "gasnet_AM", "RequestShort RequestMedium RequestLong RequestLongAsync ReplyShort ReplyMedium ReplyLong"),
    (Letter::AM, "gex_AM_", "RequestShort RequestMedium RequestLong ReplyShort ReplyMedium ReplyLong"),
    (Letter::AM, "gex_AM_Commit", "RequestMedium RequestLong ReplyMedium ReplyLong"),
    (Letter::POLL, "gasnet_AMPoll", "{}"),
    (Letter::OBJECT, "gasnet_", "attach coll_team_split coll_team_create coll_team_free"),
    (Letter::OBJECT, "gex_", "Segment_Attach Segment_Create Segment_Destroy EP_Create EP_BindSegment EP_PublishBoundSegment EP_RegisterHandlers"),
    (Letter::OBJECT, "gex_", "TM_Split TM_Create TM_Dup TM_Destroy AD_Create AD_Destroy MK_Create MK_Destroy"),
];

struct RowTable {
    names: Vec<(&'static str, Letter)>,
    by_name: HashMap<&'static str, Row>,
}

fn table() -> &'static RowTable {
    static TABLE: OnceLock<RowTable> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut names = FIRST.to_vec();
        for (letter, stem, endings) in CALLS {
            for ending in endings.split(' ') {
                let name: &'static str = match ending {
                    "{}" => stem,
                    ending => Box::leak(format!("{stem}{ending}").into_boxed_str()),
                };
                names.push((name, *letter));
            }
        }
        let by_name = names.iter().enumerate().map(|(at, (name, _))| (*name, Row(at as u16))).collect();
        RowTable { names, by_name }
    })
}

/// The row of a public call.
pub(crate) fn of_call(call: &str) -> Row {
    table().by_name.get(call).copied().unwrap_or(Row::NONE)
}

/// The row whose name is `name`.
pub fn of_name(name: &str) -> Option<Row> {
    table().by_name.get(name).copied()
}

/// The number of rows.
pub(crate) fn count() -> usize {
    table().names.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_has_one_row_that_says_its_name() {
        assert_eq!(table().by_name.len(), count());
        assert_eq!(of_call("gasnet_put").name(), "gasnet_put");
        assert_eq!(of_call("gex_Event_WaitAll").letter(), Letter::SYNC);
        assert_eq!(of_call("no_such_call"), Row::NONE);
    }

    #[test]
    fn rows_that_are_no_calls_come_first() {
        assert_eq!(Row::BARRIER_PHASE.name(), "BARRIER_NOTIFY_TO_WAIT");
        assert_eq!(Row::CLIENT.letter(), Letter::CLIENT);
        assert_eq!(Row::SLEEP_TIMED_OUT.name(), "SLEEP_TIMED_OUT");
    }
}
