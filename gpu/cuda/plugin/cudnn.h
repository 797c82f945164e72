// SPDX-License-Identifier: Apache-2.0
// cuDNN for one card: lists its engines for a convolution or attention call, plans the call with
// one of them, and runs it. The card is that of the current context, or one that is only described:
// for it, engines and workspaces are known, but nothing runs.
// Not here: the graphs (cudnn_graph.h).
// Thread: any; calls take turns.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu/cuda/interface.h"

namespace strata::plugin {

class CudnnPlan;

class Cudnn {
 public:
  /// Returns cuDNN for the card of the current context, or null and a problem.
  static std::unique_ptr<Cudnn> forContext(std::string& problem);
  /// Returns cuDNN for a card that this text describes (CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION),
  /// or null and a problem. Needs neither a card nor a driver. Engines that cuDNN compiles are only
  /// compiled if `compiles`, which needs a driver or the shim (driver_shim.h); otherwise cuDNN's
  /// figures for the engine are taken.
  static std::unique_ptr<Cudnn> forDescription(const std::string& properties, bool compiles,
                                               std::string& problem);
  ~Cudnn();
  Cudnn(const Cudnn&) = delete;
  Cudnn& operator=(const Cudnn&) = delete;

  /// Lists up to `max` engines for a call, best guess first. Returns false and a problem if the
  /// call is invalid or no engine supports it.
  bool algorithms(const StrataLibraryCall& call, size_t max, std::vector<StrataAlgorithm>& list,
                  std::string& problem);
  /// Plans a call with the named engine. Null or "" takes the first one whose workspace is within
  /// the limit. Returns null and a problem if no engine fits. `chosen` then has the smallest
  /// workspace if only the limit prevents a plan, otherwise 0 bytes.
  std::unique_ptr<CudnnPlan> plan(const StrataLibraryCall& call, const char* name,
                                  size_t workspaceLimit, StrataAlgorithm& chosen,
                                  std::string& problem);
  /// Adds the call to a stream. Returns false and a problem if cuDNN refuses. Only forContext().
  bool run(const CudnnPlan& plan, CUstream stream, const CUdeviceptr* addresses,
           size_t numAddresses, CUdeviceptr workspace, std::string& problem);

 private:
  struct State;
  explicit Cudnn(std::unique_ptr<State> state);
  std::unique_ptr<State> m_state;
};

/// A call with an engine.
class CudnnPlan {
 public:
  struct State;
  explicit CudnnPlan(std::unique_ptr<State> state);
  ~CudnnPlan();
  CudnnPlan(const CudnnPlan&) = delete;
  CudnnPlan& operator=(const CudnnPlan&) = delete;
  const State& state() const { return *m_state; }

 private:
  std::unique_ptr<State> m_state;
};

}  // namespace strata::plugin
