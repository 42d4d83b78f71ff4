//! Threads that run before the ranks of a host are forked: in the other ranks only the forking thread exists.

use core::ops::Range;
use std::fs;
use std::path::Path;

use crate::bootstrap::page::ControlPage;
use crate::defs::rank::HostRank;
use crate::fatal::warn;
use crate::os::process;
use crate::places::Ranks;

/// The kernel's mark of a task that has begun to end (PF_EXITING of its task.h; field 9 of proc_pid_stat(5)). A joined thread
/// may still be listed.
const EXITING: u32 = 4;
const FLAGS_AFTER_NAME: usize = 6;

/// Warns if this process, which forks those `ranks` of the host, has `others` as threads besides this one. A lock that such a
/// thread holds, of the client's or of another library's, stays locked in those ranks.
pub(crate) fn warn_of_others(others: usize, ranks: Range<u32>, page: &ControlPage) {
    if others == 0 || ranks.is_empty() {
        return;
    }
    let (threads, run, have) = if others == 1 { ("thread", "runs", "it") } else { ("threads", "run", "them") };
    let ranks: Ranks = ranks.map(|rank| page.job_rank(HostRank(rank))).collect();
    warn!(
        "{others} other {threads} already {run} in gasnet_init (gex_Client_Init): {ranks} of this host, started by fork, will \
         not have {have}; initialise GASNet before threads are started"
    );
}

/// Threads of this process besides the calling one; 0 where /proc does not tell.
pub(crate) fn others() -> usize {
    let Ok(tasks) = fs::read_dir("/proc/self/task") else { return 0 };
    let me = process::thread_id();
    let is_other = |task: &fs::DirEntry| {
        let tid = task.file_name().to_str().and_then(|tid| tid.parse::<i32>().ok());
        tid != Some(me) && lives(&task.path())
    };
    tasks.flatten().filter(is_other).count()
}

fn lives(task: &Path) -> bool {
    // No file: it has ended since.
    let Ok(stat) = fs::read_to_string(task.join("stat")) else { return false };
    let after_name = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
    let flags = after_name.split(' ').nth(FLAGS_AFTER_NAME).and_then(|flags| flags.parse::<u32>().ok());
    flags.is_none_or(|flags| flags & EXITING == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    // Tests run in threads of their own: counts are compared.
    #[test]
    fn a_thread_counts_while_it_runs() {
        let (end, wait) = channel::<()>();
        let (say, started) = channel();
        let thread = std::thread::spawn(move || {
            let _ = say.send(process::thread_id());
            let _ = wait.recv();
        });
        let tid = started.recv().unwrap();
        let task = format!("/proc/self/task/{tid}");
        assert!(lives(Path::new(&task)) && others() >= 1);
        drop(end);
        thread.join().unwrap();
        assert!(!lives(Path::new(&task)));
    }
}
