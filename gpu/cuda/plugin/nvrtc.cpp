// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/plugin/nvrtc.h"

#include <nvrtc.h>

#include "gpu/cuda/plugin/find_library.h"

namespace strata::plugin {
namespace {

#define STRATA_NVRTC_FUNCTIONS(X)     \
  X(errorString, nvrtcGetErrorString) \
  X(version, nvrtcVersion)            \
  X(create, nvrtcCreateProgram)       \
  X(destroy, nvrtcDestroyProgram)     \
  X(compile, nvrtcCompileProgram)     \
  X(logSize, nvrtcGetProgramLogSize)  \
  X(log, nvrtcGetProgramLog)          \
  X(cubinSize, nvrtcGetCUBINSize)     \
  X(cubin, nvrtcGetCUBIN)

// As nvcc does for the kernels in files: no fast math, but contracted multiply-add
constexpr const char* kOptions[] = {"--std=c++17", "--fmad=true"};

struct Api {
#define STRATA_NVRTC_ENTRY(name, symbol) decltype(&::symbol) name;
  STRATA_NVRTC_FUNCTIONS(STRATA_NVRTC_ENTRY)
#undef STRATA_NVRTC_ENTRY
};

struct Opened {
  Api api{};
  std::string problem;
};

Opened open() {
  Opened result;
  const FoundLibrary& library = findLibrary(Library::Nvrtc);
  result.problem = library.problem;
  if (!library.handle) return result;
#define STRATA_NVRTC_ENTRY(name, symbolName)                                                  \
  result.api.name = reinterpret_cast<decltype(result.api.name)>(library.symbol(#symbolName)); \
  if (!result.api.name) result.problem = library.path + " has no function " #symbolName;
  STRATA_NVRTC_FUNCTIONS(STRATA_NVRTC_ENTRY)
#undef STRATA_NVRTC_ENTRY
  return result;
}

const Opened& opened() {
  static const Opened result = open();
  return result;
}

}  // namespace

std::string compilerName() {
  int major = 0, minor = 0;
  if (!opened().problem.empty() || opened().api.version(&major, &minor) != NVRTC_SUCCESS) return {};
  std::string name = "NVRTC " + std::to_string(major) + "." + std::to_string(minor);
  for (const char* option : kOptions)
    name += std::string(" ") + option;
  return name;
}

std::vector<char> compileText(const char* text, const char* name, int architecture,
                              std::string& problem) {
  problem = opened().problem;
  if (!problem.empty()) return {};
  const Api& api = opened().api;
  nvrtcProgram program = nullptr;
  std::vector<char> image;
  const auto fails = [&](nvrtcResult result, const char* what) {
    if (result == NVRTC_SUCCESS) return false;
    problem = std::string(what) + " of " + name + " failed: " + api.errorString(result);
    size_t bytes = 0;
    if (program && api.logSize(program, &bytes) == NVRTC_SUCCESS && bytes > 1) {
      std::string log(bytes, '\0');
      if (api.log(program, log.data()) == NVRTC_SUCCESS) problem += "\n" + log;
    }
    return true;
  };
  const std::string target = "--gpu-architecture=sm_" + std::to_string(architecture);
  std::vector<const char*> options{target.c_str()};
  options.insert(options.end(), std::begin(kOptions), std::end(kOptions));
  size_t bytes = 0;
  if (fails(api.create(&program, text, name, 0, nullptr, nullptr), "nvrtcCreateProgram")) return {};
  if (!fails(api.compile(program, static_cast<int>(options.size()), options.data()),
             "nvrtcCompileProgram") &&
      !fails(api.cubinSize(program, &bytes), "nvrtcGetCUBINSize")) {
    image.resize(bytes);
    if (fails(api.cubin(program, image.data()), "nvrtcGetCUBIN")) image.clear();
  }
  api.destroy(&program);
  return image;
}

}  // namespace strata::plugin
