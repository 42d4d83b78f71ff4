/* The functions that a shim over MPI offers to libgasnet. A shim is compiled with the headers of one MPI and calls that MPI only;
 * the library (src/shims/mpi.rs declares the same table) opens it when a job runs on conduit mpi. A change of this file changes
 * GASNETI_MPI_SHIM_VERSION.
 *
 * A function returns a result of 0 or more, or the negative of an MPI error code. One thread at a time calls them, except
 * `error_text`, `state` and `abort_job`. No function waits for another rank, except those that say so. */
#ifndef GASNETI_MPI_SHIM_H
#define GASNETI_MPI_SHIM_H

#include <stdint.h>

#define GASNETI_MPI_SHIM_VERSION 3

/* The receives that a port keeps posted, at most. */
#define GASNETI_MPI_RECEIVES 256

/* The job as MPI describes it. */
struct gasneti_mpi_world {
  int32_t rank, size;
  /* The thread level: 0 single, 1 funneled, 2 serialized, 3 multiple. */
  int32_t level;
  /* The client had initialised MPI before. */
  int32_t by_client;
  int32_t largest_tag;
  /* Posted receives from any source may never end: messages are to be probed for. */
  int32_t loses_receives;
  char version[256];
};

/* A request that MPI has not completed. */
typedef struct { uint64_t bits; } gasneti_mpi_request;

/* A port: communicators of our own, and receives that are posted on them. */
typedef struct gasneti_mpi_port gasneti_mpi_port;

/* A group of ranks with collectives of its own. */
typedef struct gasneti_mpi_group gasneti_mpi_group;

enum { GASNETI_MPI_NOT_YET = 0, GASNETI_MPI_RUNS = 1, GASNETI_MPI_IS_FINALIZED = 2 };
enum { GASNETI_MPI_ALL = -1, GASNETI_MPI_FIRST = 0, GASNETI_MPI_SECOND = 1 };
enum {
  GASNETI_MPI_BROADCAST, GASNETI_MPI_SCATTER, GASNETI_MPI_GATHER, GASNETI_MPI_ALLGATHER,
  GASNETI_MPI_ALLTOALL, GASNETI_MPI_REDUCE, GASNETI_MPI_ALLREDUCE
};
enum { GASNETI_MPI_I32, GASNETI_MPI_U32, GASNETI_MPI_I64, GASNETI_MPI_U64, GASNETI_MPI_FLT, GASNETI_MPI_DBL, GASNETI_MPI_BYTES };
enum {
  GASNETI_MPI_SUM, GASNETI_MPI_PRODUCT, GASNETI_MPI_LEAST, GASNETI_MPI_GREATEST, GASNETI_MPI_AND, GASNETI_MPI_OR,
  GASNETI_MPI_XOR
};

struct gasneti_mpi_collective {
  int32_t what, root, type, op;
  /* Bytes of a block; for reductions elements. */
  uint64_t count;
  const void *src;
  void *dst;
};

struct gasneti_mpi_shim {
  uint32_t version;
  uint32_t bytes;
  /* "ompi", "mpich" or "abi". */
  const char *family;

  /* GASNETI_MPI_NOT_YET, _RUNS or _IS_FINALIZED. */
  int (*state)(void);
  /* Initialises MPI with thread level `level`, unless the client has; makes the communicator of the functions without a port.
   * Waits for all ranks. `finalizes` is called when MPI is about to be finalized, by whichever caller. */
  int (*init)(int level, void (*finalizes)(void), struct gasneti_mpi_world *world);
  void (*error_text)(int code, char *text, int bytes);
  /* Waits for all ranks. `all` gets `bytes` bytes of each rank. */
  int (*allgather)(const void *mine, int bytes, void *all);
  /* Waits for all ranks. */
  int (*barrier)(void);
  /* Waits for all ranks. */
  int (*finalize)(void);
  void (*abort_job)(int code);

  /* GASNETI_MPI_ALL: a port to all ranks; waits for them. Else one of two ports of this process, which reach each other. `probes`: a posted
   * receive is one for which `arrived` probes. */
  int (*open)(int which, int probes, gasneti_mpi_port **port);
  /* Makes receive `slot` for any message of at most `bytes` bytes. */
  int (*receive)(gasneti_mpi_port *port, int slot, void *buffer, int bytes);
  /* Posts it, again after each message. Messages go to receives in the order of posting. */
  int (*post)(gasneti_mpi_port *port, int slot);
  /* 1: the message of receive `slot` has arrived. */
  int (*arrived)(gasneti_mpi_port *port, int slot, int *from, int *bytes);
  /* Starts to send; the buffer may be reused once `done` says so of the request. */
  int (*send)(gasneti_mpi_port *port, int to, const void *buffer, int bytes, gasneti_mpi_request *request);
  /* As `send`, to a receive by `bulk_receive` with the same tag; 1: the buffer may be reused already, and there is no request. */
  int (*bulk_send)(gasneti_mpi_port *port, int to, int tag, const void *buffer, int bytes, gasneti_mpi_request *request);
  int (*bulk_receive)(gasneti_mpi_port *port, int from, int tag, void *buffer, int bytes, gasneti_mpi_request *request);
  /* 1: the request is complete, and no longer exists. */
  int (*done)(gasneti_mpi_request *request);
  /* Ends the posted receives and the window, for which it waits for all ranks; this rank sends and receives nothing more. */
  int (*close)(gasneti_mpi_port *port);

  /* Enters a combination of all ranks, which is used for nothing but the end: the greatest of each of three words. */
  int (*meet)(gasneti_mpi_port *port, const int64_t *words, int64_t *greatest, gasneti_mpi_request *request);
  /* Enters the combination of all ranks: the least of each of three words. */
  int (*least)(gasneti_mpi_port *port, const int64_t *words, int64_t *least, gasneti_mpi_request *request);
  /* Makes a group of `count` ranks, of which this is one; waits for the others. `tag` differs for groups made at the same time. */
  int (*group)(gasneti_mpi_port *port, const int *ranks, int count, int tag, gasneti_mpi_group **group);
  int (*collect)(gasneti_mpi_group *group, const struct gasneti_mpi_collective *what, gasneti_mpi_request *request);
  int (*disband)(gasneti_mpi_group *group);

  /* Makes the port's window, to which ranks attach memory, and starts an access epoch to all ranks; waits for them. */
  int (*window)(gasneti_mpi_port *port);
  /* `address`: of the start, to which peers add an offset. */
  int (*attach)(gasneti_mpi_port *port, void *start, uint64_t bytes, uint64_t *address);
  int (*detach)(gasneti_mpi_port *port, void *start);
  /* Starts to copy from memory that `from` has attached; the bytes are here when `done` says so of the request. */
  int (*get)(gasneti_mpi_port *port, int from, uint64_t address, void *dst, int bytes, gasneti_mpi_request *request);
};

/* The one symbol of a shim. */
const struct gasneti_mpi_shim *gasneti_mpi_shim(void);

#endif
