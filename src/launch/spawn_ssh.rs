//! Starting a host's first process by ssh. Nothing of the job is in any command line: the commands, the environment and
//! then the secret go to a waiting shell by ssh's stdin, and the job's stdin after them.

use crate::env;
use crate::launch::control::JobSecret;
use crate::launch::spawn::{Program, StartedProcess, why_not};
use crate::launch::worker::{SecretSource, SecretWord, WORD};
use crate::launch::{spawn, worker};
use crate::os::limits;
use crate::os::signal::Mask;
use std::ffi::OsStr;
use std::net::SocketAddr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Runs the line that it reads from stdin, and leaves the rest of stdin to its commands: `read` reads no more than a
/// line in any shell. Without a newline, `!` or backslash-quote, so that it is the same to every login shell.
const WAITING_SHELL: &str = r#"exec /bin/sh -c 'nl=$(printf "\nx"); nl=${nl%x}; IFS= read -r l && eval "$l"'"#;

/// How to reach hosts.
pub(crate) struct Ssh {
    words: Vec<String>,
    env_cmd: String,
    remote_dir: Option<PathBuf>,
}

impl Ssh {
    pub(crate) fn from_env() -> Result<Ssh, String> {
        let text = |name: &str| env::spawn_str(name).filter(|text| !text.trim().is_empty());
        let command = text("GASNET_SSH_CMD").unwrap_or_else(|| "ssh".to_string());
        let mut words = spawn::words(&command).map_err(|why| format!("GASNET_SSH_CMD: {why}"))?;
        let is_ssh = words.first().is_some_and(|word| Path::new(word).file_name() == Some(OsStr::new("ssh")));
        if let Some(options) = text("GASNET_SSH_OPTIONS") {
            words.extend(spawn::words(&options).map_err(|why| format!("GASNET_SSH_OPTIONS: {why}"))?);
        }
        if is_ssh {
            // The first value that ssh is given counts: the user's own options win.
            words.extend(["-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=15"].map(str::to_string));
        }
        Ok(Ssh {
            words,
            env_cmd: text("GASNET_ENV_CMD").unwrap_or_default(),
            remote_dir: text("GASNET_SSH_REMOTE_PATH").map(PathBuf::from),
        })
    }

    /// The command line, for the user.
    pub(crate) fn shown(&self, host: &str) -> String {
        format!("{} {host}", self.words.join(" "))
    }

    pub(crate) fn start(
        &self,
        program: &Program,
        host: &str,
        seat: u32,
        master: SocketAddr,
        secret: &JobSecret,
        mask: Mask,
    ) -> Result<StartedProcess, String> {
        let Some((ssh, options)) = self.words.split_first() else {
            return Err("GASNET_SSH_CMD is empty".to_string());
        };
        let mut command = Command::new(ssh);
        command.args(options).arg(host).arg(WAITING_SHELL).stdin(Stdio::piped()).stderr(Stdio::piped());
        let mut child = limits::spawn(&mut command, mask).map_err(|error| {
            format!("could not run {ssh} for host {host}: {} (GASNET_SSH_CMD names another)", why_not(&error))
        })?;
        let word = SecretWord { master, seat, source: SecretSource::Stdin };
        let mut input = script(&self.at_remote(program), &word, &self.env_cmd, env::everything());
        input.push(b'\n');
        input.extend_from_slice(worker::secret_line(secret).as_bytes());
        let what = format!("{} for host {host}", self.words[0]);
        let (stdin, stderr) = (child.stdin.take(), child.stderr.take());
        Ok(StartedProcess { stdin, stderr, child, input, has_stdin: seat == 0, what })
    }

    /// The program as the remote side finds it.
    fn at_remote(&self, program: &Program) -> Program {
        let Some(dir) = &self.remote_dir else { return program.clone() };
        let path = match program.path.strip_prefix(&program.dir) {
            Ok(below) => dir.join(below),
            Err(_) => program.path.clone(),
        };
        Program { path, argv: program.argv.clone(), dir: dir.clone() }
    }
}

/// One line of plain characters for a POSIX shell: changes directory, sets the environment, executes the program.
fn script(program: &Program, word: &SecretWord, env_cmd: &str, environment: Vec<(Vec<u8>, Vec<u8>)>) -> Vec<u8> {
    let mut line = SshLine::default();
    line.plain("cd ");
    line.word(program.dir.as_os_str().as_bytes());
    line.plain(" || exit 126; ");
    for (name, value) in environment {
        // Variables whose names no shell accepts arrive by the control connection, which carries the whole environment.
        let is_name = name
            .iter()
            .enumerate()
            .all(|(at, c)| c.is_ascii_alphabetic() || *c == b'_' || (at > 0 && c.is_ascii_digit()));
        // The shell's own.
        let kept = matches!(
            &name[..],
            b"PWD"
                | b"OLDPWD"
                | b"SHLVL"
                | b"_"
                | b"nl"
                | b"l"
                | b"IFS"
                | b"BASHOPTS"
                | b"SHELLOPTS"
                | b"UID"
                | b"EUID"
                | b"PPID"
        );
        if !name.is_empty() && is_name && !kept {
            line.plain("export ");
            line.0.extend_from_slice(&name);
            line.plain("=");
            line.word(&value);
            line.plain("; ");
        }
    }
    line.plain(&format!("export {WORD}={word}; exec "));
    line.plain(env_cmd);
    line.plain(" ");
    line.word(program.path.as_os_str().as_bytes());
    for argument in program.argv.iter().skip(1).map(|argument| argument.as_bytes()) {
        line.plain(" ");
        line.word(argument);
    }
    line.0
}

#[derive(Default)]
struct SshLine(Vec<u8>);

impl SshLine {
    fn plain(&mut self, text: &str) {
        self.0.extend_from_slice(text.as_bytes());
    }

    /// `bytes` as one word, without newlines: those come from the waiting shell's variable, and bytes that a shell
    /// might take for parts of characters from printf.
    fn word(&mut self, bytes: &[u8]) {
        let plain = |byte: u8| matches!(byte, b' '..=b'~' | b'\t' | b'\n');
        self.0.push(b'\'');
        for run in bytes.chunk_by(|&a, &b| plain(a) == plain(b)) {
            if !plain(run[0]) {
                self.plain("'\"$(printf '");
                run.iter().for_each(|byte| self.plain(&format!("\\{byte:03o}")));
                self.plain("')\"'");
                continue;
            }
            for &byte in run {
                match byte {
                    b'\n' => self.plain("'\"$nl\"'"),
                    b'\'' => self.plain("'\\''"),
                    _ => self.0.push(byte),
                }
            }
        }
        self.0.push(b'\'');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::ffi::OsString;
    use std::io::{Read, Write};
    use std::os::unix::ffi::OsStringExt;

    fn word() -> SecretWord {
        SecretWord { master: "127.0.0.1:1".parse().unwrap(), seat: 3, source: SecretSource::Stdin }
    }

    /// The output of a remote shell that runs the script, and the rest of stdin.
    fn run(argv: Vec<Vec<u8>>, environment: Vec<(Vec<u8>, Vec<u8>)>, rest: &[u8]) -> Vec<u8> {
        let mut argv: Vec<_> = argv.into_iter().map(OsString::from_vec).collect();
        argv.insert(0, "sh".into());
        let program = Program { path: "/bin/sh".into(), argv, dir: "/".into() };
        let mut bytes = script(&program, &word(), "", environment);
        assert!(bytes.iter().all(|&c| (b' '..=b'~').contains(&c) || c == b'\t'));
        bytes.push(b'\n');
        bytes.extend_from_slice(rest);
        let mut command = Command::new("sh");
        command.args(["-c", WAITING_SHELL]).env_clear().env("PATH", "/usr/bin:/bin");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(&bytes).unwrap();
        let mut out = Vec::new();
        child.stdout.take().unwrap().read_to_end(&mut out).unwrap();
        assert!(child.wait().unwrap().success());
        out
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn arguments_and_environment_of_any_bytes_arrive(
            argument in proptest::collection::vec(1u8.., 0..40), value in proptest::collection::vec(1u8.., 0..40),
        ) {
            let show = b"printf '%s|%s|' \"$1\" \"$A_1\"; cat".to_vec();
            let out = run(
                vec![b"-c".to_vec(), show, b"x".to_vec(), argument.clone()],
                vec![(b"A_1".to_vec(), value.clone()), (b"BASH_FUNC_f%%".to_vec(), b"() { :; }".to_vec())],
                b"the rest\nof stdin",
            );
            let want = [&argument[..], b"|", &value, b"|the rest\nof stdin"].concat();
            prop_assert_eq!(out, want);
        }
    }

    #[test]
    fn the_worker_learns_where_its_master_is() {
        let out = run(vec![b"-c".to_vec(), b"echo \"$GASNET_UDP_WORKER $PWD\"".to_vec()], vec![], b"");
        assert_eq!(String::from_utf8(out).unwrap(), "127.0.0.1/1/3/stdin /\n");
    }
}
