//! PMI-2: messages `cmd=…;name=value;…`, each after its length in six characters, on the socket `PMI_FD`, as
//! `srun --mpi=pmi2` and hydra use it. The first two messages are lines of PMI-1, by which both sides agree on the version.

use core::ffi::c_int;
use std::io;

use crate::env;
use crate::launch::external::connection::{Connection, explained, explained_in_fence};
use crate::launch::external::kvs::Kvs;
use crate::launch::external::mapping;
use crate::launch::external::over::{Over, Place};
use crate::launch::external::pmi1::line_bytes;
use crate::launch::external::slurm;
use crate::os::process::Line;

/// Slurm and MPICH allow 1023 bytes; the mpiexec of hydra 4.2 ends the job at a whole message of 1024.
const MOST_VALUE: usize = 960;
const LENGTH_BYTES: usize = 6;

pub(crate) struct Pmi2 {
    name: String,
    connection: Connection,
    job: String,
}

/// The fields of a message, after its length.
pub fn field<'a>(message: &'a str, name: &str) -> Option<&'a str> {
    let fields = message.split(';').filter_map(|field| field.split_once('='));
    fields.into_iter().find(|(key, _)| key.trim() == name).map(|(_, value)| value)
}

/// A field; none without a value, which hydra 4.2 refuses.
fn optional(name: &str, value: &str) -> String {
    if value.is_empty() { String::new() } else { format!("{name}={value};") }
}

/// The length of the message that `bytes` begins with, its own length field included.
pub fn message_bytes(bytes: &[u8]) -> io::Result<Option<usize>> {
    let Some(length) = bytes.first_chunk::<LENGTH_BYTES>() else { return Ok(None) };
    let number = std::str::from_utf8(length).ok().and_then(|text| text.trim().parse::<usize>().ok());
    let number = number.ok_or_else(|| io::Error::other("it sent a message whose length is not a number"))?;
    Ok(Some(LENGTH_BYTES + number).filter(|&whole| whole <= bytes.len()))
}

impl Pmi2 {
    fn ask(&self, command: &str, fields: &str) -> Result<String, String> {
        self.ask_or(command, fields, explained)
    }

    fn ask_or(&self, command: &str, fields: &str, why: impl Fn(&io::Error) -> String) -> Result<String, String> {
        let body = format!("cmd={command};{fields}");
        let sent = self.connection.send(format!("{:6}{body}", body.len()).as_bytes());
        sent.map_err(|error| explained(&error))?;
        let bytes = self.connection.receive(message_bytes).map_err(|error| why(&error))?;
        let message = String::from_utf8_lossy(&bytes[LENGTH_BYTES..]).into_owned();
        let answer = field(&message, "cmd").unwrap_or_default();
        if answer != format!("{command}-response") {
            let start: String = message.chars().take(60).collect();
            return Err(format!("it sent {start:?} instead of the response to {command}"));
        }
        match field(&message, "rc").map(str::trim) {
            None | Some("0") => Ok(message),
            // As hydra 4.2 answers if there is no such key.
            Some(_) if command == "kvs-get" && field(&message, "errmsg").is_none() => Ok(message),
            Some(rc) => {
                Err(format!("it rejected cmd={command}: {rc} {}", field(&message, "errmsg").unwrap_or_default()))
            }
        }
    }

    /// The fields of a question for the value of `key`.
    fn question(&self, key: &str) -> String {
        format!("{}srcid=-1;key={key};", optional("jobid", &self.job))
    }

    /// The value in the answer to a question; `None`: there is none.
    fn value(&self, command: &str, fields: &str) -> Result<Option<Vec<u8>>, String> {
        let message = self.ask(command, fields)?;
        let is_found = field(&message, "found").is_some_and(|found| found.eq_ignore_ascii_case("true"));
        Ok(field(&message, "value").filter(|_| is_found).map(|value| value.as_bytes().to_vec()))
    }

    fn join(&mut self, place: (u32, u32)) -> Result<Place, String> {
        self.connection.send(b"cmd=init pmi_version=2 pmi_subversion=0\n").map_err(|error| explained(&error))?;
        let line = self.connection.receive(line_bytes).map_err(|error| explained(&error))?;
        // Slurm separates by semicolons what others separate by spaces.
        let line = String::from_utf8_lossy(&line).trim_end().replace(' ', ";");
        if field(&line, "cmd") != Some("response_to_init") || field(&line, "pmi_version") != Some("2") {
            return Err(format!(
                "it sent {line:?} instead of the response to init in version 2: is it PMI-1 (GASNET_BOOTSTRAP=pmi1)?"
            ));
        }
        let (rank, size) = place;
        let job = env::raw("PMI_JOBID").unwrap_or_default();
        let of_job = optional("pmijobid", &job);
        let full = self.ask("fullinit", &format!("{of_job}pmirank={rank};threaded=FALSE;"))?;
        let said = |name: &str| field(&full, name).and_then(|text| text.trim().parse::<u32>().ok());
        if said("rank").is_some_and(|said| said != rank) || said("size").is_some_and(|said| said != size) {
            return Err(format!("PMI_RANK={rank} and PMI_SIZE={size} differ from its answer {full:?}"));
        }
        // hydra sets no PMI_JOBID; its answer to this question names the job.
        let named = if job.is_empty() { self.ask("job-getid", "").ok() } else { None };
        let name = named.as_deref().and_then(|answer| field(answer, "jobid")).unwrap_or(&job).to_string();
        self.job = job;
        // Slurm's mapping is wrong where the placement is arbitrary: each rank on a node of its own.
        let peers = match (slurm::step_peers(rank, size), self.value("info-getjobattr", "key=PMI_process_mapping;")?) {
            (Some(peers), _) => Some(peers),
            (None, Some(text)) => mapping::peers(&String::from_utf8_lossy(&text), rank, size),
            (None, None) => None,
        };
        Ok(Place { rank, size, peers, address: None, job: format!("pmi2 {name}") })
    }
}

impl Kvs for Pmi2 {
    fn name(&self) -> &str {
        &self.name
    }

    fn longest(&self) -> usize {
        MOST_VALUE
    }

    fn is_text(&self) -> bool {
        true
    }

    fn put(&self, key: &str, value: &[u8]) -> Result<(), String> {
        self.ask("kvs-put", &format!("key={key};value={};", String::from_utf8_lossy(value))).map(drop)
    }

    /// Hydra answers at once; its answer to the next question waits for the other ranks.
    fn fence(&self, _puts: bool) -> Result<(), String> {
        self.ask_or("kvs-fence", "", explained_in_fence)?;
        self.ask_or("kvs-get", &self.question("gasnet-fence"), explained_in_fence).map(drop)
    }

    fn get(&self, _of: u32, key: &str) -> Result<Option<Vec<u8>>, String> {
        self.value("kvs-get", &self.question(key))
    }

    /// The protocol has no exit code: under Slurm it is 137, that of killed ranks.
    fn abort(&self, code: c_int) {
        let body = Line::of(format_args!("cmd=abort;isworld=TRUE;msg=exit code {code};"));
        let body = body.bytes().strip_suffix(b"\n").unwrap_or_default();
        let length = Line::of(format_args!("{:6}", body.len()));
        let mut message = [0; 128];
        message[..LENGTH_BYTES].copy_from_slice(&length.bytes()[..LENGTH_BYTES]);
        message[LENGTH_BYTES..LENGTH_BYTES + body.len()].copy_from_slice(body);
        let _ = self.connection.send(&message[..LENGTH_BYTES + body.len()]);
    }

    fn leave(&self) {
        if self.connection.send(b"    13cmd=finalize;").is_ok() {
            self.connection.wait_for(b"finalize-response");
        }
    }

    /// srun's.
    fn needs_guard(&self) -> Option<c_int> {
        Some(self.connection.raw())
    }

    fn died(&self) -> Option<c_int> {
        Some(self.connection.raw())
    }
}

/// Joins the job whose launcher speaks over `connection`, with the rank and size `place`.
pub(crate) fn join(place: (u32, u32), connection: Connection) -> Result<Over<Pmi2>, String> {
    let name = format!("the launcher that speaks PMI-2 (PMI_FD={})", env::raw("PMI_FD").unwrap_or_default());
    let mut pmi = Pmi2 { name, connection, job: String::new() };
    let place = pmi.join(place).map_err(|why| format!("{}: {why}", pmi.name))?;
    Ok(Over::new(pmi, place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_its_length_before_it() {
        assert_eq!(message_bytes(b"    4").unwrap(), None);
        assert_eq!(message_bytes(b"     4cmd").unwrap(), None);
        assert_eq!(message_bytes(b"     4cmd=more").unwrap(), Some(10));
        assert!(message_bytes(b"cmd=init").is_err());
        assert_eq!(field("cmd=a;value=(vector,(0,2,2));rc=0;", "value"), Some("(vector,(0,2,2))"));
        assert_eq!(field("nothing", "value"), None);
        assert_eq!(b"cmd=finalize;".len(), 13);
    }
}
