// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <string>

#include "gpu/cpu/passes/pooled_gradients.h"
#include "gpu/graph/op.h"
#include "gpu/ops/activation_kinds.h"
#include "gpu/ops/build.h"
#include "gpu/reference/evaluate.h"
#include "tests/gpu/cpu/kernel_check.h"

using namespace strata;
using namespace strata::test;

TEST_SUITE_BEGIN("cpu pooled_gradients");

namespace {

struct Chain {
  Graph graph;
  NamedTensors inputs;
};

/// Returns a graph that pools activation(x). Its outputs are the gradient of x, where d is the
/// gradient of the result, and the sum of the gradient of x over N, H and W.
Chain chainOf(const std::string& kind, std::vector<int64_t> pool, std::vector<int64_t> strides,
              bool secondUse = false) {
  Chain chain;
  Graph& g = chain.graph;
  const Shape shape{2, 9, 9, 5};
  const ValueId x = g.addInput("x", {DType::F32, shape});
  const ValueId y = activation(g, x, kind);
  Window2D window;
  window.strides = strides;
  const ValueId pooled = maxPool2d(g, y, pool, window);
  const Node& poolNode = g.node(g.value(pooled).producer);
  const ValueId d = g.addInput("d", g.type(pooled));
  Attributes attributes{
      {"pool_size", pool}, {"strides", strides}, {"input_shape", std::vector<int64_t>{2, 9, 9, 5}}};
  ValueId spread;
  {
    const Scope scope(g, "pool", Phase::Backward, Category::Gradient);
    spread = g.add(opNamed("max_pool2d_backward"), {d, poolNode.outputs[1]}, attributes);
  }
  const Scope scope(g, "conv", Phase::Backward, Category::Gradient);
  Attributes slopeAttributes = g.node(g.value(y).producer).attributes;
  const ValueId dx =
      g.add(opNamed("activation_backward"),
            {spread, activationSaves(kind) == Saved::Output ? y : x}, slopeAttributes);
  g.addOutput("dx", dx);
  g.addOutput("sum", reduceSum(g, dx, {0, 1, 2}));
  if (secondUse) g.addOutput("spread", spread);
  chain.inputs["x"] = randomTensor(shape, 1, -2, 2);
  chain.inputs["d"] = randomTensor(g.shape(d), 2);
  return chain;
}

int rewritesOf(Chain& chain) {
  PassReport report;
  cpu::poolGradientsFirst(chain.graph, report);
  return report.rewrites;
}

double largestDifference(const Tensor& a, const Tensor& b) {
  double worst = 0;
  for (size_t i = 0; i < a.as<float>().size(); ++i)
    worst = std::max(worst, std::fabs(static_cast<double>(a.as<float>()[i]) -
                                      static_cast<double>(b.as<float>()[i])));
  return worst;
}

}  // namespace

TEST_CASE("the moved nodes stay in their layers") {
  Chain chain = chainOf("relu", {2, 2}, {2, 2});
  REQUIRE(rewritesOf(chain) > 0);
  std::map<std::string, std::string> layers;
  for (const NodeId id : chain.graph.order())
    layers[chain.graph.node(id).op->name] = chain.graph.node(id).layer;
  CHECK(layers.at("max_pool2d_backward") == "pool");
  CHECK(layers.at("activation_backward") == "conv");
}

TEST_CASE("the derivative and the sum move to the pooled side, and the values stay the same") {
  for (const char* kind : {"relu", "tanh", "leaky_relu"})
    for (int64_t stride : {2, 1}) {
      Chain before = chainOf(kind, {2, 2}, {stride, stride});
      Chain after = before;
      CHECK(rewritesOf(after) == 2);
      const Evaluation a = evaluateGraph(before.graph, before.inputs, {}),
                       b = evaluateGraph(after.graph, after.inputs, {});
      CHECK(largestDifference(a.outputs.at("dx"), b.outputs.at("dx")) < 1e-6);
      CHECK(largestDifference(a.outputs.at("sum"), b.outputs.at("sum")) < 1e-5);
      // If windows do not overlap, the values are equal except for the sign of zeros.
      if (stride == 2) CHECK(largestDifference(a.outputs.at("dx"), b.outputs.at("dx")) == 0);
    }
}

TEST_CASE("graphs that do not match are not changed") {
  Chain savesInput = chainOf("gelu", {2, 2}, {2, 2});
  CHECK(rewritesOf(savesInput) == 0);
  Chain usedTwice = chainOf("relu", {2, 2}, {2, 2}, true);
  CHECK(rewritesOf(usedTwice) == 0);
}
