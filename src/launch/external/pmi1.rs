//! PMI-1: lines of `cmd=… name=value …` on the socket `PMI_FD`, as MPICH's hydra, Flux and other launchers use it. All texts
//! of the environment and of the launcher are checked.

use core::ffi::c_int;
use std::io;

use crate::env;
use crate::launch::external::connection::{Connection, explained, explained_in_fence};
use crate::launch::external::kvs::Kvs;
use crate::launch::external::mapping;
use crate::launch::external::over::{Over, Place};
use crate::os::process::Line;

/// More than the bytes of an answer beside its value: `cmd=get_result rc=0 value=` and ` found=TRUE`.
const AROUND: usize = 64;

pub(crate) struct Pmi1 {
    name: String,
    connection: Connection,
    kvsname: String,
    longest: usize,
}

/// One line of the launcher: its command and its fields.
pub struct WireMessage(String);

impl WireMessage {
    pub fn new(line: &[u8]) -> WireMessage {
        WireMessage(String::from_utf8_lossy(line).into_owned())
    }

    pub fn command(&self) -> &str {
        self.field("cmd").unwrap_or_default()
    }

    /// The value of `name`; a `value=` may hold spaces, and ends the line, but for the `found=` that hydra 4.2 has after it.
    pub fn field(&self, name: &str) -> Option<&str> {
        let mut rest = self.0.trim_end();
        loop {
            rest = rest.trim_start();
            let (key, after) = rest.split_once('=')?;
            let end = if key == "value" { after.rfind(" found=") } else { after.find(' ') }.unwrap_or(after.len());
            let (value, next) = after.split_at(end);
            if key == name {
                return Some(value);
            }
            rest = next;
        }
    }

    /// For messages to the user.
    fn start(&self) -> String {
        self.0.trim_end().chars().take(60).collect()
    }

    fn is_good(&self) -> bool {
        self.field("rc").is_none_or(|rc| rc.trim() == "0")
    }
}

/// The length of the line that `bytes` begins with.
pub(crate) fn line_bytes(bytes: &[u8]) -> io::Result<Option<usize>> {
    Ok(bytes.iter().position(|&byte| byte == b'\n').map(|at| at + 1))
}

impl Pmi1 {
    fn ask(&self, request: &str, answer: &str) -> Result<WireMessage, String> {
        let message = self.ask_any(request, answer)?;
        if !message.is_good() {
            let why = message.field("msg").unwrap_or_default();
            return Err(format!("it rejected {request:?}: {} {why}", message.field("rc").unwrap_or_default()));
        }
        Ok(message)
    }

    fn ask_any(&self, request: &str, answer: &str) -> Result<WireMessage, String> {
        let sent = self.connection.send(format!("{request}\n").as_bytes());
        sent.map_err(|error| explained(&error))?;
        self.expect(answer, explained)
    }

    fn expect(&self, answer: &str, why: impl Fn(&io::Error) -> String) -> Result<WireMessage, String> {
        let mut message = WireMessage::new(b"");
        // Launchers to which a rank has connected say settings first, of which `introduce` needs two.
        while matches!(message.command(), "" | "set") {
            message = WireMessage::new(&self.connection.receive(line_bytes).map_err(|error| why(&error))?);
            if message.command().is_empty() {
                break;
            }
        }
        if message.command() != answer {
            let start: String = message.0.trim_end().chars().take(60).collect();
            return Err(format!("it sent {start:?} instead of cmd={answer}"));
        }
        Ok(message)
    }
}

impl Kvs for Pmi1 {
    fn name(&self) -> &str {
        &self.name
    }

    fn longest(&self) -> usize {
        self.longest
    }

    fn is_text(&self) -> bool {
        true
    }

    fn put(&self, key: &str, value: &[u8]) -> Result<(), String> {
        let value = String::from_utf8_lossy(value);
        self.ask(&format!("cmd=put kvsname={} key={key} value={value}", self.kvsname), "put_result").map(drop)
    }

    fn fence(&self, _puts: bool) -> Result<(), String> {
        self.connection.send(b"cmd=barrier_in\n").map_err(|error| explained(&error))?;
        let message = self.expect("barrier_out", explained_in_fence)?;
        if message.is_good() { Ok(()) } else { Err(format!("its barrier fails: {}", message.0.trim_end())) }
    }

    fn get(&self, _of: u32, key: &str) -> Result<Option<Vec<u8>>, String> {
        let message = self.ask_any(&format!("cmd=get kvsname={} key={key}", self.kvsname), "get_result")?;
        let value = message.field("value").filter(|_| message.is_good());
        Ok(value.map(|value| value.as_bytes().to_vec()))
    }

    fn abort(&self, code: c_int) {
        let _ = self.connection.send(Line::of(format_args!("cmd=abort exitcode={code}")).bytes());
    }

    fn leave(&self) {
        if self.connection.send(b"cmd=finalize\n").is_ok() {
            self.connection.wait_for(b"finalize_ack");
        }
    }

    fn died(&self) -> Option<c_int> {
        Some(self.connection.raw())
    }
}

/// Tells the launcher at `address`, to which this process has connected, its number `id`; returns rank and size.
pub(crate) fn introduce(connection: &Connection, id: u32) -> Result<(u32, u32), String> {
    connection.send(format!("cmd=initack pmiid={id}\n").as_bytes()).map_err(|error| explained(&error))?;
    let (mut rank, mut size) = (None, None);
    // An answer, then one setting in each line.
    while rank.is_none() || size.is_none() {
        let line = connection.receive(line_bytes).map_err(|error| explained(&error))?;
        let message = WireMessage::new(&line);
        let number = |name: &str| message.field(name).and_then(|text| text.trim().parse::<u32>().ok());
        match message.command() {
            "initack" if message.is_good() => {}
            "set" => (rank, size) = (number("rank").or(rank), number("size").or(size)),
            _ => return Err(format!("expected cmd=initack or cmd=set, but it says {:?}", message.start())),
        }
    }
    rank.zip(size).filter(|(rank, size)| rank < size).ok_or_else(|| "it names a rank that its job has not".to_string())
}

/// Joins the job whose launcher speaks over `connection`, which the environment variable `by` names. Errors are lines for the user.
pub(crate) fn join((rank, size): (u32, u32), connection: Connection, by: &str) -> Result<Over<Pmi1>, String> {
    let name = format!("the launcher that speaks PMI-1 ({by}={})", env::raw(by).unwrap_or_default());
    let mut pmi = Pmi1 { name, connection, kvsname: String::new(), longest: 0 };
    let join = |pmi: &mut Pmi1| -> Result<Place, String> {
        let init = pmi.ask("cmd=init pmi_version=1 pmi_subversion=1", "response_to_init")?;
        if init.field("pmi_version") != Some("1") {
            return Err(format!("it uses version {} of PMI, not 1", init.field("pmi_version").unwrap_or("?")));
        }
        let maxes = pmi.ask("cmd=get_maxes", "maxes")?;
        let most = |field: &str| maxes.field(field).and_then(|text| text.trim().parse::<usize>().ok());
        // The bound of a value is that of the whole line with it in hydra 4.2, whose proxy ends the job at a longer one.
        pmi.longest = most("vallen_max").unwrap_or(0).min(1 << 16).saturating_sub(AROUND);
        if pmi.longest < 64 || most("keylen_max").unwrap_or(0) < 40 {
            return Err("it limits keys or values to too few bytes (vallen_max, keylen_max)".to_string());
        }
        let own = pmi.ask("cmd=get_my_kvsname", "my_kvsname")?;
        pmi.kvsname = own.field("kvsname").unwrap_or_default().to_string();
        let peers = match pmi.get(0, "PMI_process_mapping")? {
            Some(text) => mapping::peers(&String::from_utf8_lossy(&text), rank, size),
            None => None,
        };
        Ok(Place { rank, size, peers, address: None, job: pmi.kvsname.clone() })
    };
    let place = join(&mut pmi).map_err(|why| format!("{}: {why}", pmi.name))?;
    Ok(Over::new(pmi, place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_a_line_are_found_by_name() {
        let message = WireMessage("cmd=get_result rc=0 msg=success value=a b=c\n".to_string());
        assert_eq!((message.command(), message.field("value")), ("get_result", Some("a b=c")));
        assert_eq!((message.field("b"), message.is_good()), (None, true));
        let message = WireMessage("cmd=get_result rc=0 value=a b=c found=TRUE\n".to_string());
        assert_eq!((message.field("value"), message.field("found")), (Some("a b=c"), Some("TRUE")));
        assert!(!WireMessage("cmd=x rc=-1".to_string()).is_good());
        assert_eq!(WireMessage("nothing\n".to_string()).command(), "");
    }
}
