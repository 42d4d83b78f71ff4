//! Collectives of GASNet-1, whose participants are images: threads of a rank, as configured by `gasnet_coll_init`.
//! Images are numbered consecutively over the members of a team. If every rank has one image, which is the default,
//! a collective is a collective of ranks; otherwise `assembly` combines the calls of a rank's images. `request`
//! describes a call, `caller` the calling image, and `plan` and `reductions` map a request to an operation between
//! ranks.

pub(crate) mod actions;
pub(crate) mod assembly;
pub(crate) mod caller;
pub(crate) mod flag;
pub(crate) mod layout;
mod meeting;
pub(crate) mod plan;
#[cfg(test)]
mod plan_tests;
mod reductions;
pub(crate) mod request;
pub(crate) mod spans;

use core::cell::Cell;
use core::ffi::c_int;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use crate::coll::images::assembly::Assembly;
use crate::coll::images::spans::Spans;
use crate::coll::operator::TableFn;
use crate::fatal::{fatal, usage};
use crate::hang::waits::Note;
use crate::job::Job;
use crate::settings::Threads;
use crate::team::{self, Team};

/// Flag of a function of the table: it does not commute.
pub(crate) const NONCOMM: u32 = 2;

/// A function of the table of `gasnet_coll_init`.
#[derive(Clone, Copy)]
pub struct Function {
    pub act: Option<TableFn>,
    pub flags: u32,
}

/// The configuration set by `gasnet_coll_init`.
struct ImageConfig {
    /// The number of images by rank of the job; None if each rank has one.
    counts: Option<Box<[u32]>>,
    functions: Box<[Function]>,
}

/// The state of `gasnet_coll_init` while not all images of this rank have called it.
struct Entering {
    counts: Option<Box<[u32]>>,
    functions: Box<[Function]>,
    /// Whether each image of this rank has called it.
    came: Vec<bool>,
}

/// The state of images on this rank.
struct Images {
    config: OnceLock<ImageConfig>,
    entering: Mutex<Option<Entering>>,
    /// Assemblies by id and rank of the team, if a rank has several images.
    teams: Mutex<BTreeMap<(u64, u32), Arc<Assembly>>>,
}

static IMAGES: Images =
    Images { config: OnceLock::new(), entering: Mutex::new(None), teams: Mutex::new(BTreeMap::new()) };

thread_local! {
    /// The index of this thread among the images of its rank.
    static HERE: Cell<Option<u32>> = const { Cell::new(None) };
}

/// A hash (FNV-1a) of `words`.
pub(crate) fn digest(words: impl Iterator<Item = u64>) -> u64 {
    words.fold(0xcbf2_9ce4_8422_2325, |digest, word| (digest ^ word).wrapping_mul(0x0100_0000_01b3))
}

impl ImageConfig {
    fn count(&self, rank: usize) -> u32 {
        self.counts.as_ref().map_or(1, |counts| counts[rank])
    }
}

impl Job {
    /// Whether the calling image has called `gasnet_coll_init`.
    pub fn images_have_begun(&self) -> bool {
        IMAGES.config.get().is_some() || HERE.get().is_some()
    }

    /// `gasnet_coll_init` by one image. Returns when every image of the job has called it.
    pub fn images_begin(&self, call: &str, counts: Option<&[u32]>, image: u32, functions: Vec<Function>) {
        if let Some(rank) = counts.and_then(|counts| counts.iter().position(|&count| count == 0)) {
            usage!(call, "images[{rank}] is 0: every rank has at least one image");
        }
        let counts = counts.filter(|counts| counts.iter().any(|&count| count != 1));
        let me = self.me.index();
        let (first, mine) = counts
            .map_or((me as u64, 1), |counts| (counts[..me].iter().map(|&count| u64::from(count)).sum(), counts[me]));
        if self.settings.threads == Threads::Seq && mine != 1 {
            usage!(call, "images[{me}] is {mine}, and a GASNET_SEQ client has one thread a rank");
        }
        let index = if mine == 1 { 0 } else { u64::from(image).wrapping_sub(first) };
        if index >= u64::from(mine) || counts.is_some() && u64::from(image) != first + index {
            usage!(
                call,
                "my_image is {image}; the images of rank {me} are {first} to {}, by images[]",
                first + u64::from(mine) - 1
            );
        }
        let last = self.images_enter(call, counts, index as usize, mine as usize, functions);
        if mine > 1 {
            HERE.set(Some(index as u32));
        }
        if let Some(entering) = last {
            self.images_agree(call, &entering);
            let config = ImageConfig { counts: entering.counts, functions: entering.functions };
            if IMAGES.config.set(config).is_err() {
                usage!(call, "called a second time on this rank");
            }
            self.wake_local();
        } else {
            self.wait_for(|| Note::Images, || IMAGES.config.get().is_some());
        }
    }

    /// Records the call of this image; returns the arguments if it is the last image of its rank.
    fn images_enter(
        &self,
        call: &str,
        counts: Option<&[u32]>,
        index: usize,
        mine: usize,
        functions: Vec<Function>,
    ) -> Option<Entering> {
        let images = &IMAGES;
        let mut entering = images.entering.lock();
        if images.config.get().is_some() || HERE.get().is_some() {
            usage!(call, "called a second time by this image");
        }
        let all = entering.get_or_insert_with(|| Entering {
            counts: counts.map(Box::from),
            functions: functions.clone().into(),
            came: vec![false; mine],
        });
        if all.counts.as_deref() != counts {
            usage!(call, "images of this rank give different images[]");
        }
        let flags = |list: &[Function]| list.iter().map(|function| function.flags).collect::<Vec<_>>();
        if flags(&all.functions) != flags(&functions) {
            usage!(call, "images of this rank give different tables of functions");
        }
        if core::mem::replace(&mut all.came[index], true) {
            usage!(call, "called a second time by image {index} of this rank");
        }
        if all.came.iter().all(|&came| came) { entering.take() } else { None }
    }

    /// Ends the job unless all ranks have passed the same arguments.
    fn images_agree(&self, call: &str, entering: &Entering) {
        let Some(all) = team::primordial() else { usage!(call, "called before gasnet_init") };
        let config = ImageConfig { counts: entering.counts.clone(), functions: Box::new([]) };
        let counts = (0..self.size as usize).map(|rank| u64::from(config.count(rank)));
        let own = u64::from(config.count(self.me.index()));
        let flags = entering.functions.iter().map(|function| u64::from(function.flags));
        let mine = [own, digest(counts), entering.functions.len() as u64, digest(flags)];
        let said = self.gather_words(all, mine);
        let me = self.me.0;
        for (rank, theirs) in said.iter().enumerate() {
            let here = u64::from(config.count(rank));
            if theirs[0] != here {
                fatal!(
                    "{call}: images[{rank}] is {here} on rank {me}, and {} on rank {rank}; all ranks give the same images[]",
                    theirs[0]
                );
            }
            if theirs[1] != mine[1] {
                fatal!("{call}: ranks {me} and {rank} give different images[]");
            }
            if theirs[2] != mine[2] {
                fatal!(
                    "{call}: fn_count is {} on rank {me}, and {} on rank {rank}; all ranks give tables of the same size",
                    mine[2],
                    theirs[2]
                );
            }
            if theirs[3] != mine[3] {
                fatal!("{call}: the flags of fn_tbl differ between ranks {me} and {rank}");
            }
        }
    }

    /// Whether a rank has several images.
    #[inline]
    pub fn images_vary(&self) -> bool {
        IMAGES.config.get().is_some_and(|config| config.counts.is_some())
    }

    /// The assembly of this rank's images over `team`.
    pub fn images_of(&self, team: &'static Team) -> Arc<Assembly> {
        let mut teams = IMAGES.teams.lock();
        let entry = teams.entry((team.id(), team.rank()));
        let make = || {
            let count = |member: u32| {
                let rank = team.job_rank(member).index();
                IMAGES.config.get().map_or(1, |config| config.count(rank) as usize)
            };
            let spans = Spans::new((0..team.size()).map(count));
            let mine = spans.of(team.rank()).1;
            Arc::new(Assembly::new(spans, mine))
        };
        Arc::clone(entry.or_insert_with(make))
    }

    /// As `images_of`, if this rank has several images and the calling thread is one of them.
    pub fn images_several(&self, team: &'static Team) -> Option<Arc<Assembly>> {
        let here = self.images_vary() && HERE.get().is_some();
        here.then(|| self.images_of(team)).filter(|assembly| assembly.mine > 1)
    }

    /// Releases the assembly of `team`; returns whether images wait in it for others.
    pub fn images_forget(&self, team: &Team) -> bool {
        let gone = IMAGES.teams.lock().remove(&(team.id(), team.rank()));
        gone.is_some_and(|assembly| !assembly.is_idle())
    }

    /// The index of this thread among the `mine` images of its rank.
    pub fn image_here(&self, call: &str, mine: usize) -> usize {
        match HERE.get() {
            _ if mine == 1 => 0,
            Some(index) => index as usize,
            None => usage!(
                call,
                "this thread is not one of the {mine} images of its rank: it has not called gasnet_coll_init (GASNET_COLL_NO_IMAGES is for calls by one thread of each rank)"
            ),
        }
    }

    /// Function `index` of the table, and its flags.
    pub fn table_function(&self, call: &str, index: c_int) -> (TableFn, u32) {
        let functions = IMAGES.config.get().map_or(&[][..], |config| &config.functions);
        match usize::try_from(index).ok().and_then(|at| functions.get(at)) {
            Some(&Function { act: Some(act), flags }) => (act, flags),
            Some(_) => usage!(call, "function {index} of the table given to gasnet_coll_init is NULL"),
            None => usage!(
                call,
                "func {index} is not one of the {} functions of the table given to gasnet_coll_init",
                functions.len()
            ),
        }
    }
}
