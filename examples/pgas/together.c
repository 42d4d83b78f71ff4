/* What all threads do together: barriers and collectives, of which each thread is an image. For a barrier the threads of a
   rank meet here, and one goes on to the barrier of the ranks. What threads wait for is changed by handlers alone, so that
   they may sleep meanwhile: one that has something to tell the others of its rank sends it to itself. */
#include "inside.h"

#include <gasnet_coll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The last barrier that all threads of the rank have entered, and the last that all ranks have. */
enum { NOTIFIED, PASSED, STEPS };
static volatile int32_t done[STEPS];

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint32_t arrived, named, mismatched;
static int name, flags; /* of this rank, sent to the others */
static int32_t claimed; /* the last barrier for which a thread waits on behalf of the rank */
static __thread int32_t barriers;

void pgas_on_step(gasnet_token_t token, gasnet_handlerarg_t which, gasnet_handlerarg_t round) {
  (void)token;
  done[which] = round;
}
static void tell_rank(int which, int32_t round) { gasnet_AMRequestShort2(gasnet_mynode(), PGAS_STEP, which, round); }
static void await(int which, int32_t round) {
  GASNET_BLOCKUNTIL((int32_t)((uint32_t)done[which] - (uint32_t)round) >= 0);
  gasnett_local_rmb();
}

/* Operators; an element is a vector of doubles, and the array has one of each thread. */
enum { SUM, LARGEST };
static void sum(void *results, size_t count, const void *left, size_t left_count, const void *right, size_t elem_size,
                int how, int arg) {
  double *to = (double *)results;
  const double *x = (const double *)left, *y = (const double *)right;
  (void)left_count, (void)how, (void)arg;
  for (size_t i = 0; i < count * elem_size / sizeof *to; i++) to[i] = x[i] + y[i];
}
static void largest(void *results, size_t count, const void *left, size_t left_count, const void *right, size_t elem_size,
                    int how, int arg) {
  double *to = (double *)results;
  const double *x = (const double *)left, *y = (const double *)right;
  (void)left_count, (void)how, (void)arg;
  for (size_t i = 0; i < count * elem_size / sizeof *to; i++) to[i] = x[i] > y[i] ? x[i] : y[i];
}

/* Every thread is an image, numbered as the threads are. */
void pgas_together_start_thread(void) {
  gasnet_coll_fn_entry_t operators[2] = {{sum, 0}, {largest, 0}};
  gasnet_image_t *images = (gasnet_image_t *)pgas_private(pgas_ranks(), sizeof *images);
  for (uint32_t rank = 0; rank < pgas_ranks(); rank++) images[rank] = pgas_local_threads;
  gasnet_coll_init(images, pgas_me(), operators, 2, 0);
  free(images);
}

void pgas_notify(int id) {
  int last;
  pgas_fence();
  barriers++;
  pthread_mutex_lock(&mutex);
  if (arrived == 0) named = mismatched = 0, name = 0;
  if (id && named && id != name) mismatched = 1;
  if (id) named = 1, name = id;
  last = ++arrived == pgas_local_threads;
  if (last) {
    arrived = 0;
    flags = mismatched ? GASNET_BARRIERFLAG_MISMATCH : named ? 0 : GASNET_BARRIERFLAG_ANONYMOUS;
  }
  pthread_mutex_unlock(&mutex);
  if (!last) return;
  gasnet_barrier_notify(name, flags);
  tell_rank(NOTIFIED, barriers);
}

void pgas_wait(int id) {
  int mine;
  await(NOTIFIED, barriers);
  pthread_mutex_lock(&mutex);
  mine = claimed != barriers;
  claimed = barriers;
  pthread_mutex_unlock(&mutex);
  if (mine) {
    if (gasnet_barrier_wait(name, flags) != GASNET_OK) pgas_fail("threads have come to different barriers; here to %d", id);
    tell_rank(PASSED, barriers);
  }
  await(PASSED, barriers);
}

void pgas_barrier(int id) {
  pgas_notify(id);
  pgas_wait(id);
}

/* --- collectives --------------------------------------------------------------------------------------------------- */

#define FLAGS (GASNET_COLL_LOCAL | GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC)

void pgas_gather_all(void *all, const void *mine, size_t nbytes) {
  pgas_fence();
  gasnet_coll_gather_all(GASNET_TEAM_ALL, all, (void *)(uintptr_t)mine, nbytes, FLAGS);
}

void pgas_broadcast(void *data, size_t nbytes, uint32_t root) {
  pgas_fence();
  gasnet_coll_broadcast(GASNET_TEAM_ALL, data, root, data, nbytes, FLAGS);
}

static void reduce(double *values, size_t count, int operator_) {
  double *results = (double *)pgas_private(count, sizeof *results);
  pgas_fence();
  gasnet_coll_reduce(GASNET_TEAM_ALL, 0, results, values, 1, 0, count * sizeof *values, pgas_threads(), operator_, 0, FLAGS);
  pgas_broadcast(results, count * sizeof *values, 0);
  memcpy(values, results, count * sizeof *values);
  free(results);
}
void pgas_sum(double *values, size_t count) { reduce(values, count, SUM); }
void pgas_max(double *values, size_t count) { reduce(values, count, LARGEST); }
