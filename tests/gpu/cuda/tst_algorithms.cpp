// SPDX-License-Identifier: Apache-2.0
// The algorithms that cuDNN offers for convolutions, as variants of kernels on a simulated card:
// listed, timed, chosen, and pinned by a user. Skipped where cuDNN is not installed.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

#include "gpu/base/error.h"
#include "gpu/base/log.h"
#include "gpu/exec/kernel_choices.h"
#include "gpu/exec/variant_text.h"
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

namespace {

struct Matmul {
  Graph graph;
  NodeId node;
};

Matmul product() {
  Matmul result;
  Graph& graph = result.graph;
  const Scope scope(graph, "dense", Phase::Forward, Category::Activation);
  const ValueId x = graph.addInput("x", {DType::F32, Shape{16, 24}}),
                w = graph.addInput("w", {DType::F32, Shape{24, 8}});
  result.node = graph.value(matmul(graph, x, w)).producer;
  return result;
}

/// Returns the predicted time of the call in a kernel for a product, relative to the peak rates.
double relativeTimeOf(Device& device, const Matmul& matmul, const std::string& variant) {
  const auto kernel = device.createVariant(matmul.graph, matmul.node, variant);
  REQUIRE(kernel);
  return dynamic_cast<const cuda::CudaKernel&>(*kernel).choosablePlan()->relativeTime();
}

}  // namespace

TEST_CASE("an algorithm for products comes back with what its name does not tell") {
  const auto device = openTestCard();
  if (!device || !device->isSimulated()) return;
  const Matmul matmul = product();
  CHECK(device->createKernel(matmul.graph, matmul.node)->algorithm() == "host");
  // By name, the times of the variants
  std::map<std::string, std::set<double>> times;
  for (const OtherVariant& other : device->otherVariants(matmul.graph, matmul.node)) {
    CAPTURE(other.name);
    const auto kernel = device->createVariant(matmul.graph, matmul.node, other.name);
    REQUIRE(kernel);
    const std::string name(variantName(other.name));
    CHECK(kernel->algorithm() == name);
    CHECK(isVariantData(variantData(other.name)));
    times[name].insert(relativeTimeOf(*device, matmul, other.name));
  }
  // Two algorithms with one name, which alone means the first of them
  CHECK(times["alg1{t2}"] == std::set<double>{1.25, 1.5});
  CHECK(relativeTimeOf(*device, matmul, "alg1{t2}") == 1.25);
  // Timing and choosing keep them apart
  KernelVariants variants;
  const KernelMeasurements measured = timesOf(*device, matmul.graph, variants);
  std::set<std::string> names;
  for (const MeasuredVariant& each : measured.begin()->second)
    CHECK(names.insert(each.variant).second);
  CHECK(names.size() == 4);
  const std::string slow =
      std::ranges::max_element(measured.begin()->second, {}, [](const MeasuredVariant& each) {
        return variantName(each.variant) == "alg1{t2}" ? each.seconds : 0;
      })->variant;
  device->setVariants({{kernelKey(matmul.graph, matmul.node), slow}});
  const auto kernel = SharedKernels::of(*device)->kernelOf(*device, matmul.graph, matmul.node);
  CHECK(dynamic_cast<const cuda::CudaKernel&>(*kernel).choosablePlan()->relativeTime() == 1.5);
  // A person sees and pins the name
  device->setPinned({{"dense", {{"matmul", "alg1{t2}"}}}},
                    [](const std::string& layer) { return layer; });
  CHECK(SharedKernels::of(*device)->kernelOf(*device, matmul.graph, matmul.node)->algorithm() ==
        "alg1{t2}");
}

TEST_CASE("data of an algorithm that do not fit are ignored with a warning, and the name decides") {
  const auto device = openTestCard();
  if (!device || !device->isSimulated()) return;
  const Matmul matmul = product();
  CHECK(relativeTimeOf(*device, matmul, "alg1{t2}#1:07000000") == 1.5);
  // Of another version, truncated, too long, no digits, and of no algorithm with this name
  for (const char* data :
       {"2:07000000", "1:070000", "1:0700000000", "1:0700000g", "07000000", "1:", "1:09000000"}) {
    CAPTURE(data);
    int warnings = 0;
    setLogSink([&](LogLevel level, std::string_view line) {
      if (level == LogLevel::Warning && line.find("alg1{t2}") != std::string_view::npos) ++warnings;
    });
    const std::string variant = std::string("alg1{t2}#") + data;
    for (int i = 0; i < 2; ++i)
      CHECK(relativeTimeOf(*device, matmul, variant) == 1.25);
    setLogSink({});
    CHECK(warnings == 1);
  }
  CHECK_FALSE(device->createVariant(matmul.graph, matmul.node, "alg9#1:07000000"));
}

TEST_CASE("kernels that join the sums of their blocks give the same results when they are timed") {
  const auto device = openTestCard();
  if (!device) return;
  Matmul matmul;
  const Scope scope(matmul.graph, "dense", Phase::Backward, Category::Gradient);
  const ValueId x = matmul.graph.addInput("x", {DType::BF16, Shape{4096, 24}}),
                dy = matmul.graph.addInput("dy", {DType::BF16, Shape{4096, 8}});
  matmul.node = matmul.graph.addNode(opNamed("matmul_bias_gradient"), {x, dy}, {});
  const auto others = device->otherVariants(matmul.graph, matmul.node);
  REQUIRE_FALSE(others.empty());
  const auto measured = device->timeVariants(matmul.graph, matmul.node, others, {10min, true, {}});
  REQUIRE(measured);
  CHECK(measured->size() == others.size() + 1);
  for (const MeasuredVariant& each : *measured) {
    CAPTURE(each.variant);
    CHECK(each.hasSameBits);
  }
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
