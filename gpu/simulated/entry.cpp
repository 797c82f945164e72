// SPDX-License-Identifier: Apache-2.0
// The entry of the plug-in (interface.h).
#include "gpu/cuda/interface.h"
#include "gpu/simulated/driver.h"
#include "gpu/cuda/emulation/emulation.h"

namespace {

const char* kernelParameters(const char* name) {
  const strata::emulated::Kernel* kernel = strata::emulated::findKernel(name);
  return kernel ? kernel->parameters : nullptr;
}

int openCard(int32_t, StrataCardTables*) { return STRATA_STATUS_MISSING_LIBRARY; }
size_t libraries(StrataLibraryState*, size_t) { return 0; }
const StrataDriverTable* driver(const char** reason) {
  *reason = "not in this version";
  return nullptr;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const StrataCudaPlugin* strataCudaPlugin() {
  static const StrataCudaPlugin plugin = {
      STRATA_CUDA_INTERFACE,
      STRATA_CUDA_ARCHITECTURES,
      kernelParameters,
      nullptr,
      0,
      openCard,
      strata::simulated::openSimulated,
      strata::simulated::simulatedCalls,
      strata::simulated::setSimulatedFault,
      libraries,
      driver,
      strata::simulated::lastError,
  };
  return &plugin;
}
