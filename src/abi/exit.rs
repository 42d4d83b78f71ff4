//! The end of a job.

use crate::exit;
use crate::tools::heap;
use core::ffi::c_int;

/// Ends the job: all ranks, with `exitcode` as the code that the job's starter sees.
///
/// Not collective: any rank and any thread may call it at any time after gasnet_init, also from AM handlers, from
/// signal handlers, whatever these interrupt, and from functions that run at exit. stdio streams are flushed;
/// functions registered with atexit are not run. The other ranks get SIGQUIT unless they leave by themselves
/// meanwhile, and are ended by force after GASNET_EXITTIMEOUT seconds. With code 0 a rank that computes is given up
/// to GASNET_EXITTIMEOUT_KILL seconds, any other gets SIGQUIT after GASNET_EXITTIMEOUT, and stderr names it. If
/// several ranks or threads call it, one of the codes is taken, and not 0 if a rank fails that was late. Does not
/// return.
///
/// Source: GASNet 1.8, "gasnet_exit".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_exit(exitcode: c_int) -> ! {
    heap::at_gasnet_exit();
    exit::exit(exitcode)
}
