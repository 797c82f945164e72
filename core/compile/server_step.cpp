// SPDX-License-Identifier: Apache-2.0
#include "core/compile/server_step.h"

#include <utility>

#include "core/compile/step_updates.h"
#include "gpu/base/error.h"
#include "gpu/ops/build.h"

namespace strata {

StepGraph buildServerStep(const StepGraph& worker, const TrainingOptions& training,
                          const StepOptions& options, const std::vector<Pass>& devicePasses) {
  StepGraph step;
  Graph& graph = step.graph;
  graph.setStop(options.stop);
  step.variables = worker.variables;
  LossScaler scaler(graph, options.lossScale, true);
  StepTotals totals;
  for (const VariableRequest& request : worker.variables) {
    const Variable* const variable = worker.graph.findVariable(request.name);
    const Scope scope(graph, request.layer, Phase::Update, Category::Gradient);
    const TensorType type = typeInFiles(worker.graph, *variable);
    const ValueId value =
        graph.addVariable(request.name, type, Category::Parameter, request.isTrainable);
    if (request.replacement.isValid())
      throw Error(ErrorCode::InvalidProject, request.layer,
                  "the layer replaces its weights in each step, which a parameter server does not "
                  "support (expected the strategy mirrored). Choose another strategy.");
    const std::string sum = request.name + ":sum";
    if (!worker.graph.findVariable(sum)) continue;
    const ValueId total = graph.addInput(sum, type);
    if (!request.isTrainable) {
      totals.nextValues.emplace_back(request.name, total);
      continue;
    }
    totals.gradients.push_back({request.name, request.layer, value, total,
                                request.learningRateFactor, request.constraint});
    step.checkedVariables.push_back(request.name);
    totals.checked.push_back(total);
  }
  // Workers check the loss
  const Scope scope(graph, "", Phase::Update, Category::Temporary);
  totals.loss = constantScalar(graph, DType::F32, 0);
  scaler.seed(step.optimizerState);
  finishTraining(step, training, options, scaler, std::move(totals));
  optimizeStep(step, options, devicePasses);
  return step;
}

}  // namespace strata
