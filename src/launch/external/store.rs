//! Ranks that meet by the communication library that also is their network. The key-value store is a table on each rank; a fence
//! exchanges the ranks' new values by the library's collectives.

use core::ffi::c_int;
use std::collections::HashMap;
use std::time::Duration;

use parking_lot::Mutex;

use crate::bootstrap::contract::Bootstrap;
use crate::launch::control;
use crate::launch::external::detect;
use crate::launch::external::kvs::Kvs;
use crate::launch::external::over::{Over, Place};
use crate::os::local_socket;
use crate::os::process::{self, Line};
use crate::os::signal;

/// Records are cut into values of this length; any would do.
const MOST_VALUE: usize = 1 << 20;

#[derive(Default)]
struct Store {
    /// Put since the last fence.
    mine: Vec<(String, Vec<u8>)>,
    all: HashMap<(u32, String), Vec<u8>>,
}

/// Keys and values as bytes: the length of each before it.
fn written(values: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (key, value) in values {
        for part in [key.as_bytes(), value] {
            bytes.extend((part.len() as u32).to_le_bytes());
            bytes.extend_from_slice(part);
        }
    }
    bytes
}

fn read(mut bytes: &[u8]) -> Option<Vec<(String, Vec<u8>)>> {
    fn part<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
        let (len, rest) = bytes.split_first_chunk::<4>()?;
        let (part, rest) = rest.split_at_checked(u32::from_le_bytes(*len) as usize)?;
        *bytes = rest;
        Some(part)
    }
    let mut values = Vec::new();
    while !bytes.is_empty() {
        let key = String::from_utf8(part(&mut bytes)?.to_vec()).ok()?;
        values.push((key, part(&mut bytes)?.to_vec()));
    }
    Some(values)
}

impl Store {
    fn put(&mut self, key: &str, value: &[u8]) {
        self.mine.push((key.to_string(), value.to_vec()));
    }

    fn get(&self, of: u32, key: &str) -> Option<Vec<u8>> {
        self.all.get(&(of, key.to_string())).cloned()
    }

    /// Hands this rank's new values to all. `allgather` returns the bytes of each rank, in their order, for equally many of this one.
    fn exchange(&mut self, allgather: impl Fn(&[u8]) -> Result<Vec<u8>, String>) -> Result<(), String> {
        let mine = written(&core::mem::take(&mut self.mine));
        let lengths = allgather(&(mine.len() as u64).to_le_bytes())?;
        let lengths: Vec<usize> = lengths
            .chunks_exact(8)
            .map(|len| len.iter().rev().fold(0, |all, &byte| all << 8 | usize::from(byte)))
            .collect();
        let most = lengths.iter().copied().max().unwrap_or(0);
        if most == 0 {
            return Ok(());
        }
        let mut padded = mine;
        padded.resize(most, 0);
        let all = allgather(&padded)?;
        for (rank, (bytes, len)) in (0..).zip(all.chunks_exact(most).zip(lengths)) {
            let values =
                bytes.get(..len).and_then(read).ok_or_else(|| format!("the values of rank {rank} are corrupt"))?;
            self.all.extend(values.into_iter().map(|(key, value)| ((rank, key), value)));
        }
        Ok(())
    }
}

/// A communication library by which the ranks of a job meet.
pub(super) trait MeetingLibrary: Sync {
    /// `mine` of each rank, in their order; all are equally long. Waits for all ranks.
    fn allgather(&self, mine: &[u8]) -> Result<Vec<u8>, String>;
    /// Waits for all ranks.
    fn barrier(&self) -> Result<(), String>;
    /// As [`Kvs::abort`].
    fn abort(&self, code: c_int);
    /// As [`Kvs::part`].
    fn part(&self);
    /// As [`Kvs::leave`]. `part` may have had no effect, or not have returned.
    fn leave(&self) {
        self.part();
    }
}

/// The store of ranks that meet by a library.
struct LibraryKvs<L> {
    name: String,
    library: L,
    store: Mutex<Store>,
}

impl<L: MeetingLibrary> Kvs for LibraryKvs<L> {
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
        self.store.lock().put(key, value);
        Ok(())
    }

    fn fence(&self, puts: bool) -> Result<(), String> {
        if puts { self.store.lock().exchange(|mine| self.library.allgather(mine)) } else { self.library.barrier() }
    }

    fn get(&self, of: u32, key: &str) -> Result<Option<Vec<u8>>, String> {
        Ok(self.store.lock().get(of, key))
    }

    fn abort(&self, code: c_int) {
        self.library.abort(code);
    }

    fn part(&self) {
        self.library.part();
    }

    fn leave(&self) {
        self.library.leave();
    }
}

/// The bootstrap of rank `rank` of `size` ranks that meet by `library`, of conduit `conduit`; `name`: of the library, in messages.
pub(super) fn bootstrap<L: MeetingLibrary + 'static>(
    conduit: &str,
    name: String,
    library: L,
    rank: u32,
    size: u32,
) -> Result<&'static dyn Bootstrap, String> {
    let random = if rank == 0 { control::random().map_err(|error| error.to_string())? } else { [0; 32] };
    let job = library.allgather(&random)?;
    let job = format!("{conduit} {:x?}", &job[..random.len()]);
    let place = Place { rank, size, peers: None, address: None, job };
    Ok(Box::leak(Box::new(Over::new(LibraryKvs { name, library, store: Mutex::default() }, place))))
}

/// An error if the launcher has started several processes, but the library `name` finds `size` = 1; `variable` names another library.
pub(super) fn check_size(size: u32, name: &str, variable: &str) -> Result<(), String> {
    match detect::started().filter(|(number, _)| size == 1 && *number > 1) {
        None => Ok(()),
        Some((number, sign)) => Err(format!(
            "the launcher has started {number} processes ({sign}), but {name} finds one: start the program with that library's \
             launcher, or name the launcher's library by {variable}"
        )),
    }
}

/// Where all ranks of a host fail to join, one says why.
pub(super) fn or_fail_once<T>(joined: Result<T, String>) -> Result<T, String> {
    joined.inspect_err(|why| {
        if detect::started().is_some() {
            fail_once(why);
        }
    })
}

/// Ends this process; of those that the same process has started, and that fail at the same time, the first prints the line.
pub(super) fn fail_once(why: &str) -> ! {
    const FIRST_RANKS_TURN: Duration = Duration::from_millis(100);
    const OTHERS_ASK: Duration = Duration::from_millis(500);
    if detect::rank_shown().is_some_and(|rank| rank > 0) {
        process::nap(FIRST_RANKS_TURN);
    }
    if local_socket::claim(&format!("gasnet-start-{}", process::parent())) {
        Line::of(format_args!("*** FATAL ERROR: {why}")).print();
    }
    process::nap(OTHERS_ASK);
    signal::die_of(libc::SIGABRT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_they_were_written() {
        let values = vec![("a".to_string(), vec![]), ("key-2".to_string(), vec![7; 300])];
        assert_eq!(read(&written(&values)), Some(values));
        assert_eq!(read(&[]), Some(vec![]));
        for broken in [&[1][..], &[1, 0, 0, 0], &[1, 0, 0, 0, b'a'], &[1, 0, 0, 0, 0xff, 0, 0, 0, 0]] {
            assert_eq!(read(broken), None);
        }
    }
}
