// SPDX-License-Identifier: Apache-2.0
#include "tests/support/guarded_step.h"

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

}  // namespace strata::test
