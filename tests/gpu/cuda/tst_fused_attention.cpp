// SPDX-License-Identifier: Apache-2.0
// Attention of cards: which kernels compute which shapes, that parts give the bits of one call,
// and sums in any order. Plans of cuDNN are skipped where it is not installed.
// Not here: the values of one call (tst_library_calls.cpp).
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "gpu/base/error.h"
#include "gpu/exec/program.h"
#include "gpu/graph/op.h"
#include "gpu/ops/build.h"
#include "gpu/ops/registry.h"
#include "tests/gpu/cuda/test_card.h"
#include "tests/support/paths.h"
#include "tests/support/skip.h"

TEST_SUITE_BEGIN("fused attention");

namespace strata::test {
namespace {

struct Sizes {
  int64_t batch, steps, heads, size;
};

/// Attention with its gradient, whose results are the outputs y, dq, dk and dv.
struct AttentionStep {
  Graph graph;
  NodeId forward, backward;

  explicit AttentionStep(Sizes sizes, DType dtype = DType::BF16, AttentionOptions options = {},
                         int64_t keyHeads = 0) {
    const Scope scope(graph, "attention", Phase::Forward, Category::Activation);
    const Shape shape{sizes.batch, sizes.steps, sizes.heads, sizes.size};
    Shape ofKeys = shape;
    if (keyHeads > 0) ofKeys = Shape{sizes.batch, sizes.steps, keyHeads, sizes.size};
    const ValueId q = graph.addInput("q", {dtype, shape}), k = graph.addInput("k", {dtype, ofKeys}),
                  v = graph.addInput("v", {dtype, ofKeys}),
                  dy = graph.addInput("dy", {dtype, shape});
    options.scale = 0.5;
    const ValueId y = attention(graph, q, k, v, options);
    forward = graph.value(y).producer;
    const std::vector<ValueId> made = graph.node(forward).outputs;
    std::vector<ValueId> inputs{q, k, v, made[0], made[1], dy};
    const std::vector<ValueId> given = graph.node(forward).inputs;
    inputs.insert(inputs.end(), given.begin() + 3, given.end());
    backward = graph.addNode(opNamed("attention_backward"), inputs, graph.node(forward).attributes);
    graph.addOutput("y", y);
    const std::vector<ValueId> gradients = graph.node(backward).outputs;
    for (size_t i = 0; i < gradients.size(); ++i)
      graph.addOutput(std::string("d") + "qkv"[i], gradients[i]);
  }
};

Tensor operandOf(const TensorType& type, unsigned seed) {
  Tensor values(DType::F32, type.shape);
  for (float& value : values.as<float>()) {
    seed = seed * 1664525u + 1013904223u;
    value = static_cast<float>(seed >> 16) / 32768.0f - 1.0f;
  }
  return values.converted(type.dtype);
}

/// Runs a step three times and returns the results of the last one.
std::map<std::string, Tensor> resultsOn(Device& device, const AttentionStep& step) {
  State state(device);
  auto program = Program::build(step.graph, device, state);
  program->bind();
  unsigned seed = 1;
  for (const NamedValue& input : step.graph.inputs())
    program->writeInput(input.name, operandOf(step.graph.type(input.value), seed++));
  for (int run = 0; run < 3; ++run)
    program->run();
  std::map<std::string, Tensor> results;
  for (const NamedValue& output : step.graph.outputs())
    results[output.name] = program->readOutput(output.name);
  return results;
}

cuda::CudaDevice& cudaOf(Device& device) { return dynamic_cast<cuda::CudaDevice&>(device); }

std::string pathOn(Device& device, const Graph& graph, NodeId id) {
  const KernelPath path = device.createKernel(graph, id)->path();
  std::string text = path.name.source;
  for (const std::string& each : path.nameArguments)
    text += " [" + each + "]";
  if (!path.reason.isEmpty()) text += std::string(" because ") + path.reason.source;
  return text;
}

/// Returns a device on a card that cuDNN knows, or null where cuDNN or the plug-in is missing.
std::unique_ptr<Device> openCatalogued(const std::string& file, int minor, size_t gibibytes) {
  if (!canRun(cuda::pluginProblem())) return nullptr;
  CardData card = testCard("attention on " + file);
  card.major = file == "h100" ? 9 : 8;
  card.minor = minor;
  card.memoryBytes = gibibytes << 30;
  std::stringstream properties;
  properties
      << std::ifstream(sourceDir() / "resources" / "cudnn-devices" / (file + ".json")).rdbuf();
  card.cudnnProperties = properties.str();
  auto device = makeSimulatedDevice(card, {.threads = 1});
  for (const auto& [what, version] : device->versions())
    if (what == "cuDNN" && !version.empty()) return device;
  canRun("cuDNN is not installed");
  return nullptr;
}

}  // namespace

TEST_CASE("attention in bf16 is fused for all usual steps and batches") {
  for (const auto& [file, minor, gibibytes] :
       {std::tuple("h100", 0, size_t{80}), {"rtx4090", 9, size_t{24}}}) {
    const auto device = openCatalogued(file, minor, gibibytes);
    if (!device) return;
    const size_t limit = cardOf(*device).attentionLimit();
    CHECK(limit >= cuda::Card::kWorkspaceLimit);
    size_t most = 0;
    for (const int64_t steps : {128, 256, 512, 1024, 2048, 4096})
      for (const int64_t batch : {1, 3, 11, 64}) {
        CAPTURE(std::string(file));
        CAPTURE(steps);
        CAPTURE(batch);
        const AttentionStep step({batch, steps, 12, 64});
        CHECK(pathOn(*device, step.graph, step.forward) == "cuDNN fused");
        const auto backward = device->createKernel(step.graph, step.backward);
        CHECK(backward->implementation().starts_with("cuDNN eng"));
        CHECK(std::string_view(backward->path().name.source).starts_with("cuDNN fused"));
        CHECK(backward->path().isDeterministic);
        CHECK(backward->workspaceBytes() <= limit);
        most = std::max(most, backward->workspaceBytes());
      }
    MESSAGE(std::string(file) << ": largest workspace " << (most >> 20) << " MiB of "
                              << (limit >> 20));
  }
}

TEST_CASE("attention that adds in any order is fused with less workspace") {
  const auto device = openCatalogued("h100", 0, 80);
  if (!device) return;
  const AttentionStep step({3, 4096, 12, 64});
  const size_t deterministic = device->createKernel(step.graph, step.backward)->workspaceBytes();
  cudaOf(*device).setAddsInAnyOrder(true);
  const auto kernel = device->createKernel(step.graph, step.backward);
  CHECK(std::string(kernel->path().name.source) == "cuDNN fused, not deterministic");
  CHECK_FALSE(kernel->path().isDeterministic);
  CHECK(kernel->implementation().find("not deterministic") != std::string::npos);
  CHECK(kernel->workspaceBytes() < deterministic);
  // At least the sums of dq
  CHECK(kernel->workspaceBytes() >= size_t{3 * 4096 * 12 * 64} * sizeof(float));
  CHECK(device->createKernel(step.graph, step.forward)->path().isDeterministic);
}

TEST_CASE("parts of attention have the bits of one call") {
  // The last two have statistics that begin at multiples of 16 bytes only for some parts
  for (const Sizes sizes :
       {Sizes{7, 8, 4, 8}, {1, 12, 6, 16}, {3, 16, 5, 8}, {9, 5, 3, 8}, {1, 10, 7, 8}}) {
    CAPTURE(sizes.batch);
    CAPTURE(sizes.heads);
    for (const bool isCausal : {false, true}) {
      AttentionOptions options;
      options.isCausal = isCausal;
      const AttentionStep step(sizes, DType::BF16, options);
      const auto device = openNewTestCard();
      if (!device) return;
      const auto whole = resultsOn(*device, step);
      const size_t bytes = device->createKernel(step.graph, step.backward)->workspaceBytes();
      REQUIRE(bytes > 0);
      for (const bool addsInAnyOrder : {false, true}) {
        cudaOf(*device).setAddsInAnyOrder(addsInAnyOrder);
        CAPTURE(addsInAnyOrder);
        size_t numParts = 0;
        for (const size_t share : {2, 3, 5}) {
          cudaOf(*device).setAttentionLimit(cuda::Card::kWorkspaceLimit);
          const size_t all = device->createKernel(step.graph, step.backward)->workspaceBytes();
          cudaOf(*device).setAttentionLimit(all / share);
          CAPTURE(share);
          const auto kernel = device->createKernel(step.graph, step.backward);
          if (std::string_view(kernel->path().name.source) == "own kernel") continue;
          CHECK(kernel->workspaceBytes() <= all / share);
          REQUIRE(kernel->path().nameArguments.size() == 1);
          numParts = std::max<size_t>(numParts, std::stoul(kernel->path().nameArguments[0]));
          for (const auto& [name, tensor] : resultsOn(*device, step)) {
            CAPTURE(name);
            CHECK(tensor.isBitEqual(whole.at(name)));
          }
        }
        CHECK(numParts >= 2);
      }
    }
  }
}

TEST_CASE("sums of attention in any order begin at zero") {
  const AttentionStep step({2, 8, 3, 8});
  const auto device = openNewTestCard();
  if (!device) return;
  const auto expected = resultsOn(*device, step);
  cudaOf(*device).setAddsInAnyOrder(true);
  REQUIRE_FALSE(device->createKernel(step.graph, step.backward)->path().isDeterministic);
  for (const auto& [name, tensor] : resultsOn(*device, step)) {
    CAPTURE(name);
    CHECK(tensor.isBitEqual(expected.at(name)));
  }
}

TEST_CASE("attention says which kernels compute it and why") {
  const auto pathsOf = [](const AttentionStep& step, int major = 9) {
    CardData data = testCard("paths of compute capability " + std::to_string(major));
    data.major = major;
    data.memoryBytes = size_t{1} << 30;
    const auto device = makeSimulatedDevice(data, {.threads = 1});
    std::string forward = pathOn(*device, step.graph, step.forward);
    CHECK(pathOn(*device, step.graph, step.backward) == forward);
    return forward;
  };
  if (!canRun(cuda::pluginProblem())) return;
  const Sizes sizes{2, 8, 4, 16};
  CHECK(pathsOf(AttentionStep(sizes)) == "cuDNN fused");
  CHECK(pathsOf(AttentionStep(sizes, DType::F32)) ==
        "own kernel because cuDNN has no attention in float32");
  CHECK(pathsOf(AttentionStep(sizes, DType::F16), 7) ==
        "own kernel because the compute capability of the card is below 8.0");
  CHECK(pathsOf(AttentionStep(sizes, DType::BF16, {}, 2)) ==
        "own kernel because the layer has groups of heads");
  CHECK(pathsOf(AttentionStep({2, 8, 4, 12})) ==
        "own kernel because cuDNN has no engine for this shape");

  const auto device = openNewTestCard();
  const AttentionStep step(sizes);
  cudaOf(*device).setAttentionLimit(16);
  CHECK(pathOn(*device, step.graph, step.forward) == "cuDNN fused");
  CHECK(pathOn(*device, step.graph, step.backward) ==
        "own kernel because a workspace of %1 exceeds the limit of %2");
}

TEST_CASE("the limit of attention depends on the whole memory of the card") {
  const auto limitOf = [](size_t gibibytes) {
    CardData data = testCard("card of " + std::to_string(gibibytes) + " GiB");
    data.memoryBytes = gibibytes << 30;
    const auto device = makeSimulatedDevice(data, {.threads = 1});
    const size_t limit = cardOf(*device).attentionLimit();
    // Memory in use changes nothing
    const DeviceMemory used(*device, size_t{64} << 20);
    CHECK(cardOf(*device).attentionLimit() == limit);
    return limit >> 20;
  };
  if (!canRun(cuda::pluginProblem())) return;
  CHECK(limitOf(8) == 256);
  CHECK(limitOf(24) == 384);
  CHECK(limitOf(80) == 1280);
}

}  // namespace strata::test

TEST_SUITE_END();
