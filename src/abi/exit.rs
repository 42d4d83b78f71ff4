//! The end of a job.

use crate::exit;
use crate::tools::heap;
use core::ffi::c_int;

/// Ends all ranks of the job, with exit code `exitcode`.
///
/// Not collective: any rank and any thread may call it at any time after gasnet_init, also from AM handlers, from
/// signal handlers regardless of the interrupted code, and from functions that run at exit. stdio streams are
/// flushed; functions registered with atexit are not run. With a nonzero code, ranks that do not leave by
/// themselves get SIGQUIT, and are killed after GASNET_EXITTIMEOUT seconds. With code 0, a rank that computes may
/// continue for up to GASNET_EXITTIMEOUT_KILL seconds; any other rank gets SIGQUIT after GASNET_EXITTIMEOUT
/// seconds, and a line on stderr names it. If several ranks or threads call it, the job has one of their codes; if
/// a late rank fails, the code is nonzero. Does not return.
///
/// With code 0 in a signal handler, over ucx and ofi, puts and messages of this rank that are in flight may be lost: the
/// call does not wait for them, as the signal may have interrupted the network's library.
///
/// Source: GASNet 1.8, "gasnet_exit".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_exit(exitcode: c_int) -> ! {
    heap::at_gasnet_exit();
    exit::exit(exitcode)
}
