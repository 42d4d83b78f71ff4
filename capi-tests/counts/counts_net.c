/* Puts and gets over a network, where their parts belong to both ranks: start, the owner's poll, the wait at the end. */
#include "counts.h"

#include <unistd.h>

static void poll(int times) {
  for (int i = 0; i < times; i++) gasnet_AMPoll();
}
/* For longer than an acknowledgement is held back. */
static void polls(int times) {
  (void)times;
  for (int i = 0; i < 20; i++) {
    poll(20);
    usleep(500);
  }
}

static gasnet_handle_t handle;
static void put(int times) { (void)times, handle = gasnet_put_nb(peer, there, here, 8); }
static void get(int times) { (void)times, handle = gasnet_get_nb(here, peer, there, 8); }
static void finish(int times) { (void)times, gasnet_wait_syncnb(handle); }
static void put_nbi(int times) {
  for (int i = 0; i < times; i++) gasnet_put_nbi(peer, there, here, 8);
}
static void sync_nbi(int times) { (void)times, gasnet_wait_syncnbi_puts(); }

const struct scenario net_scenarios[] = {
  {MANY, {{0, "nothing", nothing}}},
  {MANY, {{0, "poll with nothing there", poll}}},
  {MANY, {{0, NULL, put}, {0, "poll while a put is in flight", poll}, {1, NULL, polls}, {0, NULL, finish}}},
  {1, {{0, "put of 8 B: start", put}, {1, NULL, polls}, {0, "put of 8 B: sync", finish}, {0, NULL, polls}}},
  {1, {{0, "get of 8 B: start", get}, {1, NULL, polls}, {0, "get of 8 B: sync", finish}, {0, NULL, polls}}},
  {MANY, {{0, "put_nbi of 8 B: start", put_nbi}, {1, NULL, polls}, {0, "put_nbi of 8 B: a share of the sync", sync_nbi}, {0, NULL, polls}}},
  {0},
};
