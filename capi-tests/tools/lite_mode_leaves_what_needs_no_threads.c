// GASNETT_LITE_MODE keeps timers, barriers and annotations and defines nothing that depends on threads.
// ranks: 1
// cflags: -DGASNETT_LITE_MODE
#include <gasnet_tools.h>
#include <stdio.h>

#if defined(gasnett_mutex_lock) || defined(GASNETT_MUTEX_INITIALIZER) || defined(gasnett_atomic_init)
#error "LITE mode defines what depends on threads"
#endif

int main(void) {
  gasnett_tick_t from = gasnett_ticks_now();
  gasnett_local_mb(), gasnett_local_wmb(), gasnett_local_rmb(), gasnett_weak_mb(), gasnett_compiler_fence();
  gasnett_spinloop_hint();
  if_pf (gasnett_ticks_to_ns(gasnett_ticks_now()) < gasnett_ticks_to_ns(from)) return 1;
  printf("ok 0\n");
  return 0;
}
