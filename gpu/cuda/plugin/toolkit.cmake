# SPDX-License-Identifier: Apache-2.0
# Finds nvcc and the headers of NVIDIA's libraries, and decides whether the plug-in is built. Sets
# STRATA_WITH_CUDA, STRATA_NVCC and STRATA_NVIDIA_INCLUDES.
find_program(STRATA_PYTHON python3)
# The list of Python's nvidia packages, such as site-packages/nvidia/cu13
set(python_packages "")
if(STRATA_PYTHON)
  execute_process(
    COMMAND ${STRATA_PYTHON} -c "import glob, sys
print(';'.join(f for p in sys.path if p for f in sorted(glob.glob(p + '/nvidia/*'))))"
    OUTPUT_VARIABLE python_packages OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET TIMEOUT 60)
endif()
set(python_tools ${python_packages})
set(python_includes ${python_packages})
list(TRANSFORM python_tools APPEND /bin)
list(TRANSFORM python_includes APPEND /include)
find_program(STRATA_NVCC nvcc HINTS ENV CUDA_HOME PATH_SUFFIXES bin
  PATHS /usr/local/cuda/bin ${python_tools})

# A script or a link may stand for nvcc, which itself tells where the toolkit is.
set(toolkits "")
if(STRATA_NVCC)
  execute_process(COMMAND ${STRATA_NVCC} --dryrun -x cu /dev/null
    OUTPUT_QUIET ERROR_VARIABLE dryrun TIMEOUT 60)
  if(dryrun MATCHES "TOP=([^\n]+)")
    string(STRIP "${CMAKE_MATCH_1}" top)
    get_filename_component(top ${top} ABSOLUTE)
    list(APPEND toolkits ${top})
  endif()
  get_filename_component(top ${STRATA_NVCC} DIRECTORY)
  get_filename_component(top ${top} DIRECTORY)
  list(APPEND toolkits ${top})
endif()
list(APPEND toolkits $ENV{CUDA_HOME})
list(REMOVE_DUPLICATES toolkits)
set(toolkit_includes "")
foreach(toolkit ${toolkits})
  file(GLOB targets ${toolkit}/targets/*/include)
  list(APPEND toolkit_includes ${toolkit}/include ${targets} ${toolkit}/extras/CUPTI/include)
endforeach()
# ./dev gpu-test names the folder of ./dev gpu-pack here.
set(STRATA_NVIDIA_FALLBACK "" CACHE PATH
  "Folder with NVIDIA's headers, for those that are nowhere else")

# Header, and the packages of NVIDIA's repository for Debian and of Python that have it
set(headers
  "CUDA|cuda.h|cuda-cudart-dev-13-0|nvidia-cuda-runtime"
  "CUBLASLT|cublasLt.h|libcublas-dev-13-0|nvidia-cublas"
  "NVRTC|nvrtc.h|cuda-nvrtc-dev-13-0|nvidia-cuda-nvrtc"
  "CUPTI|cupti.h|cuda-cupti-dev-13-0|nvidia-cuda-cupti"
  "CUDNN|cudnn_graph.h|libcudnn9-dev-cuda-13|nvidia-cudnn-cu13")
set(missing_cuda "")
# The compiler gets the toolkit's own folder first.
set(STRATA_NVIDIA_INCLUDES "")
foreach(folder ${toolkit_includes})
  if(EXISTS ${folder}/cuda_runtime_api.h)
    list(APPEND STRATA_NVIDIA_INCLUDES ${folder})
    break()
  endif()
endforeach()
foreach(entry ${headers})
  string(REPLACE "|" ";" entry ${entry})
  list(GET entry 0 name)
  list(GET entry 1 header)
  find_path(STRATA_${name}_INCLUDE ${header} HINTS ${toolkit_includes}
    PATHS /usr/local/cuda/include ${python_includes} ${STRATA_NVIDIA_FALLBACK})
  mark_as_advanced(STRATA_${name}_INCLUDE)
  if(STRATA_${name}_INCLUDE)
    list(APPEND STRATA_NVIDIA_INCLUDES ${STRATA_${name}_INCLUDE})
  else()
    list(GET entry 2 debian)
    list(GET entry 3 pip)
    string(APPEND missing_cuda
      "${header} was not found. Install ${debian} (NVIDIA's repository for Debian and Ubuntu), or "
      "run pip install ${pip}.\n")
  endif()
endforeach()
list(REMOVE_DUPLICATES STRATA_NVIDIA_INCLUDES)
if(missing_cuda)
  list(JOIN toolkit_includes "\n  " places)
  list(JOIN python_includes "\n  " more)
  string(APPEND missing_cuda "Headers were looked for in the system's folders and in:\n  ${places}"
    "\n  /usr/local/cuda/include\n  ${more}\n")
endif()
if(NOT STRATA_NVCC)
  set(missing_cuda
    "nvcc was not found. Install the CUDA Toolkit 13, or set STRATA_NVCC to its compiler.\n")
endif()

# Nothing is cached if something is missing, so that CMake finds later what was installed meanwhile.
if(NOT missing_cuda)
  option(STRATA_WITH_CUDA "Build the plug-in for NVIDIA GPUs" ON)
elseif(STRATA_WITH_CUDA)
  message(FATAL_ERROR "STRATA_WITH_CUDA is ON, but the plug-in cannot be built.\n${missing_cuda}"
    "To build without the plug-in, set STRATA_WITH_CUDA to OFF.")
elseif(NOT DEFINED STRATA_WITH_CUDA)
  set(STRATA_WITH_CUDA OFF)
  if(STRATA_NVCC)
    message(WARNING "The plug-in for NVIDIA GPUs is not built.\n${missing_cuda}")
  else()
    message(STATUS "The plug-in for NVIDIA GPUs is not built: ${missing_cuda}")
  endif()
endif()

# Sets `result` to the compute capabilities of this machine's GPUs that nvcc knows, such as 80;90,
# or to 75 if there are none.
function(strata_default_architectures result)
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
    OUTPUT_VARIABLE answer ERROR_QUIET RESULT_VARIABLE status TIMEOUT 30)
  set(found "")
  if(status EQUAL 0)
    string(REGEX MATCHALL "[0-9]+\\.[0-9]+" found "${answer}")
    list(TRANSFORM found REPLACE "\\." "")
    execute_process(COMMAND ${STRATA_NVCC} --list-gpu-arch OUTPUT_VARIABLE known ERROR_QUIET
      TIMEOUT 60)
    string(REGEX MATCHALL "[0-9]+" known "${known}")
    foreach(architecture ${found})
      if(NOT architecture IN_LIST known)
        list(REMOVE_ITEM found ${architecture})
      endif()
    endforeach()
    list(REMOVE_DUPLICATES found)
    list(SORT found COMPARE NATURAL)
  endif()
  if(NOT found)
    set(found 75)
  endif()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()
