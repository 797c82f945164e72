// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/target.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "core/interchange/safetensors.h"
#include "tests/support/paths.h"

namespace strata::fuzz {

namespace fs = std::filesystem;

std::string Mutant::put(const std::string& name, const std::string& contents) const {
  const fs::path path = folder / name;
  if (path.parent_path() != folder) fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary)
      .write(contents.data(), static_cast<std::streamsize>(contents.size()));
  return path.string();
}

std::vector<Target> allTargets() {
  std::vector<Target> targets;
  addProjectTargets(targets);
  addWeightsTargets(targets);
  addDataTargets(targets);
  addRunTargets(targets);
  addRunListTargets(targets);
  addEngineTargets(targets);
  addLayerTargets(targets);
  addTraceTargets(targets);
  return targets;
}

std::string bytesOf(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string bytesWritten(const std::function<void(const std::string& path)>& write) {
  const TemporaryFolder folder;
  const fs::path path = folder / "seed";
  write(path.string());
  return bytesOf(path);
}

std::string valuesOf(const Tensor& tensor) { return weightsHash({{"", tensor}}); }

std::string valuesOf(const std::map<std::string, Tensor>& tensors) {
  std::vector<std::string> values;
  for (const auto& [name, tensor] : tensors)
    values.push_back(valuesOf(tensor));
  std::sort(values.begin(), values.end());
  std::string text;
  for (const std::string& each : values)
    text += each + " ";
  return text;
}

}  // namespace strata::fuzz
