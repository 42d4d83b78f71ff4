//! The tools' texts about lists of addresses, vectors, strides and EX's bit sets, for error messages.
//!
//! # Safety
//! Every function trusts its lists and its buffer.
#![allow(unsafe_code, non_camel_case_types)]

use crate::tools::format;
use core::ffi::{c_char, c_void};

/// The result of gasnett_format_addrlist.
#[repr(C)]
pub struct gasneti_addrlist_stats_t {
    pub minaddr: *mut c_void,
    /// The last byte of the highest block.
    pub maxaddr: *mut c_void,
}

/// The result of gasnett_format_memveclist.
#[repr(C)]
pub struct gasneti_memveclist_stats_t {
    pub minsz: usize,
    pub maxsz: usize,
    pub totalsz: usize,
    pub minaddr: *mut c_void,
    /// The last byte of the highest block.
    pub maxaddr: *mut c_void,
}

/// gasnet_memvec_t and gex_Memvec_t.
#[derive(Clone, Copy)]
#[repr(C)]
struct MemVec {
    addr: usize,
    len: usize,
}

/// Copies `text` and a 0 to `buf`, if that is not NULL; returns the number of bytes that the text needs.
///
/// # Safety
/// `buf` is NULL or has room.
unsafe fn put(buf: *mut c_char, text: &str) -> usize {
    if !buf.is_null() {
        // SAFETY: the caller's promise.
        unsafe {
            core::ptr::copy_nonoverlapping(text.as_ptr().cast(), buf, text.len());
            *buf.add(text.len()) = 0;
        }
    }
    text.len() + 1
}

/// The entries of a client's array.
///
/// # Safety
/// `list` has `count` initialised entries.
unsafe fn entries<T: Copy>(list: *const T, count: usize) -> impl Iterator<Item = T> + Clone {
    // SAFETY: the caller's promise; `i < count`.
    (0..count).map(move |i| unsafe { list.add(i).read() })
}

fn last_byte(addr: usize, len: usize) -> usize {
    addr.wrapping_add(len.saturating_sub(1))
}

/// Returns the size of a buffer for gasnett_format_addrlist.
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_format_addrlist_bufsz(count: usize) -> usize {
    format::list_bufsz(count)
}

/// Writes the `count` addresses of blocks of `len` bytes to `buf` as text.
///
/// # Safety
/// `list` has `count` entries, `buf` gasnett_format_addrlist_bufsz(count) bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_format_addrlist(
    buf: *mut c_char,
    count: usize,
    list: *const *mut c_void,
    len: usize,
) -> gasneti_addrlist_stats_t {
    // SAFETY: the caller keeps the contract above.
    let all = unsafe { entries(list, count) }.map(|addr| addr as usize);
    // SAFETY: as above.
    unsafe { put(buf, &format::addresses(all.clone(), len)) };
    gasneti_addrlist_stats_t {
        minaddr: all.clone().min().unwrap_or(0) as *mut c_void,
        maxaddr: all.map(|addr| last_byte(addr, len)).max().unwrap_or(0) as *mut c_void,
    }
}

/// Returns the size of a buffer for gasnett_format_memveclist.
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_format_memveclist_bufsz(count: usize) -> usize {
    format::list_bufsz(count)
}

/// Writes `count` pairs of address and length (gasnet_memvec_t, gex_Memvec_t) to `buf` as text.
///
/// # Safety
/// `list` has `count` pairs, `buf` gasnett_format_memveclist_bufsz(count) bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_format_memveclist(
    buf: *mut c_char,
    count: usize,
    list: *const c_void,
) -> gasneti_memveclist_stats_t {
    // SAFETY: the caller keeps the contract above.
    let all = unsafe { entries(list.cast::<MemVec>(), count) };
    // SAFETY: as above.
    unsafe { put(buf, &format::vectors(all.clone().map(|v| (v.addr, v.len)))) };
    gasneti_memveclist_stats_t {
        minsz: all.clone().map(|v| v.len).min().unwrap_or(0),
        maxsz: all.clone().map(|v| v.len).max().unwrap_or(0),
        totalsz: all.clone().map(|v| v.len).fold(0, usize::wrapping_add),
        minaddr: all.clone().map(|v| v.addr).min().unwrap_or(0) as *mut c_void,
        maxaddr: all.map(|v| last_byte(v.addr, v.len)).max().unwrap_or(0) as *mut c_void,
    }
}

/// Returns the size of a buffer for gasnett_format_putvgetv.
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_format_putvgetv_bufsz(dstcount: usize, srccount: usize) -> usize {
    format::list_bufsz(dstcount) + format::list_bufsz(srccount)
}

/// Writes the arguments of a vector transfer to `buf` as text; returns the bytes written.
///
/// # Safety
/// The lists have as many pairs as their counts say, `buf` gasnett_format_putvgetv_bufsz() bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_format_putvgetv(
    buf: *mut c_char,
    _tm: *const c_void,
    rank: u32,
    dstcount: usize,
    dstlist: *const c_void,
    srccount: usize,
    srclist: *const c_void,
) -> usize {
    let pair = |v: MemVec| (v.addr, v.len);
    // SAFETY: the caller keeps the contract above.
    let (dst, src) = unsafe { (entries(dstlist.cast(), dstcount), entries(srclist.cast(), srccount)) };
    let (dst, src) = (format::vectors(dst.map(pair)), format::vectors(src.map(pair)));
    // SAFETY: as above.
    unsafe { put(buf, &format!("rank={rank} dst={dst} src={src}")) }
}

/// Returns the size of a buffer for gasnett_format_putigeti.
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_format_putigeti_bufsz(dstcount: usize, srccount: usize) -> usize {
    format::list_bufsz(dstcount) + format::list_bufsz(srccount)
}

/// Writes the arguments of an indexed transfer to `buf` as text; returns the bytes written.
///
/// # Safety
/// The lists have as many addresses as their counts say, `buf` gasnett_format_putigeti_bufsz() bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_format_putigeti(
    buf: *mut c_char,
    _tm: *const c_void,
    rank: u32,
    dstcount: usize,
    dstlist: *const *mut c_void,
    dstlen: usize,
    srccount: usize,
    srclist: *const *mut c_void,
    srclen: usize,
) -> usize {
    let number = |addr: *mut c_void| addr as usize;
    // SAFETY: the caller keeps the contract above.
    let (dst, src) = unsafe { (entries(dstlist, dstcount), entries(srclist, srccount)) };
    let (dst, src) = (format::addresses(dst.map(number), dstlen), format::addresses(src.map(number), srclen));
    // SAFETY: as above.
    unsafe { put(buf, &format!("rank={rank} dst={dst} src={src}")) }
}

/// Returns the size of a buffer for gasnett_format_strides.
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_format_strides_bufsz(count: usize) -> usize {
    format::list_bufsz(count)
}

/// Writes `count` strides to `buf` as text.
///
/// # Safety
/// `list` has `count` entries, `buf` gasnett_format_strides_bufsz(count) bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_format_strides(buf: *mut c_char, count: usize, list: *const isize) {
    // SAFETY: the caller keeps the contract above.
    unsafe { put(buf, &format::numbers(entries(list, count).map(|stride| stride as i128))) };
}

/// Returns the size of a buffer for gasnett_format_putsgets.
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_format_putsgets_bufsz(stridelevels: usize) -> usize {
    4 * format::list_bufsz(stridelevels + 1)
}

/// Writes the arguments of an EX strided transfer to `buf` as text; returns the bytes written.
///
/// # Safety
/// The lists have `stridelevels` entries, `buf` gasnett_format_putsgets_bufsz(stridelevels) bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_format_putsgets(
    buf: *mut c_char,
    _pstats: *mut c_void,
    _tm: *const c_void,
    rank: u32,
    dstaddr: *mut c_void,
    dststrides: *const isize,
    srcaddr: *mut c_void,
    srcstrides: *const isize,
    elemsz: usize,
    count: *const usize,
    stridelevels: usize,
) -> usize {
    // SAFETY: the caller keeps the contract above.
    let (to, from, count) =
        unsafe { (entries(dststrides, stridelevels), entries(srcstrides, stridelevels), entries(count, stridelevels)) };
    let (to, from) = (format::numbers(to.map(|s| s as i128)), format::numbers(from.map(|s| s as i128)));
    let count = format::numbers(count.map(|n| n as i128));
    let text = format!(
        "rank={rank} dst={dstaddr:p} dststrides={to} src={srcaddr:p} srcstrides={from} elemsz={elemsz} count={count} \
         stridelevels={stridelevels}"
    );
    // SAFETY: as above.
    unsafe { put(buf, &text) }
}

/// Writes the arguments of a GASNet-1 strided transfer to `buf` as text; returns the bytes written.
///
/// # Safety
/// The strides have `stridelevels` entries and `count` one more; `buf` has
/// gasnett_format_putsgets_bufsz(stridelevels) bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_format_strided(
    buf: *mut c_char,
    _pstats: *mut c_void,
    node: u32,
    dstaddr: *mut c_void,
    dststrides: *const usize,
    srcaddr: *mut c_void,
    srcstrides: *const usize,
    count: *const usize,
    stridelevels: usize,
) -> usize {
    // SAFETY: the caller keeps the contract above.
    let (to, from, count) = unsafe {
        (entries(dststrides, stridelevels), entries(srcstrides, stridelevels), entries(count, stridelevels + 1))
    };
    let (to, from) = (format::numbers(to.map(|s| s as i128)), format::numbers(from.map(|s| s as i128)));
    let count = format::numbers(count.map(|n| n as i128));
    let text = format!(
        "node={node} dst={dstaddr:p} dststrides={to} src={srcaddr:p} srcstrides={from} count={count} \
         stridelevels={stridelevels}"
    );
    // SAFETY: as above.
    unsafe { put(buf, &text) }
}

/// Writes the name of a gex_DT_t to `buf`, unless that is NULL; returns the number of bytes that the text needs.
///
/// # Safety
/// `buf` is NULL or has as many bytes as a call with NULL returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_format_dt(buf: *mut c_char, dt: u32) -> usize {
    // SAFETY: the caller keeps the contract above.
    unsafe { put(buf, &format::bits(dt, &format::DATA_TYPES)) }
}

/// Writes the name of a gex_OP_t to `buf`, unless that is NULL; returns the number of bytes that the text needs.
///
/// # Safety
/// `buf` is NULL or has as many bytes as a call with NULL returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_format_op(buf: *mut c_char, op: u32) -> usize {
    // SAFETY: the caller keeps the contract above.
    unsafe { put(buf, &format::bits(op, &format::OPERATIONS)) }
}

/// Writes the name of a gex_TI_t to `buf`, unless that is NULL; returns the number of bytes that the text needs.
///
/// # Safety
/// `buf` is NULL or has as many bytes as a call with NULL returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_format_ti(buf: *mut c_char, ti: u32) -> usize {
    // SAFETY: the caller keeps the contract above.
    unsafe { put(buf, &format::bits(ti, &format::TOKEN_FIELDS)) }
}
