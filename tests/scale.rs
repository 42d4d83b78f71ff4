//! The simulation of start-up and real jobs agree in the numbers of exchanges and messages. No harness: this program is
//! the ranks of its jobs, too.
#![allow(clippy::disallowed_methods)]

#[allow(dead_code)]
#[path = "../src/bin/gasnet_scale/model.rs"]
mod model;

use core::ffi::c_char;
use core::ptr::null_mut;
use std::process::{Command, Stdio, exit};

use gasnet::internal::abi::client::gasnet_attach;
use gasnet::internal::abi::exit::gasnet_exit;
use gasnet::internal::abi::init::{gasneti_client_record_t, gasneti_init};
use gasnet::internal::coll::message::counts;
use gasnet::internal::settings::ABI_NUMBER;
use model::{Costs, Report, Shape};

const COSTS: Costs = Costs { fence_step: 1e6, message: 2e3, byte: 0.1 };

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.iter().any(|word| word == "rank") {
        rank();
    }
    if words.iter().any(|word| word == "--list") {
        exit(0);
    }
    for (ranks, hosts) in [(1, 1), (2, 2), (5, 1), (6, 2), (9, 3), (16, 2)] {
        jobs_agree(ranks, hosts);
    }
    println!("test simulated_and_real_jobs_agree ... ok");
    costs_add_up();
    println!("test times_are_sums_of_costs ... ok");
}

fn simulated(ranks: u32, hosts: u32) -> Report {
    let each = ranks.div_ceil(hosts);
    model::run(Shape { size: ranks, each, together: each }, COSTS).unwrap()
}

/// A real job of `ranks` ranks on `hosts` hosts, each of which prints its counts after init, and at attach.
fn jobs_agree(ranks: u32, hosts: u32) {
    let mut job = Command::new(env!("CARGO_BIN_EXE_gasnetrun"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("GASNET_") {
            job.env_remove(name);
        }
    }
    std::os::unix::process::CommandExt::arg0(&mut job, "gasnetrun_udp");
    job.args(["-n", &ranks.to_string()]).arg(std::env::current_exe().unwrap()).arg("rank");
    job.env("GASNET_SPAWNFN", "L").env("GASNET_UDP_LOCAL_HOSTS", hosts.to_string());
    let out = job.stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success(), "{text}{}", String::from_utf8_lossy(&out.stderr));
    let Report { init, attach, .. } = simulated(ranks, hosts);
    let expected = format!(
        "init {} {} attach {} {}",
        init.exchanges, init.messages_a_rank, attach.exchanges, attach.messages_a_rank
    );
    assert_eq!(text.lines().collect::<Vec<_>>(), vec![&expected; ranks as usize], "{ranks} ranks on {hosts} hosts");
}

/// A rank of such a job.
fn rank() -> ! {
    let record = gasneti_client_record_t {
        abi: ABI_NUMBER,
        threads: 1,
        debug: 0,
        segment: 1,
        heap: 0,
        conduit: c"udp".as_ptr().cast::<c_char>(),
        file: c"scale.rs".as_ptr().cast::<c_char>(),
    };
    // SAFETY: one record, which lives until init has read it; no handlers.
    unsafe {
        // If anything hangs, the warden ends the job.
        libc::alarm(60);
        let first = &raw const record;
        assert_eq!(gasneti_init(null_mut(), null_mut(), first, first.add(1)), 0);
        let init = counts();
        assert_eq!(gasnet_attach(null_mut(), 0, 65536, 0), 0);
        let all = counts();
        println!("init {} {} attach {} {}", init.0, init.1, all.0 - init.0, all.1 - init.1);
    }
    gasnet_exit(0)
}

/// Each cost adds to the times that it belongs to, and to no other.
fn costs_add_up() {
    let run = |costs| model::run(Shape { size: 64, each: 8, together: 8 }, costs).unwrap();
    let free = run(Costs { fence_step: 0.0, message: 0.0, byte: 0.0 });
    assert_eq!([free.init.ns, free.attach.ns, free.barrier.ns, free.exit.ns], [0.0; 4]);
    let fences = run(Costs { fence_step: 1e6, message: 0.0, byte: 0.0 });
    // Two fences among 8 hosts.
    assert_eq!([fences.init.ns, fences.attach.ns, fences.barrier.ns, fences.exit.ns], [6e6, 0.0, 0.0, 3e6]);
    let messages = run(Costs { fence_step: 0.0, message: 1.0, byte: 0.0 });
    // Six rounds of one message each, in four exchanges; three steps among the leaders.
    assert_eq!([messages.attach.ns, messages.barrier.ns], [4.0 * 6.0 * 2.0, 3.0 * 2.0]);
    assert_eq!((messages.fences, messages.attach.messages_a_rank), (2, 24));
    assert!(messages.longest_value <= 1024 && messages.launcher_ns == 16.0);
}
