// SPDX-License-Identifier: Apache-2.0
// Tests kernels for bf16 and f16 on operands so large that workers convert them sample by sample.
// The results must agree with f32 on the same operands, up to the rounding of results.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "gpu/autodiff/autodiff.h"
#include "gpu/devices/devices.h"
#include "gpu/exec/program.h"
#include "gpu/ops/build.h"
#include "gpu/reference/low_precision_kernel.h"
#include "tests/support/random_graph.h"

using namespace strata;

namespace {

struct Case {
  const char* name;
  std::vector<Shape> operands;
  std::function<ValueId(Graph&, const std::vector<ValueId>&)> build;
};

const std::vector<Case>& cases() {
  Window2D padded;
  padded.paddingBefore = padded.paddingAfter = {1, 1};
  Window2D strided = padded;
  strided.strides = {2, 2};
  static const std::vector<Case> all{
      {"conv2d",
       {{11, 20, 20, 16}, {3, 3, 16, 24}},
       [=](Graph& g, const std::vector<ValueId>& x) {
         return conv2d(g, x[0], x[1], padded);
       }},
      {"strided conv2d",
       {{7, 40, 40, 8}, {3, 3, 8, 12}},
       [=](Graph& g, const std::vector<ValueId>& x) {
         return conv2d(g, x[0], x[1], strided);
       }},
      {"1x1 conv2d",
       {{9, 24, 24, 16}, {1, 1, 16, 16}},
       [](Graph& g, const std::vector<ValueId>& x) {
         return conv2d(g, x[0], x[1], {});
       }},
      {"depthwise_conv2d",
       {{9, 24, 24, 16}, {3, 3, 16, 1}},
       [=](Graph& g, const std::vector<ValueId>& x) {
         return depthwiseConv2d(g, x[0], x[1], padded);
       }},
      {"max_pool2d",
       {{13, 24, 24, 12}},
       [=](Graph& g, const std::vector<ValueId>& x) {
         Window2D window;
         window.strides = {2, 2};
         return maxPool2d(g, x[0], {2, 2}, window);
       }},
      {"avg_pool2d",
       {{13, 24, 24, 12}},
       [=](Graph& g, const std::vector<ValueId>& x) {
         Window2D window;
         window.strides = {2, 2};
         return avgPool2d(g, x[0], {3, 3}, window);
       }},
      {"attention",
       {{9, 64, 4, 16}, {9, 64, 4, 16}, {9, 64, 4, 16}},
       [](Graph& g, const std::vector<ValueId>& x) {
         AttentionOptions options;
         options.scale = 0.25;
         options.isCausal = true;
         return attention(g, x[0], x[1], x[2], options);
       }},
      {"sum over samples",
       {{33, 40, 64}},
       [](Graph& g, const std::vector<ValueId>& x) {
         return reduceSum(g, x[0], {0, 1});
       }},
      {"sum of each sample",
       {{33, 40, 64}},
       [](Graph& g, const std::vector<ValueId>& x) {
         return reduceSum(g, x[0], {1}, true);
       }},
  };
  return all;
}

/// Returns the graph of a case with the gradients of all operands.
Graph graphOf(const Case& each, DType dtype) {
  Graph g;
  const Scope scope(g, "layer", Phase::Forward, Category::Activation);
  std::vector<ValueId> operands;
  for (size_t i = 0; i < each.operands.size(); ++i)
    operands.push_back(g.addInput("x" + std::to_string(i), {dtype, each.operands[i]}));
  const ValueId y = each.build(g, operands);
  g.addOutput("y", y);
  const GradientSeed seed{y, g.addInput("dy", g.type(y))};
  const std::vector<ValueId> gradients = differentiate(g, {&seed, 1}, operands);
  for (size_t i = 0; i < gradients.size(); ++i)
    g.addOutput("d" + std::to_string(i), gradients[i]);
  return g;
}

/// Returns the number of nodes that are computed sample by sample.
int numSplit(const Graph& graph) {
  int count = 0;
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (node.inputs.empty()) continue;
    reference::KernelSetup setup;
    setup.op = node.op->name;
    setup.attributes = node.attributes;
    for (const ValueId input : node.inputs)
      setup.inputs.push_back(graph.type(input));
    for (const ValueId output : node.outputs)
      setup.outputs.push_back(graph.type(output));
    count += reference::sampleSplitOf(setup).has_value();
  }
  return count;
}

/// Checks that all elements differ by at most `tolerance` times the largest magnitude.
void checkClose(const Tensor& got, const Tensor& expected, double tolerance) {
  const Tensor a = got.converted(DType::F64), b = expected.converted(DType::F64);
  double largest = 0, worst = 0;
  for (size_t i = 0; i < a.as<double>().size(); ++i) {
    largest = std::max(largest, std::abs(b.as<double>()[i]));
    worst = std::max(worst, std::abs(a.as<double>()[i] - b.as<double>()[i]));
  }
  CHECK(largest > 0);
  CHECK(worst <= tolerance * largest);
}

}  // namespace

TEST_SUITE("low precision kernels") {
  TEST_CASE("large operands are converted sample by sample, and results agree with f32") {
    for (const DType dtype : {DType::BF16, DType::F16})
      for (const Case& each : cases()) {
        CAPTURE(each.name);
        CAPTURE(dtypeName(dtype));
        const Graph low = graphOf(each, dtype), wide = graphOf(each, DType::F32);
        CHECK(numSplit(low) >= 1);
        CHECK(numSplit(wide) == 0);
        NamedTensors inputs = randomInputs(low, 3), wideInputs;
        for (const auto& [name, tensor] : inputs)
          wideInputs.emplace(name, tensor.converted(DType::F32));
        const Evaluation expected = evaluateGraph(wide, wideInputs, {});
        const double tolerance = dtype == DType::BF16 ? 0x1p-7 : 0x1p-10;
        for (const char* device : {"cpu", "reference"})
          for (const int threads : {1, 2, 3}) {
            CAPTURE(device);
            CAPTURE(threads);
            const auto backend = openDevice(device, {.threads = threads});
            State state(*backend);
            const auto program = Program::build(low, *backend, state);
            program->bind();
            program->setCanaries(true);
            NamedTensors first;
            for (int repeat = 0; repeat < 2; ++repeat) {
              for (const auto& [name, tensor] : inputs)
                program->writeInput(name, tensor);
              REQUIRE(program->run() == Program::Outcome::Done);
              for (const auto& [name, tensor] : expected.outputs) {
                CAPTURE(name);
                const Tensor got = program->readOutput(name);
                if (repeat == 0) {
                  checkClose(got, tensor, tolerance);
                  first.emplace(name, got);
                }
                else {
                  CHECK(got.isBitEqual(first.find(name)->second));
                }
              }
            }
          }
      }
  }

  TEST_CASE("workspaces do not grow with the number of samples") {
    const auto workspaceOf = [](int64_t samples) {
      Graph g;
      const ValueId x = g.addInput("x", {DType::BF16, {samples, 24, 24, 16}});
      Window2D window;
      window.strides = {2, 2};
      const ValueId y = maxPool2d(g, x, {2, 2}, window);
      const auto backend = openDevice("cpu", {.threads = 2});
      return backend->createKernel(g, g.value(y).producer)->workspaceBytes();
    };
    CHECK(workspaceOf(40) == workspaceOf(400));
  }
}
