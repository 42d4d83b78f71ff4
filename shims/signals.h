/* For shims: a communication library's handlers of signals. */
#ifndef GASNETI_SHIM_SIGNALS_H
#define GASNETI_SHIM_SIGNALS_H

#include <dlfcn.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Open MPI and UCX react to crashes by handlers of their own, which print stacks; libgasnet's report, and end the job. */
static void without_handlers(void) {
  static const int signals[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
    struct sigaction now;
    Dl_info info;
    if (sigaction(signals[i], NULL, &now) || now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN) continue;
    if (!dladdr((void *)(uintptr_t)now.sa_handler, &info) || !info.dli_fname) continue;
    if (strstr(info.dli_fname, "libopen-pal") || strstr(info.dli_fname, "libmpi") || strstr(info.dli_fname, "libucs")) signal(signals[i], SIG_DFL);
  }
}

#endif
