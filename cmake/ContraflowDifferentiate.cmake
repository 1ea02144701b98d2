# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# contraflow_differentiate(target [SCOPE translation-unit|program]): the derivative calls in the target's C
# and C++ sources are served by the plugin, and the target is linked with the runtime. The same file serves
# this build and the installed package.
#
#   add_executable(app main.cpp)
#   target_link_libraries(app PRIVATE MPI::MPI_CXX OpenMP::OpenMP_CXX)
#   contraflow_differentiate(app)
#
# With SCOPE program derivatives are made when the target is linked, from all of its files and from the
# static and object libraries of the project that it links. So they are if the target is built with link-time
# optimisation for another reason (INTERPROCEDURAL_OPTIMIZATION, -flto).
#
# Whether the real MPI and OpenMP runtimes are linked or those that say what is missing follows from
# what the target links, which is looked at when its folder is complete.

include_guard(GLOBAL)

function(contraflow_differentiate Target)
  cmake_parse_arguments(PARSE_ARGV 1 Arg "" "SCOPE" "")
  if(Arg_UNPARSED_ARGUMENTS OR NOT "${Arg_SCOPE}" MATCHES "^(|translation-unit|program)$")
    message(FATAL_ERROR "contraflow_differentiate(${ARGV}): the arguments are a target and, if wanted, "
                        "SCOPE translation-unit or SCOPE program.")
  endif()
  _contraflow_check_compiler()
  target_include_directories(${Target} PRIVATE
    $<TARGET_PROPERTY:Contraflow::runtime,INTERFACE_INCLUDE_DIRECTORIES>)
  cmake_language(EVAL CODE "cmake_language(DEFER CALL _contraflow_join_files ${Target} \"${Arg_SCOPE}\")")
  if(NOT CMAKE_CXX_COMPILER MATCHES "contraflow-clang")
    _contraflow_load_plugin(${Target})
    cmake_language(EVAL CODE "cmake_language(DEFER CALL _contraflow_link_runtime ${Target})")
  endif()
endfunction()

# A compiler that cannot load the plugin is refused at configure time, not by a linker error.
function(_contraflow_check_compiler)
  foreach(Pair C=clang-22 CXX=clang++-22)
    string(REGEX MATCH "^(.*)=(.*)$" _ ${Pair})
    set(Language ${CMAKE_MATCH_1})
    set(Wanted ${CMAKE_MATCH_2})
    if(NOT CMAKE_${Language}_COMPILER_LOADED)
      continue()
    endif()
    if(NOT CMAKE_${Language}_COMPILER_ID STREQUAL "Clang"
       OR NOT CMAKE_${Language}_COMPILER_VERSION MATCHES "^22\\.")
      message(FATAL_ERROR
        "Contraflow needs clang 22 for what it differentiates, but CMAKE_${Language}_COMPILER is "
        "${CMAKE_${Language}_COMPILER_ID} ${CMAKE_${Language}_COMPILER_VERSION} "
        "(${CMAKE_${Language}_COMPILER}); configure with -DCMAKE_${Language}_COMPILER=${Wanted}.")
    endif()
  endforeach()
endfunction()

# -Rpass= with a pattern that no remark matches makes clang keep source locations, so that errors name
# file and line; it writes no debug information. ccache does not look into pass plugins by itself.
function(_contraflow_load_plugin Target)
  _contraflow_plugin_file(Plugin)
  get_filename_component(Folder ${Plugin} DIRECTORY)
  target_compile_options(${Target} PRIVATE
    $<$<COMPILE_LANGUAGE:C,CXX>:-Rpass=contraflow-location>
    $<$<COMPILE_LANGUAGE:C,CXX>:-fpass-plugin=${Plugin}>
    $<$<COMPILE_LANGUAGE:C,CXX>:-fplugin=${Folder}/ContraflowAttributes.so>)
  foreach(Language C CXX)
    get_target_property(Launcher ${Target} ${Language}_COMPILER_LAUNCHER)
    if(Launcher MATCHES "ccache")
      set_target_properties(${Target} PROPERTIES ${Language}_COMPILER_LAUNCHER
        "${CMAKE_COMMAND};-E;env;CCACHE_EXTRAFILES=${Plugin};${Launcher}")
    endif()
  endforeach()
  if(TARGET Contraflow)
    # What is compiled waits for a target of this kind, also a precompiled header; for a library only its link does.
    if(NOT TARGET contraflow_plugin)
      add_custom_target(contraflow_plugin)
      add_dependencies(contraflow_plugin Contraflow ContraflowAttributes)
    endif()
    add_dependencies(${Target} contraflow_plugin)
  endif()
  get_target_property(Sources ${Target} SOURCES)
  set_property(SOURCE ${Sources} APPEND PROPERTY OBJECT_DEPENDS ${Plugin}
               ${Folder}/ContraflowAttributes.so)
endfunction()

# Where the plugin is, or will be once this build has made it.
function(_contraflow_plugin_file Out)
  get_property(Imported TARGET Contraflow::plugin PROPERTY IMPORTED)
  if(Imported)
    get_target_property(File Contraflow::plugin LOCATION)
  else()
    set(File ${Contraflow_BINARY_DIR}/lib/Contraflow.so)
  endif()
  set(${Out} ${File} PARENT_SCOPE)
endfunction()

function(_contraflow_link_runtime Target)
  get_target_property(Libraries ${Target} LINK_LIBRARIES)
  set(Closure "")
  if(Libraries)
    _contraflow_link_closure(Closure ${Libraries})
  endif()
  get_target_property(Options ${Target} COMPILE_OPTIONS)
  _contraflow_pick(Mpi mpi "(^|;)(MPI::MPI_|[^;]*libmpi|-lmpi)" "${Closure}")
  _contraflow_pick(Omp omp "(^|;)(OpenMP::OpenMP_|-fopenmp)" "${Closure};${Options};${CMAKE_CXX_FLAGS}")
  # Once more what our part of MPI calls, for MPI libraries that are archives.
  list(FILTER Closure INCLUDE REGEX "^MPI::MPI_")
  target_link_libraries(${Target} PRIVATE ${Mpi} ${Omp} Contraflow::runtime ${Closure})
endfunction()

# Link-time derivatives, where they are asked for. Unified objects are those that are not vectorised before they
# are linked, and --lto=full joins them, those of -flto=thin (CMake's choice) as well.
function(_contraflow_join_files Target Scope)
  get_target_property(Options ${Target} COMPILE_OPTIONS)
  get_target_property(Ipo ${Target} INTERPROCEDURAL_OPTIMIZATION)
  if(NOT Scope STREQUAL "program" AND NOT Ipo AND NOT "${Options};${CMAKE_CXX_FLAGS}" MATCHES "-flto")
    return()
  endif()
  get_target_property(Libraries ${Target} LINK_LIBRARIES)
  if(Libraries)
    _contraflow_link_closure(Closure ${Libraries})
    foreach(Library IN LISTS Closure)
      _contraflow_write_bitcode(${Library} "^(STATIC|OBJECT)_LIBRARY$")
    endforeach()
  endif()
  _contraflow_write_bitcode(${Target} ".*")
  target_link_options(${Target} PRIVATE -flto=full)
  if(NOT CMAKE_CXX_COMPILER MATCHES "contraflow-clang")
    # The runtime takes part from the start: what it has in common with the program (inline functions of
    # C++) may be gone when the derivatives call it.
    _contraflow_plugin_file(Plugin)
    target_link_options(${Target} PRIVATE -fuse-ld=lld LINKER:--lto=full LINKER:--load-pass-plugin=${Plugin}
                        LINKER:--undefined-glob=cf_v1_*)
  endif()
endfunction()

# The objects of a library hold bitcode if it is a target of this project and of one of these types.
function(_contraflow_write_bitcode Library Types)
  if(NOT TARGET ${Library})
    return()
  endif()
  get_target_property(Original ${Library} ALIASED_TARGET)
  if(Original)
    set(Library ${Original})
  endif()
  get_target_property(Imported ${Library} IMPORTED)
  get_target_property(Type ${Library} TYPE)
  if(NOT Imported AND Type MATCHES "${Types}")
    target_compile_options(${Library} PRIVATE $<$<COMPILE_LANGUAGE:C,CXX>:-flto=full>
                                              $<$<COMPILE_LANGUAGE:C,CXX>:-funified-lto>)
  endif()
endfunction()

# The real part if the target uses the model and this copy of Contraflow has it, else the absent part.
function(_contraflow_pick Out Part Pattern Closure)
  if("${Closure}" MATCHES "${Pattern}" AND TARGET Contraflow::${Part})
    set(${Out} Contraflow::${Part} PARENT_SCOPE)
  elseif(TARGET Contraflow::${Part}_absent)
    set(${Out} Contraflow::${Part}_absent PARENT_SCOPE)
  else()
    set(${Out} "" PARENT_SCOPE)
  endif()
endfunction()

# Everything that a list of libraries brings, followed through interface libraries.
function(_contraflow_link_closure Out)
  set(Pending ${ARGN})
  set(Seen "")
  while(Pending)
    list(POP_FRONT Pending Library)
    if(Library IN_LIST Seen)
      continue()
    endif()
    list(APPEND Seen ${Library})
    if(TARGET ${Library})
      get_target_property(Further ${Library} INTERFACE_LINK_LIBRARIES)
      if(Further)
        list(APPEND Pending ${Further})
      endif()
    endif()
  endwhile()
  set(${Out} "${Seen}" PARENT_SCOPE)
endfunction()
