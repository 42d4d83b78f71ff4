//! Every environment variable, once.

/// The type of a variable's values, with their bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ValueType {
    Text,
    Yes,
    /// Between the two, both included.
    Int(i64, i64),
    /// Bytes; the number is the unit of a value without a unit.
    Size(u64),
    /// Between the two, both included.
    Float(f64, f64),
    SegLimit,
    Ranks,
    /// A pattern to fill memory with.
    Fill,
    /// One of these, in any case.
    Choice(&'static [&'static str]),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Default {
    Unset,
    Is(&'static str),
    /// Computed at start; the text describes the value.
    Computed(&'static str),
}

pub struct Var {
    pub name: &'static str,
    pub group: Group,
    pub kind: ValueType,
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

const fn var(name: &'static str, group: Group, kind: ValueType, default: Default, help: &'static str) -> Var {
    Var { name, group, kind, default, help }
}

use self::Default::{Computed, Is, Unset};
use Group::{Errors, Exit, Job, Memory, Operations, Spawn, Tools, Tracing};
use ValueType::{Choice, Fill, Float, Int, Ranks, SegLimit, Text, Yes};

const MAX_SECONDS: f64 = 1e9;

/// Maximum number of ranks of one host; a ring slot has 16 bits for the sender.
pub const MAX_RANKS: i64 = 4096;
/// Ranks of one job at most.
pub const MAX_JOB_RANKS: i64 = 1 << 20;

/// The variables that this version reads, by name.
#[rustfmt::skip]
pub static VARS: &[Var] = &[
    var("GASNET_AMPOLL_MAX", Operations, Int(1, 1 << 16), Is("16"),
        "mpi, shmem: number of messages that one poll receives at most"),
    var("GASNET_BACKTRACE", Errors, Yes, Is("NO"), "print backtraces on fatal errors and signals"),
    var("GASNET_BACKTRACE_MT", Errors, Yes, Is("YES"), "include all threads in backtraces, if the mechanism supports it"),
    var("GASNET_BACKTRACE_NODES", Errors, Ranks, Is("*"), "ranks that print backtraces"),
    var("GASNET_BACKTRACE_SIGNAL", Errors, Text, Unset, "signal on which a rank prints a backtrace and continues"),
    var("GASNET_BACKTRACE_TYPE", Errors, Text, Computed("all that are available: the client's own, GDB, EXECINFO"),
        "mechanisms for backtraces, separated by commas, in the order in which they are tried"),
    var("GASNET_BARRIER", Operations, Choice(&["PSHM", "AMDISSEM", "AMCENTRAL", "DISSEM", "RDMADISSEM", "ALLREDUCE", "SHMEM", "PAMIDISSEM", "PAMIALLREDUCE"]), Is("PSHM"),
        "barrier algorithm: shared memory (PSHM; ranks that share none use dissemination, or a tree where they share cores), dissemination or a central counter over AMs (AMDISSEM, AMCENTRAL); DISSEM and RDMADISSEM select the fastest dissemination algorithm available; ALLREDUCE combines by the network's own all-reduce, where it has one, else as DISSEM; SHMEM the same by puts of conduit shmem; PAMIDISSEM and PAMIALLREDUCE are DISSEM and ALLREDUCE"),
    var("GASNET_BOOTSTRAP", Job, Choice(&["auto", "fork", "local", "launcher", "pmix", "pmi1", "pmi2", "slurm", "libpmi"]), Is("auto"),
        "how ranks are started and find each other: by the launcher that the environment shows, if there is one (auto), always by that launcher, also a job of one rank (launcher), without any launcher (fork), by the launcher of this protocol, or the one that the machine's PMI library knows (libpmi); local: each one separately, on this host, by a launcher or a test that sets GASNET_BOOTSTRAP_JOB, _RANK and _SIZE"),
    var("GASNET_BOOTSTRAP_HOSTS", Job, Choice(&["memory", "launcher"]), Is("memory"),
        "which ranks of a launcher are on one host; memory: those that can share it; launcher: only those that the launcher placed on one node, so that several nodes can be tried on one machine"),
    var("GASNET_BOOTSTRAP_JOB", Job, Text, Unset, "GASNET_BOOTSTRAP=local: secret name of the job, at least 16 characters"),
    var("GASNET_BOOTSTRAP_RANK", Job, Int(0, MAX_RANKS - 1), Unset, "GASNET_BOOTSTRAP=local: rank of this process"),
    var("GASNET_BOOTSTRAP_SIZE", Job, Int(1, MAX_RANKS), Unset, "GASNET_BOOTSTRAP=local: number of ranks of the job"),
    var("GASNET_CATCH_EXIT", Exit, Yes, Is("YES"), "end the job when a rank calls exit() or returns from main"),
    var("GASNET_CONDUIT", Job, Choice(&["smp", "udp", "mpi", "shmem", "ucx", "ofi", "loopback"]), Is("smp"),
        "network to use; the default is the conduit that the client was compiled for; loopback, for tests, connects ranks of one host that do not share memory (GASNET_SUPERNODE_MAXSIZE)"),
    var("GASNET_CSPAWN_CMD", Spawn, Text, Unset,
        "command that starts the job's processes (GASNET_SPAWNFN=C); %N is replaced by their number, %C by the command that each is to run, %D by the directory, %M by the hosts, %P by the program, %% by a percent sign; the command must pass its stdin to each process"),
    var("GASNET_CSPAWN_ROUTE_OUTPUT", Spawn, Yes, Computed("GASNET_ROUTE_OUTPUT"), "GASNET_ROUTE_OUTPUT for GASNET_SPAWNFN=C"),
    var("GASNET_CSPAWN_SERVERS", Spawn, Text, Unset, "hosts for %M of GASNET_CSPAWN_CMD"),
    var("GASNET_DEBUG", Errors, Yes, Is("NO"), "check every call for misuse, as in a client compiled with -DGASNET_DEBUG; but not the handler-safe locks of GASNET_SEQ clients"),
    var("GASNET_DISABLE_ARGDECODE", Job, Yes, Is("NO"), "do not decode %0XX escapes in the program's arguments"),
    var("GASNET_DISABLE_ENVDECODE", Job, Yes, Is("NO"), "do not decode %0XX escapes in the environment"),
    var("GASNET_ENV_CMD", Spawn, Text, Unset, "command that is prepended to the program on a host reached by ssh, such as: env NAME=value"),
    var("GASNET_EXITTIMEOUT", Exit, Float(0.0, MAX_SECONDS), Computed("min(MAX, MIN + FACTOR * ranks)"),
        "seconds that the other ranks have to leave when the job ends with a nonzero code; if it ends with code 0, a rank that has neither left nor computed for this time gets SIGQUIT"),
    var("GASNET_EXITTIMEOUT_FACTOR", Exit, Float(0.0, MAX_SECONDS), Is("0.1"), "seconds per rank in the default of GASNET_EXITTIMEOUT"),
    var("GASNET_EXITTIMEOUT_KILL", Exit, Float(0.0, MAX_SECONDS), Is("300"),
        "seconds after the end of a job with code 0 during which no rank is killed; a rank that still computes afterwards gets SIGQUIT, and is killed after another GASNET_EXITTIMEOUT"),
    var("GASNET_EXITTIMEOUT_MAX", Exit, Float(0.0, MAX_SECONDS), Is("5"), "maximum of the default of GASNET_EXITTIMEOUT, in seconds"),
    var("GASNET_EXITTIMEOUT_MIN", Exit, Float(0.0, MAX_SECONDS), Is("1"), "constant part of the default of GASNET_EXITTIMEOUT, in seconds"),
    var("GASNET_FAULT_RATE", Job, Float(0.0, 1.0), Is("0"), "udp: fraction of datagrams to drop, for tests; see GASNET_UDP_FAULTS"),
    var("GASNET_FIREHOSE_M", Memory, ValueType::Size(1 << 20), Computed("three quarters of the memory that may be pinned"),
        "ofi: memory of each rank that is registered for the transfers of its peers, at most, outside of segments; in MiB without a unit"),
    var("GASNET_FIREHOSE_MAXREGION_SIZE", Memory, ValueType::Size(1 << 20), Is("1MB"), "ofi: the longest piece of memory that is registered at once, outside of segments"),
    var("GASNET_FIREHOSE_MAXVICTIM_M", Memory, ValueType::Size(1 << 20), Computed("a quarter of the memory that may be pinned"),
        "ofi: memory of each rank that stays registered for its own transfers, at most, outside of segments; in MiB without a unit"),
    var("GASNET_FIREHOSE_R", Memory, Int(16, 1 << 30), Is("16384"), "ofi: pieces of memory that are registered at once, at most, outside of segments"),
    var("GASNET_FREEZE", Errors, Yes, Is("NO"), "every rank stops at init and waits for a debugger"),
    var("GASNET_FREEZE_ON_ERROR", Errors, Yes, Is("NO"), "wait for a debugger instead of dying of a fatal error or signal"),
    var("GASNET_FREEZE_SIGNAL", Errors, Text, Unset, "signal on which a rank stops and waits for a debugger"),
    var("GASNET_FS_SYNC", Exit, Yes, Is("NO"), "write out file systems (sync) at exit"),
    var("GASNET_HANG_ACTION", Errors, Choice(&["report", "abort"]), Is("report"),
        "action after the report of GASNET_HANG_TIMEOUT: report continues the job, abort ends it with code 1"),
    var("GASNET_HANG_TIMEOUT", Errors, Float(0.0, MAX_SECONDS), Is("0"),
        "the job prints a hang report when no rank has made progress for this number of seconds while a thread waits; 0 disables this"),
    var("GASNET_LABEL_OUTPUT", Spawn, Yes, Is("NO"), "prefix each line of output with the rank that wrote it"),
    var("GASNET_LINEBUFFERSZ", Spawn, Int(0, 1 << 20), Is("1024"),
        "longest line of output that is forwarded as a whole, in bytes; parts of longer lines may be mixed with other ranks' output; 0 forwards output as it arrives"),
    var("GASNET_MALLOCFILE", Errors, Text, Unset,
        "debug malloc: file for a report on the heap at exit; % is replaced by the rank; stdout, stderr and - (stderr) are streams"),
    var("GASNET_MALLOCNODES", Errors, Ranks, Is("*"), "ranks that write GASNET_MALLOCFILE"),
    var("GASNET_MALLOC_CLOBBER", Errors, Yes, Is("NO"), "debug malloc: fill blocks when they are freed"),
    var("GASNET_MALLOC_CLOBBERVAL", Errors, Fill, Is("NAN"), "value with which GASNET_MALLOC_CLOBBER fills"),
    var("GASNET_MALLOC_EXTRACHECK", Errors, Yes, Is("NO"), "debug malloc: check all blocks whenever one block would be checked"),
    var("GASNET_MALLOC_INIT", Errors, Yes, Is("NO"), "debug malloc: fill blocks when they are allocated"),
    var("GASNET_MALLOC_INITVAL", Errors, Fill, Is("NAN"), "value with which GASNET_MALLOC_INIT fills"),
    var("GASNET_MALLOC_LEAKALL", Errors, Yes, Is("NO"), "debug malloc: never return freed blocks to the heap"),
    var("GASNET_MALLOC_SCANFREED", Errors, Yes, Is("NO"),
        "debug malloc: detect writes to freed memory; implies GASNET_MALLOC_LEAKALL and GASNET_MALLOC_CLOBBER"),
    var("GASNET_MASTERIP", Spawn, Text, Computed("the address on the route to each host"),
        "address of this machine to which the hosts connect, or a network (10.1.0.0/16) that contains it"),
    var("GASNET_MAX_SEGSIZE", Memory, SegLimit, Is("0.85/H"),
        "largest segment, rounded up to a page: bytes (1.5GB) or a fraction of the memory (0.5, 1/2), per process (/P) or per host (/H); 0 is an error, values above the memory of the host are reduced to it"),
    var("GASNET_MAX_THREADS", Memory, Int(1, i64::MAX), Computed("256; 1 in SEQ mode"), "maximum number of threads of a rank that use the library"),
    var("GASNET_MPI_COLL_BYTES", Operations, ValueType::Size(1), Computed("broadcasts and reductions: 16 KiB; others: 0"),
        "mpi: size of a block from which on MPI executes collectives, where GASNET_USE_NATIVE_COLL allows it; the same on all ranks"),
    var("GASNET_MPI_FINALIZE", Exit, Yes, Is("YES"), "mpi: finalize MPI at the end of the job, if the program has not"),
    var("GASNET_MPI_LIB", Job, Text, Computed("the one that the program is linked to; else that of the launcher; else one that is found"),
        "mpi: the MPI library to use, a file: of Open MPI, of MPICH or Intel MPI, or of the MPI standard's ABI"),
    var("GASNET_MPI_RECEIVES", Operations, Choice(&["auto", "posted", "probed"]), Is("auto"),
        "mpi: messages go to persistent receives that are kept posted, or MPI_Improbe looks for them; auto: probed with MPICH 5 over UCX, whose posted receives from any source may never end"),
    var("GASNET_MPI_RMA", Operations, Choice(&["messages", "windows"]), Is("messages"),
        "mpi: gets from attached segments are messages of this library, or MPI_Rget from an MPI window (windows); the same on all ranks"),
    var("GASNET_MPI_SPAWNER", Job, Choice(&["mpi", "pmi", "pmix", "slurm"]), Computed("slurm in an allocation of Slurm, else mpi"),
        "the launcher by which gasnetrun_mpi starts jobs, as its option -spawner"),
    var("GASNET_MPI_THREAD", Job, Choice(&["auto", "SINGLE", "FUNNELED", "SERIALIZED", "MULTIPLE"]), Is("auto"),
        "mpi: thread level with which MPI is initialised, if the program has not; auto: SINGLE in SEQ mode; in the others MULTIPLE if the program itself is linked to MPI, else SERIALIZED. The library never calls MPI from two threads at once"),
    var("GASNET_NETWORKDEPTH", Operations, Int(1, 1 << 20), Computed("mpi, ucx, ofi: 1024; shmem: 64"),
        "mpi, ucx, ofi: number of requests to one rank that may be in flight; long ones count as several. shmem: slots of the queues of requests and of replies of each rank, a power of 2 up to 256. Other conduits bound bytes instead"),
    var("GASNET_NODEFILE", Spawn, Text, Unset, "same as GASNET_SSH_NODEFILE"),
    var("GASNET_NO_CATCH_SIGNAL", Exit, Text, Unset, "signals for which the library installs no handlers, separated by commas or blanks; * stands for all"),
    var("GASNET_OFI_BATCH", Operations, Choice(&["auto", "yes", "no"]), Is("auto"),
        "ofi: short messages to one rank share packets; auto: over providers tcp, net and udp"),
    var("GASNET_OFI_DEVICE", Job, Text, Computed("the one at the address of this host, where the provider has such"),
        "ofi: the provider's domain to use, a name as gasnet_info prints it"),
    var("GASNET_OFI_LIB", Job, Text, Computed("libfabric.so.1, where the loader has it"), "ofi: the libfabric to use, a file"),
    var("GASNET_OFI_MR", Memory, Choice(&["auto", "basic"]), Is("auto"),
        "ofi: registration of memory as the provider likes it, or as hardware usually demands it (FI_MR_BASIC), for tests"),
    var("GASNET_OFI_PROVIDER", Job, Text, Computed("the one that suits best; shm and udp only by this variable"),
        "ofi: libfabric's provider to use, as tcp;ofi_rxm; FI_PROVIDER, which libfabric reads, excludes others"),
    var("GASNET_OFI_RECEIVES", Operations, Choice(&["auto", "single"]), Is("auto"),
        "ofi: receives for many messages each, where the provider has them (but ofi_rxd, whose are unreliable), or for one each"),
    var("GASNET_OFI_SPAWNER", Spawn, Choice(&["local", "ssh", "command", "mpi", "pmi", "pmix", "slurm"]), Computed("GASNET_SPAWNFN; srun in an allocation of Slurm"),
        "program with which gasnetrun_ofi starts jobs, as its option -spawner"),
    var("GASNET_OFI_VERIFY", Errors, Yes, Is("NO"),
        "ofi: checks that all local memory is registered as it is named, counts messages, and delays completions, as the strictest network does; for tests"),
    var("GASNET_OFI_WAKE", Operations, Choice(&["auto", "yes", "no"]), Is("auto"),
        "ofi: the completion queue has a descriptor, by which messages wake ranks that sleep. no: polls cost less (over tcp a message takes 1 us less), and a rank that sleeps polls every 20 to 640 microseconds. auto: no descriptor where each rank of the host has a processor to itself, unless there is a receive thread (GASNET_RCV_THREAD)"),
    var("GASNET_PHYSMEM_MAX", Memory, ValueType::Size(1), Computed("GASNET_PHYSMEM_PINNABLE_RATIO of the host's memory, or of the memory limit of its control group"),
        "ofi: memory of a host that may be pinned outside of segments, at most"),
    var("GASNET_PHYSMEM_PINNABLE_RATIO", Memory, Float(0.0, 1.0), Is("0.7"), "ofi: part of a host's memory that may be pinned outside of segments"),
    var("GASNET_PLACEMENT", Spawn, Text, Is("block"),
        "assignment of ranks to hosts: block (the first host has the first ranks), cyclic (one rank to each host in turn) or plane=N (N ranks to each host in turn); the number of ranks per host is the same"),
    var("GASNET_PMIX_LIB", Job, Text, Unset, "the libpmix to open under a launcher of PMIx; by default libpmix.so.2, where the loader or the launcher's installation has it"),
    var("GASNET_PMI_LIB", Job, Text, Unset, "the PMI library to open with GASNET_BOOTSTRAP=libpmi; by default libpmi2.so.0 or libpmi.so.0"),
    var("GASNET_PSHM_NODES", Job, Int(0, MAX_RANKS), Is("0"), "number of processes of the job; 0 means 1"),
    var("GASNET_QUIET", Errors, Yes, Is("NO"), "print no warnings"),
    var("GASNET_RCV_THREAD", Operations, Yes, Is("NO"),
        "a thread of the library handles messages while no thread of the program does; programs in GASNET_PAR mode only"),
    var("GASNET_RCV_THREAD_IDLE", Operations, Int(0, 1_000_000_000), Is("0"), "nanoseconds without a message after which that thread sleeps"),
    var("GASNET_RCV_THREAD_RATE", Operations, Int(0, 1_000_000_000), Is("0"), "how many times a second that thread wakes up at most; 0: without limit"),
    var("GASNET_RMA", Operations, Choice(&["shared", "am"]), Is("shared"),
        "shared: put, get, memset and collectives use shared memory, CMA where memory is not mapped, and the network's own transfers; am: they use Active Messages (the reference path, for tests)"),
    var("GASNET_ROUTE_OUTPUT", Spawn, Yes, Is("YES"), "forward the output of ranks through the job's first process, line by line"),
    var("GASNET_SHIM_PATH", Job, Text, Computed("lib/gasnet beside the library, where it was installed, in /usr/local and in /usr"),
        "directories of the conduits' shims (conduit-NAME.so), separated by colons"),
    var("GASNET_SHMEM_DEBUGALLOC", Memory, Yes, Is("NO"), "shmem: each rank prints where its queues and its segment are, and where segments of others are mapped"),
    var("GASNET_SHMEM_LIB", Job, Text, Computed("the one that the program is linked to; else one that is found"),
        "shmem: the OpenSHMEM library to use, a file: of Open MPI or Sandia OpenSHMEM"),
    var("GASNET_SHMEM_PTR", Operations, Yes, Is("YES"),
        "shmem: memory of other ranks that the library maps (shmem_ptr) is accessed by the processor; NO: by calls of the library only"),
    var("GASNET_SHMEM_SPAWNER", Job, Choice(&["mpi", "pmi", "pmix", "slurm"]), Computed("slurm in an allocation of Slurm, else mpi, which is oshrun"),
        "the launcher by which gasnetrun_shmem starts jobs, as its option -spawner"),
    var("GASNET_SHM_BACKING", Memory, Choice(&["auto", "memfd", "posix", "sysv", "file", "hugetlbfs"]), Is("auto"),
        "kind of shared memory; auto uses the first kind that works"),
    var("GASNET_SHM_DIR", Memory, Text, Computed("GASNET_TMPDIR"), "directory for the files of GASNET_SHM_BACKING=file"),
    var("GASNET_SMP_SPAWNER", Job, Choice(&["fork", "mpi", "pmi", "pmix", "slurm"]), Is("fork"),
        "program with which gasnetrun_smp starts jobs, as its option -spawner; programs that are started without it use GASNET_BOOTSTRAP"),
    var("GASNET_SOCKETBUFFER_MAX", Job, ValueType::Size(1), Is("8MB"),
        "udp: requested size of a rank's send and receive socket buffers, each; limited by the kernel's net.core.wmem_max and rmem_max"),
    var("GASNET_SPAWNFN", Spawn, Choice(&["L", "S", "C"]), Computed("L; S if hosts are listed, C if a command is set"),
        "how processes are started: L on this machine, S by ssh, C by GASNET_CSPAWN_CMD"),
    var("GASNET_SPAWN_CONTROL", Job, Text, Unset, "the same as GASNET_BOOTSTRAP where that is not set; pmi is auto, and other spawners' names have no effect"),
    var("GASNET_SPAWN_TIMEOUT", Spawn, Float(0.1, MAX_SECONDS), Is("60"), "seconds within which every host must join the job"),
    var("GASNET_SPAWN_VERBOSE", Spawn, Yes, Is("NO"), "print the commands that are started and their hosts"),
    var("GASNET_SSH_CMD", Spawn, Text, Is("ssh"), "ssh program"),
    var("GASNET_SSH_NODEFILE", Spawn, Text, Unset, "file of hosts, one per line: name, or name:ranks, or name slots=ranks"),
    var("GASNET_SSH_OPTIONS", Spawn, Text, Unset, "options for ssh; they precede the library's own options, BatchMode=yes and ConnectTimeout=15"),
    var("GASNET_SSH_REMOTE_PATH", Spawn, Text, Computed("the working directory"), "directory of the program on hosts reached by ssh"),
    var("GASNET_SSH_SERVERS", Spawn, Text, Unset,
        "hosts, separated by commas or blanks: name, or name:ranks; if there are more ranks, their distribution continues with the first host"),
    var("GASNET_STATSFILE", Tracing, Text, Unset, "file for statistics of the job, written when it ends; % is replaced by the rank; stdout, stderr and - (stderr) are streams"),
    var("GASNET_STATSMASK", Tracing, Text, Is("^"), "categories in the statistics; format as for GASNET_TRACEMASK"),
    var("GASNET_STATSNODES", Tracing, Ranks, Is("*"), "ranks that report statistics"),
    var("GASNET_SUPERNODE_MAXSIZE", Memory, Int(0, i64::MAX), Is("0"),
        "maximum number of processes that share memory with each other; 0 means no limit; smp ignores it with a warning, since it has no network"),
    var("GASNET_TMPDIR", Errors, Text, Computed("TMPDIR, or /tmp"), "directory for temporary files"),
    var("GASNET_TRACEFILE", Tracing, Text, Unset, "file for a trace of calls, messages and handlers; % is replaced by the rank; stdout, stderr and - (stderr) are streams"),
    var("GASNET_TRACEFLUSH", Tracing, Yes, Is("NO"), "write each trace line at once instead of when a buffer is full or the job ends"),
    var("GASNET_TRACEFORMAT", Tracing, Choice(&["text", "chrome"]), Is("text"), "text: lines of text; chrome: JSON for Chrome and Perfetto"),
    var("GASNET_TRACELOCAL", Tracing, Yes, Is("YES"), "include puts and gets of a rank to itself in traces"),
    var("GASNET_TRACEMASK", Tracing, Text, Is("^"),
        "categories in the trace: G gets, P puts, R atomics, S synchronization, W collectives, X polls, B barriers, L locks, A messages, I information, O objects, C network, D data, N source lines, H output of the client; a leading ^ selects all others"),
    var("GASNET_TRACENODES", Tracing, Ranks, Is("*"), "ranks that write traces"),
    var("GASNET_TREE_DEGREE", Spawn, Int(0, 64), Computed("4 with more than 16 hosts, else 0"),
        "hosts below each host in the tree along which the values of the start are exchanged, by TCP; 0: through the job's first process"),
    var("GASNET_TSC_RATE", Tools, Text, Is("wallclock"),
        "rate of the time-stamp counter: wallclock (measured), cpuinfo, or a number in Hz"),
    var("GASNET_TSC_RATE_HARD_TOLERANCE", Tools, Float(0.0, 1.0), Is("0.02"), "relative error of the rate above which the job ends"),
    var("GASNET_TSC_RATE_TOLERANCE", Tools, Float(0.0, 1.0), Is("0.0005"), "relative error of the rate above which a warning is printed"),
    var("GASNET_TSC_VERBOSE", Tools, Yes, Is("NO"), "print how the rate was determined"),
    var("GASNET_UCX_ATOMICS", Operations, Yes, Is("YES"),
        "ucx: UCX executes atomics on integers where it does so correctly on all ranks, which is tried at the start; NO: they are executed by Active Messages"),
    var("GASNET_UCX_BATCH", Operations, Choice(&["auto", "yes", "no"]), Is("auto"),
        "ucx: short messages to one rank share packets; auto: where UCX uses tcp"),
    var("GASNET_UCX_LIB", Job, Text, Computed("the one that is in the process; else libucp.so.0, as the loader finds it"),
        "ucx: the UCX library to use, the file of its libucp; the same version on all ranks"),
    var("GASNET_UCX_SPAWNER", Spawn, Choice(&["local", "ssh", "command", "mpi", "pmi", "pmix", "slurm"]), Computed("GASNET_SPAWNFN; srun in an allocation of Slurm"),
        "the launcher by which gasnetrun_ucx starts jobs, as its option -spawner"),
    var("GASNET_UCX_WAKEUP", Operations, Yes, Is("YES"),
        "ucx: a rank that sleeps is woken by UCX's descriptor, where its transports have one; NO: it polls now and then"),
    var("GASNET_UDP_COUNTERS", Job, Yes, Is("NO"),
        "udp: at its end, each rank prints the numbers of datagrams that it sent, received and rejected, and the sources of rejected ones; the job's first process prints the number of connections that it rejected"),
    var("GASNET_UDP_ENCRYPT", Job, Yes, Is("NO"), "udp: encrypt datagrams in addition to authenticating them"),
    var("GASNET_UDP_FAULTS", Job, Text, Unset,
        "udp: inject faults for tests, such as loss=1%,dup=1%,reorder=5%,corrupt=0.1%,delay=10ms,seed=7"),
    var("GASNET_UDP_LOCAL_HOSTS", Spawn, Int(1, 4096), Is("1"), "treat this machine as this number of hosts (GASNET_SPAWNFN=L); for tests"),
    var("GASNET_UDP_PEER_TIMEOUT", Spawn, Float(0.1, MAX_SECONDS), Is("10"), "seconds of silence after which a host is considered dead"),
    var("GASNET_UDP_PORTS", Spawn, Text, Computed("any that is free"),
        "range of ports for a job, such as 5000-5999: one UDP port per rank and one more on each host, one TCP port on the machine of the job's first process, and with GASNET_TREE_DEGREE one on each host"),
    var("GASNET_UDP_SPAWNER", Spawn, Choice(&["local", "ssh", "command", "mpi", "pmi", "pmix", "slurm"]), Computed("GASNET_SPAWNFN; srun in an allocation of Slurm"),
        "program with which gasnetrun_udp starts jobs, as its option -spawner"),
    var("GASNET_UDP_WORKER", Spawn, Text, Unset, "set by the process that starts a job for the processes that it starts; not for users"),
    var("GASNET_USE_HUGEPAGES", Memory, Yes, Is("NO"), "with GASNET_SHM_BACKING=auto, try pages of 2 MiB first"),
    var("GASNET_USE_NATIVE_BROADCAST", Operations, Yes, Is("YES"), "let the network execute broadcasts, where GASNET_USE_NATIVE_COLL does"),
    var("GASNET_USE_NATIVE_COLL", Operations, Yes, Is("YES"), "let the network execute collectives, where it can and some members of the team share no memory; the other variables of this family exclude single kinds"),
    var("GASNET_USE_NATIVE_EXCHANGE", Operations, Yes, Is("YES"), "let the network execute exchanges (all to all), where GASNET_USE_NATIVE_COLL does"),
    var("GASNET_USE_NATIVE_GATHER", Operations, Yes, Is("YES"), "let the network execute gathers, where GASNET_USE_NATIVE_COLL does"),
    var("GASNET_USE_NATIVE_GATHERALL", Operations, Yes, Is("YES"), "let the network execute gathers to all, where GASNET_USE_NATIVE_COLL does"),
    var("GASNET_USE_NATIVE_REDUCE", Operations, Yes, Is("YES"), "let the network execute reductions, where GASNET_USE_NATIVE_COLL does"),
    var("GASNET_USE_NATIVE_SCATTER", Operations, Yes, Is("YES"), "let the network execute scatters, where GASNET_USE_NATIVE_COLL does"),
    var("GASNET_USE_PAMI_BROADCAST", Operations, Yes, Computed("GASNET_USE_NATIVE_BROADCAST"), "another name of GASNET_USE_NATIVE_BROADCAST"),
    var("GASNET_USE_PAMI_COLL", Operations, Yes, Computed("GASNET_USE_NATIVE_COLL"), "another name of GASNET_USE_NATIVE_COLL"),
    var("GASNET_USE_PAMI_EXCHANGE", Operations, Yes, Computed("GASNET_USE_NATIVE_EXCHANGE"), "another name of GASNET_USE_NATIVE_EXCHANGE"),
    var("GASNET_USE_PAMI_GATHER", Operations, Yes, Computed("GASNET_USE_NATIVE_GATHER"), "another name of GASNET_USE_NATIVE_GATHER"),
    var("GASNET_USE_PAMI_GATHERALL", Operations, Yes, Computed("GASNET_USE_NATIVE_GATHERALL"), "another name of GASNET_USE_NATIVE_GATHERALL"),
    var("GASNET_USE_PAMI_SCATTER", Operations, Yes, Computed("GASNET_USE_NATIVE_SCATTER"), "another name of GASNET_USE_NATIVE_SCATTER"),
    var("GASNET_VERBOSEENV", Job, Yes, Is("NO"), "print every variable that is looked up, and its value"),
    var("GASNET_VIS_AMPIPE", Operations, Yes, Is("YES"),
        "YES: pack non-contiguous transfers into messages if the target's memory is not mapped; NO: use a put or get for each contiguous piece"),
    var("GASNET_VIS_GET_MAXCHUNK", Operations, ValueType::Size(1), Computed("GASNET_VIS_MAXCHUNK"), "GASNET_VIS_MAXCHUNK for gets"),
    var("GASNET_VIS_MAXCHUNK", Operations, ValueType::Size(1), Computed("the largest Medium"),
        "maximum size of a message with a packed part of a non-contiguous transfer"),
    var("GASNET_VIS_PUT_MAXCHUNK", Operations, ValueType::Size(1), Computed("GASNET_VIS_MAXCHUNK"), "GASNET_VIS_MAXCHUNK for puts"),
    var("GASNET_VIS_REMOTECONTIG", Operations, Yes, Is("YES"),
        "if the remote side of a transfer is contiguous, pack or unpack locally and use one put or get"),
    var("GASNET_WAIT_SPIN_US", Operations, Int(0, 1_000_000_000), Is("1000"),
        "microseconds that a waiting rank polls before it sleeps until woken; where other programs want the cores it sleeps sooner, unless this exceeds 1000"),
    var("GASNET_WORKERIP", Spawn, Text, Computed("the address on the route to the job's first process"),
        "address of each host that its ranks use, or a network (10.1.0.0/16) that contains it"),
];

/// Families of variables: any name that begins with `name`.
#[rustfmt::skip]
pub(crate) static FAMILIES: &[Var] = &[
    var("GASNET_MAXIMIZE_RLIMIT_", Tools, Yes, Is("YES"),
        "when the client calls gasnett_maximize_rlimit, raise this soft limit (CPU, DATA, RSS, STACK, AS, MEMLOCK …) to the hard limit"),
];

/// Variables that are known but have no effect: they belong to other conduits, to later work, or to mechanisms that
/// this library does not have. A name that ends in `_` stands for all names that begin with it.
#[rustfmt::skip]
pub(crate) static WITHOUT_EFFECT: &[&str] = &[
        // The core: mechanisms that this library does not have.
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
    "GASNET_SSH_KEEPDUP", "GASNET_SSH_OUT_DEGREE", "GASNET_WORKER_RANK",
    // Other networks.
    "GASNET_AM_BUFFER_SIZE", "GASNET_AM_DOMAIN_POLL_MASK", "GASNET_AM_EVENT_QUEUE_LENGTH",
    "GASNET_AM_NUM_ENTRIES", "GASNET_AXIOM_", "GASNET_CHECKPOINT_", "GASNET_CONNECTFILE_", "GASNET_CONNECT_",
    "GASNET_DOMAIN_COUNT", "GASNET_EXTENDED_EVENT_QUEUE_LENGTH", "GASNET_FIREHOSE_", "GASNET_GNI_",
    "GASNET_HCA_ID", "GASNET_IBV_", "GASNET_INLINESEND_LIMIT", "GASNET_LONG_MSG_THRESHOLD",
    "GASNET_MXM_", "GASNET_NETWORKDEPTH_SPACE",
    "GASNET_NETWORKDEPTH_TOTAL", "GASNET_ODP_VERBOSE", "GASNET_OFI_", "GASNET_PAMI_", "GASNET_PHYSMEM_", "GASNET_PORT_NUM",
    "GASNET_PSM_ENABLE_SHM", "GASNET_RBUF_COUNT", "GASNET_RBUF_SPARES", "GASNET_RCV_THREAD_",
    "GASNET_RECVDEPTH", "GASNET_REGISTER_SEGMENT", "GASNET_REQUESTTIMEOUT_", "GASNET_SENDDEPTH",
    "GASNET_SND_THREAD", "GASNET_SND_THREAD_", "GASNET_SOCKETBUFFER_INITIAL", "GASNET_UCX_AM_ORDERED_TLS", "GASNET_UCX_MAX_MEDIUM",
    "GASNET_USE_CUDA_SYNC_MEMOPS", "GASNET_USE_FENCED_PUTS", "GASNET_USE_FIREHOSE", "GASNET_USE_HIP_SYNC_MEMOPS",
    "GASNET_USE_ODP", "GASNET_USE_SRQ", "GASNET_USE_UDREG", "GASNET_USE_XRC", "GASNET_VERBOSE_SEND",
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

/// Whether the variable is known but has no effect in this library. A prefix stands for the names that `VARS` lacks.
pub fn is_without_effect(name: &str) -> bool {
    let is_listed = || VARS.binary_search_by(|var| var.name.cmp(name)).is_ok();
    WITHOUT_EFFECT.iter().any(|&known| match known.ends_with('_') {
        true => name.len() > known.len() && name.starts_with(known) && !is_listed(),
        false => name == known,
    })
}
