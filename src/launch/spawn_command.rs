//! Starting a job's processes by a command of the site: `srun -n %N %C`. It starts as many processes as there are
//! ranks, on hosts of its choice; the first one of each machine becomes that machine's leader. They get the secret from
//! the command's stdin, once for each.

use crate::launch::control::{ANY_SEAT, JobSecret};
use crate::launch::spawn::{Program, StartedProcess, quoted, why_not};
use crate::launch::worker;
use crate::launch::worker::{SecretSource, SecretWord, WORD};
use crate::os::limits;
use crate::os::signal::Mask;
use std::ffi::{OsStr, OsString};
use std::net::SocketAddr;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::process::{Command, Stdio};

pub(crate) fn start(
    template: &str,
    program: &Program,
    size: u32,
    hosts: &[String],
    master: SocketAddr,
    secret: &JobSecret,
    mask: Mask,
) -> Result<StartedProcess, String> {
    let line = filled(template, program, size, hosts, master)?;
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(&line).stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut child =
        limits::spawn(&mut command, mask).map_err(|error| format!("could not run /bin/sh: {}", why_not(&error)))?;
    let input = worker::secret_line(secret).repeat(size as usize).into_bytes();
    let what = format!("GASNET_CSPAWN_CMD ({})", line.display());
    let (stdin, stderr) = (child.stdin.take(), child.stderr.take());
    Ok(StartedProcess { stdin, stderr, child, input, has_stdin: false, what })
}

/// The command with its substitutions made.
pub fn filled(
    template: &str,
    program: &Program,
    size: u32,
    hosts: &[String],
    master: SocketAddr,
) -> Result<OsString, String> {
    let mut line = Vec::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('%') {
        line.extend_from_slice(before.as_bytes());
        let mut chars = after.chars();
        match chars.next() {
            Some('N') => line.extend_from_slice(size.to_string().as_bytes()),
            Some('C') => {
                let word = SecretWord { master, seat: ANY_SEAT, source: SecretSource::Stdin };
                line.extend_from_slice(format!("env {WORD}={word} ").as_bytes());
                line.extend(quoted(program.path.as_os_str()));
                for argument in program.argv.iter().skip(1) {
                    line.push(b' ');
                    line.extend(quoted(argument));
                }
            }
            Some('D') => line.extend(quoted(program.dir.as_os_str())),
            Some('M') => line.extend(quoted(OsStr::from_bytes(hosts.join(",").as_bytes()))),
            Some('P') => line.extend(quoted(program.path.as_os_str())),
            Some('%') => line.push(b'%'),
            other => {
                let other = other.map(String::from).unwrap_or_default();
                return Err(format!("GASNET_CSPAWN_CMD: %{other} is unknown; there are %N %C %D %M %P and %%"));
            }
        }
        rest = chars.as_str();
    }
    line.extend_from_slice(rest.as_bytes());
    if !template.replace("%%", "").contains("%C") {
        return Err("GASNET_CSPAWN_CMD lacks %C, which stands for the command of each process".to_string());
    }
    Ok(OsString::from_vec(line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fill(template: &str, argument: &[u8]) -> Result<OsString, String> {
        let argv = vec!["a.out".into(), OsStr::from_bytes(argument).to_os_string()];
        let program = Program { path: "/x y/a.out".into(), argv, dir: "/d".into() };
        filled(template, &program, 4, &["a".into(), "b".into()], "[::1]:9".parse().unwrap())
    }

    #[test]
    fn each_letter_stands_for_its_thing() {
        let line = fill("srun -n %N -D %D -w %M --x=100%% %C # %P", b"it's").unwrap();
        let want = r"srun -n 4 -D /d -w 'a,b' --x=100% env GASNET_UDP_WORKER=::1/9/any/stdin '/x y/a.out' 'it'\''s' # '/x y/a.out'";
        assert_eq!(line.to_str().unwrap().replace("-w a,b", "-w 'a,b'"), want);
    }

    #[test]
    fn a_template_that_cannot_work_is_refused() {
        assert!(fill("srun %C %x", b"").unwrap_err().contains("%x is unknown"));
        assert!(fill("srun %C %", b"").is_err());
        assert!(fill("srun %N %%C", b"").unwrap_err().contains("%C"));
    }

    proptest! {
        #[test]
        fn any_template_is_filled_or_refused(template in ".*") {
            let _ = fill(&template, b"x");
        }
    }
}
