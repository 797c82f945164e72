# SPDX-License-Identifier: Apache-2.0
# The plug-in for NVIDIA GPUs, libstrata_cuda.so: kernels, calls of NVIDIA's libraries, and
# simulated cards. Kernels are compiled twice: by nvcc for GPUs, and by the host compiler for
# simulated cards.
set(STRATA_CUDA_ARCHITECTURES "75" CACHE STRING
  "Compute capabilities of the kernels, such as 80;90, or all. The last one also gets PTX.")
if(STRATA_CUDA_ARCHITECTURES STREQUAL "all")
  set(architectures 75 80 86 89 90 100 120)
else()
  set(architectures ${STRATA_CUDA_ARCHITECTURES})
endif()
get_filename_component(cuda_root ${STRATA_NVCC} DIRECTORY)
get_filename_component(cuda_root ${cuda_root} DIRECTORY)

file(GLOB plugin_sources CONFIGURE_DEPENDS
  ${CMAKE_CURRENT_SOURCE_DIR}/cuda/plugin/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/cuda/emulation/*.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/simulated/*.cpp)
file(GLOB kernels CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/cuda/kernels/*.cu)
file(GLOB kernel_headers CONFIGURE_DEPENDS
  ${CMAKE_CURRENT_SOURCE_DIR}/cuda/kernels/*.cuh ${CMAKE_CURRENT_SOURCE_DIR}/cuda/kernels/*.h)

# A .cu file is C++ for the host compiler, through a file that includes it.
set(host_kernels "")
foreach(kernel ${kernels})
  get_filename_component(name ${kernel} NAME_WE)
  set(host ${CMAKE_CURRENT_BINARY_DIR}/host_kernels/${name}.cpp)
  file(CONFIGURE OUTPUT ${host} CONTENT "#include \"gpu/cuda/kernels/${name}.cu\"\n")
  list(APPEND host_kernels ${host})
endforeach()
set_source_files_properties(${host_kernels} PROPERTIES
  COMPILE_OPTIONS "$<$<CONFIG:Release>:-O3>;-Wno-unknown-pragmas")

add_library(strata_cuda MODULE ${plugin_sources} ${host_kernels}
  base/error.cpp base/thread_pool.cpp base/machine.cpp tensor/tensor.cpp)
set_target_properties(strata_cuda PROPERTIES
  CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
list(JOIN architectures ";" architecture_text)
target_compile_definitions(strata_cuda PRIVATE STRATA_CUDA_ARCHITECTURES="${architecture_text}")
target_link_libraries(strata_cuda PRIVATE strata_options Threads::Threads ${CMAKE_DL_LIBS})
target_include_directories(strata_cuda SYSTEM PRIVATE ${cuda_root}/include)
# Programs open the plug-in at run time, so that nothing depends on it.
add_dependencies(strata_gpu strata_cuda)
install(TARGETS strata_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/strata)
