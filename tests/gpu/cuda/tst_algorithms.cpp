// SPDX-License-Identifier: Apache-2.0
// The algorithms that cuDNN offers for convolutions, as variants of kernels on a simulated card:
// listed, timed, chosen, and pinned by a user. Skipped where cuDNN is not installed.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "gpu/base/error.h"
#include "gpu/exec/kernel_choices.h"
#include "gpu/graph/op.h"
#include "gpu/ops/build.h"
#include "tests/gpu/cuda/test_card.h"

TEST_SUITE_BEGIN("algorithms of cards");

namespace strata::test {
namespace {

using namespace std::chrono_literals;

struct Convolution {
  Graph graph;
  NodeId node;
};

Convolution convolution(DType dtype = DType::F32) {
  Convolution result;
  Graph& graph = result.graph;
  const Scope scope(graph, "conv1", Phase::Forward, Category::Activation);
  const ValueId x = graph.addInput("x", {dtype, Shape{4, 12, 12, 8}});
  const ValueId w = graph.addInput("w", {dtype, Shape{3, 3, 8, 16}});
  result.node = graph.value(conv2d(graph, x, w, {})).producer;
  return result;
}

KernelMeasurements timesOf(Device& device, const Graph& graph, KernelVariants& variants) {
  KernelChooser chooser(device, KernelChoice::Fastest);
  chooser.measure(10min);
  PassReport report;
  chooser.choose(graph, report);
  variants = chooser.variants();
  return chooser.measurements();
}

}  // namespace

TEST_CASE("the algorithms of a convolution are its variants") {
  const auto device = openKnownCard("algorithms listed");
  if (!device) return;
  const Convolution conv = convolution();
  const auto rule = device->createKernel(conv.graph, conv.node);
  CHECK(rule->algorithm().starts_with("eng"));
  const std::vector<OtherVariant> others = device->otherVariants(conv.graph, conv.node);
  REQUIRE(others.size() > 2);
  std::set<std::string> names{rule->algorithm()};
  for (const OtherVariant& other : others) {
    CAPTURE(other.name);
    CHECK(names.insert(other.name).second);
    const auto kernel = device->createVariant(conv.graph, conv.node, other.name);
    REQUIRE(kernel);
    CHECK(kernel->algorithm() == other.name);
    CHECK(kernel->workspaceBytes() == other.workspaceBytes);
    CHECK(kernel->workspaceBytes() <= cuda::Card::kWorkspaceLimit + (size_t{1} << 20));
    // Operands of f32 are not rounded
    CHECK_FALSE(other.usesTensorCores);
  }
  CHECK_FALSE(device->createVariant(conv.graph, conv.node, "fast"));
  const Convolution low = convolution(DType::BF16);
  const auto ofLow = device->otherVariants(low.graph, low.node);
  CHECK(std::any_of(ofLow.begin(), ofLow.end(),
                    [](const OtherVariant& other) { return other.usesTensorCores; }));
}

TEST_CASE("algorithms are timed on the card, and the same times lead to the same choice") {
  const auto device = openKnownCard("algorithms timed");
  if (!device) return;
  const Convolution conv = convolution();
  KernelVariants variants;
  const KernelMeasurements times = timesOf(*device, conv.graph, variants);
  REQUIRE(times.size() == 1);
  const auto& [key, measured] = *times.begin();
  CHECK(key == kernelKey(conv.graph, conv.node));
  CHECK(measured.size() == device->otherVariants(conv.graph, conv.node).size() + 1);
  CHECK(measured.front().algorithm == device->createKernel(conv.graph, conv.node)->algorithm());
  std::set<double> different;
  for (const MeasuredVariant& each : measured) {
    CAPTURE(each.variant);
    CHECK(each.seconds >= 2e-6);
    CHECK(each.hasSameBits);
    different.insert(each.seconds);
  }
  CHECK(different.size() > 1);
  const std::string best = bestVariant(measured, KernelChoice::Fastest);
  CHECK(variants.contains(key) == !best.empty());

  // The predicted times of another device of the same card are the same
  const auto again = openKnownCard("algorithms timed again");
  KernelVariants ofAgain;
  const KernelMeasurements timesAgain = timesOf(*again, conv.graph, ofAgain);
  for (size_t i = 0; i < measured.size(); ++i)
    CHECK(timesAgain.begin()->second[i].seconds == measured[i].seconds);
  CHECK(ofAgain == variants);

  // Stored times need no measuring
  const auto third = openKnownCard("algorithms known");
  KernelChooser knowing(*third, KernelChoice::Fastest);
  knowing.know(times);
  PassReport report;
  knowing.choose(conv.graph, report);
  CHECK(knowing.variants() == variants);
  CHECK_FALSE(knowing.hasMeasured());

  // Results must not depend on timing unless the user asks for the fastest kernels
  KernelChooser same(*third, KernelChoice::SameBits);
  same.know(times);
  same.measure(10min);
  same.choose(conv.graph, report);
  CHECK(same.variants().empty());
}

TEST_CASE("a budget that is used up leaves algorithms untimed") {
  const auto device = openKnownCard("algorithms without time");
  if (!device) return;
  const Convolution conv = convolution();
  const auto others = device->otherVariants(conv.graph, conv.node);
  const auto measured = device->timeVariants(conv.graph, conv.node, others, {1ns, true, {}});
  REQUIRE(measured);
  CHECK(measured->front().seconds > 0);
  for (size_t i = 1; i < measured->size(); ++i)
    CHECK((*measured)[i].seconds == 0);
  CHECK(bestVariant(*measured, KernelChoice::Fastest).empty());
}

TEST_CASE("timing leaves no memory on the card") {
  const auto device = openKnownCard("algorithms without leaks");
  if (!device) return;
  const Convolution conv = convolution();
  const size_t before = device->memoryUse()->freeBytes;
  KernelVariants variants;
  timesOf(*device, conv.graph, variants);
  CHECK(device->memoryUse()->freeBytes == before);
}

TEST_CASE("a pinned algorithm is used, and an unknown one is refused with those that exist") {
  const auto device = openKnownCard("algorithms pinned");
  if (!device) return;
  const Convolution conv = convolution();
  const auto same = [](const std::string& layer) {
    return layer;
  };
  const std::vector<OtherVariant> others = device->otherVariants(conv.graph, conv.node);
  const auto shared = SharedKernels::of(*device);
  const std::string rule = shared->kernelOf(*device, conv.graph, conv.node)->algorithm();
  for (const std::string& name : {others.back().name, rule}) {
    device->setPinned({{"conv1", {{"conv2d", name}}}}, same);
    CHECK(shared->kernelOf(*device, conv.graph, conv.node)->algorithm() == name);
  }
  device->setPinned({{"conv1", {{"conv2d_backward_data", others.back().name}}}}, same);
  CHECK(shared->kernelOf(*device, conv.graph, conv.node)->algorithm() == rule);
  device->setPinned({{"conv1", {{"conv2d", "eng99999"}}}}, same);
  try {
    shared->kernelOf(*device, conv.graph, conv.node);
    FAIL("an unknown algorithm was taken");
  }
  catch (const Error& error) {
    CHECK(error.code() == ErrorCode::InvalidArgument);
    CHECK(error.subject() == "conv1");
    for (const std::string& part : {std::string("\"eng99999\""), rule, others.back().name})
      CHECK(error.line().find(part) != std::string::npos);
  }
}

TEST_SUITE_END();

}  // namespace strata::test
