#ifndef GASNETI_ABI_TOOLS_H
#define GASNETI_ABI_TOOLS_H

/* Generated from src/abi by 'make headers'. Edit the Rust source, not this file. */

#include <stddef.h>
#include <stdint.h>

/* Linkage, inlining and attributes for every header of this library. */
#ifndef GASNETI_INLINE
#define GASNETI_INLINE static __inline__
#define GASNETI_NORETURN __attribute__((__noreturn__))
#endif
#include <gasneti/ex_types.h>
struct gasnet_handlerentry_t;

/**
 * A signal handler, SIG_DFL or SIG_IGN.
 */
typedef void (*gasnett_sighandlerfn_t)(int sig);

/**
 * The signed value type of gasnett_atomic_t.
 */
typedef int32_t gasnett_atomic_sval_t;

/**
 * The value type of gasnett_atomic_t.
 */
typedef uint32_t gasnett_atomic_val_t;

/**
 * A 32-bit word for atomic operations.
 */
typedef struct gasnett_atomic32_t {
  uint32_t gasneti_word;
} gasnett_atomic32_t;

typedef struct gasnett_atomic32_t gasnett_atomic_t;

/**
 * A 64-bit word for atomic operations.
 */
typedef struct gasnett_atomic64_t {
  uint64_t gasneti_word;
} gasnett_atomic64_t;

/**
 * The result of gasnett_format_addrlist.
 */
typedef struct gasneti_addrlist_stats_t {
  void *minaddr;
  /**
   * The last byte of the highest block.
   */
  void *maxaddr;
} gasneti_addrlist_stats_t;

/**
 * The result of gasnett_format_memveclist.
 */
typedef struct gasneti_memveclist_stats_t {
  size_t minsz;
  size_t maxsz;
  size_t totalsz;
  void *minaddr;
  /**
   * The last byte of the highest block.
   */
  void *maxaddr;
} gasneti_memveclist_stats_t;

/**
 * The result of gasnett_getheapstats.
 */
typedef struct gasnett_heapstats_t {
  /**
   * Bytes that the program has allocated and not freed.
   */
  uint64_t live_bytes;
  /**
   * Bytes that the allocator holds and that are not in use.
   */
  uint64_t free_bytes;
  /**
   * Bytes that the allocator has obtained from the system.
   */
  uint64_t total_bytes;
  /**
   * Figures of gasnett_debug_malloc and related functions, if they are checked: currently allocated,
   */
  uint64_t debug_live_bytes;
  uint64_t debug_live_blocks;
  /**
   * the maximum of that,
   */
  uint64_t debug_peak_bytes;
  /**
   * and the total of all allocations.
   */
  uint64_t debug_allocated_bytes;
  uint64_t debug_allocated_blocks;
  uint64_t debug_freed_bytes;
  uint64_t debug_freed_blocks;
} gasnett_heapstats_t;

#if !defined(__aarch64__)
/**
 * A mutual-exclusion lock between the threads of a process: a pthread_mutex_t. Never recursive.
 */
typedef struct gasnett_mutex_t {
  uint64_t gasneti_words[5];
} gasnett_mutex_t;
#endif

#if defined(__aarch64__)
/**
 * A mutual-exclusion lock between the threads of a process: a pthread_mutex_t. Never recursive.
 */
typedef struct gasnett_mutex_t {
  uint64_t gasneti_words[6];
} gasnett_mutex_t;
#endif

/**
 * A condition variable: a pthread_cond_t.
 */
typedef struct gasnett_cond_t {
  uint64_t gasneti_words[6];
} gasnett_cond_t;

/**
 * A reader/writer lock between the threads of a process: a pthread_rwlock_t. Never recursive.
 */
typedef struct gasnett_rwlock_t {
  uint64_t gasneti_words[7];
} gasnett_rwlock_t;

typedef struct gasnett_atomic32_t gasnett_strongatomic_t;

typedef struct gasnett_atomic32_t gasnett_strongatomic32_t;

typedef struct gasnett_atomic64_t gasnett_strongatomic64_t;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Returns the number of processors that this process may use: the number in its affinity mask, or fewer if the
 * quota of its control group is smaller; 0 if unknown.
 *
 * Source: GASNet tools 1.20, "System properties".
 */
int gasnett_cpu_count(void);

/**
 * Returns the size of this machine's memory, in bytes. If it cannot be determined, returns 0, or ends the job if
 * 'failureIsFatal' is nonzero.
 *
 * Source: GASNet tools 1.20, "System properties".
 */
uint64_t gasnett_getPhysMemSz(int failureIsFatal);

/**
 * Returns this machine's name, as gethostname() gives it.
 *
 * Source: GASNet tools 1.20, "System properties".
 */
const char *gasnett_gethostname(void);

/**
 * Returns 1: the least significant byte of a number has the lowest address.
 */
int gasnett_isLittleEndian(void);

/**
 * Returns the library's release as one increasing number: major * 1000000 + minor * 10000 + patch.
 */
uint64_t gasnett_release_version(void);

/**
 * Returns the library's release as text.
 */
const char *gasnett_release_version_str(void);

/**
 * Pins the calling thread to processor number 'rank', modulo their number, of the processors that the process may
 * use.
 *
 * Returns 0 on success.
 *
 * Source: GASNet tools 1.20, "Miscellaneous tools".
 */
int gasnett_set_affinity(int rank);

/**
 * Yields the processor to another thread that is ready to run.
 */
void gasnett_sched_yield(void);

/**
 * Flushes stdout and stderr. Errors are ignored.
 */
void gasnett_flush_streams(void);

/**
 * Flushes and closes stdin, stdout and stderr. Errors are ignored.
 */
void gasnett_close_streams(void);

/**
 * Ends this process and its threads at once, without running atexit() functions.
 *
 * Source: GASNet tools 1.20, "Miscellaneous tools".
 */
void gasnett_killmyprocess(int exitcode) GASNETI_NORETURN;

/**
 * Registers 'fp' as handler of signal 'sigtocatch' and returns the previous handler. Interrupted calls restart.
 *
 * Source: GASNet tools 1.20, "Miscellaneous tools".
 *
 * The caller sees to it that:
 * 'fp' is SIG_DFL, SIG_IGN, or a function that is safe to run at any point of the program.
 */
gasnett_sighandlerfn_t gasnett_reghandler(int sigtocatch,
                                          gasnett_sighandlerfn_t fp);

/**
 * Returns the name of a signal, such as SIGSEGV, or NULL if there is no such signal.
 */
const char *gasnett_signame_fromval(int sigval);

/**
 * Raises the soft limit 'res' (RLIMIT_CPU, ...) to the hard limit, unless the environment contains
 * GASNET_MAXIMIZE_'lim_desc'=no.
 *
 * Returns nonzero if the soft limit now equals the hard limit, or is not to be changed.
 *
 * Source: GASNet tools 1.20, "Miscellaneous tools".
 *
 * The caller sees to it that:
 * 'lim_desc' is a string, such as "RLIMIT_CPU".
 */
int gasnett_maximize_rlimit(int res, const char *lim_desc);

/**
 * Raises the soft limits on processor time and on memory to the hard limits; see gasnett_maximize_rlimit.
 *
 * Returns nonzero if it succeeded for all of them.
 */
int gasnett_maximize_rlimits(void);

/**
 * Maps 'segsize' bytes of zero-filled, page-aligned memory; ends the job if there is not enough memory.
 */
void *gasnett_mmap(size_t segsize);

/**
 * Allocates 'sz' bytes at a multiple of 'align', a power of two; to be released with free(). Ends the job if there
 * is not enough memory.
 */
void *gasneti_malloc_aligned(size_t align,
                             size_t sz);

/**
 * Copies at most 'n' bytes of string 's' to memory from malloc(), and appends a zero byte.
 *
 * The caller sees to it that:
 * 's' is a string, or has 'n' bytes.
 */
char *gasneti_strndup(const char *s, size_t n);

/**
 * Returns 'function() at file:line' in memory from malloc().
 *
 * The caller sees to it that:
 * 'function' and 'file' are strings.
 */
char *gasneti_current_loc(const char *function, const char *file, uint32_t line);

/**
 * Returns a 64-bit checksum of 'numbytes' bytes: fast, not secure, the same within one run.
 *
 * Source: GASNet tools 1.20, "Miscellaneous tools".
 *
 * The caller sees to it that:
 * 'p' has 'numbytes' readable bytes.
 */
uint64_t gasnett_checksum(const void *p, int numbytes);

/**
 * Returns the number of zero bytes among the four bytes of 'x'.
 */
int gasnett_count0s_uint32_t(uint32_t x);

/**
 * Returns the number of zero bytes among the eight bytes of 'x'.
 */
int gasnett_count0s_uint64_t(uint64_t x);

/**
 * Returns the number of zero bytes in 'x'.
 */
int gasnett_count0s_uintptr_t(size_t x);

/**
 * Returns the number of zero bytes among 'numbytes' bytes.
 *
 * The caller sees to it that:
 * 'p' has 'numbytes' readable bytes.
 */
size_t gasnett_count0s(const void *p, size_t numbytes);

/**
 * Copies 'numbytes' bytes from 'src' to 'dst', as memcpy, and returns the number of zero bytes among them.
 *
 * The caller sees to it that:
 * 'src' has 'numbytes' readable bytes and 'dst' as many writable ones; they do not overlap.
 */
size_t gasnett_count0s_copy(void *dst, const void *src, size_t numbytes);

/**
 * A value read from a gasnett_atomic_t, signed.
 */
gasnett_atomic_sval_t gasnett_atomic_signed(gasnett_atomic_val_t v);

/**
 * Stores 'v' in '*p'.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
void gasnett_atomic_set(gasnett_atomic_t *p, gasnett_atomic_val_t v, int flags);

/**
 * Returns '*p'.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
gasnett_atomic_val_t gasnett_atomic_read(gasnett_atomic_t *p, int flags);

/**
 * Adds 1 to '*p'.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
void gasnett_atomic_increment(gasnett_atomic_t *p, int flags);

/**
 * Subtracts 1 from '*p'.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
void gasnett_atomic_decrement(gasnett_atomic_t *p, int flags);

/**
 * Subtracts 1 from '*p'; returns nonzero if the result is 0.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
int gasnett_atomic_decrement_and_test(gasnett_atomic_t *p, int flags);

/**
 * Adds 'op' to '*p' and returns the sum; it wraps around.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
gasnett_atomic_val_t gasnett_atomic_add(gasnett_atomic_t *p, gasnett_atomic_val_t op, int flags);

/**
 * Subtracts 'op' from '*p' and returns the difference; it wraps around.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
gasnett_atomic_val_t gasnett_atomic_subtract(gasnett_atomic_t *p, gasnett_atomic_val_t op, int flags);

/**
 * Stores 'newval' in '*p' if '*p' equals 'oldval'; returns nonzero if it did.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
int gasnett_atomic_compare_and_swap(gasnett_atomic_t *p,
                                    gasnett_atomic_val_t oldval,
                                    gasnett_atomic_val_t newval,
                                    int flags);

/**
 * Stores 'newval' in '*p' and returns the previous value.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
gasnett_atomic_val_t gasnett_atomic_swap(gasnett_atomic_t *p, gasnett_atomic_val_t newval, int flags);

/**
 * Stores 'v' in '*p'.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
void gasnett_atomic32_set(struct gasnett_atomic32_t *p, uint32_t v, int flags);

/**
 * Returns '*p'.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
uint32_t gasnett_atomic32_read(struct gasnett_atomic32_t *p, int flags);

/**
 * Adds 1 to '*p'.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
void gasnett_atomic32_increment(struct gasnett_atomic32_t *p, int flags);

/**
 * Subtracts 1 from '*p'.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
void gasnett_atomic32_decrement(struct gasnett_atomic32_t *p, int flags);

/**
 * Subtracts 1 from '*p'; returns nonzero if the result is 0.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
int gasnett_atomic32_decrement_and_test(struct gasnett_atomic32_t *p, int flags);

/**
 * Adds 'op' to '*p' and returns the sum; it wraps around.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
uint32_t gasnett_atomic32_add(struct gasnett_atomic32_t *p, uint32_t op, int flags);

/**
 * Subtracts 'op' from '*p' and returns the difference; it wraps around.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
uint32_t gasnett_atomic32_subtract(struct gasnett_atomic32_t *p, uint32_t op, int flags);

/**
 * Stores 'newval' in '*p' if '*p' equals 'oldval'; returns nonzero if it did.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
int gasnett_atomic32_compare_and_swap(struct gasnett_atomic32_t *p,
                                      uint32_t oldval,
                                      uint32_t newval,
                                      int flags);

/**
 * Stores 'newval' in '*p' and returns the previous value.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
uint32_t gasnett_atomic32_swap(struct gasnett_atomic32_t *p, uint32_t newval, int flags);

/**
 * Stores 'v' in '*p'.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
void gasnett_atomic64_set(struct gasnett_atomic64_t *p, uint64_t v, int flags);

/**
 * Returns '*p'.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
uint64_t gasnett_atomic64_read(struct gasnett_atomic64_t *p, int flags);

/**
 * Adds 1 to '*p'.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
void gasnett_atomic64_increment(struct gasnett_atomic64_t *p, int flags);

/**
 * Subtracts 1 from '*p'.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
void gasnett_atomic64_decrement(struct gasnett_atomic64_t *p, int flags);

/**
 * Subtracts 1 from '*p'; returns nonzero if the result is 0.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
int gasnett_atomic64_decrement_and_test(struct gasnett_atomic64_t *p, int flags);

/**
 * Adds 'op' to '*p' and returns the sum; it wraps around.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
uint64_t gasnett_atomic64_add(struct gasnett_atomic64_t *p, uint64_t op, int flags);

/**
 * Subtracts 'op' from '*p' and returns the difference; it wraps around.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
uint64_t gasnett_atomic64_subtract(struct gasnett_atomic64_t *p, uint64_t op, int flags);

/**
 * Stores 'newval' in '*p' if '*p' equals 'oldval'; returns nonzero if it did.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
int gasnett_atomic64_compare_and_swap(struct gasnett_atomic64_t *p,
                                      uint64_t oldval,
                                      uint64_t newval,
                                      int flags);

/**
 * Stores 'newval' in '*p' and returns the previous value.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
uint64_t gasnett_atomic64_swap(struct gasnett_atomic64_t *p, uint64_t newval, int flags);

/**
 * Returns the value of a variable of the job's environment, or NULL if it is not set.
 *
 * May be called before 'gasnet_init'. Escapes that a launcher added are decoded. Not reported under
 * 'GASNET_VERBOSEENV'. The string must not be changed, and is valid until the variable is set again.
 *
 * Source: GASNet tools 1.20, "Environment utilities".
 *
 * The caller sees to it that:
 * 'keyname' is a string.
 */
char *gasnett_getenv(const char *keyname);

/**
 * Returns the value of a variable, or 'defaultval' if it is not set; reported under 'GASNET_VERBOSEENV'.
 *
 * Source: GASNet tools 1.20, "Environment utilities".
 *
 * The caller sees to it that:
 * 'keyname' is a string, and so is 'defaultval' unless it is NULL.
 */
char *gasnett_getenv_withdefault(const char *keyname, const char *defaultval);

/**
 * Returns 1 if the value of a variable is 'Y', 'YES' or '1', 0 if it is 'N', 'NO' or '0' (in any case),
 * 'defaultval' if it is not set. Reported under 'GASNET_VERBOSEENV'.
 *
 * Any other value is a fatal error.
 *
 * Source: GASNet tools 1.20, "Environment utilities".
 *
 * The caller sees to it that:
 * 'keyname' is a string.
 */
int gasnett_getenv_yesno_withdefault(const char *keyname, int defaultval);

/**
 * Returns the integer value of a variable, or 'defaultval' if it is not set; reported under 'GASNET_VERBOSEENV'.
 *
 * With 'mem_size_multiplier' 0 the value is an integer, decimal or '0x' hexadecimal. Otherwise it is a memory size,
 * which may be a decimal fraction, with an optional unit 'B KB MB GB TB PB'; the default unit is
 * 'mem_size_multiplier' bytes. A hexadecimal value without a sign may use all 64 bits: '0xffffffffffffffff' is -1.
 *
 * Any other value is a fatal error.
 *
 * Source: GASNet tools 1.20, "Environment utilities".
 *
 * The caller sees to it that:
 * 'keyname' is a string.
 */
int64_t gasnett_getenv_int_withdefault(const char *keyname,
                                       int64_t defaultval,
                                       uint64_t mem_size_multiplier);

/**
 * Returns the value of a variable, a floating-point number or fraction 'a/b', or 'defaultval' if it is not set;
 * reported under 'GASNET_VERBOSEENV'.
 *
 * Any other value is a fatal error.
 *
 * Source: GASNet tools 1.20, "Environment utilities".
 *
 * The caller sees to it that:
 * 'keyname' is a string.
 */
double gasnett_getenv_dbl_withdefault(const char *keyname,
                                      double defaultval);

/**
 * Sets a variable in the environment of this process only.
 *
 * Not to be called while another thread reads the environment.
 *
 * Source: GASNet tools 1.20, "Environment utilities".
 *
 * The caller sees to it that:
 * Both are strings; 'key' is not empty and has no '='.
 */
void gasnett_setenv(const char *key, const char *value);

/**
 * Removes a variable from the environment of this process only.
 *
 * Source: GASNet tools 1.20, "Environment utilities".
 *
 * The caller sees to it that:
 * 'key' is a string, not empty, without '='.
 */
void gasnett_unsetenv(const char *key);

/**
 * Reads a number from a string: an integer if 'mem_size_multiplier' is 0, otherwise a memory size (see
 * 'gasnett_getenv_int_withdefault').
 *
 * If the string is not such a number, a warning is printed, and the result is that of the longest valid prefix, or
 * 0; numbers that do not fit into 64 bits saturate.
 *
 * Source: GASNet tools 1.20, "Environment utilities".
 *
 * The caller sees to it that:
 * 'str' is a string.
 */
int64_t gasnett_parse_int(const char *str,
                          uint64_t mem_size_multiplier);

/**
 * Formats 'val' in 'buf': a memory size with the largest unit that represents it exactly, or a plain number. The
 * text is truncated to 'bufsz' bytes. Returns 'buf'.
 *
 * Source: GASNet tools 1.20, "Environment utilities".
 *
 * The caller sees to it that:
 * 'buf' has 'bufsz' writable bytes.
 */
char *gasnett_format_number(int64_t val,
                            char *buf,
                            size_t bufsz,
                            int is_mem_size);

/**
 * Returns nonzero if this process reports environment settings ('GASNET_VERBOSEENV', rank 0). May change during init.
 *
 * Source: GASNet tools 1.20, "Environment utilities".
 */
int gasnett_verboseenv(void);

/**
 * Reports an integer setting if 'gasnett_verboseenv()'.
 *
 * Source: GASNet tools 1.20, "Environment utilities".
 *
 * The caller sees to it that:
 * 'key' is a string.
 */
void gasnett_envint_display(const char *key, int64_t val, int is_dflt, int is_mem_size);

/**
 * Reports a text setting if 'gasnett_verboseenv()'.
 *
 * Source: GASNet tools 1.20, "Environment utilities".
 *
 * The caller sees to it that:
 * 'key' is a string, and so is 'val' unless it is NULL.
 */
void gasnett_envstr_display(const char *key, const char *val, int is_dflt);

/**
 * Reports a floating-point setting if 'gasnett_verboseenv()'.
 *
 * Source: GASNet tools 1.20, "Environment utilities".
 *
 * The caller sees to it that:
 * 'key' is a string.
 */
void gasnett_envdbl_display(const char *key, double val, int is_dflt);

/**
 * Returns a description of settings that reduce performance, for a benchmark's log; the empty string if there are
 * none.
 *
 * Source: GASNet tools 1.20, "Performance warnings".
 */
const char *gasnett_performance_warning_str(void);

/**
 * Called by 'gasnett_freezeForDebuggerNow' of abi/c/printf.c.
 *
 * The caller sees to it that:
 * 'flag' points to an int; 'name' is a string.
 */
void gasneti_freeze(int *flag, const char *name);

/**
 * Stops the process for a debugger if the user set 'GASNET_FREEZE_ON_ERROR'.
 *
 * Source: GASNet tools 1.20, "Backtracing and debugger attach".
 */
void gasnett_freezeForDebuggerErr(void);

/**
 * Initialises backtraces. To be called early, with argv[0], and again after changes of the variables for
 * backtraces.
 *
 * Source: GASNet tools 1.20, "Backtracing and debugger attach".
 *
 * The caller sees to it that:
 * 'exename' is a string, or NULL.
 */
void gasnett_backtrace_init(const char *exename);

/**
 * Writes a backtrace to descriptor 'fd', using the first mechanism of 'GASNET_BACKTRACE_TYPE' that succeeds.
 *
 * Returns 0 if one succeeded.
 *
 * Source: GASNet tools 1.20, "Backtracing and debugger attach".
 */
int gasnett_print_backtrace(int fd);

/**
 * The initial value of 'gasnett_print_backtrace_ifenabled'.
 */
int gasneti_default_print_backtrace_ifenabled(int fd);

/**
 * Returns the path of this program.
 *
 * Source: GASNet tools 1.20, "Backtracing and debugger attach".
 */
const char *gasnett_exe_name(void);

/**
 * Called by the functions of abi/c/printf.c after formatting.
 *
 * The caller sees to it that:
 * 'message' is a string.
 */
void gasneti_fatal_text(const char *message, int with_place) GASNETI_NORETURN;

/**
 * Returns the size of a buffer for gasnett_format_addrlist.
 */
size_t gasnett_format_addrlist_bufsz(size_t count);

/**
 * Writes the 'count' addresses of blocks of 'len' bytes to 'buf' as text.
 *
 * The caller sees to it that:
 * 'list' has 'count' entries, 'buf' gasnett_format_addrlist_bufsz(count) bytes.
 */
struct gasneti_addrlist_stats_t gasnett_format_addrlist(char *buf,
                                                        size_t count,
                                                        void *const *list,
                                                        size_t len);

/**
 * Returns the size of a buffer for gasnett_format_memveclist.
 */
size_t gasnett_format_memveclist_bufsz(size_t count);

/**
 * Writes 'count' pairs of address and length (gasnet_memvec_t, gex_Memvec_t) to 'buf' as text.
 *
 * The caller sees to it that:
 * 'list' has 'count' pairs, 'buf' gasnett_format_memveclist_bufsz(count) bytes.
 */
struct gasneti_memveclist_stats_t gasnett_format_memveclist(char *buf, size_t count, const void *list);

/**
 * Returns the size of a buffer for gasnett_format_putvgetv.
 */
size_t gasnett_format_putvgetv_bufsz(size_t dstcount, size_t srccount);

/**
 * Writes the arguments of a vector transfer to 'buf' as text; returns the bytes written.
 *
 * The caller sees to it that:
 * The lists have as many pairs as their counts say, 'buf' gasnett_format_putvgetv_bufsz() bytes.
 */
size_t gasnett_format_putvgetv(char *buf,
                               const void *_tm,
                               uint32_t rank,
                               size_t dstcount,
                               const void *dstlist,
                               size_t srccount,
                               const void *srclist);

/**
 * Returns the size of a buffer for gasnett_format_putigeti.
 */
size_t gasnett_format_putigeti_bufsz(size_t dstcount, size_t srccount);

/**
 * Writes the arguments of an indexed transfer to 'buf' as text; returns the bytes written.
 *
 * The caller sees to it that:
 * The lists have as many addresses as their counts say, 'buf' gasnett_format_putigeti_bufsz() bytes.
 */
size_t gasnett_format_putigeti(char *buf,
                               const void *_tm,
                               uint32_t rank,
                               size_t dstcount,
                               void *const *dstlist,
                               size_t dstlen,
                               size_t srccount,
                               void *const *srclist,
                               size_t srclen);

/**
 * Returns the size of a buffer for gasnett_format_strides.
 */
size_t gasnett_format_strides_bufsz(size_t count);

/**
 * Writes 'count' strides to 'buf' as text.
 *
 * The caller sees to it that:
 * 'list' has 'count' entries, 'buf' gasnett_format_strides_bufsz(count) bytes.
 */
void gasnett_format_strides(char *buf, size_t count, const ptrdiff_t *list);

/**
 * Returns the size of a buffer for gasnett_format_putsgets.
 */
size_t gasnett_format_putsgets_bufsz(size_t stridelevels);

/**
 * Writes the arguments of an EX strided transfer to 'buf' as text; returns the bytes written.
 *
 * The caller sees to it that:
 * The lists have 'stridelevels' entries, 'buf' gasnett_format_putsgets_bufsz(stridelevels) bytes.
 */
size_t gasnett_format_putsgets(char *buf,
                               void *_pstats,
                               const void *_tm,
                               uint32_t rank,
                               void *dstaddr,
                               const ptrdiff_t *dststrides,
                               void *srcaddr,
                               const ptrdiff_t *srcstrides,
                               size_t elemsz,
                               const size_t *count,
                               size_t stridelevels);

/**
 * Writes the arguments of a GASNet-1 strided transfer to 'buf' as text; returns the bytes written.
 *
 * The caller sees to it that:
 * The strides have 'stridelevels' entries and 'count' one more; 'buf' has
 * gasnett_format_putsgets_bufsz(stridelevels) bytes.
 */
size_t gasneti_format_strided(char *buf,
                              void *_pstats,
                              uint32_t node,
                              void *dstaddr,
                              const size_t *dststrides,
                              void *srcaddr,
                              const size_t *srcstrides,
                              const size_t *count,
                              size_t stridelevels);

/**
 * Writes the name of a gex_DT_t to 'buf', unless that is NULL; returns the number of bytes that the text needs.
 *
 * The caller sees to it that:
 * 'buf' is NULL or has as many bytes as a call with NULL returns.
 */
size_t gasnett_format_dt(char *buf,
                         uint32_t dt);

/**
 * Writes the name of a gex_OP_t to 'buf', unless that is NULL; returns the number of bytes that the text needs.
 *
 * The caller sees to it that:
 * 'buf' is NULL or has as many bytes as a call with NULL returns.
 */
size_t gasnett_format_op(char *buf,
                         uint32_t op);

/**
 * Writes the name of a gex_TI_t to 'buf', unless that is NULL; returns the number of bytes that the text needs.
 *
 * The caller sees to it that:
 * 'buf' is NULL or has as many bytes as a call with NULL returns.
 */
size_t gasnett_format_ti(char *buf,
                         uint32_t ti);

/**
 * gasnett_debug_malloc: as malloc(), with guards around the block.
 *
 * The caller sees to it that:
 * 'file' is a string literal.
 */
void *gasneti_debug_malloc(size_t sz, const char *file, uint32_t line);

/**
 * gasnett_debug_calloc: as calloc(), with guards around the block.
 *
 * The caller sees to it that:
 * 'file' is a string literal.
 */
void *gasneti_debug_calloc(size_t n, size_t sz, const char *file, uint32_t line);

/**
 * gasnett_debug_realloc: as realloc(); the block always moves.
 *
 * The caller sees to it that:
 * 'file' is a string literal.
 */
void *gasneti_debug_realloc(void *ptr, size_t sz, const char *file, uint32_t line);

/**
 * gasnett_debug_free: ends the job if 'ptr' is not a block, was freed before, or was overrun. NULL is ignored.
 *
 * The caller sees to it that:
 * 'file' is a string literal.
 */
void gasneti_debug_free(void *ptr,
                        const char *file,
                        uint32_t line);

/**
 * gasnett_debug_strndup: as strndup(); gasnett_debug_strdup with the largest 'n'.
 *
 * The caller sees to it that:
 * 'file' is a string literal; 's' is a string, or has 'n' bytes.
 */
char *gasneti_debug_strndup(const char *s, size_t n, const char *file, uint32_t line);

/**
 * gasnett_debug_memcheck: ends the job if 'ptr' is not an allocated block, or was overrun. NULL is ignored.
 *
 * The caller sees to it that:
 * 'file' is a string literal.
 */
void gasneti_debug_memcheck(const void *ptr, const char *file, uint32_t line);

/**
 * gasnett_debug_memcheck_one: as gasnett_debug_memcheck, for one block, each time the next.
 *
 * The caller sees to it that:
 * 'file' is a string literal.
 */
void gasneti_debug_memcheck_one(const char *file, uint32_t line);

/**
 * gasnett_debug_memcheck_all: as gasnett_debug_memcheck, for all blocks, and for freed ones if
 * GASNET_MALLOC_SCANFREED.
 *
 * The caller sees to it that:
 * 'file' is a string literal.
 */
void gasneti_debug_memcheck_all(const char *file, uint32_t line);

/**
 * Fills '*pstat' with figures of the C library's heap, and of the checked heap.
 *
 * The caller sees to it that:
 * 'pstat' points to one.
 */
void gasneti_getheapstats(struct gasnett_heapstats_t *pstat);

/**
 * Writes the checked heap's report to the stream 'f', or to stderr if that is NULL.
 *
 * The caller sees to it that:
 * 'f' is an open stream or NULL.
 */
void gasneti_heapinfo_dump(void *f);

/**
 * Initialises a mutex at 'pl', unlocked.
 *
 * The caller sees to it that:
 * 'pl' points to memory for one.
 */
void gasnett_mutex_init(struct gasnett_mutex_t *pl);

/**
 * Destroys a mutex that is not held.
 *
 * The caller sees to it that:
 * 'pl' points to an initialised mutex.
 */
void gasnett_mutex_destroy(struct gasnett_mutex_t *pl);

/**
 * Destroys a mutex, held or not; returns the result of pthread_mutex_destroy.
 *
 * The caller sees to it that:
 * 'pl' points to an initialised mutex.
 */
int gasnett_mutex_destroy_ignoreerr(struct gasnett_mutex_t *pl);

/**
 * Acquires a mutex; waits while another thread holds it. Not recursive.
 *
 * The caller sees to it that:
 * 'pl' points to an initialised mutex.
 */
void gasnett_mutex_lock(struct gasnett_mutex_t *pl);

/**
 * Acquires a mutex if it is free: returns 0, else EBUSY.
 *
 * The caller sees to it that:
 * 'pl' points to an initialised mutex.
 */
int gasnett_mutex_trylock(struct gasnett_mutex_t *pl);

/**
 * Releases a mutex that this thread holds.
 *
 * The caller sees to it that:
 * 'pl' points to an initialised mutex.
 */
void gasnett_mutex_unlock(struct gasnett_mutex_t *pl);

/**
 * In debug clients, ends the job unless this thread holds the mutex; elsewhere does nothing.
 */
void gasnett_mutex_assertlocked(struct gasnett_mutex_t *_pl);

/**
 * In debug clients, ends the job unless this thread does not hold the mutex; elsewhere does nothing.
 */
void gasnett_mutex_assertunlocked(struct gasnett_mutex_t *_pl);

/**
 * Initialises a condition variable at 'pc'.
 *
 * The caller sees to it that:
 * 'pc' points to memory for one.
 */
void gasnett_cond_init(struct gasnett_cond_t *pc);

/**
 * Destroys a condition variable on which no thread waits.
 *
 * The caller sees to it that:
 * 'pc' points to an initialised condition variable.
 */
void gasnett_cond_destroy(struct gasnett_cond_t *pc);

/**
 * Wakes at least one thread that waits. The caller holds the mutex that the waiters used.
 *
 * The caller sees to it that:
 * 'pc' points to an initialised condition variable.
 */
void gasnett_cond_signal(struct gasnett_cond_t *pc);

/**
 * Wakes all threads that wait. The caller holds the mutex that the waiters used.
 *
 * The caller sees to it that:
 * 'pc' points to an initialised condition variable.
 */
void gasnett_cond_broadcast(struct gasnett_cond_t *pc);

/**
 * Releases the mutex, waits, without polling the network, until woken (wake-ups may be spurious), and acquires the
 * mutex again.
 *
 * The caller sees to it that:
 * 'pc' and 'pl' are initialised, and this thread holds 'pl'.
 */
void gasnett_cond_wait(struct gasnett_cond_t *pc,
                       struct gasnett_mutex_t *pl);

/**
 * Initialises a reader/writer lock at 'pl', unlocked.
 *
 * The caller sees to it that:
 * 'pl' points to memory for one.
 */
void gasnett_rwlock_init(struct gasnett_rwlock_t *pl);

/**
 * Destroys a lock that is not held.
 *
 * The caller sees to it that:
 * 'pl' points to an initialised lock.
 */
void gasnett_rwlock_destroy(struct gasnett_rwlock_t *pl);

/**
 * Acquires the lock for reading, shared with other readers; waits while a writer holds it.
 *
 * The caller sees to it that:
 * 'pl' points to an initialised lock.
 */
void gasnett_rwlock_rdlock(struct gasnett_rwlock_t *pl);

/**
 * Acquires the lock for writing; waits while another thread holds it.
 *
 * The caller sees to it that:
 * 'pl' points to an initialised lock.
 */
void gasnett_rwlock_wrlock(struct gasnett_rwlock_t *pl);

/**
 * Releases a lock that this thread holds for reading or writing.
 *
 * The caller sees to it that:
 * 'pl' points to an initialised lock.
 */
void gasnett_rwlock_unlock(struct gasnett_rwlock_t *pl);

/**
 * Acquires the lock for reading if that is possible without waiting: returns 0, else EBUSY or EAGAIN.
 *
 * The caller sees to it that:
 * 'pl' points to an initialised lock.
 */
int gasnett_rwlock_tryrdlock(struct gasnett_rwlock_t *pl);

/**
 * Acquires the lock for writing if that is possible without waiting: returns 0, else EBUSY.
 *
 * The caller sees to it that:
 * 'pl' points to an initialised lock.
 */
int gasnett_rwlock_trywrlock(struct gasnett_rwlock_t *pl);

/**
 * In debug clients, ends the job unless this thread holds the lock; elsewhere does nothing.
 */
void gasnett_rwlock_assertlocked(struct gasnett_rwlock_t *_pl);

/**
 * In debug clients, ends the job unless this thread holds the lock for reading; elsewhere does nothing.
 */
void gasnett_rwlock_assertrdlocked(struct gasnett_rwlock_t *_pl);

/**
 * In debug clients, ends the job unless this thread holds the lock for writing; elsewhere does nothing.
 */
void gasnett_rwlock_assertwrlocked(struct gasnett_rwlock_t *_pl);

/**
 * In debug clients, ends the job unless this thread does not hold the lock; elsewhere does nothing.
 */
void gasnett_rwlock_assertunlocked(struct gasnett_rwlock_t *_pl);

/**
 * gasnett_mutex_init, checked.
 *
 * The caller sees to it that:
 * As there; 'file' is a string literal.
 */
void gasneti_checked_mutex_init(struct gasnett_mutex_t *pl, const char *file, uint32_t line);

/**
 * gasnett_mutex_destroy, checked.
 *
 * The caller sees to it that:
 * As there; 'file' is a string literal.
 */
void gasneti_checked_mutex_destroy(struct gasnett_mutex_t *pl, const char *file, uint32_t line);

/**
 * gasnett_mutex_lock, checked.
 *
 * The caller sees to it that:
 * As there; 'file' is a string literal.
 */
void gasneti_checked_mutex_lock(struct gasnett_mutex_t *pl, const char *file, uint32_t line);

/**
 * gasnett_mutex_trylock, checked.
 *
 * The caller sees to it that:
 * As there; 'file' is a string literal.
 */
int gasneti_checked_mutex_trylock(struct gasnett_mutex_t *pl, const char *file, uint32_t line);

/**
 * gasnett_mutex_unlock, checked.
 *
 * The caller sees to it that:
 * As there; 'file' is a string literal.
 */
void gasneti_checked_mutex_unlock(struct gasnett_mutex_t *pl, const char *file, uint32_t line);

/**
 * gasnett_mutex_assertlocked, checked.
 *
 * The caller sees to it that:
 * As there; 'file' is a string literal.
 */
void gasneti_checked_mutex_assertlocked(struct gasnett_mutex_t *pl, const char *file, uint32_t line);

/**
 * gasnett_mutex_assertunlocked, checked.
 *
 * The caller sees to it that:
 * As there; 'file' is a string literal.
 */
void gasneti_checked_mutex_assertunlocked(struct gasnett_mutex_t *pl, const char *file, uint32_t line);

/**
 * gasnett_cond_wait, checked.
 *
 * The caller sees to it that:
 * As there; 'file' is a string literal.
 */
void gasneti_checked_cond_wait(struct gasnett_cond_t *pc,
                               struct gasnett_mutex_t *pl,
                               const char *file,
                               uint32_t line);

/**
 * gasnett_rwlock_init, checked.
 *
 * The caller sees to it that:
 * As there; 'file' is a string literal.
 */
void gasneti_checked_rwlock_init(struct gasnett_rwlock_t *pl, const char *file, uint32_t line);

/**
 * gasnett_rwlock_destroy, checked.
 *
 * The caller sees to it that:
 * As there; 'file' is a string literal.
 */
void gasneti_checked_rwlock_destroy(struct gasnett_rwlock_t *pl, const char *file, uint32_t line);

/**
 * gasnett_rwlock_rdlock, checked.
 *
 * The caller sees to it that:
 * As there; 'file' is a string literal.
 */
void gasneti_checked_rwlock_rdlock(struct gasnett_rwlock_t *pl, const char *file, uint32_t line);

/**
 * gasnett_rwlock_wrlock, checked.
 *
 * The caller sees to it that:
 * As there; 'file' is a string literal.
 */
void gasneti_checked_rwlock_wrlock(struct gasnett_rwlock_t *pl, const char *file, uint32_t line);

/**
 * gasnett_rwlock_tryrdlock, checked.
 *
 * The caller sees to it that:
 * As there; 'file' is a string literal.
 */
int gasneti_checked_rwlock_tryrdlock(struct gasnett_rwlock_t *pl, const char *file, uint32_t line);

/**
 * gasnett_rwlock_trywrlock, checked.
 *
 * The caller sees to it that:
 * As there; 'file' is a string literal.
 */
int gasneti_checked_rwlock_trywrlock(struct gasnett_rwlock_t *pl, const char *file, uint32_t line);

/**
 * gasnett_rwlock_unlock, checked.
 *
 * The caller sees to it that:
 * As there; 'file' is a string literal.
 */
void gasneti_checked_rwlock_unlock(struct gasnett_rwlock_t *pl, const char *file, uint32_t line);

/**
 * gasnett_rwlock_assertlocked, checked.
 *
 * The caller sees to it that:
 * As there; 'file' is a string literal.
 */
void gasneti_checked_rwlock_assertlocked(struct gasnett_rwlock_t *pl, const char *file, uint32_t line);

/**
 * gasnett_rwlock_assertrdlocked, checked.
 *
 * The caller sees to it that:
 * As there; 'file' is a string literal.
 */
void gasneti_checked_rwlock_assertrdlocked(struct gasnett_rwlock_t *pl, const char *file, uint32_t line);

/**
 * gasnett_rwlock_assertwrlocked, checked.
 *
 * The caller sees to it that:
 * As there; 'file' is a string literal.
 */
void gasneti_checked_rwlock_assertwrlocked(struct gasnett_rwlock_t *pl, const char *file, uint32_t line);

/**
 * gasnett_rwlock_assertunlocked, checked.
 *
 * The caller sees to it that:
 * As there; 'file' is a string literal.
 */
void gasneti_checked_rwlock_assertunlocked(struct gasnett_rwlock_t *pl, const char *file, uint32_t line);

/**
 * 'p', the address of an atomic word of 'bytes' bytes that 'call' is about to use; ends the job unless it is aligned.
 *
 * The caller sees to it that:
 * 'call' and 'file' are string literals.
 */
void *gasneti_checked_word(void *p,
                           size_t bytes,
                           const char *call,
                           const char *file,
                           uint32_t line);

/**
 * Records the place in the client from which this thread makes its next call, for error messages and traces. The
 * headers of clients compiled with -DGASNET_DEBUG, -DGASNET_TRACE or -DGASNET_SRCLINES call it.
 *
 * The caller sees to it that:
 * 'file' is a string with the lifetime of the process, or NULL.
 */
void gasneti_at(const char *file,
                uint32_t line);

/**
 * Stores 'v' in '*p'.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
void gasnett_strongatomic_set(gasnett_strongatomic_t *p, gasnett_atomic_val_t v, int flags);

/**
 * Returns '*p'.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
gasnett_atomic_val_t gasnett_strongatomic_read(gasnett_strongatomic_t *p, int flags);

/**
 * Adds 1 to '*p'.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
void gasnett_strongatomic_increment(gasnett_strongatomic_t *p, int flags);

/**
 * Subtracts 1 from '*p'.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
void gasnett_strongatomic_decrement(gasnett_strongatomic_t *p, int flags);

/**
 * Subtracts 1 from '*p'; returns nonzero if the result is 0.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
int gasnett_strongatomic_decrement_and_test(gasnett_strongatomic_t *p, int flags);

/**
 * Adds 'op' to '*p' and returns the sum; it wraps around.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
gasnett_atomic_val_t gasnett_strongatomic_add(gasnett_strongatomic_t *p, gasnett_atomic_val_t op, int flags);

/**
 * Subtracts 'op' from '*p' and returns the difference; it wraps around.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
gasnett_atomic_val_t gasnett_strongatomic_subtract(gasnett_strongatomic_t *p,
                                                   gasnett_atomic_val_t op,
                                                   int flags);

/**
 * Stores 'newval' in '*p' if '*p' equals 'oldval'; returns nonzero if it did.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
int gasnett_strongatomic_compare_and_swap(gasnett_strongatomic_t *p,
                                          gasnett_atomic_val_t oldval,
                                          gasnett_atomic_val_t newval,
                                          int flags);

/**
 * Stores 'newval' in '*p' and returns the previous value.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
gasnett_atomic_val_t gasnett_strongatomic_swap(gasnett_strongatomic_t *p,
                                               gasnett_atomic_val_t newval,
                                               int flags);

/**
 * Stores 'v' in '*p'.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
void gasnett_strongatomic32_set(gasnett_strongatomic32_t *p, uint32_t v, int flags);

/**
 * Returns '*p'.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
uint32_t gasnett_strongatomic32_read(gasnett_strongatomic32_t *p, int flags);

/**
 * Adds 1 to '*p'.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
void gasnett_strongatomic32_increment(gasnett_strongatomic32_t *p, int flags);

/**
 * Subtracts 1 from '*p'.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
void gasnett_strongatomic32_decrement(gasnett_strongatomic32_t *p, int flags);

/**
 * Subtracts 1 from '*p'; returns nonzero if the result is 0.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
int gasnett_strongatomic32_decrement_and_test(gasnett_strongatomic32_t *p, int flags);

/**
 * Adds 'op' to '*p' and returns the sum; it wraps around.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
uint32_t gasnett_strongatomic32_add(gasnett_strongatomic32_t *p, uint32_t op, int flags);

/**
 * Subtracts 'op' from '*p' and returns the difference; it wraps around.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
uint32_t gasnett_strongatomic32_subtract(gasnett_strongatomic32_t *p, uint32_t op, int flags);

/**
 * Stores 'newval' in '*p' if '*p' equals 'oldval'; returns nonzero if it did.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
int gasnett_strongatomic32_compare_and_swap(gasnett_strongatomic32_t *p,
                                            uint32_t oldval,
                                            uint32_t newval,
                                            int flags);

/**
 * Stores 'newval' in '*p' and returns the previous value.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
uint32_t gasnett_strongatomic32_swap(gasnett_strongatomic32_t *p, uint32_t newval, int flags);

/**
 * Stores 'v' in '*p'.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
void gasnett_strongatomic64_set(gasnett_strongatomic64_t *p, uint64_t v, int flags);

/**
 * Returns '*p'.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
uint64_t gasnett_strongatomic64_read(gasnett_strongatomic64_t *p, int flags);

/**
 * Adds 1 to '*p'.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
void gasnett_strongatomic64_increment(gasnett_strongatomic64_t *p, int flags);

/**
 * Subtracts 1 from '*p'.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
void gasnett_strongatomic64_decrement(gasnett_strongatomic64_t *p, int flags);

/**
 * Subtracts 1 from '*p'; returns nonzero if the result is 0.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
int gasnett_strongatomic64_decrement_and_test(gasnett_strongatomic64_t *p, int flags);

/**
 * Adds 'op' to '*p' and returns the sum; it wraps around.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
uint64_t gasnett_strongatomic64_add(gasnett_strongatomic64_t *p, uint64_t op, int flags);

/**
 * Subtracts 'op' from '*p' and returns the difference; it wraps around.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
uint64_t gasnett_strongatomic64_subtract(gasnett_strongatomic64_t *p, uint64_t op, int flags);

/**
 * Stores 'newval' in '*p' if '*p' equals 'oldval'; returns nonzero if it did.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
int gasnett_strongatomic64_compare_and_swap(gasnett_strongatomic64_t *p,
                                            uint64_t oldval,
                                            uint64_t newval,
                                            int flags);

/**
 * Stores 'newval' in '*p' and returns the previous value.
 *
 * The caller sees to it that:
 * 'p' points to an initialised word that is accessed only by atomic operations.
 */
uint64_t gasnett_strongatomic64_swap(gasnett_strongatomic64_t *p, uint64_t newval, int flags);

/**
 * Returns the current tick count. Ticks of different processes or machines are not comparable.
 *
 * Source: GASNet tools 1.20, "Timers".
 */
uint64_t gasnett_ticks_now(void);

/**
 * Converts a number of ticks to nanoseconds.
 *
 * The first conversion in a process measures the tick rate, which may take two milliseconds.
 *
 * Source: GASNet tools 1.20, "Timers".
 */
uint64_t gasnett_ticks_to_ns(uint64_t ticks);

/**
 * Converts a number of ticks to microseconds.
 */
uint64_t gasnett_ticks_to_us(uint64_t ticks);

/**
 * Returns the smallest step between two different readings of the timer, in microseconds.
 */
double gasnett_tick_granularityus(void);

/**
 * Returns the time that one reading of the timer takes, in microseconds.
 */
double gasnett_tick_overheadus(void);

/**
 * Returns the microseconds since 1970.
 */
uint64_t gasnett_gettimeofday_us(void);

/**
 * Sleeps for at least 'ns_delay' nanoseconds; not at all if that is 0.
 *
 * Returns 0; nonzero with 'errno' EINTR if a signal ended the sleep early.
 *
 * Source: GASNet tools 1.20, "Sleep".
 */
int gasnett_nsleep(uint64_t ns_delay);

/**
 * Prevents the compiler from moving memory accesses across this point.
 */
void gasnett_compiler_fence(void);

/**
 * Write barrier: other processors see earlier stores before later stores.
 *
 * Source: GASNet tools 1.20, "Memory barriers".
 */
void gasnett_local_wmb(void);

/**
 * Read barrier: later loads are not executed before earlier loads.
 *
 * Source: GASNet tools 1.20, "Memory barriers".
 */
void gasnett_local_rmb(void);

/**
 * Full barrier: every earlier load and store is complete before any later one begins.
 *
 * Source: GASNet tools 1.20, "Memory barriers".
 */
void gasnett_local_mb(void);

/**
 * As gasnett_local_wmb; no operation in single-threaded clients.
 */
void gasnett_weak_wmb(void);

/**
 * As gasnett_local_rmb; no operation in single-threaded clients.
 */
void gasnett_weak_rmb(void);

/**
 * As gasnett_local_mb; no operation in single-threaded clients.
 */
void gasnett_weak_mb(void);

/**
 * A hint for the body of a spin loop: saves power and speeds up the loop's exit.
 */
void gasnett_spinloop_hint(void);

/**
 * Returns whether output of GASNETT_TRACE_PRINTF is currently written to the trace.
 *
 * Source: README-tools, "Trace/Stats support".
 */
int gasneti_trace_enabled(void);

/**
 * Writes lines of the client to the trace, or, if 'to_stats', to the statistics; if 'force', regardless of the
 * mask.
 *
 * The caller sees to it that:
 * 'text' is a C string.
 */
void gasneti_trace_text(const char *text,
                        int to_stats,
                        int force);

/**
 * Returns the letters of the categories that this process traces; empty if it writes no trace. The text is never
 * freed.
 *
 * Source: README-tools, "Trace/Stats support".
 */
const char *gasneti_trace_getmask(void);

/**
 * Returns the letters of the categories in this process's statistics; empty if there are none. The text is never
 * freed.
 *
 * Source: README-tools, "Trace/Stats support".
 */
const char *gasneti_stats_getmask(void);

/**
 * Sets the categories that this process traces, in the format of GASNET_TRACEMASK; no effect if it writes no
 * trace.
 *
 * Source: README-tools, "Trace/Stats support".
 *
 * The caller sees to it that:
 * 'newmask' is a C string.
 */
void gasneti_trace_setmask(const char *newmask);

/**
 * Sets the categories in this process's statistics, in the format of GASNET_STATSMASK; no effect if it writes no
 * statistics.
 *
 * Source: README-tools, "Trace/Stats support".
 *
 * The caller sees to it that:
 * 'newmask' is a C string.
 */
void gasneti_stats_setmask(const char *newmask);

/**
 * Returns whether puts and gets of this process to itself are traced.
 */
int gasneti_trace_getlocal(void);

/**
 * Sets whether puts and gets of this process to itself are traced.
 */
void gasneti_trace_setlocal(int newval);

/**
 * Returns the place in the client for events of this thread: the last one that was set, explicitly or by a call;
 * "" and 0 if none.
 *
 * The caller sees to it that:
 * 'pfile' and 'pline' may be written.
 */
void gasneti_source_get(const char **pfile,
                        unsigned int *pline);

/**
 * Stops calls of this thread from setting the place, until the same number of gasneti_source_unfreeze.
 */
void gasneti_source_freeze(void);

/**
 * Reverts one gasneti_source_freeze.
 */
void gasneti_source_unfreeze(void);

/**
 * Registers 'call' to be called when this process reports its statistics. Returns 1 if it writes statistics, else
 * 0.
 *
 * The caller sees to it that:
 * 'call' may be called until the job has ended.
 */
int gasneti_stats_at_report(void (*call)(void));

/**
 * Writes the current statistics and, if 'reset', resets them to 0. No effect if there are no statistics.
 *
 * Source: README-tools, "Trace/Stats support".
 */
void gasneti_stats_dump(int reset);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* GASNETI_ABI_TOOLS_H */
