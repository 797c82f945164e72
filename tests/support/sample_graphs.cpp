// SPDX-License-Identifier: Apache-2.0
#include "tests/support/sample_graphs.h"

#include "gpu/base/rng.h"
#include "gpu/graph/op.h"
#include "gpu/ops/build.h"

namespace strata::test {

Tensor randomTensor(const TensorType& type, uint64_t seed) {
  Tensor result(type);
  RandomStream random(seed, streamOf("tensor"));
  if (type.dtype == DType::F32)
    for (float& x : result.as<float>())
      x = random.uniform() - 0.5f;
  if (type.dtype == DType::I64)
    for (int64_t& x : result.as<int64_t>())
      x = 1;
  return result;
}

NamedTensors randomInputs(const Graph& graph, uint64_t seed) {
  NamedTensors result;
  for (const NamedValue& input : graph.inputs())
    result.emplace(input.name, randomTensor(graph.type(input.value), seed ^ streamOf(input.name)));
  return result;
}

NamedTensors randomVariables(const Graph& graph, uint64_t seed) {
  NamedTensors result;
  for (const Variable& variable : graph.variables()) {
    Tensor value = randomTensor(graph.type(variable.value), seed ^ streamOf(variable.name));
    // Adam's second moments are never negative.
    if (variable.name.ends_with(":v"))
      for (float& x : value.as<float>())
        x = x * x;
    result.emplace(variable.name, std::move(value));
  }
  return result;
}

Graph randomStep(uint64_t seed, int numLayers, int64_t batch) {
  // The width is not a multiple of 16, so that kernels also handle incomplete vectors.
  constexpr int64_t kWidth = 20;
  RandomStream random(seed, streamOf("graph"));
  Graph g;
  const ValueId x = g.addInput("x", {DType::F32, {batch, kWidth}});
  const ValueId rate = g.addInput("rate", {DType::F32, {}});
  const ValueId step = g.addInput("step", {DType::I64, {}});
  std::vector<ValueId> values{x};
  struct Weight {
    std::string layer;
    ValueId kernel, gradient;
  };
  std::vector<Weight> weights;
  for (int layer = 0; layer < numLayers; ++layer) {
    const Scope scope(g, "layer" + std::to_string(layer), Phase::Forward, Category::Activation);
    const ValueId last = values.back();
    const ValueId earlier = values[random.below(static_cast<uint32_t>(values.size()))];
    ValueId y;
    switch (random.below(8)) {
      case 0:
      case 1: {
        const ValueId kernel = g.addVariable(
            g.context.layer + "/kernel", {DType::F32, {kWidth, kWidth}}, Category::Parameter, true);
        y = matmul(g, last, kernel);
        const Scope backward(g, g.context.layer, Phase::Backward, Category::Gradient);
        weights.push_back({g.context.layer, kernel, matmul(g, earlier, last, true, false)});
        break;
      }
      case 2: y = add(g, last, earlier); break;
      case 3: y = activation(g, last, "tanh"); break;
      case 4: y = reshape(g, square(g, reshape(g, last, {batch * kWidth})), {batch, kWidth}); break;
      case 5: y = add(g, multiply(g, last, last), reduceSum(g, earlier, {1}, true)); break;
      case 6: y = softmax(g, last); break;
      default:
        y = subtract(g, negate(g, earlier), multiplyScalar(g, reduceSum(g, last, {0}, true), 0.1));
        break;
    }
    values.push_back(y);
  }
  {
    const Scope scope(g, "loss", Phase::Forward, Category::Activation);
    ValueId loss = meanAll(g, values.back());
    for (size_t i = 1; i + 1 < values.size(); i += 3)
      loss = add(g, loss, meanAll(g, values[i]));
    g.addOutput("loss", loss);
    g.addOutput("last", values.back());
  }
  for (size_t i = 0; i < weights.size(); ++i) {
    const std::string name = weights[i].layer + "/kernel";
    const Scope scope(g, weights[i].layer, Phase::Update, Category::Optimizer);
    const TensorType type = g.type(weights[i].kernel);
    if (i % 2 == 0) {
      const ValueId m = g.addVariable(name + ":m", type, Category::Optimizer, false);
      const ValueId v = g.addVariable(name + ":v", type, Category::Optimizer, false);
      const auto next =
          update(g, "adam_update", {weights[i].kernel, weights[i].gradient, m, v, rate, step}, {});
      g.setNext(name, next[0]);
      g.setNext(name + ":m", next[1]);
      g.setNext(name + ":v", next[2]);
    }
    else {
      g.setNext(name,
                update(g, "sgd_update", {weights[i].kernel, weights[i].gradient, rate}, {})[0]);
    }
  }
  return g;
}

}  // namespace strata::test
