// SPDX-License-Identifier: Apache-2.0
// The libraries of a simulated card. Calls are computed on the host (host_calls.h).
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "gpu/simulated/driver.h"
#include "gpu/simulated/host_calls.h"

struct StrataPlan {
  std::shared_ptr<const strata::simulated::HostCall> call;
};

namespace strata::simulated {

int addCall(CUstream stream, std::shared_ptr<const HostCall> call, const CUdeviceptr* addresses,
            size_t numAddresses, CUdeviceptr workspace);

namespace {

void describe(const StrataLibraryCall&, StrataAlgorithm& algorithm) {
  std::snprintf(algorithm.name, sizeof algorithm.name, "host");
  algorithm.workspaceBytes = 0;
  algorithm.usesTensorCores = 0;
}

int algorithms(void*, const StrataLibraryCall* call, StrataAlgorithm* list, size_t* count) {
  std::string problem;
  if (!makeHostCall(*call, problem)) {
    setLastError(problem);
    return STRATA_STATUS_INVALID_CALL;
  }
  if (*count > 0) describe(*call, list[0]);
  *count = 1;
  return 0;
}

int plan(void*, const StrataLibraryCall* call, const char*, size_t, StrataPlan** made,
         StrataAlgorithm* chosen) {
  std::string problem;
  std::shared_ptr<const HostCall> host = makeHostCall(*call, problem);
  if (!host) {
    setLastError(problem);
    return STRATA_STATUS_INVALID_CALL;
  }
  *made = new StrataPlan{std::move(host)};
  describe(*call, *chosen);
  return 0;
}

int run(void*, StrataPlan* made, CUstream stream, const CUdeviceptr* addresses, size_t numAddresses,
        CUdeviceptr workspace) {
  return addCall(stream, made->call, addresses, numAddresses, workspace);
}

void destroyPlan(void*, StrataPlan* made) { delete made; }

int compile(void*, const char*, const char*, void**, size_t*) {
  setLastError("simulated cards do not compile kernels yet");
  return STRATA_STATUS_UNSUPPORTED;
}

void freeImage(void*, void*) {}

const char* lastErrorOf(void*) { return lastError(); }

}  // namespace

void fillLibraries(const StrataSimulatedCard&, StrataLibraries& libraries) {
  libraries = {nullptr, algorithms, plan, run, destroyPlan, compile, freeImage, lastErrorOf};
}

}  // namespace strata::simulated
