// 256 ranks on 16 hosts, each of which has a network of its own: messages, puts and barriers among all. The script `namespaces` makes the hosts.
// ranks: 256
// modes: par
// once: yes
// time: 300
// needs: command -v ip && ip netns add gs-probe-$$ && ip netns del gs-probe-$$
// wrap: bash $here/launched/namespaces
#include "check.h"
#include "heard.h"

int main(int argc, char **argv) {
  gasnet_node_t peer;
  start_many(&argc, &argv, 256);
  for (peer = 0; peer < nranks; peer++) gasnet_AMRequestShort0((me + peer) % nranks, 200);
  gasnet_put_val(next_rank(), seg(next_rank()), (gasnet_register_value_t)me + 1, 4);
  wait_for_messages((int)nranks);
  barrier();
  CHECK(*(uint32_t *)(void *)seg(me) == prev_rank() + 1);
  return check_end();
}
