// SPDX-License-Identifier: Apache-2.0
// Builds the steps of a network as graphs for one device, before memory is allocated. Plans and
// pass traces need only the graphs. Not here: programs that run them (network.h).
// Thread: only one thread at a time may use an object.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/check/checked_project.h"
#include "core/compile/compile.h"
#include "core/compile/cut_step.h"
#include "core/compile/join_pieces.h"
#include "core/compile/placement.h"
#include "core/train/micro_batches.h"
#include "gpu/devices/device_name.h"
#include "gpu/exec/device.h"
#include "gpu/exec/kernel_choices.h"
#include "gpu/exec/replica_group.h"

namespace strata {

struct NetworkOptions {
  // Name of the device; "" for the project's device
  std::string device;
  int threads = 0;
  int niceness = 0;
  // Batch size; absent to use the project's batch size, up to `maxBatch`
  std::optional<int64_t> batchSize;
  // Maximum batch size, which is the number of samples in the data
  int64_t maxBatch = INT64_MAX;
  // Bytes of the available memory to reserve for samples that are not loaded yet
  size_t dataBytes = 0;
  // These members override values of the project; absent to use the project's values.
  std::optional<size_t> memoryLimitBytes;
  std::optional<Recompute> recompute;
  std::optional<int64_t> accumulationSteps;
  // Weight of each class, if the project's weights depend on the data; otherwise empty
  std::vector<double> classWeights = {};
  /// Whether to time kernels that were not timed on this machine yet. This takes a fraction of a
  /// second.
  bool measuresKernels = false;
  /// A stop request ends compiling, which then fails with Stopped. It has no effect after
  /// Network::prepare() has returned.
  std::stop_token stop;
  /// The processes of the run, each with the same devices; null if there is only one. The link must
  /// outlive the network.
  ProcessLink* link = nullptr;
  /// Whether one device computes the whole network, whatever the strategy of the project is.
  bool isAlone = false;
  /// For plans: builds the steps of one of so many processes with a replica each, without the
  /// others.
  int plannedProcesses = 1;
  /// The kernel choices of a continued run, which must not change.
  std::optional<KernelVariants> variants;
};

/// Subject of the error for a step that exceeds the memory limit.
constexpr const char* kMemoryLimit = "memory_limit";

/// Callbacks while the graph of a step is built. An exception ends the construction. A large step
/// may be built twice, starting again at its first stage.
struct StepHooks {
  std::function<void(Stage, const Graph&)> onStage;
  std::function<void(const Graph&, const PassReport&)> onPass;
  // Times of nodes for the reports of passes; empty to use the cost rule of each op
  NodeSeconds seconds = {};
  // The replica whose step it is. The steps of replicas differ if they divide the optimizer state.
  int rank = 0;
};

class StepBuilder {
 public:
  /// Opens the device. Fails with InvalidProject and the first problem, or with the errors of
  /// openDevice.
  StepBuilder(const CheckedProject& project, const NetworkOptions& options);
  ~StepBuilder();
  StepBuilder(const StepBuilder&) = delete;
  StepBuilder& operator=(const StepBuilder&) = delete;

  const Project& project() const { return m_project; }
  const Model& model() const { return m_model; }
  const TrainingOptions& training() const { return m_training; }
  const ExecutionOptions& execution() const { return m_execution; }
  /// Returns the device of the first replica. All replicas have equal devices.
  Device& device() const { return *m_devices.front(); }
  std::span<const std::unique_ptr<Device>> devices() const { return m_devices; }
  /// Returns the number of replicas in all processes.
  int numReplicas() const {
    return m_group && !m_placement && !isStale() ? m_group->numReplicas() : 1;
  }
  /// Returns why values go from card to card through the memory of the machine, as the rest of a
  /// sentence; empty if they do not.
  const std::string& detour() const { return m_detour; }
  /// Returns the device of the parameter server, or null if the strategy has none.
  Device* server() const { return m_server.get(); }
  /// Returns whether each worker of a parameter server computes whole batches, with weights that
  /// may be some updates old.
  bool isStale() const { return m_server && m_execution.staleness > 0; }
  /// Returns how many updates are computed at the same time, with the same weights.
  int updatesAtOnce() const {
    return isStale() ? static_cast<int>(
                           std::min<int64_t>(m_execution.staleness + 1, std::ssize(m_devices)))
                     : 1;
  }
  /// Returns the step of the parameter server for workers with this step.
  StepGraph serverStep(const StepGraph& worker) const;
  /// Returns where the layers are, or null if each device computes all of them.
  const Placement* placement() const { return m_placement ? &*m_placement : nullptr; }
  /// Returns the group of the devices, or null if there is only one in all processes.
  ReplicaGroup* group() const { return m_group.get(); }
  /// Returns the micro-batches whose programs an update on this many samples needs.
  std::vector<MicroBatch> compiledPiecesOf(int64_t samples) const;
  /// Returns the name of the devices of this process: that of the only one, or one such as "cpu*4".
  std::string deviceName() const;
  KernelChooser& kernels() { return *m_chooser; }
  const KernelChooser& kernels() const { return *m_chooser; }
  int64_t batchSize() const { return m_batchSize; }
  /// Returns the different batch sizes in an epoch of `count` samples.
  std::vector<int64_t> batchesOf(int64_t count) const;
  /// Returns the micro-batches of an update on this many samples that this process computes: the
  /// first one of each device in the order of their ranks, which run at the same time, then the
  /// second ones, and so on. Devices that compute a network together have the same micro-batches.
  /// Fails: InvalidProject if there are fewer samples than replicas.
  std::vector<MicroBatch> microBatchesOf(int64_t samples) const;
  /// Returns whether replicas divide the state of the optimizer.
  bool isSharded() const {
    return m_execution.isOptimizerSharded && numReplicas() > 1 && !m_server;
  }
  /// Returns whether micro-batches follow each other from device to device.
  bool isPipeline() const { return m_placement && m_execution.strategy == Strategy::Pipeline; }
  /// Returns the micro-batches that one step computes: several in a pipeline.
  std::vector<MicroBatch> joinedPieces(int64_t samples) const;
  /// Returns whether a batch is divided into micro-batches.
  bool isDivided() const { return numReplicas() > 1 || m_training.accumulationSteps > 1; }
  /// Returns the number of samples in the largest micro-batch of the first replica, which evaluates
  /// at most as many at once.
  int64_t evaluatedSamples() const;
  /// Divides an evaluation of this many samples about as an update.
  std::vector<MicroBatch> evaluatedPiecesOf(int64_t samples) const;

  /// Returns the limit that steps are planned for: the project's limit, or the memory that was
  /// available when the object was created.
  size_t memoryLimitBytes() const { return m_limitBytes; }
  /// Lowers the limit during the lifetime of the object.
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

  /// Returns the graph of a step after the passes.
  StepGraph stepGraph(StepMode mode, int64_t samples, MicroStep microStep = MicroStep::Whole,
                      const StepHooks& hooks = {}) const;
  /// Returns the graph of a step with these recompute options instead of the project's.
  StepGraph stepGraph(StepMode mode, int64_t samples, const RecomputeOptions& recompute,
                      MicroStep microStep = MicroStep::Whole, const StepHooks& hooks = {}) const;
  /// Returns the recompute options of the project, with the workspaces of the device's kernels.
  RecomputeOptions recomputeOptions() const;
  bool isPassDisabled(std::string_view pass) const {
    return m_execution.disabledPasses.contains(pass);
  }

  /// Replaces the project for all later steps, which may have other frozen layers, optimizer
  /// settings or layer settings. Fails: InvalidProject.
  void adopt(const CheckedProject& changed);
  /// Undoes adopt() and hold() when destroyed.
  class KeptDesign;
  /// Sets the names and types of the state that an earlier stage left. Later steps reserve memory
  /// for this state.
  void hold(std::map<std::string, TensorType> state) { m_held = std::move(state); }
  const std::map<std::string, TensorType>& held() const { return m_held; }
  /// Adds the variables of `graph` to held(). If it is the graph of the updating micro-batch, the
  /// other micro-batches then reserve the state that the update needs.
  void holdVariablesOf(const Graph& graph);
  /// Fails: InvalidProject if a layer has no op with algorithms for which a user has chosen one.
  void requirePinnedOps(const Graph& graph) const;
  /// Ends the preparation. Compiling can no longer be stopped, and kernels are no longer timed.
  void endPreparation();

 private:
  size_t freeBytes(const DatasetInfo& data, size_t dataBytes) const;
  StepGraph pieceGraph(StepMode mode, int64_t samples, const RecomputeOptions& recompute,
                       MicroStep microStep, const StepHooks& hooks) const;
  StepGraph joinedGraph(const std::vector<MicroBatch>& pieces, const RecomputeOptions& recompute,
                        const StepHooks& hooks) const;
  bool missesLimit(const StepGraph& step, size_t limitBytes) const;
  void knowTimes(bool measures);
  MicroStep stepOf(const MicroBatch& piece) const;
  StepOptions passOptions() const;
  std::map<std::string, TensorType> heldBy(int rank) const;
  void placeLayers();
  void openDevices(const std::string& name, DeviceOptions options, ProcessLink* link);
  void openCardOfProcess(const DeviceName& name, DeviceOptions options, ProcessLink& link);
  Project m_project;
  Model m_model;
  TrainingOptions m_training;
  ExecutionOptions m_execution;
  size_t m_limitBytes = 0;
  const int m_plannedProcesses = 1;
  std::string m_detour;
  // Null with one device
  std::unique_ptr<ReplicaGroup> m_group;
  std::optional<Placement> m_placement;
  // One for each replica of this process
  std::vector<std::unique_ptr<Device>> m_devices;
  std::unique_ptr<Device> m_server;
  std::unique_ptr<KernelChooser> m_chooser;
  // Whether the first step for training was checked for the ops of pinned algorithms
  mutable bool m_hasCheckedPins = false;
  std::map<std::string, TensorType> m_held;
  // The state of the optimizer that replicas divide
  mutable std::map<std::string, VariableRequest> m_shards;
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
