//! Hosts that a test makes: an sshd on the loopback interface with throwaway keys, and machines made of
//! network namespaces, each with an sshd, joined by a bridge. Everything is taken down when the value is dropped.

// Not every test uses all of it.
#![allow(dead_code)]

use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

pub fn skip(why: &str) {
    eprintln!("skipped: {why}");
}

fn is_root() -> bool {
    // SAFETY: no arguments.
    unsafe { libc::geteuid() == 0 }
}

fn done(command: &mut Command) -> bool {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success())
}

/// A directory of keys; dropping the value removes it.
struct Keys(PathBuf);

impl Keys {
    fn make() -> Option<Keys> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        // sshd wants every folder above its files to belong to root or to the user, and none to be open to others.
        let dir = std::env::temp_dir().join(format!("gasnet-test-{}-{number}", std::process::id()));
        std::fs::create_dir(&dir).ok()?;
        std::fs::set_permissions(&dir, std::fs::Permissions::from_mode(0o700)).ok()?;
        let keys = Keys(dir);
        for name in ["host", "user", "other"] {
            let made =
                Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(keys.path(name)).output();
            if !made.is_ok_and(|out| out.status.success()) {
                skip("no ssh-keygen");
                return None;
            }
        }
        std::fs::copy(keys.path("user.pub"), keys.path("authorized")).ok()?;
        Some(keys)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn options(&self, key: &str, port: u16) -> String {
        format!(
            "-F /dev/null -p {port} -i {} -o IdentitiesOnly=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile={} -o LogLevel=ERROR",
            self.path(key).display(),
            self.path("known").display()
        )
    }

    fn sshd(&self, mut command: Command, at: &str, port: u16, name: &str) -> Option<Child> {
        command.args(["-D", "-e", "-f", "/dev/null", "-o", "UsePAM=no", "-o", "StrictModes=no", "-o", "PidFile=none"]);
        command.args(["-o", "PasswordAuthentication=no", "-o", "KbdInteractiveAuthentication=no"]);
        command.args(["-o", "PermitRootLogin=prohibit-password", "-o", "MaxStartups=100"]);
        // With this HOME the shell runs none of the user's start-up files, which might print something.
        command.args(["-o", &format!("SetEnv=HOME={}", self.0.display())]);
        if at != "*" {
            command.args(["-o", &format!("ListenAddress={at}")]);
        }
        command.args(["-p", &port.to_string()]);
        command.args(["-o", &format!("AuthorizedKeysFile={}", self.path("authorized").display())]);
        command.arg("-h").arg(self.path("host"));
        let log = std::fs::File::create(self.path(&format!("log-{name}"))).ok()?;
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn().ok()
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const SSHD: &str = "/usr/sbin/sshd";

fn has_sshd() -> bool {
    if !Path::new(SSHD).exists() {
        skip("no sshd (openssh-server)");
        return false;
    }
    if is_root() {
        // Its privilege separation wants this folder, which the service's own start makes elsewhere.
        let _ = std::fs::create_dir_all("/run/sshd");
    }
    true
}

fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

pub struct Sshd {
    keys: Keys,
    port: u16,
    child: Child,
}

impl Sshd {
    pub fn on_loopback() -> Option<Sshd> {
        if !has_sshd() {
            return None;
        }
        let keys = Keys::make()?;
        let port = std::net::TcpListener::bind("127.0.0.1:0").ok()?.local_addr().ok()?.port();
        let child = keys.sshd(Command::new(SSHD), "127.0.0.1", port, "loopback")?;
        let mut sshd = Sshd { keys, port, child };
        let started = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if sshd.child.try_wait().ok()?.is_some() || started.elapsed() > Duration::from_secs(20) {
                skip("sshd does not start");
                return None;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let options = sshd.keys.options("user", port);
        let mut ssh = Command::new("ssh");
        if !done(ssh.args(options.split(' ')).args(["-o", "BatchMode=yes", "127.0.0.1", "true"])) {
            skip("the test's own sshd lets nobody in");
            return None;
        }
        Some(sshd)
    }

    pub fn use_for(&self, command: &mut Command, hosts: &str) {
        command.env("GASNET_SSH_SERVERS", hosts).env("GASNET_SSH_OPTIONS", self.keys.options("user", self.port));
    }

    pub fn options_without_key(&self) -> String {
        self.keys.options("other", self.port)
    }
}

impl Drop for Sshd {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}

/// Machines of an IPv4 and, where the kernel has it, an IPv6 address, on a bridge to which this machine belongs too.
pub struct Hosts {
    keys: Keys,
    tag: String,
    names: Vec<String>,
    names6: Vec<String>,
    daemons: Vec<Child>,
}

impl Hosts {
    pub fn make(count: usize) -> Option<Hosts> {
        if !is_root() {
            skip("only root makes network namespaces");
            return None;
        }
        if !has_sshd() {
            return None;
        }
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let (process, nth) = (std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let tag = format!("gt{}-{nth}", process % 100_000);
        // A network of the test's own, within those kept for benchmarks (RFC 2544).
        let net = format!("198.18.{}", (process * 4 + nth) % 250);
        let mut hosts =
            Hosts { keys: Keys::make()?, tag: tag.clone(), names: Vec::new(), names6: Vec::new(), daemons: Vec::new() };
        let ip = |words: &str| done(Command::new("ip").args(words.split(' ')));
        let bridge = ip(&format!("link add {tag} type bridge"))
            && ip(&format!("addr add {net}.1/24 dev {tag}"))
            && ip(&format!("link set {tag} up"));
        if !bridge {
            skip("no bridge can be made here");
            return None;
        }
        // Documentation addresses (RFC 3849).
        let net6 = format!("2001:db8:{:x}:", (process * 4 + nth) % 65536);
        let mut has_v6 = ip(&format!("-6 addr add {net6}:1/64 dev {tag} nodad"));
        for nth in 0..count {
            let (space, own, far, name) =
                (format!("{tag}-{nth}"), format!("{tag}a{nth}"), format!("{tag}b{nth}"), format!("{net}.{}", nth + 10));
            let made = ip(&format!("netns add {space}"))
                && ip(&format!("link add {own} type veth peer name {far} netns {space}"))
                && ip(&format!("link set {own} master {tag} up"))
                && ip(&format!("-n {space} addr add {name}/24 dev {far}"))
                && ip(&format!("-n {space} link set {far} up"))
                && ip(&format!("-n {space} link set lo up"));
            hosts.names.push(name.clone());
            let name6 = format!("{net6}:{:x}", nth + 16);
            has_v6 = has_v6 && ip(&format!("-n {space} -6 addr add {name6}/64 dev {far} nodad"));
            if has_v6 {
                hosts.names6.push(name6);
            }
            if !made {
                skip("no network namespaces can be made here");
                return None;
            }
            let mut command = Command::new("ip");
            command.args(["netns", "exec", &space, SSHD]);
            let daemon = hosts.keys.sshd(command, "*", 22, &name)?;
            hosts.daemons.push(daemon);
        }
        let started = Instant::now();
        for name in &hosts.names {
            let options = hosts.keys.options("user", 22);
            while !done(Command::new("ssh").args(options.split(' ')).args(["-o", "BatchMode=yes", name, "true"])) {
                if started.elapsed() > Duration::from_secs(20) {
                    skip("an sshd in a network namespace lets nobody in");
                    return None;
                }
                std::thread::sleep(Duration::from_millis(50));
            }
        }
        Some(hosts)
    }

    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// None where the kernel has no IPv6.
    pub fn names6(&self) -> &[String] {
        &self.names6
    }

    pub fn use_for(&self, command: &mut Command) {
        self.use_these(command, &self.names);
    }

    pub fn use_these(&self, command: &mut Command, names: &[String]) {
        command.env("GASNET_SSH_SERVERS", names.join(","));
        command.env("GASNET_SSH_OPTIONS", self.keys.options("user", 22));
    }

    /// Cuts the link of a host.
    pub fn cut(&self, nth: usize) {
        self.ip(&format!("link set {}a{nth} down", self.tag));
    }

    pub fn mend(&self, nth: usize) {
        self.ip(&format!("link set {}a{nth} up", self.tag));
    }

    pub fn set_mtu(&self, nth: usize, mtu: u32) {
        let tag = &self.tag;
        self.ip(&format!("link set {tag}a{nth} mtu {mtu}"));
        self.ip(&format!("-n {tag}-{nth} link set {tag}b{nth} mtu {mtu}"));
    }

    /// Whether a host sends to another; both still reach this machine.
    pub fn part(&self, from: usize, to: usize, apart: bool) {
        let how = if apart { "add" } else { "del" };
        self.ip(&format!("-n {}-{from} route {how} blackhole {}/32", self.tag, self.names[to]));
    }

    /// Kills everything that runs on a host.
    pub fn kill_all(&self, nth: usize) {
        let space = format!("{}-{nth}", self.tag);
        let pids =
            Command::new("ip").args(["netns", "pids", &space]).output().map(|out| out.stdout).unwrap_or_default();
        for pid in String::from_utf8_lossy(&pids).split_whitespace() {
            done(Command::new("kill").args(["-9", pid]));
        }
    }

    fn ip(&self, words: &str) {
        assert!(done(Command::new("ip").args(words.split(' '))), "ip {words}");
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        self.daemons.iter_mut().for_each(end);
        for nth in 0..self.names.len() {
            // Sessions behind a link that was cut would never end.
            self.kill_all(nth);
            done(Command::new("ip").args(["netns", "del", &format!("{}-{nth}", self.tag)]));
            done(Command::new("ip").args(["link", "del", &format!("{}a{nth}", self.tag)]));
        }
        done(Command::new("ip").args(["link", "del", &self.tag]));
    }
}
