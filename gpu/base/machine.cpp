// SPDX-License-Identifier: Apache-2.0
#include "gpu/base/machine.h"

#include <unistd.h>

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>
#include <thread>

namespace strata {
namespace {

std::optional<size_t> numberIn(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  size_t value = 0;
  if (!(file >> text) ||
      std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc())
    // The file does not exist, or contains "max", which means that there is no limit
    return std::nullopt;
  return value;
}

/// Returns the value of a line of /proc/meminfo in bytes, or the maximum if there is no such line.
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

/// Returns the lowest memory limit of this process's control group and its parents.
Limit groupLimit() {
  Limit tightest;
  // Paths are strings here, because the constructor of std::filesystem::path in libstdc++ 12
  // crashes if it runs out of memory.
  const auto climb = [&](const std::string& root, std::string path, const std::string& limitName,
                         const std::string& usedName) {
    while (path.ends_with('/'))
      path.pop_back();
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

/// Returns the number of processors that the control group's quota allows, or a large number if
/// there is no quota.
double quotaProcessors() {
  if (std::ifstream v2("/sys/fs/cgroup/cpu.max"); v2) {
    std::string quota;
    double period = 0;
    if (v2 >> quota >> period && quota != "max" && period > 0)
      return static_cast<double>(std::atol(quota.c_str())) / period;
  }
  std::ifstream quotaFile("/sys/fs/cgroup/cpu/cpu.cfs_quota_us"),
      periodFile("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
  long quota = 0, period = 0;
  if (quotaFile >> quota && periodFile >> period && quota > 0 && period > 0)
    return static_cast<double>(quota) / static_cast<double>(period);
  return 1e9;
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

std::string hostName() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "unknown host";
}

int usableProcessors() {
  static const int count = [] {
    cpu_set_t set;
    CPU_ZERO(&set);
    int result = sched_getaffinity(0, sizeof set, &set) == 0
                     ? CPU_COUNT(&set)
                     : static_cast<int>(std::thread::hardware_concurrency());
    if (const double quota = quotaProcessors(); quota < result)
      result = static_cast<int>(quota + 0.99);
    return std::max(1, result);
  }();
  return count;
}

}  // namespace strata
