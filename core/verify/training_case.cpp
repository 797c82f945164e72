// SPDX-License-Identifier: Apache-2.0
// Compares the losses and final weights of a short training with the reference.
#include <algorithm>
#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "core/compile/compile.h"
#include "core/recipe/losses.h"
#include "core/recipe/optimizers.h"
#include "core/verify/case_fields.h"
#include "core/verify/cases.h"
#include "core/verify/runnable_graph.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

// The tolerance of losses is relative to the expected loss. The tolerance of weights is relative to
// the largest expected weight of the variable (at least 1).
constexpr double kTrainingLossTolerance = 2e-4, kTrainingWeightTolerance = 1e-3;

/// Pads sequences of labels with zeros to the length in `shape`.
Tensor padded(Tensor rows, const Shape& shape) {
  if (rows.shape().rank() != 2 || shape.rank() != 2 || rows.shape()[1] >= shape[1]) return rows;
  Tensor result(rows.dtype(), shape);
  const size_t size = rows.bytes() / static_cast<size_t>(shape[0]),
               pitch = result.bytes() / static_cast<size_t>(shape[0]);
  for (int64_t i = 0; i < shape[0]; ++i)
    std::copy_n(rows.data() + static_cast<size_t>(i) * size, size,
                result.data() + static_cast<size_t>(i) * pitch);
  return result;
}

/// Returns a tensor of the data. `where` is its full name, or an object with the full name for each
/// Input layer or output.
const Tensor& dataOf(const ReferenceCase& reference, const Json& where, const std::string& name) {
  const Tensor* const found = reference.find(where.is_object() ? where.at(name) : where);
  if (!found)
    throw Error(ErrorCode::InvalidFile, reference.id(),
                "the tensors of the data are missing from the file.");
  return *found;
}

/// Throws MissingType for an unknown loss. `loss` is a loss, a list of losses, or an object with a
/// loss for each output.
void requireLosses(const Json& loss) {
  if (loss.is_string() || (loss.is_object() && loss.contains("type"))) {
    if (!findLoss(typeNameOf(loss))) throw MissingType{typeNameOf(loss)};
  }
  else if (loss.is_structured()) {
    for (const Json& each : loss)
      requireLosses(each);
  }
}

}  // namespace

void verifyTraining(ReferenceCase& reference) {
  const Json& item = reference.item();
  const Model model = modelOf(item.at("layers"));
  const Json& description = item.at("training");
  requireLosses(description.at("loss"));
  if (!findOptimizer(typeNameOf(description.at("optimizer"))))
    throw MissingType{typeNameOf(description["optimizer"])};
  requireSchedules(description["optimizer"]);
  Diagnostics diagnostics;
  const TrainingOptions training = parseTraining(
      Project(Json{{"model", {{"layers", item["layers"]}}}, {"training", description}}),
      diagnostics);
  requireClean(diagnostics);

  StepOptions options;
  options.mode = StepMode::Train;
  options.device = reference.device().traits();
  options.batchSize = training.batchSize;
  StepGraph built = buildStep(model, training, options, reference.device().passes());
  requireSmall(built.graph);
  const auto state = std::make_shared<State>(reference.device());
  initializeState(*state, built, training.seed);
  for (const auto& name : reference.namesUnder("weight/"))
    reference.writeWeight(*state, name);
  RunnableGraph step(std::move(built.graph), reference.device(), state);

  const Json& data = item.at("data");
  std::vector<Tensor> inputs;
  for (const StepPort& input : built.inputs) {
    inputs.push_back(dataOf(reference, data.at("x"), input.name).converted(DType::F32));
    const float divisor = data.value("divide_by", 1.0f);
    for (float& value : inputs.back().as<float>())
      value /= divisor;
  }
  std::vector<const Tensor*> targets;
  for (const StepOutput& output : built.outputs)
    targets.push_back(&dataOf(reference, data.at("y"), output.layer));
  const Tensor& losses = reference.tensor("loss");
  const Tensor expected = losses.converted(DType::F64);
  const int64_t steps = reference.countIn(item.at("steps"), "steps", expected.numElements());
  // rowCount() throws if a tensor has no rows.
  for (const Tensor& input : inputs)
    (void)reference.rowCount(input);
  for (const Tensor* target : targets)
    (void)reference.rowCount(*target);
  for (int64_t number = 1; number <= steps; ++number) {
    const int64_t begin = (number - 1) * training.batchSize;
    for (size_t i = 0; i < inputs.size(); ++i)
      step.write(built.inputs[i].name, rowsFrom(inputs[i], begin, training.batchSize));
    for (size_t i = 0; i < targets.size(); ++i)
      step.write(built.targets[i].name, padded(rowsFrom(*targets[i], begin, training.batchSize),
                                               built.targets[i].type.shape));
    step.write("learning_rate",
               Tensor::scalar(static_cast<float>(training.learningRateAt(number))));
    step.write("step", Tensor::scalar(number));
    step.write("seed", Tensor::scalar(static_cast<int64_t>(training.seed)));
    step.write("first_sample", Tensor::scalar(begin));
    step.run();
    const double got = static_cast<double>(step.read("loss").converted(DType::F32).as<float>()[0]),
                 wanted = expected.as<double>()[static_cast<size_t>(number - 1)];
    reference.judge("loss of step " + std::to_string(number),
                    std::isfinite(got) ? std::abs(got - wanted) / std::max(1e-30, std::abs(wanted))
                                       : std::numeric_limits<double>::infinity(),
                    kTrainingLossTolerance);
  }
  for (const auto& name : reference.namesUnder("weight_after/"))
    reference.compare("weight_after/" + name, state->read(name),
                      reference.tensor("weight_after/" + name), kTrainingWeightTolerance);
}

}  // namespace strata
