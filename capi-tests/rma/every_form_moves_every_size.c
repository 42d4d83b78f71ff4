// Blocking, nb and nbi put and get, bulk and not, move 0 bytes to a megabyte exactly, at every alignment, to a peer and to itself, from inside and outside of the segment.
#include "check.h"

enum { AREA = 2 << 20, SLACK = 64 };
typedef void (*op)(gasnet_node_t, void *, void *, size_t);  /* node, remote, local, nbytes */

static void put_(gasnet_node_t r, void *far, void *near, size_t n) { gasnet_put(r, far, near, n); }
static void put_bulk(gasnet_node_t r, void *far, void *near, size_t n) { gasnet_put_bulk(r, far, near, n); }
static void put_nb(gasnet_node_t r, void *far, void *near, size_t n) { gasnet_wait_syncnb(gasnet_put_nb(r, far, near, n)); }
static void put_nb_bulk(gasnet_node_t r, void *far, void *near, size_t n) { gasnet_wait_syncnb(gasnet_put_nb_bulk(r, far, near, n)); }
static void put_nbi(gasnet_node_t r, void *far, void *near, size_t n) { gasnet_put_nbi(r, far, near, n); gasnet_wait_syncnbi_puts(); }
static void put_nbi_bulk(gasnet_node_t r, void *far, void *near, size_t n) { gasnet_put_nbi_bulk(r, far, near, n); gasnet_wait_syncnbi_all(); }
static void get_(gasnet_node_t r, void *far, void *near, size_t n) { gasnet_get(near, r, far, n); }
static void get_bulk(gasnet_node_t r, void *far, void *near, size_t n) { gasnet_get_bulk(near, r, far, n); }
static void get_nb(gasnet_node_t r, void *far, void *near, size_t n) { gasnet_wait_syncnb(gasnet_get_nb(near, r, far, n)); }
static void get_nb_bulk(gasnet_node_t r, void *far, void *near, size_t n) { gasnet_wait_syncnb(gasnet_get_nb_bulk(near, r, far, n)); }
static void get_nbi(gasnet_node_t r, void *far, void *near, size_t n) { gasnet_get_nbi(near, r, far, n); gasnet_wait_syncnbi_gets(); }
static void get_nbi_bulk(gasnet_node_t r, void *far, void *near, size_t n) { gasnet_get_nbi_bulk(near, r, far, n); gasnet_wait_syncnbi_all(); }

static const struct { op put, get; int bulk; } forms[] = {
  { put_, get_, 0 }, { put_bulk, get_bulk, 1 }, { put_nb, get_nb, 0 }, { put_nb_bulk, get_nb_bulk, 1 }, { put_nbi, get_nbi, 0 }, { put_nbi_bulk, get_nbi_bulk, 1 },
};

int main(int argc, char **argv) {
  static const size_t sizes[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33, 63, 64, 65, 100, 128, 255, 256, 512, 1000, 1024, 2048, 4095, 4096, 4097,
                                  16384, 32768, 65000, 65535, 65536, 65537, 131072, 300001, 1 << 20 };
  unsigned char *outside;
  int f, k, who, where;
  check_start(&argc, &argv, NULL, 0, 4 * (uintptr_t)AREA);
  outside = (unsigned char *)malloc(32 + AREA + SLACK) + 32; /* the byte before it is written, too */
  for (k = 0; k < COUNT_OF(sizes); k++)
    for (f = 0; f < COUNT_OF(forms); f++)
      for (who = 0; who < 2; who++)
        for (where = 0; where < (sizes[k] > 5000 ? 1 : 2); where++) {
          gasnet_node_t r = who ? next_rank() : me;
          size_t n = sizes[k], remote_off = forms[f].bulk ? (size_t)(k * 5 + f) % 32 : 32, local_off = forms[f].bulk ? (size_t)(k * 3 + f) % 32 : 32;
          unsigned char *near = (where ? (unsigned char *)seg(me) + AREA : outside) + local_off;
          char *far = seg(r) + (who ? 0 : 2 * AREA) + remote_off;   /* each rank's target area has one writer */
          /* The bytes around the target must stay. */
          memset(near - 1, 0x77, n + 2);
          gasnet_put_bulk(r, far - (remote_off ? 1 : 0), near - 1, n + 1 + (remote_off ? 1 : 0));
          fill(near, n, (unsigned)(k * 10 + f + (int)me));
          forms[f].put(r, far, near, n);
          memset(near, 0x11, n);
          near[n] = 0x22, near[-1] = 0x23;
          forms[f].get(r, far, near, n);
          if (!filled(near, n, (unsigned)(k * 10 + f + (int)me))) {
            char text[100];
            snprintf(text, sizeof text, "form %d of %zu bytes, offsets %zu and %zu", f, n, remote_off, local_off);
            check_failed(__FILE__, __LINE__, text);
          }
          CHECK_EQ(near[n], 0x22);
          CHECK_EQ(near[-1], 0x23);
          CHECK_EQ(gasnet_get_val(r, far + n, 1), 0x77);
          if (remote_off) CHECK_EQ(gasnet_get_val(r, far - 1, 1), 0x77);
        }
  return check_end();
}
