# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# contraflow_add_programs(Set SOURCES ... [DRIVER lib] [LIBRARIES ...] [LABELS ...] [FAST ...]
#                         [CONFIGURATIONS ...] [RANKS ...] [ENVIRONMENT ...]
#                         [ACTIVITY ...] [HEADERS ...])
#
# Every source of the set is compiled with the plugin in every configuration, all sources of one
# configuration are linked with the checker, and each becomes a test <set>.<configuration>.<source>.
# With RANKS the tests are <set>.<configuration>.r<n>, each over all sources, and
# <set>.<configuration>.invariance.r<n>, which compares the gradients with those of one rank.
#
# ACTIVITY names sources whose memory holds floats and other things at one place, or is filled by the
# library with numbers, which is refused where the analysis that tells them apart is off.
#
# HEADERS names headers of the C++ library that are read once per configuration.
#
# CONTRAFLOW_TEST_SEPARATE makes one executable per source, so that a source that does not compile
# hides no other.

include_guard(GLOBAL)

option(CONTRAFLOW_TEST_SEPARATE "One executable per numeric test program" OFF)

# What comes after the derivative is compiled in full by the levels, and with this where something before it is tried:
# two of the OpenMP programs take a third less.
set(ContraflowPlain -fno-vectorize -fno-slp-vectorize "SHELL:-mllvm -disable-lsr")

# The -O levels, and at -O2 with analyses switched off: the answer must not change.
set(ContraflowConfiguration_O0 -O0)
set(ContraflowConfiguration_O1 -O1)
set(ContraflowConfiguration_Og -Og -g)
set(ContraflowConfiguration_Os -Os)
set(ContraflowConfiguration_O2 -O2)
set(ContraflowConfiguration_O3 -O3)
set(ContraflowConfiguration_noactivity -O2 ${ContraflowPlain} "SHELL:-mllvm -contraflow-activity=0")
set(ContraflowConfiguration_nomincut -O2 ${ContraflowPlain} "SHELL:-mllvm -contraflow-mincut=0")
# What makes gradients fast; small pieces and little inlining as well, for few of the programs are large.
set(ContraflowConfiguration_unplanned -O2 ${ContraflowPlain} "SHELL:-mllvm -contraflow-mincut=0" "SHELL:-mllvm -contraflow-sharing=0"
    "SHELL:-mllvm -contraflow-piece-size=40" "SHELL:-mllvm -contraflow-other-code=100000")
set(ContraflowConfiguration_wide -O2 ${ContraflowPlain} -DCF_TEST_WIDE)
set(ContraflowConfiguration_avx -O2 -mavx2 -mfma)
set(ContraflowConfiguration_checked -O1 -fsanitize=undefined)
set(ContraflowConfiguration_aborting -O2 -fsanitize=undefined -fno-sanitize-recover=all)
set(ContraflowConfiguration_deterministic -O2 ${ContraflowPlain} "SHELL:-mllvm -contraflow-deterministic")
set(ContraflowConfigurations O0 O1 O2 O3 noactivity unplanned)
if(CONTRAFLOW_SANITIZE)
  list(APPEND ContraflowConfiguration_O2 ${ContraflowPlain})
  set(ContraflowConfigurations O2)
endif()
set(CONTRAFLOW_TEST_CONFIGURATIONS ${ContraflowConfigurations} CACHE STRING
    "Configurations of the numeric tests")

function(contraflow_add_programs Set)
  cmake_parse_arguments(Arg "" "DRIVER"
    "SOURCES;LIBRARIES;LABELS;FAST;CONFIGURATIONS;RANKS;ENVIRONMENT;ACTIVITY;HEADERS" ${ARGN})
  if(NOT Arg_DRIVER)
    set(Arg_DRIVER contraflow_serial_driver)
  endif()
  if(NOT Arg_CONFIGURATIONS)
    set(Arg_CONFIGURATIONS ${CONTRAFLOW_TEST_CONFIGURATIONS})
  endif()
  set(All ${Arg_SOURCES})
  foreach(Configuration IN LISTS Arg_CONFIGURATIONS)
    set(Arg_SOURCES ${All})
    if(Configuration STREQUAL "noactivity")
      list(REMOVE_ITEM Arg_SOURCES ${Arg_ACTIVITY})
    endif()
    if(Arg_RANKS)
      _contraflow_program_executable(${Set}.${Configuration} ${Arg_SOURCES})
      _contraflow_rank_tests()
    elseif(CONTRAFLOW_TEST_SEPARATE)
      foreach(Source IN LISTS Arg_SOURCES)
        _contraflow_program_executable(${Set}.${Configuration}.${Source} ${Source})
        _contraflow_source_test(${Set}.${Configuration}.${Source} ${Source})
      endforeach()
    else()
      _contraflow_program_executable(${Set}.${Configuration} ${Arg_SOURCES})
      foreach(Header IN LISTS Arg_HEADERS)
        target_precompile_headers(${Set}.${Configuration} PRIVATE
                                  "$<$<COMPILE_LANGUAGE:CXX>:<${Header}$<ANGLE-R>>")
      endforeach()
      if(Arg_HEADERS) # what headers switch off by pragmas is on where they were read before
        target_compile_options(${Set}.${Configuration} PRIVATE -Wno-deprecated-declarations)
      endif()
      foreach(Source IN LISTS Arg_SOURCES)
        _contraflow_source_test(${Set}.${Configuration} ${Source})
      endforeach()
    endif()
  endforeach()
endfunction()

# ccache does not know that the plugin decides what comes out; told so, it may be used.
macro(_contraflow_program_executable Name)
  add_executable(${Name} ${ARGN})
  target_link_libraries(${Name} PRIVATE ${Arg_DRIVER} ${Arg_LIBRARIES} m)
  target_compile_options(${Name} PRIVATE -fno-sanitize=undefined
                         ${ContraflowConfiguration_${Configuration}})
  set_target_properties(${Name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  contraflow_differentiate(${Name})
  set(Plugin ${CONTRAFLOW_PLUGIN})
  if(TARGET Contraflow)
    set(Plugin ${PROJECT_BINARY_DIR}/lib/Contraflow.so)
  endif()
  if(CCACHE_PROGRAM AND Plugin)
    set(Launcher ${CMAKE_COMMAND} -E env CCACHE_EXTRAFILES=${Plugin}
                 CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
    if(Arg_HEADERS)
      target_compile_options(${Name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Xclang=-fno-pch-timestamp>)
    endif()
    set_target_properties(${Name} PROPERTIES C_COMPILER_LAUNCHER "${Launcher}"
                                             CXX_COMPILER_LAUNCHER "${Launcher}")
  endif()
endmacro()

macro(_contraflow_source_test Executable Source)
  get_filename_component(Stem ${Source} NAME_WE)
  get_filename_component(File ${Source} NAME)
  set(Labels ${Set} ${Arg_LABELS})
  if("${Stem}" IN_LIST Arg_FAST AND "${Configuration}" STREQUAL "O2")
    list(APPEND Labels fast)
  endif()
  contraflow_add_test(NAME ${Set}.${Configuration}.${Stem} COMMAND ${Executable} --source ${File}
                      LABELS ${Labels} TIMEOUT 120 ENVIRONMENT ${Arg_ENVIRONMENT})
endmacro()

# One seed for all numbers of ranks: the gradients are compared.
macro(_contraflow_rank_tests)
  set(Executable ${Set}.${Configuration})
  contraflow_add_test(NAME ${Executable} COMMAND ${Executable} RANKS ${Arg_RANKS} LABELS ${Set}
                      ENVIRONMENT OMP_NUM_THREADS=2 ${Arg_ENVIRONMENT})
  contraflow_add_test(NAME ${Executable}.invariance RANKS ${Arg_RANKS} LABELS ${Set}
    COMMAND ${Executable} --seed 20
            --gradients ${CMAKE_CURRENT_BINARY_DIR}/${Executable}.gradients
    ENVIRONMENT OMP_NUM_THREADS=2 ${Arg_ENVIRONMENT})
  foreach(Ranks IN LISTS Arg_RANKS)
    if(Ranks EQUAL 1)
      set(Fixture FIXTURES_SETUP)
    else()
      set(Fixture FIXTURES_REQUIRED)
    endif()
    set_tests_properties(${Executable}.invariance.r${Ranks} PROPERTIES
                         ${Fixture} ${Executable}.one)
  endforeach()
endmacro()
