# Clients that require a source tree of GASNet, not an installation: the steps of their configures and makefiles, run with
# share/gasnet/tree.

tree=$prefix/share/gasnet/tree
cat >client.c <<'C'
#include <gasnetex.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv) {
  gex_Client_t client;
  gex_EP_t ep;
  gex_TM_t tm;
  if (gex_Client_Init(&client, &ep, &tm, "client", &argc, &argv, 0)) return 1;
#ifdef GASNET_DEBUG
  printf("debug rank %u\n", (unsigned)gex_TM_QueryRank(tm));
#else
  printf("opt rank %u\n", (unsigned)gex_TM_QueryRank(tm));
#endif
  fflush(stdout);
  gex_Event_Wait(gex_Coll_BarrierNB(tm, 0));
  gasnet_exit(0);
  return 0;
}
C
cat >client.mak <<'MAK'
include $(FRAGMENT)
client:
	$(GASNET_CC) $(GASNET_CPPFLAGS) $(GASNET_CFLAGS) -o $(OUT) client.c $(GASNET_LDFLAGS) $(GASNET_LIBS)
MAK

# value DIR NAME: the value of NAME in DIR's config.status, as clients' configures read it.
value() { sed -n "s/^S\[\"$2\"\]=\"\(.*\)\"\$/\1/p" "$1/config.status"; }
says() { test "$(grep -c "^S\[\"$2\"\]=" "$1/config.status")" = 1 && test "$(value "$1" "$2")" = "$3"; }
refused() {
  local pattern=$1
  shift
  if "$@" >refused.out 2>refused.err; then return 1; fi
  cat refused.err
  [ "$(grep -cv '^make' refused.err)" = 1 ] && grep -q -e "$pattern" refused.err
}
runs() { [ "$(ranks 2 "$1" 2>/dev/null | LC_ALL=C sort | tr '\n' ' ')" = "$2 rank 0 $2 rank 1 " ]; }
make() { command make --no-print-directory -s "$@"; }

# --- gasnet/ inside the client's own tree, its configure run by the client's, out of the source --------------------

configure_runtime() {
  rm -rf "$1" && mkdir -p "$1/gasnet" && (cd "$1/gasnet" && CONDUIT_LIST=$dir/$1/list CONDUIT_LIST_SUPPRESS=yes \
    "$2" "$dir/runtime/gasnet/configure" --prefix="$dir/own/$1" '--with-translator=http://example.org/t.cgi' "${@:3}" \
    '--disable-auto-conduit-detect' '--with-multiconf-magic=x' 'CC=gcc' --with-tool-prefix=upc --disable-parsync \
    --srcdir="$dir/runtime/gasnet" >"$dir/$1/out")
}
installed=$(cd "$prefix/include" && echo *-conduit | sed 's/-conduit//g')
# Berkeley UPC's makefiles fail on a conduit that they do not know, and no source tree of 2020 and later has shmem's.
default=$(printf '%s' "$installed" | sed 's/ shmem / /')
mkdir runtime
ln -s "$tree" runtime/gasnet
ok "gasnet/ as a link: the client's configure, optimized" configure_runtime opt sh
ok "... and for debugging, in another shell" configure_runtime dbg "$(command -v dash || echo bash)" --enable-debug
for what in "CONDUITS $default" "PTHREADS yes" "GASNET_THREAD_DEFINES -D_REENTRANT" "GASNET_THREAD_LIBS -lpthread" \
  "GASNET_PSHM_ENABLED yes" "BUILD_SEQ_LIBS_TRUE " "BUILD_PAR_LIBS_TRUE " "BUILD_PARSYNC_LIBS_TRUE #" "NOASLR_LDFLAGS " \
  "DEBUGMALLOC no" "DEBUGMALLOC_VAR MALLOC_CHECK_" "CC $(command -v gcc)"; do
  ok "config.status: $what" says opt/gasnet "${what%% *}" "${what#* }"
done
ok "config.status of a debug configuration" says dbg/gasnet DEBUGMALLOC yes
ok "the list of conduits goes where the client wants it" grep -q 'smp-conduit  ON' opt/list
ok "and nowhere else" bash -c '! grep -q "smp-conduit  ON" opt/out'
ok "a later make does not run aclocal: acinclude.m4 is old" bash -c '[ "$(find -L runtime/gasnet/acinclude.m4 ! -newermt 2001-01-01)" ]'

printf '%s\n' '#!/bin/sh' >driver
cat opt/gasnet/other/perlstart >>driver
chmod +x driver
echo 'print join("+", @ARGV), "\n";' >driver.pl
mkdir elsewhere && ln -s ../driver elsewhere/tool
ok "perlstart runs the Perl program beside the script, through a link" \
  bash -c '[ "$(cd elsewhere && ./tool a "b c" "")" = "a+b c+" ]'
ok "make perlstart in other/" make -C opt/gasnet/other perlstart
ok "make gasnet_trace in other/contrib" make -C opt/gasnet/other/contrib gasnet_trace
ln -s opt/gasnet/other/contrib/gasnet_trace upc_trace
ok "help2man asks it for its version" bash -c '[ "$(./upc_trace -h2mversion=2020.4.0)" = "upc_trace 2020.4.0" ]'
ok "and for its help, with the = that it puts before" bash -c './upc_trace =-h2mhelp | grep -q "^Usage: upc_trace "'
ok "gasnet_trace.pl is the same program" bash -c 'perl runtime/gasnet/other/contrib/gasnet_trace.pl --version | grep -q libgasnet'
ok "echovar" bash -c 'eval "$(make --no-print-directory -f dbg/gasnet/Makefile echovar VARNAME=CFLAGS)" && [ "$CFLAGS" = -g ]'
printf 'all: runtime/gasnet/*.h runtime/gasnet/*/*.h runtime/gasnet/*/*/*.h opt/gasnet/gasnet_config.h\n' >headers.mak
ok "headers three levels deep, as prerequisites" make -f headers.mak
printf '#include "gasnet_portable_platform.h"\n#include "portable_inttypes.h"\nuint64_t x; int PLATFORM_ARCH_64_here = PLATFORM_ARCH_64;\n' >portable.c
ok "portability headers in other/" gcc -c -Iruntime/gasnet/other portable.c -o portable.o

for conf in opt dbg; do
  for mode in seq par; do
    fragment=$conf/gasnet/smp-conduit/smp-$mode.mak
    ok "make smp-$mode.mak: $conf" make -C $conf/gasnet/smp-conduit smp-$mode.mak
    ok "a client of it: $conf" make -f client.mak FRAGMENT="$fragment" OUT="client-$conf-$mode"
    ok "runs: $conf $mode" runs "./client-$conf-$mode" ${conf/dbg/debug}
  done
done
for conduit in $conduits; do ok "make seq par: $conduit" make -C "opt/gasnet/$conduit-conduit" seq par; done
ok "a mode that was disabled is refused" refused 'parsync was disabled' make -s -C opt/gasnet/smp-conduit smp-parsync.mak
ok "make all" make -j2 -C dbg/gasnet all
ok "tools fragment" grep -q '^GASNETTOOLS_CC = .*gcc$' dbg/gasnet/gasnet_tools-seq.mak
for target in check dvi info tags install-data; do ok "recursive target $target" make -C opt/gasnet $target DESTDIR="$dir/stage" SHELL=/bin/sh; done
ok "run-tests" make -C opt/gasnet/smp-conduit run-tests

ok "make install into the client's prefix" make -C dbg/gasnet install prefix="$dir/own/dbg"
ok "nothing there names the installation" bash -c '! grep -rIl "$1[/ ]" own/dbg --include="*.mak" --include="*.pc"' - "$prefix"
ok "a client of the copy" make -f client.mak FRAGMENT=own/dbg/include/smp-conduit/smp-seq.mak OUT=client-own
ok "runs" runs ./client-own debug
ok "pkg-config of the copy" bash -c 'PKG_CONFIG_PATH=own/dbg/lib/pkgconfig pkg-config --cflags gasnet-smp-par | grep -q -e "-DGASNET_DEBUG .*-I$PWD/own/dbg/include "'
ok "what was disabled is not there" test ! -e own/dbg/lib/libgasnet-smp-parsync.a -a ! -e own/dbg/include/smp-conduit/smp-parsync.mak
ok "make uninstall" make -C dbg/gasnet uninstall prefix="$dir/own/dbg"
ok "leaves nothing" bash -c '! find own/dbg ! -type d | grep .'
ok "make install over the installation itself is refused" refused 'is the installation itself' make -C opt/gasnet install prefix="$prefix"
ok "make clean" make -C opt/gasnet clean
ok "make distclean" make -C opt/gasnet distclean
ok "leaves nothing" bash -c '! ls -A opt/gasnet | grep .'

# --- --with-gasnet=DIR: a copy of the tree; build directories of the client's, config.status with its templates ----

cp -R "$tree" copy
ok "it looks like a source tree" bash -c 'cd copy && test -r gasnet_config.h.in -a -r gasnet.h -a -r gasnetex.h -a -x configure -a ! -e gasnet_config.h'
ok "of GASNet-EX 0.8 or later" bash -c '[[ $(grep EX_SPEC_VERSION_MAJOR $(echo copy/docs/GASNet-EX.*) | head -1) =~ \ ([0-9]+) ]] && ((BASH_REMATCH[1] == 0)) &&
  [[ $(grep EX_SPEC_VERSION_MINOR $(echo copy/docs/GASNet-EX.*) | head -1) =~ \ ([0-9]+) ]] && ((BASH_REMATCH[1] >= 8))'
ok "configure --help" bash -c 'copy/configure --help | grep -q -e --enable-debug'
ok "configure --version" bash -c 'copy/configure --version | grep -q "^GASNet configure [0-9]"'
mkdir -p build/gasnet.debug
configure_args="--with-cflags=\"-DWORDS='a b'\" --with-cxxflags=\"\" --disable-parsync --enable-seq --enable-par --enable-pthreads"
ok "configure as make does it" bash -c "cd build/gasnet.debug && eval \"\$1\"" - \
  "$dir/copy/configure $configure_args --disable-segment-everything --enable-smp --enable-debug --with-cc='gcc  -pipe' --with-cxx='g++'"
cat >template.in <<'T'
PERL = @PERL@
CONDUITS = @CONDUITS@|@EXESUFFIX@|@CC_FAMILY@|@CXX_FAMILY@|@CC_SUBFAMILY@
FLAGS = @GASNET_THREAD_DEFINES@ @GASNET_THREAD_LIBS@
odd = user@example.org @not_a_name@CC_FAMILY@ @ @@ \n & @CFLAGS@
T
status() { (cd build/gasnet.debug && env CONFIG_COMMANDS= CONFIG_LINKS= CONFIG_HEADERS= CONFIG_FILES="$1" ./config.status); }
ok "CONFIG_FILES=out:in config.status" status "conftest.txt:$dir/template.in"
expected=$(printf 'PERL = %s\nCONDUITS = %s||GNU|GNU|GNU\nFLAGS = -D_REENTRANT -lpthread\nodd = user@example.org @not_a_nameGNU @ @@ \\n & -g -DWORDS='\''a b'\' \
  "$(command -v perl)" "$default")
ok "replaces what it knows, and nothing else" test "$(cat build/gasnet.debug/conftest.txt)" = "$expected"
ok "FILE:TEMPLATE as a word, to stdout" bash -c 'cd build/gasnet.debug && [ "$(./config.status --file=-:"$1/template.in")" = "$2" ]' - "$dir" "$expected"
printf '#undef GASNETI_CACHE_LINE_BYTES\n  # undef HAVE_NOTHING\nint x; /* @CC@ */\n' >build/gasnet.debug/x.h.in
ok "CONFIG_HEADERS" bash -c 'cd build/gasnet.debug && CONFIG_FILES= CONFIG_HEADERS=x.h ./config.status -q &&
  [ "$(cat x.h)" = "$(printf "#define GASNETI_CACHE_LINE_BYTES 64\n/* #undef HAVE_NOTHING */\nint x; /* @CC@ */")" ]'
ok "a template that is not there is named" refused 'cannot find the template .*nothing.in' build/gasnet.debug/config.status nothing
ok "config.status -V" bash -c "build/gasnet.debug/config.status -V | grep -q -- '--enable-smp'"
ok "config.status --recheck" bash -c 'cd build/gasnet.debug && ./config.status --recheck >out && grep -q -e "-pipe" config.status'
for mode in seq par; do
  ok "make $mode, with the client's own words" make -C build/gasnet.debug/smp-conduit $mode MANUAL_CFLAGS=-fno-common
  ok "libgasnet-smp-$mode.a" bash -c "nm build/gasnet.debug/smp-conduit/libgasnet-smp-$mode.a 2>/dev/null | grep -q ' T gex_'"
done
case $conduits in *udp*)
  ok "make amudprun" make -C build/gasnet.debug/other/amudp amudprun
  ok "amudprun is a program" test -x build/gasnet.debug/other/amudp/amudprun
  ;;
esac
ok "CC with words, CFLAGS with quotes" bash -c 'grep -q "^GASNET_CC = /.*gcc -pipe$" build/gasnet.debug/smp-conduit/smp-seq.mak &&
  grep -q "^GASNET_OPT_CFLAGS = -g -DWORDS='\''a b'\''$" build/gasnet.debug/smp-conduit/smp-seq.mak'
ok "a client of it" make -f client.mak FRAGMENT=build/gasnet.debug/smp-conduit/smp-par.mak OUT=client-cxx
ok "runs with the launcher of the build directory" bash -c 'build/gasnet.debug/smp-conduit/contrib/gasnetrun_smp -n 2 ./client-cxx | grep -q "debug rank 1"'

# --- in the source; options --------------------------------------------------------------------------------------

ok "in a copy, in its own directory" bash -c 'cd copy && ./configure --disable-udp --disable-mpi --disable-shmem --disable-ucx --disable-ofi CFLAGS=-O1 >/dev/null && make -s --no-print-directory seq && test ! -e udp-conduit/Makefile'
ok "what is disabled is left out" says copy CONDUITS smp
ok "a client of it" make -f client.mak FRAGMENT=copy/smp-conduit/smp-seq.mak OUT=client-in
ok "runs" runs ./client-in opt
ok "make distclean" make -C copy distclean
ok "leaves the tree as it was" diff -r "$tree" copy
mkdir options && cd options || exit 1
ok "a conduit that is not there is refused" refused "enable-ibv: .* has the conduits:.*smp" "$tree/configure" --enable-ibv
case " $installed " in *" shmem "*)
  ok "shmem is there for clients that ask for it" bash -c '"$1/configure" --enable-shmem >out && grep -q "shmem-conduit  ON" out && [ -d shmem-conduit ]' - "$tree"
  ok "... and no further" bash -c '"$1/configure" --enable-shmem --disable-shmem >out && grep -q "shmem-conduit  OFF  (disabled)" out' - "$tree"
  ok "else the summary names the option" bash -c '"$1/configure" >out && grep -q "shmem-conduit  OFF  (unless --enable-shmem)" out' - "$tree"
  ;;
esac
ok "a wish for one that is not there has no effect" "$tree/configure" -q --enable-ibv=probe --disable-mpi
ok "unknown features and packages are accepted" "$tree/configure" -q --enable-x --disable-y --enable-z=3 --with-a=b --without-c \
  --host=x86_64-pc-linux-gnu --build x86_64-pc-linux-gnu -prefix /x --cache-file=/dev/null --mandir=/m -C
ok "a prefix in two words" says . prefix /x
ok "unknown options are not" refused 'unrecognized option: --bogus' "$tree/configure" --bogus
ok "a compiler that is not there" refused 'CC=no-such-cc: no such program' "$tree/configure" CC=no-such-cc
ok "a compiler that is none" refused 'cannot preprocess' "$tree/configure" CC=false
ok "nothing left of the conduits" refused 'every conduit is disabled' "$tree/configure" --disable-smp --disable-udp --disable-mpi --disable-shmem --disable-ucx --disable-ofi
ok "the segment mode of the clients" bash -c '"$1/configure" -q --enable-segment-everything && make -s --no-print-directory -C smp-conduit smp-seq.mak &&
  grep -q "^GASNET_DEFINES = -DGASNET_SEGMENT_EVERYTHING=1 " smp-conduit/smp-seq.mak' - "$tree"
command -v clang >/dev/null && ok "clang, from the environment" bash -c 'CC=clang "$1/configure" -q && grep -q "^S..CC_FAMILY..=.Clang.$" config.status &&
  unset CC && ./config.status --recheck >/dev/null && grep -q "^S..CC_FAMILY..=.Clang.$" config.status' - "$tree"
cd .. || exit 1
ok "the installed tree is no build directory" bash -c 'cd "$1" && ! ./configure >"$2/log2" 2>&1 && grep -q "run its configure from another directory" "$2/log2" && test ! -e config.status' - "$tree" "$dir"
