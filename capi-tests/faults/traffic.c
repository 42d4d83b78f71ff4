/* traffic [wait | die]: two ranks send each other Mediums, Longs, puts, gets and atomic operations to places all over a segment of 4 MiB, and compare all
 * bytes; or they wait for what never comes, and in the second case rank 1 makes the file FAULT_ONCE and dies of SIGKILL. */
#include <gasnetex.h>
#include <gasnet_ratomic.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEP = 36 << 10, HANDLER = 200 };
static gex_TM_t all;
static gex_Rank_t me, peer;
static volatile int handled, wrong;

static void fill(unsigned char *at, size_t bytes, unsigned seed) {
  for (size_t i = 0; i < bytes; i++) at[i] = (unsigned char)(seed * 7 + i % 253);
}

static int is_filled(const unsigned char *at, size_t bytes, unsigned seed) {
  for (size_t i = 0; i < bytes; i++)
    if (at[i] != (unsigned char)(seed * 7 + i % 253)) return 0;
  return 1;
}

static void on_message(gex_Token_t token, void *data, size_t bytes, gex_AM_Arg_t seed) {
  (void)token;
  if (!is_filled(data, bytes, (unsigned)seed)) wrong++;
  handled++;
}

static void fail(const char *what) {
  fprintf(stderr, "FAIL rank %d: %s\n", (int)me, what);
  gasnet_exit(9);
}

static void barrier(void) { gex_Event_Wait(gex_Coll_BarrierNB(all, 0)); }

int main(int argc, char **argv) {
  const size_t segment_bytes = 4 << 20, sizes[] = {8, 3000, 50000, 300000};
  gex_AM_Entry_t table[] = {{HANDLER, (gex_AM_Fn_t)on_message, GEX_FLAG_AM_MEDLONG | GEX_FLAG_AM_REQUEST, 1, NULL, NULL}};
  unsigned char *data = malloc(512 << 10), *back = malloc(512 << 10);
  gex_Client_t client;
  gex_EP_t ep;
  gex_Segment_t segment;
  gex_AD_t domain;
  void *base, *mine;
  uintptr_t size;
  int sent = 0;
  uint64_t before;
  alarm(55);
  gex_Client_Init(&client, &ep, &all, "traffic", &argc, &argv, 0);
  me = gex_TM_QueryRank(all), peer = (me + 1) % gex_TM_QuerySize(all);
  gex_EP_RegisterHandlers(ep, table, 1);
  gex_Segment_Attach(&segment, all, segment_bytes);
  gex_AD_Create(&domain, all, GEX_DT_U64, GEX_OP_FADD | GEX_OP_FCAS | GEX_OP_SET, 0);
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(all, peer, &base, NULL, &size, 0));
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(all, me, &mine, NULL, &size, 0));
  barrier();
  if (argc > 1) {
    printf("rank %d waits\n", (int)me);
    fflush(stdout);
    if (!strcmp(argv[1], "die")) {
      if (me == 1) {
        fclose(fopen(getenv("FAULT_ONCE"), "w"));
        raise(SIGKILL);
      }
      /* Never asleep, so that the call of the library that aborts comes before the news of the death. */
      for (;;) gasnet_AMPoll();
    }
    GASNET_BLOCKUNTIL(handled < 0);
  }
  for (unsigned i = 0; i < 4; i++) {
    for (size_t at = 0; at + sizes[i] <= size; at += 5 * STEP) {
      unsigned char *there = (unsigned char *)base + at;
      fill(data, sizes[i], (unsigned)at / STEP);
      gex_RMA_PutBlocking(all, peer, there, data, sizes[i], 0);
      memset(back, 0, sizes[i]);
      gex_RMA_GetBlocking(all, back, peer, there, sizes[i], 0);
      if (!is_filled(back, sizes[i], (unsigned)at / STEP)) fail("a get has other bytes than the put before");
    }
    barrier();
    for (size_t at = 0; at + sizes[i] <= size; at += sizes[i] + 5 * STEP) {
      fill(data, sizes[i], (unsigned)at / STEP);
      gex_AM_RequestLong1(all, peer, HANDLER, data, sizes[i], (unsigned char *)base + at, GEX_EVENT_NOW, 0, (gex_AM_Arg_t)(at / STEP));
      sent++;
      if (sizes[i] <= gex_AM_MaxRequestMedium(all, peer, GEX_EVENT_NOW, 0, 1)) {
        gex_AM_RequestMedium1(all, peer, HANDLER, data, sizes[i], GEX_EVENT_NOW, 0, (gex_AM_Arg_t)(at / STEP));
        sent++;
      }
    }
    /* Both ranks send the same number. */
    GASNET_BLOCKUNTIL(handled == sent);
    if (wrong) fail("a message has other bytes than were sent");
    barrier();
  }
  for (size_t at = 0; at + 8 <= size; at += 20 * STEP) {
    unsigned char *there = (unsigned char *)base + at;
    gex_Event_Wait(gex_AD_OpNB_U64(domain, NULL, peer, there, GEX_OP_SET, 5, 0, 0));
    gex_Event_Wait(gex_AD_OpNB_U64(domain, &before, peer, there, GEX_OP_FADD, 3, 0, 0));
    if (before != 5) fail("fetch-add");
    gex_Event_Wait(gex_AD_OpNB_U64(domain, &before, peer, there, GEX_OP_FCAS, 8, 1, 0));
  }
  barrier();
  printf("rank %d ok\n", (int)me);
  fflush(stdout);
  barrier();
  gasnet_exit(0);
}
