// GEX_MK_HOST is there from the start, answers queries and keeps the client's pointer; no device kind is claimed.
#include "check_ex.h"

#include <gasnet_mk.h>

#if GASNET_HAVE_MK_CLASS_HOST != 1
#error "memory of the host is a kind everywhere"
#endif
#if defined(GASNET_HAVE_MK_CLASS_MULTIPLE) != \
    (defined(GASNET_HAVE_MK_CLASS_CUDA_UVA) || defined(GASNET_HAVE_MK_CLASS_HIP) || defined(GASNET_HAVE_MK_CLASS_ZE))
#error "GASNET_HAVE_MK_CLASS_MULTIPLE says whether there is any other"
#endif

int main(int argc, char **argv) {
  gex_MK_Create_args_t args;
  gex_MK_t kind = GEX_MK_HOST;
  int mine;
  check_start(&argc, &argv, NULL, 0, KiB(64));
  memset(&args, 0, sizeof args);
  args.gex_class = GEX_MK_CLASS_ZE;
  args.gex_args.gex_class_ze.gex_zeMemoryOrdinal = 1;
  CHECK(kind != GEX_MK_INVALID);
  CHECK(gex_MK_QueryClass(kind) == GEX_MK_CLASS_HOST);
  CHECK_EQ(gex_MK_QueryFlags(kind), 0);
  CHECK(gex_MK_QueryClient(kind) == GEX_CLIENT_INVALID);
  CHECK(gex_MK_QueryCData(kind) == NULL);
  gex_MK_SetCData(kind, &mine);
  CHECK(gex_MK_QueryCData(GEX_MK_HOST) == &mine);
  return check_end();
}
