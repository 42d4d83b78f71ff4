// The version, conduit, mode and segment macros can be tested by the preprocessor and have the values that the interface defines.
// ranks: 1
#include "check.h"

#if GASNET_SPEC_VERSION_MAJOR != 1 || GASNET_SPEC_VERSION_MINOR != 8 || GASNET_VERSION != 1
#error specification version
#endif
#if GASNET_RELEASE_VERSION_MAJOR < 1 || GASNET_RELEASE_VERSION_MINOR < 0 || GASNET_RELEASE_VERSION_PATCH < 0
#error release version
#endif
#if GASNET_CONDUIT_SMP + GASNET_CONDUIT_UDP != 1 || GASNET_CONDUIT_MPI
#error conduit
#endif
#ifdef GASNET_CONDUIT_SMP
#define CONDUIT "SMP"
#else
#define CONDUIT "UDP"
#endif
#if GASNET_SEQ + GASNET_PAR + GASNET_PARSYNC != 1
#error thread mode
#endif
#if defined(GASNET_SEQ) + defined(GASNET_PAR) + defined(GASNET_PARSYNC) != 1
#error the other thread modes are defined
#endif
#if GASNET_SEGMENT_FAST + GASNET_SEGMENT_LARGE + GASNET_SEGMENT_EVERYTHING != 1
#error segment mode
#endif
#if SIZEOF_GASNET_REGISTER_VALUE_T != 8 || GASNET_PAGESIZE < 4096 || GASNET_PAGESIZE & (GASNET_PAGESIZE - 1)
#error sizes
#endif
#if GASNET_MAXNODES < 1024
#error GASNET_MAXNODES
#endif
#if GASNET_ALIGNED_SEGMENTS != 0 && GASNET_ALIGNED_SEGMENTS != 1
#error GASNET_ALIGNED_SEGMENTS
#endif

int main(int argc, char **argv) {
  CHECK(strcmp(GASNET_CONDUIT_NAME_STR, CONDUIT) == 0);
  CHECK(strcmp(GASNET_CORE_NAME_STR, CONDUIT) == 0);
  CHECK(strlen(GASNET_EXTENDED_NAME_STR) > 0 && strlen(GASNET_CORE_VERSION_STR) > 0 && strlen(GASNET_EXTENDED_VERSION_STR) > 0);
  CHECK_EQ(sizeof(gasnet_handlerarg_t), 4);
  CHECK_EQ(sizeof(gasnet_handler_t), 1);
  CHECK_EQ(sizeof(gasnet_register_value_t), 8);
  CHECK((gasnet_handlerarg_t)-1 < 0);
  CHECK((gasnet_register_value_t)-1 > 0);
  CHECK((gasnet_node_t)-1 > 0);
  check_start(&argc, &argv, NULL, 0, 0);
  return check_end();
}
