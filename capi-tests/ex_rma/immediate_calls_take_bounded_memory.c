// A client that starts transfers and sends Longs with GEX_FLAG_IMMEDIATE, again and again, to a target that rarely makes a call: calls
// are rejected before the memory of the initiator grows, and all that were accepted complete.
// ranks: 2 3
// env: GASNET_RMA=am
// case vectors: exit 0
// case longs: exit 0
#include "check_ex.h"

#include <gasnet_vis.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

enum { PIECES = 2000, PIECE = 300, BYTES = PIECES * PIECE, LONG = 500000, ROUNDS = 40, MOST = 400, ROOM = MiB(24) };

static char source[BYTES], back[BYTES], second[LONG];
static volatile int longs, expected = -1;
static gex_Memvec_t there[PIECES], here[PIECES], into[PIECES];
static gex_TM_t pair;
static void *remote;
static int channel;
static struct sockaddr_un name;
static socklen_t name_bytes;

/* Set by rank 0: rank 1 makes one call ('p') or continues ('w'). Until then it sleeps outside of GASNet. */
static void tell(char what) { CHECK(sendto(channel, &what, 1, 0, (struct sockaddr *)&name, name_bytes) == 1); }
static void obey(void) {
  char byte = 'p';
  while (recv(channel, &byte, 1, 0) == 1 && byte == 'p') gasnet_AMPoll();
  CHECK(byte == 'w');
}
static void open_channel(void) {
  const char *id = getenv("CAPI_TEST");
  channel = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  MUST(channel >= 0);
  name.sun_family = AF_UNIX;
  name_bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
                           snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "gasnet-bounded-%s", id ? id : "alone"));
  if (me == 1) MUST(bind(channel, (struct sockaddr *)&name, name_bytes) == 0);
}

/* Bytes of this process that are shared with no other one. */
static long own_bytes(void) {
  long kb = -1;
  char line[128];
  FILE *status = fopen("/proc/self/status", "r");
  MUST(status);
  while (fgets(line, sizeof line, status)) sscanf(line, "RssAnon: %ld", &kb);
  fclose(status);
  MUST(kb > 0);
  return kb << 10;
}

static size_t most_long(void) { return gex_AM_LUBRequestLong() < LONG ? gex_AM_LUBRequestLong() : LONG; }
static void on_expected(gex_Token_t t, gex_AM_Arg_t n) { (void)t; expected = n; }
static void on_long(gex_Token_t t, void *b, size_t n) {
  (void)t;
  CHECK(b == second && n == most_long() && filled(b, n, 7));
  longs++;
}

static int vector(void) { return !gex_VIS_VectorPutNBI(world, 1, PIECES, there, PIECES, here, GEX_FLAG_IMMEDIATE); }
static int one_long(void) {
  return !gex_AM_RequestLong0(pair, 1, 201, source, most_long(), remote, GEX_EVENT_NOW, GEX_FLAG_IMMEDIATE);
}

/* Calls `start` as often as it is accepted, while rank 1 is told to make a call now and then; returns the number of operations. */
static int insist(int (*start)(void)) {
  const long before = own_bytes();
  int round, tries, started = 0, rejected = 0;
  for (round = 0; round < ROUNDS; round++) {
    for (tries = 0; tries < MOST; tries++) {
      if (start()) started++;
      else rejected++;
      CHECK(own_bytes() - before < ROOM);
      if (own_bytes() - before >= ROOM) return started;
    }
    tell('p');
  }
  CHECK(started > 0);
  CHECK(rejected > 0);
  return started;
}

int main(int argc, char **argv) {
  static gex_AM_Entry_t table[] = { CHECK_AM(200, on_expected, SHORT, REQUEST, 1), CHECK_AM(201, on_long, LONG, REQUEST, 0) };
  gex_EP_t ep;
  gex_Segment_t mine;
  int i, sent, with_longs;
  check_start(&argc, &argv, table, COUNT_OF(table), MiB(1));
  with_longs = argc > 1 && *argv[1] == 'l';
  /* Memory of the client, which only its owner has mapped. */
  MUST(gex_EP_Create(&ep, client, GEX_EP_CAPABILITY_RMA | GEX_EP_CAPABILITY_AM, 0) == GASNET_OK);
  MUST(gex_Segment_Create(&mine, client, second, LONG, GEX_MK_HOST, 0) == GASNET_OK);
  MUST(gex_EP_BindSegment(ep, mine, 0) == GASNET_OK);
  MUST(gex_EP_PublishBoundSegment(world, &ep, 1, 0) == GASNET_OK);
  pair = gex_TM_Pair(endpoint, gex_EP_QueryIndex(ep));
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(pair, 1, &remote, NULL, NULL, 0));
  for (i = 0; i < PIECES; i++) {
    there[i].gex_addr = seg(1) + i * (PIECE + 20), here[i].gex_addr = source + i * PIECE, into[i].gex_addr = back + i * PIECE;
    there[i].gex_len = here[i].gex_len = into[i].gex_len = PIECE;
  }
  fill(source, BYTES, 7);
  open_channel();
  barrier();
  if (me == 0) {
    sent = insist(with_longs ? one_long : vector);
    tell('w');
    gex_NBI_Wait(GEX_EC_ALL, 0);
    gex_AM_RequestShort1(world, 1, 200, 0, sent);
    gex_VIS_VectorGetBlocking(world, PIECES, into, 1, PIECES, there, 0);
    CHECK(with_longs || memcmp(back, source, BYTES) == 0);
  } else if (me == 1) {
    obey();
    if (with_longs) GASNET_BLOCKUNTIL(longs == expected);
  }
  return check_end();
}
