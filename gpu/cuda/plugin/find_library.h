// SPDX-License-Identifier: Apache-2.0
// Finds NVIDIA's libraries at run time and opens them. Nothing is linked against them, so that
// programs start without them.
// Not here: their functions (driver_table.h, cudnn_api.h, cublaslt.h, nvrtc.h).
// Thread: any; each library is opened once and stays open.
#pragma once

#include <cstddef>
#include <string>

#include "gpu/cuda/interface.h"

namespace strata::plugin {

enum class Library { Driver, Cudnn, CublasLt, Nvrtc, Cupti, Nvml, Nccl };

struct FoundLibrary {
  // The versioned file name, such as "libcudnn.so.9"
  std::string name;
  // Null if the library was not found, or cannot be used
  void* handle = nullptr;
  std::string path;
  // Such as "9.19.0"; empty if the library does not report it
  std::string version;
  // Empty, or what is wrong, such as "libcudnn.so.9 was not found"
  std::string failure;
  // The same with what the library is for, and how to get it, without a full stop at the end
  std::string problem;

  /// Returns a function of the library, or null.
  void* symbol(const char* symbolName) const;
};

/// Opens a library. The first call for a library may take a second.
const FoundLibrary& findLibrary(Library library);
/// See StrataCudaPlugin::libraries.
size_t listLibraries(StrataLibraryState* list, size_t size);

}  // namespace strata::plugin
