// gasnet_coll_init whose images or table differ between ranks ends the job, in release clients, too.
// ranks: 2
// modes: par
// once: yes
// every case: exit nonzero
// case count: stderr /gasnet_coll_init: images\[[01]\] is [0-9] on rank [01], and [0-9] on rank [01]/
// case table: stderr /gasnet_coll_init: fn_count is [0-9] on rank [01], and [0-9] on rank/
// case flags: stderr /gasnet_coll_init: the flags of fn_tbl differ/
#include "../debug/misuse.h"
#include <gasnet_coll.h>

int main(int argc, char **argv) {
  gasnet_coll_fn_entry_t fns[2] = { { NULL, 0 }, { NULL, 0 } };
  gasnet_image_t images[2] = { 1, 1 };
  check_start(&argc, &argv, NULL, 0, KiB(64));
  misuse_begin(argc, argv);
  images[1 - me] = 2;
  fns[1].flags = me ? GASNET_COLL_NONCOMM : 0;
  MISUSE("count", gasnet_coll_init(images, me ? 2 : 0, NULL, 0, 0));
  MISUSE("table", gasnet_coll_init(NULL, 0, fns, me ? 2 : 1, 0));
  MISUSE("flags", gasnet_coll_init(NULL, 0, fns, 2, 0));
  return check_end();
}
