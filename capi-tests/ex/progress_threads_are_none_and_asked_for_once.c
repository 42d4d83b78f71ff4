// With GEX_FLAG_DEFER_THREADS the client asks for the threads that it has to start: none here. Without it, an error.
// ranks: 1 2
// every case: chatter
// case defer: chatter
// case no_flag: chatter
// case no_count: chatter
// case no_info: chatter
// case flags: chatter
#include "check_ex.h"

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "";
  const gex_ProgressThreadInfo_t *info = NULL;
  unsigned count = 77;
  check_init(&argc, &argv, strcmp(name, "no_flag") ? GEX_FLAG_DEFER_THREADS : 0);
  gex_System_SetVerboseErrors(0);
  if (!strcmp(name, "defer")) {
    CHECK_EQ(gex_System_QueryProgressThreads(client, &count, &info, 0), GASNET_OK);
    CHECK_EQ(count, 0);
  }
  if (!strcmp(name, "no_flag")) CHECK_EQ(gex_System_QueryProgressThreads(client, &count, &info, 0), GASNET_ERR_RESOURCE);
  if (!strcmp(name, "no_count")) CHECK_EQ(gex_System_QueryProgressThreads(client, NULL, &info, 0), GASNET_ERR_BAD_ARG);
  if (!strcmp(name, "no_info")) CHECK_EQ(gex_System_QueryProgressThreads(client, &count, NULL, 0), GASNET_ERR_BAD_ARG);
  if (!strcmp(name, "flags")) CHECK_EQ(gex_System_QueryProgressThreads(client, &count, &info, 1), GASNET_ERR_BAD_ARG);
  return check_end();
}
