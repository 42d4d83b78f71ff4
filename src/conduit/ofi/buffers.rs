//! Buffers of messages: registered, where the provider demands that of local memory.

use super::port::CheckedPort;
use crate::conduit::shared::held::Aligned;
use crate::conduit::shared::packet::PACKET;
use crate::fatal::fatal;
use crate::mem::Dst;
use crate::shims::ofi::{OfiMemory, access};

pub(crate) struct OfiBuffer {
    bytes: Aligned,
    memory: Option<OfiMemory>,
}

impl OfiBuffer {
    pub(crate) fn new(port: &mut CheckedPort, bytes: usize) -> OfiBuffer {
        let mut bytes = Aligned::zeroed(bytes);
        if !port.needs_local() {
            return OfiBuffer { bytes, memory: None };
        }
        let start = bytes.view().as_ptr().expose_provenance();
        match port.add_memory(start, bytes.len(), access::LOCAL) {
            Ok(memory) => OfiBuffer { bytes, memory: Some(memory) },
            Err(code) => {
                let why = port.why_no_memory(code);
                fatal!("conduit ofi: a buffer of {} bytes cannot be registered: {why}", bytes.len());
            }
        }
    }

    /// For transfers.
    #[inline]
    pub(crate) fn descriptor(&self) -> u64 {
        self.memory.as_ref().map_or(0, |memory| memory.descriptor)
    }

    #[inline]
    pub(crate) fn bytes(&mut self) -> &mut Aligned {
        &mut self.bytes
    }

    #[inline]
    pub(crate) fn view(&mut self) -> Dst<'_> {
        self.bytes.view()
    }
}

/// Buffers of [`PACKET`] bytes that are free.
#[derive(Default)]
pub(crate) struct SpareBuffers(Vec<OfiBuffer>);

impl SpareBuffers {
    #[inline]
    pub(crate) fn take(&mut self, port: &mut CheckedPort) -> OfiBuffer {
        self.0.pop().unwrap_or_else(|| OfiBuffer::new(port, PACKET))
    }

    #[inline]
    pub(crate) fn put(&mut self, buffer: OfiBuffer) {
        self.0.push(buffer);
    }
}
