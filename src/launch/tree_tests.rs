use super::*;
use crate::places::Ranks;
use std::net::Ipv4Addr;

const SECRET: JobSecret = [3; 32];

/// The parts of a tree of `hosts` hosts, each with 2 ranks. Those that `is_there` excludes do not exist, but their ports do.
fn trees(hosts: u32, degree: u32, patience: Duration, is_there: impl Fn(u32) -> bool) -> Vec<Option<HostTree>> {
    let listeners: Vec<_> =
        (0..hosts).map(|_| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port is free")).collect();
    let at: Vec<_> = listeners.iter().map(|listener| listener.local_addr().expect("bound")).collect();
    let infos: Vec<_> =
        (0..hosts).map(|host| HostInfo { name: format!("h{host}"), ranks: Ranks::block(2 * host, 2) }).collect();
    let part = |(host, listener)| {
        let tree = || HostTree::new(Some(listener), host, &infos, &at, degree, &SECRET, patience).expect("a tree");
        is_there(host).then(tree)
    };
    (0..).zip(listeners).map(part).collect()
}

/// Works on all parts until each has returned the values of an exchange, or one an error.
fn exchange(trees: &mut [Option<HostTree>]) -> Result<Vec<Vec<u8>>, String> {
    let start = Instant::now();
    let mut all = vec![None; trees.len()];
    while trees.iter().zip(&all).any(|(tree, values)| tree.is_some() && values.is_none()) {
        assert!(start.elapsed() < LONG, "an exchange hangs");
        for (tree, values) in trees.iter_mut().zip(&mut all) {
            let Some(tree) = tree else { continue };
            if let Some(got) = tree.work(Instant::now())? {
                assert!(values.replace(got).is_none(), "values came twice");
            }
        }
        std::thread::yield_now();
    }
    Ok(all.into_iter().flatten().collect())
}

/// Under qemu-user an exchange of the longest values takes about a minute beside other work.
const LONG: Duration = Duration::from_secs(300);

#[test]
fn each_host_is_below_one_other() {
    for degree in 1..6 {
        for hosts in 1..40 {
            let mut lower: Vec<u32> = (0..hosts).flat_map(|host| below(host, hosts, degree)).collect();
            assert!((0..hosts).all(|host| below(host, hosts, degree).all(|low| above(low, degree) == Some(host))));
            lower.sort_unstable();
            assert_eq!(lower, (1..hosts).collect::<Vec<_>>());
        }
    }
    assert_eq!(below(u32::MAX / 2, u32::MAX, 64), u32::MAX..u32::MAX);
}

#[test]
fn exchanges_of_any_length_reach_all_hosts_in_the_same_order() {
    for (hosts, degree) in [(1, 4), (2, 4), (3, 1), (7, 2), (14, 3)] {
        let mut trees = trees(hosts, degree, LONG, |_| true);
        for len in [1, 0, 300_000] {
            for (host, tree) in trees.iter_mut().flatten().enumerate() {
                tree.offer(vec![host as u8; len]);
            }
            let all = exchange(&mut trees).expect("an exchange");
            assert!(all.iter().all(|values| *values == all[0]));
            let mut seen = all[0].clone();
            seen.sort_unstable();
            assert_eq!(seen, (0..hosts as u8).flat_map(|host| vec![host; len]).collect::<Vec<_>>());
        }
        assert!(trees.iter().flatten().all(|tree| tree.due().is_none()));
    }
}

#[test]
fn strangers_are_dropped() {
    let mut trees = trees(3, 2, LONG, |_| true);
    let door = trees[0].as_ref().and_then(|tree| tree.listener.as_ref()?.local_addr().ok()).expect("it listens");
    let strangers: Vec<_> = (0..2 * MOST_STRANGERS).map(|_| TcpStream::connect(door).expect("it accepts")).collect();
    for (nth, mut stranger) in strangers.iter().enumerate() {
        let words: &[u8] = if nth % 2 == 0 {
            b"GET / HTTP/1.1 and something more than an opening\r\n"
        } else {
            &control::opening(&[1; 32])
        };
        stranger.write_all(words).expect("sent");
    }
    // One that knows the layout of a frame, but not the secret.
    let (sealer, mut bytes) = (&mut Sealer::new(&[9; 32], Side::Worker, &[1; 32], &[1; 32]), Vec::new());
    sealer.seal(&Frame::Branch(1), &mut bytes);
    (&strangers[1]).write_all(&bytes).expect("sent");
    for tree in trees.iter_mut().flatten() {
        tree.offer(vec![tree.me as u8]);
    }
    assert_eq!(exchange(&mut trees).expect("an exchange").len(), 3);
    assert!(trees.iter().flatten().all(|tree| tree.strangers.is_empty()));
}

#[test]
fn a_host_that_does_not_connect_is_named() {
    // Host 2 is below host 0; host 3, which is below host 1, is there.
    let mut trees = trees(4, 2, LONG, |host| host != 2);
    let start = Instant::now();
    while trees.iter().flatten().any(|tree| tree.absent().is_some_and(|host| host != 2)) {
        assert!(start.elapsed() < LONG, "the others do not connect");
        for tree in trees.iter_mut().flatten() {
            assert_eq!(tree.work(Instant::now()), Ok(None));
        }
    }
    let why = trees[0].as_mut().expect("host 0").work(start + 2 * LONG).expect_err("a host is missing");
    assert!(why.contains("host h0 (ranks 0-1) and host h2 (ranks 4-5)") && why.contains("GASNET_TREE_DEGREE"), "{why}");
    assert!([1, 3].iter().all(|&at| trees[at].as_mut().expect("a host").work(start + 2 * LONG) == Ok(None)));
}

#[test]
fn a_port_that_nobody_opens_is_named() {
    let mut trees = trees(2, 2, LONG, |host| host == 1);
    let tree = trees[1].as_mut().expect("host 1");
    tree.offer(vec![1]);
    let why = tree.work(Instant::now() + LONG);
    assert!(why.as_ref().is_err_and(|why| why.contains("host h1 (ranks 2-3) and host h0 (ranks 0-1)")), "{why:?}");
}

#[test]
fn a_connection_that_breaks_matters_during_an_exchange_only() {
    let mut trees = trees(3, 2, LONG, |_| true);
    let offer = |trees: &mut Vec<Option<HostTree>>| trees.iter_mut().flatten().for_each(|tree| tree.offer(vec![1]));
    offer(&mut trees);
    exchange(&mut trees).expect("an exchange");
    trees[1] = None;
    let soon = Instant::now() + EXPLANATION_TIME * 2;
    while trees[0].as_ref().is_some_and(|tree| tree.broken.is_none()) {
        for tree in trees.iter_mut().flatten() {
            assert_eq!(tree.work(soon), Ok(None));
        }
    }
    offer(&mut trees);
    let why = trees[0].as_mut().expect("host 0").work(soon + EXPLANATION_TIME).expect_err("a host is gone");
    assert!(why.contains("host h0 (ranks 0-1) and host h1 (ranks 2-3)"), "{why}");
}
