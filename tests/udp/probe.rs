//! A program for tests, whose first argument selects what its ranks do; it needs no network between them. A master has started its
//! processes, or becomes one; `PROBE_FORK=N`: N ranks on this host without a master; `PROBE_EXTERNAL`: one of the ranks
//! that a test has started one by one; `PROBE_LAUNCHER`: one of the ranks that an external launcher has started.
#![allow(clippy::disallowed_methods)]

mod contract;
mod external;

use external::External;
use gasnet::internal::bootstrap::contract::Bootstrap;
use gasnet::internal::bootstrap::page::ControlPage;
use gasnet::internal::bootstrap::{self, launcher};
use gasnet::internal::defs::rank::{HostRank, JobRank};
use gasnet::internal::exit;
use gasnet::internal::launch::worker::Joined;
use gasnet::internal::launch::{addresses, external as launchers, fork};
use gasnet::internal::nbrhd::{Region, RegionLayout};
use gasnet::internal::os::{process, streams};
use gasnet::internal::places::Ranks;
use gasnet::internal::settings::ABI_NUMBER;
use std::collections::HashSet;
use std::io::Write;
use std::net::SocketAddr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

/// Returns when every rank has been reached by datagrams that carry a secret of the first one.
fn gather(boot: &dyn Bootstrap) {
    let id = boot.identity();
    let (socket, addr) = addresses::bind(id.address.unwrap(), 1).unwrap().pop().unwrap();
    boot.put("at", addr.to_string().as_bytes());
    if id.me.0 == 0 {
        let mut secret = [0; 32];
        process::random(&mut secret).unwrap();
        boot.put("secret", &secret);
    }
    boot.fence();
    let text = |rank| String::from_utf8(boot.get(JobRank(rank), "at").unwrap()).unwrap();
    let addrs: Vec<SocketAddr> = (0..id.size).map(|rank| text(rank).parse().unwrap()).collect();
    let secret = boot.get(JobRank(0), "secret").unwrap();
    let mut from = HashSet::new();
    let mut block = [0; 40];
    socket.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
    while from.len() < addrs.len() {
        for addr in &addrs {
            let _ = socket.send_to(&secret, addr);
        }
        while let Ok((len, sender)) = socket.recv_from(&mut block) {
            assert_eq!(block[..len], secret);
            assert!(addrs.contains(&sender));
            from.insert(sender);
        }
    }
    // Other ranks may still wait for our datagrams, which may be lost.
    boot.barrier();
}

/// The page of the ranks of this host.
fn page(ranks: &Ranks, size: u32) -> &'static ControlPage {
    let count = ranks.count();
    let bytes = bootstrap::page::control_bytes(count);
    let region = Region::create(RegionLayout::new(
        count as usize,
        count as usize,
        64,
        bytes,
        gasnet::internal::barrier::area_bytes(count as usize),
    ))
    .unwrap();
    let page = ControlPage::at(region.control());
    page.set_places(ranks.iter(), size);
    exit::prepare(size, page, HostRank(0));
    page
}

/// The bootstrap of a rank that was started separately.
fn started_separately() -> Option<&'static dyn Bootstrap> {
    if let Ok(word) = std::env::var(external::WORD) {
        return Some(Box::leak(Box::new(External::of(&word))));
    }
    std::env::var_os("PROBE_LAUNCHER").and_then(|_| launchers::detect(true))
}

fn main() {
    let argv: Vec<_> = std::env::args_os().collect();
    gasnet::internal::fatal::install_panic_hook();
    exit::end_jobs_of_fatal_errors();
    streams::hold_standard_streams();
    let mut host = (0, "here".to_string(), 0, 0);
    let (page, boot): (_, &dyn Bootstrap) = if let Some(boot) = started_separately() {
        launcher::set_external(boot);
        let page = page(&Ranks::block(boot.identity().me.0, 1), boot.identity().size);
        page.set_size(1);
        bootstrap::here::enter(page, HostRank(0));
        (page, boot)
    } else if let Ok(count) = std::env::var("PROBE_FORK") {
        let count = count.parse().unwrap();
        let page = page(&Ranks::block(0, count), count);
        (page, Box::leak(fork::start(count, page, None)))
    } else {
        let Joined { size, host: nth, hosts, uplink, beside } =
            gasnet::internal::launch::traditional::join("udp", Some(argv.clone()), ABI_NUMBER);
        let own = &hosts[nth as usize];
        let count = own.ranks.count();
        host = (nth, own.name.clone(), own.ranks.get(HostRank(0)).unwrap().0, count);
        let page = page(&own.ranks, size);
        page.set_beside(beside);
        (page, Box::leak(fork::start(count, page, Some(uplink))))
    };
    let (me, size) = (boot.identity().me.0, boot.identity().size);
    gasnet::internal::fatal::set_rank(me);
    if std::env::var_os("PROBE_BEGINS_LATE").is_some() {
        std::thread::sleep(Duration::from_millis(300));
    }
    if std::env::var_os("PROBE_LAUNCHER").is_none() {
        // Earlier, the bootstrap's descriptor of deaths would be watched during exchanges over it.
        exit::begin();
    }
    let word = |at: usize| argv.get(at).map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
    let number = |at: usize| word(at).parse::<i32>().unwrap_or(0);
    let mut out = std::io::stdout();
    match word(1).as_str() {
        // Every rank reaches every other rank at its published address, and all have the same secret.
        "meet" => {
            gather(boot);
            let (nth, name, first, count) = &host;
            println!("rank {me} of {size} on host {nth} {name} {first}+{count}");
        }
        "contract" => {
            contract::run(boot, Path::new(&word(2)));
            if std::env::var_os("PROBE_LAUNCHER").is_none() {
                // Else the end of the process does it: once only.
                boot.leave();
            }
            println!("rank {me} of {size} is content");
        }
        // One rank aborts, or all; the others are in a fence.
        "abort" => {
            if word(4) == "all" || number(4) == me as i32 {
                boot.abort(number(2), &word(3));
                exit::exit(number(2));
            }
            boot.fence();
        }
        "beside" => println!("rank {me} has {} beside", page.beside()),
        "fatal" if number(2) == me as i32 => panic!("as asked"),
        "args" => {
            for word in &argv[1..] {
                out.write_all(word.as_bytes()).unwrap();
                out.write_all(b"|").unwrap();
            }
            println!();
        }
        "env" => {
            let value = std::env::var_os(word(2)).unwrap_or_default();
            out.write_all(value.as_bytes()).unwrap();
            println!("|{}|", std::env::current_dir().unwrap().display());
        }
        "stdin" => {
            let mut text = String::new();
            std::io::Read::read_to_string(&mut std::io::stdin(), &mut text).unwrap();
            println!("{me}:{}", text.trim_end());
        }
        "lines" => {
            for nth in 0..number(2) {
                println!("rank {me} line {nth} {}", "x".repeat(nth as usize % 97));
                if nth % 10 == 0 {
                    eprintln!("rank {me} err {nth}");
                }
            }
        }
        "exit" if number(3) == me as i32 => exit::exit(number(2)),
        "die" if number(3) == me as i32 => match number(2) {
            6 => std::process::abort(),
            0 => process::end_now(9),
            signal => _ = process::kill(process::pid(), signal),
        },
        // All leave at about the same time, each with a line.
        "leave" => {
            println!("rank {me} was here");
            if word(2) == "return" {
                return;
            }
        }
        // The first host ends the job with code 0; the ranks of the other hosts continue to work and print that.
        "tail" => {
            println!("rank {me} pid {} warden {}", process::pid(), page.warden());
            out.flush().unwrap();
            if host.0 > 0 {
                for worked in 1u64.. {
                    if std::hint::black_box(worked) % (1 << 20) == 0 && exit::ending() {
                        println!("rank {me} works on");
                    }
                }
            }
        }
        "pids" => {
            println!("rank {me} pid {} warden {}", process::pid(), page.warden());
            out.flush().unwrap();
        }
        _ => {}
    }
    if std::env::var_os("PROBE_OTHERS").is_some() {
        boot.fence();
    }
    if matches!(word(1).as_str(), "exit" | "die" | "pids" | "wait" | "fatal") {
        loop {
            std::thread::sleep(Duration::from_secs(1));
        }
    }
    out.flush().unwrap();
    if !matches!(word(1).as_str(), "code" | "leave" | "tail") {
        // The first rank that leaves ends the job.
        boot.barrier();
    }
    exit::exit(if matches!(word(1).as_str(), "code" | "leave") { number(2) } else { 0 });
}
