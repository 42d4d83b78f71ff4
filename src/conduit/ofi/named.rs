//! Memory that provider shm shares by the names of files in /dev/shm: once all ranks have mapped it, the names go, so that ranks that are
//! killed leave none behind.

use std::fs;

use crate::bootstrap::contract::Bootstrap;
use crate::defs::rank::JobRank;
use crate::os::maps::mapped_files;

const MAPPED: &str = "ofi.mapped";

/// The file of the endpoint with this address: `fi_shm://PID:UID:N`, as libfabric 1 and 2 have it.
fn file(address: &[u8]) -> Option<String> {
    let text = address.split(|&byte| byte == 0).next()?;
    let name = std::str::from_utf8(text).ok()?.strip_prefix("fi_shm://")?;
    (!name.is_empty() && !name.contains('/')).then(|| format!("/dev/shm/{name}"))
}

/// Called by all ranks after each has inserted the addresses of all, `addresses`, its own at `me`, and sent to them. If a rank's provider has
/// not mapped the memory of a peer yet, the names stay, and the provider removes them when it is closed.
pub(super) fn remove(bootstrap: &dyn Bootstrap, addresses: &[Vec<u8>], me: JobRank) {
    let files: Option<Vec<String>> = addresses.iter().map(|address| file(address)).collect();
    let mapped = mapped_files();
    let own = files.filter(|files| files.iter().all(|file| mapped.contains(file)));
    bootstrap.put(MAPPED, &[u8::from(own.is_some())]);
    bootstrap.fence();
    let all = (0..addresses.len() as u32).all(|rank| bootstrap.get(JobRank(rank), MAPPED).as_deref() == Some(&[1]));
    if let Some(own) = own.filter(|_| all) {
        // The provider tries again when the endpoint is closed.
        _ = fs::remove_file(&own[me.0 as usize]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_shm_name_files() {
        assert_eq!(file(b"fi_shm://12:0:3\0\0"), Some("/dev/shm/12:0:3".to_owned()));
        for other in [&b"fi_shm://"[..], b"fi_shm://../12", b"fi_ns://12:0", b"\xff\xff", b""] {
            assert_eq!(file(other), None);
        }
    }
}
