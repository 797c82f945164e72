// SPDX-License-Identifier: Apache-2.0
// Compares the updates of optimizers, and the learning rates of schedules, with the reference.
#include <algorithm>
#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "core/compile/compile.h"
#include "core/recipe/optimizers.h"
#include "core/recipe/schedules.h"
#include "core/verify/case_fields.h"
#include "core/verify/cases.h"
#include "core/verify/runnable_graph.h"

namespace strata {

// Tolerance of the largest error, relative to the largest learning rate of a case
constexpr double kScheduleTolerance = 1e-6;
// Limits the time that a damaged file takes
constexpr int64_t kMaxSteps = 1'000'000;

namespace {

RateSchedule scheduleOf(const Json& rate) {
  Diagnostics diagnostics;
  if (rate.is_object()) checkSchedule(rate, "/schedule", diagnostics);
  requireClean(diagnostics);
  return makeSchedule(rate);
}

}  // namespace

void verifySchedule(ReferenceCase& reference) {
  const Json& item = reference.item();
  const std::string type = typeNameOf(item.at("schedule"));
  const ScheduleDef* definition = findSchedule(type);
  if (!definition) throw MissingType{type};
  requireSchedules(item["schedule"]);
  const RateSchedule rate =
      scheduleOf(*typedFields(definition->schema, item["schedule"], "schedule").fields);
  const Tensor steps = reference.tensor("step").converted(DType::I64),
               expected = reference.tensor("value").converted(DType::F64);
  if (steps.numElements() != expected.numElements())
    return reference.fail("the numbers of steps and values differ.");
  double error = 0, size = 0;
  for (int64_t i = 0; i < expected.numElements(); ++i) {
    const double wanted = expected.as<double>()[static_cast<size_t>(i)],
                 got = rate(steps.as<int64_t>()[static_cast<size_t>(i)]);
    error = std::max(error, std::isfinite(got) ? std::abs(got - wanted)
                                               : std::numeric_limits<double>::infinity());
    size = std::max(size, std::abs(wanted));
  }
  reference.judge("value", error / std::max(size, 1e-30), kScheduleTolerance);
}

void verifyOptimizer(ReferenceCase& reference) {
  const Json& item = reference.item();
  const std::string type = typeNameOf(item.at("optimizer"));
  const OptimizerDef* definition = findOptimizer(type);
  if (!definition) throw MissingType{type};
  requireSchedules(item["optimizer"]);
  const TypedFields optimizer = typedFields(definition->schema, item["optimizer"], "optimizer");
  const RateSchedule rate = scheduleOf(optimizer.fields->at("learning_rate"));
  Graph graph;
  StepGraph updateStep;
  std::vector<ParameterGradient> parameters;
  const std::vector<std::string> names = reference.namesUnder("weight/");
  for (const auto& name : names) {
    const TensorType weight{DType::F32, reference.tensor("weight/" + name).shape()};
    parameters.push_back({name, name, graph.addVariable(name, weight, Category::Parameter, true),
                          graph.addInput("gradient/" + name, weight)});
  }
  appendUpdates(graph, optimizer, parameters, updateStep.optimizerState);
  updateStep.graph = graph;
  const auto state = std::make_shared<State>(reference.device());
  initializeState(*state, updateStep, 1);
  RunnableGraph step(std::move(graph), reference.device(), state);
  for (const auto& name : names)
    state->write(name, reference.tensor("weight/" + name).converted(DType::F32));
  const std::vector<int64_t> checked = item.at("checked");
  const int64_t steps = reference.countIn(item.at("steps"), "steps", kMaxSteps);
  const auto isStep = [&](int64_t number) {
    return number >= 1 && number <= steps;
  };
  if (checked.empty() || !std::all_of(checked.begin(), checked.end(), isStep))
    return reference.fail("the case checks no step, or one that it does not have.");
  if (names.empty()) return reference.fail("the case has no weights.");
  // The file contains the gradients of each step.
  for (int64_t number = 1; number <= steps; ++number) {
    step.write("learning_rate", Tensor::scalar(static_cast<float>(rate(number - 1))));
    step.write("step", Tensor::scalar(number));
    for (const auto& name : names)
      step.write("gradient/" + name,
                 reference.tensor("gradient/" + std::to_string(number) + "/" + name));
    step.run();
    if (std::find(checked.begin(), checked.end(), number) == checked.end()) continue;
    for (const auto& name : names) {
      const std::string after = "weight_after/" + std::to_string(number) + "/" + name;
      reference.compare(after, state->read(name), reference.tensor(after));
    }
  }
}

}  // namespace strata
