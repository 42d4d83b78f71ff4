//! Tests of the contract of bootstraps with real processes: fork and the warden, the master of one host and of several, and
//! an external launcher; and of the end of a job under such a launcher.

#[path = "udp/external.rs"]
#[allow(dead_code)]
mod external;
#[path = "udp/jobs.rs"]
mod jobs;

use external::{ABORT, FENCE, HELLO, LEAVE, WATCH, WORD, receive};
use jobs::*;
use std::collections::HashMap;
use std::io::ErrorKind;
use std::net::Shutdown;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The probe as `size` ranks on this host without a master.
fn forked(size: u32, words: &[&str]) -> Command {
    let mut command = Command::new(probe());
    command.args(words);
    let mut command = clean(command);
    command.env("PROBE_FORK", size.to_string());
    command
}

/// The probe as `size` ranks on simulated hosts.
fn mastered(hosts: u32, size: u32, words: &[&str]) -> Command {
    let mut command = job(size, words);
    command.env("GASNET_UDP_LOCAL_HOSTS", hosts.to_string());
    command
}

/// As `mastered`; exchanges run along a tree in which each host has `degree` hosts below it.
fn in_tree(degree: u32, hosts: u32, size: u32, words: &[&str]) -> Command {
    let mut command = mastered(hosts, size, words);
    command.env("GASNET_TREE_DEGREE", degree.to_string());
    command
}

/// An empty file that no other test uses.
fn empty_file() -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let name = format!("barriers.{}.{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, []).unwrap();
    path
}

fn keeps_the_contract(size: u32, command: impl FnOnce(&[&str]) -> Command) {
    let file = empty_file();
    let out = finish(command(&["contract", file.to_str().unwrap()]));
    std::fs::remove_file(file).unwrap();
    succeeded(&out);
    assert_eq!(text(&out.stdout).lines().count(), size as usize, "{}", text(&out.stdout));
}

#[test]
fn fork_keeps_the_contract() {
    for size in [1, 2, 5] {
        keeps_the_contract(size, |words| forked(size, words));
    }
}

#[test]
fn the_master_keeps_the_contract() {
    for (hosts, size) in [(1, 1), (1, 3), (3, 7)] {
        keeps_the_contract(size, |words| mastered(hosts, size, words));
    }
    // The last job has a tree of itself.
    for (degree, hosts, size) in [(1, 2, 4), (1, 4, 4), (2, 6, 8), (64, 5, 5)] {
        keeps_the_contract(size, |words| in_tree(degree, hosts, size, words));
    }
    keeps_the_contract(17, |words| mastered(17, 17, words));
}

#[test]
fn hosts_of_one_machine_know_of_each_others_ranks() {
    let out = finish(mastered(2, 3, &["beside"]));
    succeeded(&out);
    let mut lines: Vec<String> = text(&out.stdout).lines().map(str::to_string).collect();
    lines.sort();
    assert_eq!(lines, ["rank 0 has 1 beside", "rank 1 has 1 beside", "rank 2 has 2 beside"]);
}

#[test]
fn an_abort_ends_the_job_with_its_code_and_one_line() {
    let jobs = |words: &[&str]| {
        [forked(1, words), forked(4, words), mastered(1, 2, words), mastered(2, 4, words), in_tree(1, 3, 4, words)]
    };
    for who in ["0", "all"] {
        for command in jobs(&["abort", "7", "no port is free", who]) {
            let out = finish(command);
            assert_eq!(out.status.code(), Some(7), "{}", text(&out.stderr));
            assert_eq!(complaint(&out), "*** FATAL ERROR: no port is free\n");
        }
    }
    let out = finish(mastered(2, 4, &["abort", "9", "", "3"]));
    assert_eq!((out.status.code(), text(&out.stderr)), (Some(9), String::new()));
}

#[test]
fn a_death_ends_a_job_whose_ranks_wait_in_a_fence() {
    let forked = [forked(3, &["die", "9", "1"]), mastered(2, 4, &["die", "9", "3"])];
    let in_tree = ["0", "2", "3"].map(|victim| in_tree(1, 4, 4, &["die", "9", victim]));
    for command in forked.into_iter().chain(in_tree) {
        let mut command = command;
        command.env("PROBE_OTHERS", "fence");
        let out = finish(command);
        assert_eq!(out.status.code(), Some(128 + 9), "{}", text(&out.stderr));
        assert!(complaint(&out).contains("died of SIGKILL"), "{}", text(&out.stderr));
    }
}

#[test]
fn a_warden_that_is_killed_ends_a_job_with_a_tree() {
    for victim in 0..4 {
        let waiting = Waiting::start(in_tree(1, 4, 4, &["pids"]));
        let pid = waiting.wardens[victim];
        let out = waiting.ends_after(pid, libc::SIGKILL);
        assert!(!out.status.success());
        assert!(!complaint(&out).contains("GASNET_TREE_DEGREE"), "{}", text(&out.stderr));
    }
}

#[test]
fn a_tree_that_cannot_have_its_port_is_an_error_that_names_the_setting() {
    // Two TCP ports, of which the master has one, for three hosts.
    let mut command = in_tree(1, 3, 3, &["args"]);
    let port = 20_000 + std::process::id() % 9_000 * 4;
    command.env("GASNET_UDP_PORTS", format!("{port}-{}", port + 1));
    let line = complaint(&finish(command));
    assert!(line.contains("GASNET_UDP_PORTS"), "{line}");
}

/// A report of a rank to the test's launcher.
#[derive(Debug, PartialEq, Eq)]
enum Heard {
    Abort(u32, i32, String),
    Leave(u32),
}

/// A launcher that starts the ranks of a job one by one.
struct Launcher {
    name: String,
    listener: UnixListener,
    size: u32,
    say: Sender<Heard>,
    heard: Receiver<Heard>,
}

impl Launcher {
    fn new(size: u32) -> Launcher {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("gasnet-test-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let listener = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
        let (say, heard) = channel();
        Launcher { name, listener, size, say, heard }
    }

    fn start(&self, rank: u32, words: &[&str]) -> Child {
        self.command(rank, words).spawn().unwrap()
    }

    fn command(&self, rank: u32, words: &[&str]) -> Command {
        let mut command = Command::new(probe());
        command.args(words);
        let mut command = clean(command);
        command.env(WORD, format!("{} {rank} {}", self.name, self.size));
        command
    }

    /// Runs the ranks to their end; `lost`: reports the death of a rank to all of them once they have entered a fence.
    fn run(self, words: &[&str], lost: bool) -> (Vec<Output>, Vec<Heard>) {
        let children: Vec<_> = (0..self.size).map(|rank| self.start(rank, words)).collect();
        let serving = self.serve(lost);
        let ends: Vec<_> = children.into_iter().map(finish_child).collect();
        (ends, serving.end())
    }

    /// Serves the connections of the ranks, which are started before or after this call.
    fn serve(self, lost: bool) -> Serving {
        let Launcher { listener, size, say, heard, .. } = self;
        let (there, all_are_there) = channel();
        let server = std::thread::spawn(move || serve(&listener, size, &say, lost, &there));
        Serving { server, heard, all_are_there }
    }
}

struct Serving {
    server: JoinHandle<()>,
    heard: Receiver<Heard>,
    /// Receives the connections whose end tells the ranks that the job has to end.
    all_are_there: Receiver<Vec<UnixStream>>,
}

impl Serving {
    /// Returns the reports of the ranks, once all have ended.
    fn end(self) -> Vec<Heard> {
        drop(self.all_are_there);
        self.server.join().unwrap();
        self.heard.iter().collect()
    }
}

/// Accepts all ranks, and gives each fence's records to all of them until none is left.
fn serve(listener: &UnixListener, size: u32, say: &Sender<Heard>, lost: bool, there: &Sender<Vec<UnixStream>>) {
    let (mut ranks, mut watches) = (HashMap::new(), Vec::new());
    for _ in 0..2 * size {
        let conn = accept(listener);
        let (kind, rank) = receive(&conn).unwrap();
        let rank = u32::from_le_bytes(rank.try_into().unwrap());
        match kind {
            HELLO => _ = ranks.insert(rank, conn),
            WATCH => watches.push(conn),
            _ => panic!("a connection begins with {kind}"),
        }
    }
    if !lost {
        let copies = watches.iter().map(|watch: &UnixStream| watch.try_clone().unwrap()).collect();
        let _ = there.send(copies);
    }
    std::thread::scope(|scope| {
        let (offer, offers) = channel();
        for (&rank, conn) in &ranks {
            let (offer, say) = (offer.clone(), say.clone());
            scope.spawn(move || listen(rank, conn, &offer, &say));
        }
        drop(offer);
        let mut all: Vec<Vec<u8>> = Vec::new();
        for records in offers {
            all.push(records);
            if all.len() == size as usize {
                if lost {
                    watches.clear();
                    continue;
                }
                let all = std::mem::take(&mut all).concat();
                ranks.values().for_each(|conn| external::send(conn, FENCE, &all));
            }
        }
    });
}

fn accept(listener: &UnixListener) -> UnixStream {
    listener.set_nonblocking(true).unwrap();
    let started = Instant::now();
    loop {
        match listener.accept() {
            Ok((conn, _)) => {
                conn.set_nonblocking(false).unwrap();
                return conn;
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => assert!(started.elapsed() < LIMIT, "nobody comes"),
            Err(error) => panic!("{error}"),
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn listen(rank: u32, conn: &UnixStream, offer: &Sender<Vec<u8>>, say: &Sender<Heard>) {
    while let Some((kind, bytes)) = receive(conn) {
        let _ = match kind {
            FENCE => offer.send(bytes).map_err(|_| ()),
            LEAVE => say.send(Heard::Leave(rank)).map_err(|_| ()),
            ABORT => {
                let (code, line) = bytes.split_first_chunk::<4>().unwrap();
                say.send(Heard::Abort(rank, i32::from_le_bytes(*code), text(line))).map_err(|_| ())
            }
            _ => panic!("rank {rank} says {kind}"),
        };
    }
}

#[test]
fn a_launcher_that_is_not_ours_keeps_the_contract() {
    let file = empty_file();
    let (ends, heard) = Launcher::new(3).run(&["contract", file.to_str().unwrap()], false);
    std::fs::remove_file(file).unwrap();
    ends.iter().for_each(succeeded);
    // The contract's leave, and that of the end.
    assert_eq!(heard.iter().filter(|heard| matches!(heard, Heard::Leave(_))).count(), 6, "{heard:?}");
}

#[test]
fn a_rank_that_ends_well_leaves_its_launcher_once() {
    for words in [["code", "0"], ["leave", "return"]] {
        let (ends, mut heard) = Launcher::new(2).run(&words, false);
        assert!(ends.iter().all(|end| end.status.success() && end.stderr.is_empty()));
        heard.sort_by_key(|heard| matches!(heard, Heard::Leave(1)));
        assert_eq!(heard, [Heard::Leave(0), Heard::Leave(1)]);
    }
}

#[test]
fn a_rank_that_does_not_end_well_aborts_the_job_with_its_code() {
    let (ends, heard) = Launcher::new(1).run(&["exit", "7", "0"], false);
    assert_eq!((ends[0].status.code(), text(&ends[0].stderr)), (Some(7), String::new()));
    assert_eq!(heard, [Heard::Abort(0, 7, String::new())]);
    let (ends, heard) = Launcher::new(1).run(&["die", "8", "0"], false);
    assert_eq!(ends[0].status.signal(), Some(8));
    assert!(complaint(&ends[0]).contains("SIGFPE"), "{}", text(&ends[0].stderr));
    assert_eq!(heard, [Heard::Abort(0, 128 + 8, String::new())]);
    let (ends, heard) = Launcher::new(1).run(&["fatal", "0"], false);
    assert_eq!(ends[0].status.signal(), Some(6));
    assert!(text(&ends[0].stderr).contains("FATAL ERROR (proc 0): internal error: as asked"));
    assert_eq!(heard, [Heard::Abort(0, 128 + 6, String::new())]);
}

#[test]
fn a_rank_that_learns_of_a_death_ends_and_says_so() {
    let (ends, heard) = Launcher::new(2).run(&["args"], true);
    for end in &ends {
        assert_eq!(end.status.code(), Some(1));
        assert!(complaint(end).contains("a rank, or what started the job, is gone"), "{}", text(&end.stderr));
    }
    assert_eq!(heard.len(), 2);
    assert!(heard.iter().all(|heard| matches!(heard, Heard::Abort(_, 1, line) if line.is_empty())), "{heard:?}");
}

/// A launcher that starts each rank when the one before has ended: no rank needs the others for its end, and none prints a
/// line.
#[test]
fn ranks_that_are_started_one_by_one_each_leave_once() {
    for words in [["code", "0"], ["leave", "return"]] {
        let launcher = Launcher::new(3);
        let end_of = |rank| finish_child(launcher.start(rank, &words));
        let ends: Vec<_> = [2, 0, 1].map(end_of).into();
        assert!(ends.iter().all(|end| end.status.success() && end.stderr.is_empty()), "{ends:?}");
        let mut heard = launcher.serve(false).end();
        heard.sort_by_key(|heard| match heard {
            Heard::Leave(rank) | Heard::Abort(rank, ..) => *rank,
        });
        assert_eq!(heard, [0, 1, 2].map(Heard::Leave));
    }
}

/// As `mpirun` does, the launcher ends the others when a rank has aborted the job.
#[test]
fn a_launcher_learns_the_code_from_the_rank_that_exits_and_ends_the_others() {
    let launcher = Launcher::new(3);
    let mut children = [0, 1, 2].map(|rank| Some(launcher.start(rank, &["exit", "7", "1"])));
    let serving = launcher.serve(false);
    let _watches = serving.all_are_there.recv_timeout(LIMIT).unwrap();
    let first = serving.heard.recv_timeout(LIMIT).unwrap();
    assert_eq!(first, Heard::Abort(1, 7, String::new()));
    let end = finish_child(children[1].take().unwrap());
    assert_eq!((end.status.code(), text(&end.stderr)), (Some(7), String::new()));
    for mut child in children.into_iter().flatten() {
        assert!(child.try_wait().unwrap().is_none(), "a rank ended by itself, though the launcher ends the job");
        child.kill().unwrap();
        assert_eq!(finish_child(child).status.signal(), Some(9));
    }
    assert_eq!(serving.end(), []);
}

/// A rank is killed, so it cannot report; its launcher detects that, and ends the watches of the others.
#[test]
fn a_rank_that_is_killed_says_nothing_and_the_others_end_when_told() {
    let launcher = Launcher::new(3);
    let mut children = [0, 1, 2].map(|rank| Some(launcher.start(rank, &["die", "9", "1"])));
    let serving = launcher.serve(false);
    let watches = serving.all_are_there.recv_timeout(LIMIT).unwrap();
    let end = finish_child(children[1].take().unwrap());
    assert_eq!((end.status.signal(), text(&end.stderr)), (Some(9), String::new()));
    for watch in watches {
        watch.shutdown(Shutdown::Both).unwrap();
    }
    for child in children.into_iter().flatten() {
        let end = finish_child(child);
        assert_eq!(end.status.code(), Some(1));
        assert!(complaint(&end).contains("a rank, or what started the job, is gone"), "{}", text(&end.stderr));
    }
    let mut heard = serving.end();
    heard.sort_by_key(|heard| matches!(heard, Heard::Abort(2, ..)));
    assert_eq!(heard, [0, 2].map(|rank| Heard::Abort(rank, 1, String::new())));
}

/// The launcher closes the connection before the rank watches it: the kernel raises no signal for a hang-up before that.
#[test]
fn a_rank_whose_job_has_ended_before_it_begins_ends() {
    let launcher = Launcher::new(1);
    let mut command = launcher.command(0, &["die", "9", "1"]);
    let child = command.env("PROBE_BEGINS_LATE", "1").spawn().unwrap();
    let serving = launcher.serve(false);
    for watch in serving.all_are_there.recv_timeout(LIMIT).unwrap() {
        watch.shutdown(Shutdown::Both).unwrap();
    }
    let end = finish_child(child);
    assert_eq!(end.status.code(), Some(1));
    assert!(complaint(&end).contains("a rank, or what started the job, is gone"), "{}", text(&end.stderr));
    assert_eq!(serving.end(), [Heard::Abort(0, 1, String::new())]);
}
