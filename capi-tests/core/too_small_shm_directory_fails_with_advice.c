// Where /dev/shm is too small, attach with that backing fails with an error that names wanted, available and the variable; never a SIGBUS.
// ranks: 1 2
// once: yes
// needs: unshare -m true
// wrap: unshare -m sh -c 'mount -t tmpfs -o size=1m none /dev/shm && exec "$0" "$@"' env GASNET_SHM_BACKING=posix
// expect: exit nonzero; stderr /(ERROR|GASNET_SHM_BACKING)/; stderr /GASNET_(SHM_BACKING|SHM_DIR|MAX_SEGSIZE)/; no-stderr /SIGBUS|signal/
#include "check.h"

int main(int argc, char **argv) {
  check_init(&argc, &argv);
  if (gasnet_attach(NULL, 0, MiB(64), 0) != GASNET_OK) return gasnet_exit(3), 1;
  check_segs = (gasnet_seginfo_t *)calloc(nranks, sizeof *check_segs);
  gasnet_getSegmentInfo(check_segs, (int)nranks);
  memset(seg(me), 1, seg_size(me));
  return check_end();
}
