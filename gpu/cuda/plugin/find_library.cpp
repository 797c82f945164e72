// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/plugin/find_library.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <vector>

#include "gpu/cuda/library_file.h"

extern char** environ;

namespace strata::plugin {
namespace {

constexpr auto kPythonTimeout = std::chrono::seconds(3);
constexpr size_t kNumLibraries = 7;

struct Sought {
  const char* name;
  const char* purpose;
  const char* remedy;
};
// In the order of Library
constexpr std::array<Sought, kNumLibraries> kSought = {{
    {"libcuda.so.1", "the driver of NVIDIA GPUs",
     "Install NVIDIA's driver, version 580 or later. In a container, start it with --gpus all"},
    {"libcudnn.so.9", "convolutions and attention need it",
     "Install cuDNN 9, for example with: pip install nvidia-cudnn-cu13"},
    {"libcublasLt.so.13", "matrix products need it",
     "Install the CUDA Toolkit 13, or: pip install nvidia-cublas"},
    {"libnvrtc.so.13", "fused kernels need it",
     "Install the CUDA Toolkit 13, or: pip install nvidia-cuda-nvrtc"},
    {"libcupti.so.13", "measuring kernels needs it",
     "Install the CUDA Toolkit 13, or: pip install nvidia-cuda-cupti"},
    {"libnvidia-ml.so.1", "temperature, power and utilization need it",
     "It is part of NVIDIA's driver. In a container, start it with --gpus all"},
    {"libnccl.so.2", "training on several GPUs needs it",
     "Install NCCL, for example with: pip install nvidia-nccl-cu13"},
}};

/// Returns what a program prints, or "" if it fails or takes too long.
std::string outputOf(const char* program, const char* option, const char* text) {
  int pipes[2];
  if (pipe2(pipes, O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipes[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::string words[] = {program, option, text};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};
  pid_t child = 0;
  const int failed = posix_spawnp(&child, program, &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(pipes[1]);
  std::string result;
  bool isComplete = false;
  const auto end = std::chrono::steady_clock::now() + kPythonTimeout;
  while (failed == 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    pollfd ready{pipes[0], POLLIN, 0};
    if (left.count() <= 0 || poll(&ready, 1, static_cast<int>(left.count())) <= 0) break;
    char buffer[1024];
    const ssize_t bytes = read(pipes[0], buffer, sizeof buffer);
    if (bytes <= 0) {
      isComplete = bytes == 0;
      break;
    }
    result.append(buffer, static_cast<size_t>(bytes));
  }
  close(pipes[0]);
  if (failed != 0) return {};
  if (!isComplete) kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  return isComplete && status == 0 ? result : std::string();
}

/// Returns the folders of NVIDIA's packages for Python.
const std::vector<std::string>& pythonFolders() {
  static const std::vector<std::string> kFolders = [] {
    const std::string text =
        outputOf("python3", "-c", "import sys\nfor folder in sys.path: print(folder)");
    std::vector<std::string> result;
    std::error_code error;
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size());
      const std::filesystem::path root =
          std::filesystem::path(text.substr(at, end - at)) / "nvidia";
      at = end + 1;
      if (!root.is_absolute() || !std::filesystem::is_directory(root, error)) continue;
      for (const char* package : {"cu13", "cudnn", "nccl", "cublas", "cuda_nvrtc", "cuda_cupti"})
        result.push_back(root / package / "lib");
    }
    return result;
  }();
  return kFolders;
}

std::vector<std::string> systemFolders() {
  std::vector<std::string> result;
  if (const char* home = std::getenv("CUDA_HOME"); home && *home)
    result.push_back(std::string(home) + "/lib64");
  result.insert(result.end(), {"/usr/local/cuda/lib64", "/usr/local/cuda/extras/CUPTI/lib64",
                               "/usr/lib/x86_64-linux-gnu"});
  return result;
}

/// Returns the folders where containers and Windows' subsystem for Linux have the driver.
std::vector<std::string> driverFolders() {
  return {"/usr/local/nvidia/lib64", "/usr/local/nvidia/lib", "/usr/lib/wsl/lib",
          "/usr/lib/x86_64-linux-gnu", "/usr/lib64"};
}

/// Returns the folders of LD_LIBRARY_PATH, which the loader searches first.
std::vector<std::string> loaderFolders() {
  const char* list = std::getenv("LD_LIBRARY_PATH");
  std::vector<std::string> result;
  for (std::string left = list ? list : ""; !left.empty();) {
    const size_t colon = std::min(left.find(':'), left.size());
    if (colon > 0) result.push_back(left.substr(0, colon));
    left.erase(0, colon + 1);
  }
  return result;
}

/// Whether the first of these files is damaged, so that the loader must not open it by its name.
bool isFirstDamaged(std::vector<std::string> folders, const char* name) {
  std::error_code error;
  const std::vector<std::string> first = loaderFolders();
  folders.insert(folders.begin(), first.begin(), first.end());
  for (const std::string& folder : folders)
    if (const auto file = std::filesystem::path(folder) / name;
        std::filesystem::exists(file, error))
      return !cuda::faultOfLibrary(file).empty();
  return false;
}

/// Opens the file in one of the folders. `failure` says what is wrong with a file that is there but
/// cannot be opened.
void* openIn(const std::vector<std::string>& folders, const char* name, std::string& failure) {
  std::error_code error;
  for (const std::string& folder : folders) {
    const std::filesystem::path file = std::filesystem::path(folder) / name;
    if (!std::filesystem::exists(file, error)) continue;
    std::string fault = cuda::faultOfLibrary(file);
    if (fault.empty()) {
      if (void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
      const char* why = dlerror();
      fault = cuda::explainLoader(why ? why : "no reason is known");
    }
    failure = file.string() + " " + fault;
  }
  return nullptr;
}

std::string pathOf(void* handle, const char* name) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map && map->l_name && *map->l_name)
    return map->l_name;
  return name;
}

std::string dotted(size_t major, size_t minor, size_t patch) {
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

std::string versionOf(Library library, const FoundLibrary& found) {
  const auto number = [&](const char* name) -> size_t {
    const auto function = reinterpret_cast<size_t (*)()>(found.symbol(name));
    return function ? function() : 0;
  };
  switch (library) {
    case Library::Driver: {
      const auto function = reinterpret_cast<int (*)(int*)>(found.symbol("cuDriverGetVersion"));
      int version = 0;
      if (!function || function(&version) != 0 || version <= 0) return {};
      return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
    }
    case Library::Cudnn: {
      const size_t version = number("cudnnGetVersion");
      return version == 0 ? "" : dotted(version / 10000, version / 100 % 100, version % 100);
    }
    case Library::CublasLt: {
      const size_t version = number("cublasLtGetVersion");
      return version == 0 ? "" : dotted(version / 10000, version / 100 % 100, version % 100);
    }
    case Library::Nvrtc: {
      const auto function = reinterpret_cast<int (*)(int*, int*)>(found.symbol("nvrtcVersion"));
      int major = 0, minor = 0;
      if (!function || function(&major, &minor) != 0) return {};
      return std::to_string(major) + "." + std::to_string(minor);
    }
    case Library::Cupti: {
      const auto function = reinterpret_cast<int (*)(uint32_t*)>(found.symbol("cuptiGetVersion"));
      uint32_t version = 0;
      if (!function || function(&version) != 0) return {};
      return dotted(version / 10000, version / 100 % 100, version % 100);
    }
    case Library::Nccl: {
      const auto function = reinterpret_cast<int (*)(int*)>(found.symbol("ncclGetVersion"));
      int version = 0;
      if (!function || function(&version) != 0 || version <= 0) return {};
      const auto v = static_cast<size_t>(version);
      return dotted(v / 10000, v / 100 % 100, v % 100);
    }
    default: return {};
  }
}

/// Returns the files that a library opens by itself when it is used. cuDNN ends the program if it
/// does not find its first one, even if it is only asked for its version.
std::vector<std::string> partsOf(Library library, const FoundLibrary& found) {
  if (library == Library::Cudnn)
    return {"libcudnn_graph.so.9", "libcudnn_heuristic.so.9", "libcudnn_engines_precompiled.so.9",
            "libcudnn_engines_runtime_compiled.so.9"};
  if (library == Library::Nvrtc && !found.version.empty())
    return {"libnvrtc-builtins.so." + found.version};
  return {};
}

/// Returns cuBLASLt of another version of CUDA, if cuDNN was built for one; otherwise "".
std::string productsOfCudnn(const FoundLibrary& cudnn) {
  const auto version = reinterpret_cast<size_t (*)()>(cudnn.symbol("cudnnGetCudartVersion"));
  const std::string own = kSought[static_cast<size_t>(Library::CublasLt)].name;
  const std::string name =
      version ? "libcublasLt.so." + std::to_string(version() / 1000) : std::string();
  return name == own ? std::string() : name;
}

/// Returns what is wrong with the parts of a library, or "".
std::string faultOfParts(Library library, const FoundLibrary& found) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::path(found.path).parent_path();
  for (const std::string& part : partsOf(library, found)) {
    const std::filesystem::path file = folder / part;
    if (std::filesystem::exists(file, error)) {
      const std::string fault = cuda::faultOfLibrary(file);
      if (!fault.empty()) return file.string() + ", a part of it, " + fault;
    }
    else if (!dlopen(part.c_str(), RTLD_LAZY | RTLD_LOCAL)) {
      return part + ", a part of it, was not found";
    }
  }
  if (library != Library::Cudnn) return {};
  const std::string products = productsOfCudnn(found);
  // Where Python's packages have it
  const std::filesystem::path beside = folder / "../../cublas/lib" / products;
  if (!products.empty() && !std::filesystem::exists(folder / products, error) &&
      !std::filesystem::exists(beside, error) && !dlopen(products.c_str(), RTLD_LAZY | RTLD_LOCAL))
    return "it was built for another version of CUDA, and needs " + products +
           ", which was not found";
  return {};
}

/// Opens a library by its name alone, from where the loader looks. `failure` says what is wrong
/// with a library that is there.
void* openByName(const char* name, std::string& failure) {
  if (void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return handle;
  const char* why = dlerror();
  // A library that is absent is no failure; one that lacks a library of its own is
  if (why && std::string(why).find(std::string(name) + ": cannot open") == std::string::npos)
    failure = std::string(name) + " " + cuda::explainLoader(why);
  return nullptr;
}

FoundLibrary open(Library library) {
  const Sought& sought = kSought[static_cast<size_t>(library)];
  FoundLibrary result;
  result.name = sought.name;
  const bool isOfDriver = library == Library::Driver || library == Library::Nvml;
  const std::vector<std::string> folders = isOfDriver ? driverFolders() : systemFolders();
  if (!isFirstDamaged(folders, sought.name))
    result.handle = openByName(sought.name, result.failure);
  if (!result.handle) result.handle = openIn(folders, sought.name, result.failure);
  if (!result.handle && !isOfDriver)
    result.handle = openIn(pythonFolders(), sought.name, result.failure);
  if (result.handle) {
    result.failure.clear();
    result.path = pathOf(result.handle, sought.name);
    // The names of NVRTC's parts contain its version
    if (library == Library::Nvrtc) result.version = versionOf(library, result);
    const std::string fault = faultOfParts(library, result);
    if (fault.empty()) {
      result.version = versionOf(library, result);
    }
    else {
      result.failure = result.path + " cannot be used: " + fault;
      result.handle = nullptr;
    }
  }
  else if (result.failure.empty()) {
    result.failure = std::string(sought.name) + " was not found";
  }
  if (!result.failure.empty())
    result.problem = result.failure + " (" + sought.purpose + "). " + sought.remedy;
  return result;
}

}  // namespace

void* FoundLibrary::symbol(const char* symbolName) const {
  return handle ? dlsym(handle, symbolName) : nullptr;
}

const FoundLibrary& findLibrary(Library library) {
  static std::array<std::once_flag, kNumLibraries> flags;
  static std::array<FoundLibrary, kNumLibraries> found;
  const auto i = static_cast<size_t>(library);
  std::call_once(flags[i], [&] { found[i] = open(library); });
  return found[i];
}

size_t listLibraries(StrataLibraryState* list, size_t size) {
  for (size_t i = 0; i < kNumLibraries && i < size; ++i) {
    const FoundLibrary& found = findLibrary(static_cast<Library>(i));
    list[i] = {found.name.c_str(), found.path.c_str(), found.version.c_str(), found.failure.c_str(),
               found.problem.c_str()};
  }
  return kNumLibraries;
}

}  // namespace strata::plugin
