# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# How everything here is compiled: the language, the warnings, where things go, where LLVM is, and
# the functions that make a library of the compiler.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# -Werror; `cmake --compile-no-warning-as-error` turns it off for compilers we have not met.
set(CMAKE_COMPILE_WARNING_AS_ERROR ON CACHE BOOL "Warnings are errors")
add_compile_options(-Wall -Wextra)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# lib, not lib/x86_64-linux-gnu: an installed copy is a folder of its own that may be moved.
set(CMAKE_INSTALL_LIBDIR lib CACHE PATH "Libraries of an installed copy")
include(GNUInstallDirs)

# The build tree looks like an install tree: bin, lib, include side by side.
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/runtime/include ${PROJECT_BINARY_DIR}/include SYMBOLIC)

# ccache keeps what was compiled with a precompiled header only if it is told to.
find_program(CCACHE_PROGRAM ccache)
mark_as_advanced(CCACHE_PROGRAM)
if(CCACHE_PROGRAM)
  foreach(Language C CXX)
    if(NOT CMAKE_${Language}_COMPILER_LAUNCHER)
      set(CMAKE_${Language}_COMPILER_LAUNCHER
          ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
    endif()
  endforeach()
endif()

find_package(LLVM 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/llvm)
message(STATUS "LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_TOOLS_BINARY_DIR}")
separate_arguments(ContraflowLLVMDefinitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")

# A folder takes part as soon as it has a CMakeLists.txt.
macro(contraflow_add_room Folder)
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${Folder}/CMakeLists.txt)
    add_subdirectory(${Folder})
  endif()
endmacro()

# Everything added after this call is compiled and linked with the sanitizers asked for.
macro(contraflow_use_sanitizers)
  if(CONTRAFLOW_SANITIZE)
    add_compile_options(-fsanitize=${CONTRAFLOW_SANITIZE} -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${CONTRAFLOW_SANITIZE})
  endif()
endmacro()

# Settings shared by every library of the compiler: LLVM's headers, its lack of RTTI and exceptions
# (so that the plugin loads in every host), the public headers, and the runtime's abi.def.
function(contraflow_compiler_settings Target)
  target_compile_definitions(${Target} PRIVATE ${ContraflowLLVMDefinitions})
  target_compile_options(${Target} PRIVATE -fno-rtti -fno-exceptions)
  target_include_directories(${Target} SYSTEM PRIVATE "$<BUILD_INTERFACE:${LLVM_INCLUDE_DIRS}>")
  # After all others: libc++abi, where it is installed, has a header there that hides libstdc++'s.
  target_compile_options(${Target} INTERFACE "$<BUILD_INTERFACE:SHELL:-idirafter ${LLVM_INCLUDE_DIRS}>")
  target_include_directories(${Target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/core/include>
                                              $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/runtime/include>)
endfunction()

# contraflow_precompile(target first headers...): the target `first` compiles the headers once, and the others take
# them from there. Sources go on naming what they use.
function(contraflow_precompile Target First)
  if(Target STREQUAL First)
    target_precompile_headers(${Target} PRIVATE ${ARGN})
  else()
    target_precompile_headers(${Target} REUSE_FROM ${First})
  endif()
  target_compile_options(${Target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
endfunction()

# What most files of the compiler include: two thirds of their time went into reading it.
set(ContraflowLLVMHeaders
    <llvm/ADT/MapVector.h> <llvm/ADT/STLExtras.h> <llvm/ADT/SetVector.h> <llvm/ADT/SmallPtrSet.h>
    <llvm/ADT/StringExtras.h> <llvm/Analysis/AliasAnalysis.h> <llvm/Analysis/LoopInfo.h>
    <llvm/Analysis/ScalarEvolutionExpressions.h> <llvm/Analysis/ValueTracking.h> <llvm/IR/Dominators.h>
    <llvm/IR/IRBuilder.h> <llvm/IR/InstIterator.h> <llvm/IR/IntrinsicInst.h> <llvm/IR/Module.h>
    <llvm/IR/PatternMatch.h> <llvm/Transforms/Utils/BasicBlockUtils.h> <llvm/Transforms/Utils/Cloning.h>
    <llvm/Transforms/Utils/Local.h>)

# contraflow_core_library(name sources...): a room of core/lib. Sees core/include and core/lib; who may
# include whom within core/lib is held by tests/meta.
function(contraflow_core_library Name)
  add_library(${Name} OBJECT ${ARGN})
  contraflow_compiler_settings(${Name})
  contraflow_precompile(${Name} contraflow_core ${ContraflowLLVMHeaders})
  target_include_directories(${Name} PUBLIC ${PROJECT_SOURCE_DIR}/core/lib)
endfunction()

# contraflow_parallel_library(name sources...): a model. Sees core/include only.
function(contraflow_parallel_library Name)
  add_library(${Name} OBJECT ${ARGN})
  contraflow_compiler_settings(${Name})
  contraflow_precompile(${Name} contraflow_core)
  target_include_directories(${Name} PUBLIC ${PROJECT_SOURCE_DIR})
endfunction()

# The targets Contraflow and ContraflowAttributes, for plugins that another build made.
function(contraflow_import_plugin File)
  get_filename_component(Folder ${File} DIRECTORY)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  foreach(Name Contraflow ContraflowAttributes)
    file(CREATE_LINK ${Folder}/${Name}.so ${PROJECT_BINARY_DIR}/lib/${Name}.so SYMBOLIC)
    add_library(${Name} MODULE IMPORTED GLOBAL)
    set_target_properties(${Name} PROPERTIES
      IMPORTED_LOCATION ${PROJECT_BINARY_DIR}/lib/${Name}.so)
  endforeach()
endfunction()

# The names by which programs, here and with an installed copy, know what we build.
set(ContraflowTargetNames
    Contraflow=plugin
    ContraflowAttributes=attributes
    contraflow_runtime=runtime
    contraflow_runtime_mpi=mpi
    contraflow_runtime_mpi_absent=mpi_absent
    contraflow_runtime_omp=omp
    contraflow_runtime_omp_absent=omp_absent)

# Called once when the plugin and the runtime exist.
macro(contraflow_name_targets)
  foreach(Pair IN LISTS ContraflowTargetNames)
    string(REGEX MATCH "^(.*)=(.*)$" _ ${Pair})
    if(TARGET ${CMAKE_MATCH_1})
      add_library(Contraflow::${CMAKE_MATCH_2} ALIAS ${CMAKE_MATCH_1})
    endif()
  endforeach()
endmacro()
