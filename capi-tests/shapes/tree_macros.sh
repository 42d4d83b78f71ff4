# Clients whose configure is regenerated with share/gasnet/tree: a configure.ac that uses the macros of its acinclude.m4,
# the configure that autoconf generates from it, and the results and files of that configure.

tree=$prefix/share/gasnet/tree
macros="BIGENDIAN CHECK_SIZEOF CHECK_TLS_SUPPORT COMPILE_EXAMINE CROSS_VAR DEFINE_CONFIGURE_VARS END_CONFIGURE FAMILY_CACHE_CHECK
  FIND_HEADER FIX_EXEC FIX_EXEC_OUTPUT FIX_EXEC_SETUP FORBID_PROGRAM_TRANSFORM GET_SIG IFDEF IF_DISABLED IF_ENABLED
  IF_ENABLED_NOHELP IF_ENABLED_WITH_AUTO MSG_WARN MSG_WARN_FINISH NO_CHECK_OPTS OPTION_HELP PATH_PROGS POPVAR PROG_CC
  PROG_HOSTCC PROG_PERL PUSHVAR SANITIZE_PACKAGE SET_INSTALL_CMD SETUP_INTTYPES START_CONFIGURE SUBCONFIGURE_ARG
  SUBCONFIGURE_EXTRACT SUBCONFIGURE_INVOKE SUBST_TEXT TRIM_ACHELP TRY_CACHE_CHECK TRY_CACHE_EXTRACT_EXPR TRY_CACHE_LINK
  TRY_CACHE_RUN_EXPR TRY_CACHE_RUN_WITHCC TRY_CCOMPILE_WITHWARN TRY_CFLAG WITH"
for macro in $macros; do
  ok "GASNET_$macro is defined" grep -qE "^(AC_DEFUN|m4_define)\(\[GASNET_$macro\]" "$tree/acinclude.m4"
done
ok "Bootstrap, with the clients' options" sh "$tree/Bootstrap" -y -n -T
ok "unBootstrap" sh "$tree/unBootstrap"

mkdir client && cd client || exit 1
ln -s "$tree" gasnet
echo 'AC_DEFUN([cv_prefix], [own_cv_])' >acinclude.m4
printf 'm4_include([gasnet/acinclude.m4])\nm4_include([acinclude.m4])\n' >aclocal.m4
cat >configure.ac <<'M4'
ifdef([GASNET_TRIM_ACHELP], [GASNET_TRIM_ACHELP(sbindir, psdir)])
AC_INIT([own], [1.2])
GASNET_NO_CHECK_OPTS
AC_CONFIG_HEADERS([own.h])
AC_PREFIX_DEFAULT([/usr/local/own])
GASNET_START_CONFIGURE([])
GASNET_DEFINE_CONFIGURE_VARS([OWN])
GASNET_PROG_PERL
GASNET_FORBID_PROGRAM_TRANSFORM
OPTIONS=
AC_SUBST(OPTIONS)
GASNET_IF_ENABLED(a-b, [the first, with a comma], [OPTIONS="$OPTIONS a=yes"], [OPTIONS="$OPTIONS a=no"])
GASNET_IF_DISABLED(c, [the second], [OPTIONS="$OPTIONS c=no"])
GASNET_IF_ENABLED_WITH_AUTO(d, the third, [OPTIONS="$OPTIONS d=yes"], [OPTIONS="$OPTIONS d=no"], [OPTIONS="$OPTIONS d=auto"])
GASNET_IF_ENABLED_NOHELP(hidden, [OPTIONS="$OPTIONS hidden"])
GASNET_WITH(e, [the fourth], [OPTIONS="$OPTIONS e=$withval"], [OPTIONS="$OPTIONS e=without"], [OPTIONS="$OPTIONS e=auto"])
AC_ARG_WITH(f, GASNET_OPTION_HELP([with-f=VALUE], [the fifth]), [OPTIONS="$OPTIONS f=$with_f"])
GASNET_PROG_CC
GASNET_FAMILY_CACHE_CHECK(C, CC, own_cv_cc_family)
GASNET_PROG_HOSTCC
GASNET_BIGENDIAN()
GASNET_CHECK_SIZEOF(void *)
GASNET_PATH_PROGS(SED_PATH, $SED_PATH sed, sed)
FOUND=
AC_SUBST(FOUND)
GASNET_TRY_CFLAG([-O1], [FOUND="$FOUND O1"])
GASNET_TRY_CFLAG([-no-such-flag-here], [FOUND="$FOUND wrong"], [FOUND="$FOUND noflag"])
GASNET_TRY_CCOMPILE_WITHWARN([int f(void) { return 1; }], [f();], [FOUND="$FOUND quiet"], [FOUND="$FOUND wrong"], [FOUND="$FOUND wrong"])
GASNET_TRY_CCOMPILE_WITHWARN([
#warning said
], [], [FOUND="$FOUND wrong"], [FOUND="$FOUND warned"], [FOUND="$FOUND wrong"])
GASNET_TRY_CCOMPILE_WITHWARN([], [not C], [FOUND="$FOUND wrong"], [FOUND="$FOUND wrong"], [FOUND="$FOUND failed"])
GASNET_TRY_CACHE_CHECK(if it compiles, compiles, [extern int nowhere;], [return nowhere;], [FOUND="$FOUND compiles"])
GASNET_TRY_CACHE_LINK(if it links, links, [extern int nowhere;], [return nowhere;], [FOUND="$FOUND wrong"], [FOUND="$FOUND nolink"])
GASNET_TRY_CACHE_RUN_WITHCC([if it runs], [runs], [], [return 0;], [FOUND="$FOUND runs"])
GASNET_TRY_CACHE_RUN_WITHCC([if it fails], [fails], [], [return 3;], [FOUND="$FOUND wrong"], [FOUND="$FOUND fails"])
GASNET_TRY_CACHE_RUN_EXPR([a value], [value], [#include <limits.h>], [val = INT_MAX], RUN_VALUE)
GASNET_TRY_CACHE_RUN_EXPR([no value], [novalue], [], [val = nothing], NO_VALUE)
GASNET_TRY_CACHE_EXTRACT_EXPR([a constant], [constant], [], [(7 > 3 ? -12 : 0)], CONSTANT)
AC_SUBST(RUN_VALUE)
AC_SUBST(NO_VALUE)
AC_SUBST(CONSTANT)
GASNET_IFDEF([__STDC__], [FOUND="$FOUND stdc"], [FOUND="$FOUND wrong"])
GASNET_IFDEF([NO_SUCH_MACRO], [FOUND="$FOUND wrong"], [FOUND="$FOUND undefined"])
GASNET_COMPILE_EXAMINE([], [return 5;], [$GASNET_EXAMINE_BIN; FOUND="$FOUND exit$?"])
X='one two'
GASNET_PUSHVAR(X, "$X three")
GASNET_PUSHVAR(Y, set)
GASNET_PUSHVAR(X, "$X four")
FOUND="$FOUND $X$Y"
GASNET_POPVAR(X)
GASNET_POPVAR(Y)
FOUND="$FOUND $X"
GASNET_POPVAR(X)
FOUND="$FOUND $X${Y-unset}"
GASNET_PUSHVAR(LIBS, "$LIBS -lpthread")
GASNET_CHECK_TLS_SUPPORT([FOUND="$FOUND tls"], [FOUND="$FOUND notls"])
GASNET_POPVAR(LIBS)
GASNET_FIND_HEADER(sys/stat.h)
GASNET_FIND_HEADER(no/such.h)
GASNET_SUBST_TEXT(TEXT, [#include <$X> $HAVE_SYS_STAT_H, $HAVE_NO_SUCH_H])
GASNET_SETUP_INTTYPES()
GASNET_GET_SIG(TERM)
GASNET_MSG_WARN([so "it's" $X])
AC_ARG_VAR([CROSS_TELL], [what to tell])
if test -n "$OWN_CROSS"; then
  GASNET_CROSS_VAR(TOLD, TELL)
fi
AC_SUBST(TOLD)
GASNET_SUBCONFIGURE_ARG(--with-tool-prefix=own)
GASNET_SUBCONFIGURE_ARG(--disable-parsync)
GASNET_SUBCONFIGURE_INVOKE(gasnet)
GASNET_SUBCONFIGURE_EXTRACT(gasnet, CONDUITS)
GASNET_SUBCONFIGURE_EXTRACT(gasnet, BUILD_PAR_LIBS_TRUE)
GASNET_SUBCONFIGURE_EXTRACT(gasnet, BUILD_PARSYNC_LIBS_TRUE)
AC_SUBST(CONDUITS)
AC_SUBST(BUILD_PAR_LIBS_TRUE)
AC_SUBST(BUILD_PARSYNC_LIBS_TRUE)
GASNET_SET_INSTALL_CMD
GASNET_FIX_EXEC(tool)
GASNET_END_CONFIGURE([])
AC_OUTPUT(values tool install.mak,
GASNET_FIX_EXEC_OUTPUT()
GASNET_SANITIZE_PACKAGE(own.h)
GASNET_MSG_WARN_FINISH()
,
GASNET_FIX_EXEC_SETUP()
)
M4
for name in OPTIONS FOUND RUN_VALUE NO_VALUE CONSTANT TOP_SRCDIR BUILD_IS_SRC BUILD_IS_SRC_TRUE CONFIGURE_ARGS CC CFLAGS CC_FAMILY \
  SIZEOF_VOID_P SED_PATH HAVE_SYS_STAT_H PATH_SYS_STAT_H HAVE_NO_SUCH_H COMPLETE_STDINT_H PLATFORM_LP64_TRUE PLATFORM_ILP32_TRUE \
  INTTYPES_DEFINES SIGTERM CROSS_COMPILING HOST_CC TOLD CONDUITS BUILD_PAR_LIBS_TRUE BUILD_PARSYNC_LIBS_TRUE; do
  echo "$name=<@$name@>"
done >values.in
printf '#!/bin/sh\necho a tool\n@TEXT@\n' >tool.in
cat >install.mak.in <<'MAK'
prefix = /the/prefix
includedir = $(prefix)/include
filter: ; @printf '%s\n' 'here ###NOINSTALL###' 'I = ###INSTALL_INCLUDE###/x' 'P = ###INSTALL_PREFIX###' 'L = /the/prefix/lib' | @GASNET_INSTALL_CMD@
MAK

if ! { autoconf --version && autoheader --version; } >/dev/null 2>&1; then
  echo "tree_macros: autoconf is not installed; the macros are not run"
else
  value() { sed -n "s/^$2=<\(.*\)>\$/\1/p" "$1/values"; }
  has() { test "$(value "$1" "$2")" = "$3" || { echo "$2 is <$(value "$1" "$2")>, not <$3>"; false; }; }
  run_configure() { mkdir "$1" && (cd "$1" && shift && ../configure "$@" >out 2>&1) || { tail -5 "$1/out"; false; }; }
  refused() { mkdir refused && ! (cd refused && ../configure "${@:2}") >refused.out 2>&1 && rm -rf refused && grep -q -e "$1" refused.out; }

  ok "autoconf" autoconf -W no-obsolete
  ok "no macro is left in configure" bash -c '! grep -nE "_gasnet_|GASNET_[A-Z_]+ ?\(|m4_[a-z]|^[^#]*AS_[A-Z]+\(" configure'
  ok "autoheader: every define has a text" autoheader
  if command -v aclocal >/dev/null; then
    ok "aclocal -I gasnet takes the file" bash -c 'mkdir fresh && cd fresh && cp -P ../gasnet ../configure.ac ../acinclude.m4 . && aclocal -I gasnet && grep -q "m4_include(\[gasnet/acinclude.m4\])" aclocal.m4'
  fi
  ok "configure" run_configure plain
  defaults=' a=no d=auto e=auto'
  found=' O1 noflag quiet warned failed compiles nolink runs fails stdc undefined exit5 one two three fourset one two three one twounset tls'
  for what in "OPTIONS $defaults" "FOUND $found" "RUN_VALUE 2147483647" "NO_VALUE no" "CONSTANT -12" "TOP_SRCDIR $PWD" "BUILD_IS_SRC no" \
    "BUILD_IS_SRC_TRUE #" "CONFIGURE_ARGS " "CC $(command -v gcc)" "CFLAGS " "CC_FAMILY GNU" "SIZEOF_VOID_P 8" "SED_PATH $(command -v sed)" \
    "HAVE_SYS_STAT_H 1" "HAVE_NO_SUCH_H 0" "COMPLETE_STDINT_H 1" "PLATFORM_LP64_TRUE " "PLATFORM_ILP32_TRUE #" "SIGTERM 15" \
    "CROSS_COMPILING 0" "HOST_CC " "TOLD " "CONDUITS $(cd "$prefix/include" && echo *-conduit | sed "s/-conduit//g; s/ shmem / /")" "BUILD_PAR_LIBS_TRUE " "BUILD_PARSYNC_LIBS_TRUE #"; do
    ok "it finds $what" has plain "${what%% *}" "${what#* }"
  done
  ok "the place of a header" bash -c 'grep -q "^PATH_SYS_STAT_H=<\"/.*/sys/stat.h\">$" plain/values'
  ok "options for portable_inttypes.h" bash -c 'grep "^INTTYPES_DEFINES=" plain/values | grep " -DSIZEOF_VOID_P=8 " | grep -q " -DCOMPLETE_STDINT_H "'
  ok "the header" bash -c 'grep -q "^#define OWN_SYSTEM_NAME \"..*\"" plain/own.h && grep -q "^#define COMPLETE_STDINT_H 1" plain/own.h'
  ok "names no package" bash -c '! grep "^#define PACKAGE" plain/own.h'
  ok "the tool is executable" bash -c '[ "$(plain/tool 2>&1)" = "a tool" ] && grep -q "^#include <one two> 1, 0$" plain/tool'
  ok "both still, when a makefile makes them again" bash -c 'cd plain && ./config.status tool >/dev/null && test -x tool && ./config.status own.h >/dev/null && ! grep "^#define PACKAGE" own.h'
  ok "the filter of installed makefiles" bash -c '[ "$(make --no-print-directory -s -f plain/install.mak filter | tr "\n" ";")" = "I = \$(GASNET_PREFIX)/include/x;P = /the/prefix;L = \$(GASNET_PREFIX)/lib;" ]'
  ok "the warning, at once and at the end" bash -c "[ \$(grep -c \"WARNING: so \\\"it's\\\" one two\" plain/out) = 2 ]"
  ok "gasnet/ is configured as this is" bash -c 'grep -q "^S..prefix..=./usr/local/own.$" plain/gasnet/config.status'
  ok "--help" bash -c './configure --help >help && grep -q -e "--enable-a-b  *the first, with a comma" help && grep -q -e "--with-f=VALUE  *the fifth" help'
  ok "without what was left out" bash -c 'grep -q -e "--bindir=" help && ! grep -e --hidden -e "--sbindir" -e "--psdir" help'

  warnings=$PWD/warnings
  ok "configure with options" env GASNET_CONFIGURE_WARNING_GLOBAL="$warnings" ../client/configure --version
  ok "and arguments with blanks" env GASNET_CONFIGURE_WARNING_GLOBAL="$warnings" OWN_CROSS=1 CROSS_TELL='two words' bash -c 'mkdir opts && cd opts &&
    ../configure --prefix=/own --enable-a-b --disable-c --disable-d --enable-hidden --with-e="x y" --without-f --enable-unknown "CC=gcc -pipe" CFLAGS=-O0 >out 2>&1'
  for what in "OPTIONS  a=yes c=no d=no hidden e=x y f=no" "CC $(command -v gcc) -pipe" "CFLAGS -O0" "TOLD two words"; do
    ok "it takes $what" has opts "${what%% *}" "${what#* }"
  done
  ok "arguments are kept" bash -c "grep -q \"^CONFIGURE_ARGS=<'--prefix=/own' .*'--with-e=x y' .*'CC=gcc -pipe'\" opts/values"
  ok "and in the header" bash -c "grep -q \"^#define OWN_CONFIGURE_ARGS \\\"'--prefix=/own' .*'--with-e=x y'\" opts/own.h"
  ok "gasnet/ gets them" bash -c 'grep -q "^S..CC..=./.*gcc -pipe.$" opts/gasnet/config.status'
  ok "warnings are collected for multi-configure clients" grep -q 'one two' "$warnings"
  ok "config.status --recheck" bash -c 'cd opts && cp values old && CROSS_TELL="two words" OWN_CROSS=1 ./config.status --recheck >out2 2>&1 && ./config.status >>out2 && diff old values'
  ok "cross-compiling" run_configure cross --enable-cross-compile
  for what in "CROSS_COMPILING 1" "HOST_CC gcc" "SIZEOF_VOID_P 8" "CONSTANT -12" "SIGTERM 15" "RUN_VALUE no"; do
    ok "it finds $what, and runs nothing" has cross "${what%% *}" "${what#* }"
  done
  ok "what would run only has to link" bash -c 'grep "^FOUND=" cross/values | grep " runs " | grep -q " tls>"'
  ok "other names for programs are refused" refused 'program-prefix.* not supported' --program-prefix=x
  ok "a value for the target is asked for" env OWN_CROSS=1 bash -c 'mkdir ask && cd ask && ! ../configure >out 2>&1 && grep -q "CROSS_TELL must be set" out'
  sed 's/^GASNET_SUBCONFIGURE_EXTRACT(gasnet, CONDUITS)/GASNET_SUBCONFIGURE_EXTRACT(gasnet, NO_SUCH_NAME)/' configure.ac >wrong.ac
  ok "a name that gasnet/ does not know" bash -c 'autoconf -W no-obsolete -o configure.wrong wrong.ac && mkdir wrong && cd wrong && ! sh ../configure.wrong >out 2>&1 && grep -q "does not know NO_SUCH_NAME" out'
  sed 's/^GASNET_POPVAR(Y)//' configure.ac >wrong.ac
  ok "a GASNET_POPVAR that is missing" bash -c '! autoconf -W no-obsolete -o configure.wrong wrong.ac 2>out && grep -q "GASNET_PUSHVAR(Y) has no GASNET_POPVAR(Y)" out'
fi
