// gasnet_tools.h alone defines neither gasnet.h's guards nor its configuration.
// ranks: 1
#include <gasnet_tools.h>
#include <stdio.h>

#if defined(_GASNET_H) || defined(_INCLUDED_GASNET_H) || defined(_GASNETEX_H) || defined(GASNET_CORE_NAME) || \
    defined(GASNET_CONDUIT_NAME) || defined(GASNET_CONFIG_STRING) || defined(GASNET_PSHM)
#error "the tools bring GASNet"
#endif
#if GASNETI_ARCH_ALTIX || PLATFORM_OS_CYGWIN || !PLATFORM_ARCH_64 || PLATFORM_ARCH_32 || !PLATFORM_OS_LINUX
#error "platform"
#endif

int main(void) {
  printf("%" PRIuSZ " %s\n", sizeof(int64_t), PLATFORM_COMPILER_VERSION_STR);
  printf("ok 0\n");
  return 0;
}
