//! Starting a job's processes by a command of the site: `srun -n %N %C`. It starts as many processes as there are
//! ranks, on hosts of its choice; the first one of each machine becomes that machine's leader. They get the secret from
//! the command's stdin, once for each.

use crate::launch::control::{ANY_SEAT, JobSecret};
use crate::launch::spawn::{self, Program, StartedProcess, quoted, quoted_all, why_not};
use crate::launch::worker;
use crate::launch::worker::{SecretSource, SecretWord, WORD};
use crate::os::limits;
use crate::os::signal::Mask;
use std::ffi::{OsStr, OsString};
use std::net::SocketAddr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
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
    let what = format!("GASNET_CSPAWN_CMD ({})", Path::new(&line).display());
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
    let value = |letter| match letter {
        'N' => Some(size.to_string().into_bytes()),
        'C' => {
            let word = SecretWord { master, seat: ANY_SEAT, source: SecretSource::Stdin };
            let mut words = format!("env {WORD}={word} ").into_bytes();
            let argv = program.argv.iter().skip(1).map(OsString::as_os_str);
            words.extend(quoted_all([program.path.as_os_str()].into_iter().chain(argv)));
            Some(words)
        }
        'D' => Some(quoted(program.dir.as_os_str())),
        'M' => Some(quoted(OsStr::from_bytes(hosts.join(",").as_bytes()))),
        'P' => Some(quoted(program.path.as_os_str())),
        _ => None,
    };
    let line = spawn::filled("GASNET_CSPAWN_CMD", template, "%N %C %D %M %P", value)?;
    if !template.replace("%%", "").contains("%C") {
        return Err("GASNET_CSPAWN_CMD lacks %C, which stands for the command of each process".to_string());
    }
    Ok(line)
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
