dnl Autoconf macros for clients that bootstrap their own configure against this tree (`aclocal -I gasnet').
dnl For Autoconf 2.69 or later, on systems that have a POSIX shell.
dnl
dnl Names of cached values begin with the client's macro `cv_prefix', or with gasnet_cv_ if it defines none.
dnl Where a macro runs a test program, its text says what holds when cross-compiling.

m4_define([_gasnet_cv], [m4_ifdef([cv_prefix], [cv_prefix], [gasnet_cv_])])

dnl --- Before AC_INIT -----------------------------------------------------------------------------------------------

dnl GASNET_TRIM_ACHELP(DIR, ...): `configure --help' does not show the options --DIR.
m4_define([GASNET_TRIM_ACHELP], [m4_ifdef([_AC_INIT_HELP], [m4_map_args_sep([_gasnet_trim(], [)], [], $@)])])
m4_define([_gasnet_trim], [m4_define([_AC_INIT_HELP],
  m4_bpatsubst(m4_dquote(m4_defn([_AC_INIT_HELP])), [^ *--]m4_normalize([$1])[=.*
], []))])

dnl GASNET_NO_CHECK_OPTS: options that this configure does not know are accepted; they may belong to the one below it.
m4_define([GASNET_NO_CHECK_OPTS], [AC_DISABLE_OPTION_CHECKING])

dnl --- Begin and end ------------------------------------------------------------------------------------------------

dnl GASNET_START_CONFIGURE: after AC_INIT, before any compiler is looked for. Sets and substitutes
dnl   TOP_SRCDIR, TOP_BUILDDIR  absolute paths; BUILD_IS_SRC (yes or no, and a conditional) says if they are one
dnl   CONFIGURE_ARGS            the arguments of this configure, quoted for a shell
dnl   SYSTEM_NAME, SYSTEM_TUPLE the host's name; the CPU-VENDOR-OS that this is built for
dnl   BUILD_ID                  when and by whom this was configured
dnl CFLAGS stays empty if the user gives none. Automake's dependency tracking is off unless the user asks for it.
dnl --enable-cross-compile is the same as a --host that differs from --build.
AC_DEFUN([GASNET_START_CONFIGURE], [
  rm -f .gasnet-warnings
  : ${CFLAGS=} ${CXXFLAGS=} ${enable_dependency_tracking=no}
  TOP_SRCDIR=`cd "$srcdir" && pwd`
  TOP_BUILDDIR=`pwd`
  BUILD_IS_SRC=no
  AS_IF([test "$TOP_SRCDIR" = "$TOP_BUILDDIR"], [BUILD_IS_SRC=yes])
  CONFIGURE_ARGS=`AS_ECHO(["$ac_configure_args"]) | sed 's/^ *//'`
  SYSTEM_NAME=`(hostname || uname -n) 2>/dev/null`
  SYSTEM_TUPLE=${target:-${host:-`uname -m`-unknown-`uname -s | tr 'A-Z' 'a-z'`}}
  BUILD_ID="`date` `(id -un || whoami) 2>/dev/null`"
  AC_MSG_NOTICE([source directory: $TOP_SRCDIR])
  AC_MSG_NOTICE([build directory: $TOP_BUILDDIR])
  AC_MSG_NOTICE([arguments: $CONFIGURE_ARGS])
  GASNET_IF_ENABLED([cross-compile], [programs that are compiled do not run here (default: if --host says so)],
    [cross_compiling=yes])
  m4_map_args_sep([AC_SUBST(], [)], [
  ], [TOP_SRCDIR], [TOP_BUILDDIR], [BUILD_IS_SRC], [CONFIGURE_ARGS], [SYSTEM_NAME], [SYSTEM_TUPLE], [BUILD_ID])
  _gasnet_conditional([BUILD_IS_SRC], [test $BUILD_IS_SRC = yes])
])
dnl AM_CONDITIONAL, for clients that have Automake; others have the variables that it would make.
m4_define([_gasnet_conditional], [m4_ifdef([AM_CONDITIONAL], [AM_CONDITIONAL([$1], [$2])], [
  AS_IF([$2], [$1_TRUE= $1_FALSE='#'], [$1_TRUE='#' $1_FALSE=])
  AC_SUBST([$1_TRUE])
  AC_SUBST([$1_FALSE])])])

dnl GASNET_DEFINE_CONFIGURE_VARS(PREFIX): PREFIX_CONFIGURE_ARGS, PREFIX_SYSTEM_NAME, PREFIX_SYSTEM_TUPLE and
dnl PREFIX_BUILD_ID in the header, as C strings.
AC_DEFUN([GASNET_DEFINE_CONFIGURE_VARS], [
  _gasnet_define_string([$1_CONFIGURE_ARGS], [$CONFIGURE_ARGS], [the arguments of configure])
  _gasnet_define_string([$1_SYSTEM_NAME], [$SYSTEM_NAME], [the host that ran configure])
  _gasnet_define_string([$1_SYSTEM_TUPLE], [$SYSTEM_TUPLE], [the CPU, vendor and system that this is built for])
  _gasnet_define_string([$1_BUILD_ID], [$BUILD_ID], [when and by whom this was configured])
])
m4_define([_gasnet_define_string], [
  gasneti_string=`AS_ECHO(["$2"]) | sed 's/@<:@\\"@:>@/\\\\&/g'`
  AC_DEFINE_UNQUOTED([$1], ["$gasneti_string"], [$3])])

dnl GASNET_END_CONFIGURE: before AC_OUTPUT.
AC_DEFUN([GASNET_END_CONFIGURE], [m4_ifdef([_gasnet_pushed], [m4_map_args_sep([_gasnet_check_popped(], [)], [],
  m4_unquote(m4_split(m4_normalize(m4_defn([_gasnet_pushed])))))])])
m4_define([_gasnet_check_popped], [m4_if(_gasnet_depth_$1, [0], [],
  [m4_fatal([GASNET_PUSHVAR($1) has no GASNET_POPVAR($1)])])])

dnl GASNET_PUSHVAR(NAME, VALUE): NAME has VALUE, a word of the shell, until GASNET_POPVAR(NAME). The two nest.
AC_DEFUN([GASNET_PUSHVAR], [dnl
m4_ifdef([_gasnet_depth_$1], [], [m4_define([_gasnet_depth_$1], [0])m4_append([_gasnet_pushed], [ $1])])dnl
m4_define([_gasnet_depth_$1], m4_incr(_gasnet_depth_$1))dnl
gasneti_[]_gasnet_depth_$1[]_set_$1=${$1+set}
gasneti_[]_gasnet_depth_$1[]_old_$1=${$1-}
$1=$2])
AC_DEFUN([GASNET_POPVAR], [dnl
m4_if(m4_ifdef([_gasnet_depth_$1], [_gasnet_depth_$1], [0]), [0], [m4_fatal([GASNET_POPVAR($1) without GASNET_PUSHVAR($1)])])dnl
$1=$gasneti_[]_gasnet_depth_$1[]_old_$1
AS_IF([test -z "$gasneti_[]_gasnet_depth_$1[]_set_$1"], [AS_UNSET([$1])])
m4_define([_gasnet_depth_$1], m4_decr(_gasnet_depth_$1))dnl
])

dnl GASNET_MSG_WARN(TEXT): a warning, said at once and again by GASNET_MSG_WARN_FINISH, which goes among the commands of
dnl AC_OUTPUT. The latter adds all warnings to the file that the environment's GASNET_CONFIGURE_WARNING_GLOBAL names.
AC_DEFUN([GASNET_MSG_WARN], [
  AC_MSG_WARN([$1])
  cat >>.gasnet-warnings <<_GASNET_EOF
WARNING: $1
_GASNET_EOF
])
m4_define([GASNET_MSG_WARN_FINISH], [[
if test -s .gasnet-warnings; then
  echo "Warnings of configure in `pwd`:"
  cat .gasnet-warnings
  test -z "$GASNET_CONFIGURE_WARNING_GLOBAL" || cat .gasnet-warnings >>"$GASNET_CONFIGURE_WARNING_GLOBAL"
  rm -f .gasnet-warnings
fi]])

dnl --- Options ------------------------------------------------------------------------------------------------------

dnl GASNET_OPTION_HELP(OPTION, TEXT): the help of --OPTION.
m4_define([GASNET_OPTION_HELP], [AS_HELP_STRING([--$1], [$2])])

dnl GASNET_IF_ENABLED(NAME, HELP, YES, [NO]): YES if --enable-NAME was given, NO if --disable-NAME or neither.
AC_DEFUN([GASNET_IF_ENABLED], [AC_ARG_ENABLE([$1], [GASNET_OPTION_HELP([enable-$1], [$2])])
_gasnet_if_enabled([$1], [$3], [$4], [$4])])
dnl GASNET_IF_ENABLED_NOHELP(NAME, YES, [NO]): the same, for an option that --help does not show.
AC_DEFUN([GASNET_IF_ENABLED_NOHELP], [_gasnet_if_enabled([$1], [$2], [$3], [$3])])
dnl GASNET_IF_DISABLED(NAME, HELP, [NO], [YES]): NO if --disable-NAME was given, YES if --enable-NAME or neither.
AC_DEFUN([GASNET_IF_DISABLED], [AC_ARG_ENABLE([$1], [GASNET_OPTION_HELP([disable-$1], [$2])])
_gasnet_if_enabled([$1], [$4], [$3], [$4])])
dnl GASNET_IF_ENABLED_WITH_AUTO(NAME, HELP, [YES], [NO], [AUTO]): AUTO if neither was given, or --enable-NAME=probe.
AC_DEFUN([GASNET_IF_ENABLED_WITH_AUTO], [AC_ARG_ENABLE([$1], [GASNET_OPTION_HELP([(en|dis)able-$1], [$2])])
_gasnet_if_enabled([$1], [$3], [$4], [$5])])
m4_define([_gasnet_if_enabled], [_gasnet_if_given([enable_]m4_translit([[$1]], [-+.], [___]), [$2], [$3], [$4])])
m4_define([_gasnet_if_given], [
AS_CASE([${$1-probe}], [no], [$3], [probe], [$4], [$2])
])

dnl GASNET_WITH(NAME, HELP, [YES], [NO], [AUTO]): YES if --with-NAME or --with-NAME=VALUE was given; NO if --without-NAME;
dnl AUTO if neither. withval is VALUE, `yes' if it was left out.
AC_DEFUN([GASNET_WITH], [AC_ARG_WITH([$1], [GASNET_OPTION_HELP([with-$1], [$2])])
_gasnet_with([with_]m4_translit([[$1]], [-+.], [___]), [$3], [$4], [$5])])
m4_define([_gasnet_with], [
withval=${$1-}
AS_CASE(["${$1+set}:$withval"], [set:no], [$3], [set:*], [$2], [$4])
])

dnl GASNET_FORBID_PROGRAM_TRANSFORM: an error if the user wants other names for installed programs.
AC_DEFUN([GASNET_FORBID_PROGRAM_TRANSFORM], [
  AC_REQUIRE([AC_ARG_PROGRAM])
  AS_IF([test -n "$target_alias" && test "x$program_prefix" = "x$target_alias-"], [program_transform_name='s,x,x,'])
  AS_IF([test "x$program_transform_name" != xs,x,x,],
    [AC_MSG_ERROR([--program-prefix, --program-suffix and --program-transform-name are not supported: leave them out])])
])

dnl --- Programs -----------------------------------------------------------------------------------------------------

dnl GASNET_PATH_PROGS(NAME, PROGRAMS, WHAT): AC_PATH_PROGS, and an error if there is none.
AC_DEFUN([GASNET_PATH_PROGS], [
  AC_PATH_PROGS([$1], [$2])
  AS_IF([test -z "$$1"], [AC_MSG_ERROR([no $3 found: set $1 to the full path of one])])
])

dnl GASNET_PROG_PERL: PERL is Perl 5.5 or later. GASNET_PERL_BYTESFLAG is its option for strings of bytes, if it has one;
dnl GASNET_PERL_LANG is the locale in which to run it.
AC_DEFUN([GASNET_PROG_PERL], [
  AC_ARG_VAR([PERL], [Perl 5.5 or later])
  GASNET_PATH_PROGS([PERL], [$PERL perl5 perl], [Perl 5.5 or later])
  AS_IF(["$PERL" -e 'require 5.005' 2>/dev/null], [], [AC_MSG_ERROR([PERL=$PERL is not Perl 5.5 or later])])
  GASNET_PERL_BYTESFLAG=
  AS_IF(["$PERL" -Mbytes -e 1 2>/dev/null], [GASNET_PERL_BYTESFLAG=-Mbytes])
  AC_SUBST([GASNET_PERL_BYTESFLAG])
  AC_SUBST([GASNET_PERL_LANG], [C])
])

dnl GASNET_PROG_CC: CC and CPP, their programs with full paths. CFLAGS is what the user says. Substitutes CROSS_COMPILING
dnl (1 or 0), which is a conditional, too.
AC_DEFUN([GASNET_PROG_CC], [
  AC_REQUIRE([AC_PROG_CC])
  AC_REQUIRE([AC_PROG_CPP])
  _gasnet_full_path([CC])
  _gasnet_full_path([CPP])
  CROSS_COMPILING=0
  AS_IF([test "$cross_compiling" = yes], [CROSS_COMPILING=1])
  AC_SUBST([CROSS_COMPILING])
  _gasnet_conditional([CROSS_COMPILING], [test $CROSS_COMPILING = 1])
])
m4_define([_gasnet_full_path], [
  AC_MSG_CHECKING([for the full path of $1])
  gasneti_word=`AS_ECHO(["$$1"]) | sed 's/^ *//; s/ .*//'`
  gasneti_path=`command -v "$gasneti_word" 2>/dev/null`
  AS_CASE([$gasneti_path], [/*], [$1=$gasneti_path`AS_ECHO(["$$1"]) | sed 's/^ *@<:@^ @:>@*//'`])
  AC_MSG_RESULT([$$1])])

dnl GASNET_PROG_HOSTCC: HOST_CC, HOST_CFLAGS, HOST_LDFLAGS and HOST_LIBS, for programs that run here. Only set when
dnl cross-compiling.
AC_DEFUN([GASNET_PROG_HOSTCC], [
  AC_ARG_VAR([HOST_CC], [when cross-compiling: C compiler for programs that run here])
  AC_SUBST([HOST_CFLAGS])
  AC_SUBST([HOST_LDFLAGS])
  AC_SUBST([HOST_LIBS])
  AS_IF([test "$cross_compiling" = yes], [
    AS_IF([test -z "$HOST_CC"], [AC_CHECK_PROGS([HOST_CC], [gcc cc])])
    AC_MSG_CHECKING([whether programs of HOST_CC run here])
    AS_ECHO(["int main(void) { return 0; }"]) >conftest.c
    AS_IF([eval "$HOST_CC $HOST_CFLAGS -o conftest.host conftest.c $HOST_LDFLAGS $HOST_LIBS" >&AS_MESSAGE_LOG_FD 2>&1 &&
        ./conftest.host], [AC_MSG_RESULT([yes])],
      [AC_MSG_RESULT([no])
       AC_MSG_ERROR([HOST_CC=$HOST_CC makes no program that runs here: set HOST_CC to a compiler that does])])
    rm -f conftest.c conftest.host])
])

dnl GASNET_FAMILY_CACHE_CHECK(LANGUAGE, NAME, CACHE): NAME_FAMILY and NAME_SUBFAMILY say who made the compiler $NAME of
dnl LANGUAGE, C or CXX. CACHE is the name of the cached family.
AC_DEFUN([GASNET_FAMILY_CACHE_CHECK], [
  AC_CACHE_CHECK([for $1 compiler family], [$3], [_gasnet_predefined([$1], [$2], [$3], [
    __PGI PGI  __NVCOMPILER PGI  _CRAYC Cray  __PATHCC__ Pathscale  __OPEN64__ Open64  __INTEL_COMPILER Intel
    __xlC__ XLC  __ibmxl__ XLC  __SUNPRO_C Sun  __SUNPRO_CC Sun  __DECC Compaq  __DECCXX Compaq
    __HP_cc HP  __HP_aCC HP  __clang__ Clang  __GNUC__ GNU], [UNKNOWN])])
  AC_CACHE_CHECK([for $1 compiler sub-family], [$3_sub], [_gasnet_predefined([$1], [$2], [$3_sub], [
    __NVCC__ NVIDIA  __NVCOMPILER NVIDIA], [$$3])])
  $2_FAMILY=$$3
  $2_SUBFAMILY=$$3_sub
  AC_SUBST([$2_FAMILY])
  AC_SUBST([$2_SUBFAMILY])
])
dnl _gasnet_predefined(LANGUAGE, COMPILER, RESULT, MACRO WORD ..., ELSE): the WORD of the first MACRO that is predefined.
m4_define([_gasnet_predefined], [
  gasneti_file=conftest.m4_if([$1], [C], [c], [cc])
  set dummy m4_normalize([$4])
  shift
  gasneti_if=if
  while test @S|@# -gt 1; do
    AS_ECHO(["@%:@$gasneti_if defined @S|@1"])
    AS_ECHO(["gasneti_is @S|@2"])
    gasneti_if=elif
    shift; shift
  done >$gasneti_file
  AS_ECHO(["@%:@endif"]) >>$gasneti_file
  $3=`eval "$$2 $CPPFLAGS -E $gasneti_file" 2>&AS_MESSAGE_LOG_FD | sed -n 's/^ *gasneti_is *//p'`
  : ${$3:=$5}
  rm -f $gasneti_file])

dnl --- Trying programs ----------------------------------------------------------------------------------------------

dnl GASNET_TRY_CCOMPILE_WITHWARN(PROLOGUE, BODY, YES, WARNED, FAILED): WARNED if it compiles with something to say.
AC_DEFUN([GASNET_TRY_CCOMPILE_WITHWARN], [
  AC_LANG_CONFTEST([AC_LANG_PROGRAM([[$1]], [[$2]])])
  gasneti_tried=failed
  AS_IF([eval "$ac_compile" 2>conftest.err], [gasneti_tried=warned; test -s conftest.err || gasneti_tried=yes])
  cat conftest.err >&AS_MESSAGE_LOG_FD
  rm -f conftest.err conftest.$ac_ext conftest.$ac_objext
  AS_CASE([$gasneti_tried], [yes], [$3], [warned], [$4], [$5])
])

dnl GASNET_TRY_CFLAG(FLAGS, [YES], [NO]): YES if the C compiler takes FLAGS and has no more to say than without.
AC_DEFUN([GASNET_TRY_CFLAG], [
  AC_MSG_CHECKING([for C compiler flag $1])
  GASNET_TRY_CCOMPILE_WITHWARN([], [])
  gasneti_before=$gasneti_tried
  GASNET_PUSHVAR([CFLAGS], ["$CFLAGS $1"])
  GASNET_TRY_CCOMPILE_WITHWARN([], [])
  GASNET_POPVAR([CFLAGS])
  AS_IF([test $gasneti_tried = yes || test $gasneti_tried$gasneti_before = warnedwarned],
    [AC_MSG_RESULT([yes])
     $2], [AC_MSG_RESULT([no])
     $3])
])

dnl GASNET_TRY_CACHE_CHECK(WHAT, CACHE, PROLOGUE, BODY, [YES], [NO]): if it compiles.
dnl GASNET_TRY_CACHE_LINK: if it links. GASNET_TRY_CACHE_RUN_WITHCC: if it returns 0; when cross-compiling, if it links.
AC_DEFUN([GASNET_TRY_CACHE_CHECK], [_gasnet_try([$1], _gasnet_cv[][$2], [$5], [$6],
  [AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[$3]], [[$4]])], [], [gasneti_tried=no])])])
AC_DEFUN([GASNET_TRY_CACHE_LINK], [_gasnet_try([$1], _gasnet_cv[][$2], [$5], [$6],
  [AC_LINK_IFELSE([AC_LANG_PROGRAM([[$3]], [[$4]])], [], [gasneti_tried=no])])])
AC_DEFUN([GASNET_TRY_CACHE_RUN_WITHCC], [_gasnet_try([$1], _gasnet_cv[][$2], [$5], [$6],
  [AC_RUN_IFELSE([AC_LANG_PROGRAM([[$3]], [[$4]])], [], [gasneti_tried=no],
    [AC_LINK_IFELSE([AC_LANG_PROGRAM([[$3]], [[$4]])], [], [gasneti_tried=no])])])])
m4_define([_gasnet_try], [
  AC_CACHE_CHECK([$1], [$2], [gasneti_tried=yes
    $5
    $2=$gasneti_tried])
  AS_IF([test "$$2" = yes], [$3], [$4])
])

dnl GASNET_TRY_CACHE_RUN_EXPR(WHAT, CACHE, PROLOGUE, STATEMENT, RESULT): RESULT is what STATEMENT stores in the long `val';
dnl `no' if it does not compile or run.
AC_DEFUN([GASNET_TRY_CACHE_RUN_EXPR], [_gasnet_get([$1], _gasnet_cv[][$2], [$5], [
  AC_RUN_IFELSE([AC_LANG_PROGRAM([[#include <stdio.h>
$3]], [[
    long val = 0;
    FILE *out = fopen("conftest.val", "w");
    $4;
    return !out || fprintf(out, "%ld\n", val) < 0 || fclose(out);]])],
    [gasneti_got=`cat conftest.val`], [gasneti_got=no], [gasneti_got=no])
  rm -f conftest.val])])
dnl GASNET_TRY_CACHE_EXTRACT_EXPR(WHAT, CACHE, PROLOGUE, EXPRESSION, RESULT): RESULT is the value of the constant integer
dnl EXPRESSION, empty if it does not compile. Also when cross-compiling.
AC_DEFUN([GASNET_TRY_CACHE_EXTRACT_EXPR], [_gasnet_get([$1], _gasnet_cv[][$2], [$5],
  [AC_COMPUTE_INT([gasneti_got], [$4], [$3], [gasneti_got=])])])
m4_define([_gasnet_get], [
  AC_CACHE_CHECK([$1], [$2], [
    $4
    $2=$gasneti_got])
  $3=$$2
])

dnl GASNET_IFDEF(MACRO, [YES], [NO]): YES if the C compiler predefines MACRO.
AC_DEFUN([GASNET_IFDEF], [AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#ifndef $1
#error $1 is not defined
#endif]])], [$2], [$3])])

dnl GASNET_COMPILE_EXAMINE(PROLOGUE, BODY, ACTIONS, [FAILED]): ACTIONS may look at the program $GASNET_EXAMINE_BIN.
AC_DEFUN([GASNET_COMPILE_EXAMINE], [AC_LINK_IFELSE([AC_LANG_PROGRAM([[$1]], [[$2]])],
  [GASNET_EXAMINE_BIN=./conftest$ac_exeext
   $3], [$4])])

dnl GASNET_CROSS_VAR(NAME, SUFFIX): NAME is the value of CROSS_SUFFIX, which the user must set when cross-compiling.
AC_DEFUN([GASNET_CROSS_VAR], [
  AS_IF([test -z "${CROSS_$2-}"], [AC_MSG_ERROR([cross-compiling, CROSS_$2 must be set to what $1 is on the target])])
  $1=$CROSS_$2
])

dnl --- The C system -------------------------------------------------------------------------------------------------

dnl GASNET_CHECK_SIZEOF(TYPE): AC_CHECK_SIZEOF, and SIZEOF_TYPE as a variable, too.
AC_DEFUN([GASNET_CHECK_SIZEOF], [AC_CHECK_SIZEOF([$1])
AS_TR_CPP([SIZEOF_$1])=$AS_TR_SH([ac_cv_sizeof_$1])
AC_SUBST(AS_TR_CPP([SIZEOF_$1]))])

dnl GASNET_BIGENDIAN: WORDS_BIGENDIAN in the header.
AC_DEFUN([GASNET_BIGENDIAN], [AC_C_BIGENDIAN])

dnl GASNET_GET_SIG(NAME): SIGNAME is the number of the signal.
AC_DEFUN([GASNET_GET_SIG], [GASNET_TRY_CACHE_EXTRACT_EXPR([value of SIG$1], [SIG$1], [[#include <signal.h>]], [SIG$1], [SIG$1])
AC_SUBST([SIG$1])])

dnl GASNET_CHECK_TLS_SUPPORT([YES], [NO]): whether variables with __thread are each thread's own. LIBS must have the
dnl library of threads. When cross-compiling: whether it links.
AC_DEFUN([GASNET_CHECK_TLS_SUPPORT], [GASNET_TRY_CACHE_RUN_WITHCC([for __thread], [tls_supported], [
#include <pthread.h>
static __thread int own = 1;
static void *set(void *theirs) { own = 3; return &own == (int *)theirs ? 0 : theirs; }
], [
pthread_t thread;
void *same = 0;
own = 2;
return pthread_create(&thread, 0, set, &own) || pthread_join(thread, &same) || same != &own || own != 2;
], [$1], [$2])])

dnl GASNET_FIND_HEADER(HEADER): AC_CHECK_HEADERS; HAVE_HEADER is 1 or 0, and PATH_HEADER its full path in double quotes,
dnl found with $GASNET_FIND_HEADER_CPP if that is set, or with $CPP.
AC_DEFUN([GASNET_FIND_HEADER], [_gasnet_find_header([$1], AS_TR_CPP([HAVE_$1]), AS_TR_CPP([PATH_$1]), AS_TR_SH([ac_cv_header_$1]))])
m4_define([_gasnet_find_header], [
  AC_CHECK_HEADERS([$1])
  $2=0 $3=
  AS_IF([test "$$4" = yes], [
    $2=1
    AC_MSG_CHECKING([for location of $1])
    AS_ECHO(["@%:@include <$1>"]) >conftest.c
    $3=`eval "${GASNET_FIND_HEADER_CPP:-$CPP} $CPPFLAGS conftest.c" 2>&AS_MESSAGE_LOG_FD |
      sed -n 's|^#@<:@a-z@:>@* *@<:@0-9@:>@@<:@0-9@:>@* *\("/.*/$1"\).*|\1|p' | sed 1q`
    rm -f conftest.c
    AC_MSG_RESULT([$$3])])
  AC_SUBST([$2])
  AC_SUBST([$3])
])

dnl GASNET_SETUP_INTTYPES: what portable_inttypes.h and its users want to know: SIZEOF_TYPE of the types of C; HAVE_HEADER
dnl and COMPLETE_HEADER of the headers that may define intN_t and uintN_t, complete if they define all of them and
dnl intptr_t and uintptr_t. INTTYPES_DEFINES says all this in options of the compiler. The conditionals PLATFORM_ILP32,
dnl PLATFORM_LP64 and PLATFORM_ILP64 say which types have 4 and 8 bytes.
AC_DEFUN([GASNET_SETUP_INTTYPES], [
  INTTYPES_DEFINES=
  m4_map_args_sep([_gasnet_sizeof(], [)], [], [char], [short], [int], [long], [long long], [void *], [size_t], [ptrdiff_t])
  _gasnet_conditional([PLATFORM_ILP32], [test $SIZEOF_INT$SIZEOF_LONG$SIZEOF_VOID_P = 444])
  _gasnet_conditional([PLATFORM_LP64], [test $SIZEOF_INT$SIZEOF_LONG$SIZEOF_VOID_P = 488])
  _gasnet_conditional([PLATFORM_ILP64], [test $SIZEOF_INT$SIZEOF_LONG$SIZEOF_VOID_P = 888])
  m4_map_args_sep([_gasnet_inttypes(], [)], [], [stdint.h], [inttypes.h], [sys/types.h])
  AC_SUBST([INTTYPES_DEFINES])
])
m4_define([_gasnet_sizeof], [
  GASNET_CHECK_SIZEOF([$1])
  INTTYPES_DEFINES="$INTTYPES_DEFINES -D[]AS_TR_CPP([SIZEOF_$1])=$AS_TR_CPP([SIZEOF_$1])"])
m4_define([_gasnet_inttypes], [_gasnet_inttypes_of([$1], AS_TR_CPP([$1]), AS_TR_SH([ac_cv_header_$1]))])
m4_define([_gasnet_inttypes_of], [
  AC_CHECK_HEADERS([$1])
  HAVE_$2=0 COMPLETE_$2= gasneti_complete=0
  AS_IF([test "$$3" = yes], [
    HAVE_$2=1
    INTTYPES_DEFINES="$INTTYPES_DEFINES -DHAVE_$2"
    GASNET_TRY_CACHE_CHECK([for a complete $1], [COMPLETE_$2], [#include <$1>], [
      int8_t a = 1; int16_t b = 1; int32_t c = 1; int64_t d = 1; intptr_t e = 1;
      uint8_t f = 1; uint16_t g = 1; uint32_t h = 1; uint64_t i = 1; uintptr_t j = 1;
      return a + b + c + d + e + f + g + h + i + j != 10;
    ], [
      COMPLETE_$2=1 gasneti_complete=1
      INTTYPES_DEFINES="$INTTYPES_DEFINES -DCOMPLETE_$2"])])
  AC_DEFINE_UNQUOTED([COMPLETE_$2], [$gasneti_complete], [<$1> defines every intN_t and uintN_t, intptr_t and uintptr_t])
  AC_SUBST([HAVE_$2])
  AC_SUBST([COMPLETE_$2])])

dnl --- The configure of a directory below ---------------------------------------------------------------------------

dnl GASNET_SUBCONFIGURE_ARG(ARG): one more argument for it, a word of the shell.
AC_DEFUN([GASNET_SUBCONFIGURE_ARG], [gasneti_subconfigure_args="$gasneti_subconfigure_args $1"
])
dnl GASNET_SUBCONFIGURE_INVOKE(DIR): runs DIR/configure in DIR of the build directory, with the arguments of this one.
AC_DEFUN([GASNET_SUBCONFIGURE_INVOKE], [
  AS_IF([test -f "$TOP_SRCDIR/$1/configure"], [],
    [AC_MSG_ERROR([there is no $TOP_SRCDIR/$1/configure: put the source tree there])])
  AS_MKDIR_P([$1])
  gasneti_prefix=$prefix
  test "x$prefix" != xNONE || gasneti_prefix=$ac_default_prefix
  gasneti_command="$SHELL '$TOP_SRCDIR/$1/configure' --prefix='$gasneti_prefix' $ac_configure_args $gasneti_subconfigure_args --srcdir='$TOP_SRCDIR/$1'"
  AC_MSG_NOTICE([running in $1: $gasneti_command])
  AS_IF([(cd "$1" && eval "$gasneti_command")], [], [AC_MSG_ERROR([$1/configure failed])])
])
dnl GASNET_SUBCONFIGURE_EXTRACT(DIR, NAME): NAME is what DIR's configure substitutes for it.
AC_DEFUN([GASNET_SUBCONFIGURE_EXTRACT], [
  AC_MSG_CHECKING([for $2 in $1])
  AS_ECHO(["@$2@"]) >conftest.in
  $2=`cd "$1" && $SHELL ./config.status -q --file="-:$TOP_BUILDDIR/conftest.in" 2>&AS_MESSAGE_LOG_FD` ||
    AC_MSG_ERROR([$1/config.status failed])
  rm -f conftest.in
  test "x$$2" != "x@$2@" || AC_MSG_ERROR([$1/config.status does not know $2])
  AC_MSG_RESULT([$$2])
])

dnl --- Output -------------------------------------------------------------------------------------------------------

dnl GASNET_SUBST_TEXT(NAME, TEXT): @NAME@, alone in a line, becomes TEXT with the shell's variables of now.
AC_DEFUN([GASNET_SUBST_TEXT], [
  AS_MKDIR_P([.subst_text])
  cat >.subst_text/$1 <<_GASNET_EOF
$2
_GASNET_EOF
  $1=.subst_text/$1
  AC_SUBST_FILE([$1])
])

dnl GASNET_SET_INSTALL_CMD: GASNET_INSTALL_CMD is a command for a makefile's rule, a filter for makefiles that are
dnl installed: lines with ###NOINSTALL### go; ###INSTALL_DIR### becomes the directory, with $(GASNET_PREFIX) for its start
dnl if that is $(prefix)/; ###INSTALL_PREFIX### becomes $(prefix).
AC_DEFUN([GASNET_SET_INSTALL_CMD], [
  GASNET_INSTALL_CMD="sed -e '/###NOINSTALL###/d'"
  for gasneti_pair in INCLUDE:includedir LIBEXEC:libexecdir DOC:docdir LIB:libdir BIN:bindir MAN:mandir ETC:sysconfdir; do
    gasneti_name=`AS_ECHO(["$gasneti_pair"]) | sed 's/:.*//'` gasneti_dir=`AS_ECHO(["$gasneti_pair"]) | sed 's/.*://'`
    GASNET_INSTALL_CMD="$GASNET_INSTALL_CMD -e 's@###INSTALL_$gasneti_name###@\$($gasneti_dir)@g'"
  done
  GASNET_INSTALL_CMD="$GASNET_INSTALL_CMD -e 's@\$(prefix)/@\$\$(GASNET_PREFIX)/@g' -e 's@###INSTALL_PREFIX###@\$(prefix)@g'"
  AC_SUBST([GASNET_INSTALL_CMD])
])

dnl GASNET_FIX_EXEC(FILE): FILE, an output, shall be executable. GASNET_FIX_EXEC_OUTPUT among the commands of AC_OUTPUT, and
dnl GASNET_FIX_EXEC_SETUP among its init commands, see to it, also when a makefile runs `config.status FILE', which leaves the commands out
dnl unless their tag, `default', is among the targets.
AC_DEFUN([GASNET_FIX_EXEC], [gasneti_exec_files="$gasneti_exec_files $1"
])
m4_define([GASNET_FIX_EXEC_SETUP], [[
gasneti_exec_files="$gasneti_exec_files"
test -z "\$ac_config_targets" || ac_config_targets="\$ac_config_targets default"]])
m4_define([GASNET_FIX_EXEC_OUTPUT], [[
for gasneti_file in $gasneti_exec_files; do
  test ! -f "$gasneti_file" || chmod a+x "$gasneti_file"
done]])

dnl GASNET_SANITIZE_PACKAGE(HEADER), among the commands of AC_OUTPUT: takes Autoconf's PACKAGE_... out of HEADER, so that it
dnl can be included beside the header of another package.
m4_define([GASNET_SANITIZE_PACKAGE], [[
if grep '^# *define  *PACKAGE' "$1" >/dev/null 2>&1; then
  sed '/^# *define  *PACKAGE/d' "$1" >"$1.tmp" && mv -f "$1.tmp" "$1"
fi]])
