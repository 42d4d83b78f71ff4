/* A shim between the library and the shim that FAULT_SHIM names: call number FAULT_AT of the function FAULT_CALL, counted from 1, fails on
 * rank FAULT_RANK (-1: on each) with MPI_ERR_OTHER, and does not reach MPI. FAULT_COUNT, if it is set, is a file that gets a line
 * `NAME NUMBER` for each function when MPI is finalized: how often that rank called it. */
#define _GNU_SOURCE
#include "mpi_shim.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FUNCTIONS(X)                                                                                                            \
  X(init, (int level, void (*finalizes)(void), struct gasneti_mpi_world *world), (level, finalizes, world))                     \
  X(allgather, (const void *mine, int bytes, void *all), (mine, bytes, all))                                                    \
  X(barrier, (void), ())                                                                                                        \
  X(finalize, (void), ())                                                                                                       \
  X(open, (int which, int probes, gasneti_mpi_port **port), (which, probes, port))                                              \
  X(receive, (gasneti_mpi_port *port, int slot, void *buffer, int bytes), (port, slot, buffer, bytes))                          \
  X(post, (gasneti_mpi_port *port, int slot), (port, slot))                                                                     \
  X(arrived, (gasneti_mpi_port *port, int slot, int *from, int *bytes), (port, slot, from, bytes))                              \
  X(send, (gasneti_mpi_port *port, int to, const void *buffer, int bytes, gasneti_mpi_request *request),                        \
    (port, to, buffer, bytes, request))                                                                                         \
  X(bulk_send, (gasneti_mpi_port *port, int to, int tag, const void *buffer, int bytes, gasneti_mpi_request *request),          \
    (port, to, tag, buffer, bytes, request))                                                                                    \
  X(bulk_receive, (gasneti_mpi_port *port, int from, int tag, void *buffer, int bytes, gasneti_mpi_request *request),           \
    (port, from, tag, buffer, bytes, request))                                                                                  \
  X(done, (gasneti_mpi_request *request), (request))                                                                            \
  X(close, (gasneti_mpi_port *port), (port))                                                                                    \
  X(meet, (gasneti_mpi_port *port, const int64_t *words, int64_t *greatest, gasneti_mpi_request *request),                      \
    (port, words, greatest, request))                                                                                           \
  X(least, (gasneti_mpi_port *port, const int64_t *words, int64_t *least, gasneti_mpi_request *request),                        \
    (port, words, least, request))                                                                                              \
  X(group, (gasneti_mpi_port *port, const int *ranks, int count, int tag, gasneti_mpi_group **group),                           \
    (port, ranks, count, tag, group))                                                                                           \
  X(collect, (gasneti_mpi_group *group, const struct gasneti_mpi_collective *what, gasneti_mpi_request *request),               \
    (group, what, request))                                                                                                     \
  X(disband, (gasneti_mpi_group *group), (group))                                                                               \
  X(window, (gasneti_mpi_port *port), (port))                                                                                   \
  X(attach, (gasneti_mpi_port *port, void *start, uint64_t bytes, uint64_t *address), (port, start, bytes, address))            \
  X(detach, (gasneti_mpi_port *port, void *start), (port, start))                                                               \
  X(get, (gasneti_mpi_port *port, int from, uint64_t address, void *dst, int bytes, gasneti_mpi_request *request),               \
    (port, from, address, dst, bytes, request))

#define COUNTER(name, parameters, arguments) static int calls_of_##name;
FUNCTIONS(COUNTER)
static const struct gasneti_mpi_shim *real;

static int setting(const char *name, int otherwise) {
  const char *text = getenv(name);
  return text ? atoi(text) : otherwise;
}

static int is_chosen(void) {
  const int who = setting("FAULT_RANK", -1);
  return who < 0 || who == setting("OMPI_COMM_WORLD_RANK", setting("PMI_RANK", -1));
}

static int fails(const char *name, int calls) {
  const char *call = getenv("FAULT_CALL");
  return call && strcmp(call, name) == 0 && calls == setting("FAULT_AT", 1) && is_chosen();
}

static void write_counts(void) {
  const char *path = getenv("FAULT_COUNT");
  FILE *file = path && is_chosen() ? fopen(path, "w") : NULL;
  if (!file) return;
#define LINE(name, parameters, arguments) fprintf(file, #name " %d\n", calls_of_##name);
  FUNCTIONS(LINE)
  fclose(file);
}

#define WRAP(name, parameters, arguments)                       \
  static int my_##name parameters {                             \
    if (fails(#name, ++calls_of_##name)) return -MPI_ERR_OTHER; \
    if (strcmp(#name, "finalize") == 0) write_counts();         \
    return real->name arguments;                                \
  }
FUNCTIONS(WRAP)

const struct gasneti_mpi_shim *gasneti_mpi_shim(void) {
  static struct gasneti_mpi_shim shim;
  const struct gasneti_mpi_shim *(*find)(void);
  void *file;
  if (real) return &shim;
  file = dlopen(getenv("FAULT_SHIM"), RTLD_NOW | RTLD_LOCAL);
  find = file ? (const struct gasneti_mpi_shim *(*)(void))dlsym(file, "gasneti_mpi_shim") : NULL;
  if (!find) {
    fprintf(stderr, "FAULT_SHIM: %s\n", dlerror());
    _exit(1);
  }
  real = find();
  shim = *real;
#define REPLACE(name, parameters, arguments) shim.name = my_##name;
  FUNCTIONS(REPLACE)
  return &shim;
}
