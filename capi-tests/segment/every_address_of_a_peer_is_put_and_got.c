// Data, heap, mappings and stacks of a peer are reached by every form of put, get, value and memset.
// cflags: -DGASNET_SEGMENT_EVERYTHING -fno-pie -no-pie
#include "check.h"
#define tell_areas gasnet_put_bulk
#include "areas.h"

static const size_t sizes[] = { 1, 3, 8, 100, 4096, 4097, 65536, 70000, AREA };
static char source[AREA], back[AREA];

/* Put by form f, then got by form f. */
static void both_ways(gasnet_node_t to, char *there, size_t n, int f) {
  gasnet_handle_t h;
  switch (f) {
    case 0: gasnet_put(to, there, source, n); gasnet_get(back, to, there, n); break;
    case 1: gasnet_put_bulk(to, there, source, n); gasnet_get_bulk(back, to, there, n); break;
    case 2:
      gasnet_wait_syncnb(gasnet_put_nb(to, there, source, n));
      gasnet_wait_syncnb(gasnet_get_nb(back, to, there, n));
      break;
    case 3:
      gasnet_wait_syncnb(gasnet_put_nb_bulk(to, there, source, n));
      gasnet_wait_syncnb(gasnet_get_nb_bulk(back, to, there, n));
      break;
    case 4:
      gasnet_put_nbi(to, there, source, n), gasnet_wait_syncnbi_puts();
      gasnet_get_nbi(back, to, there, n), gasnet_wait_syncnbi_gets();
      break;
    case 5:
      gasnet_put_nbi_bulk(to, there, source, n), gasnet_wait_syncnbi_all();
      gasnet_get_nbi_bulk(back, to, there, n), gasnet_wait_syncnbi_all();
      break;
    default:
      gasnet_begin_nbi_accessregion();
      gasnet_put_nbi(to, there, source, n / 2), gasnet_put_nbi_bulk(to, there + n / 2, source + n / 2, n - n / 2);
      h = gasnet_end_nbi_accessregion();
      gasnet_wait_syncnb(h);
      gasnet_begin_nbi_accessregion();
      gasnet_get_nbi(back, to, there, n / 2), gasnet_get_nbi_bulk(back + n / 2, to, there + n / 2, n - n / 2);
      h = gasnet_end_nbi_accessregion();
      gasnet_wait_syncnb(h);
  }
}

static void values(gasnet_node_t to, char *there) {
  const gasnet_register_value_t v = 0x8877665544332211u;
  gasnet_put_val(to, there, v, 8);
  CHECK(gasnet_get_val(to, there, 8) == v);
  CHECK(gasnet_get_val(to, there, 4) == 0x44332211u);
  gasnet_wait_syncnb(gasnet_put_nb_val(to, there, 0x99, 1));
  CHECK(gasnet_wait_syncnb_valget(gasnet_get_nb_val(to, there, 8)) == 0x8877665544332299u);
  gasnet_put_nbi_val(to, there, 0xabcd, 2);
  gasnet_wait_syncnbi_puts();
  CHECK(gasnet_wait_syncnb_valget(gasnet_get_nb_val(to, there, 4)) == 0x4433abcdu);
}

static void memsets(gasnet_node_t to, char *there) {
  gasnet_memset(to, there, 7, AREA);
  gasnet_wait_syncnb(gasnet_memset_nb(to, there + 1, 8, AREA - 2));
  gasnet_memset_nbi(to, there + 2, 9, 1);
  gasnet_wait_syncnbi_puts();
  gasnet_get_bulk(back, to, there, AREA);
  CHECK(back[0] == 7 && back[1] == 8 && back[2] == 9 && all_bytes(back + 3, AREA - 4, 8) && back[AREA - 1] == 7);
}

int main(int argc, char **argv) {
  char stack[AREA];
  int a, f, s;
  gasnet_node_t to;
  check_start(&argc, &argv, NULL, 0, 0);
  find_areas(stack);
  for (to = me; to < me + nranks; to++) {
    for (a = 0; a < AREAS; a++) {
      gasnet_node_t peer = to % nranks;
      for (f = 0; f < 7; f++)
        for (s = 0; s < COUNT_OF(sizes); s++) {
          fill(source, sizes[s], me * 100 + (unsigned)(a * 10 + f + s));
          memset(back, 0, sizes[s]);
          both_ways(peer, area[peer][a], sizes[s], f);
          if (!filled(back, sizes[s], me * 100 + (unsigned)(a * 10 + f + s))) {
            fprintf(stderr, "ERROR: rank %d: %s of rank %d, form %d, %zu bytes\n", (int)me, area_name[a], (int)peer, f, sizes[s]);
            check_failures++;
          }
        }
      values(peer, area[peer][a]);
      memsets(peer, area[peer][a]);
    }
    /* The owner sees what its peer wrote last. */
    barrier();
    for (a = 0; a < AREAS; a++) CHECK(area[me][a][0] == 7 && all_bytes(area[me][a] + 3, AREA - 4, 8));
    barrier();
  }
  return check_end();
}
