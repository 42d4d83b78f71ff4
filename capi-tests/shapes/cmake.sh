# CMake projects: they use the package's targets, or parse fragments and pkg-config by a module of their own. The package
# is used from a copy of the installation, since it finds its files relative to its own place.

mkdir -p moved/lib/cmake moved/lib/pkgconfig
cp -RL "$prefix/include" moved/
cp -R "$prefix/lib/cmake/GASNet" moved/lib/cmake/
sed "s|$prefix|$dir/moved|g" "$prefix/lib/pkgconfig/gasnet.pc" >moved/lib/pkgconfig/gasnet.pc
for archive in "$prefix"/lib/libgasnet*.a; do ln "$archive" moved/lib/ 2>/dev/null || cp -P "$archive" moved/lib/; done
{ printf '#include <gasnet.h>\n#if !(WANT)\n#error another mode\n#endif\n' && hello_source; } >client.c
cp client.c client.cc
printf '#include <gasnet_tools.h>\n#ifdef _INCLUDED_GASNET_H\n#error tools alone\n#endif\nint main(void) { return gasnett_ticks_now() == 0; }\n' >tools.c

# project NAME PREFIX [OPTION]...: CMakeLists.txt from stdin, configured and built in NAME.
project() {
  local name=$1 where=$2
  shift 2
  mkdir -p "$name" && { printf 'cmake_minimum_required(VERSION 3.12)\nproject(%s C CXX)\n' "$name" && cat; } >"$name/CMakeLists.txt"
  ok "$name: configures" timeout 120 cmake -S "$name" -B "$name/b" -DCMAKE_PREFIX_PATH="$where" "$@"
}
builds() { ok "$1: builds" timeout 120 cmake --build "$1/b"; }
says() { ranks 2 "$1" | tee /dev/stderr | grep -q "$2"; }

project targets "$dir/moved" <<'CMAKE'
find_package(GASNet 2022.3 REQUIRED COMPONENTS smp-par smp seq)
if(NOT GASNet_FOUND OR NOT GASNet_VERSION VERSION_GREATER 2022.3 OR NOT "smp" IN_LIST GASNet_CONDUITS OR NOT GASNet_smp-par_FOUND)
  message(FATAL_ERROR "variables: ${GASNet_FOUND} ${GASNet_VERSION} ${GASNet_CONDUITS} ${GASNet_smp-par_FOUND}")
endif()
find_package(GASNet REQUIRED)
foreach(mode seq par parsync)
  string(TOUPPER ${mode} upper)
  add_executable(${mode} ../client.c)
  target_compile_definitions(${mode} PRIVATE WANT=GASNET_${upper})
  target_link_libraries(${mode} GASNet::gasnet-smp-${mode})
endforeach()
add_executable(default ../client.cc)
target_compile_definitions(default PRIVATE WANT=GASNET_PAR)
target_link_libraries(default PRIVATE GASNet::gasnet)
add_library(plugin MODULE ../client.c)
target_compile_definitions(plugin PRIVATE WANT=GASNET_PAR)
target_link_libraries(plugin PRIVATE GASNet::GASNet)
add_executable(tools ../tools.c)
target_link_libraries(tools PRIVATE GASNet::gasnet_tools-seq)
CMAKE
builds targets
for mode in seq par parsync; do ok "targets: $mode runs" says targets/b/$mode "2 ranks of .*,THREADMODEL=${mode^^},.*,nodebug,"; done
ok "targets: the default runs" says targets/b/default "2 ranks of .*CONDUIT=SMP(.*,THREADMODEL=PAR,"
ok "targets: the tools run" targets/b/tools
ok "targets: nothing is taken from the first place" sh -c 'cat targets/b/CMakeFiles/*.dir/flags.make targets/b/CMakeFiles/*.dir/link.txt >lines &&
  grep -q "$2/lib/libgasnet-smp-par.a" lines && ! grep "$1/include\|$1/lib" lines' - "$prefix" "$dir/moved"

# Versions, components and conduits, available or not.
project versions "$dir/moved" <<'CMAKE'
foreach(version 2999.1 2024.5...<2025.8.0)
  find_package(GASNet ${version} QUIET)
  if(GASNet_FOUND)
    message(FATAL_ERROR "${version} was found")
  endif()
endforeach()
foreach(version 1.18 2025.8.0 2022.3...2025.8)
  find_package(GASNet ${version} QUIET)
  if(NOT GASNet_FOUND)
    message(FATAL_ERROR "${version} was not found")
  endif()
endforeach()
find_package(GASNet 2025.8 EXACT QUIET COMPONENTS smp-par OPTIONAL_COMPONENTS ibv-par)
if(NOT GASNet_FOUND OR GASNet_ibv-par_FOUND)
  message(FATAL_ERROR "optional: ${GASNet_FOUND} ${GASNet_ibv-par_FOUND}")
endif()
set(GASNet_CONDUIT nosuch)
find_package(GASNet QUIET)
if(GASNet_FOUND)
  message(FATAL_ERROR "conduit nosuch was found")
endif()
CMAKE
missing() { # PATTERN LINE: the project with LINE does not configure, and the message matches
  mkdir -p missing && printf 'cmake_minimum_required(VERSION 3.12)\nproject(missing C)\n%s\n' "$2" >missing/CMakeLists.txt
  ! cmake -S missing -B missing/b -DCMAKE_PREFIX_PATH="$dir/moved" >missing/log 2>&1 && cat missing/log && tr -s ' \n' ' ' <missing/log | grep -q "$1"
}
ok "a component that is not there" missing 'has no component ibv-seq; it has:.*smp-par;' 'find_package(GASNet REQUIRED COMPONENTS ibv-seq)'
ok "a conduit that is not there" missing 'has no nosuch-par (GASNet_CONDUIT and GASNet_THREADING choose)' 'set(GASNet_CONDUIT nosuch)
find_package(GASNet REQUIRED)'

# The debug set is a prefix, too.
project debug "$prefix/debug" -DGASNet_THREADING=seq <<'CMAKE'
find_package(GASNet REQUIRED)
add_executable(client ../client.c)
target_compile_definitions(client PRIVATE "WANT=GASNET_DEBUG*GASNET_SEQ")
target_link_libraries(client GASNet::gasnet)
CMAKE
builds debug
ok "debug: runs" says debug/b/client '2 ranks of .*,THREADMODEL=SEQ,.*,debug,'

# A find module as public projects have them: every fragment, read by make, its flags cut by regular expressions and the
# libraries looked for one by one.
mkdir -p modules
cat >modules/FindGASNet.cmake <<'CMAKE'
find_path(GASNet_INCLUDE_DIR gasnet.h PATHS ${GASNet_ROOT_DIR}/include NO_DEFAULT_PATH)
file(GLOB fragments ${GASNet_INCLUDE_DIR}/*-conduit/*.mak)
foreach(fragment IN LISTS fragments)
  get_filename_component(name ${fragment} NAME_WE)
  foreach(variable CPPFLAGS LD LIBS LD_REQUIRES_MPI)
    file(WRITE ${CMAKE_BINARY_DIR}/ask.mak "include ${fragment}\nask:\n\t@echo $(GASNET_${variable})\n")
    execute_process(COMMAND make -s -f ${CMAKE_BINARY_DIR}/ask.mak ask OUTPUT_VARIABLE ${variable} OUTPUT_STRIP_TRAILING_WHITESPACE)
  endforeach()
  if(LD_REQUIRES_MPI)
    message(FATAL_ERROR "${name}: MPI for the linker ${LD}")
  endif()
  foreach(pair CPPFLAGS:I CPPFLAGS:D LIBS:L LIBS:l)
    string(REGEX MATCH "(.*):(.*)" pair ${pair})
    set(from ${CMAKE_MATCH_1})
    set(letter ${CMAKE_MATCH_2})
    string(REGEX MATCHALL "(^| +)-${letter}([^ ]*)" words_${letter} "${${from}}")
    string(REGEX REPLACE " *-${letter}" "" words_${letter} "${words_${letter}}")
  endforeach()
  set(files)
  foreach(library IN LISTS words_l)
    find_library(FOUND_${library} ${library} PATHS ${words_L} NO_DEFAULT_PATH)
    find_library(FOUND_${library} ${library})
    if(NOT FOUND_${library})
      message(FATAL_ERROR "${name}: no library ${library}")
    endif()
    list(APPEND files ${FOUND_${library}})
  endforeach()
  add_library(Found::${name} INTERFACE IMPORTED)
  set_target_properties(Found::${name} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${words_I}"
    INTERFACE_COMPILE_DEFINITIONS "${words_D}" INTERFACE_LINK_LIBRARIES "${files}")
endforeach()
set(GASNet_FOUND TRUE)
CMAKE
project parsed "$prefix" -DCMAKE_MODULE_PATH="$dir/modules" -DGASNet_ROOT_DIR="$prefix" <<'CMAKE'
find_package(GASNet REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_search_module(GASNET REQUIRED IMPORTED_TARGET gasnet-nosuch-par gasnet-smp-par>=2021)
pkg_get_variable(MPI gasnet-smp-par GASNET_LD_REQUIRES_MPI)
if(MPI)
  message(FATAL_ERROR "MPI: ${MPI}")
endif()
add_executable(module ../client.c)
target_compile_definitions(module PRIVATE WANT=GASNET_PARSYNC)
target_link_libraries(module Found::smp-parsync)
add_executable(package ../client.cc)
target_compile_definitions(package PRIVATE WANT=GASNET_PAR)
target_link_libraries(package PkgConfig::GASNET)
CMAKE
builds parsed
ok "a module that parses fragments: runs" says parsed/b/module '2 ranks of .*,THREADMODEL=PARSYNC,'
ok "pkg_search_module: runs" says parsed/b/package '2 ranks of .*,THREADMODEL=PAR,'
