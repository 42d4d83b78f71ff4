//! PMIx, as mpirun and prterun, `srun --mpi=pmix` and others offer it, through the machine's libpmix (`pmix_library`). Its calls
//! take locks and allocate, so a thread makes the calls at the end of a job, which a signal handler may request.

use core::ffi::c_int;
use std::ffi::CString;
use std::fs::File;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::unistd::write;

use crate::env;
use crate::launch::external::connection::{late_ranks, patience};
use crate::launch::external::kvs::Kvs;
use crate::launch::external::over::{Over, Place};
use crate::launch::external::pmix_library::{Pmix, PmixStatus, Value};
use crate::os::files;
use crate::os::process;
use crate::os::signal::Mask;

/// Servers accept longer values; with this length, a small job's fence is one message for each rank.
const MOST_VALUE: usize = 4096;

pub(crate) struct PmixKvs {
    pmix: &'static Pmix,
    name: String,
    /// To the thread that ends: 4 bytes of a code, or `LEAVE`; and from it: one byte.
    end: OwnedFd,
    ended: OwnedFd,
    /// Readable when the server has ended.
    served: OwnedFd,
}

/// No exit code.
const LEAVE: c_int = c_int::MIN;
/// The longest wait for PMIx when the process ends.
const END_MS: u16 = 1000;

impl PmixKvs {
    /// Makes the thread end the job, or leave it; may be called in a signal handler.
    fn end_with(&self, code: c_int) {
        if write(&self.end, &code.to_ne_bytes()).is_ok() {
            let _ = poll(&mut [PollFd::new(self.ended.as_fd(), PollFlags::POLLIN)], END_MS);
        }
    }
}

/// The connection of this process to the server, which libpmix has made; none if it is not found: then the server's death is
/// not seen. The library itself says nothing of it.
fn connection() -> Option<OwnedFd> {
    const NAMES: [&str; 5] =
        ["PMIX_SERVER_URI41", "PMIX_SERVER_URI4", "PMIX_SERVER_URI3", "PMIX_SERVER_URI21", "PMIX_SERVER_URI2"];
    let port = |name: &str| env::raw(name)?.rsplit_once(':')?.1.trim().parse::<u16>().ok();
    let ports: Vec<u16> = NAMES.into_iter().filter_map(port).collect();
    let fds = std::fs::read_dir("/proc/self/fd").ok()?.flatten();
    fds.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).find_map(|fd| {
        let socket = TcpStream::from(process::duplicate(fd).ok()?);
        let leads_there = socket.peer_addr().is_ok_and(|peer| ports.contains(&peer.port()));
        leads_there.then(|| OwnedFd::from(socket))
    })
}

/// The thread: writes to `serves` when the server hangs up (a warden may have this end, too), and executes the first word.
fn attend(pmix: &Pmix, server: Option<OwnedFd>, mut serves: File, mut words: File, mut done: impl Write) {
    // Also a bit that nix does not know: the server sends nothing more.
    let hang_up = PollFlags::from_bits_retain(libc::POLLRDHUP);
    let mut lost = false;
    while let Some(server) = server.as_ref().filter(|_| !lost) {
        let mut fds = [PollFd::new(words.as_fd(), PollFlags::POLLIN), PollFd::new(server.as_fd(), hang_up)];
        let polled = poll(&mut fds, PollTimeout::NONE).is_ok();
        if polled && fds[0].any() != Some(false) {
            break;
        }
        lost = polled && fds[1].any() != Some(false);
    }
    if lost {
        let _ = serves.write_all(b".");
    }
    // It is open as long as the process: it would hang up.
    std::mem::forget(serves);
    let mut word = [0; 4];
    if words.read_exact(&mut word).is_ok() {
        match c_int::from_ne_bytes(word) {
            _ if lost => {}
            LEAVE => pmix.finalize(),
            code => pmix.abort(code),
        }
        let _ = done.write_all(b".");
    }
}

fn failed(what: &str, status: PmixStatus) -> String {
    format!("{what} fails: {status}")
}

impl Kvs for PmixKvs {
    fn name(&self) -> &str {
        &self.name
    }

    fn longest(&self) -> usize {
        MOST_VALUE
    }

    fn is_text(&self) -> bool {
        false
    }

    fn put(&self, key: &str, value: &[u8]) -> Result<(), String> {
        self.pmix.put(&name(key), value).map_err(|status| failed("PMIx_Put", status))
    }

    fn fence(&self, puts: bool) -> Result<(), String> {
        if puts {
            self.pmix.commit().map_err(|status| failed("PMIx_Commit", status))?;
        }
        match self.pmix.fence(puts, patience()) {
            Some(Ok(())) => Ok(()),
            Some(Err(status)) => Err(failed("PMIx_Fence", status)),
            None => Err(late_ranks()),
        }
    }

    fn get(&self, of: u32, key: &str) -> Result<Option<Vec<u8>>, String> {
        match self.pmix.get(Some(of), &name(key), patience()) {
            Ok(Value::Bytes(bytes)) => Ok(Some(bytes)),
            Ok(_) => Err("PMIx_Get returned a value of another type than was put".to_string()),
            Err(status) if status.is_not_found() => Ok(None),
            Err(status) => Err(failed("PMIx_Get", status)),
        }
    }

    fn abort(&self, code: c_int) {
        self.end_with(if code == LEAVE { 1 } else { code });
    }

    fn leave(&self) {
        self.end_with(LEAVE);
    }

    fn died(&self) -> Option<c_int> {
        Some(self.served.as_raw_fd())
    }
}

fn name(key: &str) -> CString {
    CString::new(key).unwrap_or_default()
}

/// Joins the job of the PMIx server that the environment leads to.
pub(crate) fn join() -> Result<Over<PmixKvs>, String> {
    let pmix = Pmix::open()?;
    // The threads of PMIx and ours take no signals.
    Mask::all_blocked(|| joined(pmix)).map(|(kvs, place)| Over::new(kvs, place))
}

fn joined(pmix: &'static Pmix) -> Result<(PmixKvs, Place), String> {
    let namespace = env::raw("PMIX_NAMESPACE").unwrap_or_default();
    let who = format!("the launcher that offers PMIx (PMIX_NAMESPACE={namespace}, {})", pmix.file());
    let of = |why: String| format!("{who}: {why}");
    let rank = pmix.init().map_err(|status| of(failed("PMIx_Init", status)))?;
    let size = match pmix.get(None, c"pmix.job.size", patience()) {
        Ok(Value::Number(size)) if size > rank => size,
        Ok(other) => return Err(of(format!("it describes the job's size as {other:?} at rank {rank}"))),
        Err(status) => return Err(of(failed("the question for the job's size", status))),
    };
    // Without the list the ranks find it by an exchange.
    let peers = match pmix.get(None, c"pmix.lpeers", patience()) {
        Ok(Value::Text(list)) => local_peers(&list, rank, size),
        _ => None,
    };
    let pipe = || files::pipe().map_err(|error| of(error.to_string()));
    let ((words, end_word), (ended, done), (served, serves)) = (pipe()?, pipe()?, pipe()?);
    let server = connection();
    let waiting = std::thread::Builder::new().name("gasnet-pmix".to_string());
    waiting
        .spawn(move || attend(pmix, server, serves, words, done))
        .map_err(|error| of(format!("no thread: {error}")))?;
    let kvs = PmixKvs { pmix, name: who.clone(), end: end_word.into(), ended: ended.into(), served: served.into() };
    let job = format!("pmix {namespace} {}", env::raw("PMIX_SERVER_URI2").unwrap_or_default());
    Ok((kvs, Place { rank, size, peers, address: None, job }))
}

/// The ranks in a list `0,1,5`, as PMIx gives those of this host; `None`: it is malformed, or `me` is not in it.
pub fn local_peers(list: &str, me: u32, size: u32) -> Option<Vec<u32>> {
    let mut ranks: Vec<u32> = list.split(',').map(|rank| rank.trim().parse().ok()).collect::<Option<_>>()?;
    ranks.sort_unstable();
    ranks.dedup();
    (ranks.last()? < &size && ranks.binary_search(&me).is_ok()).then_some(ranks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_ranks_names_this_one() {
        assert_eq!(local_peers("0,3, 1\n", 3, 4).unwrap(), [0, 1, 3]);
        for list in ["", "0,,1", "0,4", "0,-1", "1,2", "a"] {
            assert_eq!(local_peers(list, 0, 4), None, "{list}");
        }
    }
}
