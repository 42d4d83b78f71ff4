/* The functions that a shim over OpenSHMEM offers to libgasnet. A shim is compiled with the headers of one OpenSHMEM and calls that
 * one only; the library (src/shims/shmem.rs declares the same table) opens it when a job runs on conduit shmem. A change of this file
 * changes GASNETI_SHMEM_SHIM_VERSION.
 *
 * One thread at a time calls them, except `state` and `global_exit`. Only `init`, `allocate`, `allgather`, `barrier` and `finalize` wait for other
 * ranks; `quiet` waits until what this rank has put is at its targets. Addresses of other ranks' memory are those of the same
 * objects here. */
#ifndef GASNETI_SHMEM_SHIM_H
#define GASNETI_SHMEM_SHIM_H

#include <stddef.h>
#include <stdint.h>

#define GASNETI_SHMEM_SHIM_VERSION 1

/* The job as OpenSHMEM describes it. */
struct gasneti_shmem_world {
  int32_t rank, size;
  /* The thread level: 0 single, 1 funneled, 2 serialized, 3 multiple. */
  int32_t level;
  /* The client had initialised OpenSHMEM before. */
  int32_t by_client;
  /* Of the interface. */
  int32_t major, minor;
  char version[256];
};

enum { GASNETI_SHMEM_NOT_YET = 0, GASNETI_SHMEM_RUNS = 1, GASNETI_SHMEM_IS_FINALIZED = 2 };
enum { GASNETI_SHMEM_I32, GASNETI_SHMEM_U32, GASNETI_SHMEM_I64, GASNETI_SHMEM_U64 };
enum {
  GASNETI_SHMEM_FETCH, GASNETI_SHMEM_SET, GASNETI_SHMEM_SWAP, GASNETI_SHMEM_COMPARE_SWAP, GASNETI_SHMEM_FETCH_ADD, GASNETI_SHMEM_ADD,
  GASNETI_SHMEM_FETCH_AND, GASNETI_SHMEM_AND, GASNETI_SHMEM_FETCH_OR, GASNETI_SHMEM_OR, GASNETI_SHMEM_FETCH_XOR, GASNETI_SHMEM_XOR
};

struct gasneti_shmem_shim {
  uint32_t version;
  uint32_t bytes;
  /* "ompi" or "sos". */
  const char *family;

  /* GASNETI_SHMEM_NOT_YET, _RUNS or _IS_FINALIZED. */
  int (*state)(void);
  /* Initialises OpenSHMEM with thread level `level`, unless the client has. `heap`: bytes of the symmetric heap, unless its user's variable says another number.
   * Waits for all ranks. 0: there is memory for `allgather`. */
  int (*init)(size_t heap, int level, struct gasneti_shmem_world *world);
  /* The variable that sets the size of the symmetric heap. */
  const char *heap_variable;
  /* Symmetric memory at a page, or NULL on all ranks; all ask for the same. */
  void *(*allocate)(size_t bytes);
  /* Where the object at `address` of `rank` is mapped here, or NULL. */
  void *(*pointer)(const void *address, int rank);
  /* `all` gets `bytes` bytes of each rank. */
  void (*allgather)(const void *mine, size_t bytes, void *all);
  void (*barrier)(void);
  void (*finalize)(void);
  void (*global_exit)(int code);

  /* The source may be reused when it returns. */
  void (*put)(void *dst, const void *src, size_t bytes, int rank);
  /* The bytes are there when it returns. */
  void (*get)(void *dst, const void *src, size_t bytes, int rank);
  /* Each word arrives whole, in any order. */
  void (*put_words)(uint64_t *dst, const uint64_t *src, size_t words, int rank);
  uint64_t (*get_word)(const uint64_t *src, int rank);
  void (*quiet)(void);
  /* Lets the library serve other ranks. */
  void (*progress)(void);
  /* Executes an operation on a number of `type`; returns the previous value where it is one that fetches. `first` is the value, or
   * the one that is expected; `second` replaces it. */
  uint64_t (*atomic)(int type, int op, void *at, uint64_t first, uint64_t second, int rank);
};

/* The one symbol of a shim. */
const struct gasneti_shmem_shim *gasneti_shmem_shim(void);

#endif
