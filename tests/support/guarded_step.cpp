// SPDX-License-Identifier: Apache-2.0
#include "tests/support/guarded_step.h"

#include <algorithm>

#include "gpu/base/error.h"
#include "gpu/ops/build.h"

namespace strata::test {

Graph guardedStep() {
  Graph g;
  const ValueId x = g.addInput("x", {DType::F32, {4, 3}});
  const ValueId rate = g.addInput("rate", {DType::F32, {}});
  const ValueId w = g.addVariable("w", {DType::F32, {3}}, Category::Parameter, true);
  ValueId loss, gradient, finite;
  {
    const Scope scope(g, "layer", Phase::Forward, Category::Activation);
    loss = sumAll(g, multiply(g, x, w));
  }
  {
    const Scope scope(g, "layer", Phase::Backward, Category::Gradient);
    gradient = reduceSum(g, x, {0});
    finite = allFinite(g, {loss, gradient});
  }
  {
    const Scope scope(g, "layer", Phase::Update, Category::Parameter);
    g.setNext("w", update(g, "sgd_update", {w, gradient, rate, finite}, {}).front());
  }
  g.addOutput("loss", loss);
  g.addOutput("finite", finite);
  return g;
}

std::unique_ptr<Program> boundGuardedStep(Device& device, State& state) {
  auto program = Program::build(guardedStep(), device, state);
  program->setResults({"loss", "finite"});
  program->setGuard("finite");
  program->bind();
  program->setScalar("rate", 0.5f);
  return program;
}

Tensor guardedBatch(float value) {
  Tensor batch(DType::F32, {4, 3});
  for (float& each : batch.as<float>())
    each = value;
  return batch;
}

std::vector<float> trainGuarded(Device& device, int steps, int ahead) {
  State state(device);
  const auto program = boundGuardedStep(device, state);
  state.write("w", Tensor::from<float>({3}, std::vector<float>{1, 2, 3}));
  std::vector<Tensor> batches;
  for (int i = 0; i < steps; ++i)
    batches.push_back(guardedBatch(0.125f * static_cast<float>(i % 7 + 1)));
  std::vector<Ticket> tickets;
  std::vector<float> results;
  const auto take = [&](Ticket& ticket) {
    require(ticket.wait() == StepOutcome::Done, "a guarded step has finite numbers");
    results.push_back(ticket.result("loss")[0]);
  };
  for (int i = 0; i < steps; ++i) {
    program->setScalar("rate", 1.0f / static_cast<float>(i + 2));
    program->feed("x", batches[static_cast<size_t>(i)].data());
    tickets.push_back(program->submit());
    if (i >= ahead) take(tickets[static_cast<size_t>(i - ahead)]);
  }
  for (int i = std::max(0, steps - ahead); i < steps; ++i)
    take(tickets[static_cast<size_t>(i)]);
  const Tensor weights = state.read("w");
  for (const float weight : weights.as<float>())
    results.push_back(weight);
  return results;
}

}  // namespace strata::test
