# A UPC runtime's use of the texts in binaries. Its compiler driver reads objects as bytes split at `$`, collects
# `GASNetConfig: (TAG) STRING $`, requires in each object exactly the tags that it put there, all with one STRING,
# and in an executable also the library's tag with the same STRING. Its launcher reads conduit, trace, stats and debug from the executable.

# tags FILE: a line `TAG STRING` for each such text.
tags() { LC_ALL=C tr '\n$' '\001\n' <"$1" | LC_ALL=C sed -nE 's/^GASNetConfig:[[:space:]]+\(([^)]+)\)[[:space:]]+([^$]+) $/\1 \2/p'; }
# has FILE TAG...: these tags in any order, each once, and no other; every string is the one that the file `want` holds.
has() {
  local file=$1
  shift
  tags "$file" | tee /dev/stderr | cut -d' ' -f1 | sort >had
  printf '%s\n' "$@" | sed '/^$/d' | sort | diff - had && ! tags "$file" | cut -d' ' -f2- | grep -vxF -f want
}

# A translated file: it uses the library, and has two texts, of the configurations that it was translated and compiled for.
cat >user.c <<'C'
#include <gasnet.h>
#include <stdio.h>
EXTERN void user_main(void);
EXTERN void user_main(void) {
  GASNET_BEGIN_FUNCTION();
  gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
  GASNET_BLOCKUNTIL(gasnet_barrier_try(0, GASNET_BARRIERFLAG_ANONYMOUS) == GASNET_OK);
  if (gasnet_mynode() == 0) printf("%u ranks\n", (unsigned)gasnet_nodes());
}
GASNETT_IDENT(user_GASNetConfig_gen, "$GASNetConfig: (/tmp/user.trans.c) " GASNET_CONFIG_STRING " $");
GASNETT_IDENT(user_GASNetConfig_obj, "$GASNetConfig: (user.o) " GASNET_CONFIG_STRING " $");
C
# The driver's own file, made for each link.
cat >startup.c <<'C'
#include <gasnet.h>
EXTERN int runtime_main(int, char **);
int main(int argc, char **argv) { return runtime_main(argc, argv); }
GASNETT_IDENT(link_GASNetConfig, "$GASNetConfig: (<link>) " GASNET_CONFIG_STRING " $");
C
# The runtime starts the library, from one place or another; and it has the text of its own configuration.
cat >runtime.c <<'C'
#include <gasnet.h>
EXTERN void user_main(void);
EXTERN void runtime_init(int *, char ***);
EXTERN int runtime_main(int, char **);
EXTERN int runtime_main(int argc, char **argv) {
  if (argc > 1) runtime_init(&argc, &argv);
  else if (gasnet_init(&argc, &argv) != GASNET_OK || gasnet_attach(NULL, 0, GASNET_PAGESIZE, 0) != GASNET_OK) return 1;
  user_main();
  gasnet_exit(0);
  return 0;
}
GASNETT_IDENT(runtime_GASNetConfig, "$GASNetConfig: (libupcr.a) " GASNET_CONFIG_STRING " $");
C
cat >other.c <<'C'
#include <gasnetex.h>
EXTERN void runtime_init(int *, char ***);
EXTERN void runtime_init(int *argc, char ***argv) {
  gex_Client_t client;
  gex_EP_t ep;
  gex_TM_t tm;
  if (argc == 0) gex_Client_Init(&client, &ep, &tm, "OTHER", NULL, NULL, 0);
  gex_Client_Init(&client, &ep, &tm, "OTHER", argc, argv, GEX_FLAG_USES_GASNET1);
}
C
# A C file that only includes headers, with all their inline functions.
printf '#include <gasnet.h>\n#include <gasnet_coll.h>\n#include <gasnet_ratomic.h>\n#include <gasnet_tools.h>\nEXTERN int plain(void);\nEXTERN int plain(void) { return (int)gasnet_mynode(); }\n' >plain.c

says() { ranks 2 "$@" | tee /dev/stderr | grep -q '2 ranks'; }
launcher_reads() { # PROGRAM CONDUIT debug|nodebug
  local string
  string=$(tags "$1" | sed -n 's/^<link> //p')
  echo "$string"
  [[ $string == *CONDUIT=${2^^}\(* && $string == *,trace,* && $string == *,stats,* && $string == *,$3,* ]]
}
runs_of() { # CONDUIT PROGRAM [ARGUMENT]
  if [ "$1" = udp ]; then says "$prefix/bin/gasnetrun_udp" -n 2 "./$2" ${3:+"$3"}; else says "./$2" ${3:+"$3"}; fi
}

mapfile -t all < <(compilers)
levels=(-O0 -O3 "-O2 -fPIC -ffunction-sections -fdata-sections") turn=0
for conduit in $conduits; do
  for set in release debug; do
    top=$prefix debug=nodebug
    [ $set = release ] || top=$prefix/debug debug=debug
    export PKG_CONFIG_PATH=$top/lib/pkgconfig
    for mode in seq par; do
      compiler=${all[turn % ${#all[@]}]} level=${levels[turn % 3]} turn=$((turn + 1))
      driver=${compiler%% *} extern=extern
      [[ $driver != *++ ]] || extern='extern"C"'
      name="$conduit $mode $set, $driver $level"
      # shellcheck disable=SC2046,SC2086
      printf '#include <gasnet.h>\n=%s\n' GASNET_CONFIG_STRING | $driver -E -P $(flags $mode $conduit) -x c - | sed -n 's/^= *//p' | sed 's/" *"//g; s/^"//; s/"$//' >want
      ok "$name: one string" sh -c 'cat want; [ $(wc -l <want) = 1 ]'
      for file in user startup runtime other plain; do
        # shellcheck disable=SC2046,SC2086
        ok "$name: compiles $file.c" $compiler $level "-DEXTERN=$extern" $(flags $mode $conduit) -Wall -Wextra -Werror -c $file.c -o $file.o
      done
      ok "$name: a translated object has its own two" has user.o /tmp/user.trans.c user.o
      ok "$name: the driver's object has its own" has startup.o '<link>'
      ok "$name: an object that includes headers has none" has plain.o
      ok "$name: objects that start the library have its text once" sh -c '[ "$(strings -a runtime.o | grep -cF "(libgasnet.a)") $(strings -a other.o | grep -cF "(libgasnet.a)")" = "1 1" ]'
      ok "$name: the archive says the same" has "$top/lib/libgasnet-$conduit-$mode.a" libgasnet.a
      rm -f libupcr.a
      ok "$name: archive of the runtime" ar rc libupcr.a runtime.o other.o
      ok "$name: it has both" has runtime.o libupcr.a libgasnet.a
      # shellcheck disable=SC2046
      ok "$name: links" "$driver" startup.o user.o plain.o libupcr.a $(libs $mode $conduit) -o static
      # shellcheck disable=SC2086
      ok "$name: links with the shared library" "$driver" ${level#-O2 -fPIC} -Wl,--gc-sections startup.o user.o plain.o libupcr.a -L"$top/lib" -lgasnet -lpthread -Wl,-rpath,"$top/lib" -o shared
      for program in static shared; do
        ok "$name, $program: the library's text once, equal to the objects'" has $program /tmp/user.trans.c user.o '<link>' libupcr.a libgasnet.a
        ok "$name, $program: what a launcher reads" launcher_reads $program "$conduit" $debug
      done
      ok "$name: runs" runs_of "$conduit" static
      ok "$name: runs, started by the other interface" runs_of "$conduit" shared again
    done
    for mode in seq par parsync; do
      ok "$conduit $mode $set: archive" sh -c 'strings -a "$1" | grep -F "(libgasnet.a)" | grep ",THREADMODEL=$2,.*,$3,trace,stats,"' - "$top/lib/libgasnet-$conduit-$mode.a" ${mode^^} $debug
    done
  done
done

# The runtime as a shared object: the text is where the library is started.
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
for file in startup user runtime other; do
  # shellcheck disable=SC2046
  ok "shared runtime: compiles $file.c" gcc -O2 -fPIC -DEXTERN=extern $(flags par) -c $file.c -o $file.o
done
printf '#include <gasnet.h>\n=GASNET_CONFIG_STRING\n' | gcc -E -P $(flags par) -x c - | sed -n 's/^= *//p' | sed 's/" *"//g; s/^"//; s/"$//' >want
ok "shared runtime: links" gcc -shared user.o runtime.o other.o $(libs par) -o libupcr.so
ok "shared runtime: the program links" gcc startup.o -L. -lupcr -Wl,-rpath,. -o program
ok "shared runtime: texts" has libupcr.so /tmp/user.trans.c user.o libupcr.a libgasnet.a
ok "shared runtime: texts of the program" has program '<link>'
ok "shared runtime: runs" says ./program
# Link-time optimisation, where objects contain the texts only after the link.
# shellcheck disable=SC2046
ok "link-time optimisation" gcc -O2 -flto -flto-partition=max -DEXTERN=extern $(flags par) startup.c user.c runtime.c other.c plain.c $(libs par) -o program
ok "link-time optimisation: texts" has program /tmp/user.trans.c user.o '<link>' libupcr.a libgasnet.a
# Other linkers.
for linker in gold lld; do
  command -v ld.$linker >/dev/null || { echo "-- no ld.$linker here"; continue; }
  # shellcheck disable=SC2046
  ok "ld.$linker" gcc -fuse-ld=$linker -Wl,--gc-sections startup.o user.o runtime.o other.o $(libs par) -o program
  ok "ld.$linker: texts" has program /tmp/user.trans.c user.o '<link>' libupcr.a libgasnet.a
  ok "ld.$linker: runs" says ./program
done
