//! Traces as one JSON for Chrome and Perfetto.

use crate::Input;
use crate::options::Options;
use crate::text::{self, Names};
use serde::de::IgnoredAny;
use std::io::Write;

const END: &str = "{\"name\":\"end\",\"ph\":\"M\",\"pid\":0,\"args\":{}}\n]\n";

pub fn run(options: &Options, out: &mut dyn Write) -> Result<(), String> {
    let put = |out: &mut dyn Write, text: &str| out.write_all(text.as_bytes()).map_err(|error| error.to_string());
    let mut names = Names::default();
    let mut json = String::new();
    put(out, "[\n")?;
    for file in &options.files {
        let input = Input::open(file)?;
        if input.is_json {
            // Our own files have an event a line, and no end if their rank was killed.
            input.lines(|_, line| {
                let event = line.trim().trim_end_matches(',');
                if !event.starts_with('{') || event.starts_with("{\"name\":\"end\"") {
                    return Ok(());
                }
                serde_json::from_str::<IgnoredAny>(event)
                    .map_err(|why| format!("no event of JSON on a line of its own: {why}"))?;
                put(out, &format!("{event},\n"))
            })?;
        } else {
            input.lines(|_, line| {
                let Some(line) = text::parse(line) else { return Ok(()) };
                json.clear();
                names.event(&line).write_json(&mut json);
                put(out, &json)
            })?;
        }
    }
    put(out, END)
}
