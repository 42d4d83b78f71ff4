//! Offers of libfabric, and wishes for one, as the shim reads and writes them.

use core::ffi::c_char;
use std::ffi::CString;
use std::net::IpAddr;

const TEXT: usize = 64;

/// `struct gasneti_ofi_offer`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct RawOffer {
    provider: [c_char; TEXT],
    fabric: [c_char; TEXT],
    domain: [c_char; TEXT],
    address: [c_char; 128],
    ip: [u8; 16],
    ip_bytes: u32,
    caps: u32,
    mr_mode: u32,
    inject: u64,
    max_message: u64,
    tx_size: u32,
    rx_size: u32,
    key_size: u32,
    has_auto_progress: u32,
}

/// A provider with one of its domains.
#[derive(Clone, Debug, Default)]
pub(crate) struct OfiOffer {
    pub provider: String,
    pub fabric: String,
    pub domain: String,
    pub ip: Option<IpAddr>,
    pub caps: u32,
    pub mr_mode: u32,
    /// Bytes that it injects.
    pub inject: usize,
    pub receives: u32,
}

/// `struct gasneti_ofi_wish`.
#[repr(C)]
pub(crate) struct RawWish {
    provider: *const c_char,
    fabric: *const c_char,
    domain: *const c_char,
    ip: *const u8,
    ip_bytes: u32,
    basic: i32,
    atomics: i32,
    multi_recv: i32,
    wakes: i32,
}

/// The requirements with which providers of libfabric are looked up.
#[derive(Clone, Debug, Default)]
pub(crate) struct OfiWish {
    pub provider: Option<String>,
    pub fabric: Option<String>,
    pub domain: Option<String>,
    pub ip: Option<IpAddr>,
    /// Ask for the registration that InfiniBand demands (`FI_MR_BASIC`).
    pub basic: bool,
    pub atomics: bool,
    /// Receives for many messages, which end when fewer bytes than this are left in them; 0: without.
    pub multi_recv: i32,
    pub wakes: bool,
}

fn text_of(text: &[c_char]) -> String {
    let bytes: Vec<u8> = text.iter().map(|c| *c as u8).take_while(|c| *c != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

impl RawOffer {
    pub(crate) const EMPTY: RawOffer = RawOffer {
        provider: [0; TEXT],
        fabric: [0; TEXT],
        domain: [0; TEXT],
        address: [0; 128],
        ip: [0; 16],
        ip_bytes: 0,
        caps: 0,
        mr_mode: 0,
        inject: 0,
        max_message: 0,
        tx_size: 0,
        rx_size: 0,
        key_size: 0,
        has_auto_progress: 0,
    };

    pub(crate) fn offer(&self) -> OfiOffer {
        let ip = match self.ip_bytes {
            4 => self.ip.first_chunk::<4>().map(|ip| IpAddr::from(*ip)),
            16 => Some(IpAddr::from(self.ip)),
            _ => None,
        };
        OfiOffer {
            provider: text_of(&self.provider),
            fabric: text_of(&self.fabric),
            domain: text_of(&self.domain),
            ip,
            caps: self.caps,
            mr_mode: self.mr_mode,
            inject: self.inject as usize,
            receives: self.rx_size,
        }
    }
}

impl OfiWish {
    /// Calls `with` with the wish as the shim reads it.
    pub(crate) fn with_raw<R>(&self, with: impl FnOnce(&RawWish) -> R) -> R {
        let texts = [&self.provider, &self.fabric, &self.domain]
            .map(|text| text.as_ref().and_then(|text| CString::new(text.as_str()).ok()));
        let [provider, fabric, domain] =
            texts.each_ref().map(|text| text.as_ref().map_or(core::ptr::null(), |text| text.as_ptr()));
        let ip = match self.ip {
            Some(IpAddr::V4(ip)) => ip.octets().to_vec(),
            Some(IpAddr::V6(ip)) => ip.octets().to_vec(),
            None => Vec::new(),
        };
        with(&RawWish {
            provider,
            fabric,
            domain,
            ip: ip.as_ptr(),
            ip_bytes: ip.len() as u32,
            basic: self.basic.into(),
            atomics: self.atomics.into(),
            multi_recv: self.multi_recv,
            wakes: self.wakes.into(),
        })
    }
}
