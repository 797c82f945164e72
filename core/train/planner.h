// SPDX-License-Identifier: Apache-2.0
// Plans a run with all its parts. Its methods are in three files: planner_memory.cpp plans the
// memory and the layers, planner_times.cpp predicts and measures times, and planner_remedies.cpp
// searches for batches and remedies that fit. Not here: planTraining(), which other code calls
// (plan.h).
// Thread: only one thread may use an object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/check/checked_project.h"
#include "core/cost/calibration_file.h"
#include "core/data/dataset.h"
#include "core/recipe/options.h"
#include "core/train/plan.h"
#include "core/train/planned_step.h"
#include "core/train/step_builder.h"
#include "core/train/trial_steps.h"
#include "gpu/cost/present_speed.h"

namespace strata {

class Planner {
 public:
  /// `options` must outlive the object. Fails with the errors of StepBuilder.
  Planner(const CheckedProject& project, const PlanOptions& options);
  /// Returns the plan. Call this only once. Fails with the same errors as compiling, or with
  /// Stopped.
  TrainingPlan run();

 private:
  /// Measured times of a step without recomputation and of its nodes, in microseconds.
  struct NodeTimes {
    // 0 if the times are not known
    double step = 0;
    // Times by NodeId.index
    std::map<int, double> byNode;
  };
  /// The steps of an update on a full batch. They may be followed by the steps of the smaller last
  /// batch of an epoch.
  struct Update {
    std::vector<KeptMicroBatch> kept;
    // For each element of `kept`, how often it runs in an update on a full batch
    std::vector<int64_t> runs;
    // The steps under the limit, in the order of `kept`
    PlannedStep step;
    // The highest peak of all parts of the run. Only planUpdate() sets it.
    size_t peakBytes = 0;
  };

  /// Throws Stopped if a stop was requested.
  void checkStop() const;

  // Plans memory and layers:
  void planMemory();
  void planParts();
  void addSavings();
  void addReserved();
  void addLayers();
  void addInnerTotals();
  NetworkOptions networkOptions() const;
  Update planUpdate(int64_t samples, int64_t accumulationSteps, Recompute how, bool withLastBatch);
  Update planUpdateOf(size_t part, int64_t samples, int64_t accumulationSteps, Recompute how,
                      bool withLastBatch);
  PlannedStep planStepWithin(size_t limitBytes, const std::vector<KeptMicroBatch>& kept,
                             Recompute how);
  size_t peakOf(Recompute how, size_t limitBytes);
  StepBuilder& stepsOf(size_t part);
  StepBuilder& steps() { return m_held.empty() ? *m_steps : stepsOf(m_part); }
  const Project& project() const { return m_parts[m_part].project; }

  // Predicts and measures times:
  void predict();
  void calibrate();
  StepPrediction predictionOf(const Graph& graph, const MemoryPlan& memory);
  void fillLayers(const LayerTimes& times, std::optional<double> PlanLayer::*ofLayer,
                  std::optional<double> PlanInnerLayer::*ofInner);
  void measure();
  void drawCurve();
  StepTiming trialOf(const NetworkOptions& options);
  double slowdownOf(const PlannedStep& step);
  std::optional<double> keptMicroseconds() const;
  std::optional<double> withSlowdown(double slowdown) const;
  double secondsOf(const Graph& graph, const MemoryPlan& memory);
  double secondsOf(const PlannedStep& step, const std::vector<int64_t>& runs);
  double keptSeconds();
  std::optional<double> scaled(double seconds);

  // Searches for batches and remedies that fit:
  void findBatches();
  void findRemedies();
  std::optional<int64_t> largestBatch(Recompute how);
  void addRecomputeRemedy();
  int64_t addAccumulation(Recompute how, int64_t maxSteps);
  void addBatchRemedy(int64_t batch, Recompute how);
  void addRemedy(const char* what, int64_t value, const Update& update, Recompute how);
  bool setsRecompute(Recompute how) const;

  const PlanOptions& m_options;
  const TrainingOptions m_recipe;
  const DatasetInfo m_data;
  std::vector<RunPart> m_parts;
  // For each part, the state that earlier parts leave to it
  std::vector<std::map<std::string, TensorType>> m_held;
  // For each part, its update
  std::vector<Update> m_updates;
  // Builds the steps of one part at a time. No step is compiled.
  std::optional<StepBuilder> m_steps;
  // The part that m_steps has adopted
  size_t m_adopted = 0;
  // The part that the plan describes
  size_t m_part = 0;
  // The part with the highest peak
  size_t m_peakPart = 0;
  RecomputeOptions m_recompute;
  // The update of m_part
  std::vector<KeptMicroBatch> m_kept;
  std::vector<int64_t> m_runs;
  PlannedStep m_step;
  // For each element of m_kept, its measured times
  std::vector<NodeTimes> m_keptTimes;
  std::optional<StepTiming> m_keptTiming;
  std::optional<Calibration> m_calibration;
  // Whether predict() has found that the device is a simulated card, which has its own clock
  bool m_isSimulated = false;
  PresentSpeed m_speed;
  // The result of keptSeconds(); 0 before its first call
  double m_keptSeconds = 0;
  TrainingPlan m_plan;
};

}  // namespace strata
