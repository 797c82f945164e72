// SPDX-License-Identifier: Apache-2.0
#include "gpu/exec/device.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <optional>

#if defined(STRATA_HAS_ONEDNN)
#include <dnnl.h>
#endif

#include "gpu/base/error.h"
#include "gpu/cpu/cpu_backend.h"
#include "gpu/cpu/thread_pool.h"
#include "gpu/exec/backend.h"
#include "gpu/passes/pass.h"
#include "gpu/reference/reference_backend.h"

namespace strata {
namespace {

std::optional<size_t> numberIn(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  size_t value = 0;
  if (!(file >> text) || std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc())
    return std::nullopt;  // "max": no limit
  return value;
}

/// A line of /proc/meminfo, in bytes.
size_t memoryInfo(std::string_view key) {
  std::ifstream file("/proc/meminfo");
  std::string name;
  size_t kibibytes = 0;
  for (std::string unit; file >> name >> kibibytes; std::getline(file, unit))
    if (name.size() == key.size() + 1 && name.starts_with(key)) return kibibytes * 1024;
  return std::numeric_limits<size_t>::max();
}

struct Limit {
  size_t bytes = std::numeric_limits<size_t>::max();
  size_t used = 0;
};

/// The tightest limit from this process's control group up to the root.
Limit groupLimit() {
  Limit tightest;
  // Plain texts: std::filesystem::path of libstdc++ 12 does not survive running out of memory while it is put together.
  const auto climb = [&](const std::string& root, std::string path, const std::string& limitName, const std::string& usedName) {
    while (path.ends_with('/')) path.pop_back();
    for (;; path.resize(path.rfind('/'))) {
      if (const auto limit = numberIn(root + path + limitName); limit && *limit < tightest.bytes)
        tightest = {*limit, numberIn(root + path + usedName).value_or(0)};
      if (path.find('/') == std::string::npos) break;
    }
  };
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string path = line.substr(second + 1);
    if (controllers == ",,") climb("/sys/fs/cgroup", path, "/memory.max", "/memory.current");
    if (controllers.find(",memory,") != std::string::npos)
      climb("/sys/fs/cgroup/memory", path, "/memory.limit_in_bytes", "/memory.usage_in_bytes");
  }
  return tightest;
}

}  // namespace

std::string processorTitle() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) {
      const size_t colon = line.find(':');
      if (colon != std::string::npos && colon + 2 < line.size()) return line.substr(colon + 2);
    }
  return "processor";
}

size_t usableMemoryBytes() { return std::min(memoryInfo("MemTotal"), groupLimit().bytes); }

size_t availableMemoryBytes() {
  const Limit limit = groupLimit();
  return std::min(memoryInfo("MemAvailable"), limit.bytes - std::min(limit.used, limit.bytes));
}

std::vector<std::string> passNames() {
  std::vector<std::string> names;
  for (const Pass& pass : standardPasses()) names.push_back(pass.name);
  for (const Pass& pass : cpuPasses()) names.push_back(pass.name);
  return names;
}

std::vector<DeviceInfo> listDevices() {
  std::vector<DeviceInfo> devices;
  for (const char* name : {"cpu", "reference"}) {
    DeviceInfo info;
    info.name = name;
    info.kind = "cpu";
    info.title = processorTitle();
    info.threads = usableProcessors();
    info.memoryBytes = usableMemoryBytes();
    info.availableBytes = availableMemoryBytes();
    info.isUsable = true;
    devices.push_back(std::move(info));
  }
  DeviceInfo gpu;
  gpu.name = "cuda:0";
  gpu.kind = "cuda";
  gpu.title = "NVIDIA GPU";
  gpu.whyNot = std::ifstream("/proc/driver/nvidia/version").is_open()
                   ? "an NVIDIA driver is loaded, but this version of Strata computes on the processor only."
                   : "no NVIDIA driver is loaded, and this version of Strata computes on the processor only.";
  devices.push_back(std::move(gpu));
  return devices;
}

std::vector<std::pair<std::string, std::string>> libraryVersions() {
  std::vector<std::pair<std::string, std::string>> versions;
#if defined(STRATA_HAS_ONEDNN)
  const dnnl_version_t& version = *dnnl_version();
  versions.emplace_back("oneDNN",
                        std::to_string(version.major) + "." + std::to_string(version.minor) + "." + std::to_string(version.patch));
#endif
  return versions;
}

std::unique_ptr<Backend> openDevice(const std::string& name, const DeviceOptions& options) {
  if (options.threads < 0)
    throw Error(ErrorCode::InvalidArgument, "threads",
                "a number of threads is expected (got " + std::to_string(options.threads) + "). Give 1 or more, or 0 for all cores.");
  DeviceOptions resolved = options;
  if (resolved.threads == 0) resolved.threads = usableProcessors();
  if (name == "reference") return makeReferenceBackend(resolved);
  if (name == "auto" || name == "cpu") return makeCpuBackend(resolved);
  if (name == "all" || name.starts_with("cuda") || name.starts_with("cpu*") || name.find(',') != std::string::npos)
    throw Error(ErrorCode::UnsupportedOp, name, "not in this version. Use --device auto, cpu or reference.");
  throw Error(ErrorCode::InvalidArgument, name, "there is no such device (expected auto, cpu or reference). `strata devices` lists them.");
}

}  // namespace strata
