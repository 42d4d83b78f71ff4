// Creating an unavailable kind returns GASNET_ERR_BAD_ARG, prints one line with the reason, and does not change the handle.
// ranks: 1
// every case: stderr /GASNet gex_MK_Create returning an error code: GASNET_ERR_BAD_ARG/
// case cuda: stderr /GEX_MK_CLASS_CUDA_UVA.*libcuda\.so\.1/
// case hip: stderr /GEX_MK_CLASS_HIP.*libamdhip64\.so/
// case ze: stderr /GEX_MK_CLASS_ZE/
// case host: stderr /GEX_MK_CLASS_HOST.*predefined/
// case unknown: stderr /class 77 /
// case flags: stderr /flags 0x4 /
// case args: stderr /args is NULL/
// case kind_p: stderr /kind_p is NULL/
// case client: stderr /client is GEX_CLIENT_INVALID/
#include "check_ex.h"

#include <gasnet_mk.h>

int main(int argc, char **argv) {
  gex_MK_t kind = GEX_MK_HOST;
  gex_MK_Create_args_t args;
  const char *which;
  int code;
  check_start(&argc, &argv, NULL, 0, KiB(64));
  which = argc > 1 ? argv[1] : "";
  memset(&args, 0, sizeof args);
  args.gex_class = GEX_MK_CLASS_CUDA_UVA;
  if (!strcmp(which, "hip")) args.gex_class = GEX_MK_CLASS_HIP;
  if (!strcmp(which, "ze")) args.gex_class = GEX_MK_CLASS_ZE;
  if (!strcmp(which, "host")) args.gex_class = GEX_MK_CLASS_HOST;
  if (!strcmp(which, "unknown")) args.gex_class = (gex_MK_Class_t)77;
  gex_System_SetVerboseErrors(0);
  for (code = 0; code < 2; code++) { /* silent, then with the line */
    CHECK_EQ(gex_MK_Create(strcmp(which, "kind_p") ? &kind : NULL, strcmp(which, "client") ? client : GEX_CLIENT_INVALID,
                           strcmp(which, "args") ? &args : NULL, strcmp(which, "flags") ? 0 : 4),
             GASNET_ERR_BAD_ARG);
    CHECK(kind == GEX_MK_HOST);
    gex_System_SetVerboseErrors(1);
  }
  return check_end();
}
