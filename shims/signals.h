/* For shims: a communication library's handlers of signals. */
#ifndef GASNETI_SHIM_SIGNALS_H
#define GASNETI_SHIM_SIGNALS_H

#include <dlfcn.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Open MPI, UCX and the libraries of Intel's networks, which libfabric opens for its providers psm and psm2, react to crashes by handlers of their own, which
 * print stacks, those of psm also to SIGINT and SIGTERM, UCX to SIGHUP by messages, and Open MPI's OpenSHMEM to SIGTERM and SIGUSR1 by waiting; libgasnet's
 * report, and end the job. */
static void without_handlers(void) {
  static const int signals[] = {SIGABRT, SIGBUS, SIGFPE, SIGHUP, SIGILL, SIGINT, SIGSEGV, SIGTERM, SIGUSR1};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
    struct sigaction now;
    Dl_info info;
    if (sigaction(signals[i], NULL, &now) || now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN) continue;
    if (!dladdr((void *)(uintptr_t)now.sa_handler, &info) || !info.dli_fname) continue;
    static const char *const libraries[] = {"libopen-pal", "libmpi", "libucs", "liboshmem", "libinfinipath", "libpsm2"};
    for (size_t j = 0; j < sizeof libraries / sizeof *libraries; j++)
      if (strstr(info.dli_fname, libraries[j])) signal(signals[i], SIG_DFL);
  }
}

#endif
