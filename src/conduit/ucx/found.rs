//! The transports that UCX finds on this machine, and those that it would use: for gasnet_info.

use super::meeting::open_port;
use crate::env;
use crate::os::process;
use crate::shims::ucx::{self, Ucx, UcxPort};

/// Transports that reach other hosts: UCX's word for all but those of one process and of one host.
const BETWEEN_HOSTS: &str = "^self,shm";
/// Calls of progress after which the lanes of a connection of a process to itself are final.
const TURNS: u32 = 1000;

/// UCX's words for the uses of a lane, and the field's.
const USES: [(&str, &str); 5] = [
    ("am", "messages"),
    ("am_bw", "long messages"),
    ("rma", "puts and gets"),
    ("rma_bw", "rendezvous"),
    ("amo", "atomics"),
];

/// Lines of a name and a value. An error is a line for the user.
pub(crate) fn found() -> Result<Vec<(String, String)>, String> {
    let ucx = ucx::open()?;
    let port = open_port(ucx, 2, 2)?;
    let resources = of_context(&port.describe(None));
    let here = lanes(&port);
    let apart = match env::raw("UCX_TLS") {
        Some(_) => None,
        None => Some(lanes_between_hosts(ucx)),
    };
    let mut lines = vec![("UCX".to_owned(), format!("{} ({})", ucx.version(), ucx.file))];
    for name in resources {
        let uses =
            |lanes: &[(String, String)]| lanes.iter().find(|(lane, _)| *lane == name).map(|(_, uses)| uses.clone());
        let mut says: Vec<String> = uses(&here).map(|uses| format!("used on this host: {uses}")).into_iter().collect();
        if let Some(Ok(apart)) = &apart {
            says.extend(uses(apart).map(|uses| format!("used between hosts: {uses}")));
        }
        lines.push((name, if says.is_empty() { "not chosen".to_owned() } else { says.join("; ") }));
    }
    if let Some(Err(why)) = apart {
        lines.push(("between hosts".to_owned(), why));
    }
    Ok(lines)
}

/// The lanes of a connection that may use no memory of this host. `UCX_TLS` is not set, and is removed again.
fn lanes_between_hosts(ucx: &'static Ucx) -> Result<Vec<(String, String)>, String> {
    process::set_env(b"UCX_TLS", BETWEEN_HOSTS.as_bytes());
    let port = open_port(ucx, 2, 1);
    process::unset_env(c"UCX_TLS");
    port.map(|port| lanes(&port))
}

/// The lanes of a connection to this process itself, with their uses.
fn lanes(port: &UcxPort) -> Vec<(String, String)> {
    let Ok(peer) = port.connect(&port.address(), 0, false) else { return Vec::new() };
    for _ in 0..TURNS {
        port.progress();
    }
    of_connection(&port.describe(Some(&peer)))
}

/// The names in UCX's description of a context, whose lines are as `resource 1  :  md 1  dev 1  flags -- tcp/eth0`.
fn of_context(text: &str) -> Vec<String> {
    let resources = text.lines().filter(|line| line.contains("resource "));
    resources.filter_map(|line| line.split_whitespace().last()).map(str::to_owned).collect()
}

/// The lanes in UCX's description of a connection, whose lines are as `lane[0]:  3:tcp/eth0.0 md[2] -> md[2]/tcp/sysdev[255] rma_bw#0 am`.
fn of_connection(text: &str) -> Vec<(String, String)> {
    let lanes = text.lines().filter_map(|line| line.split_once("lane[").map(|(_, lane)| lane));
    let read = |lane: &str| {
        let (name, uses) = lane.split_once("->")?;
        let name = name.split_whitespace().nth(1)?.split_once(':')?.1;
        let name = name.rsplit_once('.').map_or(name, |(name, _)| name);
        let words: Vec<&str> = uses.split_whitespace().map(|word| word.split('#').next().unwrap_or(word)).collect();
        let uses: Vec<&str> = USES.iter().filter(|(word, _)| words.contains(word)).map(|(_, name)| *name).collect();
        let uses = if uses.is_empty() { "emulated, or to connect".to_owned() } else { uses.join(", ") };
        Some((name.to_owned(), uses))
    };
    lanes.filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_of_ucx_are_read() {
        let context = "# UCP context\n#     component 1  :  tcp\n#            md 1  :  component 1  tcp \n\
                       #      resource 1  :  md 1  dev 1  flags -- tcp/eth0\n#      resource 4  :  md 3  dev 3  flags -- posix/memory\n#\n";
        assert_eq!(of_context(context), ["tcp/eth0", "posix/memory"]);
        let connection = "# UCP endpoint \n#               peer: <no debug data>\n\
                          #                 lane[0]:  1:tcp/lo.0 md[0]                -> md[0]/tcp/sysdev[255] rma_bw#0 am am_bw#0\n\
                          #                 lane[1]:  0:tcp/eth0.0 md[0]              -> md[0]/tcp/sysdev[255] wireup\n";
        let expected = [("tcp/lo", "messages, long messages, rendezvous"), ("tcp/eth0", "emulated, or to connect")];
        assert_eq!(of_connection(connection), expected.map(|(name, uses)| (name.to_owned(), uses.to_owned())));
    }
}
