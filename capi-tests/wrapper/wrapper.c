/* The wrapper: the only file that includes GASNet's headers. */
#include "wrapper.h"

#include <gasnetex.h>
#include <gasnet_ratomic.h>
#include <stdio.h>
#include <stdlib.h>

static gex_Client_t client;
static gex_EP_t ep;
static gex_TM_t team;
static gex_AD_t domain;
static wrapper_message on_message;
static void *its_context;

static void check(int code, const char *call) {
  if (code == GASNET_OK) return;
  fprintf(stderr, "FAIL %s: %s\n", call, gasnet_ErrorDesc(code));
  gasnet_exit(2);
}

static void arrived(gex_Token_t token, void *data, size_t bytes, gex_AM_Arg_t word) {
  gex_Token_Info_t info;
  gex_Token_Info(token, &info, GEX_TI_SRCRANK);
  on_message(its_context, info.gex_srcrank, data, bytes, (uint32_t)word);
}

enum { MEDIUM = GEX_AM_INDEX_BASE, LONG };

static void init(int *argc, char ***argv) { check(gex_Client_Init(&client, &ep, &team, "wrapper", argc, argv, 0), "gex_Client_Init"); }

static void attach(size_t bytes, wrapper_message message, void *context) {
  static gex_AM_Entry_t table[] = {
    {MEDIUM, (gex_AM_Fn_t)arrived, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST, 1, NULL, "medium"},
    {LONG, (gex_AM_Fn_t)arrived, GEX_FLAG_AM_LONG | GEX_FLAG_AM_REQUEST, 1, NULL, "long"},
  };
  gex_Segment_t segment;
  on_message = message, its_context = context;
  check(gex_EP_RegisterHandlers(ep, table, sizeof table / sizeof *table), "gex_EP_RegisterHandlers");
  check(gex_Segment_Attach(&segment, team, bytes), "gex_Segment_Attach");
  gex_AD_Create(&domain, team, GEX_DT_U64, GEX_OP_FADD, 0);
}

static unsigned rank(void) { return gex_TM_QueryRank(team); }
static unsigned ranks(void) { return gex_TM_QuerySize(team); }

static void *segment(unsigned of, size_t *bytes) {
  void *at = NULL;
  uintptr_t size = 0;
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(team, of, &at, NULL, &size, 0));
  *bytes = size;
  return at;
}

static size_t longest(void) { return gex_AM_MaxRequestMedium(team, GEX_RANK_INVALID, GEX_EVENT_NOW, 0, 1); }

static void send_message(unsigned to, const void *data, size_t bytes, uint32_t word) {
  check(gex_AM_RequestMedium1(team, to, MEDIUM, (void *)data, bytes, GEX_EVENT_NOW, 0, (gex_AM_Arg_t)word), "gex_AM_RequestMedium");
}

static void send_to(unsigned to, const void *data, size_t bytes, void *at, uint32_t word) {
  check(gex_AM_RequestLong1(team, to, LONG, (void *)data, bytes, at, GEX_EVENT_NOW, 0, (gex_AM_Arg_t)word), "gex_AM_RequestLong");
}

static void put(unsigned to, void *at, const void *from, size_t bytes) {
  gex_Event_Wait(gex_RMA_PutNB(team, to, at, (void *)from, bytes, GEX_EVENT_DEFER, 0));
}

static void get(void *to, unsigned from, const void *at, size_t bytes) { gex_Event_Wait(gex_RMA_GetNB(team, to, from, (void *)at, bytes, 0)); }

static uint64_t add(unsigned to, void *at, uint64_t number) {
  uint64_t before = 0;
  gex_Event_Wait(gex_AD_OpNB_U64(domain, &before, to, at, GEX_OP_FADD, number, 0, 0));
  return before;
}

static void poll_once(void) { gasnet_AMPoll(); }
static void barrier(void) { gex_Event_Wait(gex_Coll_BarrierNB(team, 0)); }
static void leave(int code) { gasnet_exit(code); }

__attribute__((visibility("default"))) wrapper_open_function wrapper_open;

int wrapper_open(struct wrapper *table, size_t bytes) {
  static const struct wrapper all = {init, attach, rank, ranks, segment, longest, send_message, send_to, put, get, add, poll_once, barrier, leave};
  if (bytes != sizeof all) return 0;
  *table = all;
  return 1;
}
