/* The shim of conduit mpi: mpi_shim.h over the MPI whose <mpi.h> it is compiled with. */
#define _GNU_SOURCE
#include "mpi_shim.h"
#include "signals.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(MPI_Request) <= sizeof(gasneti_mpi_request), "a request fits into 64 bits");

#if defined(OMPI_MAJOR_VERSION) || defined(OPEN_MPI)
#define FAMILY "ompi"
#elif defined(MPI_ABI_VERSION) && !defined(MPICH_VERSION)
#define FAMILY "abi"
#elif defined(MPICH_VERSION) || defined(I_MPI_VERSION) || defined(MPICH)
#define FAMILY "mpich"
#else
#error "this is neither Open MPI nor MPICH nor a library of the MPI ABI"
#endif

struct gasneti_mpi_port {
  /* Messages, and the data of transfers; `in` and `out` differ where two ports of one process reach each other. */
  MPI_Comm in, out, bulk_in, bulk_out, all, parting;
  /* The only peer, where it is this process. */
  int twin;
  MPI_Win window;
  MPI_Request receives[GASNETI_MPI_RECEIVES];
  /* Of ports that probe, a request is that of a message that was found. */
  int probes;
  struct { void *at; int bytes; } buffers[GASNETI_MPI_RECEIVES];
};

struct gasneti_mpi_group {
  MPI_Comm comm;
};

#define TRY(call) do { int code_ = (call); if (code_ != MPI_SUCCESS) return -code_; } while (0)

/* Of all ranks, for the exchanges of a start. */
static MPI_Comm control;
static void (*on_finalize)(void);
/* The open port to all ranks. */
static gasneti_mpi_port *open_to_all;

static int end(gasneti_mpi_port *port);

/* Open MPI gives the core away in each call that looks for messages and finds none, if its launcher says that ranks outnumber cores. The
 * library looks often, also before it sends, and yields itself where it waits; so the calls below look without that. Other calls of
 * MPI, as the client's own, still yield. NULL: this MPI does not yield. */
static _Bool (*set_yield)(_Bool);

static void find_yield(void) {
  void *found = dlsym(RTLD_DEFAULT, "opal_progress_set_yield_when_idle");
  _Bool (*set)(_Bool);
  memcpy(&set, &found, sizeof set);
  if (!set || !set(0)) return;
  set(1);
  set_yield = set;
}

static int look(MPI_Request *request, MPI_Status *status, int *flag) {
  if (!set_yield) return MPI_Test(request, flag, status);
  set_yield(0);
  int code = MPI_Test(request, flag, status);
  set_yield(1);
  return code;
}

static MPI_Request load(const gasneti_mpi_request *request) {
  MPI_Request value;
  memcpy(&value, &request->bits, sizeof value);
  return value;
}

static void store(gasneti_mpi_request *request, MPI_Request value) {
  request->bits = 0;
  memcpy(&request->bits, &value, sizeof value);
}

static int state(void) {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  return finalized ? GASNETI_MPI_IS_FINALIZED : initialized ? GASNETI_MPI_RUNS : GASNETI_MPI_NOT_YET;
}

/* MPI calls it first when it is finalized: an attribute of MPI_COMM_SELF is deleted. */
static int self_is_deleted(MPI_Comm comm, int key, void *value, void *extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  if (open_to_all) end(open_to_all);
  if (on_finalize) on_finalize();
  return MPI_SUCCESS;
}

static int own(MPI_Comm from, MPI_Comm *to) {
  TRY(MPI_Comm_dup(from, to));
  TRY(MPI_Comm_set_errhandler(*to, MPI_ERRORS_RETURN));
  return 0;
}

/* MPICH 5.0.2 over UCX: of receives from any source that are posted again while sends wait for room, some never end, and messages go to later
 * ones (not with one source, not with MPICH 4.0.2, with the same UCX or another). */
static int loses_receives(const char *version) {
  const char *chosen = getenv("MPIR_CVAR_CH4_NETMOD"), *ucx = strstr(version, "ch4:ucx");
  int major = 0;
  return sscanf(version, "MPICH Version: %d", &major) == 1 && major >= 5 && ucx && !(chosen && strcmp(chosen, "ucx") != 0);
}

static int init(int level, void (*finalizes)(void), struct gasneti_mpi_world *world) {
  static const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
  int is_initialized = 0, provided = 0, is_there = 0, length = 0, key = 0;
  void *tag = NULL;
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  memset(world, 0, sizeof *world);
  MPI_Initialized(&is_initialized);
  if (!is_initialized) TRY(MPI_Init_thread(NULL, NULL, levels[level], &provided));
  world->by_client = is_initialized;
  without_handlers();
  find_yield();
  MPI_Query_thread(&provided);
  while (world->level < 3 && provided != levels[world->level]) world->level++;
  int code = own(MPI_COMM_WORLD, &control);
  if (code) return code;
  TRY(MPI_Comm_rank(control, &world->rank));
  TRY(MPI_Comm_size(control, &world->size));
  TRY(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &tag, &is_there));
  world->largest_tag = is_there ? *(int *)tag : 32767;
  MPI_Get_library_version(text, &length);
  world->loses_receives = loses_receives(text);
  text[strcspn(text, "\n,")] = 0;
  snprintf(world->version, sizeof world->version, "%.*s", (int)sizeof world->version - 1, text);
  on_finalize = finalizes;
  TRY(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, self_is_deleted, &key, NULL));
  TRY(MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL));
  return 0;
}

static void error_text(int code, char *text, int bytes) {
  char whole[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (state() != GASNETI_MPI_RUNS || MPI_Error_string(code, whole, &length) != MPI_SUCCESS) return;
  whole[strcspn(whole, "\n")] = 0;
  snprintf(text, (size_t)bytes, "%s", whole);
}

static int allgather(const void *mine, int bytes, void *all) {
  TRY(MPI_Allgather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, control));
  return 0;
}

static int barrier(void) {
  TRY(MPI_Barrier(control));
  return 0;
}

static int finalize(void) {
  if (state() != GASNETI_MPI_RUNS) return 0;
  TRY(MPI_Finalize());
  return 0;
}

static void abort_job(int code) { MPI_Abort(MPI_COMM_WORLD, code); }

static int open_port(int which, int probes, gasneti_mpi_port **result) {
  static MPI_Comm both[4];
  gasneti_mpi_port *port = calloc(1, sizeof *port);
  int code = 0;
  if (!port) return -MPI_ERR_NO_MEM;
  for (int i = 0; i < GASNETI_MPI_RECEIVES; i++) port->receives[i] = MPI_REQUEST_NULL;
  port->twin = -1;
  port->probes = probes;
  port->all = MPI_COMM_NULL;
  port->window = MPI_WIN_NULL;
  if (which == GASNETI_MPI_ALL) {
    if ((code = own(MPI_COMM_WORLD, &port->in)) || (code = own(MPI_COMM_WORLD, &port->bulk_in)) ||
        (code = own(MPI_COMM_WORLD, &port->all)) || (code = own(MPI_COMM_WORLD, &port->parting)))
      return code;
    port->out = port->in;
    port->bulk_out = port->bulk_in;
    open_to_all = port;
  } else {
    for (int i = 0; which == GASNETI_MPI_FIRST && i < 4; i++)
      if ((code = own(MPI_COMM_SELF, &both[i]))) return code;
    port->in = both[which], port->out = both[!which];
    port->bulk_in = both[2 + which], port->bulk_out = both[2 + !which];
    port->twin = !which;
  }
  *result = port;
  return 0;
}

static int receive(gasneti_mpi_port *port, int slot, void *buffer, int bytes) {
  port->buffers[slot].at = buffer, port->buffers[slot].bytes = bytes;
  if (port->probes) return 0;
  TRY(MPI_Recv_init(buffer, bytes, MPI_BYTE, MPI_ANY_SOURCE, 0, port->in, &port->receives[slot]));
  return 0;
}

static int post(gasneti_mpi_port *port, int slot) {
  if (port->probes) return 0;
  TRY(MPI_Start(&port->receives[slot]));
  return 0;
}

/* Starts to receive the next message into a buffer without one; 0: there is none. */
static int probe(gasneti_mpi_port *port, int slot) {
  MPI_Message message;
  int flag = 0;
  if (set_yield) set_yield(0);
  const int code = MPI_Improbe(MPI_ANY_SOURCE, 0, port->in, &flag, &message, MPI_STATUS_IGNORE);
  if (set_yield) set_yield(1);
  TRY(code);
  if (flag) TRY(MPI_Imrecv(port->buffers[slot].at, port->buffers[slot].bytes, MPI_BYTE, &message, &port->receives[slot]));
  return flag;
}

static int arrived(gasneti_mpi_port *port, int slot, int *from, int *bytes) {
  MPI_Status status;
  int flag = 0;
  if (port->probes && port->receives[slot] == MPI_REQUEST_NULL) {
    const int found = probe(port, slot);
    if (found <= 0) return found;
  }
  TRY(look(&port->receives[slot], &status, &flag));
  if (flag) {
    *from = port->twin < 0 ? status.MPI_SOURCE : port->twin;
    TRY(MPI_Get_count(&status, MPI_BYTE, bytes));
  }
  return flag;
}

static int started(MPI_Request value, gasneti_mpi_request *request) {
  int flag = 0;
  TRY(look(&value, MPI_STATUS_IGNORE, &flag));
  if (!flag) store(request, value);
  return flag;
}

static int send(gasneti_mpi_port *port, int to, const void *buffer, int bytes, gasneti_mpi_request *request) {
  MPI_Request value;
  TRY(MPI_Isend(buffer, bytes, MPI_BYTE, port->twin < 0 ? to : 0, 0, port->out, &value));
  store(request, value);
  return 0;
}

static int bulk_send(gasneti_mpi_port *port, int to, int tag, const void *buffer, int bytes, gasneti_mpi_request *request) {
  MPI_Request value;
  TRY(MPI_Isend(buffer, bytes, MPI_BYTE, port->twin < 0 ? to : 0, tag, port->bulk_out, &value));
  return started(value, request);
}

static int bulk_receive(gasneti_mpi_port *port, int from, int tag, void *buffer, int bytes, gasneti_mpi_request *request) {
  MPI_Request value;
  TRY(MPI_Irecv(buffer, bytes, MPI_BYTE, port->twin < 0 ? from : 0, tag, port->bulk_in, &value));
  return started(value, request);
}

static int done(gasneti_mpi_request *request) {
  MPI_Request value = load(request);
  return started(value, request);
}

static int end_receives(gasneti_mpi_port *port) {
  for (int i = 0; i < GASNETI_MPI_RECEIVES; i++) {
    int is_idle = 0;
    if (port->receives[i] == MPI_REQUEST_NULL) continue;
    TRY(MPI_Request_get_status(port->receives[i], &is_idle, MPI_STATUS_IGNORE));
    if (!is_idle) {
      TRY(MPI_Cancel(&port->receives[i]));
      TRY(MPI_Wait(&port->receives[i], MPI_STATUS_IGNORE));
    }
    /* Only a persistent request still exists after MPI_Wait. */
    if (port->receives[i] != MPI_REQUEST_NULL) TRY(MPI_Request_free(&port->receives[i]));
  }
  return 0;
}

/* Of ports of one process, the window is that of both, and stays. */
static int end_window(gasneti_mpi_port *port) {
  if (port->window == MPI_WIN_NULL || port->twin >= 0) return 0;
  TRY(MPI_Win_unlock_all(port->window));
  TRY(MPI_Win_free(&port->window));
  return 0;
}

static int end(gasneti_mpi_port *port) {
  const int code = end_window(port);
  return code ? code : end_receives(port);
}

static int close_port(gasneti_mpi_port *port) {
  if (port == open_to_all) open_to_all = NULL;
  return end(port);
}

static int meet(gasneti_mpi_port *port, const int64_t *words, int64_t *greatest, gasneti_mpi_request *request) {
  MPI_Request value;
  if (port->twin >= 0) {
    memcpy(greatest, words, 3 * sizeof *words);
    return 1;
  }
  TRY(MPI_Iallreduce(words, greatest, 3, MPI_INT64_T, MPI_MAX, port->parting, &value));
  return started(value, request);
}

static int least(gasneti_mpi_port *port, const int64_t *words, int64_t *result, gasneti_mpi_request *request) {
  MPI_Request value;
  TRY(MPI_Iallreduce(words, result, 3, MPI_INT64_T, MPI_MIN, port->all, &value));
  return started(value, request);
}

static int make_group(gasneti_mpi_port *port, const int *ranks, int count, int tag, gasneti_mpi_group **result) {
  gasneti_mpi_group *group = calloc(1, sizeof *group);
  MPI_Group all, some;
  int code;
  if (!group) return -MPI_ERR_NO_MEM;
  TRY(MPI_Comm_group(port->all, &all));
  TRY(MPI_Group_incl(all, count, ranks, &some));
  code = MPI_Comm_create_group(port->all, some, tag, &group->comm);
  MPI_Group_free(&some);
  MPI_Group_free(&all);
  if (code != MPI_SUCCESS) return -code;
  TRY(MPI_Comm_set_errhandler(group->comm, MPI_ERRORS_RETURN));
  *result = group;
  return 0;
}

static int collect(gasneti_mpi_group *group, const struct gasneti_mpi_collective *what, gasneti_mpi_request *request) {
  const MPI_Datatype types[] = {MPI_INT32_T, MPI_UINT32_T, MPI_INT64_T, MPI_UINT64_T, MPI_FLOAT, MPI_DOUBLE, MPI_BYTE};
  const MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX, MPI_BAND, MPI_BOR, MPI_BXOR};
  const MPI_Datatype type = types[what->type];
  const MPI_Op op = ops[what->op];
  const MPI_Comm comm = group->comm;
  const int n = (int)what->count, root = what->root;
  const void *src = what->src == what->dst && what->src ? MPI_IN_PLACE : what->src;
  MPI_Request value;
  int me;
  TRY(MPI_Comm_rank(comm, &me));
  switch (what->what) {
  case GASNETI_MPI_BROADCAST:
    /* The root's source may differ from its destination, which gets the bytes here. */
    if (me == root && what->src != what->dst) memcpy(what->dst, what->src, what->count);
    TRY(MPI_Ibcast(what->dst, n, type, root, comm, &value));
    break;
  case GASNETI_MPI_SCATTER:
    TRY(MPI_Iscatter(what->src, n, type, what->dst, n, type, root, comm, &value));
    break;
  case GASNETI_MPI_GATHER:
    TRY(MPI_Igather(what->src, n, type, what->dst, n, type, root, comm, &value));
    break;
  case GASNETI_MPI_ALLGATHER:
    TRY(MPI_Iallgather(what->src, n, type, what->dst, n, type, comm, &value));
    break;
  case GASNETI_MPI_ALLTOALL:
    TRY(MPI_Ialltoall(src, n, type, what->dst, n, type, comm, &value));
    break;
  case GASNETI_MPI_REDUCE:
    TRY(MPI_Ireduce(me == root ? src : what->src, what->dst, n, type, op, root, comm, &value));
    break;
  case GASNETI_MPI_ALLREDUCE:
    TRY(MPI_Iallreduce(src, what->dst, n, type, op, comm, &value));
    break;
  default:
    return -MPI_ERR_ARG;
  }
  return started(value, request);
}

static int disband(gasneti_mpi_group *group) {
  int code = MPI_Comm_free(&group->comm);
  free(group);
  return -code;
}

static int make_window(gasneti_mpi_port *port) {
  static MPI_Win of_both = MPI_WIN_NULL;
  if (port->twin >= 0 && of_both != MPI_WIN_NULL) {
    port->window = of_both;
    return 0;
  }
  TRY(MPI_Win_create_dynamic(MPI_INFO_NULL, port->twin < 0 ? port->all : port->in, &port->window));
  TRY(MPI_Win_set_errhandler(port->window, MPI_ERRORS_RETURN));
  TRY(MPI_Win_lock_all(MPI_MODE_NOCHECK, port->window));
  if (port->twin >= 0) of_both = port->window;
  return 0;
}

static int attach(gasneti_mpi_port *port, void *start, uint64_t bytes, uint64_t *address) {
  MPI_Aint at;
  TRY(MPI_Win_attach(port->window, start, (MPI_Aint)bytes));
  TRY(MPI_Get_address(start, &at));
  *address = (uint64_t)at;
  return 0;
}

static int detach(gasneti_mpi_port *port, void *start) {
  TRY(MPI_Win_detach(port->window, start));
  return 0;
}

static int get(gasneti_mpi_port *port, int from, uint64_t address, void *dst, int bytes, gasneti_mpi_request *request) {
  const int rank = port->twin < 0 ? from : 0;
  MPI_Request value;
  TRY(MPI_Rget(dst, bytes, MPI_BYTE, rank, (MPI_Aint)address, bytes, MPI_BYTE, port->window, &value));
  store(request, value);
  return 0;
}

const struct gasneti_mpi_shim *gasneti_mpi_shim(void) {
  static const struct gasneti_mpi_shim shim = {
      GASNETI_MPI_SHIM_VERSION, sizeof shim, FAMILY, state, init, error_text, allgather, barrier, finalize, abort_job,
      open_port, receive, post, arrived, send, bulk_send, bulk_receive, done, close_port, meet, least, make_group, collect, disband,
      make_window, attach, detach, get,
  };
  return &shim;
}
