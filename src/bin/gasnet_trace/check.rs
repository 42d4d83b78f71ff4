//! Whether traces can be read, and whether each handler that ran has a sender.

use crate::options::Options;
use crate::{Input, text};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Write;

/// The events found so far. A message is identified by its sender and number.
#[derive(Default)]
struct Found {
    events: u64,
    /// The time at which each message was sent, in nanoseconds.
    sent: BTreeMap<(u32, u32), f64>,
    handled: BTreeMap<(u32, u32), f64>,
    /// The ranks whose traces were read.
    ranks: std::collections::BTreeSet<u32>,
}

impl Found {
    fn text(&mut self, input: Input) -> Result<(), String> {
        input.lines(|_, line| {
            let parsed = text::parse(line).ok_or("no line of a trace")?;
            self.events += 1;
            self.ranks.insert(parsed.rank);
            let at = parsed.at_ns as f64;
            if let Some(id) = parsed.number("id").filter(|_| parsed.word("handler").is_some()) {
                match parsed.peer().filter(|_| parsed.is_handler()) {
                    Some(sender) => once(&mut self.handled, (sender, id), at)?,
                    None => once(&mut self.sent, (parsed.rank, id), at)?,
                }
            }
            Ok(())
        })
    }

    fn json(&mut self, input: Input) -> Result<(), String> {
        let name = input.name.clone();
        let mut all = input.all()?;
        // The end is not there if a rank was killed, or if ranks of several hosts wrote to one file.
        let end = all.trim_end().len();
        if all[..end].ends_with(',') {
            all.replace_range(end - 1.., "]");
        }
        let Value::Array(events) = serde_json::from_str(&all).map_err(|why| format!("{name}: {why}"))? else {
            return Err(format!("{name}: no list of events"));
        };
        for event in events {
            self.events += 1;
            let word = |key: &str| event.get(key).and_then(Value::as_str);
            let number = |key: &str| event.get(key).and_then(Value::as_f64);
            let (Some(phase), Some(pid)) = (word("ph"), number("pid")) else {
                return Err(format!("{name}: event {} has no ph or pid", self.events));
            };
            self.ranks.insert(pid as u32);
            if matches!(phase, "X" | "i" | "s" | "f") && (number("ts").is_none() || number("tid").is_none()) {
                return Err(format!("{name}: event {} has no ts or tid", self.events));
            }
            if phase == "X" && number("dur").is_none() {
                return Err(format!("{name}: event {} has no dur", self.events));
            }
            let id = word("id")
                .and_then(|id| id.split_once('.'))
                .and_then(|(sender, id)| Some((sender.parse().ok()?, id.parse().ok()?)));
            let at = number("ts").unwrap_or(0.0) * 1000.0;
            match (phase, id) {
                ("s", Some(id)) => once(&mut self.sent, id, at)?,
                ("f", Some(id)) => once(&mut self.handled, id, at)?,
                ("s" | "f", None) => return Err(format!("{name}: event {} has no id", self.events)),
                _ => {}
            }
        }
        Ok(())
    }
}

fn once(map: &mut BTreeMap<(u32, u32), f64>, id: (u32, u32), at: f64) -> Result<(), String> {
    match map.insert(id, at) {
        None => Ok(()),
        Some(_) => Err(format!("message {} of rank {} is there twice", id.1, id.0)),
    }
}

pub fn run(options: &Options, out: &mut dyn Write) -> Result<(), String> {
    let mut found = Found::default();
    for file in &options.files {
        let input = Input::open(file)?;
        if input.is_json { found.json(input)? } else { found.text(input)? }
    }
    let mut backwards = 0;
    for (id, at) in &found.handled {
        match found.sent.get(id) {
            Some(sent) => backwards += u64::from(sent > at),
            None if found.ranks.contains(&id.0) => {
                return Err(format!("message {} of rank {} was handled, and not sent", id.1, id.0));
            }
            None => {}
        }
    }
    let waiting = found.sent.keys().filter(|id| !found.handled.contains_key(id)).count();
    writeln!(
        out,
        "{} events of {} ranks; {} messages sent, {} handled, {waiting} not handled here, {backwards} handled before they were sent",
        found.events,
        found.ranks.len(),
        found.sent.len(),
        found.handled.len()
    )
    .map_err(|error| error.to_string())
}
