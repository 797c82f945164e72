// SPDX-License-Identifier: Apache-2.0
#include "gpu/base/debug.h"

#include <algorithm>
#include <cstdlib>

namespace strata {

std::optional<std::string> environmentVariable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return std::string(value);
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
