//! The last steps of a wait, as `src/am/wait.rs` takes them, for the models of loom.

use crate::Bell;

/// Announces the sleeper, tests the condition once more, and sleeps if it does not hold; returns whether it does.
pub fn sleep_unless(bell: &Bell, cond: &mut impl FnMut() -> bool) -> bool {
    let seen = bell.arm();
    let holds = cond();
    if !holds {
        bell.sleep(seen, u64::MAX);
    }
    bell.disarm();
    holds
}
