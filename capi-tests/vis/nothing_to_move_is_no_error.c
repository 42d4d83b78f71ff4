// Empty lists (also NULL), pieces of no bytes, a count or element of 0 move nothing and complete at once, in every form.
#include "vis.h"

int main(int argc, char **argv) {
  gex_Memvec_t none[2] = { { NULL, 0 }, { NULL, 0 } };
  void *addr[1] = { NULL };
  ptrdiff_t stride[2] = { 8, 16 };
  size_t zero[2] = { 4, 0 };
  struct strided r;
  int form;
  vis_start(&argc, &argv, NULL, 0, KiB(64));
  memset(seg(me), 7, 64);
  barrier();
  memset(&r, 0, sizeof r);
  r.levels = 2, r.count[0] = 8, r.count[1] = 0, r.count[2] = 3;
  for (form = 0; form < VIS_FORMS; form++) {
    putv(form, next_rank(), 0, NULL, 0, NULL), getv(form, next_rank(), 0, NULL, 0, NULL);
    putv(form, next_rank(), 2, none, 0, NULL), getv(form, next_rank(), 1, none, 2, none);
    puti(form, next_rank(), 0, NULL, 8, 0, NULL, 4), geti(form, next_rank(), 0, NULL, 8, 0, NULL, 4);
    puti(form, next_rank(), 1, addr, 0, 0, NULL, 4), geti(form, next_rank(), 0, NULL, 1, 1, addr, 0);
    puts_(form, next_rank(), seg(next_rank()), &r, seg(me)), gets_(form, next_rank(), seg(me), &r, seg(next_rank()));
  }
  CHECK(gex_VIS_StridedPutNB(tm, next_rank(), seg(next_rank()), stride, seg(me), stride, 8, zero, 2, 0) == GEX_EVENT_INVALID);
  CHECK(gex_VIS_StridedPutNB(tm, next_rank(), NULL, NULL, NULL, NULL, 0, NULL, 2, 0) == GEX_EVENT_INVALID);
  /* No levels: one contiguous run, for any arrays. */
  memset(seg(me) + 128, 9, 32);
  CHECK(gex_VIS_StridedPutBlocking(tm, next_rank(), seg(next_rank()) + 64, NULL, seg(me) + 128, NULL, 32, NULL, 0, 0) == 0);
  barrier();
  CHECK(all_bytes(seg(me), 64, 7));
  CHECK(all_bytes(seg(me) + 64, 32, 9));
  return check_end();
}
