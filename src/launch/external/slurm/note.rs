//! The note by which the tasks of a step find their rendezvous: secret, port and addresses, in a file that only its user can
//! read. Rank 0's process writes it atomically (by renaming a draft) and removes it as soon as every task has read it.
//! Files that are not the user's own, or that others can read, are rejected.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::net::IpAddr;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::env;
use crate::launch::control::JobSecret;
use crate::launch::worker::{SECRET_LINE_BYTES, secret_line, secret_of_line};
use crate::os::{local_socket, process};

/// Longer than any note.
const MOST_BYTES: u64 = 4096;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepNote {
    pub secret: JobSecret,
    pub port: u16,
    pub addresses: Vec<IpAddr>,
}

impl StepNote {
    pub fn text(&self) -> String {
        let addresses: Vec<_> = self.addresses.iter().map(IpAddr::to_string).collect();
        format!("{}{} {}\n", secret_line(&self.secret), self.port, addresses.join(" "))
    }

    pub fn parse(text: &str) -> Option<StepNote> {
        let (secret, rest) = text.as_bytes().split_first_chunk::<SECRET_LINE_BYTES>()?;
        let mut words = std::str::from_utf8(rest).ok()?.strip_suffix('\n')?.split(' ');
        let port = words.next()?.parse().ok()?;
        let addresses = words.map(|word| word.parse().ok()).collect::<Option<Vec<_>>>()?;
        (!addresses.is_empty()).then_some(StepNote { secret: secret_of_line(secret)?, port, addresses })
    }

    /// Puts the note at `path`; one that an earlier job left there is replaced.
    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        let mut number = [0; 8];
        process::random(&mut number)?;
        let draft = path.with_extension(format!("{:016x}", u64::from_le_bytes(number)));
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
        let put = file.write_all(self.text().as_bytes()).and_then(|()| std::fs::rename(&draft, path));
        if put.is_err() {
            let _ = std::fs::remove_file(&draft);
        }
        put
    }

    /// The note at `path`.
    pub(super) fn read(path: &Path) -> io::Result<StepNote> {
        let file =
            OpenOptions::new().read(true).custom_flags(nix::libc::O_NOFOLLOW | nix::libc::O_NONBLOCK).open(path)?;
        believed(&file)?;
        let mut text = String::new();
        file.take(MOST_BYTES).read_to_string(&mut text)?;
        StepNote::parse(&text).ok_or_else(|| io::Error::other("it is truncated or corrupt"))
    }
}

fn believed(file: &File) -> io::Result<()> {
    let about = file.metadata()?;
    let own = about.is_file() && about.uid() == local_socket::own_uid() && about.mode() & 0o077 == 0;
    if own { Ok(()) } else { Err(io::Error::other("it is another user's, or others can read it")) }
}

/// Where the note of this step is; an error names the missing word.
pub(super) fn path() -> Result<PathBuf, String> {
    let word = |name: &str| env::raw(name).filter(|value| !value.is_empty());
    let needed = |name: &str| word(name).ok_or_else(|| format!("{name} is not set"));
    let dir = match env::str("GASNET_TMPDIR").filter(|dir| !dir.is_empty()) {
        Some(dir) => dir,
        None if word("SLURM_STEP_NUM_NODES").as_deref() == Some("1") => env::tmp_dir(),
        None => needed("HOME")?,
    };
    let step = [needed("SLURM_JOB_ID")?, needed("SLURM_STEP_ID")?, word("SLURM_RESTART_COUNT").unwrap_or_default()];
    // Clusters may share the directory.
    let mut hash = blake3::Hasher::new();
    for part in [&step.join("."), &word("SLURM_CLUSTER_NAME").unwrap_or_default(), &local_socket::own_uid().to_string()]
    {
        hash.update(part.as_bytes()).update(b"\n");
    }
    let number = &hash.finalize().to_hex()[..16];
    Ok(PathBuf::from(dir).join(format!(".gasnet-{}.{}-{number}", step[0].replace('/', "_"), step[1].replace('/', "_"))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn dir() -> PathBuf {
        static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let nth = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let dir = std::env::temp_dir().join(format!("gasnet-note.{}.{nth}", std::process::id()));
        std::fs::create_dir(&dir).unwrap();
        dir
    }

    #[test]
    fn a_note_is_read_by_its_user_alone_and_replaces_an_old_one() {
        use std::os::unix::fs::PermissionsExt;
        let path = dir().join("note");
        let note = |port| StepNote {
            secret: [7; 32],
            port,
            addresses: vec!["::1".parse().unwrap(), "10.0.0.1".parse().unwrap()],
        };
        note(1).write(&path).unwrap();
        note(2).write(&path).unwrap();
        assert_eq!(StepNote::read(&path).unwrap(), note(2));
        assert_eq!(path.metadata().unwrap().mode() & 0o777, 0o600);
        assert_eq!(path.parent().unwrap().read_dir().unwrap().count(), 1, "no draft is left");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        assert!(StepNote::read(&path).unwrap_err().to_string().contains("others can read it"));
        let link = path.with_file_name("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert!(StepNote::read(&link).is_err());
        std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
    }

    proptest! {
        #[test]
        fn a_note_is_read_as_it_was_written(secret in any::<[u8; 32]>(), port in any::<u16>(), addresses in proptest::collection::vec(any::<IpAddr>(), 1..5)) {
            let note = StepNote { secret, port, addresses };
            prop_assert_eq!(StepNote::parse(&note.text()), Some(note.clone()));
            let text = note.text();
            prop_assert_eq!(StepNote::parse(&text[..text.len() - 1]), None);
        }
    }
}
