// The texts about transfers take the arguments of GASNet-EX and, in a client that includes gasnet.h, of GASNet-1, too; they fit the size that was told.
// ranks: 1
// once: yes
#include "check.h"
#include <gasnet_tools.h>

static int says(const char *text, size_t room, const char *what) { return strlen(text) < room && strstr(text, what) != NULL; }

int main(int argc, char **argv) {
  gex_TM_t tm;
  void *list[2] = { NULL, NULL };
  gex_Memvec_t ex[2] = { { NULL, 77 }, { NULL, 8 } };
  gasnet_memvec_t g1[2] = { { NULL, 77 }, { NULL, 8 } };
  ptrdiff_t strides[2] = { -64, 4096 };
  size_t ustrides[2] = { 64, 4096 }, count[3] = { 8, 33, 2 }, room;
  char *text = (char *)malloc(1 << 16);
  check_start(&argc, &argv, NULL, 0, KiB(64));
  gasnet_QueryGexObjects(NULL, NULL, &tm, NULL);
  list[0] = seg(me), list[1] = seg(me) + 64, ex[0].gex_addr = g1[0].addr = text;
  room = gasnett_format_putsgets_bufsz(2);
  gasnett_format_putsgets(text, NULL, tm, 0, list[0], strides, list[1], strides, 8, count + 1, 2);
  CHECK(says(text, room, "-64") && says(text, room, "33"));
  gasnett_format_putsgets(text, NULL, 0, list[0], ustrides, list[1], ustrides, count, 2);
  CHECK(says(text, room, "4096") && says(text, room, "33"));
  room = gasnett_format_putvgetv_bufsz(2, 1);
  gasnett_format_putvgetv(text, tm, 0, 2, ex, 1, ex);
  CHECK(says(text, room, "77"));
  gasnett_format_putvgetv(text, 0, 2, g1, 1, g1);
  CHECK(says(text, room, "77"));
  room = gasnett_format_putigeti_bufsz(2, 1);
  gasnett_format_putigeti(text, tm, 0, 2, list, 55, 1, list, 110);
  CHECK(says(text, room, "110"));
  gasnett_format_putigeti(text, 0, 2, list, 55, 1, list, 110);
  CHECK(says(text, room, "110"));
  free(text);
  return check_end();
}
