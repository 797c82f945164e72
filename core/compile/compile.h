// SPDX-License-Identifier: Apache-2.0
// Project -> Model -> Graph (lowered, differentiated, optimized) -> Program. Each arrow is a free
// function that can be called, printed and tested alone.
// Thread: pure functions; compileStep uses the backend given.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/model/model.h"
#include "core/recipe/metrics.h"
#include "core/recipe/options.h"
#include "gpu/exec/program.h"
#include "gpu/passes/pass.h"

namespace strata {

enum class Stage : uint8_t { Lowered, Differentiated, Optimized, Planned };

/// Which piece of an update a training step is. Gradients (and what replaces moving statistics) of
/// all but the last are summed in variables "<variable>:sum", each weighed by the input "share"
/// f32[], its part of the batch; the last adds its own and updates the weights.
enum class MicroStep : uint8_t { Whole, First, Middle, Last };

/// One of the Input layers, or of the targets, in a step's graph.
struct StepEnd {
  // Of the graph's input
  std::string name;
  // With the batch
  TensorType type;
};

/// An output of the network that is trained.
struct StepOutput {
  std::string layer;
  // Name of the graph's output
  std::string prediction;
  // Of the graph's input with the weights of its samples; "": all count the same
  std::string weights;
  // Last dimension of the prediction
  int64_t width = 0;
};

/// Names in a step's graph. Inputs: the Input layers' names; "target"; "sample_weight" f32[N] where
/// the data has it; "learning_rate" f32[], "step", "seed", "first_sample" i64[] where used.
/// Outputs: "prediction" (Evaluate, Predict), "loss" (scalar mean over the batch), "metric/<name>"
/// (sums over the samples of the batch, see metrics.h). With several outputs "target/<layer>",
/// "sample_weight/<layer>" and "prediction/<layer>".
struct StepGraph {
  Graph graph;
  // Of the model, in order
  std::vector<VariableRequest> variables;
  // Of Train: "<variable>:m", ...; they may start at other values than zero
  std::vector<VariableRequest> optimizerState;
  std::vector<LoweredMetric> metrics;
  // Of their values
  std::vector<std::string> metricNames;
  // In the order of the network; targets not of Predict
  std::vector<StepEnd> inputs, targets;
  // Beside the targets
  std::vector<StepOutput> outputs;
  // Without targets: only predicted
  std::vector<StepOutput> untrained;
  // As the function of that name; not of Predict
  std::string countedBy;
  // After Optimized
  std::vector<PassReport> reports;
};

struct StepOptions {
  StepMode mode = StepMode::Train;
  // Of Train; in Evaluate, any but Whole: a piece of a batch, for its loss
  MicroStep microStep = MicroStep::Whole;
  int64_t batchSize = 1;
  // Of Evaluate: samples of a whole batch, where this one is smaller
  int64_t stateRows = 0;
  std::set<std::string, std::less<>> disabledPasses;
  // None: the pass does nothing
  RecomputeOptions recompute;
  // Of Train: state that other steps have, counted in this one's memory
  const std::map<std::string, TensorType>* held = nullptr;
  // Of the pass of that name
  std::function<void(const Graph&, PassReport&)> chooseKernels = {};
  // As PipelineOptions
  NodeSeconds seconds = {};
  // Looked at all the time. Fails: Stopped
  std::stop_token stop;
  Stage stopAfter = Stage::Optimized;
  // A hook after each
  std::function<void(Stage, const Graph&)> onStage = {};
  // Likewise after each pass; what they throw ends the compilation
  std::function<void(const Graph&, const PassReport&)> onPass = {};
};

/// Requires: a valid project (validate() without errors). Fails: InvalidProject, UnsupportedOp with
/// the layer.
StepGraph buildStep(const Model& model, const TrainingOptions& training, const StepOptions& options,
                    const std::vector<Pass>& backendPasses = {});

/// What is wrong where a loss that is counted by something (as StepGraph::countedBy) is to be taken
/// in pieces.
Diagnostic unevenPieces(const std::string& countedBy, int64_t pieces);

/// What layers say beside their values.
struct LoweredExtras {
  // Scalars added to the loss
  std::vector<ValueId> penalties;
  // Of each layer by position: steps that count, invalid where all do
  std::vector<ValueId> masks;
};
using NextValues = std::vector<std::pair<std::string, ValueId>>;
/// Lowers the layers of a model alone into `graph` (used by buildStep and verify). Returns the
/// value of each layer by position. `nextValues`: state that the step leaves behind, to be assigned
/// after all reads (assignNextValues). Fails: LayerProblem.
std::vector<ValueId> lowerLayers(Graph& graph, const Model& model, StepMode mode, int64_t batchSize,
                                 std::vector<VariableRequest>& variables, NextValues& nextValues,
                                 LoweredExtras* extras = nullptr, int64_t stateRows = 0);
/// Variables that something stands for end the step as that, unless an optimizer goes on from it.
/// Before the gradients are made.
void assignReplacements(Graph& graph, const std::vector<VariableRequest>& variables);
void assignNextValues(Graph& graph, const NextValues& nextValues,
                      MicroStep microStep = MicroStep::Whole);

/// First values of the variables: one seed decides all; each variable has a stream of its own by
/// name.
Tensor initialValue(const VariableRequest& request, uint64_t seed);
/// Makes the variables of a step in `state` that are not there yet and gives those their first
/// values; values that are there stay.
void initializeState(State& state, const StepGraph& step, uint64_t seed);

}  // namespace strata
