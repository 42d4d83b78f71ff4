// The trace and statistics of a program with known operations are checked, for all settings of categories, ranks and outputs; judge has the cases.
// ranks: 2
// once: yes
// wrap: bash $here/trace/judge
// case every_call_is_a_line: exit 0
// case masks_choose_letters: exit 0
// case what_is_carried_is_shown: exit 0
// case only_some_ranks_write: exit 0
// case all_ranks_share_a_file: exit 0
// case a_stream_is_a_file: exit 0; stderr /\(P\) gasnet_put: to=[01] bytes=8 us=/
// case local_transfers_may_be_left_out: exit 0
// case statistics_equal_what_was_done: exit 0
// case json_is_valid_and_arrows_join: exit 0
// case one_json_for_all: exit 0
// case text_becomes_json: exit 0
// case reports_add_up: exit 0
// case a_job_that_aborts_leaves_its_trace: exit any; chatter
// case a_fatal_error_leaves_its_trace: exit any; chatter
// case a_job_that_exits_leaves_its_trace: exit 3
// case a_killed_rank_has_written_what_was_flushed: exit any; chatter
// case an_unwritable_file_is_named: exit nonzero; stderr /GASNET_TRACEFILE='?\/nowhere\/t/
// case unwritable_statistics_are_named: exit nonzero; stderr /GASNET_STATSFILE='?\/nowhere\/s/
// case an_unknown_letter_is_named: exit nonzero; stderr /GASNET_TRACEMASK='PZ'.*'Z'/
// case masks_change_at_run_time: exit 0
// case clients_print: exit 0
#include <signal.h>

#include "check.h"
#include <gasnet_tools.h>

static volatile int replies, mediums;
static void on_request(gasnet_token_t token, gasnet_handlerarg_t a) { gasnet_AMReplyShort1(token, 201, a); }
static void on_reply(gasnet_token_t token, gasnet_handlerarg_t a) { (void)token, (void)a, replies++; }
static void on_medium(gasnet_token_t token, void *buf, size_t n) { (void)token, (void)buf, (void)n, mediums++; }
static void at_dump(void (*print)(const char *, ...)) { print("widgets %d", 42); }

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = {HANDLER(200, on_request), HANDLER(201, on_reply), HANDLER(202, on_medium)};
  const char *way = argc > 1 ? argv[1] : "";
  char buf[256] = {0};
  gasnet_handle_t handle;
  check_start(&argc, &argv, table, 3, GASNET_PAGESIZE);
  if (!strcmp(way, "masks_change_at_run_time")) {
    CHECK(!strcmp(GASNETT_TRACE_GETMASK(), "PU"));
    GASNETT_TRACE_SETMASK("");
    gasnet_put(next_rank(), seg(next_rank()), buf, 48);
    GASNETT_TRACE_SETMASK("^X");
    CHECK(!strcmp(GASNETT_TRACE_GETMASK(), "GPRSWBLAIOCDNHU"));
  }
  for (int i = 0; i < 5; i++) gasnet_put(next_rank(), seg(next_rank()), buf, 8);
  for (int i = 0; i < 3; i++) gasnet_get(buf, next_rank(), seg(next_rank()), (size_t)16 << i);
  gasnet_put_val(me, seg(me) + 512, 7, 4);
  handle = gasnet_put_nb_bulk(next_rank(), seg(next_rank()), buf, 200);
  gasnet_wait_syncnb(handle);
  gasnet_barrier_notify(7, 0);
  CHECK(gasnet_barrier_wait(7, 0) == GASNET_OK);
  for (int i = 0; i < 4; i++) gasnet_AMRequestShort1(next_rank(), 200, i);
  for (int i = 0; i < 2; i++) gasnet_AMRequestMedium0(next_rank(), 202, buf, 100);
  GASNET_BLOCKUNTIL(replies == 4 && mediums == 2);
  GASNETT_TRACE_PRINTF("step %d of %s", 7, "known");
  GASNETT_TRACE_PRINTF_FORCE("whatever the mask");
  if (!strcmp(way, "clients_print")) {
    CHECK(GASNETT_TRACE_ENABLED);
    GASNETT_STATS_PRINTF("counted by %s", "the client");
    CHECK_EQ(GASNETT_STATS_INIT(at_dump), 1);
    GASNETT_STATS_DUMP(1);
  }
  barrier();
  if (me == 1) {
    if (!strcmp(way, "a_job_that_aborts_leaves_its_trace")) abort();
    if (!strcmp(way, "a_fatal_error_leaves_its_trace")) gasnett_fatalerror("on purpose");
    if (!strcmp(way, "a_killed_rank_has_written_what_was_flushed")) raise(SIGKILL);
    if (!strcmp(way, "a_job_that_exits_leaves_its_trace")) gasnet_exit(3);
  }
  if (strstr(way, "leaves_its_trace") || strstr(way, "killed_rank")) GASNET_BLOCKUNTIL(0);
  return check_end();
}
