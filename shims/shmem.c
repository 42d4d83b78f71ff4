/* The shim of conduit shmem: shmem_shim.h over the OpenSHMEM whose <shmem.h> it is compiled with. */
#define _GNU_SOURCE
#include "shmem_shim.h"
#include "signals.h"

#include <shmem.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(OSHMEM_MAJOR_VERSION) || defined(OSHMEM_SHMEM_H)
#define FAMILY "ompi"
#define HEAP "SHMEM_SYMMETRIC_HEAP_SIZE"
/* Whether OpenSHMEM runs; Open MPI's initialises itself twice if it is asked to. */
extern bool oshmem_shmem_initialized;
static bool is_initialized(void) { return oshmem_shmem_initialized; }
/* shmem_test does not make the library serve other ranks. */
extern void opal_progress(void) __attribute__((weak));
#else
#define FAMILY "sos"
#define HEAP "SHMEM_SYMMETRIC_SIZE"
/* Hidden in most builds, in which a rank's number is -1 before it is known. */
extern int shmem_internal_initialized __attribute__((weak));
static bool is_initialized(void) { return &shmem_internal_initialized ? shmem_internal_initialized != 0 : shmem_my_pe() >= 0; }
#endif

/* Collectives of active sets are all that OpenSHMEM 1.4 has; 1.5 deprecates them. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* Bytes of one rank's part of an exchange. */
enum { PART = 1024 };

static bool was_finalized;
static int rank, size;
static uint64_t *mine, *all;
static long *sync_words[2];
static int turn;
static long *watched;

static int state(void) { return was_finalized ? GASNETI_SHMEM_IS_FINALIZED : is_initialized() ? GASNETI_SHMEM_RUNS : GASNETI_SHMEM_NOT_YET; }

static int init(size_t heap, int wanted, struct gasneti_shmem_world *world) {
  static const int levels[] = {SHMEM_THREAD_SINGLE, SHMEM_THREAD_FUNNELED, SHMEM_THREAD_SERIALIZED, SHMEM_THREAD_MULTIPLE};
  int level = SHMEM_THREAD_SINGLE;
  char text[SHMEM_MAX_NAME_LEN] = "";
  memset(world, 0, sizeof *world);
  world->by_client = is_initialized();
  if (!world->by_client) {
    char bytes[32];
    bool ours = !getenv(HEAP) && !getenv("SHMEM_SYMMETRIC_SIZE") && !getenv("SMA_SYMMETRIC_SIZE");
    snprintf(bytes, sizeof bytes, "%zu", heap);
    if (ours) setenv(HEAP, bytes, 0);
    /* The hooks of Open MPI's memory management make its finalization crash. */
    setenv("OMPI_MCA_memory", "^patcher", 0);
    shmem_init_thread(levels[wanted], &level);
    /* A client that is an OpenSHMEM itself (OSSS) would take it for its user's wish. */
    if (ours) unsetenv(HEAP);
  } else {
    shmem_query_thread(&level);
  }
  without_handlers();
  world->level = level == SHMEM_THREAD_MULTIPLE ? 3 : level == SHMEM_THREAD_SERIALIZED ? 2 : level == SHMEM_THREAD_FUNNELED;
  world->rank = rank = shmem_my_pe();
  world->size = size = shmem_n_pes();
  shmem_info_get_version(&world->major, &world->minor);
  shmem_info_get_name(text);
  snprintf(world->version, sizeof world->version, "%.*s", (int)sizeof world->version - 1, text);
  mine = shmem_malloc(PART);
  all = shmem_malloc((size_t)PART * (size_t)size);
  watched = shmem_malloc(sizeof *watched);
  for (int i = 0; i < 2; i++) sync_words[i] = shmem_malloc(SHMEM_COLLECT_SYNC_SIZE * sizeof(long));
  if (!mine || !all || !watched || !sync_words[0] || !sync_words[1]) return 1;
  *watched = 0;
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < SHMEM_COLLECT_SYNC_SIZE; k++) sync_words[i][k] = SHMEM_SYNC_VALUE;
  shmem_barrier_all();
  return 0;
}

static void *allocate(size_t bytes) { return shmem_align(4096, bytes); }

static void *pointer(const void *address, int of) { return shmem_ptr(address, of); }

static void allgather(const void *from, size_t bytes, void *to) {
  for (size_t at = 0; at < bytes; at += PART) {
    size_t part = bytes - at < PART ? bytes - at : PART, words = (part + 7) / 8;
    memcpy(mine, (const char *)from + at, part);
    shmem_barrier_all();
    shmem_fcollect64(all, mine, words, 0, 0, size, sync_words[turn ^= 1]);
    for (int i = 0; i < size; i++) memcpy((char *)to + (size_t)i * bytes + at, all + (size_t)i * words, part);
    /* Nobody writes the next part before all have read this one. */
    shmem_barrier_all();
  }
}

static void barrier(void) { shmem_barrier_all(); }

static void finalize(void) {
  was_finalized = true;
  shmem_finalize();
}

static void global_exit(int code) { shmem_global_exit(code); }

static void put(void *dst, const void *src, size_t bytes, int to) { shmem_putmem(dst, src, bytes, to); }

static void get(void *dst, const void *src, size_t bytes, int from) { shmem_getmem(dst, src, bytes, from); }

static void put_words(uint64_t *dst, const uint64_t *src, size_t words, int to) { shmem_put64(dst, src, words, to); }

static uint64_t get_word(const uint64_t *src, int from) { return (uint64_t)shmem_longlong_g((const long long *)src, from); }

static void quiet(void) { shmem_quiet(); }

static void progress(void) {
#ifdef OSHMEM_SHMEM_H
  if (opal_progress) {
    opal_progress();
    return;
  }
#endif
  shmem_long_test(watched, SHMEM_CMP_NE, 0);
}

/* Open MPI's 4.1 has the bitwise operations of types by width only, and the others of C's types only. */
#define OPERATIONS(T, C)                                                                                      \
  static uint64_t atomic_##T(int op, void *word, T##_t first, T##_t second, int to) {                         \
    T##_t *at = word;                                                                                         \
    C##_type *of_c = word;                                                                                    \
    switch (op) {                                                                                             \
    case GASNETI_SHMEM_FETCH: return (uint64_t)shmem_##C##_atomic_fetch(of_c, to);                            \
    case GASNETI_SHMEM_SET: shmem_##C##_atomic_set(of_c, (C##_type)first, to); return 0;                      \
    case GASNETI_SHMEM_SWAP: return (uint64_t)shmem_##C##_atomic_swap(of_c, (C##_type)first, to);             \
    case GASNETI_SHMEM_COMPARE_SWAP: return (uint64_t)shmem_##C##_atomic_compare_swap(of_c, (C##_type)first, (C##_type)second, to); \
    case GASNETI_SHMEM_FETCH_ADD: return (uint64_t)shmem_##C##_atomic_fetch_add(of_c, (C##_type)first, to);   \
    case GASNETI_SHMEM_ADD: shmem_##C##_atomic_add(of_c, (C##_type)first, to); return 0;                      \
    case GASNETI_SHMEM_FETCH_AND: return (uint64_t)shmem_##T##_atomic_fetch_and(at, first, to);               \
    case GASNETI_SHMEM_AND: shmem_##T##_atomic_and(at, first, to); return 0;                                  \
    case GASNETI_SHMEM_FETCH_OR: return (uint64_t)shmem_##T##_atomic_fetch_or(at, first, to);                 \
    case GASNETI_SHMEM_OR: shmem_##T##_atomic_or(at, first, to); return 0;                                    \
    case GASNETI_SHMEM_FETCH_XOR: return (uint64_t)shmem_##T##_atomic_fetch_xor(at, first, to);               \
    case GASNETI_SHMEM_XOR: shmem_##T##_atomic_xor(at, first, to); return 0;                                  \
    default: return 0;                                                                                        \
    }                                                                                                         \
  }
typedef int int_type;
typedef unsigned uint_type;
typedef long long longlong_type;
typedef unsigned long long ulonglong_type;
OPERATIONS(int32, int)
OPERATIONS(uint32, uint)
OPERATIONS(int64, longlong)
OPERATIONS(uint64, ulonglong)

static uint64_t atomic(int type, int op, void *at, uint64_t first, uint64_t second, int to) {
  switch (type) {
  case GASNETI_SHMEM_I32: return (uint32_t)atomic_int32(op, at, (int32_t)first, (int32_t)second, to);
  case GASNETI_SHMEM_U32: return atomic_uint32(op, at, (uint32_t)first, (uint32_t)second, to);
  case GASNETI_SHMEM_I64: return atomic_int64(op, at, (int64_t)first, (int64_t)second, to);
  default: return atomic_uint64(op, at, first, second, to);
  }
}

static const struct gasneti_shmem_shim shim = {
  GASNETI_SHMEM_SHIM_VERSION, sizeof shim, FAMILY, state, init, HEAP, allocate, pointer, allgather, barrier, finalize, global_exit,
  put, get, put_words, get_word, quiet, progress, atomic
};

__attribute__((visibility("default"))) const struct gasneti_shmem_shim *gasneti_shmem_shim(void) { return &shim; }
