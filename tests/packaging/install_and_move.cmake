# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs the build tree `Build` and moves the copy to `Moved`: whatever remembers where it was
# installed fails from then on.

set(Stage "${Moved}.stage")
file(REMOVE_RECURSE "${Stage}" "${Moved}")
execute_process(COMMAND ${CMAKE_COMMAND} --install "${Build}" --prefix "${Stage}"
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(RENAME "${Stage}" "${Moved}")
foreach(File bin/contraflow bin/contraflow-clang bin/contraflow-clang++ lib/Contraflow.so
        lib/ContraflowAttributes.so lib/libcontraflow_runtime.a
        lib/cmake/Contraflow/ContraflowConfig.cmake include/contraflow/runtime.h)
  if(NOT EXISTS "${Moved}/${File}")
    message(FATAL_ERROR "the installed copy has no ${File}")
  endif()
endforeach()
