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

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Returns the value of a variable of the job's environment, or NULL if it is not set.
 *
 * May be called before 'gasnet_init'. Escapes that a spawner added are undone. Not reported under
 * 'GASNET_VERBOSEENV'. The string must not be changed, and stays until the variable is set again.
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
 * Returns 1 if a variable says 'Y', 'YES' or '1', 0 if it says 'N', 'NO' or '0' (in any case), 'defaultval' if it is
 * not set. Reported under 'GASNET_VERBOSEENV'.
 *
 * Any other value is a fatal error.
 *
 * Source: GASNet tools 1.20, "Environment utilities".
 *
 * The caller sees to it that:
 * 'keyname' is a string.
 */
int gasnett_getenv_yesno_withdefault(const char *keyname,
                                     int defaultval);

/**
 * Returns the number that a variable holds, or 'defaultval' if it is not set; reported under 'GASNET_VERBOSEENV'.
 *
 * With 'mem_size_multiplier' 0 the value is an integer, decimal or '0x' hexadecimal. Otherwise it is a memory size,
 * perhaps a decimal fraction, with an optional unit 'B KB MB GB TB PB'; without one it counts units of
 * 'mem_size_multiplier' bytes.
 *
 * A value that is no such number is a fatal error.
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
 * Returns the floating-point number or fraction 'a/b' that a variable holds, or 'defaultval' if it is not set; reported
 * under 'GASNET_VERBOSEENV'.
 *
 * A value that is no such number is a fatal error.
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
 * A string that is no such number reads as far as it is one, or as 0, with a warning.
 *
 * Source: GASNet tools 1.20, "Environment utilities".
 *
 * The caller sees to it that:
 * 'str' is a string.
 */
int64_t gasnett_parse_int(const char *str, uint64_t mem_size_multiplier);

/**
 * Writes 'val' to 'buf' as a person writes it: a memory size with the largest unit that is exact, or a plain number.
 * What does not fit into 'bufsz' bytes is cut. Returns 'buf'.
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
 * Returns what makes this library slow, for a benchmark's log; the empty string if nothing does.
 *
 * Source: GASNet tools 1.20, "Performance warnings".
 */
const char *gasnett_performance_warning_str(void);

/**
 * What 'gasnett_freezeForDebuggerNow' of abi/c/printf.c calls.
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
 * Prepares for backtraces. To be called early, with argv[0]; again after changes of the variables about backtraces.
 *
 * Source: GASNet tools 1.20, "Backtracing and debugger attach".
 *
 * The caller sees to it that:
 * 'exename' is a string, or NULL.
 */
void gasnett_backtrace_init(const char *exename);

/**
 * Writes a backtrace to descriptor 'fd' now, by the first mechanism of 'GASNET_BACKTRACE_TYPE' that can.
 *
 * Returns 0 if one could.
 *
 * Source: GASNet tools 1.20, "Backtracing and debugger attach".
 */
int gasnett_print_backtrace(int fd);

/**
 * The first value of 'gasnett_print_backtrace_ifenabled'.
 */
int gasneti_default_print_backtrace_ifenabled(int fd);

/**
 * Returns the path of this program.
 *
 * Source: GASNet tools 1.20, "Backtracing and debugger attach".
 */
const char *gasnett_exe_name(void);

/**
 * What the functions of abi/c/printf.c call once they have formatted.
 *
 * The caller sees to it that:
 * 'message' is a string.
 */
void gasneti_fatal_text(const char *message, int with_place) GASNETI_NORETURN;

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* GASNETI_ABI_TOOLS_H */
