// A debug client that holds a lock or a no-interrupt section for more than a second gets a warning with the call and its place, and continues.
// ranks: 1
// modes: par
// debug: yes
// every case: exit 0; stderr /@AT@/
// case lock: stderr /WARNING \(proc 0\): HSL USAGE WARNING: (gasnet_hsl_unlock|gex_HSL_Unlock): the lock 0x[0-9a-f]+ was held for 1\.[0-9] s/
// case trylock: stderr /HSL USAGE WARNING: gex_HSL_Unlock: the lock 0x[0-9a-f]+ was held for 1\.[0-9] s/
// case section: stderr /HSL USAGE WARNING: gasnet_resume_interrupts: interrupts were held for 1\.[0-9] s/
#include "misuse.h"

#define WARNED(name, ...) do { if (strcmp(misuse_case, name) == 0) { printf("at %s:%d\n", strrchr("/" __FILE__, '/') + 1, __LINE__); fflush(stdout); __VA_ARGS__; } } while (0)

int main(int argc, char **argv) {
  static gasnet_hsl_t lock = GASNET_HSL_INITIALIZER;
  check_start(&argc, &argv, NULL, 0, 0);
  misuse_begin(argc, argv);
  WARNED("lock", gasnet_hsl_lock(&lock); usleep(1100000); gasnet_hsl_unlock(&lock));
  WARNED("trylock", CHECK_EQ(gex_HSL_Trylock(&lock), GASNET_OK); usleep(1100000); gex_HSL_Unlock(&lock));
  WARNED("section", gasnet_hold_interrupts(); usleep(1100000); gasnet_resume_interrupts());
  return check_end();
}
