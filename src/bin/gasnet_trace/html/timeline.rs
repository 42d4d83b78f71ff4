//! The timeline: the time of each thread by category in bins, and single events. Both have a bounded size: bins become wider
//! and threads are combined as a trace grows, and the longest events are kept.

use std::collections::BTreeMap;

/// Categories of time; the page has a name and a colour for each.
pub const CATEGORIES: usize = 11;
/// Bins of all tracks together.
const MAX_CELLS: usize = 1 << 19;
const MAX_TRACKS: usize = 1024;
const MAX_BINS: usize = 1 << 16;
/// Events that are kept: at least that many if there are, and at most twice as many meanwhile.
const MAX_EVENTS: usize = 100_000;

/// A thread of a rank, or, in a job of many, consecutive ranks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct TrackId {
    /// The rank, divided by the number of ranks of a track.
    pub group: u32,
    pub thread: u32,
}

#[derive(Clone, Copy, Debug)]
pub struct Event {
    pub rank: u32,
    pub thread: u32,
    pub start_ns: u64,
    pub ns: u64,
    /// Index in the page's list of calls.
    pub call: u16,
    /// Index in the page's list of places.
    pub place: u16,
    pub peer: Option<u32>,
    pub bytes: u64,
}

#[derive(Default)]
pub struct Track {
    /// Nanoseconds by category.
    bins: Vec<[f32; CATEGORIES]>,
    /// The threads of this track.
    threads: Vec<(u32, u32)>,
}

pub struct Timeline {
    pub tracks: BTreeMap<TrackId, Track>,
    pub bin_ns: u64,
    bins: usize,
    /// Ranks of a track: 2^shift.
    pub shift: u32,
    pub events: Vec<Event>,
    pub seen: u64,
    pub first_ns: u64,
    pub last_ns: u64,
}

impl Default for Timeline {
    fn default() -> Timeline {
        Timeline {
            tracks: BTreeMap::new(),
            bin_ns: 1000,
            bins: MAX_BINS,
            shift: 0,
            events: Vec::new(),
            seen: 0,
            first_ns: u64::MAX,
            last_ns: 0,
        }
    }
}

impl Timeline {
    pub fn track_of(&self, rank: u32, thread: u32) -> TrackId {
        TrackId { group: rank >> self.shift, thread: if self.shift == 0 { thread } else { 0 } }
    }

    /// Adds an event of which `self_ns` were not spent in events inside it.
    pub fn add(&mut self, event: Event, category: usize, self_ns: u64) {
        self.seen += 1;
        let end = event.start_ns + event.ns;
        self.first_ns = self.first_ns.min(event.start_ns);
        self.last_ns = self.last_ns.max(end);
        while end / self.bin_ns >= self.bins as u64 {
            self.widen();
        }
        self.spread(event, category, self_ns);
        self.events.push(event);
        if self.events.len() >= 2 * MAX_EVENTS {
            self.keep_longest();
        }
    }

    /// Adds an event's own time to the bins that it covers.
    fn spread(&mut self, event: Event, category: usize, self_ns: u64) {
        let (bin_ns, id) = (self.bin_ns, self.track_of(event.rank, event.thread));
        let track = self.tracks.entry(id).or_default();
        if !track.threads.contains(&(event.rank, event.thread)) {
            track.threads.push((event.rank, event.thread));
        }
        let (start, end) = (event.start_ns, event.start_ns + event.ns.max(1));
        let last = ((end - 1) / bin_ns) as usize;
        if track.bins.len() <= last {
            track.bins.resize(last + 1, [0.0; CATEGORIES]);
        }
        let share = self_ns as f64 / (end - start) as f64;
        for bin in (start / bin_ns) as usize..=last {
            let from = start.max(bin as u64 * bin_ns);
            let to = end.min((bin as u64 + 1) * bin_ns);
            track.bins[bin][category] += ((to - from) as f64 * share) as f32;
        }
        if self.tracks.len() > MAX_TRACKS {
            self.combine();
        }
        while self.tracks.len() * self.bins > MAX_CELLS {
            self.bins /= 2;
            self.widen();
        }
    }

    fn widen(&mut self) {
        self.bin_ns *= 2;
        for track in self.tracks.values_mut() {
            track.bins = track.bins.chunks(2).map(sum).collect();
        }
    }

    /// Twice as many ranks a track.
    fn combine(&mut self) {
        self.shift += 1;
        let mut combined: BTreeMap<TrackId, Track> = BTreeMap::new();
        for (id, track) in std::mem::take(&mut self.tracks) {
            // The first time threads of a rank become one track; the groups were ranks.
            let into = combined.entry(TrackId { group: id.group >> 1, thread: 0 }).or_default();
            if into.bins.len() < track.bins.len() {
                into.bins.resize(track.bins.len(), [0.0; CATEGORIES]);
            }
            for (a, b) in into.bins.iter_mut().zip(&track.bins) {
                *a = sum(&[*a, *b]);
            }
            into.threads.extend(track.threads);
        }
        self.tracks = combined;
    }

    fn keep_longest(&mut self) {
        if self.events.len() > MAX_EVENTS {
            self.events.select_nth_unstable_by_key(MAX_EVENTS - 1, |event| std::cmp::Reverse(event.ns));
            self.events.truncate(MAX_EVENTS);
        }
    }

    /// No event will follow: the longest remain, by track and start.
    pub fn finish(&mut self) {
        self.keep_longest();
        let shift = self.shift;
        let track = |event: &Event| (event.rank >> shift, if shift == 0 { event.thread } else { 0 });
        self.events.sort_by_key(|event| (track(event), event.start_ns, std::cmp::Reverse(event.ns)));
    }

    /// The bins of a track up to `bins`: in a byte the category of most time, and above it how much of the bin's time all
    /// take, of 15.
    pub fn cells(&self, id: TrackId, first: usize, count: usize) -> Vec<u8> {
        let track = &self.tracks[&id];
        let whole = self.bin_ns as f32 * track.threads.len() as f32;
        let cell = |bin: &[f32; CATEGORIES]| {
            let most = (0..CATEGORIES).max_by(|a, b| bin[*a].total_cmp(&bin[*b])).unwrap_or(0);
            let busy = bin.iter().sum::<f32>() / whole;
            if busy <= 0.0 { 0 } else { ((busy * 15.0).ceil().clamp(1.0, 15.0) as u8) << 4 | most as u8 }
        };
        (first..first + count).map(|at| track.bins.get(at).map_or(0, cell)).collect()
    }
}

fn sum(bins: &[[f32; CATEGORIES]]) -> [f32; CATEGORIES] {
    let mut all = [0.0; CATEGORIES];
    for bin in bins {
        for (a, b) in all.iter_mut().zip(bin) {
            *a += b;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(rank: u32, start_ns: u64, ns: u64) -> Event {
        Event { rank, thread: 0, start_ns, ns, call: 0, place: 0, peer: None, bytes: 0 }
    }

    fn total(timeline: &Timeline) -> f64 {
        timeline.tracks.values().flat_map(|track| &track.bins).flatten().map(|ns| f64::from(*ns)).sum()
    }

    #[test]
    fn no_time_is_lost_when_bins_widen_and_tracks_are_combined() {
        let mut timeline = Timeline::default();
        for rank in 0..3000 {
            timeline.add(event(rank, u64::from(rank) * 1_000_000, 500), 1, 500);
        }
        timeline.finish();
        assert!((total(&timeline) - 1_500_000.0).abs() < 100.0, "{}", total(&timeline));
        assert!(timeline.tracks.len() <= MAX_TRACKS && timeline.tracks.len() * timeline.bins <= MAX_CELLS);
        assert_eq!(timeline.tracks.values().map(|track| track.threads.len()).sum::<usize>(), 3000);
        assert_eq!((timeline.first_ns, timeline.last_ns), (0, 2_999_000_500));
    }

    #[test]
    fn the_longest_events_are_kept() {
        let mut timeline = Timeline::default();
        for number in 0..3 * MAX_EVENTS as u64 {
            timeline.add(event(0, number * 10, number % 7 + u64::from(number == 5) * 1000), 0, 1);
        }
        timeline.finish();
        assert_eq!((timeline.events.len(), timeline.seen), (MAX_EVENTS, 3 * MAX_EVENTS as u64));
        assert!(timeline.events.iter().any(|event| event.start_ns == 50));
        assert!(timeline.events.is_sorted_by_key(|event| event.start_ns));
    }

    #[test]
    fn a_cell_tells_the_category_of_most_time_and_the_busy_part() {
        let mut timeline = Timeline::default();
        timeline.add(event(0, 0, 400), 2, 400);
        timeline.add(event(0, 500, 100), 3, 100);
        timeline.add(event(0, 2000, 1000), 4, 1000);
        assert_eq!(timeline.cells(TrackId { group: 0, thread: 0 }, 0, 4), [8 << 4 | 2, 0, 15 << 4 | 4, 0]);
    }
}
