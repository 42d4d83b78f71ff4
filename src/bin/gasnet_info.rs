//! Prints the features of this build and this machine, and every variable with its value, default and help.

#[path = "complaint.rs"]
mod complaint;

use complaint::complaint;
use gasnet::internal::conduit::table as conduits;
use gasnet::internal::env::{self, doc, table};
use gasnet::internal::fatal::line;
use gasnet::internal::hang::find;
use gasnet::internal::launch::external;
use gasnet::internal::os::probe;
use gasnet::internal::os::services::SERVICES;
use std::fmt::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    let mut grammar = getopts::Options::new();
    grammar.long_only(true).optflag("h", "help", "").optflag("", "version", "").optflag("", "env-md", "");
    let given = match grammar.optopt("", "job", "", "PID").parse(words) {
        Ok(given) if given.free.is_empty() => given,
        Ok(given) => return mistake(&format!("{}: it takes options only (-h for help)", given.free.join(" "))),
        Err(why) => return mistake(&complaint(&why)),
    };
    if let Some(pid) = given.opt_str("job") {
        return ask_job(&pid);
    }
    let text = if given.opt_present("h") {
        HELP.to_string()
    } else if given.opt_present("version") {
        version() + "\n"
    } else if given.opt_present("env-md") {
        doc::markdown()
    } else {
        [build(), limits(), machine(), networks(), variables()].join("\n")
    };
    use std::io::Write;
    match std::io::stdout().write_all(text.as_bytes()) {
        // A reader such as `head` may have seen enough.
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => mistake(&error.to_string()),
        _ => ExitCode::SUCCESS,
    }
}

const HELP: &str = "\
usage: gasnet_info [--env-md | --job PID | --version | -h]

Prints the version, the build, its limits, the features of this machine, and every environment variable with its
value, default and meaning. --env-md prints the table of variables as Markdown. --job has
the job to which process PID belongs report on itself, on its own stderr: where each thread of each rank waits, which
messages are in flight, and the stacks. PID is any rank, on this machine, or the process that started the job.
";

fn ask_job(pid: &str) -> ExitCode {
    let asked = match pid.parse() {
        Ok(pid) => find::ask(pid),
        Err(_) => Err(format!("'{pid}' is no process number")),
    };
    match asked {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => mistake(&format!("--job: {why}")),
    }
}

fn mistake(why: &str) -> ExitCode {
    line(&format!("gasnet_info: {why}"));
    ExitCode::FAILURE
}

fn version() -> String {
    format!("libgasnet {}", env!("CARGO_PKG_VERSION"))
}

/// A heading and lines of a name and a value.
struct Section(String);

impl Section {
    fn new(title: &str) -> Section {
        Section(format!("{title}\n"))
    }

    fn says(&mut self, what: &str, value: impl std::fmt::Display) {
        let _ = writeln!(self.0, "  {what:<26} {value}");
    }
}

fn build() -> String {
    let mut section = Section::new(&version());
    section.says(
        "interfaces",
        "GASNet-EX specification 0.19 (release 2025.8.0 to clients), GASNet-1 1.8, GASNet tools 1.20",
    );
    for conduit in conduits::offered() {
        section.says(&format!("conduit {}", conduit.name), conduit.description);
    }
    section.says("thread modes", "SEQ, PARSYNC, PAR: chosen by the client's compilation");
    section.says("segment modes", "FAST, LARGE, EVERYTHING: chosen by the client's compilation (-DGASNET_SEGMENT_...)");
    section.says("debug checks", "chosen by the client's compilation (-DGASNET_DEBUG) or GASNET_DEBUG=1");
    section.says("built", if cfg!(debug_assertions) { "without optimization" } else { "optimized" });
    section.0
}

fn limits() -> String {
    let mut section = Section::new("Limits");
    section.says("ranks", format!("{} in a job, {} on a host", table::MAX_JOB_RANKS, table::MAX_RANKS));
    section.says("threads of a rank", gasnet::internal::thread::MAX_THREADS);
    section.says("AM handlers of a client", format!("{} to 255", gasnet::internal::endpoint::table::CLIENT_BASE));
    section.says("AM arguments", gasnet::internal::defs::message::MAX_ARGS);
    section.says("Medium payload", human(gasnet::internal::am::limits::SHARED_LIMITS.medium as u64));
    section.says("Long payload", "the segment");
    for (name, limits) in conduits::offered().filter_map(|c| Some((c.name, &c.network.as_ref()?.limits))) {
        let [medium, request, reply] = [limits.medium, limits.long_request, limits.long_reply].map(|n| human(n as u64));
        section.says(&format!("{name} between hosts"), format!("Medium {medium}, Long {request} (replies {reply})"));
    }
    section.0
}

fn machine() -> String {
    let size = |bytes: u64| human(bytes);
    let mut section = Section::new("This machine");
    let (allowed, online) = probe::processors();
    let (processor, steady) = probe::processor();
    section.says("system", probe::system());
    section.says("processors", format!("{allowed} usable of {online}: {processor}"));
    let total = probe::meminfo("MemTotal").map_or("unknown".to_string(), |kb| size(kb << 10));
    let free = probe::meminfo("MemAvailable").map_or("unknown".to_string(), |kb| size(kb << 10));
    section.says("memory", format!("{total}, of which {free} available"));
    section.says("memory limit (cgroup)", probe::memory_limit().map_or("none".to_string(), size));
    section.says("memfd", if probe::has_memfd() { "yes" } else { "no" });
    let shm = probe::space("/dev/shm");
    section.says(
        "/dev/shm",
        shm.map_or("missing".to_string(), |(total, free)| format!("{}, of which {} free", size(total), size(free))),
    );
    section.says(
        "System V segments",
        probe::sysv_max().map_or("missing".to_string(), |max| format!("of at most {}", size(max))),
    );
    section.says("huge pages", huge_pages());
    section.says("memory of other processes", peer_memory());
    section.says("membarrier", if probe::has_membarrier() { "yes" } else { "no" });
    for service in &SERVICES {
        if let Some(error) = service.refusal() {
            section.says(&format!("refused: {}", service.call), format!("{error}: {}", service.without));
        }
    }
    section.says("launcher", external::describe());
    let clock = probe::clock_source().unwrap_or_else(|| "unknown".to_string());
    section.says(
        "time-stamp counter",
        format!("{}; the kernel's clock is {clock}", if steady { "steady" } else { "not known to be steady" }),
    );
    section.0
}

/// The ways to communicate that conduits over libraries find here, and which of them each would use.
fn networks() -> String {
    let mut section = Section::new("Networks");
    for (conduit, find) in conduits::FINDS {
        match find() {
            Ok(lines) => lines.iter().for_each(|(name, value)| section.says(&format!("{conduit}: {name}"), value)),
            Err(why) => section.says(conduit, why),
        }
    }
    section.0
}

/// How GASNET_SEGMENT_EVERYTHING reaches the memory of other processes.
fn peer_memory() -> String {
    match (probe::reads_processes(), probe::ptrace_scope()) {
        (Err(error), _) => format!("refused ({error}): GASNET_SEGMENT_EVERYTHING goes by messages"),
        (Ok(()), Some(scope @ 2..)) => {
            format!("for administrators only (ptrace_scope {scope}): GASNET_SEGMENT_EVERYTHING goes by messages")
        }
        (Ok(()), _) => "through the kernel, for GASNET_SEGMENT_EVERYTHING".to_string(),
    }
}

fn huge_pages() -> String {
    let (Some(total), Some(free), Some(kb)) =
        (probe::meminfo("HugePages_Total"), probe::meminfo("HugePages_Free"), probe::meminfo("Hugepagesize"))
    else {
        return "missing".to_string();
    };
    let mount = probe::hugetlbfs().map_or("hugetlbfs not mounted".to_string(), |place| format!("hugetlbfs at {place}"));
    format!("{free} free of {total}, of {} each; {mount}", human(kb << 10))
}

/// Three digits are enough to read.
fn human(bytes: u64) -> String {
    let units = ["B", "KB", "MB", "GB", "TB", "PB", "EB"];
    let step = (bytes.max(1).ilog2() / 10) as usize;
    let value = bytes as f64 / (1u64 << (10 * step)) as f64;
    if value >= 100.0 || step == 0 || value.fract() == 0.0 {
        format!("{value:.0} {}", units[step])
    } else {
        format!("{value:.1} {}", units[step])
    }
}

fn variables() -> String {
    let mut text = String::from("Environment variables (a star: set; ! a value that cannot be read)\n");
    let others: Vec<String> =
        env::names_set().into_iter().filter(|name| table::VARS.iter().all(|var| var.name != name)).collect();
    for group in table::Group::ALL {
        let _ = writeln!(text, "\n  {}", group.title());
        for (var, value) in env::all().filter(|(var, _)| var.group == group) {
            let problem = value.as_deref().and_then(|value| env::problem(var, value));
            let mark = if problem.is_some() {
                '!'
            } else if value.is_some() {
                '*'
            } else {
                ' '
            };
            let shown = value.as_deref().unwrap_or(doc::default(var.default));
            let _ = writeln!(text, "  {mark} {} = {shown}", var.name);
            let default =
                if value.is_some() { format!(" (default: {})", doc::default(var.default)) } else { String::new() };
            let _ = writeln!(text, "      {}: {}{default}", doc::values(var.kind), var.help);
            if let Some(problem) = problem {
                let _ = writeln!(text, "      this value cannot be read: {problem}");
            }
        }
    }
    if !others.is_empty() {
        text += "\n  Others that are set\n";
    }
    for name in others {
        let what = match (table::find(&name), table::is_without_effect(&name)) {
            (Some(var), _) => var.help.to_string(),
            (None, true) => "known, without effect here".to_string(),
            (None, false) => match env::nearest(&name) {
                Some(known) => format!("unknown: did you mean {known}?"),
                None => "unknown".to_string(),
            },
        };
        let _ = writeln!(text, "  * {name} = {}\n      {what}", env::raw(&name).unwrap_or_default());
    }
    text
}
