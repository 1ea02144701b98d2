# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What an installed copy consists of, and the CMake package that finds it.

include(CMakePackageConfigHelpers)

set(ContraflowPackageDir ${CMAKE_INSTALL_LIBDIR}/cmake/Contraflow)

# A program that calls MPI or OpenMP links them itself, and its own; the package asks for neither.
function(contraflow_leave_models_to_user Target)
  get_target_property(Libraries ${Target} INTERFACE_LINK_LIBRARIES)
  if(Libraries AND NOT Libraries MATCHES "BUILD_INTERFACE")
    string(REGEX REPLACE "((MPI|OpenMP)::[A-Za-z_]+)" "$<BUILD_INTERFACE:\\1>" Libraries "${Libraries}")
    set_target_properties(${Target} PROPERTIES INTERFACE_LINK_LIBRARIES "${Libraries}")
  endif()
endfunction()

# Target in this build -> its name in the package (Contraflow::<name>).
function(contraflow_export Target Name)
  get_property(Imported TARGET ${Target} PROPERTY IMPORTED)
  if(NOT Imported)
    set_target_properties(${Target} PROPERTIES EXPORT_NAME ${Name})
    contraflow_leave_models_to_user(${Target})
    install(TARGETS ${Target} EXPORT ContraflowTargets
            LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
            ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
            INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  endif()
endfunction()
foreach(Pair IN LISTS ContraflowTargetNames)
  string(REPLACE "=" ";" Pair "${Pair}")
  list(GET Pair 0 Target)
  if(TARGET ${Target})
    contraflow_export(${Pair})
  endif()
endforeach()

install(DIRECTORY ${PROJECT_SOURCE_DIR}/runtime/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT ContraflowTargets NAMESPACE Contraflow:: DESTINATION ${ContraflowPackageDir})

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/ContraflowConfig.cmake.in ${PROJECT_BINARY_DIR}/ContraflowConfig.cmake
  INSTALL_DESTINATION ${ContraflowPackageDir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ContraflowConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ContraflowConfig.cmake
              ${PROJECT_BINARY_DIR}/ContraflowConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/ContraflowDifferentiate.cmake
        DESTINATION ${ContraflowPackageDir})
