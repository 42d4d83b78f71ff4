/* Data of the tools that inline C reads, and the texts that launchers look for in the library. */
#define GASNETT_THREAD_SAFE 1
#include <gasnet_tools.h>

/* struct ClockWords of os/clock.rs. */
_Static_assert(sizeof(gasneti_clock_t) == 16 && offsetof(gasneti_clock_t, source) == 8, "layout of gasneti_clock");
gasneti_clock_t gasneti_clock = {0, 0, 0};

GASNETT_IDENT(gasneti_ident_tools_config, "$GASNetToolsConfig: (libgasnet) " GASNETT_CONFIG_STRING " $");
GASNETT_IDENT(gasneti_ident_tools_threads, "$GASNetToolsThreadModel: " _STRINGIFY(GASNETT_THREAD_MODEL) " $");
GASNETT_IDENT(gasneti_ident_tuple, "$GASNetSystemTuple: " GASNETT_SYSTEM_TUPLE " $");
GASNETT_IDENT(gasneti_ident_system, "$GASNetSystemName: " GASNETI_SYSTEM_NAME " $");
GASNETT_IDENT(gasneti_ident_build, "$GASNetBuildId: " GASNETI_BUILD_ID " $");
GASNETT_IDENT(gasneti_ident_configure, "$GASNetConfigureArgs: " GASNETI_CONFIGURE_ARGS " $");
GASNETT_IDENT(gasneti_ident_compiler, "$GASNetCompilerID: " PLATFORM_COMPILER_IDSTR " $");
