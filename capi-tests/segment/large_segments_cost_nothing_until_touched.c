// With GASNET_SEGMENT_LARGE the ranks of a host attach 85 % of its memory between them; nothing of it is used up before it is touched, and all of it can be.
// needs: test "${GASNET_CONDUIT-}" != shmem
// ranks: 1 2 4
// cflags: -DGASNET_SEGMENT_LARGE
#include "check.h"
#include <sys/mman.h>

static size_t resident(void) {
  unsigned long size = 0, pages = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  MUST(f != NULL && fscanf(f, "%lu %lu", &size, &pages) == 2);
  fclose(f);
  return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* Of this rank's segment, whoever touched it. */
static size_t resident_of_segment(void) {
  static unsigned char in[1 << 16];
  size_t page = (size_t)sysconf(_SC_PAGESIZE), part = sizeof in * page, size = seg_size(me) / page * page, at, i, pages = 0;
  for (at = 0; at < size; at += part) {
    size_t bytes = MIN(part, size - at);
    MUST(!mincore(seg(me) + at, bytes, in));
    for (i = 0; i < bytes / page; i++) pages += in[i] & 1;
  }
  return pages * page;
}

/* With its first messages libfabric's ofi_rxm fills a pool of buffers to send and one to receive: 1024 of 16 KiB each, and their heads. */
static size_t of_network(void) {
  const char *conduit = getenv("GASNET_CONDUIT");
  return conduit && !strcmp(conduit, "ofi") ? 2 * 1024 * (size_t)(16384 + 1024) : 0;
}

int main(int argc, char **argv) {
  size_t memory = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE), before, step, at;
  uintptr_t size;
  char *peer;
  check_init(&argc, &argv);
  CHECK(strstr(GASNET_CONFIG_STRING, ",SEGMENT=LARGE,") != NULL && GASNET_SEGMENT_LARGE == 1);
  size = gasnet_getMaxGlobalSegmentSize();
  CHECK(size >= memory / nranks / 100 * 84);
  before = resident();
  check_attach(NULL, 0, size);
  CHECK(seg_size(me) == size);
  CHECK(resident() < before + MiB(16) + of_network());
  CHECK(resident_of_segment() < MiB(16));
  peer = seg(next_rank());
  step = size / 8 / 8 * 8;
  for (at = 0; at < size - 8; at += step) gasnet_put_val(next_rank(), peer + at, me * 1000 + at / step, 8);
  gasnet_put_val(next_rank(), peer + size - 8, me + 77, 8);
  barrier();
  for (at = 0; at < size - 8; at += step) CHECK_EQ(*(uint64_t *)(seg(me) + at), prev_rank() * 1000 + at / step);
  CHECK_EQ(*(uint64_t *)(seg(me) + size - 8), prev_rank() + 77);
  CHECK(*(seg(me) + size / 2 + step / 2) == 0);
  CHECK(resident() < before + MiB(64) + of_network() && resident_of_segment() < MiB(64)); /* perhaps whole huge pages, where it was touched */
  return check_end();
}
