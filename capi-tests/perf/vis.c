/* Strided put and get of blocks of several shapes; both sides lie in arrays that are larger. */
#include "perf.h"
#include "vis.h"

#include <gasnet_vis.h>
#include <stdlib.h>
#include <string.h>

struct block {
  const char *name;
  size_t counts[3], strides[2]; /* as GASNet-1 has them: the first count is of bytes */
  size_t levels;
};

/* Whether byte `i` of the array is one of the block's. */
static int within(const struct block *b, size_t i) {
  if (b->levels == 2) {
    if (i / b->strides[1] >= b->counts[2]) return 0;
    i %= b->strides[1];
  }
  return i / b->strides[0] < b->counts[1] && i % b->strides[0] < b->counts[0];
}

static void check(const struct block *b, const char *what, const char *got, const char *meant) {
  for (size_t i = 0; i < VIS_ARRAY; i++)
    if (got[i] != (within(b, i) ? meant[i] : 0)) die("%s of %s: byte %zu is %d", what, b->name, i, got[i]);
}

static void move(const struct part *p, const struct block *b, int put) {
  const gasnet_node_t peer = p->peer;
  char *const there = p->there, *const source = p->source + VIS_SHIFT, *const sink = p->sink + VIS_SHIFT;
  if (p->role == TARGET) return;
  if (p->round->check) {
    for (size_t i = 0; i < VIS_ARRAY; i++) source[i] = (char)pattern(b->counts[0], i);
    memset(sink, 0, VIS_ARRAY);
    gasnet_put_bulk(peer, there, put ? sink : source, VIS_ARRAY);
  }
  if (put)
    for (uint64_t i = 0; i < p->round->iters; i++)
      gasnet_puts_bulk(peer, there, b->strides, source, b->strides, b->counts, b->levels);
  else
    for (uint64_t i = 0; i < p->round->iters; i++)
      gasnet_gets_bulk(sink, b->strides, peer, there, b->strides, b->counts, b->levels);
  if (p->round->check) {
    if (put) gasnet_get_bulk(sink, peer, there, VIS_ARRAY);
    check(b, put ? "put" : "get", sink, source);
  }
}

#define DEFINE(text, id, elem, rows, pitch, planes, height)                                                     \
  static const struct block id = {text, {elem, rows, planes}, {pitch, height}, (planes) > 1 ? 2 : 1};           \
  static void put_##id(const struct part *p) { move(p, &id, 1); }                                               \
  static void get_##id(const struct part *p) { move(p, &id, 0); }
VIS_SHAPES(DEFINE)

/* Words from places in no order, to one piece of memory. */
static void gets_indexed(const struct part *p) {
  enum { WORDS = 1000 };
  void *from[WORDS], *to = p->sink;
  uint64_t random = 88172645463325252u;
  if (p->role == TARGET) return;
  for (int i = 0; i < WORDS; i++) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    from[i] = p->there + random % (VIS_ARRAY / 8) * 8;
  }
  if (p->round->check) {
    for (size_t i = 0; i < VIS_ARRAY; i++) p->source[i] = (char)pattern(8, i);
    gasnet_put_bulk(p->peer, p->there, p->source, VIS_ARRAY);
  }
  for (uint64_t i = 0; i < p->round->iters; i++) gasnet_geti_bulk(1, &to, WORDS * 8, p->peer, WORDS, from, 8);
  for (int i = 0; p->round->check && i < WORDS; i++)
    if (memcmp(p->sink + i * 8, p->source + ((char *)from[i] - p->there), 8)) die("indexed get: word %d", i);
}

#define ROW(text, id, elem, rows, pitch, planes, height)                              \
  {"puts-" text, "gasnet_puts_bulk of a block", SHAPED | ONE_WAY | UNASKED, put_##id}, \
    {"gets-" text, "gasnet_gets_bulk of a block", SHAPED | ONE_WAY | UNASKED, get_##id},
const struct op vis_ops[] = {VIS_SHAPES(ROW){"gets-indexed", "gasnet_geti_bulk of 1000 words", SHAPED | UNASKED, gets_indexed}, {NULL, NULL, 0, NULL}};
