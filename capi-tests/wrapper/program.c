/* program WRAPPER exit|return|close|thread: knows nothing of GASNet but what the wrapper offers. Each rank sends messages to all, puts, gets and adds;
 * then it ends by the wrapper's `leave`, by return from main, by return after dlclose, or the same while another thread polls. */
#include "wrapper.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MESSAGES = 200, BLOCK = 100000, MOST_RANKS = 64 };

static struct wrapper gasnet;
static atomic_uint came, came_long, bad;
static atomic_int ends;

static void fail(const char *what) {
  fprintf(stderr, "FAIL %s\n", what);
  _exit(9);
}

static unsigned char byte_of(unsigned from, unsigned to, size_t at) { return (unsigned char)(from * 31 + to * 7 + at % 251); }

static void fill(unsigned char *to, size_t bytes, unsigned from, unsigned target) {
  for (size_t at = 0; at < bytes; at++) to[at] = byte_of(from, target, at);
}

static int agrees(const unsigned char *data, size_t bytes, unsigned from, unsigned to) {
  for (size_t at = 0; at < bytes; at++)
    if (data[at] != byte_of(from, to, at)) return 0;
  return 1;
}

static void on_message(void *context, unsigned from, const void *data, size_t bytes, uint32_t word) {
  if (context != &came || !agrees(data, bytes, from, gasnet.rank())) bad++;
  if (word == MESSAGES) came_long++;
  else came++;
}

static void *polls(void *unused) {
  (void)unused;
  while (!ends) gasnet.poll();
  return NULL;
}

int main(int argc, char **argv) {
  if (argc < 3) fail("usage: program WRAPPER exit|return|close|thread");
  alarm(100);
  void *file = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!file) fail(dlerror());
  wrapper_open_function *open_it;
  void *symbol = dlsym(file, "wrapper_open");
  memcpy(&open_it, &symbol, sizeof open_it);
  if (!symbol || !open_it(&gasnet, sizeof gasnet)) fail("wrapper_open");
  /* Nothing of GASNet is visible to the program, or to others that it opens. */
  if (dlsym(RTLD_DEFAULT, "gasnet_mynode") || dlsym(RTLD_DEFAULT, "gasneti_init")) fail("symbols of GASNet are visible");

  gasnet.init(&argc, &argv);
  const char *way = argv[2];
  const unsigned me = gasnet.rank(), ranks = gasnet.ranks();
  if (ranks > MOST_RANKS) fail("too many ranks");
  gasnet.attach(4 * MOST_RANKS * BLOCK / 4096 * 4096, on_message, &came);
  pthread_t thread;
  const int has_thread = !strcmp(way, "thread");
  if (has_thread && pthread_create(&thread, NULL, polls, NULL)) fail("pthread_create");

  unsigned char *data = malloc(BLOCK), *back = malloc(BLOCK);
  const size_t longest = gasnet.longest() < BLOCK ? gasnet.longest() : BLOCK;
  size_t bytes;
  gasnet.barrier();
  for (unsigned i = 0; i < MESSAGES; i++)
    for (unsigned to = 0; to < ranks; to++) {
      fill(data, i * longest / MESSAGES, me, to);
      gasnet.send(to, data, i * longest / MESSAGES, i);
    }
  for (unsigned to = 0; to < ranks; to++) {
    char *there = gasnet.segment(to, &bytes);
    fill(data, BLOCK, me, to);
    gasnet.send_to(to, data, BLOCK, there + (size_t)me * BLOCK, MESSAGES);
    gasnet.put(to, there + (size_t)(MOST_RANKS + me) * BLOCK, data, BLOCK);
    memset(back, 0, BLOCK);
    gasnet.get(back, to, there + (size_t)(MOST_RANKS + me) * BLOCK, BLOCK);
    if (!agrees(back, BLOCK, me, to)) fail("a get has other bytes than the put before");
    for (int i = 0; i < 10; i++) gasnet.add(to, there + (size_t)3 * MOST_RANKS * BLOCK, 1);
  }
  while (came < MESSAGES * ranks || came_long < ranks) gasnet.poll();
  gasnet.barrier();
  const unsigned char *mine = gasnet.segment(me, &bytes);
  for (unsigned from = 0; from < ranks; from++)
    if (!agrees(mine + (size_t)from * BLOCK, BLOCK, from, me) || !agrees(mine + (size_t)(MOST_RANKS + from) * BLOCK, BLOCK, from, me)) fail("the segment");
  uint64_t sum;
  memcpy(&sum, mine + (size_t)3 * MOST_RANKS * BLOCK, sizeof sum);
  if (sum != 10 * ranks) fail("the sum of the atomic operations");
  if (bad) fail("a message");
  printf("rank %u of %u ok\n", me, ranks);
  fflush(stdout);
  gasnet.barrier();
  if (has_thread) {
    ends = 1;
    pthread_join(thread, NULL);
  }
  if (!strcmp(way, "exit")) gasnet.leave(0);
  if (!strcmp(way, "close")) dlclose(file);
  return 0;
}
