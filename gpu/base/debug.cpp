// SPDX-License-Identifier: Apache-2.0
#include "gpu/base/debug.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace strata {

std::optional<std::string> environmentVariable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return std::string(value);
}

/// Reads a text such as "slow:1:20".
static ReplicaFault replicaFaultOf(const std::string& text) {
  constexpr std::pair<const char*, ReplicaFault::Kind> kKinds[] = {
      {"throws:", ReplicaFault::Kind::Throws},
      {"slow:", ReplicaFault::Kind::Slow},
      {"flip:", ReplicaFault::Kind::Flip},
      {"exits:", ReplicaFault::Kind::Exits},
      {"drop:", ReplicaFault::Kind::Drop}};
  ReplicaFault fault;
  for (const auto& [name, kind] : kKinds) {
    if (!text.starts_with(name)) continue;
    char* end = nullptr;
    fault.kind = kind;
    fault.rank = static_cast<int>(std::strtol(text.c_str() + std::strlen(name), &end, 10));
    fault.step = *end == ':' ? std::strtoll(end + 1, nullptr, 10) : 0;
  }
  return fault;
}

DebugSettings readDebugSettings() {
  DebugSettings settings;
  const auto isOn = [](const char* name) {
    const auto value = environmentVariable(name);
    return value && *value != "0";
  };
  settings.isVerbose = isOn("STRATA_DEBUG");
  settings.verifies = isOn("STRATA_VERIFY");
  if (const auto fault = environmentVariable("STRATA_SIMULATED_FAULT")) {
    char* end = nullptr;
    settings.failingCall = std::strtoll(fault->c_str(), &end, 10);
    settings.failure = *end == ':' ? std::atoi(end + 1) : 0;
  }
  if (const auto fault = environmentVariable("STRATA_REPLICA_FAULT"))
    settings.replicaFault = replicaFaultOf(*fault);
  settings.skipsCapture = isOn("STRATA_SKIP_CAPTURE");
  settings.dumpFolder = environmentVariable("STRATA_DUMP_GRAPH").value_or("");
  const std::string skipped = environmentVariable("STRATA_SKIP_PASS").value_or("");
  for (size_t begin = 0; begin < skipped.size();) {
    const size_t end = std::min(skipped.find(',', begin), skipped.size());
    if (end > begin) settings.skippedPasses.insert(skipped.substr(begin, end - begin));
    begin = end + 1;
  }
  return settings;
}

const DebugSettings& debugSettings() {
  static const DebugSettings settings = readDebugSettings();
  return settings;
}

}  // namespace strata
