/* Polls, barriers, events, atomics, locks. */
#include "counts.h"

/* The loop that each step has. */
void nothing(int times) {
  for (int i = 0; i < times; i++) __asm__ volatile("");
}
static void poll(int times) {
  for (int i = 0; i < times; i++) gasnet_AMPoll();
}

static void notify(int times) { (void)times, gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS); }
static void wait(int times) { (void)times, gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS); }

static gex_Event_t event;
static void ex_notify(int times) { (void)times, event = gex_Coll_BarrierNB(team, 0); }
static void ex_test(int times) {
  for (int i = 0; i < times; i++) (void)gex_Event_Test(event);
}
static void ex_whole(int times) { (void)times, gex_Event_Wait(gex_Coll_BarrierNB(team, 0)); }
static void ex_wait(int times) { (void)times, gex_Event_Wait(event); }

static void fetch_add(int times) {
  static uint64_t before;
  for (int i = 0; i < times; i++)
    gex_Event_Wait(gex_AD_OpNB_U64(counters, &before, peer, (uint64_t *)(void *)there, GEX_OP_FADD, 1, 0, 0));
}
static void fetch_add_nbi(int times) {
  static uint64_t before;
  for (int i = 0; i < times; i++) gex_AD_OpNBI_U64(counters, &before, peer, (uint64_t *)(void *)there, GEX_OP_FADD, 1, 0, 0);
  gex_NBI_Wait(GEX_EC_RMW, 0);
}

static gasnet_hsl_t hsl = GASNET_HSL_INITIALIZER;
static void lock(int times) {
  for (int i = 0; i < times; i++) {
    gasnet_hsl_lock(&hsl);
    gasnet_hsl_unlock(&hsl);
    __asm__ volatile("" ::: "memory"); /* in SEQ the loop would otherwise be removed */
  }
}

const struct scenario other_scenarios[] = {
  {MANY, {{0, "nothing", nothing}}},
  {MANY, {{0, "poll with nothing there", poll}}},
  {MANY, {{0, "HSL lock and unlock", lock}}},
  {1, {{1, "barrier: first notify", notify}, {0, "barrier: last notify", notify}, {0, "barrier: wait, all are there", wait}, {1, NULL, wait}}},
  {1, {{1, NULL, ex_notify}, {0, "gex barrier: the last of two", ex_notify}, {0, "gex barrier: its wait", ex_wait}, {1, NULL, ex_wait}}},
  {MANY, {{0, NULL, ex_notify}, {0, "test of an event that is not done", ex_test}, {1, NULL, ex_whole}, {0, NULL, ex_wait}}},
  {MANY, {{0, "fetch-add and its wait", fetch_add}}},
  {MANY, {{0, "fetch-add NBI and a share of the wait", fetch_add_nbi}}},
  {0},
};
