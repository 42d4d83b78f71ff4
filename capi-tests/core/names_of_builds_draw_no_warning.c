// What build scripts, module files and runtimes put into the environment under names like ours is no mistake.
// ranks: 2
// once: yes
// env: GASNET_INSTALL_DIR=/x GASNET_DIR=/x GASNET_ROOT=/x GASNET_HOME=/x GASNET_PREFIX=/x GASNET_MAK_DIR=/x
// env: GASNET_CONFIG_ARGS=--x GASNET_CONFIGURE=./configure GASNET_VERSION=2025.8.0 GASNET_VERSION_MAJOR=2025 GASNET_LIBS=-l GASNET_CFLAGS=-O
// env: GASNET_LD_OVERRIDE=c++ GASNET_LDFLAGS=-L GASNET_DEVWARN_CFLAGS=-W GASNET_ROOT_DIR=/x GASNET_LIBRARIES=-l GASNET_LIBRARY_PATH=/x
// env: GASNET_INCLUDE_DIRS=/x GASNET_SRC_DIR=/x GASNET_BUILD_DIR=/x GASNET_CONDUITS=smp GASNET_THREADMODE=par GASNET_CODEMODE=opt
// env: GASNET_SPAWN_ARGS=x GASNET_MODE=par 'GASNET_ EXITTIMEOUT=2147483646'
#include "check.h"

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, GASNET_PAGESIZE);
  return check_end();
}
