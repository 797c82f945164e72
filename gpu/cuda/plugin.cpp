// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/plugin.h"

#include <dlfcn.h>

#include <filesystem>
#include <vector>

#include "gpu/base/text.h"
#include "gpu/cuda/library_file.h"

namespace strata::cuda {
namespace {

constexpr const char* kFile = "libstrata_cuda.so";

struct Opened {
  const StrataCudaPlugin* plugin = nullptr;
  std::string problem;
};

/// Returns the places where an installation or a build has the plug-in.
std::vector<std::filesystem::path> places() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  return {program / kFile, program.parent_path() / "lib" / "strata" / kFile,
          program.parent_path() / "lib" / kFile};
}

Opened open() {
  std::error_code error;
  for (const std::filesystem::path& place : places()) {
    if (!std::filesystem::exists(place, error)) continue;
    const auto refused = [&](const std::string& why) {
      return Opened{nullptr, "the plug-in for NVIDIA GPUs, " + place.string() + ", " + why +
                                 ". Build or install Strata again."};
    };
    if (const std::string fault = faultOfLibrary(place); !fault.empty()) return refused(fault);
    void* library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      const char* why = dlerror();
      return refused(explainLoader(why ? why : "no reason is known"));
    }
    const auto entry = reinterpret_cast<StrataCudaEntry>(dlsym(library, STRATA_CUDA_ENTRY));
    const StrataCudaPlugin* found = entry ? entry() : nullptr;
    if (!found || found->interfaceVersion != STRATA_CUDA_INTERFACE)
      return {nullptr, place.string() +
                           " belongs to another version of Strata. Build or install Strata again."};
    return {found, {}};
  }
  return {nullptr, STRATA_TEXT("argument",
                               "this installation has no plug-in for NVIDIA GPUs "
                               "(libstrata_cuda.so). Build Strata where the CUDA Toolkit 13 is "
                               "installed.")
                       .source};
}

const Opened& opened() {
  static const Opened result = open();
  return result;
}

}  // namespace

const StrataCudaPlugin* plugin() { return opened().plugin; }
const std::string& pluginProblem() { return opened().problem; }

}  // namespace strata::cuda
