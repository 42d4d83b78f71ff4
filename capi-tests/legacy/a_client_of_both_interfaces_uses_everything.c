// Begun with gex_Client_Init and GEX_FLAG_USES_GASNET1, a program uses GASNet-1's barrier, put and get, all of its
// non-contiguous transfers, and its collectives; GASNet-EX's see the same memory, teams and operations.
// ranks: 1 2 3 4
#include <gasnet.h>
#include <gasnet_coll.h>
#include <gasnet_vis.h>

#include "check_ex.h"

/* The segment: an area that the right neighbour writes, and one that it reads. */
enum { AREA = 16384, PIECES = 12, LEN = 40, ROWS = 7, PLANES = 3, PITCH = 96, HEIGHT = 1024 };
static unsigned char *in, *out, local[AREA], back[AREA];
static unsigned seed;

static void legacy_barrier(int id) {
  gasnet_barrier_notify(id, 0);
  CHECK_EQ(gasnet_barrier_wait(id, 0), GASNET_OK);
}

/* All ranks have a new pattern to send, and a clean place for it. */
static void begin(void) {
  seed++;
  fill(local, AREA, seed + me);
  fill(out, AREA, seed + 100 + me);
  memset(in, 0, AREA);
  memset(back, 0, AREA);
  legacy_barrier((int)seed);
}
static unsigned char sent(size_t i) { /* byte i of the left neighbour's message */
  static unsigned char copy[AREA];
  static unsigned of;
  if (of != seed) fill(copy, AREA, seed + prev_rank()), of = seed;
  return copy[i];
}
static unsigned char offered(size_t i) { /* byte i of the right neighbour's data */
  static unsigned char copy[AREA];
  static unsigned of;
  if (of != seed) fill(copy, AREA, seed + 100 + next_rank()), of = seed;
  return copy[i];
}

static void contiguous(void) {
  unsigned char *there = (unsigned char *)seg(next_rank());
  gasnet_handle_t handles[2];
  begin();
  gasnet_put(next_rank(), there, local, 100);
  handles[0] = gasnet_put_nb_bulk(next_rank(), there + 100, local + 100, 5000);
  gasnet_put_nbi(next_rank(), there + 5100, local + 5100, 300);
  gasnet_put_val(next_rank(), there + 5400, local[5400], 1);
  handles[1] = gasnet_get_nb(back, next_rank(), there + AREA, 5000);
  gasnet_get_nbi_bulk(back + 5000, next_rank(), there + AREA + 5000, 400);
  gasnet_wait_syncnb_all(handles, 2);
  gasnet_wait_syncnbi_all();
  legacy_barrier((int)seed);
  for (size_t i = 0; i <= 5400; i++) CHECK(in[i] == sent(i));
  for (size_t i = 0; i < 5400; i++) CHECK(back[i] == offered(i));
}

/* form: blocking, explicit, implicit */
#define START(form, blocking, explicit, implicit)                           \
  do {                                                                      \
    if ((form) == 0) blocking;                                              \
    else if ((form) == 1) gasnet_wait_syncnb(explicit);                     \
    else implicit;                                                          \
    if ((form) == 2) gasnet_wait_syncnbi_all();                             \
  } while (0)

/* Piece i lies at 3 * i * LEN there, and at (PIECES - i) * 2 * LEN here. */
static void lists(int form, int indexed) {
  gasnet_memvec_t here[PIECES], there[PIECES], whole[1], got[PIECES];
  void *here_at[PIECES], *there_at[PIECES], *got_at[PIECES], *whole_at[1];
  unsigned char *base = (unsigned char *)seg(next_rank());
  gasnet_node_t to = next_rank();
  begin();
  for (size_t i = 0; i < PIECES; i++) {
    here[i].addr = here_at[i] = local + (PIECES - i) * 2 * LEN;
    there[i].addr = there_at[i] = base + 3 * i * LEN;
    got[i].addr = got_at[i] = back + 3 * i * LEN;
    here[i].len = there[i].len = got[i].len = LEN;
  }
  if (indexed) START(form, gasnet_puti_bulk(to, PIECES, there_at, LEN, PIECES, here_at, LEN), gasnet_puti_nb_bulk(to, PIECES, there_at, LEN, PIECES, here_at, LEN),
                     gasnet_puti_nbi_bulk(to, PIECES, there_at, LEN, PIECES, here_at, LEN));
  else START(form, gasnet_putv_bulk(to, PIECES, there, PIECES, here), gasnet_putv_nb_bulk(to, PIECES, there, PIECES, here),
             gasnet_putv_nbi_bulk(to, PIECES, there, PIECES, here));
  /* From one long piece to many. */
  whole[0].addr = whole_at[0] = base + AREA, whole[0].len = PIECES * LEN;
  if (indexed) START(form, gasnet_geti_bulk(PIECES, got_at, LEN, to, 1, whole_at, PIECES * LEN), gasnet_geti_nb_bulk(PIECES, got_at, LEN, to, 1, whole_at, PIECES * LEN),
                     gasnet_geti_nbi_bulk(PIECES, got_at, LEN, to, 1, whole_at, PIECES * LEN));
  else START(form, gasnet_getv_bulk(PIECES, got, to, 1, whole), gasnet_getv_nb_bulk(PIECES, got, to, 1, whole),
             gasnet_getv_nbi_bulk(PIECES, got, to, 1, whole));
  legacy_barrier((int)seed);
  for (size_t i = 0; i < PIECES; i++)
    for (size_t k = 0; k < LEN; k++) {
      CHECK(in[3 * i * LEN + k] == sent((PIECES - i) * 2 * LEN + k));
      CHECK(in[3 * i * LEN + LEN + k] == 0 && in[3 * i * LEN + 2 * LEN + k] == 0);
      CHECK(back[3 * i * LEN + k] == offered(i * LEN + k));
    }
}

static void strided(int form) {
  const size_t wide[2] = {PITCH, HEIGHT}, dense[2] = {LEN, LEN * ROWS}, count[3] = {LEN, ROWS, PLANES};
  unsigned char *there = (unsigned char *)seg(next_rank());
  gasnet_node_t to = next_rank();
  begin();
  START(form, gasnet_puts_bulk(to, there, wide, local, dense, count, 2), gasnet_puts_nb_bulk(to, there, wide, local, dense, count, 2),
        gasnet_puts_nbi_bulk(to, there, wide, local, dense, count, 2));
  START(form, gasnet_gets_bulk(back, dense, to, there + AREA, wide, count, 2), gasnet_gets_nb_bulk(back, dense, to, there + AREA, wide, count, 2),
        gasnet_gets_nbi_bulk(back, dense, to, there + AREA, wide, count, 2));
  legacy_barrier((int)seed);
  for (size_t p = 0; p < PLANES; p++)
    for (size_t r = 0; r < ROWS; r++)
      for (size_t k = 0; k < LEN; k++) {
        CHECK(in[p * HEIGHT + r * PITCH + k] == sent((p * ROWS + r) * LEN + k));
        CHECK(back[(p * ROWS + r) * LEN + k] == offered(p * HEIGHT + r * PITCH + k));
      }
  for (size_t k = LEN; k < PITCH; k++) CHECK(in[k] == 0);
}

/* Operations of the two interfaces are of one kind. */
static void mixed(void) {
  unsigned char *there = (unsigned char *)seg(next_rank());
  gex_Memvec_t from, to;
  const ptrdiff_t stride[1] = {8};
  const size_t count[1] = {10};
  gasnet_handle_t handles[3];
  begin();
  from.gex_addr = local + 200, to.gex_addr = there + 200, from.gex_len = to.gex_len = 64;
  handles[0] = gex_VIS_VectorPutNB(world, next_rank(), 1, &to, 1, &from, 0);
  handles[1] = gex_VIS_StridedPutNB(world, next_rank(), there + 400, stride, local + 400, stride, 4, count, 1, 0);
  handles[2] = gex_RMA_PutNB(world, next_rank(), there + 600, local + 600, 50, GEX_EVENT_DEFER, 0);
  gasnet_wait_syncnb_all(handles, 3);
  gasnet_begin_nbi_accessregion();
  gex_RMA_PutNBI(world, next_rank(), there, local, 100, GEX_EVENT_DEFER, 0);
  gasnet_put_nbi_bulk(next_rank(), there + 100, local + 100, 100);
  gex_Event_Wait(gasnet_end_nbi_accessregion());
  gex_Event_Wait(gex_Coll_BarrierNB(world, 0));
  for (size_t i = 0; i < 264; i++) CHECK(in[i] == sent(i));
  for (size_t i = 400; i < 480; i++) CHECK(in[i] == (i % 8 < 4 ? sent(i) : 0));
  for (size_t i = 600; i < 650; i++) CHECK(in[i] == sent(i));
}

static void add(void *results, size_t count, const void *left, size_t left_count, const void *right, size_t elem_size, int flags, int arg) {
  uint32_t *to = (uint32_t *)results;
  const uint32_t *x = (const uint32_t *)left, *y = (const uint32_t *)right;
  size_t i;
  (void)left_count, (void)flags;
  CHECK(elem_size == sizeof *to && arg == 9);
  for (i = 0; i < count; i++) to[i] = x[i] + y[i];
}

#define SYNC (GASNET_COLL_LOCAL | GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC)
static void collectives(gasnet_team_handle_t team) {
  uint32_t n = gex_TM_QuerySize(team), rank = gex_TM_QueryRank(team), root, i;
  uint32_t *many = (uint32_t *)calloc(2 * n, sizeof *many), *all = many + n, word;
  gasnet_coll_handle_t handle;
  CHECK_EQ(gasnet_coll_team_size(team), n);
  CHECK_EQ(gasnet_coll_team_rank2node(team, (int)rank), me);
  CHECK_EQ(gasnet_coll_team_node2rank(team, me), rank);
  for (root = 0; root < n; root++) {
    word = rank == root ? 77 + root : 0;
    gasnet_coll_broadcast(team, &word, root, &word, sizeof word, SYNC);
    CHECK_EQ(word, 77 + root);
    for (i = 0; i < n; i++) many[i] = rank == root ? 1000 * root + i : 0;
    handle = gasnet_coll_scatter_nb(team, &word, root, many, sizeof word, SYNC);
    gasnet_coll_wait_sync(handle);
    CHECK_EQ(word, 1000 * root + rank);
    gasnet_coll_gather(team, root, all, &word, sizeof word, SYNC);
    for (i = 0; i < n && rank == root; i++) CHECK_EQ(all[i], 1000 * root + i);
  }
  word = rank * 3 + 1;
  handle = gasnet_coll_gather_all_nb(team, all, &word, sizeof word, SYNC);
  while (gasnet_coll_try_sync(handle) == GASNET_ERR_NOT_READY) {}
  for (i = 0; i < n; i++) CHECK_EQ(all[i], 3 * i + 1);
  for (i = 0; i < n; i++) many[i] = rank * 100 + i;
  gasnet_coll_exchange(team, all, many, sizeof word, SYNC);
  for (i = 0; i < n; i++) CHECK_EQ(all[i], i * 100 + rank);
  /* Each image has one element of the array. */
  word = 0;
  gasnet_coll_reduce(team, n - 1, &word, &rank, 1, 0, sizeof word, n, 0, 9, SYNC);
  CHECK_EQ(word, rank == n - 1 ? n * (n - 1) / 2 : 0);
  gasnet_coll_wait_sync(gasnet_coll_scan_nb(team, &word, 1, 0, &rank, 1, 0, sizeof word, n, 0, 9, SYNC | GASNET_COLL_INCLUSIVE_SCAN));
  CHECK_EQ(word, rank * (rank + 1) / 2);
  /* The forms with lists of addresses: of this rank's only image. */
  {
    void *dst[1], *src[1];
    dst[0] = all, src[0] = many;
    for (i = 0; i < n; i++) many[i] = rank * 50 + i;
    gasnet_coll_exchangeM(team, dst, src, sizeof word, SYNC);
    for (i = 0; i < n; i++) CHECK_EQ(all[i], i * 50 + rank);
    src[0] = &rank;
    gasnet_coll_wait_sync(gasnet_coll_gather_allM_nb(team, dst, src, sizeof word, SYNC));
    for (i = 0; i < n; i++) CHECK_EQ(all[i], i);
    dst[0] = &word, word = rank == 0 ? 4321 : 0;
    gasnet_coll_broadcastM(team, dst, 0, &word, sizeof word, SYNC);
    CHECK_EQ(word, 4321);
    dst[0] = &word;
    gasnet_coll_scatterM(team, dst, n - 1, all, sizeof word, SYNC);
    CHECK_EQ(word, rank);
    gasnet_coll_gatherM(team, 0, many, src, sizeof word, SYNC);
    for (i = 0; i < n && rank == 0; i++) CHECK_EQ(many[i], i);
    gasnet_coll_reduceM(team, 0, &word, src, 1, 0, sizeof word, n, 0, 9, SYNC);
    if (rank == 0) CHECK_EQ(word, n * (n - 1) / 2);
  }
  /* Beside those of GASNet-EX on the same team. */
  gex_Event_Wait(gex_Coll_ReduceToAllNB(team, &word, &rank, GEX_DT_U32, sizeof word, 1, GEX_OP_ADD, NULL, NULL, 0));
  CHECK_EQ(word, n * (n - 1) / 2);
  gasnet_coll_barrier_notify(team, 5, 0);
  CHECK_EQ(gasnet_coll_barrier_wait(team, 5, 0), GASNET_OK);
  free(many);
}

int main(int argc, char **argv) {
  gasnet_coll_fn_entry_t functions[1];
  int form;
  check_init(&argc, &argv, GEX_FLAG_USES_GASNET1);
  check_attach(NULL, 0, 3 * AREA);
  in = (unsigned char *)seg(me), out = in + AREA;
  CHECK_EQ(gasnet_mynode(), me);
  contiguous();
  for (form = 0; form < 3; form++) {
    lists(form, 0);
    lists(form, 1);
    strided(form);
  }
  mixed();
  functions[0].fnptr = add, functions[0].flags = 0;
  gasnet_coll_init(NULL, 0, functions, 1, 0);
  collectives(GASNET_TEAM_ALL);
  {
    gasnet_team_handle_t half = gasnet_coll_team_split(GASNET_TEAM_ALL, me % 2, me, NULL);
    gex_TM_t mine;
    collectives(half);
    gex_TM_Split(&mine, world, (int)(me % 2), (int)me, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
    collectives(mine);
    gex_TM_Destroy(mine, NULL, 0);
    gasnete_coll_team_free(half);
  }
  contiguous();
  return check_end();
}
