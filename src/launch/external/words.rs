//! Numbers that launchers leave in the environment.

use crate::env;

pub(crate) fn number(name: &str) -> Option<u32> {
    env::raw(name)?.trim().parse().ok()
}

/// A number that the environment must have.
pub(crate) fn needed(name: &str) -> Result<u32, String> {
    let text = env::raw(name).ok_or_else(|| format!("{name} is not set"))?;
    text.trim().parse().map_err(|_| format!("{name}='{text}' is not a number"))
}
