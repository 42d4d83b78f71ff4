//! The start: each rank opens an endpoint on the provider that is chosen, and publishes its address.

use super::choosing;
use super::named;
use super::operations::{self, TYPES};
use super::port::{CheckedPort, wants_verification};
use super::rank::OfiRank;
use crate::bootstrap::contract::Bootstrap;
use crate::conduit::Conduit;
use crate::conduit::shared::device::NetworkDevice;
use crate::conduit::shared::serialized::Serialized;
use crate::defs::rank::JobRank;
use crate::env;
use crate::env::show::is_verbose;
use crate::fatal::lines::line;
use crate::firehose;
use crate::os::process;
use crate::os::services::{self, UsedBy};
use crate::os::signal::Mask;
use crate::shims::ofi::{self, Ofi, OfiWish, OpenPort, mr};

const ADDRESS: &str = "ofi.at";

/// The provider of a rank, its atomics and its address, as the rank publishes them.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Published {
    /// The operations that its provider executes, by type.
    atomics: [u32; TYPES],
    provider: String,
    address: Vec<u8>,
}

impl Published {
    fn written(&self) -> Vec<u8> {
        let mut all: Vec<u8> = self.atomics.iter().flat_map(|ops| ops.to_le_bytes()).collect();
        all.push(self.provider.len() as u8);
        all.extend_from_slice(self.provider.as_bytes());
        all.extend_from_slice(&self.address);
        all
    }

    fn read(bytes: &[u8]) -> Option<Published> {
        let (ops, rest) = bytes.split_at_checked(4 * TYPES)?;
        let ops = ops.chunks_exact(4).filter_map(|ops| ops.try_into().ok()).map(u32::from_le_bytes).collect::<Vec<_>>();
        let (len, rest) = rest.split_first()?;
        let (provider, address) = rest.split_at_checked(usize::from(*len))?;
        let provider = String::from_utf8(provider.to_vec()).ok()?;
        Some(Published { atomics: ops.try_into().ok()?, provider, address: address.to_vec() })
    }
}

/// Opens an endpoint as wished; without atomics, or a descriptor that wakes, if the provider has none.
pub(crate) fn open_port(ofi: &'static Ofi, wish: &OfiWish) -> Result<OpenPort, String> {
    let plain = OfiWish { atomics: false, ..wish.clone() };
    ofi.open_port(wish).or_else(|_| ofi.open_port(&plain)).map_err(|why| {
        let provider = wish.provider.as_deref().unwrap_or("any provider");
        format!("conduit ofi: no endpoint of {provider}, domain {}: {why}", wish.domain.as_deref().unwrap_or("any"))
    })
}

/// Tells libfabric the number of ranks, unless the user has. ofi_rxm sizes its ring of completions by this number, and uses the whole ring in
/// turn: for the default of 256 peers tens of MiB, which become resident one after the other.
fn set_universe(size: u32) {
    const UNIVERSE: &str = "FI_UNIVERSE_SIZE";
    if env::raw(UNIVERSE).is_none() {
        process::set_env(UNIVERSE.as_bytes(), size.max(2).to_string().as_bytes());
    }
}

/// Whether short messages share packets: where a packet is a call of the system, unless GASNET_OFI_BATCH says otherwise.
fn shares_packets(provider: &str) -> bool {
    match env::choice("GASNET_OFI_BATCH") {
        "auto" => ["tcp", "udp", "net"].iter().any(|name| provider.starts_with(name)),
        set => set == "yes",
    }
}

/// Opens an endpoint, and inserts the addresses of all ranks.
pub(crate) fn meet(bootstrap: &dyn Bootstrap) -> Result<&'static dyn Conduit, String> {
    let identity = bootstrap.identity();
    let (me, size) = (identity.me, identity.size);
    set_universe(size);
    // The threads of providers take no signals.
    let (ofi, wish) = Mask::all_blocked(|| {
        let ofi = ofi::open()?;
        choosing::chosen(ofi, identity.address).map(|wish| (ofi, wish))
    })?;
    if wish.provider.as_deref().is_some_and(|name| name.starts_with("shm")) && identity.peers.len() < size as usize {
        return Err("conduit ofi: provider shm reaches ranks of one host only, and the job has several: GASNET_OFI_PROVIDER names another".into());
    }
    let OpenPort { port, offer, address, wake } = Mask::all_blocked(|| open_port(ofi, &wish))?;
    let provider = offer.provider.clone();
    let has_atomics = choosing::has_atomics(&offer);
    let port = CheckedPort::new(port, offer, wants_verification(), me.0.into());
    let atomics = operations::executed(|dtype, op| has_atomics && port.executes(dtype, op));
    let mine = Published { atomics, provider, address };
    bootstrap.put(ADDRESS, &mine.written());
    bootstrap.fence();
    let mut atomics = mine.atomics;
    let mut peers = Vec::with_capacity(size as usize);
    let mut addresses = Vec::with_capacity(size as usize);
    for rank in 0..size {
        let theirs = bootstrap.get(JobRank(rank), ADDRESS).and_then(|bytes| Published::read(&bytes));
        let theirs = theirs
            .ok_or_else(|| format!("conduit ofi: rank {rank} has not published its address at the start of the job"))?;
        if theirs.provider != mine.provider {
            return Err(format!(
                "conduit ofi: rank {rank} has chosen provider {}, rank {} {}: GASNET_OFI_PROVIDER names one for all",
                theirs.provider, me.0, mine.provider
            ));
        }
        atomics.iter_mut().zip(theirs.atomics).for_each(|(ours, theirs)| *ours &= theirs);
        peers.push(port.insert(&theirs.address).map_err(|code| {
            let why = port.error_text(code);
            format!("conduit ofi: {} cannot resolve the address of rank {rank}: {why}", mine.provider)
        })?);
        addresses.push(theirs.address);
    }
    operations::set_offered(atomics);
    let budgets = firehose::budgets(identity.peers.len());
    if me.0 == 0 && is_verbose() {
        let offer = &port.offer;
        let modes = mr::NAMES.iter().filter(|(bit, _)| offer.mr_mode & bit != 0).map(|(_, name)| *name);
        let modes = modes.collect::<Vec<_>>().join(", ");
        let modes = if modes.is_empty() { "nothing of registration" } else { &modes };
        line(&format!(
            "GASNET: conduit ofi: libfabric {}, provider {}, domain {}, which demands {modes}",
            ofi.version, offer.provider, offer.domain
        ));
        if port.needs_local() {
            services::say_refused(UsedBy::Registrations);
        }
    }
    let batches = shares_packets(&port.offer.provider);
    let mut rank = OfiRank::new(port, me, &peers, wake, budgets, batches);
    if mine.provider.starts_with("shm") {
        // Some versions map the memory of a peer when a message is sent to it.
        rank.greet_all();
        named::remove(bootstrap, &addresses, me);
    }
    if identity.peers.len() < size as usize {
        rank.device = NetworkDevice::watch(&rank.port.offer.domain);
    }
    Ok(Serialized::open(rank))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_published_is_read_as_it_was_written() {
        let all = Published { atomics: [1, 2, 3, 4], provider: "tcp;ofi_rxm".to_owned(), address: vec![7; 16] };
        let bytes = all.written();
        assert_eq!(Published::read(&bytes), Some(all));
        for short in [0, 15, 16, 22] {
            assert_eq!(Published::read(&bytes[..short]), None);
        }
    }
}
