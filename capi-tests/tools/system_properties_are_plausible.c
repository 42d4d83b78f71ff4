// Page, cache line, memory, host name, byte order and versions agree with the system and with each other.
// ranks: 1
#include "tools_check.h"

int main(void) {
  char name[256] = "", text[64];
  uint64_t memory = gasnett_getPhysMemSz(1);
  CHECK(GASNETT_PAGESIZE >= sysconf(_SC_PAGESIZE) && GASNETT_PAGESIZE % sysconf(_SC_PAGESIZE) == 0);
#ifdef PLATFORM_ARCH_X86_64
  CHECK_EQ(GASNETT_PAGESIZE, sysconf(_SC_PAGESIZE));
#endif
  CHECK_EQ(1 << GASNETT_PAGESHIFT, GASNETT_PAGESIZE);
  CHECK((GASNETT_CACHE_LINE_BYTES & (GASNETT_CACHE_LINE_BYTES - 1)) == 0);
  CHECK_EQ(memory, (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE));
  gethostname(name, sizeof name - 1);
  CHECK(!strcmp(gasnett_gethostname(), name));
  CHECK(gasnett_isLittleEndian());
  CHECK(gasnett_exe_name()[0] == '/');
  snprintf(text, sizeof text, "%d.%d.%d", GASNETT_RELEASE_VERSION_MAJOR, GASNETT_RELEASE_VERSION_MINOR,
           GASNETT_RELEASE_VERSION_PATCH);
  CHECK(!strcmp(gasnett_release_version_str(), text));
  CHECK_EQ(gasnett_release_version(), GASNETT_RELEASE_VERSION_MAJOR * 1000000 + GASNETT_RELEASE_VERSION_MINOR * 10000 +
                                          GASNETT_RELEASE_VERSION_PATCH);
  CHECK(!strncmp(GASNETT_CONFIG_STRING, "RELEASE=2025.8.0,SPEC=1.20,PTR=64bit,", 37));
  CHECK(!strcmp(_STRINGIFY(GASNETT_PTR_CONFIG), "64bit"));
#ifdef GASNET_DEBUG
  CHECK(gasnett_performance_warning_str()[0] != 0);
#else
  CHECK(gasnett_performance_warning_str()[0] == 0);
#endif
  return check_end();
}
