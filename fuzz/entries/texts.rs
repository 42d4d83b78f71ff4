//! Texts that users and files bring: lists of hosts, addresses, faults, the hidden word of a worker, command lines,
//! values of the environment.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use gasnet::internal::conduit::udp::faults::Faults;
use gasnet::internal::env::parse;
use gasnet::internal::launch::hosts::{Distribution, Net};
use gasnet::internal::launch::spawn::Program;
use gasnet::internal::launch::worker::SecretWord;
use gasnet::internal::launch::{hosts, spawn, spawn_command};

use super::input::Input;

pub fn run(data: &[u8]) {
    let mut input = Input::bytes(data);
    let kind = input.u8() % 8;
    let size = u32::from(input.u16());
    let bytes = input.take(usize::MAX);
    let text = &*String::from_utf8_lossy(bytes);
    match kind {
        0 => places(hosts::list(text), size),
        1 => places(hosts::file(text), size),
        2 => {
            if let Some(net) = Net::parse(text) {
                let own = text.trim().split('/').next().unwrap_or_default().trim_matches(['[', ']']);
                assert!(net.holds(own.parse().expect("an address")));
            }
        }
        3 => {
            if let Ok(faults) = Faults::parse(text) {
                let shares = [faults.loss, faults.dup, faults.reorder, faults.corrupt];
                assert!(shares.iter().all(|share| (0.0..=1.0).contains(share)), "{faults:?}");
                assert!(faults.delay_ns <= 60_000_000_000);
            }
        }
        4 => {
            if let Some(word) = SecretWord::parse(text) {
                assert_eq!(SecretWord::parse(&word.to_string()), Some(word));
            }
        }
        5 => {
            let _ = spawn::words(text);
            let quoted = spawn::quoted(OsStr::from_bytes(text.as_bytes()));
            let back = spawn::words(std::str::from_utf8(&quoted).expect("quoting keeps text text"));
            assert_eq!(back.expect("quotes are closed"), [text]);
        }
        6 => {
            let argv = vec!["a.out".into(), OsStr::from_bytes(b"an argument").into()];
            let program = Program { path: "/a/b".into(), argv, dir: "/d".into() };
            let master = "[::1]:9".parse().expect("an address");
            if let Ok(line) = spawn_command::filled(text, &program, size, &["h".into()], master) {
                assert!(line.as_bytes().windows(4).any(|part| part == b"/a/b"));
            }
        }
        _ => settings(text, bytes),
    }
}

/// Every rank has a place on one host of the list, for every distribution, and all hosts agree on it.
fn places(entries: Result<Vec<hosts::HostEntry>, String>, size: u32) {
    let Ok(entries) = entries else { return };
    let merged = hosts::merged(entries);
    for how in ["block", "cyclic", "plane=3"] {
        let placed = hosts::placed(&merged, size, Distribution::parse(how).expect("a placement"));
        assert!(placed.iter().all(|host| merged.iter().any(|entry| entry.name == host.name)));
        let mut seen = vec![false; size as usize];
        for rank in placed.iter().flat_map(|host| host.ranks.iter()) {
            assert!(!std::mem::replace(&mut seen[rank.index()], true));
        }
        assert!(merged.is_empty() || !seen.contains(&false));
    }
}

/// Values of the environment.
fn settings(text: &str, bytes: &[u8]) {
    let _ = (parse::yes(text), parse::seg_limit(text), parse::rank_list(text), parse::longest_int(text, 1 << 20));
    if let Ok(n) = parse::int(text) {
        assert_eq!(parse::int(&n.to_string()).ok(), Some(n));
        assert_eq!(parse::int_within(text, n, n).ok(), Some(n));
    }
    if let Ok(n) = parse::size(text, 1) {
        assert_eq!(parse::size_up(text, 1).is_ok(), n >= 0);
    }
    assert!(parse::dbl(text).map_or(true, f64::is_finite));
    assert!(parse::names(text).all(|name| !name.is_empty()));
    assert!(parse::unescaped(bytes).len() <= bytes.len());
    let half: String = text.chars().take(20).collect();
    assert_eq!(parse::distance(&half, &half), 0);
}
