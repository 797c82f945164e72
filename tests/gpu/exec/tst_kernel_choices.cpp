// SPDX-License-Identifier: Apache-2.0
// Tests the choice of kernel variants by measured times. The variants of the CPU must give the
// results of the default kernels, except for rounding, and need no more memory.
#include <optional>
#include <thread>

#include <doctest/doctest.h>

#include "gpu/base/thread_pool.h"
#include "gpu/devices/devices.h"
#include "gpu/exec/kernel_choices.h"
#include "gpu/exec/program.h"
#include "gpu/graph/op.h"
#include "gpu/ops/build.h"
#include "gpu/passes/standard_passes.h"
#include "gpu/reference/reference_device.h"
#include "tests/support/random_graph.h"

using namespace strata;
using namespace std::chrono_literals;

namespace {

class SlowKernel final : public HostKernel {
 public:
  SlowKernel(std::unique_ptr<HostKernel> kernel, std::chrono::milliseconds delay, float added,
             std::string name)
      : m_kernel(std::move(kernel)), m_delay(delay), m_added(added), m_name(std::move(name)) {}
  size_t workspaceBytes() const override { return m_kernel->workspaceBytes(); }
  int numStages() const override { return m_kernel->numStages(); }
  void run(const KernelArguments& arguments, int stage, int worker) const override {
    if (m_delay > 0ms) std::this_thread::sleep_for(m_delay);
    m_kernel->run(arguments, stage, worker);
    if (m_added != 0) *reinterpret_cast<float*>(arguments.outputs[0]) += m_added;
  }
  std::string implementation() const override { return m_name; }

 private:
  std::unique_ptr<HostKernel> m_kernel;
  std::chrono::milliseconds m_delay;
  float m_added;
  std::string m_name;
};

/// A device with three kernels for exp. The default kernel is slow, and the variant "other" is
/// faster. The variant "careless" is the fastest, but its first element is wrong.
class ThreeVariants final : public HostDevice {
 public:
  ThreeVariants() : HostDevice({1, 0}) {}
  std::string name() const override { return "three variants"; }
  DeviceTraits traits() const override { return processorTraits(); }
  std::unique_ptr<HostKernel> createHostKernel(const Graph& graph, NodeId node) override {
    return std::make_unique<SlowKernel>(createReferenceKernel(graph, node, 1),
                                        hasSlowRule ? kSlow : 0ms, 0.f, "rule");
  }
  std::vector<OtherVariant> otherVariants(const Graph& graph, NodeId node) const override {
    if (graph.node(node).op->name != "exp") return {};
    return {{"other", true}, {"careless", true}};
  }
  std::unique_ptr<HostKernel> createHostVariant(const Graph& graph, NodeId node,
                                                std::string_view variant) override {
    ++numMade;
    if (variant != "other" && variant != "careless") return nullptr;
    const bool isCareless = variant == "careless";
    return std::make_unique<SlowKernel>(createReferenceKernel(graph, node, 1),
                                        isCareless     ? 0ms
                                        : hasSlowOther ? kSlow
                                                       : 1ms,
                                        isCareless ? 1.f : 0.f, std::string(variant));
  }
  static constexpr std::chrono::milliseconds kSlow = 4ms;
  bool hasSlowRule = true, hasSlowOther = false;
  int numMade = 0;
};

/// A device like a card, whose variants are algorithms of a library. It notes how much time it gets
/// to time them, and times none.
class LikeCard final : public HostDevice {
 public:
  LikeCard() : HostDevice({1, 0}) {}
  std::string name() const override { return "like a card"; }
  DeviceTraits traits() const override { return processorTraits(); }
  std::unique_ptr<HostKernel> createHostKernel(const Graph& graph, NodeId node) override {
    return createReferenceKernel(graph, node, 1);
  }
  bool variantsAreAlike() const override { return false; }
  std::vector<OtherVariant> otherVariants(const Graph& graph, NodeId node) const override {
    if (graph.node(node).op->name != "exp") return {};
    return {{"fast", false}, {"slow", false}};
  }
  std::optional<std::vector<MeasuredVariant>> timeVariants(const Graph&, NodeId,
                                                           const std::vector<OtherVariant>&,
                                                           const TimingOptions& options) override {
    budgets.push_back(options.budget);
    return std::vector<MeasuredVariant>{{"", 1e-3, true}, {"fast", 0, false}, {"slow", 0, false}};
  }
  std::vector<std::chrono::nanoseconds> budgets;
};

Graph expGraph(int64_t size = 8) {
  Graph g;
  g.addOutput("y", exp(g, negate(g, g.addInput("x", {DType::F32, {size}}))));
  return g;
}

std::string implementationOfExp(Device& device) {
  State state(device);
  const auto program = Program::build(expGraph(), device, state);
  return program->implementations().back();
}

/// Runs a graph on a device with the values of randomInputs().
Evaluation runOn(Device& device, const Graph& graph, uint64_t seed) {
  State state(device);
  auto program = Program::build(graph, device, state);
  program->bind();
  for (const auto& [name, tensor] : randomInputs(graph, seed))
    program->writeInput(name, tensor);
  for (const auto& [name, tensor] : randomVariables(graph, seed))
    state.write(name, tensor);
  program->run();
  Evaluation result;
  for (const NamedValue& output : graph.outputs())
    result.outputs[output.name] = program->readOutput(output.name);
  for (const Variable& variable : graph.variables())
    result.variables[variable.name] = state.read(variable.name);
  return result;
}

/// Chooses the last variant of every node that has variants.
KernelVariants lastVariants(Device& device, const Graph& graph) {
  KernelVariants variants;
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (node.op->kind == OpKind::Source || node.op->kind == OpKind::View) continue;
    const std::vector<OtherVariant> others = device.otherVariants(graph, id);
    for (const OtherVariant& other : others)
      if (device.createVariant(graph, id, other.name)) variants[kernelKey(graph, id)] = other.name;
  }
  return variants;
}

}  // namespace

TEST_SUITE("choice of kernels") {
  TEST_CASE("the best measured kernel is chosen if it is clearly better and allowed") {
    const std::vector<MeasuredVariant> variants{{"", 1e-3, true},
                                                {"a", 0.8e-3, true},
                                                {"b", 0.5e-3, false},
                                                {"c", 0.7e-3, true},
                                                {"d", 0, true}};
    CHECK(bestVariant(variants, KernelChoice::Rule) == "");
    CHECK(bestVariant(variants, KernelChoice::SameBits) == "c");
    CHECK(bestVariant(variants, KernelChoice::Fastest) == "b");
    // A difference of 5% may be noise, so the default kernel stays.
    CHECK(bestVariant({{"", 1e-3, true}, {"a", 0.95e-3, true}}, KernelChoice::Fastest) == "");
    CHECK(bestVariant({}, KernelChoice::Fastest) == "");
  }

  TEST_CASE("each kernel of a card gets a share of the time for timing, and a long one more") {
    LikeCard device;
    Graph g;
    // Two of one size, which are one kernel
    for (const int64_t size : {100'000, 7, 7, 8}) {
      const std::string number = std::to_string(g.outputs().size());
      g.addOutput("y" + number, exp(g, g.addInput("x" + number, {DType::F32, {size}})));
    }
    KernelChooser chooser(device, KernelChoice::Fastest);
    chooser.measure(6s);
    PassReport report;
    chooser.choose(g, report);
    REQUIRE(device.budgets.size() == 3);
    // Half of the time is divided equally, and nearly all of the rest belongs to the first one
    CHECK(device.budgets[0] > 3900ms);
    CHECK(device.budgets[0] < 4000ms);
    for (size_t i = 1; i < device.budgets.size(); ++i)
      CHECK(device.budgets[i] > 1000ms);
  }

  TEST_CASE("programs use measured choices, and variants with different bits only if allowed") {
    for (const KernelChoice how : {KernelChoice::SameBits, KernelChoice::Fastest}) {
      ThreeVariants device;
      std::optional<KernelChooser> tried;
      PassReport report;
      // On a busy machine the first measurements may be rejected.
      for (int i = 0; i < 100 && !(tried && tried->hasMeasured()); ++i) {
        tried.emplace(device, how);
        tried->measure(10s);
        report = {};
        tried->choose(expGraph(), report);
      }
      KernelChooser& chooser = *tried;
      CHECK(report.rewrites == 1);
      REQUIRE(report.details.size() == 1);
      CHECK(report.details[0].find(how == KernelChoice::Fastest ? "careless" : "other") !=
            std::string::npos);
      CHECK(implementationOfExp(device) == (how == KernelChoice::Fastest ? "careless" : "other"));
      CHECK(chooser.hasMeasured());
      // Another chooser uses these measurements without measuring again.
      ThreeVariants second;
      KernelChooser knowing(second, KernelChoice::SameBits);
      knowing.know(chooser.measurements());
      PassReport again;
      knowing.choose(expGraph(), again);
      CHECK(!knowing.hasMeasured());
      CHECK(implementationOfExp(second) == "other");
      PassReport ofOther;
      // There are no measurements for this size.
      knowing.choose(expGraph(9), ofOther);
      CHECK(ofOther.rewrites == 0);
    }
  }

  TEST_CASE(
      "the default rule is used without measurements, if it is as fast, and in runs that used it") {
    ThreeVariants device;
    KernelChooser without(device, KernelChoice::Fastest);
    PassReport report;
    without.choose(expGraph(), report);
    CHECK(report.rewrites == 0);
    CHECK(implementationOfExp(device) == "rule");
    CHECK(device.numMade == 0);
    KernelChooser limited(device, KernelChoice::Fastest);
    // The limit of 64 bytes is too small for a trial, which needs as much memory as the step.
    limited.measure(10s, {}, 64);
    limited.choose(expGraph(), report);
    CHECK(report.rewrites == 0);
    CHECK(device.numMade == 0);

    ThreeVariants even;
    even.hasSlowOther = true;
    KernelChooser chooser(even, KernelChoice::SameBits);
    chooser.measure(10s);
    chooser.choose(expGraph(), report);
    CHECK(implementationOfExp(even) == "rule");

    ThreeVariants continued;
    KernelChooser fixed(continued, KernelChoice::SameBits);
    fixed.fix({});
    fixed.measure(10s);
    fixed.choose(expGraph(), report);
    CHECK(implementationOfExp(continued) == "rule");
    KernelChooser other(continued, KernelChoice::SameBits);
    other.fix({{kernelKey(expGraph(), expGraph().order().back()), "careless"}});
    CHECK(implementationOfExp(continued) == "careless");
  }

  TEST_CASE(
      "variants of the CPU have the results and memory of the default, and a wrong variant is "
      "detected") {
    const auto rule = openDevice("cpu", {2, 0}), other = openDevice("cpu", {2, 0});
    int64_t taken = 0, fired = 0;
    bool isCaught = false;
    for (uint64_t seed = 1; seed <= 500; ++seed) {
      const Graph graph = randomGraph(seed, DType::F32);
      const KernelVariants variants = lastVariants(*other, graph);
      taken += static_cast<int64_t>(variants.size());
      fired += !variants.empty();
      KernelChooser chooser(*other, KernelChoice::Fastest);
      chooser.fix(variants);
      PassReport report;
      chooser.choose(graph, report);
      CHECK((report.rewrites > 0) == !variants.empty());
      CHECK(planProgram(graph, *other).peakBytes() == planProgram(graph, *rule).peakBytes());
      CAPTURE(seed);
      const Evaluation plain = runOn(*rule, graph, seed);
      // The variants may add in another order, which changes the rounding.
      CHECK(largestDifference(plain, runOn(*other, graph, seed)) <= 1e-4);
      if (seed > 20 || isCaught) continue;
      ThreeVariants careless;
      careless.hasSlowRule = false;
      KernelVariants wrong;
      for (const NodeId id : graph.order())
        if (graph.node(id).op->name == "exp") wrong[kernelKey(graph, id)] = "careless";
      careless.setVariants(wrong);
      isCaught = largestDifference(plain, runOn(careless, graph, seed)) > 1e-4;
    }
    MESSAGE("choose_kernels: " << taken << " kernels in " << fired
                               << " of 500 graphs use another variant");
    CHECK(fired >= 50);
    CHECK(isCaught);
  }

  TEST_CASE("a 1x1 convolution as a product has the values of the convolution") {
    for (const int workers : {1, 2, 3}) {
      const auto device = openDevice("cpu", {workers, 0}), plain = openDevice("reference", {1, 0});
      Graph g;
      const ValueId x = g.addInput("x", {DType::F32, {3, 5, 7, 24}}),
                    w = g.addInput("w", {DType::F32, {1, 1, 24, 40}}),
                    b = g.addInput("b", {DType::F32, {40}});
      Attributes attributes;
      attributes.set("activation", std::string("tanh"));
      g.addOutput("y", g.add(opNamed("conv2d"), {x, w, b}, attributes));
      const ValueId dy = g.addInput("dy", {DType::F32, {3, 5, 7, 40}});
      g.addOutput("dx", g.add(opNamed("conv2d_backward_data"), {dy, w},
                              {{"input_shape", std::vector<int64_t>{3, 5, 7, 24}}}));
      g.addOutput("dw", g.add(opNamed("conv2d_backward_weights"), {x, dy},
                              {{"weight_shape", std::vector<int64_t>{1, 1, 24, 40}}}));
      KernelVariants variants;
      for (const NodeId id : g.order())
        for (const char* variant : {"product", "direct"})
          if (g.node(id).op->kind == OpKind::Compute && device->createVariant(g, id, variant))
            variants[kernelKey(g, id)] = variant;
      CHECK(variants.size() == 3);
      const Evaluation byRule = runOn(*device, g, 3);
      CHECK(largestDifference(byRule, runOn(*plain, g, 3)) <= 1e-5);
      const size_t peak = planProgram(g, *device).peakBytes();
      device->setVariants(variants);
      CHECK(planProgram(g, *device).peakBytes() == peak);
      CHECK(largestDifference(runOn(*device, g, 3), runOn(*plain, g, 3)) <= 1e-5);
    }
  }
}
