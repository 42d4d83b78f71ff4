// trylock gives OK on a free lock, and NOT_READY while another thread holds it.
// ranks: 1 2
#include "check.h"

static gasnet_hsl_t hsl = GASNET_HSL_INITIALIZER;
static CHECK_UNUSED void other(int i) {
  int rc = gasnet_hsl_trylock(&hsl);
  CHECK_EQ(rc, i ? GASNET_OK : GASNET_ERR_NOT_READY);
  if (rc == GASNET_OK) gasnet_hsl_unlock(&hsl);
}
#if GASNET_PAR
static void *main_of(void *arg) { other(arg != NULL); return NULL; }
static void on_another(int expect_free) {
  pthread_t t;
  MUST(pthread_create(&t, NULL, main_of, expect_free ? &hsl : NULL) == 0);
  pthread_join(t, NULL);
}
#endif

int main(int argc, char **argv) {
  int i;
  check_start(&argc, &argv, NULL, 0, 0);
  for (i = 0; i < 100; i++) {
    CHECK_EQ(gasnet_hsl_trylock(&hsl), GASNET_OK);
#if GASNET_PAR
    on_another(0);
#endif
    gasnet_hsl_unlock(&hsl);
#if GASNET_PAR
    on_another(1);
#endif
  }
  return check_end();
}
