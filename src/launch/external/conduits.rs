//! Ranks that their launcher has started on different conduits cannot meet: each waits in its own library. So a process that is one of
//! several holds a name of this machine that contains its conduit until all have met, and looks for the names of other conduits.

use std::os::fd::OwnedFd;

use super::store::fail_once;
use super::{detect, words};
use crate::env;
use crate::launch::worker;
use crate::os::{local_socket, process};

/// The name that says that a process of this launcher's job runs on `conduit`.
fn name_of(conduit: &str) -> String {
    let mut hash = blake3::Hasher::new();
    hash.update(&worker::machine());
    let step = words::number("SLURM_STEP_ID").map(|step| format!("{:?}.{step}", env::raw("SLURM_JOB_ID")));
    let job = env::raw("PMIX_NAMESPACE").or(step).unwrap_or_else(|| process::parent().to_string());
    hash.update(job.as_bytes());
    hash.update(conduit.as_bytes());
    format!("gasnet-on-{}", &hash.finalize().to_hex()[..32])
}

/// Says that this process runs on `conduit` until the result is dropped: when all ranks of the job have met. If a rank of the job on this
/// host runs on one of `others`, the process ends with a line.
pub(crate) fn announce<'a>(conduit: &str, others: impl Iterator<Item = &'a str>) -> Option<OwnedFd> {
    detect::started().filter(|_| !detect::is_refused())?;
    // Another rank on the same conduit may have the name already. First the own name, then the look: of two processes one sees the other.
    let held = local_socket::listen(&name_of(conduit)).ok();
    for other in others {
        if local_socket::connect(&name_of(other)).is_ok() {
            fail_once(&format!(
                "the ranks of this job are on different conduits: one of this host is on {other}, this one on {conduit}: GASNET_CONDUIT \
                 has to be the same for all"
            ));
        }
    }
    held
}
