# GASNet for CMake: find_package(GASNet [VERSION] [REQUIRED] [COMPONENTS NAME...]), where CMAKE_PREFIX_PATH or GASNet_ROOT
# names the prefix. Targets:
#   GASNet::gasnet-CONDUIT-MODE   such as GASNet::gasnet-smp-par: flags and archive of that fragment
#   GASNet::gasnet                one of these: selected by GASNet_CONDUIT and GASNet_THREADING, else that of the package gasnet
#   GASNet::GASNet                the same, by the name that find modules of public projects give it
#   GASNet::gasnet_tools-MODE     the portability tools alone, MODE seq or par
# Variables: GASNet_FOUND, GASNet_VERSION, GASNet_PREFIX, GASNet_CONDUITS, GASNet_THREADINGS, GASNet_INCLUDE_DIRS,
# GASNet_LIBRARIES. Components are conduits (smp), modes (par), or both (smp-par).
# All is read from the files that lie beside this one, so the tree may be moved.
cmake_policy(PUSH)
cmake_policy(VERSION 3.9...3.31)

get_filename_component(_gasnet_lib "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
get_filename_component(GASNet_PREFIX "${CMAKE_CURRENT_LIST_DIR}/@UP@" ABSOLUTE)
if(NOT EXISTS "${GASNet_PREFIX}/include/gasnet.h")
  # Found through a link, such as /lib to /usr/lib.
  get_filename_component(GASNet_PREFIX "${CMAKE_CURRENT_LIST_DIR}" REALPATH)
  get_filename_component(GASNet_PREFIX "${GASNet_PREFIX}/@UP@" ABSOLUTE)
endif()

# TARGET FRAGMENT VARIABLE LIBRARY INCLUDE...: the words -D of the fragment's variable, and the archive.
function(_gasnet_target target fragment variable library)
  if(TARGET ${target})
    return()
  endif()
  file(STRINGS "${fragment}" definitions REGEX "^${variable} *=")
  string(REGEX MATCHALL "-D[^ ]+" definitions "${definitions}")
  string(REPLACE "-D" "" definitions "${definitions}")
  add_library(${target} STATIC IMPORTED)
  set_target_properties(${target} PROPERTIES
    IMPORTED_LOCATION "${_gasnet_lib}/lib${library}.a"
    IMPORTED_LINK_INTERFACE_LANGUAGES C
    INTERFACE_COMPILE_DEFINITIONS "${definitions}"
    INTERFACE_INCLUDE_DIRECTORIES "${ARGN}"
    INTERFACE_LINK_LIBRARIES "pthread;m")
endfunction()

set(GASNet_FOUND TRUE)
set(GASNet_CONDUITS)
set(GASNet_THREADINGS)
set(_gasnet_pairs)
set(_gasnet_include "${GASNet_PREFIX}/include")
file(GLOB _gasnet_fragments "${_gasnet_include}/*-conduit/*.mak")
foreach(_gasnet_fragment IN LISTS _gasnet_fragments)
  get_filename_component(_gasnet_pair "${_gasnet_fragment}" NAME_WE)
  string(REPLACE "-" ";" _gasnet_words "${_gasnet_pair}")
  list(GET _gasnet_words 0 _gasnet_conduit)
  list(GET _gasnet_words 1 _gasnet_mode)
  list(APPEND GASNet_CONDUITS ${_gasnet_conduit})
  list(APPEND GASNet_THREADINGS ${_gasnet_mode})
  list(APPEND _gasnet_pairs ${_gasnet_pair})
  _gasnet_target(GASNet::gasnet-${_gasnet_pair} "${_gasnet_fragment}" GASNET_DEFINES gasnet-${_gasnet_pair}
    "${_gasnet_include}" "${_gasnet_include}/${_gasnet_conduit}-conduit")
endforeach()
list(REMOVE_DUPLICATES GASNet_CONDUITS)
list(REMOVE_DUPLICATES GASNet_THREADINGS)
foreach(_gasnet_mode seq par)
  _gasnet_target(GASNet::gasnet_tools-${_gasnet_mode} "${_gasnet_include}/gasnet_tools-${_gasnet_mode}.mak"
    GASNETTOOLS_CPPFLAGS gasnet_tools-${_gasnet_mode} "${_gasnet_include}")
endforeach()

# Which of them GASNet::gasnet is.
file(STRINGS "${_gasnet_lib}/pkgconfig/gasnet.pc" _gasnet_words REGEX "^Libs:")
string(REGEX REPLACE ".*-lgasnet-([^- ]*)-([^ ]*).*" "\\1;\\2" _gasnet_words "${_gasnet_words}")
list(GET _gasnet_words 0 _gasnet_conduit)
list(GET _gasnet_words 1 _gasnet_mode)
if(GASNet_CONDUIT)
  set(_gasnet_conduit ${GASNet_CONDUIT})
endif()
if(GASNet_THREADING)
  set(_gasnet_mode ${GASNet_THREADING})
endif()
if(NOT TARGET GASNet::gasnet-${_gasnet_conduit}-${_gasnet_mode})
  set(GASNet_FOUND FALSE)
  set(GASNet_NOT_FOUND_MESSAGE "GASNet in ${GASNet_PREFIX} has no ${_gasnet_conduit}-${_gasnet_mode} (GASNet_CONDUIT and GASNet_THREADING choose); it has: ${_gasnet_pairs}")
endif()
foreach(_gasnet_component IN LISTS GASNet_FIND_COMPONENTS)
  if(_gasnet_component IN_LIST GASNet_CONDUITS OR _gasnet_component IN_LIST GASNet_THREADINGS OR _gasnet_component IN_LIST _gasnet_pairs
      OR TARGET GASNet::${_gasnet_component})
    set(GASNet_${_gasnet_component}_FOUND TRUE)
  else()
    set(GASNet_${_gasnet_component}_FOUND FALSE)
    if(GASNet_FIND_REQUIRED_${_gasnet_component})
      set(GASNet_FOUND FALSE)
      set(GASNet_NOT_FOUND_MESSAGE "GASNet in ${GASNet_PREFIX} has no component ${_gasnet_component}; it has: ${_gasnet_pairs}")
    endif()
  endif()
endforeach()
if(GASNet_FOUND)
  foreach(_gasnet_name GASNet::gasnet GASNet::GASNet)
    if(NOT TARGET ${_gasnet_name})
      add_library(${_gasnet_name} INTERFACE IMPORTED)
      set_target_properties(${_gasnet_name} PROPERTIES INTERFACE_LINK_LIBRARIES GASNet::gasnet-${_gasnet_conduit}-${_gasnet_mode})
    endif()
  endforeach()
endif()
set(GASNet_INCLUDE_DIRS "${_gasnet_include}" "${_gasnet_include}/${_gasnet_conduit}-conduit")
set(GASNet_LIBRARIES GASNet::gasnet)
foreach(_gasnet_name component conduit fragment fragments include lib mode name pair pairs words)
  unset(_gasnet_${_gasnet_name})
endforeach()
unset(_gasnet_name)
cmake_policy(POP)
