// SPDX-License-Identifier: Apache-2.0
// The entry of the plug-in (interface.h).
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "gpu/cuda/emulation/emulation.h"
#include "gpu/cuda/interface.h"
#include "gpu/cuda/plugin/card_libraries.h"
#include "gpu/cuda/plugin/cublaslt.h"
#include "gpu/cuda/plugin/cupti.h"
#include "gpu/cuda/plugin/driver_table.h"
#include "gpu/cuda/plugin/find_library.h"
#include "gpu/cuda/plugin/images.h"
#include "gpu/cuda/plugin/nvrtc.h"
#include "gpu/simulated/driver.h"
#include "gpu/simulated/last_error.h"

namespace strata::plugin {
namespace {

// Why the last function on this thread failed, if it was none of a simulated card
// Never destroyed, because cards are closed when the program ends
thread_local std::string& lastErrorText = *new std::string;

const char* kernelParameters(const char* name) {
  const emulated::Kernel* kernel = emulated::findKernel(name);
  return kernel ? kernel->parameters : nullptr;
}

int openCard(int32_t ordinal, StrataCardTables* tables) {
  lastErrorText.clear();
  return openRealCard(ordinal, *tables, lastErrorText);
}

int openSimulated(const StrataSimulatedCard* card, StrataCardTables* tables) {
  lastErrorText.clear();
  return simulated::openSimulated(card, tables);
}

const StrataDriverTable* driver(const char** reason) {
  static thread_local std::string text;
  const StrataDriverTable* result = driverTable(text);
  *reason = text.c_str();
  return result;
}

int compileFor(int32_t architecture, const char* text, const char* name, void** image,
               size_t* bytes) {
  lastErrorText.clear();
  const std::vector<char> compiled = compileText(text, name, architecture, lastErrorText);
  if (compiled.empty()) return STRATA_STATUS_LIBRARY_FAILED;
  *image = std::malloc(compiled.size());
  if (!*image) return STRATA_STATUS_LIBRARY_FAILED;
  std::memcpy(*image, compiled.data(), compiled.size());
  *bytes = compiled.size();
  return 0;
}

void freeImage(void* image) { std::free(image); }

int describeCall(const StrataLibraryCall* call, char* text, size_t size) {
  lastErrorText = "only matrix products have a description";
  if (call->kind != STRATA_CALL_MATMUL) return STRATA_STATUS_UNSUPPORTED;
  const std::string description = describeMatmul(*call, lastErrorText);
  if (description.empty()) return STRATA_STATUS_LIBRARY_FAILED;
  std::snprintf(text, size, "%s", description.c_str());
  return 0;
}

const char* lastError() {
  return lastErrorText.empty() ? simulated::lastError() : lastErrorText.c_str();
}

}  // namespace
}  // namespace strata::plugin

extern "C" __attribute__((visibility("default"))) const StrataCudaPlugin* strataCudaPlugin() {
  using namespace strata;
  static const StrataCudaPlugin plugin = {
      STRATA_CUDA_INTERFACE,     plugin::kernelArchitectures, plugin::kernelParameters,
      plugin::kernelImages,      plugin::numKernelImages,     plugin::openCard,
      plugin::openSimulated,     simulated::simulatedCalls,   simulated::setSimulatedFault,
      simulated::simulatedState, plugin::listLibraries,       plugin::driver,
      plugin::compileFor,        plugin::freeImage,           plugin::describeCall,
      plugin::cuptiRecorder,     plugin::lastError,
  };
  return &plugin;
}
