// SPDX-License-Identifier: Apache-2.0
// Matrix products by cuBLASLt on the card of the current context.
// Thread: any; calls take turns.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu/cuda/interface.h"

namespace strata::plugin {

class CublasLtPlan;

class CublasLt {
 public:
  /// Returns cuBLASLt for the card of the current context, or null and a problem.
  static std::unique_ptr<CublasLt> forContext(std::string& problem);
  ~CublasLt();
  CublasLt(const CublasLt&) = delete;
  CublasLt& operator=(const CublasLt&) = delete;

  /// Lists up to `max` algorithms for a product, best guess first. Returns false and a problem if
  /// there is none.
  bool algorithms(const StrataLibraryCall& call, size_t max, std::vector<StrataAlgorithm>& list,
                  std::string& problem);
  /// Plans a product with the named algorithm. Null or "" takes the best guess whose workspace is
  /// within the limit. Returns null and a problem if no algorithm fits.
  std::unique_ptr<CublasLtPlan> plan(const StrataLibraryCall& call, const char* name,
                                     size_t workspaceLimit, StrataAlgorithm& chosen,
                                     std::string& problem);
  /// Adds the product to a stream. Returns false and a problem if cuBLASLt refuses.
  bool run(const CublasLtPlan& plan, CUstream stream, const CUdeviceptr* addresses,
           size_t numAddresses, CUdeviceptr workspace, std::string& problem);

 private:
  struct State;
  explicit CublasLt(std::unique_ptr<State> state);
  std::unique_ptr<State> m_state;
};

/// A product with an algorithm.
class CublasLtPlan {
 public:
  struct State;
  explicit CublasLtPlan(std::unique_ptr<State> state);
  ~CublasLtPlan();
  CublasLtPlan(const CublasLtPlan&) = delete;
  CublasLtPlan& operator=(const CublasLtPlan&) = delete;
  const State& state() const { return *m_state; }

 private:
  std::unique_ptr<State> m_state;
};

/// Creates the descriptors of a product and returns what cuBLASLt says that they contain, or "" and
/// a problem. Needs no card.
std::string describeMatmul(const StrataLibraryCall& call, std::string& problem);

}  // namespace strata::plugin
