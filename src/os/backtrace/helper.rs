//! Helper programs that examine a crashed process (gdb, addr2line): started and read without the heap and without
//! locks.
//!
//! # Safety
//! Argument lists hold terminated strings and end with a null; descriptors and the child are this call's own.
#![allow(unsafe_code)]

use core::ffi::{c_char, c_int};

/// Runs `arguments[0]`, a path, without an environment, and calls `take` with a descriptor of its output. Returns
/// the result of `take`. The program is ended when `take` returns.
pub(crate) fn run(arguments: &[*const c_char], take: impl FnOnce(c_int) -> bool) -> bool {
    let none: [*const c_char; 1] = [core::ptr::null()];
    let mut pipe = [0; 2];
    // SAFETY: room for two descriptors.
    if unsafe { libc::pipe2(pipe.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return false;
    }
    // No fork(): it takes malloc's locks, which a crash may have left locked. No exit signal: the client's
    // SIGCHLD handler is not concerned.
    // SAFETY: as fork; the child only calls what signal handlers may.
    let child = unsafe { libc::syscall(libc::SYS_clone, 0, 0, 0, 0, 0) } as libc::pid_t;
    if child == 0 {
        // SAFETY: system calls on our own descriptors; the caller's strings.
        unsafe {
            let null = libc::open(c"/dev/null".as_ptr(), libc::O_RDWR);
            libc::dup2(null, 0);
            libc::dup2(pipe[1], 1);
            libc::dup2(null, 2);
            let mut mask: libc::sigset_t = core::mem::zeroed();
            libc::sigemptyset(&mut mask);
            libc::sigprocmask(libc::SIG_SETMASK, &mask, core::ptr::null_mut());
            libc::execve(arguments[0], arguments.as_ptr(), none.as_ptr());
            libc::syscall(libc::SYS_exit_group, 127);
        }
    }
    // SAFETY: the pipe is ours.
    unsafe { libc::close(pipe[1]) };
    let result = child > 0 && take(pipe[0]);
    // SAFETY: the pipe and the child are ours.
    unsafe {
        libc::close(pipe[0]);
        if child > 0 {
            libc::kill(child, libc::SIGKILL);
            libc::waitpid(child, core::ptr::null_mut(), libc::__WALL);
        }
    }
    result
}

/// Calls `each` with every line read from `from`, until the other side closes it or writes nothing within the time limit. A
/// line that does not fit the buffer is omitted.
pub(crate) fn lines(from: c_int, limit_ms: c_int, mut each: impl FnMut(&[u8])) {
    let mut buffer = [0u8; 4096];
    let mut held = 0;
    loop {
        let mut ready = libc::pollfd { fd: from, events: libc::POLLIN, revents: 0 };
        // SAFETY: one pollfd.
        let n = unsafe { libc::poll(&mut ready, 1, limit_ms) };
        if n < 0 && std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted {
            continue;
        }
        if n <= 0 {
            return;
        }
        // SAFETY: the buffer has that much room left.
        let got = unsafe { libc::read(from, buffer[held..].as_mut_ptr().cast(), buffer.len() - held) };
        if got <= 0 {
            return;
        }
        held += got as usize;
        let mut start = 0;
        while let Some(len) = buffer[start..held].iter().position(|&c| c == b'\n') {
            each(&buffer[start..start + len + 1]);
            start += len + 1;
        }
        buffer.copy_within(start..held, 0);
        held -= start;
        if held == buffer.len() {
            held = 0;
        }
    }
}
