//! Prints the cost of the start and end of a udp job of many ranks, by simulation: times, messages, bytes a rank.

#[path = "../complaint.rs"]
mod complaint;
mod model;
mod picture;

use complaint::complaint;
use gasnet::internal::fatal::line;
use model::{Costs, Phase, Report, Shape};
use std::process::ExitCode;

const HELP: &str = "\
gasnet_scale: simulates the start and the end of udp jobs under a launcher. The library's own code says who sends what to
whom; times are the sums of what messages cost.

  -ranks LIST      numbers of ranks, separated by commas (1000,10000,100000,1000000)
  -each N          ranks on a host (100)
  -together N      ranks of a host that share memory (all)
  -fence US        microseconds a step of the launcher's fence takes; a fence takes log2(hosts) of them (1000)
  -message US      microseconds a message takes its sender, and its receiver (2)
  -gbytes N        10^9 bytes a second that a host's network carries; 0: any number (10)
  -svg FILE        draws the curves
  -h               this text
";

fn main() -> ExitCode {
    match run(std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            line(&format!("gasnet_scale: {why}"));
            ExitCode::FAILURE
        }
    }
}

fn run(words: Vec<String>) -> Result<(), String> {
    let mut grammar = getopts::Options::new();
    grammar.long_only(true).optflag("h", "help", "");
    for name in ["ranks", "each", "together", "fence", "message", "gbytes", "svg"] {
        grammar.optopt("", name, "", "");
    }
    let given = grammar.parse(words).map_err(|why| complaint(&why))?;
    if let Some(word) = given.free.first() {
        return Err(format!("{word}: it takes options only (-h for help)"));
    }
    if given.opt_present("h") {
        print!("{HELP}");
        return Ok(());
    }
    let number = |name: &str, default: f64| match given.opt_str(name) {
        None => Ok(default),
        Some(text) => match text.parse::<f64>() {
            Ok(number) if number.is_finite() && number >= 0.0 => Ok(number),
            _ => Err(format!("-{name} {text}: not a number from 0 on")),
        },
    };
    let count = |name: &str, default: u32| match given.opt_str(name) {
        None => Ok(default),
        Some(text) => {
            text.parse::<u32>().ok().filter(|&count| count > 0).ok_or(format!("-{name} {text}: not a number from 1 on"))
        }
    };
    let gbytes = number("gbytes", 10.0)?;
    let costs = Costs {
        fence_step: number("fence", 1000.0)? * 1e3,
        message: number("message", 2.0)? * 1e3,
        byte: if gbytes > 0.0 { 1.0 / gbytes } else { 0.0 },
    };
    let each = count("each", 100)?;
    let together = count("together", each)?;
    let mut all = Vec::new();
    println!("{}", heading());
    for text in given.opt_str("ranks").unwrap_or("1000,10000,100000,1000000".into()).split(',') {
        let size =
            text.parse().ok().filter(|&size: &u32| size > 0).ok_or(format!("-ranks {text}: not a number from 1 on"))?;
        let report = model::run(Shape { size, each, together }, costs)?;
        println!("{}", row(size, &report));
        all.push((size, report));
    }
    if let Some(path) = given.opt_str("svg") {
        std::fs::write(&path, picture::svg(&all)).map_err(|error| format!("-svg {path}: {error}"))?;
    }
    Ok(())
}

fn heading() -> String {
    let titles = [
        "ranks",
        "hosts",
        "fence ms",
        "init ms",
        "ratio",
        "launcher",
        "master",
        "tree",
        "ranks'",
        "attach",
        "barrier",
        "exit ms",
        "exchanges",
        "value B",
        "at master",
        "MB",
        "messages",
        "B shared",
        "B private",
        "B space",
        "B at start",
    ];
    format!("| {} |\n|{}", titles.join(" | "), " ---: |".repeat(titles.len()))
}

fn row(size: u32, of: &Report) -> String {
    let ms = |ns: f64| format!("{:.3}", ns / 1e6);
    let of_phase = |phase: &Phase| ms(phase.ns);
    let messages = [of.init, of.attach].map(|phase| phase.messages_a_rank.to_string()).join(" + ");
    let cells = [
        size.to_string(),
        of.hosts.to_string(),
        ms(of.fence_ns),
        of_phase(&of.init),
        format!("{:.2}", of.init.ns / (f64::from(of.fences) * of.fence_ns)),
        ms(of.launcher_ns),
        ms(of.master_ns),
        ms(of.tree_ns),
        ms(of.init.ns - of.launcher_ns - of.master_ns - of.tree_ns),
        of_phase(&of.attach),
        of_phase(&of.barrier),
        of_phase(&of.exit),
        of.fences.to_string(),
        of.longest_value.to_string(),
        of.master_messages.to_string(),
        format!("{:.1}", of.master_bytes as f64 / 1e6),
        messages,
        format!("{:.2}", of.shared),
        format!("{:.0}", of.private),
        format!("{:.0}", of.space),
        format!("{:.1}", of.starting),
    ];
    format!("| {} |", cells.join(" | "))
}
