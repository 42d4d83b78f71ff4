//! The command line of gasnet_trace.

use crate::complaint::complaint;
use getopts::Matches;

pub const HELP: &str = "\
usage: gasnet_trace [options] FILE...

Sums up traces (GASNET_TRACEFILE) by line of the program's source and kind of call. FILE - is stdin.

  -h -? -help          this text
  -o FILE              write there, not to stdout
  -report R,...        which reports: PUT, GET, AM, BARRIER, COLL, SYNC, MEMORY, TI_ARRAY_COPY   (default: all)
  -sort F,...          by TOTAL, AVG, MIN, MAX (bytes; for BARRIER, COLL and SYNC time), CALLS, TYPE, SRC   (default: SRC)
  -filter T,...        leave out: LOCAL, GLOBAL (puts and gets of a rank to itself, to others),
                       WAIT (barrier waits), WAITNOTIFY (from notify to the end of wait)
  -p -[no]peer         PUT, GET and AM by peer, too
  -t -[no]thread       each thread apart
  -i -[no]internal     also events without a line of source
  -f -[no]full         names of source files with their directories
  -d                   say which lines are no events
  -chrome              instead: the JSON that Chrome (chrome://tracing) and Perfetto (ui.perfetto.dev) show, of all
                       files together; these may be text or JSON
  -html PAGE           instead: a page for a browser, with everything in it: who talks to whom, time by call and rank, a
                       timeline to zoom, the waits that cost most, and the same numbers; the options above choose these
  -check               instead: whether all files can be read and each handler that ran has a sender
  --version
  -h2mhelp, -h2mversion=V   help and the version V, as help2man asks for them when it writes a client's manual page
";

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    Help,
    Version,
    /// The help under the name by which the program was called: clients link to it as `upc_trace`.
    ManHelp,
    /// The version that `help2man` prints: that of the client that ships the program.
    ManVersion(String),
    Summary,
    Chrome,
    Check,
    /// The name of the page.
    Html(String),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Report {
    Put,
    Get,
    Am,
    Barrier,
    Coll,
    Sync,
    /// Traces of this library have none of these; they are accepted.
    Memory,
    TiArrayCopy,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Key {
    Total,
    Avg,
    Min,
    Max,
    Calls,
    Type,
    Src,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Filter {
    Local,
    Global,
    Wait,
    WaitNotify,
}

const REPORTS: [(&str, Report); 8] = [
    ("PUT", Report::Put),
    ("GET", Report::Get),
    ("AM", Report::Am),
    ("BARRIER", Report::Barrier),
    ("COLL", Report::Coll),
    ("SYNC", Report::Sync),
    ("MEMORY", Report::Memory),
    ("TI_ARRAY_COPY", Report::TiArrayCopy),
];
const KEYS: [(&str, Key); 7] = [
    ("TOTAL", Key::Total),
    ("AVG", Key::Avg),
    ("MIN", Key::Min),
    ("MAX", Key::Max),
    ("CALLS", Key::Calls),
    ("TYPE", Key::Type),
    ("SRC", Key::Src),
];
const FILTERS: [(&str, Filter); 4] =
    [("LOCAL", Filter::Local), ("GLOBAL", Filter::Global), ("WAIT", Filter::Wait), ("WAITNOTIFY", Filter::WaitNotify)];

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    pub action: Action,
    pub output: Option<String>,
    pub reports: Vec<Report>,
    pub sort: Vec<Key>,
    pub filters: Vec<Filter>,
    pub peers: bool,
    pub threads: bool,
    pub internal: bool,
    pub full: bool,
    pub debug: bool,
    pub files: Vec<String>,
}

/// The items that the last list given for `option` names.
fn list<T: Copy>(given: &Matches, option: &str, known: &[(&str, T)]) -> Result<Option<Vec<T>>, String> {
    let Some(words) = given.opt_strs(option).pop() else { return Ok(None) };
    let mut found = Vec::new();
    for word in words.split([',', ' ']).filter(|word| !word.is_empty()) {
        match known.iter().find(|(name, _)| name.eq_ignore_ascii_case(word)) {
            Some((_, item)) => found.push(*item),
            None => {
                let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
                return Err(format!("-{option} {word}: it must be of {}", names.join(", ")));
            }
        }
    }
    Ok(Some(found))
}

fn grammar() -> getopts::Options {
    let mut grammar = getopts::Options::new();
    grammar.long_only(true);
    grammar.optflagmulti("h", "help", "").optflagmulti("?", "", "").optflagmulti("", "version", "");
    grammar.optflagmulti("", "h2mhelp", "").optflagopt("", "h2mversion", "", "V");
    grammar.optflagmulti("", "chrome", "").optflagmulti("", "check", "").optflagmulti("d", "", "");
    grammar.optmulti("o", "", "", "FILE").optmulti("", "html", "", "PAGE");
    for list in ["report", "sort", "filter"] {
        grammar.optmulti("", list, "", "L");
    }
    for (short, long) in [("p", "peer"), ("t", "thread"), ("i", "internal"), ("f", "full")] {
        grammar.optflagmulti(short, long, "").optflagmulti("", &format!("no{long}"), "");
    }
    grammar
}

impl Options {
    pub fn parse(words: impl Iterator<Item = String>) -> Result<Options, String> {
        // `help2man -h=-h2mhelp` passes the `=` on.
        let words = words.map(|word| word.strip_prefix("=-h2m").map_or(word.clone(), |rest| format!("-h2m{rest}")));
        let given = grammar().parse(words).map_err(|why| complaint(&why))?;
        let any = |names: &[&str]| names.iter().any(|name| given.opt_present(name));
        // The last one counts.
        let is_on = |name: &str| given.opt_positions(name).pop() > given.opt_positions(&format!("no{name}")).pop();
        let version = || given.opt_str("h2mversion").unwrap_or(env!("CARGO_PKG_VERSION").to_string());
        let options = Options {
            action: match () {
                () if any(&["h", "?"]) => Action::Help,
                () if any(&["version"]) => Action::Version,
                () if any(&["h2mhelp"]) => Action::ManHelp,
                () if any(&["h2mversion"]) => Action::ManVersion(version()),
                () if any(&["chrome"]) => Action::Chrome,
                () if any(&["check"]) => Action::Check,
                () if any(&["html"]) => Action::Html(given.opt_strs("html").pop().unwrap_or_default()),
                () => Action::Summary,
            },
            output: given.opt_strs("o").pop(),
            reports: list(&given, "report", &REPORTS)?
                .unwrap_or_else(|| REPORTS.iter().map(|(_, report)| *report).collect()),
            sort: list(&given, "sort", &KEYS)?.unwrap_or(vec![Key::Src]),
            filters: list(&given, "filter", &FILTERS)?.unwrap_or_default(),
            peers: is_on("peer"),
            threads: is_on("thread"),
            internal: is_on("internal"),
            full: is_on("full"),
            debug: any(&["d"]),
            files: given.free,
        };
        if options.files.is_empty()
            && matches!(options.action, Action::Summary | Action::Chrome | Action::Check | Action::Html(_))
        {
            return Err("no file is named (-h for help)".to_string());
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, String> {
        Options::parse(line.split(' ').map(str::to_string))
    }

    #[test]
    fn lists_are_of_known_words_in_any_case() {
        let options = parse("-report put,GET -sort avg,calls -filter LOCAL -p -nopeer t").unwrap();
        assert_eq!(options.reports, [Report::Put, Report::Get]);
        assert_eq!(options.sort, [Key::Avg, Key::Calls]);
        assert_eq!((options.filters, options.peers), (vec![Filter::Local], false));
    }

    #[test]
    fn the_questions_of_help2man_need_no_file() {
        for (word, action) in [
            ("-h2mhelp", Action::ManHelp),
            ("=-h2mhelp", Action::ManHelp),
            ("-h2mversion=2020.4.0", Action::ManVersion("2020.4.0".to_string())),
            ("-h2mversion", Action::ManVersion(env!("CARGO_PKG_VERSION").to_string())),
        ] {
            assert_eq!(parse(word).unwrap().action, action, "{word}");
        }
    }

    #[test]
    fn what_is_not_understood_is_named() {
        assert!(parse("-sort SIZE t").unwrap_err().contains("SIZE"));
        assert!(parse("-q t").unwrap_err().contains("-q"));
        assert!(parse("-o").unwrap_err().contains("-o"));
        assert!(parse("-p").unwrap_err().contains("no file"));
    }
}
