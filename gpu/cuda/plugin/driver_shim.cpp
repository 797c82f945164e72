// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/plugin/driver_shim.h"

#include <dlfcn.h>

#include <filesystem>

#include "gpu/cuda/plugin/find_library.h"

namespace strata::plugin {
namespace {

constexpr const char* kFile = "libstrata_driver_shim.so";

bool open() {
  // Later searches for libcuda.so.1 find the shim by its SONAME, so look for a real one first
  if (findLibrary(Library::Driver).handle) return true;
  Dl_info own{};
  if (dladdr(reinterpret_cast<const void*>(&openDriverShim), &own) == 0 || !own.dli_fname)
    return false;
  const auto file = std::filesystem::path(own.dli_fname).parent_path() / kFile;
  return dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL) != nullptr;
}

}  // namespace

bool openDriverShim() {
  static const bool kIsOpen = open();
  return kIsOpen;
}

}  // namespace strata::plugin
