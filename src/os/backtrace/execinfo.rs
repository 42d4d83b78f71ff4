//! Backtraces by the C library, with functions, files and lines from addr2line where that is installed. Functions that
//! the program does not export, and programs that lie anywhere in memory, are resolved, too.
//!
//! # Safety
//! Names of objects come from the loader and stay while the object is loaded, as every object with a frame on the stack is.
#![allow(unsafe_code)]

use core::ffi::{CStr, c_char, c_int, c_void};
use core::fmt::Write;
use core::ptr::null;

use super::helper;
use super::stack::{backtrace, exe_name};
use super::text::{Short, write_fd};

unsafe extern "C" {
    fn backtrace_symbols_fd(frames: *const *mut c_void, len: c_int, fd: c_int);
}

/// The time limit for each line of addr2line, which takes long to read the symbols of a large program.
const LIMIT_MS: c_int = 20_000;
/// The maximum number of frames for one run of addr2line.
const GROUP: usize = 32;
/// `addr2line -a -f -i -p -C -e object`.
const FIXED: usize = 8;

/// The loaded object that an address lies in.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Object {
    name: *const c_char,
    /// The load bias: address in memory minus address in the file.
    bias: usize,
}

/// Argument and result of [`look`].
struct Search {
    at: usize,
    found: Option<Object>,
}

/// # Safety
/// `data` points to a [`Search`].
unsafe extern "C" fn look(info: *mut libc::dl_phdr_info, _: usize, data: *mut c_void) -> c_int {
    // SAFETY: the loader's object, and the caller's promise.
    let (info, search) = unsafe { (&*info, &mut *data.cast::<Search>()) };
    let bias = info.dlpi_addr as usize;
    for part in 0..usize::from(info.dlpi_phnum) {
        // SAFETY: `part` is below the number of program headers.
        let header = unsafe { &*info.dlpi_phdr.add(part) };
        let start = bias.wrapping_add(header.p_vaddr as usize);
        if header.p_type == libc::PT_LOAD && search.at.wrapping_sub(start) < header.p_memsz as usize {
            // SAFETY: a string, or null.
            let unnamed = info.dlpi_name.is_null() || unsafe { *info.dlpi_name } == 0;
            let name = if unnamed { exe_name().as_ptr() } else { info.dlpi_name };
            search.found = Some(Object { name, bias });
            return 1;
        }
    }
    0
}

fn object_of(frame: *mut c_void) -> Option<Object> {
    let mut search = Search { at: frame.addr(), found: None };
    // SAFETY: `look` gets a `Search`.
    unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut search).cast()) };
    search.found
}

/// Writes the stack of this thread to `fd`.
pub(crate) fn print(addr2line: Option<&CStr>, fd: c_int) -> bool {
    let mut frames = [core::ptr::null_mut(); 128];
    // SAFETY: the array has that many frames.
    let len = unsafe { backtrace(frames.as_mut_ptr(), frames.len() as c_int) };
    let frames = &frames[..len.clamp(0, frames.len() as c_int) as usize];
    let mut start = 0;
    let mut interrupted = false;
    while start < frames.len() {
        if is_signal_return(frames[start]) {
            let mut text = Short::default();
            let _ = writeln!(text, "#{start:<2} <signal handler called>");
            write_fd(fd, &text.0[..text.1]);
            (start, interrupted) = (start + 1, true);
            continue;
        }
        let object = object_of(frames[start]);
        let alike = |&&frame: &&*mut c_void| object_of(frame) == object && !is_signal_return(frame);
        let same = frames[start..].iter().take(GROUP).take_while(alike).count();
        let group = &frames[start..start + same.max(1)];
        let named = match (addr2line, object) {
            (Some(program), Some(object)) => by_addr2line(program, object, group, (start, interrupted), fd),
            _ => 0,
        };
        for frame in &group[named..] {
            // SAFETY: one frame.
            unsafe { backtrace_symbols_fd(frame, 1, fd) };
        }
        start += group.len();
        interrupted = false;
    }
    !frames.is_empty()
}

/// The code to which signal handlers return, of the C library or the kernel's shared object: the call of rt_sigreturn.
#[cfg(target_arch = "x86_64")]
const RETURN: [u8; 9] = [0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05]; // mov $15, %rax; syscall
#[cfg(target_arch = "aarch64")]
const RETURN: [u8; 8] = [0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4]; // mov x8, #139; svc #0
#[cfg(target_arch = "riscv64")]
const RETURN: [u8; 8] = [0x93, 0x08, 0xb0, 0x08, 0x73, 0, 0, 0]; // li a7, 139; ecall
#[cfg(target_arch = "powerpc64")]
const RETURN: [u8; 8] = [0xac, 0, 0, 0x38, 0x02, 0, 0, 0x44]; // li r0, 172; sc
/// What may precede it: a kernel removes the frame in which it has called the handler.
#[cfg(target_arch = "powerpc64")]
const BEFORE_RETURN: [u8; 4] = [0x80, 0, 0x21, 0x38]; // addi r1, r1, 128
#[cfg(not(target_arch = "powerpc64"))]
const BEFORE_RETURN: [u8; 0] = [];

/// Whether `frame` is where signal handlers return to.
pub(crate) fn is_signal_return(frame: *mut c_void) -> bool {
    // SAFETY: code of a loaded object, and no function ends there: that many bytes follow in the object or its padding.
    let byte = |at: usize| unsafe { *frame.cast::<u8>().add(at) };
    let has = |from: usize, code: &[u8]| code.iter().enumerate().all(|(at, &code)| byte(from + at) == code);
    object_of(frame).is_some() && has(if has(0, &BEFORE_RETURN) { BEFORE_RETURN.len() } else { 0 }, &RETURN)
}

/// Writes lines for the frames of one object, numbered from `first` on as gdb does; returns the number of frames written.
/// The first frame may be that of a function that a signal interrupted, which is not a call.
fn by_addr2line(
    program: &CStr,
    object: Object,
    frames: &[*mut c_void],
    (first, interrupted): (usize, bool),
    fd: c_int,
) -> usize {
    let mut texts = [[0u8; 24]; GROUP];
    let mut arguments: [*const c_char; FIXED + GROUP + 1] = [null(); FIXED + GROUP + 1];
    arguments[..FIXED].copy_from_slice(&[
        program.as_ptr(),
        c"-a".as_ptr(),
        c"-f".as_ptr(),
        c"-i".as_ptr(),
        c"-p".as_ptr(),
        c"-C".as_ptr(),
        c"-e".as_ptr(),
        object.name,
    ]);
    for (at, (frame, text)) in frames.iter().zip(&mut texts).enumerate() {
        let mut words = Short::default();
        // The call instruction, not the return address, which may belong to another line.
        let back = usize::from(!(interrupted && at == 0));
        let _ = write!(words, "{:#x}", frame.addr().wrapping_sub(object.bias).wrapping_sub(back));
        text[..words.1].copy_from_slice(&words.0[..words.1]);
        arguments[FIXED + at] = text.as_ptr().cast();
    }
    let mut named = 0;
    helper::run(&arguments, |output| {
        helper::lines(output, LIMIT_MS, |line| {
            let starts = line.starts_with(b"0x");
            if !starts {
                // The caller into which the function was inlined.
                return write_fd(fd, line);
            }
            let Some(frame) = frames.get(named) else { return };
            let mut head = Short::default();
            let _ = write!(head, "#{:<2} {:#018x} in ", first + named, frame.addr());
            named += 1;
            let said = line.iter().position(|&c| c == b' ').map_or(line, |space| &line[space + 1..]);
            if said.starts_with(b"??") {
                // SAFETY: one frame.
                return unsafe { backtrace_symbols_fd(frame, 1, fd) };
            }
            write_fd(fd, &head.0[..head.1]);
            match find(said, b" at ").filter(|_| said.ends_with(b":?\n")) {
                // No line is known: in gdb's format.
                Some(end) => {
                    write_fd(fd, &said[..end]);
                    write_fd(fd, b" () from ");
                    // SAFETY: the loader's string (module contract).
                    write_fd(fd, unsafe { CStr::from_ptr(object.name) }.to_bytes());
                    write_fd(fd, b"\n");
                }
                None => write_fd(fd, said),
            }
        });
        true
    });
    named
}

fn find(text: &[u8], word: &[u8]) -> Option<usize> {
    text.windows(word.len()).position(|part| part == word)
}
