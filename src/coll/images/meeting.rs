//! Calls over a team, other than collectives, that all images of a rank make: named split-phase barriers that each
//! image notifies and waits for, and creating and destroying a team. The last image to call acts for the rank.

use core::ffi::c_int;
use std::sync::Arc;

use crate::barrier::names::{ANONYMOUS, MISMATCH, Names, Outcome};
use crate::coll::images::assembly::{SplitResult, TeamMeeting};
use crate::coll::images::caller::Caller;
use crate::coll::images::request;
use crate::fatal::usage;
use crate::hang::waits::Note;
use crate::job::Job;
use crate::team::{SplitArgs, Team};

/// The arguments of a notify that contribute `names`.
fn said(names: Names) -> (c_int, c_int) {
    match names {
        Names::Anonymous => (0, ANONYMOUS),
        Names::Named(id) => (id, 0),
        Names::Mismatch => (0, MISMATCH),
    }
}

impl Job {
    /// An image notifies the barrier of all images of its team.
    pub fn images_notify(&self, call: &str, image: &Caller, id: c_int, flags: c_int) {
        let Some(assembly) = image.assembly() else { return self.team_notify(call, image.team, id, flags) };
        let mut meeting = assembly.meeting.lock();
        let (notified, completed) = &mut meeting.images[image.index];
        if notified != completed {
            usage!(
                call,
                "a barrier is already in progress on this team: this image notified it and has not waited for it"
            );
        }
        *notified += 1;
        meeting.names = meeting.names.join(Names::of(id, flags));
        meeting.came += 1;
        if meeting.came == meeting.mine {
            let (id, flags) = said(meeting.names);
            meeting.came = 0;
            meeting.names = Names::Anonymous;
            // With the lock held, so that no image tests the barrier before it is notified.
            self.team_notify(call, image.team, id, flags);
            meeting.notified += 1;
        }
        let wake = meeting.came == 0;
        drop(meeting);
        self.left(&assembly.turned, wake);
    }

    /// The outcome of the barrier that an image has notified; None if an image has not notified it. Does not poll.
    fn images_look(&self, call: &str, image: &Caller, id: c_int, flags: c_int) -> Option<Outcome> {
        let assembly = image.assembly()?;
        let mut meeting = assembly.turned.enter(|| assembly.meeting.try_lock())?;
        let before = meeting.completed;
        let outcome = self.meeting_look(call, image, &mut meeting, id, flags);
        let wake = meeting.completed != before;
        drop(meeting);
        self.left(&assembly.turned, wake);
        outcome
    }

    fn meeting_look(
        &self,
        call: &str,
        image: &Caller,
        meeting: &mut TeamMeeting,
        id: c_int,
        flags: c_int,
    ) -> Option<Outcome> {
        let (notified, completed) = meeting.images[image.index];
        if notified == completed {
            usage!(call, "no barrier is in progress on this team: this image has not notified it");
        }
        if meeting.completed < notified {
            if meeting.notified < notified {
                return None;
            }
            meeting.agreed = self.team_look(call, image.team)?;
            meeting.completed += 1;
        }
        meeting.images[image.index].1 = notified;
        Some(meeting.agreed.verdict(id, flags))
    }

    /// Waits until all images of the team have notified the barrier.
    pub fn images_wait(&self, call: &str, image: &Caller, id: c_int, flags: c_int) -> Outcome {
        self.poll_once();
        let mut outcome = None;
        self.wait_for(
            || Note::Images,
            || {
                outcome = self.images_look(call, image, id, flags);
                outcome.is_some()
            },
        );
        outcome.unwrap_or(Outcome::Mismatch)
    }

    /// As `images_wait`, but returns None at once if an image has not notified the barrier.
    pub fn images_try(&self, call: &str, image: &Caller, id: c_int, flags: c_int) -> Option<Outcome> {
        self.poll_once();
        self.images_look(call, image, id, flags)
    }

    /// Splits `parent`; called by each image of this rank.
    pub fn images_split(&self, call: &str, parent: &'static Team, args: SplitArgs) -> Option<&'static Team> {
        let split = || {
            self.coll_declare(parent, call, || request::words(request::SPLIT, 0, 0, [0; 3]));
            self.team_split(parent, Some(args))
        };
        let Some(assembly) = self.images_several(parent) else { return split() };
        let (part, is_last) = {
            let mut meeting = assembly.meeting.lock();
            let mine = meeting.mine;
            let (first, came, part) = meeting.split.get_or_insert_with(|| (args, 0, SplitResult::default()));
            if (first.color, first.key) != (args.color, args.key) {
                usage!(
                    call,
                    "color {} and relrank {}; another image of this rank gives {} and {}",
                    args.color,
                    args.key,
                    first.color,
                    first.key
                );
            }
            *came += 1;
            let (part, is_last) = (Arc::clone(part), *came == mine);
            if is_last {
                meeting.split = None;
            }
            (part, is_last)
        };
        if is_last {
            let team = *part.get_or_init(split);
            self.wake_local();
            return team;
        }
        self.wait_for(|| Note::Images, || part.get().is_some());
        *part.get()?
    }

    /// Destroys `team`; called by each image of this rank.
    pub fn images_end(&self, call: &str, team: &'static Team) {
        if let Some(assembly) = self.images_several(team) {
            let mut meeting = assembly.meeting.lock();
            meeting.left += 1;
            if meeting.left < meeting.mine {
                return;
            }
        }
        self.team_end(call, team);
    }
}
