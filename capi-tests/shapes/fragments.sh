# Fragments and packages with other link drivers than the compiler that built the library, and the queries of makefiles
# and install scripts. An object of C is linked by each available driver, with the flags of a fragment and of a package.

hello_source >client.c
# The rules that most clients have. MPI's driver links if the fragment requires it by ifdef, C++'s likewise.
cat >Makefile <<'MAKE'
include $(MAK)
LINK = $(or $(DRIVER),$(GASNET_LD))
ifdef GASNET_LD_REQUIRES_CXX
LINK = no-such-c++
endif
ifdef GASNET_LD_REQUIRES_MPI
LINK = no-such-mpicc
endif
client: client.c
	$(GASNET_CC) $(GASNET_CPPFLAGS) $(GASNET_CFLAGS) -c $< -o client.o
	$(LINK) $(GASNET_LDFLAGS) client.o -o $@ $(GASNET_LIBS)
cxx: client.c
	$(GASNET_CXX) $(GASNET_CXXCPPFLAGS) $(GASNET_CXXFLAGS) $(COMPILE) -c client.cc -o client.o
	$(LINK) $(GASNET_LDFLAGS) client.o -o client $(GASNET_LIBS)
MAKE
cp client.c client.cc
cp client.c client.cu
says() { ranks 2 ./client | tee /dev/stderr | grep -q "2 ranks of .*$1"; }
mak() { echo "MAK=$prefix/${2:+$2/}include/smp-conduit/smp-$1.mak"; }

# Accepts and rejects options as nvcc does, which fails on unknown ones such as -pthread.
cat >nvcc-like <<'SH'
#!/bin/sh
cuda= previous=
for word; do
  case $previous:$word in
  -[oxL]:* | -Xcompiler:* | -Xlinker:*) ;;
  :-Wl,* | :-pthread | :-f* | :-m* | :-W*) echo "nvcc fatal   : Unknown option '$word'" >&2; exit 1 ;;
  :*.cu) cuda="-x c++" ;;
  esac
  case $word in -o | -x | -L | -Xcompiler | -Xlinker) previous=$word ;; *) previous= ;; esac
done
exec g++ $cuda "$@"
SH
chmod +x nvcc-like
ok "nvcc-like refuses -pthread" sh -c '! ./nvcc-like client.o -pthread 2>said && grep -q "Unknown option .-pthread" said'

for driver in gcc clang g++ clang++ gfortran flang flang-new "flang-new-16 -flang-experimental-exec" nvcc ./nvcc-like; do
  command -v "${driver%% *}" >/dev/null || { echo "-- no $driver here"; continue; }
  for mode in seq par; do
    rm -f client
    ok "$driver: links a client with the fragment, $mode" make "$(mak $mode)" DRIVER="$driver" client
    ok "$driver: $mode runs" says "THREADMODEL=${mode^^},.*,nodebug,"
  done
  # shellcheck disable=SC2046,SC2086
  ok "$driver: links with the package" $driver client.o $(libs par) -o client
  ok "$driver: runs" says ",THREADMODEL=PAR,"
done
# A file for the GPU's compiler, which compiles host code as C++.
for driver in nvcc ./nvcc-like; do
  command -v $driver >/dev/null || continue
  # shellcheck disable=SC2046
  ok "$driver: compiles and links by itself" $driver $(flags par) client.cu $(libs par) -o client
  ok "$driver: runs" says ",THREADMODEL=PAR,"
done

# Another compiler than the fragment's, given on the command line.
for pair in gcc:g++ clang:clang++; do
  command -v ${pair%:*} >/dev/null || continue
  rm -f client
  ok "GASNET_CC=${pair%:*}" make "$(mak par)" GASNET_CC=${pair%:*} GASNET_LD=${pair%:*} client
  ok "GASNET_CC=${pair%:*}: that compiler" sh -c 'readelf -p .comment client.o | grep -qi "${1%-*}"' - "$([ ${pair%:*} = clang ] && echo clang || echo GCC)"
  ok "GASNET_CXX=${pair#*:}" make "$(mak par)" GASNET_CXX=${pair#*:} GASNET_LD=${pair#*:} cxx
  ok "GASNET_CXX=${pair#*:}: runs" says ",THREADMODEL=PAR,"
  # Install scripts compare the package's compiler with their own; this variable avoids the error.
  ok "--define-variable=GASNET_CC" test "$(pkg-config --define-variable=GASNET_CC="$(command -v ${pair%:*})" --variable=GASNET_CC gasnet-smp-par)" = "$(command -v ${pair%:*})"
done
ok "the packages' compiler is the one in PATH" sh -c 'cc=$(pkg-config --variable=GASNET_CC gasnet-smp-seq | cut -d" " -f1) && [ "$(realpath "$cc")" = "$(realpath "$(command -v "${cc##*/}")")" ]'

# Flags to add and to replace.
ok "MANUAL_ words" make -B "$(mak par)" MANUAL_DEFINES=-DA=1 MANUAL_CFLAGS='-DB=A' MANUAL_LDFLAGS=-L. MANUAL_LIBS=-lm client
ok "MPI where a site says so" sh -c '! make -B "$1" GASNET_LD_REQUIRES_MPI=1 client 2>said && grep -q no-such-mpicc said' - "$(mak par)"
# Directories and names of the libraries separately, as package managers of languages split them.
# shellcheck disable=SC2046
ok "names of libraries" sh -c 'set -- $(for word; do case $word in -[lL]*) echo "$word" ;; esac; done); gcc client.o "$@" -o client' - $(pkg-config --variable=GASNET_LIBS gasnet-smp-par)
ok "names of libraries: runs" says ",THREADMODEL=PAR,"

# The debug set: a prefix like the first, by fragments, packages, and by the directories alone.
for driver in gcc g++; do
  rm -f client
  ok "debug: fragment, $driver" make "$(mak par debug)" DRIVER=$driver client
  ok "debug: it is a debug client" says ",debug,"
done
ok "debug: its packages" test "$(PKG_CONFIG_PATH=$prefix/debug/lib/pkgconfig pkg-config --variable=GASNET_PREFIX gasnet)" = "$prefix/debug"
ok "debug: directories alone" gcc -DGASNET_DEBUG -DGASNET_SEQ -I"$prefix/debug/include" -I"$prefix/debug/include/smp-conduit" client.c -L"$prefix/debug/lib" -lgasnet-smp-seq -o client
ok "debug: its launcher" sh -c '"$1/debug/bin/gasnetrun_smp" -n 2 ./client | grep -q "2 ranks of .*,debug,"' - "$prefix"
cat >misuse.c <<'C'
#include <gasnet.h>
int main(int argc, char **argv) {
  gasnet_init(&argc, &argv);
  gasnet_attach(NULL, 0, GASNET_PAGESIZE, 0);
  gasnet_barrier_wait(0, 0);
  return 0;
}
C
printf 'include $(MAK)\nmisuse: misuse.c\n\t$(GASNET_CC) $(GASNET_CPPFLAGS) $(GASNET_CFLAGS) $< -o $@ $(GASNET_LIBS)\n' >misuse.mk
ok "debug: misuse" make -f misuse.mk "$(mak seq debug)"
ok "debug: misuse is named with its line" sh -c '! GASNET_PSHM_NODES=1 timeout 60 ./misuse 2>said; cat said; grep -q "misuse.c:5" said'
