/* Backtraces and stopping for a debugger: declarations that cbindgen cannot express. */
#ifndef GASNETI_TOOLS_DEBUG_H
#define GASNETI_TOOLS_DEBUG_H

#ifdef __cplusplus
extern "C" {
#endif

/* A client's own way to write a backtrace; GASNET_BACKTRACE_TYPE chooses it by its name. */
typedef struct {
  const char *name;
  int (*fnp)(int fd); /* writes the calling thread's backtrace to fd; returns 0 if it did */
  int threadsupport;  /* whether it works in programs with several threads */
} gasnett_backtrace_type_t;

/* A client may define this variable. */
extern gasnett_backtrace_type_t gasnett_backtrace_user;

/* Every fatal error calls this; a client may point it elsewhere. */
extern int (*gasnett_print_backtrace_ifenabled)(int fd);

/* Stops the process until a debugger sets *flag to 0; prints a line with the flag's name. */
extern void gasnett_freezeForDebuggerNow(volatile int *flag, const char *flagsymname);

#ifndef _INCLUDED_GASNET_H
/* The flag of a process that the library froze. */
extern volatile int gasnet_frozen;
#endif

#ifdef __cplusplus
}
#endif

#endif
