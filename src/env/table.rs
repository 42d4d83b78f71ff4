//! Every environment variable, once.

/// What values a variable takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Text,
    Yes,
    /// Between the two, both included.
    Int(i64, i64),
    /// Bytes; the number is the unit of a value that names none.
    Size(u64),
    /// Between the two, both included.
    Float(f64, f64),
    SegLimit,
    Ranks,
    /// What to fill memory with.
    Fill,
    /// One of these, in any case.
    Choice(&'static [&'static str]),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Default {
    Unset,
    Is(&'static str),
    /// Found at start; the text says how.
    Computed(&'static str),
}

pub struct Var {
    pub name: &'static str,
    pub group: Group,
    pub kind: Kind,
    pub default: Default,
    pub help: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    Job,
    Spawn,
    Exit,
    Memory,
    Operations,
    Errors,
    Tracing,
    Tools,
}

impl Group {
    pub const ALL: [Group; 8] = [
        Group::Job,
        Group::Spawn,
        Group::Exit,
        Group::Memory,
        Group::Operations,
        Group::Errors,
        Group::Tracing,
        Group::Tools,
    ];

    pub const fn title(self) -> &'static str {
        match self {
            Group::Job => "Job",
            Group::Spawn => "Starting a udp job",
            Group::Exit => "Exit and signals",
            Group::Memory => "Memory and threads",
            Group::Operations => "Operations and waiting",
            Group::Errors => "Errors and debugging",
            Group::Tracing => "Tracing and statistics",
            Group::Tools => "Tools",
        }
    }
}

const fn var(name: &'static str, group: Group, kind: Kind, default: Default, help: &'static str) -> Var {
    Var { name, group, kind, default, help }
}

use self::Default::{Computed, Is, Unset};
use Group::{Errors, Exit, Job, Memory, Operations, Spawn, Tools, Tracing};
use Kind::{Choice, Fill, Float, Int, Ranks, SegLimit, Text, Yes};

const MAX_SECONDS: f64 = 1e9;

/// Ranks of one job at most; a ring slot has 16 bits for the sender.
pub const MAX_RANKS: i64 = 4096;

/// The variables that this version reads, by name.
#[rustfmt::skip]
pub static VARS: &[Var] = &[
    var("GASNET_BACKTRACE", Errors, Yes, Is("NO"), "print backtraces on fatal errors and signals"),
    var("GASNET_BACKTRACE_MT", Errors, Yes, Is("YES"), "backtrace all threads, where the mechanism can"),
    var("GASNET_BACKTRACE_NODES", Errors, Ranks, Is("*"), "ranks that print backtraces"),
    var("GASNET_BACKTRACE_SIGNAL", Errors, Text, Unset, "signal on which a rank prints a backtrace and goes on"),
    var("GASNET_BACKTRACE_TYPE", Errors, Text, Computed("all that are there: the client's own, GDB, EXECINFO"),
        "mechanisms for backtraces, in the order to try them, separated by commas"),
    var("GASNET_BARRIER", Operations, Choice(&["PSHM", "AMDISSEM", "AMCENTRAL", "DISSEM", "RDMADISSEM"]), Is("PSHM"),
        "barrier algorithm: shared memory, dissemination or a central counter over AMs; the last two are the best dissemination there is"),
    var("GASNET_BOOTSTRAP", Job, Choice(&["auto", "local"]), Is("auto"),
        "how ranks come to be; local: each was started separately on this host, by a launcher of this library's own or a test, and is told who it is by the next three"),
    var("GASNET_BOOTSTRAP_JOB", Job, Text, Unset, "GASNET_BOOTSTRAP=local: a name of the job's own, at least 16 characters that nobody else can guess"),
    var("GASNET_BOOTSTRAP_RANK", Job, Int(0, MAX_RANKS - 1), Unset, "GASNET_BOOTSTRAP=local: this process's rank"),
    var("GASNET_BOOTSTRAP_SIZE", Job, Int(1, MAX_RANKS), Unset, "GASNET_BOOTSTRAP=local: ranks of the job"),
    var("GASNET_CATCH_EXIT", Exit, Yes, Is("YES"), "treat exit() and a return from main as the end of the job"),
    var("GASNET_CONDUIT", Job, Choice(&["smp", "udp", "loopback"]), Is("smp"),
        "the network to use; the default is the one that the client was compiled for; loopback, for tests, joins the ranks of one host that share no memory (GASNET_SUPERNODE_MAXSIZE)"),
    var("GASNET_CSPAWN_CMD", Spawn, Text, Unset,
        "command that starts the job's processes (GASNET_SPAWNFN=C): %N how many, %C what each is to run, %D directory, %M hosts, %P program, %% a percent sign; its stdin goes to each"),
    var("GASNET_CSPAWN_ROUTE_OUTPUT", Spawn, Yes, Computed("GASNET_ROUTE_OUTPUT"), "GASNET_ROUTE_OUTPUT for GASNET_SPAWNFN=C"),
    var("GASNET_CSPAWN_SERVERS", Spawn, Text, Unset, "hosts that %M of GASNET_CSPAWN_CMD stands for"),
    var("GASNET_DEBUG", Errors, Yes, Is("NO"), "check every call for misuse, as in a client compiled with -DGASNET_DEBUG"),
    var("GASNET_DISABLE_ARGDECODE", Job, Yes, Is("NO"), "leave %0XX escapes of spawners in the program's arguments"),
    var("GASNET_DISABLE_ENVDECODE", Job, Yes, Is("NO"), "leave %0XX escapes of spawners in the environment"),
    var("GASNET_ENV_CMD", Spawn, Text, Unset, "command that runs the program on a host reached by ssh, as in: env NAME=value"),
    var("GASNET_EXITTIMEOUT", Exit, Float(0.0, MAX_SECONDS), Computed("min(MAX, MIN + FACTOR * ranks)"),
        "seconds that the other ranks have to leave when the job ends; if it ends with code 0, seconds in which a rank neither leaves nor computes, after which it gets SIGQUIT"),
    var("GASNET_EXITTIMEOUT_FACTOR", Exit, Float(0.0, MAX_SECONDS), Is("0.1"), "seconds that each rank adds to the exit timeout"),
    var("GASNET_EXITTIMEOUT_KILL", Exit, Float(0.0, MAX_SECONDS), Is("300"),
        "seconds after the end of a job with code 0 in which no rank is ended by force; a rank that still computes then gets SIGQUIT, and is killed an exit timeout later"),
    var("GASNET_EXITTIMEOUT_MAX", Exit, Float(0.0, MAX_SECONDS), Is("5"), "longest computed exit timeout, in seconds"),
    var("GASNET_EXITTIMEOUT_MIN", Exit, Float(0.0, MAX_SECONDS), Is("1"), "shortest exit timeout, in seconds"),
    var("GASNET_FAULT_RATE", Job, Float(0.0, 1.0), Is("0"), "udp: fraction of datagrams to lose on purpose; GASNET_UDP_FAULTS says more"),
    var("GASNET_FREEZE", Errors, Yes, Is("NO"), "every rank stops at init and waits for a debugger"),
    var("GASNET_FREEZE_ON_ERROR", Errors, Yes, Is("NO"), "wait for a debugger instead of dying of a fatal error or signal"),
    var("GASNET_FREEZE_SIGNAL", Errors, Text, Unset, "signal on which a rank stops and waits for a debugger"),
    var("GASNET_FS_SYNC", Exit, Yes, Is("NO"), "write out file systems (sync) at exit"),
    var("GASNET_HANG_ACTION", Errors, Choice(&["report", "abort"]), Is("report"),
        "what happens after the report of GASNET_HANG_TIMEOUT: the job goes on, or ends"),
    var("GASNET_HANG_TIMEOUT", Errors, Float(0.0, MAX_SECONDS), Is("0"),
        "seconds in which nothing moves in any rank, though a thread waits, after which the job reports on itself; 0 is never"),
    var("GASNET_LABEL_OUTPUT", Spawn, Yes, Is("NO"), "begin each line of output with the rank that wrote it"),
    var("GASNET_LINEBUFFERSZ", Spawn, Int(0, 1 << 20), Is("1024"),
        "bytes of a line that are kept together; what is longer may be mixed with other ranks' output, 0 keeps nothing together"),
    var("GASNET_MALLOCFILE", Errors, Text, Unset,
        "debug malloc: file for a report of the heap at exit; % is the rank, stdout, stderr and - are known"),
    var("GASNET_MALLOCNODES", Errors, Ranks, Is("*"), "ranks that write GASNET_MALLOCFILE"),
    var("GASNET_MALLOC_CLOBBER", Errors, Yes, Is("NO"), "debug malloc: fill memory that is freed"),
    var("GASNET_MALLOC_CLOBBERVAL", Errors, Fill, Is("NAN"), "what GASNET_MALLOC_CLOBBER fills with"),
    var("GASNET_MALLOC_EXTRACHECK", Errors, Yes, Is("NO"), "debug malloc: look at all blocks whenever one would be looked at"),
    var("GASNET_MALLOC_INIT", Errors, Yes, Is("NO"), "debug malloc: fill memory that is allocated"),
    var("GASNET_MALLOC_INITVAL", Errors, Fill, Is("NAN"), "what GASNET_MALLOC_INIT fills with"),
    var("GASNET_MALLOC_LEAKALL", Errors, Yes, Is("NO"), "debug malloc: give nothing back to the system"),
    var("GASNET_MALLOC_SCANFREED", Errors, Yes, Is("NO"),
        "debug malloc: find writes to freed memory; with this come GASNET_MALLOC_LEAKALL and GASNET_MALLOC_CLOBBER"),
    var("GASNET_MASTERIP", Spawn, Text, Computed("the address that faces each host"),
        "address of this machine that the hosts connect to, or a network (10.1.0.0/16) that it is in"),
    var("GASNET_MAX_SEGSIZE", Memory, SegLimit, Is("0.85/H"),
        "largest segment, rounded up to a page: bytes (1.5GB) or a fraction of the memory (0.5, 1/2), /P for each process or /H for all of a host; 0 is an error, more than the memory of the host counts as that"),
    var("GASNET_MAX_THREADS", Memory, Int(1, i64::MAX), Computed("256; 1 in SEQ mode"), "threads of a rank that may use the library"),
    var("GASNET_NODEFILE", Spawn, Text, Unset, "as GASNET_SSH_NODEFILE"),
    var("GASNET_NO_CATCH_SIGNAL", Exit, Text, Unset, "signals to leave alone, separated by commas or blanks; * is all"),
    var("GASNET_PSHM_NODES", Job, Int(0, MAX_RANKS), Is("0"), "processes of the job; 0 is one"),
    var("GASNET_QUIET", Errors, Yes, Is("NO"), "print no warnings"),
    var("GASNET_RMA", Operations, Choice(&["shared", "am"]), Is("shared"),
        "put, get, memset and collectives through shared memory (what is not mapped: through the kernel), or by active messages (the reference path, for tests)"),
    var("GASNET_ROUTE_OUTPUT", Spawn, Yes, Is("YES"), "pass what ranks print through the job's first process, line by line"),
    var("GASNET_SHM_BACKING", Memory, Choice(&["auto", "memfd", "posix", "sysv", "file", "hugetlbfs"]), Is("auto"),
        "where shared memory comes from; auto takes the first that works"),
    var("GASNET_SHM_DIR", Memory, Text, Computed("GASNET_TMPDIR"), "directory of the files when GASNET_SHM_BACKING=file"),
    var("GASNET_SMP_SPAWNER", Job, Choice(&["fork"]), Is("fork"), "what starts the other processes"),
    var("GASNET_SOCKETBUFFER_MAX", Job, Kind::Size(1), Is("8MB"),
        "udp: bytes that a rank's socket shall hold each way; the kernel's net.core.rmem_max and wmem_max bound what it gets"),
    var("GASNET_SPAWNFN", Spawn, Choice(&["L", "S", "C"]), Computed("L; S if hosts are listed, C if a command is set"),
        "how processes are started: L on this machine, S by ssh, C by GASNET_CSPAWN_CMD"),
    var("GASNET_SPAWN_TIMEOUT", Spawn, Float(0.1, MAX_SECONDS), Is("60"), "seconds in which every host must have joined the job"),
    var("GASNET_SPAWN_VERBOSE", Spawn, Yes, Is("NO"), "print what is started where"),
    var("GASNET_SSH_CMD", Spawn, Text, Is("ssh"), "the ssh to use"),
    var("GASNET_SSH_NODEFILE", Spawn, Text, Unset, "file of hosts, one a line: name, or name:ranks, or name slots=ranks"),
    var("GASNET_SSH_OPTIONS", Spawn, Text, Unset, "options for ssh, before our own: BatchMode=yes, ConnectTimeout=15"),
    var("GASNET_SSH_REMOTE_PATH", Spawn, Text, Computed("the working directory"), "directory on the hosts reached by ssh in which the program is"),
    var("GASNET_SSH_SERVERS", Spawn, Text, Unset,
        "hosts, separated by commas or blanks: name, or name:ranks; more ranks than hosts go round again"),
    var("GASNET_STATSFILE", Tracing, Text, Unset, "count what is done, and report to this file when the job ends; % is the rank; stdout, stderr and - (stderr) are streams"),
    var("GASNET_STATSMASK", Tracing, Text, Is("^"), "what is counted: as GASNET_TRACEMASK"),
    var("GASNET_STATSNODES", Tracing, Ranks, Is("*"), "ranks that report statistics"),
    var("GASNET_SUPERNODE_MAXSIZE", Memory, Int(0, i64::MAX), Is("0"),
        "most processes that share memory with each other, 0 is no limit; smp warns that it needs them all"),
    var("GASNET_TMPDIR", Errors, Text, Computed("TMPDIR, or /tmp"), "directory for temporary files"),
    var("GASNET_TRACEFILE", Tracing, Text, Unset, "write down what is done to this file; % is the rank; stdout, stderr and - (stderr) are streams"),
    var("GASNET_TRACEFLUSH", Tracing, Yes, Is("NO"), "write each line at once, not when a buffer is full or the job ends"),
    var("GASNET_TRACEFORMAT", Tracing, Choice(&["text", "chrome"]), Is("text"), "lines of text, or the JSON that Chrome and Perfetto show"),
    var("GASNET_TRACELOCAL", Tracing, Yes, Is("YES"), "trace also puts and gets of a rank to itself"),
    var("GASNET_TRACEMASK", Tracing, Text, Is("^"),
        "what is traced: G gets, P puts, R atomics, S synchronization, W collectives, X polls, B barriers, L locks, A messages, I information, O objects, C the network, D data, N source lines, H the client's messages; ^ before them means all others"),
    var("GASNET_TRACENODES", Tracing, Ranks, Is("*"), "ranks that write traces"),
    var("GASNET_TSC_RATE", Tools, Text, Is("wallclock"),
        "rate of the time-stamp counter: wallclock (measure it), cpuinfo, or a number of Hz"),
    var("GASNET_TSC_RATE_HARD_TOLERANCE", Tools, Float(0.0, 1.0), Is("0.02"), "relative error of the rate that is fatal"),
    var("GASNET_TSC_RATE_TOLERANCE", Tools, Float(0.0, 1.0), Is("0.0005"), "relative error of the rate that warns"),
    var("GASNET_TSC_VERBOSE", Tools, Yes, Is("NO"), "tell how the rate was found"),
    var("GASNET_UDP_COUNTERS", Job, Yes, Is("NO"),
        "udp: each rank ends with a line that tells how many datagrams it sent, received and refused, and from where; the job's first process tells of connections that it refused"),
    var("GASNET_UDP_ENCRYPT", Job, Yes, Is("NO"), "udp: encrypt datagrams, not only authenticate them"),
    var("GASNET_UDP_FAULTS", Job, Text, Unset,
        "udp: lose, repeat, delay datagrams on purpose, such as loss=1%,dup=1%,reorder=5%,corrupt=0.1%,delay=10ms,seed=7"),
    var("GASNET_UDP_LOCAL_HOSTS", Spawn, Int(1, 4096), Is("1"), "treat this machine as so many hosts (GASNET_SPAWNFN=L), for tests"),
    var("GASNET_UDP_PEER_TIMEOUT", Spawn, Float(0.1, MAX_SECONDS), Is("10"), "seconds of silence after which a host is taken for dead"),
    var("GASNET_UDP_PORTS", Spawn, Text, Computed("any that is free"),
        "ports of a job, as in 5000-5999: one a rank and one more on each host (UDP), and one of the job's first process (TCP)"),
    var("GASNET_UDP_WORKER", Spawn, Text, Unset, "set by the process that starts a job for those that it starts; not for users"),
    var("GASNET_USE_HUGEPAGES", Memory, Yes, Is("NO"), "GASNET_SHM_BACKING=auto tries pages of 2 MiB first"),
    var("GASNET_VERBOSEENV", Job, Yes, Is("NO"), "print every variable that is looked up, and its value"),
    var("GASNET_VIS_AMPIPE", Operations, Yes, Is("YES"),
        "pack what is not contiguous into messages, for ranks that copies do not reach; NO: a put or get for each contiguous piece"),
    var("GASNET_VIS_GET_MAXCHUNK", Operations, Kind::Size(1), Computed("GASNET_VIS_MAXCHUNK"), "GASNET_VIS_MAXCHUNK for gets"),
    var("GASNET_VIS_MAXCHUNK", Operations, Kind::Size(1), Computed("the largest Medium"),
        "most bytes of a message that carries what is not contiguous"),
    var("GASNET_VIS_PUT_MAXCHUNK", Operations, Kind::Size(1), Computed("GASNET_VIS_MAXCHUNK"), "GASNET_VIS_MAXCHUNK for puts"),
    var("GASNET_VIS_REMOTECONTIG", Operations, Yes, Is("YES"),
        "pack here, and put in one piece or get in one, where the remote side is contiguous"),
    var("GASNET_WAIT_SPIN_US", Operations, Int(0, 1_000_000_000), Is("1000"),
        "microseconds that a waiting rank polls before it sleeps until woken"),
    var("GASNET_WORKERIP", Spawn, Text, Computed("the address that faces the job's first process"),
        "address of each host that its ranks use, or a network (10.1.0.0/16) that it is in"),
];

/// Variables of the same form: any name that begins so.
#[rustfmt::skip]
pub static FAMILIES: &[Var] = &[
    var("GASNET_MAXIMIZE_RLIMIT_", Tools, Yes, Is("YES"),
        "raise that soft limit (CPU, DATA, RSS, STACK, AS, MEMLOCK …) to the hard one when the client asks for it"),
];

/// Known names that do nothing here: they belong to other conduits, to later work, or to what we have no use for.
/// A name that ends in `_` stands for all that begin so.
#[rustfmt::skip]
pub static WITHOUT_EFFECT: &[&str] = &[
    // Of the core, for which there is nothing to set.
    "GASNET_AMPSHM_MEMORY_REPORT", "GASNET_ATOMIC_TABLESZ", "GASNET_DISABLE_MUNMAP",
    "GASNET_HOST_DETECT", "GASNET_HWLOC_QUERY", "GASNET_NODEMAP_EXACT", "GASNET_NO_SCRATCH_WARN_THRESHOLD",
    "GASNET_PSHM_BARRIER_HIER", "GASNET_PSHM_BARRIER_RADIX", "GASNET_PSHM_NETWORK_DEPTH", 
    "GASNET_THREAD_STACK_MIN", "GASNET_THREAD_STACK_PAD", "GASNET_USE_GETHOSTID", "GASNET_USE_PSHM_SINGLETON",
    // Collectives.
    "GASNET_COLL_",
    // Heap checks.
    "GASNET_SD_INIT", "GASNET_SD_INITLEN", "GASNET_SD_INITVAL",
    // Other spawners.
    "GASNET_IBV_SPAWNER",
    "GASNET_MPI_SPAWNER", "GASNET_OFI_SPAWNER",
    "GASNET_SPAWN_CONTROL", "GASNET_SSH_KEEPDUP", "GASNET_SSH_OUT_DEGREE", "GASNET_UCX_SPAWNER", "GASNET_WORKER_RANK",
    // Other networks.
    "GASNET_AMPOLL_MAX", "GASNET_AM_BUFFER_SIZE", "GASNET_AM_DOMAIN_POLL_MASK", "GASNET_AM_EVENT_QUEUE_LENGTH",
    "GASNET_AM_NUM_ENTRIES", "GASNET_AXIOM_", "GASNET_CHECKPOINT_", "GASNET_CONNECTFILE_", "GASNET_CONNECT_",
    "GASNET_DOMAIN_COUNT", "GASNET_EXTENDED_EVENT_QUEUE_LENGTH", "GASNET_FIREHOSE_", "GASNET_GNI_",
    "GASNET_HCA_ID", "GASNET_IBV_", "GASNET_INLINESEND_LIMIT", "GASNET_LONG_MSG_THRESHOLD",
    "GASNET_MPI_FINALIZE", "GASNET_MPI_THREAD", "GASNET_MXM_", "GASNET_NETWORKDEPTH", "GASNET_NETWORKDEPTH_SPACE",
    "GASNET_NETWORKDEPTH_TOTAL", "GASNET_ODP_VERBOSE", "GASNET_OFI_", "GASNET_PAMI_", "GASNET_PHYSMEM_", "GASNET_PORT_NUM",
    "GASNET_PSM_ENABLE_SHM", "GASNET_RBUF_COUNT", "GASNET_RBUF_SPARES", "GASNET_RCV_THREAD", "GASNET_RCV_THREAD_",
    "GASNET_RECVDEPTH", "GASNET_REGISTER_SEGMENT", "GASNET_REQUESTTIMEOUT_", "GASNET_SENDDEPTH", "GASNET_SHMEM_DEBUGALLOC",
    "GASNET_SND_THREAD", "GASNET_SND_THREAD_", "GASNET_SOCKETBUFFER_INITIAL", "GASNET_UCX_",
    "GASNET_USE_CUDA_SYNC_MEMOPS", "GASNET_USE_FENCED_PUTS", "GASNET_USE_FIREHOSE", "GASNET_USE_HIP_SYNC_MEMOPS",
    "GASNET_USE_ODP", "GASNET_USE_PAMI_", "GASNET_USE_SRQ", "GASNET_USE_UDREG", "GASNET_USE_XRC", "GASNET_VERBOSE_SEND",
    // Set by users' builds and module systems, and by test programs.
    "GASNET_BIN", "GASNET_BIN_", "GASNET_BUILD", "GASNET_BUILD_", "GASNET_CC", "GASNET_CC_", "GASNET_CFLAGS", "GASNET_CODEMODE",
    "GASNET_CONDUITS", "GASNET_CONFIG", "GASNET_CONFIGURE", "GASNET_CONFIGURE_", "GASNET_CONFIG_", "GASNET_CPPFLAGS", "GASNET_CXX",
    "GASNET_CXXCPPFLAGS", "GASNET_CXXFLAGS", "GASNET_CXX_", "GASNET_DEFINES", "GASNET_DEVWARN_", "GASNET_DIR", "GASNET_FLAGS",
    "GASNET_FOUND", "GASNET_HOME", "GASNET_INC", "GASNET_INCLUDE", "GASNET_INCLUDES", "GASNET_INCLUDE_", "GASNET_INSTALL",
    "GASNET_INSTALL_", "GASNET_LD", "GASNET_LDFLAGS", "GASNET_LDFLAGS_", "GASNET_LD_", "GASNET_LIB", "GASNET_LIBRARIES",
    "GASNET_LIBRARY", "GASNET_LIBRARY_", "GASNET_LIBS", "GASNET_LIB_", "GASNET_MAK", "GASNET_MAKEFILE", "GASNET_MAK_", "GASNET_MISC_",
    "GASNET_MODE", "GASNET_OPT_", "GASNET_PATH", "GASNET_PREFIX", "GASNET_ROOT", "GASNET_ROOT_DIR", "GASNET_SOURCE", "GASNET_SOURCE_",
    "GASNET_SPAWNER", "GASNET_SPAWNER_", "GASNET_SPAWN_ARGS", "GASNET_SRC", "GASNET_SRC_", "GASNET_SUPPRESS_DEBUG_WARNING", "GASNET_TARBALL",
    "GASNET_TEST_", "GASNET_THREADING", "GASNET_THREADMODE", "GASNET_THREADMODEL", "GASNET_TYPE", "GASNET_UNPACKED", "GASNET_URL", "GASNET_VERSION", "GASNET_VERSION_",
];

/// The row of a variable.
pub fn find(name: &str) -> Option<&'static Var> {
    match VARS.binary_search_by(|var| var.name.cmp(name)) {
        Ok(at) => Some(&VARS[at]),
        Err(_) => FAMILIES.iter().find(|family| name.len() > family.name.len() && name.starts_with(family.name)),
    }
}

/// Whether the name is one that does nothing here.
pub fn is_without_effect(name: &str) -> bool {
    WITHOUT_EFFECT.iter().any(|&known| match known.ends_with('_') {
        true => name.len() > known.len() && name.starts_with(known),
        false => name == known,
    })
}
