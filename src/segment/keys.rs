//! Segments as a network sees them that reaches registered memory only: each is registered when it is bound to an endpoint,
//! and peers import its key when it is published.

use std::time::{Duration, Instant};

use crate::conduit::shared::registrations::{REGISTRATIONS, Registered};
use crate::conduit::{Conduit, Key, MAX_KEY, MemKind};
use crate::defs::rank::Location;
use crate::env;
use crate::fatal::fatal;
use crate::fatal::lines::line;
use crate::job::Job;
use crate::os::affinity;
use crate::os::populate::populate;
use crate::settings::SegmentMode;
use crate::sync::atomic::Ordering;

/// Registration that takes longer is told of.
const SLOW: Duration = Duration::from_secs(5);

/// Words of a key that is exchanged: its length in bytes, then its bytes.
pub(crate) const KEY_WORDS: usize = 1 + MAX_KEY / 8;

impl Job {
    /// The conduit, if memory has to be registered with it.
    pub(crate) fn registering(&self) -> Option<&'static dyn Conduit> {
        self.conduit.filter(|_| self.caps.registered)
    }

    /// Registers the segment of endpoint `ep` where the conduit wants that, and imports its key here; ends the job if that
    /// cannot be.
    pub(crate) fn register_segment(&self, ep: u16, start: usize, bytes: usize) {
        let Some(conduit) = self.registering() else { return };
        let since = Instant::now();
        if self.caps.pins {
            self.map_pages(start, bytes);
        }
        match conduit.register(ep, start, bytes, MemKind::Host) {
            Ok((registration, key)) => {
                if since.elapsed() > SLOW && env::yes("GASNET_SPAWN_VERBOSE") {
                    let took = since.elapsed().as_secs();
                    line(&format!(
                        "GASNET: rank {} has registered a segment of {} MiB, in {took} s",
                        self.me.0,
                        bytes >> 20
                    ));
                }
                self.import_key(conduit, Location { rank: self.me, ep }, &words_of(&key));
                REGISTRATIONS.add(Registered { ep, start, bytes, registration, key });
            }
            Err(why) => fatal!("the segment of {bytes} bytes of endpoint {ep} cannot be registered: {why}"),
        }
    }

    /// Maps all pages of memory that registration is going to pin, with this rank's share of the processors as threads.
    fn map_pages(&self, start: usize, bytes: usize) {
        const MOST_THREADS: usize = 8;
        let threads = (affinity::cpu_count() / self.nbrhd.on_host().count().max(1)).clamp(1, MOST_THREADS);
        let is_verbose = env::yes("GASNET_SPAWN_VERBOSE");
        populate(start..start + bytes, threads, &mut |mapped| {
            if is_verbose {
                let (mapped, bytes) = (mapped >> 20, bytes >> 20);
                line(&format!("GASNET: rank {} maps a segment to register it: {mapped} of {bytes} MiB", self.me.0));
            }
        });
    }

    /// Ends the registration of the segment of endpoint `ep`, if there is one.
    pub(crate) fn forget_segment(&self, ep: u16) {
        if let Some(conduit) = self.registering() {
            if let Some(registration) = REGISTRATIONS.remove(ep) {
                conduit.forget(registration);
            }
        }
    }

    /// The key of this rank's endpoint `ep`, as it travels.
    pub(crate) fn key_words(&self, ep: u16) -> [u64; KEY_WORDS] {
        words_of(&REGISTRATIONS.key(ep).unwrap_or_default())
    }

    /// `words`: as of `words_of`.
    pub(crate) fn import_key(&self, conduit: &dyn Conduit, of: Location, words: &[u64]) {
        let bytes: Vec<u8> = words[1..].iter().flat_map(|word| word.to_ne_bytes()).collect();
        if let Err(why) = conduit.import(of, &bytes[..words[0] as usize]) {
            fatal!("the segment of rank {}, endpoint {}, cannot be reached: {why}", of.rank.0, of.ep);
        }
    }

    /// Whether the conduit reaches the memory of endpoints `ep`: nobody registers all of memory, and segments that the network makes are
    /// those that ranks attach.
    #[inline]
    pub fn reaches(&self, ep: u16) -> bool {
        if self.makes_segments {
            return ep == 0 && self.in_network_segments.load(Ordering::Relaxed);
        }
        !self.caps.registered || self.settings.segment != SegmentMode::Everything
    }
}

/// The words in which a key travels.
fn words_of(key: &Key) -> [u64; KEY_WORDS] {
    let mut words = [0; KEY_WORDS];
    words[0] = key.bytes().len() as u64;
    for (word, bytes) in words[1..].iter_mut().zip(key.bytes().chunks(8)) {
        let mut eight = [0; 8];
        eight[..bytes.len()].copy_from_slice(bytes);
        *word = u64::from_ne_bytes(eight);
    }
    words
}
