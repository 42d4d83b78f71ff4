// Puts, gets, mediums and barriers between all ranks for some seconds; every byte is checked.
//   work SECONDS      prints "running" once everybody is, and "ok RANK ROUNDS" at the end
//   work forever      until something ends it
#include <gasnet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { H_MEDIUM = 200, H_ACK = 201, PIECE = 48 << 10 };
static volatile unsigned acks, bad;
static gasnet_node_t me, ranks;

static unsigned char byte_of(unsigned from, unsigned to, unsigned round, unsigned at) {
  return (unsigned char)(from * 7 + to * 13 + round * 31 + at * 3 + (at >> 8));
}

static void fill(unsigned char *to, unsigned from, unsigned rank, unsigned round, unsigned bytes) {
  for (unsigned at = 0; at < bytes; at++) to[at] = byte_of(from, rank, round, at);
}

static int differs(const unsigned char *got, unsigned from, unsigned rank, unsigned round, unsigned bytes) {
  for (unsigned at = 0; at < bytes; at++)
    if (got[at] != byte_of(from, rank, round, at)) return 1;
  return 0;
}

static void medium(gasnet_token_t token, void *buf, size_t nbytes, gasnet_handlerarg_t round) {
  gasnet_node_t from;
  gasnet_AMGetMsgSource(token, &from);
  if (differs(buf, from, me, (unsigned)round, (unsigned)nbytes)) bad++;
  gasnet_AMReplyShort1(token, H_ACK, round);
}

static void ack(gasnet_token_t token, gasnet_handlerarg_t round) {
  (void)token;
  (void)round;
  acks++;
}

static void all_meet(void) {
  gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
  if (gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS) != GASNET_OK) bad++;
}

int main(int argc, char **argv) {
  static gasnet_handlerentry_t table[] = {{H_MEDIUM, (void (*)(void))medium}, {H_ACK, (void (*)(void))ack}};
  if (gasnet_init(&argc, &argv) != GASNET_OK) return 1;
  me = gasnet_mynode();
  ranks = gasnet_nodes();
  const int forever = argc < 2 || !strcmp(argv[1], "forever");
  const double seconds = forever ? 0 : atof(argv[1]);
  uintptr_t size = (2 * (uintptr_t)ranks * PIECE + GASNET_PAGESIZE - 1) / GASNET_PAGESIZE * GASNET_PAGESIZE;
  if (gasnet_attach(table, 2, size, 0) != GASNET_OK) return 1;
  gasnet_seginfo_t *segments = malloc(ranks * sizeof *segments);
  gasnet_getSegmentInfo(segments, (int)ranks);
  unsigned char *mine = segments[me].addr, *out = malloc((size_t)ranks * PIECE), *in = malloc(PIECE);
  unsigned *go_on = malloc(ranks * sizeof *go_on);
  gasnet_hold_interrupts();
  gasnet_resume_interrupts();
  all_meet();
  if (me == 0) {
    printf("running\n");
    fflush(stdout);
  }
  struct timespec start, now;
  clock_gettime(CLOCK_MONOTONIC, &start);
  unsigned round = 0, more = 1;
  while (more) {
    round++;
    /* Sizes below and above a datagram's. */
    const unsigned bytes = round % 3 ? 200 + round % 1500 : PIECE, medium_bytes = bytes < 4000 ? bytes : 4000;
    acks = 0;
    for (unsigned to = 0; to < ranks; to++) {
      fill(out + (size_t)to * PIECE, me, to, round, bytes);
      gasnet_put_nbi_bulk(to, (unsigned char *)segments[to].addr + (size_t)me * PIECE, out + (size_t)to * PIECE, bytes);
      gasnet_AMRequestMedium1(to, H_MEDIUM, out + (size_t)to * PIECE, medium_bytes, (gasnet_handlerarg_t)round);
    }
    gasnet_wait_syncnbi_all();
    GASNET_BLOCKUNTIL(acks == ranks);
    all_meet();
    for (unsigned from = 0; from < ranks; from++)
      if (differs(mine + (size_t)from * PIECE, from, me, round, bytes)) bad++;
    const unsigned next = (me + 1) % ranks;
    gasnet_get_bulk(in, next, (unsigned char *)segments[next].addr + (size_t)me * PIECE, bytes);
    if (differs(in, me, next, round, bytes)) bad++;
    clock_gettime(CLOCK_MONOTONIC, &now);
    /* Rank 0 decides for all. */
    if (me == 0) {
      const double passed = (double)(now.tv_sec - start.tv_sec) + 1e-9 * (double)(now.tv_nsec - start.tv_nsec);
      for (unsigned to = 0; to < ranks; to++) go_on[to] = forever || passed < seconds;
      for (unsigned to = 0; to < ranks; to++)
        gasnet_put(to, (unsigned char *)segments[to].addr + (size_t)ranks * PIECE, &go_on[to], sizeof go_on[to]);
    }
    all_meet();
    memcpy(&more, mine + (size_t)ranks * PIECE, sizeof more);
    /* Nobody decides anew before all have read it. */
    all_meet();
  }
  if (bad) {
    printf("bad %u: %u\n", (unsigned)me, bad);
    fflush(stdout);
    gasnet_exit(1);
  }
  printf("ok %u %u\n", (unsigned)me, round);
  fflush(stdout);
  all_meet();
  gasnet_exit(0);
}
