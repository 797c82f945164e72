// SPDX-License-Identifier: Apache-2.0
// The steps of a network as graphs for one device: what is compiled, planned and told of, before
// anything is allocated. A Network (network.h) makes programs of them; plans and stories of passes
// need no more than this.
// Thread: one thread at a time.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/check/checked_project.h"
#include "core/compile/compile.h"
#include "gpu/exec/backend.h"
#include "gpu/exec/kernel_choices.h"

namespace strata {

struct NetworkOptions {
  // "" : the project's
  std::string device;
  int threads = 0;
  int niceness = 0;
  // Else the project's; at most `mostBatch`
  std::optional<int64_t> batchSize;
  // Samples there are
  int64_t mostBatch = INT64_MAX;
  // What samples not in memory yet will take of what is available
  size_t dataBytes = 0;
  // These two: else the project's
  std::optional<size_t> memoryLimitBytes;
  std::optional<Recompute> recompute;
  std::optional<int64_t> accumulationSteps;
  /// Kernels that nothing is known of on this machine yet are timed, for a fraction of a second.
  bool measuresKernels = false;
  /// Of compiling: looked at until Network::prepare() is done. Fails: Stopped.
  std::stop_token stop;
  /// Of a run that is continued: no other.
  std::optional<KernelWays> ways;
};

/// Subject of the error where a step does not fit.
constexpr const char* kMemoryLimit = "memory_limit";

/// A piece of an update: where it lies in the batch.
struct MicroBatch {
  int64_t offset = 0, samples = 0;
  MicroStep step = MicroStep::Whole;
};

/// An update on `samples` samples in so many pieces, smaller ones first; in fewer where there are
/// not as many samples.
std::vector<MicroBatch> microBatches(int64_t samples, int64_t pieces);

/// What is told while a step's graph is made; what they throw ends the making. A step may be made a
/// second time, from its first stage on, where it turns out to be large.
struct StepHooks {
  std::function<void(Stage, const Graph&)> onStage;
  std::function<void(const Graph&, const PassReport&)> onPass;
  // In the reports of passes; empty: each op's cost rule
  NodeSeconds seconds = {};
};

class StepBuilder {
 public:
  /// Opens the device. Fails: InvalidProject with the first problem; as openDevice.
  StepBuilder(const CheckedProject& project, const NetworkOptions& options);
  ~StepBuilder();
  StepBuilder(const StepBuilder&) = delete;
  StepBuilder& operator=(const StepBuilder&) = delete;

  const Project& project() const { return m_project; }
  const Model& model() const { return m_model; }
  const TrainingOptions& training() const { return m_training; }
  const ExecutionOptions& execution() const { return m_execution; }
  Backend& backend() const { return *m_backend; }
  KernelChooser& kernels() { return *m_chooser; }
  const KernelChooser& kernels() const { return *m_chooser; }
  int64_t batchSize() const { return m_batchSize; }
  /// Numbers of samples in the batches that `count` samples make.
  std::vector<int64_t> batchesOf(int64_t count) const;
  std::vector<MicroBatch> microBatchesOf(int64_t samples) const {
    return microBatches(samples, m_training.accumulationSteps);
  }

  /// The limit that steps are planned for: the project's, else what was available when this was
  /// made.
  size_t memoryLimitBytes() const { return m_limitBytes; }
  /// Steps are planned for less while this lives.
  class LowerLimit {
   public:
    LowerLimit(StepBuilder& steps, size_t bytes) : m_limit(steps.m_limitBytes), m_before(m_limit) {
      m_limit = bytes;
    }
    ~LowerLimit() { m_limit = m_before; }
    LowerLimit(const LowerLimit&) = delete;
    LowerLimit& operator=(const LowerLimit&) = delete;

   private:
    size_t& m_limit;
    const size_t m_before;
  };

  /// The graph of a step, after the passes.
  StepGraph stepGraph(StepMode mode, int64_t samples, MicroStep microStep = MicroStep::Whole,
                      const StepHooks& hooks = {}) const;
  /// The same with another way to recompute than the project's.
  StepGraph stepGraph(StepMode mode, int64_t samples, const RecomputeOptions& recompute,
                      MicroStep microStep = MicroStep::Whole, const StepHooks& hooks = {}) const;
  /// How steps recompute, with the workspaces of the device's kernels.
  RecomputeOptions recomputeOptions() const;
  bool isPassDisabled(std::string_view pass) const {
    return m_execution.disabledPasses.contains(pass);
  }

  /// Steps are from now on as this copy of the project says: other layers frozen, other settings of
  /// the optimizer or of layers. Fails: InvalidProject.
  void adopt(const CheckedProject& changed);
  /// adopt() holds while this lives.
  class KeptDesign;
  /// State that layers of an earlier stage left, by name: steps that do not use it plan for it.
  void hold(std::map<std::string, TensorType> state) { m_held = std::move(state); }
  const std::map<std::string, TensorType>& held() const { return m_held; }
  /// The other micro-batches reserve the state that the updating one needs.
  void holdVariablesOf(const Graph& graph);
  /// Nothing stops compiling any more, and no kernel is timed.
  void endPreparation();

 private:
  Project m_project;
  Model m_model;
  TrainingOptions m_training;
  ExecutionOptions m_execution;
  size_t m_limitBytes = 0;
  std::unique_ptr<Backend> m_backend;
  std::unique_ptr<KernelChooser> m_chooser;
  std::map<std::string, TensorType> m_held;
  std::stop_token m_stop;
  int64_t m_batchSize = 1;
};

class StepBuilder::KeptDesign {
 public:
  explicit KeptDesign(StepBuilder& steps)
      : m_steps(steps),
        m_model(steps.m_model),
        m_optimizer(steps.m_training.optimizer),
        m_held(steps.m_held) {}
  ~KeptDesign() {
    m_steps.m_model = std::move(m_model);
    m_steps.m_training.optimizer = std::move(m_optimizer);
    m_steps.m_held = std::move(m_held);
  }
  KeptDesign(const KeptDesign&) = delete;
  KeptDesign& operator=(const KeptDesign&) = delete;

 private:
  StepBuilder& m_steps;
  Model m_model;
  TypedFields m_optimizer;
  std::map<std::string, TensorType> m_held;
};

}  // namespace strata
