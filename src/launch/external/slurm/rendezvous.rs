//! The rendezvous: a process that rank 0 forks first. Every task has two connections to it: one for exchanges, and one on
//! which the task reports an abort or its end, and which hangs up when the job has to end. The rendezvous distributes the
//! exchanged values, prints the reason of an abort once, and ends when its tasks have ended.

use core::ffi::c_int;
use std::collections::BTreeMap;
use std::io;
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsFd, AsRawFd};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::channel::Channel;
use crate::launch::control::{Frame, JobSecret, Side};
use crate::os::process::Line;

/// The longest that one connection may take to open, as others wait behind it.
const OPENING: Duration = Duration::from_secs(2);

pub(super) struct Rendezvous {
    listener: TcpListener,
    secret: JobSecret,
    note: PathBuf,
    size: u32,
    /// The version of the library, the same for all tasks.
    version: u64,
    patience: Duration,
    tasks: BTreeMap<u32, StepTask>,
    /// When the fence under way, or the start, has to be complete.
    until: Option<Instant>,
    began: bool,
}

#[derive(Default)]
struct StepTask {
    exchange: Option<Channel>,
    watch: Option<Channel>,
    offer: Option<Vec<u8>>,
    left: bool,
}

/// The end of the job: the code, and the line, which is empty if a task has printed it.
type StepEnd = (i32, String);
/// `None`: a task has ended, which the other tasks detect and report.
type TaskEnded = Result<(), Option<StepEnd>>;

impl Rendezvous {
    pub(super) fn new(
        listener: TcpListener,
        secret: JobSecret,
        note: PathBuf,
        size: u32,
        version: u64,
        patience: Duration,
    ) -> Rendezvous {
        let until = Some(Instant::now() + patience);
        // A connection may be gone again when it is accepted. A socket that is open can be set so.
        let _ = listener.set_nonblocking(true);
        Rendezvous { listener, secret, note, size, version, patience, tasks: BTreeMap::new(), until, began: false }
    }

    pub(super) fn listening(&self) -> c_int {
        self.listener.as_raw_fd()
    }

    /// Serves until the job ends.
    pub(super) fn run(mut self) {
        let ended = loop {
            match self.step() {
                Ok(()) if self.began && self.tasks.values().all(|task| task.left) => break Ok(()),
                Ok(()) => {}
                Err(end) => break Err(end),
            }
        };
        if let Err(Some((code, line))) = &ended {
            if !line.is_empty() {
                Line::of(format_args!("*** FATAL ERROR: {line}")).print();
            }
            let code = *code;
            for channel in self.tasks.values_mut().flat_map(|task| [&mut task.exchange, &mut task.watch]).flatten() {
                let _ = channel.send(&Frame::End { code, crash: false });
            }
        }
        if !self.began {
            self.tasks.clear();
            self.send_away(ended.err().flatten().map_or(1, |(code, _)| code));
            let _ = std::fs::remove_file(&self.note);
        }
    }

    /// Tells tasks that come late that the job has ended.
    fn send_away(&self, code: i32) {
        while let Some(left) = self.until.and_then(|until| until.checked_duration_since(Instant::now())) {
            let time = PollTimeout::try_from(left + Duration::from_millis(1)).unwrap_or(PollTimeout::MAX);
            let _ = poll(&mut [PollFd::new(self.listener.as_fd(), PollFlags::POLLIN)], time);
            if let Ok((stream, _)) = self.listener.accept() {
                if let Ok(mut channel) = Channel::open(stream, &self.secret, Side::Master, OPENING) {
                    if channel.expect(OPENING).is_ok() {
                        let _ = channel.send(&Frame::End { code, crash: false });
                    }
                }
            }
        }
    }

    /// Waits for something to happen, and deals with it.
    fn step(&mut self) -> TaskEnded {
        let channels = self.tasks.iter().flat_map(|(&rank, task)| {
            let both = [(task.exchange.as_ref(), false), (task.watch.as_ref(), true)];
            both.into_iter().filter_map(move |(channel, is_watch)| Some((rank, is_watch, channel?.as_file())))
        });
        let channels: Vec<_> = channels.collect();
        let mut files: Vec<_> = channels.iter().map(|(_, _, file)| PollFd::new(*file, PollFlags::POLLIN)).collect();
        if !self.began {
            files.push(PollFd::new(self.listener.as_fd(), PollFlags::POLLIN));
        }
        let left = self.until.map(|until| until.saturating_duration_since(Instant::now()) + Duration::from_millis(1));
        let time = left.map_or(PollTimeout::NONE, |left| PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX));
        let _ = poll(&mut files, time);
        let stirred = |file: &PollFd<'_>| file.any().unwrap_or(false);
        let ready: Vec<_> = channels
            .iter()
            .zip(&files)
            .filter(|(_, file)| stirred(file))
            .map(|((rank, is_watch, _), _)| (*rank, *is_watch))
            .collect();
        let somebody = files.get(channels.len()).is_some_and(stirred);
        for (rank, is_watch) in ready {
            self.hear(rank, is_watch)?;
        }
        if somebody {
            if let Ok((stream, _)) = self.listener.accept() {
                self.let_in(stream)?;
            }
        }
        if self.until.is_some_and(|until| until <= Instant::now()) {
            return Err(Some((1, self.late())));
        }
        Ok(())
    }

    /// The line that names the late tasks.
    fn late(&self) -> String {
        let is_there = |rank: &u32| {
            self.tasks.get(rank).is_some_and(|task| if self.began { task.offer.is_some() } else { task.is_complete() })
        };
        let late: Vec<_> = (0..self.size).filter(|rank| !is_there(rank)).collect();
        let some: Vec<_> = late.iter().take(8).map(u32::to_string).collect();
        let more =
            if late.len() > some.len() { format!(" and {} more", late.len() - some.len()) } else { String::new() };
        let what = if self.began { "come to an exchange of the start" } else { "joined the job" };
        format!(
            "of {} tasks of this Slurm step rank {}{more} has not {what} within {} s (GASNET_SPAWN_TIMEOUT): all tasks must run the \
             same program, find {} (GASNET_TMPDIR), and reach rank 0's host by TCP",
            self.size,
            some.join(", "),
            self.patience.as_secs_f64(),
            self.note.parent().unwrap_or(&self.note).display()
        )
    }

    /// Accepts a connection; closes those of other processes.
    fn let_in(&mut self, stream: TcpStream) -> TaskEnded {
        let _ = stream.set_nonblocking(false);
        let Ok(mut channel) = Channel::open(stream, &self.secret, Side::Master, OPENING) else { return Ok(()) };
        let Ok(Frame::Hello(hello)) = channel.expect(OPENING) else { return Ok(()) };
        channel.trust();
        if hello.abi != self.version {
            return Err(refused(format!(
                "rank {} on host {} has another version of the library than rank 0",
                hello.seat, hello.name
            )));
        }
        if hello.seat >= self.size {
            return Err(refused(format!("a task says that it is rank {} of {}", hello.seat, self.size)));
        }
        let task = self.tasks.entry(hello.seat).or_default();
        let place = match hello.binary {
            0 => &mut task.exchange,
            _ => &mut task.watch,
        };
        if place.is_some() {
            return Err(refused(format!("two tasks say that they are rank {}", hello.seat)));
        }
        *place = Some(channel);
        if self.tasks.len() == self.size as usize && self.tasks.values().all(StepTask::is_complete) {
            let _ = std::fs::remove_file(&self.note);
            self.began = true;
            self.until = None;
            for task in self.tasks.values_mut() {
                if let Some(channel) = &mut task.exchange {
                    let _ = channel.send(&Frame::Alive);
                }
            }
        }
        Ok(())
    }

    /// Reads a message of `rank`.
    fn hear(&mut self, rank: u32, is_watch: bool) -> TaskEnded {
        let Some(task) = self.tasks.get_mut(&rank) else { return Ok(()) };
        let place = if is_watch { &mut task.watch } else { &mut task.exchange };
        let Some(channel) = place else { return Ok(()) };
        let mut frames = Vec::new();
        let took = channel.take().and_then(|()| {
            while let Some(frame) = channel.next()? {
                frames.push(frame);
            }
            io::Result::Ok(())
        });
        if took.is_err() {
            *place = None;
        }
        for frame in frames {
            match frame {
                Frame::Fence(records) => task.offer = Some(records),
                Frame::Bye => task.left = true,
                Frame::Trouble { code, why } => return Err(Some((code, why))),
                _ => {}
            }
        }
        // A task reports a good end or an abort on this connection first.
        if took.is_err() && is_watch && !task.left {
            return Err(None);
        }
        self.pass_on();
        Ok(())
    }

    /// Ends a fence to which all tasks have come.
    fn pass_on(&mut self) {
        let came = self.tasks.values().filter(|task| task.offer.is_some()).count();
        if came > 0 && self.began && self.until.is_none() {
            self.until = Some(Instant::now() + self.patience);
        }
        if came < self.size as usize || !self.began {
            return;
        }
        let all: Vec<u8> = self.tasks.values_mut().filter_map(|task| task.offer.take()).flatten().collect();
        self.until = None;
        for task in self.tasks.values_mut() {
            if let Some(channel) = &mut task.exchange {
                // If a task does not read, it has ended, which the next step detects.
                let _ = channel.send(&Frame::Fence(all.clone()));
            }
        }
    }
}

fn refused(line: String) -> Option<StepEnd> {
    Some((1, line))
}

impl StepTask {
    fn is_complete(&self) -> bool {
        self.exchange.is_some() && self.watch.is_some()
    }
}
