// A debug client that passes a wrong rank, address, size or NULL is stopped with the call, the argument and its own file and line.
// ranks: 2
// modes: par
// debug: yes
// every case: exit nonzero; stderr /@AT@/
// case rank_put: stderr /gasnet_put[^a-z_].*(rank|node)/
// case rank_put_bulk: stderr /gasnet_put_bulk[^a-z_].*(rank|node)/
// case rank_get: stderr /gasnet_get[^a-z_].*(rank|node)/
// case rank_get_bulk: stderr /gasnet_get_bulk[^a-z_].*(rank|node)/
// case rank_put_nb: stderr /gasnet_put_nb[^a-z_].*(rank|node)/
// case rank_put_nb_bulk: stderr /gasnet_put_nb_bulk[^a-z_].*(rank|node)/
// case rank_get_nb: stderr /gasnet_get_nb[^a-z_].*(rank|node)/
// case rank_get_nb_bulk: stderr /gasnet_get_nb_bulk[^a-z_].*(rank|node)/
// case rank_put_nbi: stderr /gasnet_put_nbi[^a-z_].*(rank|node)/
// case rank_put_nbi_bulk: stderr /gasnet_put_nbi_bulk[^a-z_].*(rank|node)/
// case rank_get_nbi: stderr /gasnet_get_nbi[^a-z_].*(rank|node)/
// case rank_get_nbi_bulk: stderr /gasnet_get_nbi_bulk[^a-z_].*(rank|node)/
// case rank_put_val: stderr /gasnet_put_val[^a-z_].*(rank|node)/
// case rank_put_nb_val: stderr /gasnet_put_nb_val[^a-z_].*(rank|node)/
// case rank_put_nbi_val: stderr /gasnet_put_nbi_val[^a-z_].*(rank|node)/
// case rank_get_val: stderr /gasnet_get_val[^a-z_].*(rank|node)/
// case rank_get_nb_val: stderr /gasnet_get_nb_val[^a-z_].*(rank|node)/
// case rank_memset: stderr /gasnet_memset[^a-z_].*(rank|node)/
// case rank_memset_nb: stderr /gasnet_memset_nb[^a-z_].*(rank|node)/
// case rank_memset_nbi: stderr /gasnet_memset_nbi[^a-z_].*(rank|node)/
// case rank_AMRequestShort: stderr /gasnet_AMRequestShort[0-9]*[^a-zA-Z_].*(rank|node)/
// case rank_AMRequestMedium: stderr /gasnet_AMRequestMedium[0-9]*[^a-zA-Z_].*(rank|node)/
// case rank_AMRequestLong: stderr /gasnet_AMRequestLong[0-9]*[^a-zA-Z_].*(rank|node)/
// case rank_AMRequestLongAsync: stderr /gasnet_AMRequestLongAsync[0-9]*[^a-zA-Z_].*(rank|node)/
// case outside_put: stderr /gasnet_put.*(segment|0x)/
// case outside_put_bulk: stderr /gasnet_put_bulk.*(segment|0x)/
// case outside_get: stderr /gasnet_get.*(segment|0x)/
// case outside_get_bulk: stderr /gasnet_get_bulk.*(segment|0x)/
// case outside_put_nb: stderr /gasnet_put_nb.*(segment|0x)/
// case outside_get_nbi_bulk: stderr /gasnet_get_nbi_bulk.*(segment|0x)/
// case outside_put_val: stderr /gasnet_put_val.*(segment|0x)/
// case outside_get_val: stderr /gasnet_get_val.*(segment|0x)/
// case outside_memset: stderr /gasnet_memset.*(segment|0x)/
// case outside_AMRequestLong: stderr /gasnet_AMRequestLong.*(segment|0x)/
// case outside_own_segment: stderr /gasnet_put.*(segment|0x)/
// case null_put: stderr /gasnet_put.*(NULL|null)/
// case null_get: stderr /gasnet_get.*(NULL|null)/
// case null_put_nbi_bulk: stderr /gasnet_put_nbi_bulk.*(NULL|null)/
// case null_AMRequestMedium: stderr /gasnet_AMRequestMedium.*(NULL|null)/
// case null_AMRequestLong: stderr /gasnet_AMRequestLong.*(NULL|null)/
// case null_try_syncnb_all: stderr /gasnet_try_syncnb_all.*(NULL|null)/
// case null_wait_syncnb_some: stderr /gasnet_wait_syncnb_some.*(NULL|null)/
// case value_of_0_bytes: stderr /gasnet_put_val.*(nbytes|0)/
// case value_of_9_bytes: stderr /gasnet_get_val.*(nbytes|9)/
// case nb_value_of_9_bytes: stderr /gasnet_put_nb_val.*(nbytes|9)/
// case misaligned_put: stderr /gasnet_put.*align/
// case misaligned_get: stderr /gasnet_get.*align/
// case misaligned_put_nb: stderr /gasnet_put_nb.*align/
// case misaligned_get_nbi: stderr /gasnet_get_nbi.*align/
#include "misuse.h"

static void nop(gasnet_token_t t) { (void)t; }
static void nopm(gasnet_token_t t, void *b, size_t n) { (void)t, (void)b, (void)n; }

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, nop), HANDLER(201, nopm) };
  static uint64_t buf[4];
  gasnet_handle_t h = GASNET_INVALID_HANDLE;
  gasnet_valget_handle_t vh;
  gasnet_register_value_t v = 0;
  gasnet_node_t peer;
  check_start(&argc, &argv, table, 2, KiB(64));
  misuse_begin(argc, argv);
  peer = next_rank();
  if (me != 0) { barrier(); return check_end(); }
  MISUSE("rank_put", gasnet_put(nranks, seg(me), buf, 8));
  MISUSE("rank_put_bulk", gasnet_put_bulk(nranks + 5, seg(me), buf, 8));
  MISUSE("rank_get", gasnet_get(buf, nranks, seg(me), 8));
  MISUSE("rank_get_bulk", gasnet_get_bulk(buf, 1000000, seg(me), 8));
  MISUSE("rank_put_nb", h = gasnet_put_nb(nranks, seg(me), buf, 8));
  MISUSE("rank_put_nb_bulk", h = gasnet_put_nb_bulk(nranks, seg(me), buf, 8));
  MISUSE("rank_get_nb", h = gasnet_get_nb(buf, nranks, seg(me), 8));
  MISUSE("rank_get_nb_bulk", h = gasnet_get_nb_bulk(buf, nranks, seg(me), 8));
  MISUSE("rank_put_nbi", gasnet_put_nbi(nranks, seg(me), buf, 8));
  MISUSE("rank_put_nbi_bulk", gasnet_put_nbi_bulk(nranks, seg(me), buf, 8));
  MISUSE("rank_get_nbi", gasnet_get_nbi(buf, nranks, seg(me), 8));
  MISUSE("rank_get_nbi_bulk", gasnet_get_nbi_bulk(buf, nranks, seg(me), 8));
  MISUSE("rank_put_val", gasnet_put_val(nranks, seg(me), 1, 8));
  MISUSE("rank_put_nb_val", h = gasnet_put_nb_val(nranks, seg(me), 1, 8));
  MISUSE("rank_put_nbi_val", gasnet_put_nbi_val(nranks, seg(me), 1, 8));
  MISUSE("rank_get_val", v = gasnet_get_val(nranks, seg(me), 8));
  MISUSE("rank_get_nb_val", vh = gasnet_get_nb_val(nranks, seg(me), 8));
  MISUSE("rank_memset", gasnet_memset(nranks, seg(me), 0, 8));
  MISUSE("rank_memset_nb", h = gasnet_memset_nb(nranks, seg(me), 0, 8));
  MISUSE("rank_memset_nbi", gasnet_memset_nbi(nranks, seg(me), 0, 8));
  MISUSE("rank_AMRequestShort", gasnet_AMRequestShort0(nranks, 200));
  MISUSE("rank_AMRequestMedium", gasnet_AMRequestMedium0(nranks, 201, buf, 8));
  MISUSE("rank_AMRequestLong", gasnet_AMRequestLong0(nranks, 201, buf, 8, seg(me)));
  MISUSE("rank_AMRequestLongAsync", gasnet_AMRequestLongAsync0(nranks, 201, buf, 8, seg(me)));
  MISUSE("outside_put", gasnet_put(peer, seg(peer) + seg_size(peer), buf, 8));
  MISUSE("outside_put_bulk", gasnet_put_bulk(peer, seg(peer) + seg_size(peer) - 4, buf, 8));
  MISUSE("outside_get", gasnet_get(buf, peer, seg(peer) - 8, 8));
  MISUSE("outside_get_bulk", gasnet_get_bulk(buf, peer, seg(peer) - 4, 8));
  MISUSE("outside_put_nb", h = gasnet_put_nb(peer, seg(peer) + seg_size(peer), buf, 8));
  MISUSE("outside_get_nbi_bulk", gasnet_get_nbi_bulk(buf, peer, seg(peer) + seg_size(peer) - 4, 8));
  MISUSE("outside_put_val", gasnet_put_val(peer, seg(peer) + seg_size(peer), 1, 8));
  MISUSE("outside_get_val", v = gasnet_get_val(peer, seg(peer) + seg_size(peer) - 7, 8));
  MISUSE("outside_memset", gasnet_memset(peer, seg(peer), 0, seg_size(peer) + 1));
  MISUSE("outside_AMRequestLong", gasnet_AMRequestLong0(peer, 201, buf, 8, seg(peer) + seg_size(peer) - 4));
  MISUSE("outside_own_segment", gasnet_put(me, seg(me) + seg_size(me), buf, 8));
  MISUSE("null_put", gasnet_put(peer, seg(peer), NULL, 8));
  MISUSE("null_get", gasnet_get(NULL, peer, seg(peer), 8));
  MISUSE("null_put_nbi_bulk", gasnet_put_nbi_bulk(peer, seg(peer), NULL, 8));
  MISUSE("null_AMRequestMedium", gasnet_AMRequestMedium0(peer, 201, NULL, 8));
  MISUSE("null_AMRequestLong", gasnet_AMRequestLong0(peer, 201, NULL, 8, seg(peer)));
  MISUSE("null_try_syncnb_all", gasnet_try_syncnb_all(NULL, 3));
  MISUSE("null_wait_syncnb_some", gasnet_wait_syncnb_some(NULL, 3));
  MISUSE("value_of_0_bytes", gasnet_put_val(peer, seg(peer), 1, 0));
  MISUSE("value_of_9_bytes", v = gasnet_get_val(peer, seg(peer), 9));
  MISUSE("nb_value_of_9_bytes", h = gasnet_put_nb_val(peer, seg(peer), 1, 9));
  MISUSE("misaligned_put", gasnet_put(peer, seg(peer) + 1, buf, 8));
  MISUSE("misaligned_get", gasnet_get((char *)buf + 2, peer, seg(peer), 4));
  MISUSE("misaligned_put_nb", h = gasnet_put_nb(peer, seg(peer) + 2, buf, 4));
  MISUSE("misaligned_get_nbi", gasnet_get_nbi(buf, peer, seg(peer) + 1, 2));
  (void)h, (void)v, (void)vh;
  return check_end();
}
