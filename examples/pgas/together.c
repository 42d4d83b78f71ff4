/* What all threads do together: barriers and collectives. The threads of a rank meet here; of each rank one goes on to the
   barrier of the ranks. What threads wait for is changed by handlers alone, so that they may sleep meanwhile: one
   that has something to tell the others of its rank sends it to itself. */
#include "inside.h"

#include <gasnet_coll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* How far the rank is: all its threads have come to a barrier, all ranks have, and so for collectives. */
enum { NOTIFIED, PASSED, COLLECTED, STEPS };
static volatile int32_t done[STEPS];

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint32_t arrived, named, mismatched;
static int name, flags; /* what the rank told the others */
static int32_t claimed; /* the last barrier that a thread has taken on itself to wait for */
static __thread int32_t barriers, collectives;

/* A collective and the one after it may be under way: one part for each thread of the rank, and everybody's. */
static struct meeting {
  uint32_t brought, left;
  char *parts, *all;
} meetings[2];

void pgas_on_step(gasnet_token_t token, gasnet_handlerarg_t which, gasnet_handlerarg_t round) {
  (void)token;
  done[which] = round;
}
static void tell_rank(int which, int32_t round) { gasnet_AMRequestShort2(gasnet_mynode(), PGAS_STEP, which, round); }
static void await(int which, int32_t round) {
  GASNET_BLOCKUNTIL((int32_t)((uint32_t)done[which] - (uint32_t)round) >= 0);
  gasnett_local_rmb();
}

void pgas_together_start(void) { gasnet_coll_init(NULL, 0, NULL, 0, 0); }
void pgas_together_start_thread(void) {}

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
  struct meeting *m = &meetings[++collectives % 2];
  int last;
  pthread_mutex_lock(&mutex);
  if (!m->parts) {
    m->parts = (char *)pgas_private(pgas_local_threads, nbytes);
    m->all = (char *)pgas_private(pgas_threads(), nbytes);
  }
  memcpy(m->parts + pgas_self * nbytes, mine, nbytes);
  last = ++m->brought == pgas_local_threads;
  pthread_mutex_unlock(&mutex);
  if (last) {
    gasnet_coll_gather_all(GASNET_TEAM_ALL, m->all, m->parts, pgas_local_threads * nbytes, FLAGS);
    tell_rank(COLLECTED, collectives);
  }
  await(COLLECTED, collectives);
  memcpy(all, m->all, pgas_threads() * nbytes);
  pthread_mutex_lock(&mutex);
  if (++m->left == pgas_local_threads) {
    free(m->parts), free(m->all);
    *m = (struct meeting){0, 0, NULL, NULL};
  }
  pthread_mutex_unlock(&mutex);
}

void pgas_broadcast(void *data, size_t nbytes, uint32_t root) {
  char *all = (char *)pgas_private(pgas_threads(), nbytes);
  pgas_gather_all(all, data, nbytes);
  memcpy(data, all + root * nbytes, nbytes);
  free(all);
}

static void reduce(double *values, size_t count, int largest) {
  double *all = (double *)pgas_private(pgas_threads(), count * sizeof *all);
  pgas_gather_all(all, values, count * sizeof *all);
  for (size_t i = 0; i < count; i++) {
    values[i] = all[i];
    for (uint32_t t = 1; t < pgas_threads(); t++) {
      double other = all[t * count + i];
      if (!largest) values[i] += other;
      else if (other > values[i]) values[i] = other;
    }
  }
  free(all);
}
void pgas_sum(double *values, size_t count) { reduce(values, count, 0); }
void pgas_max(double *values, size_t count) { reduce(values, count, 1); }
