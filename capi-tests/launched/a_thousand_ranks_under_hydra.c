// 1024 ranks of one machine that mpiexec starts: each sends a message and a put to four others, between barriers.
// ranks: 1024
// modes: par
// once: yes
// time: 300
// needs: command -v mpiexec.hydra && [ "$(ulimit -Hn)" = unlimited -o "$(ulimit -Hn)" -ge 8192 ]
// wrap: env -u GASNET_PSHM_NODES mpiexec.hydra -launcher fork -n 1024
#include "check.h"

enum { PEERS = 4 };
static int heard;
static void on_message(gasnet_token_t token) {
  (void)token;
  __atomic_add_fetch(&heard, 1, __ATOMIC_RELAXED);
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = {HANDLER(200, on_message)};
  gasnet_node_t peer;
  int i;
  check_start(&argc, &argv, table, 1, KiB(64));
  MUST(nranks == 1024);
  for (i = 0; i < PEERS; i++) {
    peer = (me + (1u << (3 * i))) % nranks;
    gasnet_AMRequestShort0(peer, 200);
    gasnet_put_val(peer, (uint32_t *)(void *)seg(peer) + i, (gasnet_register_value_t)me + 1, 4);
  }
  GASNET_BLOCKUNTIL(__atomic_load_n(&heard, __ATOMIC_RELAXED) == PEERS);
  barrier();
  for (i = 0; i < PEERS; i++) CHECK(((uint32_t *)(void *)seg(me))[i] == (me + nranks - (1u << (3 * i))) % nranks + 1);
  return check_end();
}
