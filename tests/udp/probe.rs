//! A program whose ranks join a udp job and do what the first argument says, without needing a network between them.
#![allow(clippy::disallowed_methods)]

use gasnet::bootstrap::worker::JobTable;
use gasnet::bootstrap::{self, Boot, ControlPage, fork};
use gasnet::exit;
use gasnet::job::JobRank;
use gasnet::nbrhd::{Layout, Region};
use gasnet::os::{process, streams};
use gasnet::settings::ABI_NUMBER;
use std::collections::HashSet;
use std::io::Write;
use std::net::UdpSocket;
use std::os::unix::ffi::OsStrExt;
use std::time::Duration;

/// Returns when every rank is at `stage`, which it learns by datagrams that carry the secret.
fn gather(table: &JobTable, socket: &UdpSocket, stage: u8) {
    let mut word = table.secret.to_vec();
    word.push(stage);
    let mut from = HashSet::new();
    let mut block = [0; 40];
    socket.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
    loop {
        for addr in &table.rank_addrs {
            let _ = socket.send_to(&word, addr);
        }
        if from.len() == table.size as usize {
            return;
        }
        while let Ok((len, sender)) = socket.recv_from(&mut block) {
            assert_eq!(block[..32], table.secret);
            assert!(len == 33 && table.rank_addrs.contains(&sender));
            // Who is at a later stage has been at this one.
            if block[32] >= stage {
                from.insert(sender);
            }
            if from.len() == table.size as usize {
                break;
            }
        }
    }
}

fn main() {
    let argv: Vec<_> = std::env::args_os().collect();
    gasnet::fatal::install_panic_hook();
    streams::hold_standard_streams();
    let joined = bootstrap::join(Some(argv.clone()), ABI_NUMBER);
    let mut table = joined.table;
    let region = Region::create(Layout::new(
        table.count as usize,
        table.count as usize,
        64,
        bootstrap::control_bytes(table.count),
    ))
    .unwrap();
    let page = ControlPage::at(region.control());
    exit::prepare(table.size, page, gasnet::job::HostRank(0));
    page.set_place(JobRank(table.first), table.size);
    let local = fork::start_hosted(table.count, page, Some(joined.agent));
    let me = page.job_rank(local).0;
    gasnet::fatal::set_rank(me);
    exit::begin();
    let boot = Boot::new(page, local);
    boot.barrier();
    let socket = table.keep_socket(local.0).unwrap();
    let word = |at: usize| argv.get(at).map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
    let number = |at: usize| word(at).parse::<i32>().unwrap_or(0);
    let mut out = std::io::stdout();
    match word(1).as_str() {
        // Every rank reaches every other one at the address in the table, and they all have one secret.
        "meet" => {
            gather(&table, &socket, 1);
            let host = &table.hosts[table.host as usize];
            println!("rank {me} of {} on host {} {} {}+{}", table.size, table.host, host.name, host.first, host.count);
        }
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
        // The first host ends the job well; of the others each rank goes on to work, and says so.
        "tail" => {
            println!("rank {me} pid {} warden {}", process::pid(), page.warden());
            out.flush().unwrap();
            if table.host > 0 {
                for worked in 1u64.. {
                    if std::hint::black_box(worked).is_multiple_of(1 << 20) && exit::ending() {
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
    if matches!(word(1).as_str(), "exit" | "die" | "pids" | "wait") {
        loop {
            std::thread::sleep(Duration::from_secs(1));
        }
    }
    out.flush().unwrap();
    if !matches!(word(1).as_str(), "code" | "leave" | "tail") {
        // The first one that leaves ends the job.
        gather(&table, &socket, 2);
    }
    exit::exit(if matches!(word(1).as_str(), "code" | "leave") { number(2) } else { 0 });
}
