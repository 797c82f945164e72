// SPDX-License-Identifier: Apache-2.0
// A simulated card for tests of the engine. Tests of cards are skipped, and say so, where Strata
// was built without the CUDA Toolkit.
#pragma once

#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>

#include "gpu/cuda/cuda_device.h"
#include "gpu/cuda/plugin.h"
#include "gpu/devices/devices.h"
#include "tests/support/paths.h"
#include "tests/support/skip.h"

namespace strata::test {

inline CardData testCard(const std::string& name = "test card") {
  CardData card;
  card.name = name;
  card.major = 9;
  card.minor = 0;
  card.cores = 16896;
  card.megahertz = 1980;
  card.memoryBytes = size_t{8} << 30;
  card.bytesPerSecond = 3.35e12;
  card.flopsPerSecond = {67e12, 495e12, 989e12, 989e12};
  return card;
}

/// Returns a device on the card, or null if this build has no plug-in. STRATA_TEST_DEVICE=cuda:0
/// takes a real card instead.
inline std::unique_ptr<Device> openTestCard(int threads = 2) {
  if (!canRun(cuda::pluginProblem())) return nullptr;
  DeviceOptions options;
  options.threads = threads;
  if (const char* chosen = std::getenv("STRATA_TEST_DEVICE")) return openDevice(chosen, options);
  return makeSimulatedDevice(testCard(), options);
}

/// Returns a device on a card that no other test uses, so that its faults do no harm.
inline std::unique_ptr<Device> openNewTestCard(size_t memoryBytes = size_t{1} << 30) {
  static int number = 0;
  if (!canRun(cuda::pluginProblem())) return nullptr;
  CardData card = testCard("test card " + std::to_string(++number));
  card.memoryBytes = memoryBytes;
  DeviceOptions options;
  options.threads = 1;
  return makeSimulatedDevice(card, options);
}

/// Returns a device on a card that cuDNN knows, or null where cuDNN or the plug-in is missing.
inline std::unique_ptr<Device> openKnownCard(const std::string& name,
                                             const std::string& file = "h100.json") {
  if (!canRun(cuda::pluginProblem())) return nullptr;
  CardData card = testCard(name);
  std::stringstream properties;
  properties << std::ifstream(sourceDir() / "resources" / "cudnn-devices" / file).rdbuf();
  card.cudnnProperties = properties.str();
  DeviceOptions options;
  options.threads = 1;
  auto device = makeSimulatedDevice(card, options);
  for (const auto& [what, version] : device->versions())
    if (what == "cuDNN" && !version.empty()) return device;
  canRun("cuDNN is not installed");
  return nullptr;
}

/// Returns a device on a simulated card that refuses matrix products: STRATA_REFUSED_...
inline std::unique_ptr<Device> openRefusingCard(const std::string& name, int refused) {
  if (!canRun(cuda::pluginProblem())) return nullptr;
  setenv("STRATA_SIMULATED_REFUSAL", std::to_string(refused).c_str(), 1);
  auto device = makeSimulatedDevice(testCard(name + " " + std::to_string(refused)), {.threads = 2});
  unsetenv("STRATA_SIMULATED_REFUSAL");
  return device;
}

inline cuda::Card& cardOf(Device& device) {
  return *dynamic_cast<cuda::CudaDevice&>(device).card();
}

}  // namespace strata::test
