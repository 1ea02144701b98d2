# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# contraflow_add_test(NAME name COMMAND program args...
#                     [RANKS 1 2 4] [THREADS 1 2] [LABELS a b] [TIMEOUT seconds] [ENVIRONMENT A=B...])
#
# registers `name`, or one test for each number of ranks and threads (name.r2.t1). Parallel tests run
# oversubscribed on small machines and reserve their processors, so that `ctest -j` stays honest.

include_guard(GLOBAL)

set(ContraflowTestEnvironment
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
    OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_osc=^ucx OMP_WAIT_POLICY=passive
    CONTRAFLOW_TEST_SEED=20260101) # by hand, every run draws another one
# The sanitizers know OpenMP through archer; MPI libraries keep memory until the process ends.
if(CONTRAFLOW_SANITIZE MATCHES "thread")
  find_library(ArcherLibrary archer HINTS ${LLVM_LIBRARY_DIR} NO_CACHE)
  list(APPEND ContraflowTestEnvironment "TSAN_OPTIONS=ignore_noninstrumented_modules=1 suppressions=${PROJECT_SOURCE_DIR}/tests/sanitizers/thread.supp"
       "OMP_TOOL_LIBRARIES=${ArcherLibrary}")
elseif(CONTRAFLOW_SANITIZE MATCHES "address")
  list(APPEND ContraflowTestEnvironment "ASAN_OPTIONS=detect_leaks=0")
endif()

function(contraflow_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 Test "" "NAME;TIMEOUT" "COMMAND;RANKS;THREADS;LABELS;ENVIRONMENT")
  if(NOT DEFINED Test_TIMEOUT)
    set(Test_TIMEOUT 300)
  endif()
  if(NOT Test_RANKS)
    set(Test_RANKS 0)
  endif()
  if(NOT Test_THREADS)
    set(Test_THREADS 0)
  endif()
  foreach(Ranks IN LISTS Test_RANKS)
    foreach(Threads IN LISTS Test_THREADS)
      _contraflow_add_one_test()
    endforeach()
  endforeach()
endfunction()

# One test of contraflow_add_test, whose variables it sees; 0 ranks: no launcher, 0 threads: not set.
macro(_contraflow_add_one_test)
  set(Name ${Test_NAME})
  set(Command ${Test_COMMAND})
  set(Environment ${ContraflowTestEnvironment} ${Test_ENVIRONMENT})
  set(Processors 1)
  if(Ranks GREATER 0)
    string(APPEND Name .r${Ranks})
    set(Processors ${Ranks})
    list(POP_FRONT Command Program)
    if(TARGET "${Program}") # which add_test() knows as the first word only
      set(Program "$<TARGET_FILE:${Program}>")
    endif()
    set(Command ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${Ranks} ${Program} ${Command})
  endif()
  if(Threads GREATER 0)
    string(APPEND Name .t${Threads})
    math(EXPR Processors "${Processors} * ${Threads}")
    list(APPEND Environment OMP_NUM_THREADS=${Threads})
  endif()
  add_test(NAME ${Name} COMMAND ${Command})
  set_tests_properties(${Name} PROPERTIES
    ENVIRONMENT "${Environment}" LABELS "${Test_LABELS}" PROCESSORS ${Processors}
    TIMEOUT ${Test_TIMEOUT} SKIP_RETURN_CODE 77)
endmacro()
