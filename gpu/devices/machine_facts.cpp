// SPDX-License-Identifier: Apache-2.0
// Reads the facts of machine_report.h.
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

#include "gpu/base/debug.h"
#include "gpu/cuda/plugin.h"
#include "gpu/devices/machine_report.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

std::string textOf(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Returns a value of /etc/os-release.
std::string systemOf(const fs::path& root) {
  std::ifstream file(root / "etc/os-release");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("ID=")) continue;
    std::string value = line.substr(3);
    std::erase(value, '"');
    return value;
  }
  return {};
}

bool isContainerAt(const fs::path& root) {
  std::error_code error;
  if (fs::exists(root / ".dockerenv", error) || fs::exists(root / "run/.containerenv", error))
    return true;
  const std::string groups = textOf(root / "proc/1/cgroup");
  return groups.find("docker") != std::string::npos ||
         groups.find("kubepods") != std::string::npos ||
         groups.find("containerd") != std::string::npos;
}

/// Counts display controllers (class 0x03) of NVIDIA (vendor 0x10de).
int gpusOnBusOf(const fs::path& root) {
  int count = 0;
  std::error_code error;
  for (fs::directory_iterator at(root / "sys/bus/pci/devices", error), end; !error && at != end;
       at.increment(error))
    if (textOf(at->path() / "vendor").starts_with("0x10de") &&
        textOf(at->path() / "class").starts_with("0x03"))
      ++count;
  return count;
}

/// Returns the version in "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  ...".
std::string driverOf(const fs::path& root) {
  const std::string text = textOf(root / "proc/driver/nvidia/version");
  std::string word;
  for (const char c : text + " ") {
    if (!std::isspace(static_cast<unsigned char>(c))) {
      word += c;
      continue;
    }
    const bool isVersion = word.find('.') != std::string::npos &&
                           word.find_first_not_of("0123456789.") == std::string::npos;
    if (isVersion) return word;
    word.clear();
  }
  return text.empty() ? std::string() : "unknown";
}

bool hasDeviceFilesAt(const fs::path& root) {
  std::error_code error;
  for (fs::directory_iterator at(root / "dev", error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with("nvidia") && name.size() > 6 &&
        std::isdigit(static_cast<unsigned char>(name[6])))
      return true;
  }
  return false;
}

/// Returns the folders whose path is `pattern` below `root`; "*" in a name stands for any text.
void addFolders(const fs::path& root, std::string_view pattern, std::vector<fs::path>& folders) {
  const size_t slash = std::min(pattern.find('/'), pattern.size());
  const std::string name(pattern.substr(0, slash));
  const std::string_view rest =
      slash < pattern.size() ? pattern.substr(slash + 1) : std::string_view();
  std::error_code error;
  std::vector<fs::path> matching;
  if (const size_t star = name.find('*'); star == std::string::npos) {
    matching.push_back(root / name);
  }
  else {
    for (fs::directory_iterator at(root, error), end; !error && at != end; at.increment(error)) {
      const std::string each = at->path().filename().string();
      if (each.size() + 1 >= name.size() && each.starts_with(name.substr(0, star)) &&
          each.ends_with(name.substr(star + 1)))
        matching.push_back(at->path());
    }
    std::ranges::sort(matching);
  }
  for (const fs::path& folder : matching) {
    if (!fs::is_directory(folder, error)) continue;
    if (rest.empty())
      folders.push_back(folder);
    else
      addFolders(folder, rest, folders);
  }
}

/// Returns the folders in which CUDA's libraries may be, best first.
std::vector<fs::path> libraryFolders(const fs::path& root) {
  std::vector<fs::path> folders;
  const auto addList = [&](const char* variable) {
    std::string list = environmentVariable(variable).value_or("");
    while (!list.empty()) {
      const size_t colon = std::min(list.find(':'), list.size());
      if (colon > 0) folders.emplace_back(list.substr(0, colon));
      list.erase(0, std::min(colon + 1, list.size()));
    }
  };
  // A machine that a test made up does not have the environment of this process
  const bool isThisMachine = root == "/";
  if (isThisMachine) addList("LD_LIBRARY_PATH");
  for (const char* pattern :
       {"usr/local/cuda/lib64", "usr/local/cuda/extras/CUPTI/lib64", "usr/local/cuda-13*/lib64",
        "usr/local/cuda-13*/extras/CUPTI/lib64", "usr/lib/x86_64-linux-gnu",
        "usr/lib/aarch64-linux-gnu", "usr/lib64", "usr/lib", "usr/local/lib", "usr/lib/wsl/lib",
        "usr/local/nvidia/lib64"})
    addFolders(root, pattern, folders);
  // The folders of pip's wheels
  std::vector<fs::path> environments;
  if (isThisMachine)
    if (const auto active = environmentVariable("VIRTUAL_ENV")) environments.emplace_back(*active);
  if (isThisMachine)
    if (const auto home = environmentVariable("HOME"))
      environments.push_back(fs::path(*home) / ".local");
  environments.push_back(root / "usr/local");
  environments.push_back(root / "usr");
  for (const fs::path& environment : environments)
    for (const char* packages : {"lib/python3*/site-packages/", "lib/python3*/dist-packages/"})
      for (const char* wheel : {"nvidia/cu13/lib", "nvidia/cudnn/lib", "nvidia/nccl/lib"})
        addFolders(environment, std::string(packages) + wheel, folders);
  return folders;
}

/// Returns the version in the name of the file that a library's link leads to:
/// "libcudnn.so.9" -> "libcudnn.so.9.19.0".
std::string versionOf(const fs::path& path) {
  std::error_code error;
  const std::string name = fs::canonical(path, error).filename().string();
  const size_t at = name.find(".so.");
  return at == std::string::npos ? std::string() : name.substr(at + 4);
}

std::string findFile(const std::vector<fs::path>& folders, const std::string& name) {
  std::error_code error;
  for (const fs::path& folder : folders)
    if (fs::exists(folder / name, error)) return (folder / name).string();
  return {};
}

/// The names of NVIDIA's libraries, and their files.
constexpr std::pair<std::string_view, std::string_view> kLibraryFiles[] = {
    {"cuBLASLt", "libcublasLt.so.13"}, {"cuDNN", "libcudnn.so.9"}, {"NVRTC", "libnvrtc.so.13"},
    {"CUPTI", "libcupti.so.13"},       {"NCCL", "libnccl.so.2"},   {"NVML", "libnvidia-ml.so.1"},
};

std::vector<FoundLibrary> searchLibraries(const std::vector<fs::path>& folders) {
  std::vector<FoundLibrary> libraries;
  for (const auto& [name, file] : kLibraryFiles) {
    FoundLibrary library;
    library.name = name;
    library.path = findFile(folders, std::string(file));
    if (!library.path.empty()) library.version = versionOf(library.path);
    libraries.push_back(std::move(library));
  }
  return libraries;
}

std::string textOrEmpty(const char* text) { return text ? text : ""; }

}  // namespace

MachineFacts readMachineFacts(const std::filesystem::path& root) {
  MachineFacts facts;
  facts.system = systemOf(root);
  facts.isContainer = isContainerAt(root);
  facts.gpusOnBus = gpusOnBusOf(root);
  facts.driver = driverOf(root);
  facts.hasDeviceFiles = hasDeviceFilesAt(root);
  const std::vector<fs::path> folders = libraryFolders(root);
  facts.driverLibrary = findFile(folders, "libcuda.so.1");
  facts.mpirun = findFile({root / "usr/local/bin", root / "usr/bin"}, "mpirun");
  // An empty value has a meaning
  if (const char* value = std::getenv("CUDA_VISIBLE_DEVICES"); value && root == "/")
    facts.visibleDevices = value;
  facts.pluginProblem = cuda::pluginProblem();
  if (const StrataCudaPlugin* plugin = cuda::plugin()) {
    const char* reason = nullptr;
    facts.driverAnswers = root == "/" && plugin->driver(&reason) != nullptr;
    facts.architectures = plugin->architectures;
    StrataLibraryState states[32]{};
    const size_t count = std::min(plugin->libraries(states, 32), std::size(states));
    // The driver's libraries have findings of their own
    for (size_t i = 0; i < count; ++i)
      if (root == "/" && textOrEmpty(states[i].name) == "libcuda.so.1")
        facts.driverLibrary = textOrEmpty(states[i].path);
    for (size_t i = 0; i < count; ++i)
      for (const auto& [name, file] : kLibraryFiles)
        if (textOrEmpty(states[i].name) == file)
          facts.libraries.push_back({std::string(name), textOrEmpty(states[i].path),
                                     textOrEmpty(states[i].version),
                                     textOrEmpty(states[i].failure)});
  }
  if (facts.libraries.empty() || root != "/") facts.libraries = searchLibraries(folders);
  return facts;
}

}  // namespace strata
