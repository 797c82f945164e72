# SPDX-License-Identifier: Apache-2.0
# The plug-in for several processes, libstrata_mpi.so. Programs open it at run time, so that they
# start on a machine without MPI.
add_library(strata_mpi MODULE replicate/mpi/plugin.cpp)
set_target_properties(strata_mpi PROPERTIES
  CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
target_link_libraries(strata_mpi PRIVATE strata_options MPI::MPI_CXX)
target_link_options(strata_mpi PRIVATE -Wl,--as-needed)
add_dependencies(strata_gpu strata_mpi)
install(TARGETS strata_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/strata)
