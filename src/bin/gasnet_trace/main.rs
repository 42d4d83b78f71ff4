//! Sums up traces by line of the client's source, shows them as a page, converts them to JSON for Chrome and Perfetto, and
//! checks them.

mod check;
mod chrome;
#[path = "../complaint.rs"]
mod complaint;
mod html;
mod options;
mod summary;
mod text;

use gasnet::internal::fatal::line;
use options::{Action, Options};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::process::ExitCode;

/// An open trace file and its format.
pub struct Input {
    pub name: String,
    reader: Box<dyn BufRead>,
    pub is_json: bool,
}

impl Input {
    fn open(name: &str) -> Result<Input, String> {
        let file: Box<dyn Read> = match name {
            "-" => Box::new(std::io::stdin()),
            name => Box::new(File::open(name).map_err(|error| format!("{name}: {error}"))?),
        };
        let mut reader = Box::new(BufReader::with_capacity(1 << 16, file));
        let start = reader.fill_buf().map_err(|error| format!("{name}: {error}"))?;
        let is_json = start.iter().find(|byte| !byte.is_ascii_whitespace()).is_some_and(|byte| b"[{".contains(byte));
        Ok(Input { name: name.to_string(), reader, is_json })
    }

    /// Calls `see` with each line and its number.
    fn lines(self, mut see: impl FnMut(usize, &str) -> Result<(), String>) -> Result<(), String> {
        let (name, mut reader, mut number) = (self.name, self.reader, 0);
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            number += 1;
            match reader.read_until(b'\n', &mut bytes) {
                Err(error) => return Err(format!("{name}: {error}")),
                Ok(0) => return Ok(()),
                Ok(_) => see(number, String::from_utf8_lossy(&bytes).trim_end_matches(['\n', '\r']))
                    .map_err(|why| format!("{name}:{number}: {why}"))?,
            }
        }
    }

    fn all(mut self) -> Result<String, String> {
        let mut text = String::new();
        self.reader.read_to_string(&mut text).map_err(|error| format!("{}: {error}", self.name))?;
        Ok(text)
    }
}

fn main() -> ExitCode {
    let words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    let outcome = Options::parse(words).and_then(|options| run(&options));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            line(&format!("gasnet_trace: {why}"));
            ExitCode::FAILURE
        }
    }
}

/// The name by which this program was called, without its directory.
fn called() -> String {
    let path = std::env::args_os().next().map(std::path::PathBuf::from);
    path.as_ref()
        .and_then(|path| path.file_stem())
        .map_or("gasnet_trace".to_string(), |name| name.to_string_lossy().into_owned())
}

fn run(options: &Options) -> Result<(), String> {
    let mut out: Box<dyn Write> = match &options.output {
        None => Box::new(BufWriter::new(std::io::stdout())),
        Some(name) => Box::new(BufWriter::new(File::create(name).map_err(|error| format!("{name}: {error}"))?)),
    };
    let done = match &options.action {
        Action::ManHelp => out
            .write_all(options::HELP.replacen("usage: gasnet_trace", &format!("Usage: {}", called()), 1).as_bytes())
            .map_err(|error| error.to_string()),
        Action::ManVersion(version) => writeln!(out, "{} {version}", called()).map_err(|error| error.to_string()),
        Action::Help => out.write_all(options::HELP.as_bytes()).map_err(|error| error.to_string()),
        Action::Version => writeln!(out, "libgasnet {}", env!("CARGO_PKG_VERSION")).map_err(|error| error.to_string()),
        Action::Summary => summary::run(options, &mut out),
        Action::Chrome => chrome::run(options, &mut out),
        Action::Check => check::run(options, &mut out),
        Action::Html(name) => html::run(options, name),
    };
    done.and_then(|()| match out.flush() {
        // A reader such as `head` may have seen enough.
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.to_string()),
        _ => Ok(()),
    })
}
