// SPDX-License-Identifier: Apache-2.0
// What a card launches for convolutions: which copies and casts surround the call of cuDNN.
// Not here: results, which rows check (tst_rows_on_cards.cpp, tst_norms_on_cards.cpp).
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "gpu/base/round_up.h"
#include "gpu/exec/program.h"
#include "gpu/graph/op.h"
#include "tests/gpu/cuda/test_card.h"
#include "tests/gpu/ops/op_rows.h"

TEST_SUITE_BEGIN("convolutions of cards");

namespace strata::test {
namespace {

/// A convolution with its gradients. The weights are [3,3,8,16] in the given order.
RowRun convolutionStep(const std::string& order, DType dtype, Attributes attributes = {}) {
  attributes.set("weights", order);
  const Shape w = order == "krsc" ? Shape{16, 3, 3, 8} : Shape{3, 3, 8, 16};
  OpRow row;
  row.operands = {{.shape = {2, 8, 8, 8}, .dtype = {}}, {.shape = w, .dtype = {}}};
  row.build = [attributes](Graph& g, const std::vector<ValueId>& x) {
    return g.node(g.addNode(opNamed("conv2d"), x, attributes)).outputs;
  };
  return makeRowRun(row, dtype, true);
}

/// Returns the names of the kernels and calls that the device records for a step.
std::vector<std::string> launchesOf(const RowRun& run, Device& device) {
  State state(device);
  const auto program = Program::build(run.graph, device, state);
  program->bind();
  for (const auto& [name, tensor] : run.inputs)
    program->writeInput(name, tensor);
  // The first steps run uncaptured
  for (int step = 0; step < 4; ++step)
    REQUIRE(program->run() == Program::Outcome::Done);
  program->setProfiling(true);
  REQUIRE(program->run() == Program::Outcome::Done);
  std::vector<std::string> names;
  for (const KernelRecord& record : program->lastRecords().records)
    if (record.instruction >= 0) names.push_back(record.name);
  return names;
}

/// Returns the largest difference relative to the largest magnitude. It is infinite if only one of
/// two elements is NaN.
double errorOf(const Tensor& got, const Tensor& expected) {
  double largest = 0, worst = 0;
  for (size_t i = 0; i < got.as<float>().size(); ++i) {
    const double wanted = expected.as<float>()[i], value = got.as<float>()[i];
    if (std::isnan(wanted) || std::isnan(value)) {
      if (std::isnan(wanted) != std::isnan(value)) return INFINITY;
      continue;
    }
    largest = std::max(largest, std::abs(wanted));
    worst = std::max(worst, std::abs(value - wanted));
  }
  return worst / largest;
}

/// A convolution with a bias and an activation, without gradients.
RowRun convolutionWithBias(const std::string& activation) {
  OpRow row;
  row.operands = {{.shape = {2, 8, 8, 8}, .dtype = {}},
                  {.shape = {16, 3, 3, 8}, .dtype = {}},
                  {.shape = {16}, .dtype = {}}};
  row.build = [activation](Graph& g, const std::vector<ValueId>& x) {
    return g
        .node(g.addNode(opNamed("conv2d"), x,
                        {{"weights", std::string("krsc")}, {"activation", activation}}))
        .outputs;
  };
  return makeRowRun(row, DType::F32, false);
}

/// The padding of "same" with stride 2
Attributes unevenPadding() {
  using Ints = std::vector<int64_t>;
  return {{"strides", Ints{2, 2}}, {"padding_before", Ints{0, 0}}, {"padding_after", Ints{1, 1}}};
}

/// Checks the outputs of a step of the device.
void checkOutputs(const RowRun& run, Device& device, double tolerance) {
  State state(device);
  const auto program = Program::build(run.graph, device, state);
  program->bind();
  for (const auto& [name, tensor] : run.inputs)
    program->writeInput(name, tensor);
  REQUIRE(program->run() == Program::Outcome::Done);
  for (const auto& [name, expected] : evaluateGraph(run.graph, run.inputs, run.variables).outputs) {
    CAPTURE(name);
    const Tensor got = program->readOutput(name);
    CHECK(errorOf(got.converted(DType::F32), expected.converted(DType::F32)) <= tolerance);
  }
}

/// Returns how many of the names contain the text.
int64_t countOf(const std::vector<std::string>& names, const std::string& text) {
  return std::ranges::count_if(
      names, [&](const std::string& name) { return name.find(text) != std::string::npos; });
}

/// Returns the workspaces of the convolution and its gradients.
std::vector<size_t> workspacesOf(const RowRun& run, Device& device) {
  std::vector<size_t> result;
  for (const NodeId id : run.graph.order())
    if (run.graph.node(id).op->name.starts_with("conv2d"))
      result.push_back(device.createKernel(run.graph, id)->workspaceBytes());
  return result;
}

/// A gradient of weights in f32 of bf16 images.
RowRun gradientInF32(const std::string& order) {
  const std::vector<int64_t> w =
      order == "krsc" ? std::vector<int64_t>{16, 3, 3, 8} : std::vector<int64_t>{3, 3, 8, 16};
  OpRow row;
  row.operands = {{.shape = {2, 8, 8, 8}, .dtype = {}}, {.shape = {2, 6, 6, 16}, .dtype = {}}};
  row.build = [=](Graph& g, const std::vector<ValueId>& x) {
    return g
        .node(g.addNode(opNamed("conv2d_backward_weights"), x,
                        {{"weights", order}, {"weight_shape", w}, {"result", std::string("f32")}}))
        .outputs;
  };
  return makeRowRun(row, DType::BF16, false);
}

}  // namespace

TEST_CASE("weights in the order of cuDNN are not transposed") {
  const auto device = openTestCard();
  if (!device) return;
  for (const DType dtype : {DType::F32, DType::BF16}) {
    CAPTURE(dtypeName(dtype));
    const RowRun own = convolutionStep("rsck", dtype), ofLibrary = convolutionStep("krsc", dtype);
    CHECK(countOf(launchesOf(own, *device), "transpose_matrix") == 3);
    CHECK(countOf(launchesOf(ofLibrary, *device), "transpose_matrix") == 0);
    const std::vector<size_t> larger = workspacesOf(own, *device),
                              smaller = workspacesOf(ofLibrary, *device);
    REQUIRE(larger.size() == 3);
    for (size_t i = 0; i < larger.size(); ++i)
      CHECK(larger[i] - smaller[i] ==
            roundUp(size_t{3 * 3 * 8 * 16} * dtypeBytes(dtype), size_t{256}));
  }
}

TEST_CASE("a gradient of weights in f32 is rounded only where cuDNN cannot write it") {
  // Without cuDNN, the host computes every call
  const auto own = openTestCard(), known = openKnownCard("gradients in f32");
  for (const auto& device : {own.get(), known.get()})
    for (const std::string order : {"rsck", "krsc"}) {
      if (!device) continue;
      CAPTURE(device->name());
      CAPTURE(order);
      const bool casts = device == known.get();
      const RowRun run = gradientInF32(order);
      const std::vector<std::string> launches = launchesOf(run, *device);
      CHECK(countOf(launches, "cast_bf16_f32") == (casts ? 1 : 0));
      CHECK(countOf(launches, "transpose_matrix") == (order == "rsck" ? 1 : 0));
      checkOutputs(run, *device, casts ? 0x1p-8 : 1e-5);
    }
}

TEST_CASE("padding that differs between the sides is part of the call") {
  const auto own = openTestCard(), known = openKnownCard("uneven padding");
  for (const auto& device : {own.get(), known.get()})
    for (const DType dtype : {DType::F32, DType::BF16}) {
      if (!device) continue;
      CAPTURE(device->name());
      CAPTURE(dtypeName(dtype));
      const RowRun run = convolutionStep("krsc", dtype, unevenPadding());
      const std::vector<std::string> launches = launchesOf(run, *device);
      CHECK(launches.size() == 3);
      for (const char* copy : {"_border", "transpose_matrix"})
        CHECK(countOf(launches, copy) == 0);
      checkOutputs(run, *device, dtype == DType::F32 ? 2e-5 : 0x1p-7);
    }
}

TEST_CASE("images get a border where cuDNN has only its generic engine for their padding") {
  const auto device = openKnownCard("borders", "a100.json");
  if (!device) return;
  for (const std::string order : {"rsck", "krsc"}) {
    CAPTURE(order);
    const RowRun run = convolutionStep(order, DType::F32, unevenPadding());
    const std::vector<std::string> launches = launchesOf(run, *device);
    CHECK(countOf(launches, "add_border") + countOf(launches, "remove_border") > 0);
    checkOutputs(run, *device, 2e-5);
    for (const NodeId id : run.graph.order()) {
      const Node& node = run.graph.node(id);
      if (!node.op->name.starts_with("conv2d")) continue;
      CAPTURE(node.op->name);
      const std::string rule = device->createKernel(run.graph, id)->algorithm();
      if (node.op->name == "conv2d") CHECK_FALSE(rule.starts_with("eng0"));
      // The algorithms are those of the call that is made
      for (const OtherVariant& other : device->otherVariants(run.graph, id)) {
        const auto kernel = device->createVariant(run.graph, id, other.name);
        REQUIRE(kernel);
        CHECK(kernel->algorithm() == other.name);
        CHECK(kernel->workspaceBytes() == other.workspaceBytes);
      }
    }
  }
}

TEST_CASE("a bias is part of the call, and an activation is not, because it could lose NaN") {
  const auto own = openTestCard(), known = openKnownCard("biases");
  for (const auto& device : {own.get(), known.get()}) {
    if (!device) continue;
    CAPTURE(device->name());
    RowRun linear = convolutionWithBias("linear"), relu = convolutionWithBias("relu");
    CHECK(launchesOf(linear, *device).size() == 1);
    const std::vector<std::string> launches = launchesOf(relu, *device);
    CHECK(launches.size() == 2);
    CHECK(countOf(launches, "bias_activation") == 1);
    checkOutputs(linear, *device, 2e-5);
    checkOutputs(relu, *device, 2e-5);
    // The reference keeps NaN, so the outputs differ if one is lost
    relu.inputs.at("x2").as<float>()[0] = std::numeric_limits<float>::quiet_NaN();
    checkOutputs(relu, *device, 2e-5);
  }
}

TEST_CASE("the algorithms of a gradient in f32 are those of the call that is made") {
  const auto device = openKnownCard("algorithms of gradients in f32");
  if (!device) return;
  const RowRun run = gradientInF32("krsc");
  const NodeId node = run.graph.value(run.graph.outputs()[0].value).producer;
  const std::vector<OtherVariant> others = device->otherVariants(run.graph, node);
  REQUIRE(!others.empty());
  for (const OtherVariant& other : others) {
    CAPTURE(other.name);
    const auto kernel = device->createVariant(run.graph, node, other.name);
    REQUIRE(kernel);
    CHECK(kernel->algorithm() == other.name);
    CHECK(kernel->workspaceBytes() == other.workspaceBytes);
  }
  CHECK_FALSE(device->createVariant(run.graph, node, "eng99999"));
}

}  // namespace strata::test

TEST_SUITE_END();
