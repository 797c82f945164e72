// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/plugin/card_libraries.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>

#include "gpu/cuda/plugin/cublaslt.h"
#include "gpu/cuda/plugin/cudnn.h"
#include "gpu/cuda/plugin/cupti.h"
#include "gpu/cuda/plugin/driver_table.h"
#include "gpu/cuda/plugin/find_library.h"
#include "gpu/cuda/plugin/nccl.h"
#include "gpu/cuda/plugin/nvrtc.h"
#include "gpu/cuda/plugin/plan.h"

namespace strata::plugin {
namespace {

struct CudnnCall final : StrataPlan {
  std::unique_ptr<CudnnPlan> plan;
};
struct CublasLtCall final : StrataPlan {
  std::unique_ptr<CublasLtPlan> plan;
};

// Never destroyed, because cards are closed when the program ends
thread_local std::string& lastErrorText = *new std::string;

int fail(int status, const std::string& text) {
  lastErrorText = text;
  return status;
}

/// The libraries of one card. Their handles belong to the primary context, which is current.
class CardLibraries {
 public:
  explicit CardLibraries(int architecture) : m_architecture(architecture) {}
  int architecture() const { return m_architecture; }
  /// Returns NVRTC with its version and the architecture, or null if it is not installed.
  const char* compiler() {
    const std::lock_guard lock(m_mutex);
    const std::string name = m_compiler.empty() ? compilerName() : std::string();
    if (!name.empty()) m_compiler = name + " sm_" + std::to_string(m_architecture);
    return m_compiler.empty() ? nullptr : m_compiler.c_str();
  }
  /// Returns the library, or null and a problem. The first call opens it.
  Cudnn* cudnn(std::string& problem) {
    // cuDNN opens these by their names, which it finds only if they are open already
    for (const Library other : {Library::CublasLt, Library::Nvrtc})
      findLibrary(other);
    return opened(m_cudnn, problem);
  }
  CublasLt* cublasLt(std::string& problem) { return opened(m_cublasLt, problem); }

 private:
  template <class L>
  L* opened(std::unique_ptr<L>& library, std::string& problem) {
    const std::lock_guard lock(m_mutex);
    if (!library) library = L::forContext(problem);
    return library.get();
  }
  int m_architecture;
  std::string m_compiler;
  std::mutex m_mutex;
  std::unique_ptr<Cudnn> m_cudnn;
  std::unique_ptr<CublasLt> m_cublasLt;
};

CardLibraries& of(void* self) { return *static_cast<CardLibraries*>(self); }

int algorithms(void* self, const StrataLibraryCall* call, StrataAlgorithm* list, size_t* count) {
  std::string problem;
  std::vector<StrataAlgorithm> found;
  bool isDone = false;
  if (call->kind == STRATA_CALL_MATMUL) {
    CublasLt* library = of(self).cublasLt(problem);
    if (!library) return fail(STRATA_STATUS_MISSING_LIBRARY, problem);
    isDone = library->algorithms(*call, *count, found, problem);
  }
  else {
    Cudnn* library = of(self).cudnn(problem);
    if (!library) return fail(STRATA_STATUS_MISSING_LIBRARY, problem);
    isDone = library->algorithms(*call, *count, found, problem);
  }
  if (!isDone) return fail(STRATA_STATUS_UNSUPPORTED, problem);
  std::copy(found.begin(), found.end(), list);
  *count = found.size();
  return 0;
}

int plan(void* self, const StrataLibraryCall* call, const char* algorithm, size_t workspaceLimit,
         StrataPlan** made, StrataAlgorithm* chosen) {
  std::string problem;
  if (call->kind == STRATA_CALL_MATMUL) {
    CublasLt* library = of(self).cublasLt(problem);
    if (!library) return fail(STRATA_STATUS_MISSING_LIBRARY, problem);
    auto result = std::make_unique<CublasLtCall>();
    result->plan = library->plan(*call, algorithm, workspaceLimit, *chosen, problem);
    if (!result->plan) return fail(STRATA_STATUS_UNSUPPORTED, problem);
    *made = result.release();
    return 0;
  }
  Cudnn* library = of(self).cudnn(problem);
  if (!library) return fail(STRATA_STATUS_MISSING_LIBRARY, problem);
  auto result = std::make_unique<CudnnCall>();
  // The names of engines say all, so they have no data
  const std::string name(
      algorithm ? std::string_view(algorithm).substr(0, std::string_view(algorithm).find('#'))
                : std::string_view());
  result->plan = library->plan(*call, name.c_str(), workspaceLimit, *chosen, problem);
  if (!result->plan)
    return fail(
        chosen->workspaceBytes > 0 ? STRATA_STATUS_WORKSPACE_LIMIT : STRATA_STATUS_UNSUPPORTED,
        problem);
  *made = result.release();
  return 0;
}

int run(void* self, StrataPlan* planned, CUstream stream, const CUdeviceptr* addresses,
        size_t numAddresses, CUdeviceptr workspace) {
  std::string problem;
  bool isDone = false;
  if (const auto* matmul = dynamic_cast<const CublasLtCall*>(planned)) {
    CublasLt* library = of(self).cublasLt(problem);
    isDone =
        library && library->run(*matmul->plan, stream, addresses, numAddresses, workspace, problem);
  }
  else if (const auto* call = dynamic_cast<const CudnnCall*>(planned)) {
    Cudnn* library = of(self).cudnn(problem);
    isDone =
        library && library->run(*call->plan, stream, addresses, numAddresses, workspace, problem);
  }
  return isDone ? 0 : fail(STRATA_STATUS_LIBRARY_FAILED, problem);
}

void destroyPlan(void*, StrataPlan* planned) { delete planned; }

const char* compiler(void* self) { return of(self).compiler(); }

int compile(void* self, const char* text, const char* name, void** image, size_t* bytes) {
  std::string problem;
  const std::vector<char> compiled = compileText(text, name, of(self).architecture(), problem);
  if (compiled.empty()) return fail(STRATA_STATUS_LIBRARY_FAILED, problem);
  *image = std::malloc(compiled.size());
  if (!*image) return fail(STRATA_STATUS_LIBRARY_FAILED, "no memory for a compiled kernel");
  std::memcpy(*image, compiled.data(), compiled.size());
  *bytes = compiled.size();
  return 0;
}

void freeImage(void*, void* image) { std::free(image); }

const char* lastError(void*) { return lastErrorText.c_str(); }

}  // namespace

int openRealCard(int32_t ordinal, StrataCardTables& tables, std::string& problem) {
  const StrataDriverTable* driver = driverTable(problem);
  if (!driver) return STRATA_STATUS_MISSING_LIBRARY;
  CUdevice device = 0;
  int major = 0, minor = 0;
  if (driver->deviceGet(&device, ordinal) != 0 ||
      driver->deviceGetAttribute(&major, STRATA_CUDA_MAJOR, device) != 0 ||
      driver->deviceGetAttribute(&minor, STRATA_CUDA_MINOR, device) != 0) {
    problem = "there is no GPU with the number " + std::to_string(ordinal);
    return STRATA_CUDA_INVALID_DEVICE;
  }
  // Handles of libraries are never destroyed: at the end of a program the driver may be gone first
  static std::mutex mutex;
  static auto& cards = *new std::map<int32_t, std::unique_ptr<CardLibraries>>;
  const std::lock_guard lock(mutex);
  auto& libraries = cards[ordinal];
  if (!libraries) libraries = std::make_unique<CardLibraries>(10 * major + minor);
  tables.driver = *driver;
  tables.libraries = {libraries.get(), algorithms, plan,      run,      destroyPlan,
                      compiler,        compile,    freeImage, lastError};
  tables.annotate = annotateForCupti;
  tables.recorder = cuptiRecorder();
  tables.collectives = ncclCollectives();
  tables.ordinal = ordinal;
  return 0;
}

}  // namespace strata::plugin
