// 1024 ranks of one machine that mpiexec starts: each sends a message and a put to four others, between barriers.
// ranks: 1024
// modes: par
// once: yes
// time: 300
// needs: command -v mpiexec.hydra && [ "$(ulimit -Hn)" = unlimited -o "$(ulimit -Hn)" -ge 8192 ]
// wrap: env -u GASNET_PSHM_NODES mpiexec.hydra -launcher fork -n 1024
#include "check.h"
#include "heard.h"

enum { PEERS = 4 };

int main(int argc, char **argv) {
  gasnet_node_t peer;
  int i;
  start_many(&argc, &argv, 1024);
  for (i = 0; i < PEERS; i++) {
    peer = (me + (1u << (3 * i))) % nranks;
    gasnet_AMRequestShort0(peer, 200);
    gasnet_put_val(peer, (uint32_t *)(void *)seg(peer) + i, (gasnet_register_value_t)me + 1, 4);
  }
  wait_for_messages(PEERS);
  barrier();
  for (i = 0; i < PEERS; i++) CHECK(((uint32_t *)(void *)seg(me))[i] == (me + nranks - (1u << (3 * i))) % nranks + 1);
  return check_end();
}
