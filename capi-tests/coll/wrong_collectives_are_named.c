// Images, functions, layouts, flags and addresses that cannot be are named, as are collectives where none may be started.
// ranks: 1 2
// modes: par
// debug: yes
// every case: exit nonzero; stderr /@AT@/
// case no_images: stderr /gasnet_coll_init: images\[0\] is 0/
// case my_image: stderr /gasnet_coll_init: my_image is [0-9]+.*the images of rank/
// case twice: stderr /gasnet_coll_init: called a second time/
// case no_table: stderr /gasnet_coll_init: fn_tbl is NULL, and fn_count 3/
// case init_flags: stderr /gasnet_coll_init: init_flags 0x1/
// case no_image: stderr /gasnet_coll_broadcast: this thread is not one of the 2 images/
// case list: stderr /gasnet_coll_gather_allM: dstlist is NULL/
// case sync: stderr /gasnet_coll_exchangeM: flags .* have 0 of GASNET_COLL_IN/
// case two_modes: stderr /gasnet_coll_scatterM: flags .* have 2 of GASNET_COLL_LOCAL/
// case scan_kind: stderr /gasnet_coll_scan: flags .* have 0 of GASNET_COLL_INCLUSIVE_SCAN/
// case root: stderr /gasnet_coll_reduceM: dstimage 9 is not below/
// case function: stderr /gasnet_coll_reduce: func 4 is not one of the 2 functions/
// case null_function: stderr /gasnet_coll_reduce: function 1 of the table .* is NULL/
// case elem_size: stderr /gasnet_coll_reduce: elem_size is 0/
// case offset: stderr /gasnet_coll_reduce: src_offset is 1 and src_blksz 0/
// case image: stderr /gasnet_coll_scan: dst_offset 7 is not below the number of images of the team/
// case aggregate: stderr /gasnet_coll_gather: GASNET_COLL_AGGREGATE/
// case dst: stderr /gasnet_coll_broadcast: dst .* is not in the segment/
// case src: stderr /gasnet_coll_gather_all: src .* is not in the segment/
// case space: stderr /gasnet_coll_reduce: .* exceeds* the address space/
// case phase: stderr /gasnet_coll_broadcast: called between a barrier's notify and its wait/
// case handler: stderr /gasnet_coll_broadcast: called from an AM handler/
// case synced: stderr /gasnet_coll_wait_sync: handle .* (was already synchronised|was not returned by GASNet)/
// case freed: stderr /gasnet_coll_broadcast: tm .* was destroyed/
// case freed_barrier: stderr /gasnet_coll_barrier_notify: tm .* was destroyed/
// case tune: stderr /gasnet_coll_tune_generic_op: op 12/
#include "../debug/misuse.h"
#include <gasnet_coll.h>

static char a[256], b[256];
static int flags = GASNET_COLL_LOCAL | GASNET_COLL_IN_ALLSYNC | GASNET_COLL_OUT_ALLSYNC;
#define ALL_ GASNET_TEAM_ALL

static void add(void *results, size_t n, const void *left, size_t nleft, const void *right, size_t size, int f, int arg) {
  (void)results, (void)n, (void)left, (void)nleft, (void)right, (void)size, (void)f, (void)arg;
}
static void handler(gasnet_token_t token) {
  (void)token;
  MISUSE("handler", gasnet_coll_broadcast(ALL_, b, 0, a, 8, flags));
}
static gasnet_image_t images[2] = { 2, 2 };
static void image(int i) { gasnet_coll_init(images, 2 * me + (gasnet_image_t)i, NULL, 0, 0); }

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, handler) };
  gasnet_coll_fn_entry_t fns[2] = { { add, 0 }, { NULL, 0 } };
  gasnet_image_t zero[2] = { 0, 1 };
  void *list[2] = { b, b + 128 };
  gasnet_team_handle_t part;
  gasnet_coll_args_t args = GASNET_COLL_ARGS_INITIALIZER;
  check_start(&argc, &argv, table, 1, KiB(64));
  misuse_begin(argc, argv);
  MISUSE("no_images", gasnet_coll_init(zero, 0, NULL, 0, 0));
  MISUSE("my_image", gasnet_coll_init(images, 2 * me + 2, NULL, 0, 0));
  MISUSE("no_table", gasnet_coll_init(NULL, 0, NULL, 3, 0));
  MISUSE("init_flags", gasnet_coll_init(NULL, 0, NULL, 0, 1));
  MISUSE("no_image", on_threads(2, image); gasnet_coll_broadcast(ALL_, b, 0, a, 8, flags));
  gasnet_coll_init(NULL, 0, fns, 2, 0);
  part = gasnet_coll_team_split(ALL_, 0, me, NULL);
  MISUSE("twice", gasnet_coll_init(NULL, 0, fns, 2, 0));
  MISUSE("list", gasnet_coll_gather_allM(ALL_, NULL, list, 8, flags));
  MISUSE("sync", gasnet_coll_exchangeM(ALL_, list, list, 8, GASNET_COLL_LOCAL | GASNET_COLL_OUT_NOSYNC));
  MISUSE("two_modes", gasnet_coll_scatterM(ALL_, list, 0, a, 8, flags | GASNET_COLL_SINGLE));
  MISUSE("scan_kind", gasnet_coll_scan(ALL_, b, 1, 0, a, 1, 0, 4, 2, 0, 0, flags));
  MISUSE("root", gasnet_coll_reduceM(ALL_, 9, b, list, 0, 0, 4, 2, 0, 0, flags));
  MISUSE("function", gasnet_coll_reduce(ALL_, 0, b, a, 0, 0, 4, 2, 4, 0, flags));
  MISUSE("null_function", gasnet_coll_reduce(ALL_, 0, b, a, 0, 0, 4, 2, 1, 0, flags));
  MISUSE("elem_size", gasnet_coll_reduce(ALL_, 0, b, a, 0, 0, 0, 2, 0, 0, flags));
  MISUSE("offset", gasnet_coll_reduce(ALL_, 0, b, a, 0, 1, 4, 2, 0, 0, flags));
  MISUSE("image", gasnet_coll_scan(ALL_, b, 0, 7, a, 1, 0, 4, 2, 0, 0, flags | GASNET_COLL_EXCLUSIVE_SCAN));
  MISUSE("aggregate", gasnet_coll_gather(ALL_, 0, b, a, 4, flags | GASNET_COLL_AGGREGATE));
  MISUSE("dst", gasnet_coll_broadcast(ALL_, b, 0, a, 8, flags | GASNET_COLL_DST_IN_SEGMENT));
  MISUSE("src", gasnet_coll_gather_all(ALL_, b, a, 8, flags | GASNET_COLL_SRC_IN_SEGMENT));
  MISUSE("space", gasnet_coll_reduce(part, 0, b, a, 0, 0, 8, SIZE_MAX / 2, 0, 0, flags));
  MISUSE("phase", gasnet_barrier_notify(0, 0); gasnet_coll_broadcast(ALL_, b, 0, a, 8, flags));
  MISUSE("synced", gasnet_coll_handle_t h = gasnet_coll_broadcast_nb(ALL_, b, 0, a, 8, flags); gasnet_coll_wait_sync(h); gasnet_coll_wait_sync(h ? h : (gasnet_coll_handle_t)64));
  MISUSE("freed", gasnete_coll_team_free(part); gasnet_coll_broadcast(part, b, 0, a, 8, flags));
  MISUSE("freed_barrier", gasnete_coll_team_free(part); gasnet_coll_barrier_notify(part, 0, 0));
  MISUSE("tune", gasnet_coll_tune_generic_op(ALL_, (gasnet_coll_optype_t)12, args, 0, NULL, NULL, NULL, NULL, NULL, NULL));
  if (strcmp(misuse_case, "handler") == 0) {
    gasnet_AMRequestShort0(me, 200);
    sleep(1);
  }
  return check_end();
}
