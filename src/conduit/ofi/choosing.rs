//! The choice of a provider among those that libfabric offers.

use std::net::{IpAddr, Ipv4Addr};

use crate::conduit::shared::{self, packet::PACKET};
use crate::env;
use crate::shims::ofi::{self, Ofi, OfiOffer, OfiWish, cap, mr};

/// Providers in the order in which they are preferred; `None` stands for all others. A layer over a provider (`;ofi_rxm`) counts as that
/// provider. Those of `BY_NAME_ONLY` are used by name only: shm reaches one host, and datagrams over UDP are slow.
const PREFERRED: [Option<&str>; 11] = [
    Some("cxi"),
    Some("efa"),
    Some("opx"),
    Some("psm3"),
    Some("psm2"),
    Some("gni"),
    Some("verbs"),
    None,
    Some("tcp"),
    Some("net"),
    Some("psm"),
];
const BY_NAME_ONLY: [&str; 3] = ["shm", "udp", "ofi_hook"];
/// Providers that are not used: sockets, which tcp has replaced, stops in the middle of large reads (libfabric 1.17).
const REFUSED: &str = "sockets";
/// Those whose atomics end the process or never complete (libfabric 1.17), although `fi_atomicvalid` confirms them.
const WITHOUT_ATOMICS: [&str; 2] = ["shm", "udp"];

/// Capabilities without which the conduit does not work, and their names.
const NEEDED: [(u32, &str); 5] = [
    (cap::RDM, "reliable datagram endpoints"),
    (cap::MSG, "messages"),
    (cap::RMA, "reads and writes of remote memory"),
    (cap::MODES, "the modes of use that are known here"),
    (cap::MR_KNOWN, "the registration modes that are known here"),
];

/// What an offer lacks; empty: it suffices.
pub(crate) fn lacks(offer: &OfiOffer) -> Vec<&'static str> {
    let missing = NEEDED.iter().filter(|(bit, _)| offer.caps & bit == 0).map(|(_, name)| *name);
    missing
        .chain((offer.provider == REFUSED).then_some("support here, as it stops in large reads: tcp replaces it"))
        .collect()
}

/// Whether the provider's atomics are used where it confirms them.
pub(crate) fn has_atomics(offer: &OfiOffer) -> bool {
    offer.caps & cap::ATOMIC != 0 && !WITHOUT_ATOMICS.contains(&core_of(&offer.provider).0)
}

/// The core of a provider's name, and whether a layer is over it.
fn core_of(provider: &str) -> (&str, bool) {
    provider.split_once(';').map_or((provider, false), |(core, _)| (core, true))
}

/// The place of an offer among others; smaller is better. None: it is used by name only.
fn place(offer: &OfiOffer) -> Option<(usize, bool)> {
    let (core, layered) = core_of(&offer.provider);
    if BY_NAME_ONLY.iter().any(|name| core.starts_with(name)) {
        return None;
    }
    let others = PREFERRED.iter().position(Option::is_none).unwrap_or(0);
    Some((PREFERRED.iter().position(|known| *known == Some(core)).unwrap_or(others), !layered))
}

/// Whether the provider is that which a user names: by its whole name, or by that of its core.
fn is_named(offer: &OfiOffer, name: &str) -> bool {
    offer.provider == name || core_of(&offer.provider).0 == name
}

/// The best of the offers for a rank whose peers reach it at `address`. An error is a line for the user.
pub(crate) fn choose(
    mut offers: Vec<OfiOffer>,
    named: Option<&str>,
    device: Option<&str>,
    address: Option<IpAddr>,
) -> Result<OfiOffer, String> {
    let wanted = address.unwrap_or(Ipv4Addr::LOCALHOST.into());
    // Not every provider of libfabric heeds a domain that it is asked for.
    if let Some(device) = device {
        let mut devices: Vec<_> = offers.iter().map(|offer| offer.domain.clone()).collect();
        offers.retain(|offer| offer.domain == device);
        if offers.is_empty() {
            devices.sort_unstable();
            devices.dedup();
            return Err(format!(
                "conduit ofi: no domain of libfabric is called {device} (GASNET_OFI_DEVICE): it has {}",
                devices.join(", ")
            ));
        }
    }
    let all = offers.iter().map(|offer| (offer.provider.clone(), lacks(offer))).collect::<Vec<_>>();
    let fits = |offer: &&OfiOffer| lacks(offer).is_empty() && named.is_none_or(|name| is_named(offer, name));
    // A provider with addresses of hosts has to be at that by which peers reach this host, if one is.
    let rank = |offer: &OfiOffer| {
        let elsewhere = offer.caps & cap::SOCKADDR != 0 && offer.ip != Some(wanted);
        let no_loop = offer.ip.is_some_and(|ip| ip.is_loopback() || ip.is_ipv6());
        let place = if named.is_some() { Some(place(offer).unwrap_or((0, false))) } else { place(offer) };
        place.map(|(place, plain)| (place, plain, elsewhere, no_loop && elsewhere))
    };
    let best = offers.iter().filter(fits).filter_map(|offer| Some((rank(offer)?, offer)));
    if let Some((_, offer)) = best.min_by_key(|(rank, _)| *rank) {
        return Ok(offer.clone());
    }
    let mut told: Vec<String> = Vec::new();
    for (provider, lacks) in all {
        let line = match lacks.is_empty() {
            true => format!("{provider} is used if GASNET_OFI_PROVIDER names it"),
            false => format!("{provider} lacks {}", lacks.join(", ")),
        };
        if !told.contains(&line) {
            told.push(line);
        }
    }
    let found = if told.is_empty() { "it offers none".to_string() } else { told.join("; ") };
    let wanted = match named {
        Some(name) => format!("no provider {name} of libfabric suffices (GASNET_OFI_PROVIDER, FI_PROVIDER)"),
        None => "no provider of libfabric suffices (FI_PROVIDER)".to_string(),
    };
    Err(format!("conduit ofi: {wanted}: {found}"))
}

/// The wish that the settings express.
pub(crate) fn wish() -> OfiWish {
    OfiWish { basic: env::choice("GASNET_OFI_MR") == "basic", ..OfiWish::default() }
}

/// The provider of a rank whose peers reach it at `address`, and what to ask of it. An error is a line for the user.
pub(crate) fn chosen(ofi: &Ofi, address: Option<IpAddr>) -> Result<OfiWish, String> {
    let named = env::str("GASNET_OFI_PROVIDER");
    let wish = wish();
    let device = env::str("GASNET_OFI_DEVICE");
    let offer = choose(ofi.offers(&wish)?, named.as_deref(), device.as_deref(), address)?;
    Ok(OfiWish {
        provider: Some(offer.provider.clone()),
        fabric: Some(offer.fabric.clone()),
        domain: Some(offer.domain.clone()),
        ip: offer.ip,
        multi_recv: if offer.caps & cap::MULTI_RECV != 0 { PACKET as i32 } else { 0 },
        wakes: match env::choice("GASNET_OFI_WAKE") {
            "auto" => shared::is_crowded() || env::yes("GASNET_RCV_THREAD"),
            set => set == "yes",
        },
        atomics: true,
        ..wish
    })
}

/// The providers of this machine, the capabilities of each, and the provider that a rank would use if all its peers were on this host: for gasnet_info.
pub(crate) fn found() -> Result<Vec<(String, String)>, String> {
    const OPTIONAL: [(u32, &str); 2] = [(cap::MULTI_RECV, "receives for many messages"), (cap::ATOMIC, "atomics")];
    let ofi = ofi::open()?;
    let mut lines = vec![("libfabric".to_owned(), ofi.version.clone())];
    let (named, device) = (env::str("GASNET_OFI_PROVIDER"), env::str("GASNET_OFI_DEVICE"));
    let best = choose(ofi.offers(&wish())?, named.as_deref(), device.as_deref(), None);
    for offer in ofi.offers(&OfiWish::default())? {
        let lacks = lacks(&offer);
        let is_able = |bit: u32| if bit == cap::ATOMIC { has_atomics(&offer) } else { offer.caps & bit != 0 };
        let able = OPTIONAL.iter().filter(|(bit, _)| is_able(*bit)).map(|(_, name)| *name);
        let modes = mr::NAMES.iter().filter(|(bit, _)| offer.mr_mode & bit != 0).map(|(_, name)| *name);
        let able: Vec<_> = able.collect();
        let modes: Vec<_> = modes.collect();
        let is_best = best
            .as_ref()
            .is_ok_and(|best| (&best.provider, &best.domain, best.ip) == (&offer.provider, &offer.domain, offer.ip));
        let mut says = match lacks.is_empty() {
            false => format!("lacks {}", lacks.join(", ")),
            true => format!("suffices; {}", if able.is_empty() { "nothing more".to_owned() } else { able.join(", ") }),
        };
        if !modes.is_empty() {
            says += &format!("; registration: {}", modes.join(", "));
        }
        if let Some(ip) = offer.ip {
            says += &format!("; at {ip}");
        }
        if is_best {
            says += "; chosen where all ranks are on this host";
        }
        // libfabric offers the same several times, once for each kind of endpoint below a layer.
        let line = (format!("{}, {}", offer.provider, offer.domain), says);
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    if let Err(why) = best {
        lines.push(("choice".to_owned(), why));
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(provider: &str, ip: Option<&str>) -> OfiOffer {
        let caps = NEEDED.iter().fold(0, |all, (bit, _)| all | bit) | if ip.is_some() { cap::SOCKADDR } else { 0 };
        OfiOffer { provider: provider.to_owned(), ip: ip.map(|ip| ip.parse().unwrap()), caps, ..OfiOffer::default() }
    }

    fn choice(offers: &[OfiOffer], named: Option<&str>, address: Option<&str>) -> Result<(String, String), String> {
        let address = address.map(|address| address.parse().unwrap());
        let offer = choose(offers.to_vec(), named, None, address)?;
        Ok((offer.provider, offer.ip.map_or(String::new(), |ip| ip.to_string())))
    }

    #[test]
    fn hardware_is_preferred_and_some_are_used_by_name_only() {
        let all = ["shm", "tcp", "tcp;ofi_rxm", "sockets", "new", "verbs;ofi_rxm", "cxi"].map(|name| offer(name, None));
        for (left, best) in [(7, "cxi"), (6, "verbs;ofi_rxm"), (5, "new"), (4, "tcp;ofi_rxm"), (2, "tcp")] {
            assert_eq!(choice(&all[..left], None, None).unwrap().0, best);
        }
        assert_eq!(choice(&all, Some("shm"), None).unwrap().0, "shm");
        assert_eq!(choice(&all, Some("verbs"), None).unwrap().0, "verbs;ofi_rxm");
        assert!(choice(&all[..1], None, None).unwrap_err().contains("shm is used if GASNET_OFI_PROVIDER names it"));
    }

    #[test]
    fn the_address_is_that_at_which_peers_reach_this_host() {
        let all = ["10.0.0.1", "fe80::1", "192.168.0.1", "127.0.0.1"].map(|ip| offer("tcp", Some(ip)));
        assert_eq!(choice(&all, None, Some("192.168.0.1")).unwrap().1, "192.168.0.1");
        assert_eq!(choice(&all, None, None).unwrap().1, "127.0.0.1");
        assert_eq!(choice(&all, None, Some("10.9.9.9")).unwrap().1, "10.0.0.1");
    }

    #[test]
    fn a_domain_that_is_named_is_used_or_missed() {
        let all = ["eth0", "lo"].map(|domain| OfiOffer { domain: domain.to_owned(), ..offer("tcp", None) });
        assert_eq!(choose(all.to_vec(), None, Some("lo"), None).unwrap().domain, "lo");
        assert!(choose(all.to_vec(), None, Some("ib0"), None).unwrap_err().ends_with("it has eth0, lo"));
    }

    #[test]
    fn providers_that_do_not_work_are_refused() {
        let all = [offer("sockets", None)];
        assert!(choice(&all, None, None).unwrap_err().contains("sockets lacks support"));
        assert!(choice(&all, Some("sockets"), None).is_err());
        let atomics = |provider: &str| has_atomics(&OfiOffer { caps: cap::ATOMIC, ..offer(provider, None) });
        assert_eq!(["net", "shm", "udp;ofi_rxd"].map(atomics), [true, false, false]);
    }

    #[test]
    fn what_each_lacks_is_told() {
        let mut poor = offer("psm", None);
        poor.caps &= !cap::RMA;
        let why = choice(&[poor], None, None).unwrap_err();
        assert!(why.contains("psm lacks reads and writes of remote memory"), "{why}");
        assert!(choice(&[], Some("x"), None).unwrap_err().contains("no provider x of libfabric suffices"));
    }
}
