// SPDX-License-Identifier: Apache-2.0
// Tests that passes keep the results of random steps on the reference kernels. Passes that only
// move work must keep every bit. If a pass changes arithmetic, float64 results may differ by
// rounding, and the error in float32 may at most double, plus 1e-6. Each pass must rewrite at least
// a tenth of the graphs, and the checks must detect deliberately broken copies of passes.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "gpu/cpu/passes/pooled_gradients.h"
#include "gpu/devices/devices.h"
#include "gpu/exec/program.h"
#include "gpu/graph/op.h"
#include "gpu/graph/verify.h"
#include "gpu/ops/build.h"
#include "gpu/ops/fused_pointwise.h"
#include "gpu/passes/rewrite.h"
#include "gpu/passes/standard_passes.h"
#include "tests/gpu/passes/made_up_layouts.h"
#include "tests/support/pass_options.h"
#include "tests/support/random_graph.h"

using namespace strata;

namespace {

using Run = void (*)(Graph&, PassReport&);
constexpr double kRounding = 1e-11;

#ifdef NDEBUG
constexpr int kGraphs = 500;
#else
// Sanitizer builds are slow, so they test fewer graphs.
constexpr int kGraphs = 100;
#endif

/// A random training step in f32 and f64, with its results. Both types have the same inputs.
struct Sample {
  Graph graph, graph32;
  NamedTensors inputs, variables, inputs32, variables32;
  Evaluation expected, plain32;
};

NamedTensors widened(const NamedTensors& tensors) {
  NamedTensors result;
  for (const auto& [name, tensor] : tensors) {
    if (tensor.dtype() != DType::F32) {
      result[name] = tensor;
      continue;
    }
    Tensor wide(TensorType{DType::F64, tensor.type().shape});
    std::copy(tensor.as<float>().begin(), tensor.as<float>().end(), wide.as<double>().begin());
    result[name] = std::move(wide);
  }
  return result;
}

Sample sampleOf(uint64_t seed) {
  Sample sample{
      randomGraph(seed, DType::F64), randomGraph(seed, DType::F32), {}, {}, {}, {}, {}, {}};
  sample.inputs32 = randomInputs(sample.graph32, seed);
  sample.variables32 = randomVariables(sample.graph32, seed);
  sample.inputs = widened(sample.inputs32);
  sample.variables = widened(sample.variables32);
  sample.expected = evaluateGraph(sample.graph, sample.inputs, sample.variables);
  sample.plain32 = evaluateGraph(sample.graph32, sample.inputs32, sample.variables32);
  return sample;
}

double errorOf(const Evaluation& f32, const Evaluation& f64) {
  Evaluation wide;
  wide.outputs = widened(f32.outputs);
  wide.variables = widened(f32.variables);
  return largestDifference(wide, f64);
}

std::string number(double value) { return std::to_string(value * 1e9) + "e-9"; }

/// Returns "" if the error of `got` is at most twice that of `plain` plus 1e-6. Otherwise returns a
/// text with both errors.
std::string compareErrors(const Evaluation& plain, const Evaluation& got, const Evaluation& exact) {
  const double before = errorOf(plain, exact), after = errorOf(got, exact);
  return after <= 2 * before + 1e-6 ? ""
                                    : "error in f32 " + number(before) + " -> " + number(after);
}

struct Outcome {
  // The first difference, or "" if there is none.
  std::string problem;
  // The number of graphs that the pass rewrote.
  int fired = 0;
};

/// The types in which a pass keeps every bit. F64 is for passes that round a fused f32 value once
/// instead of twice.
enum class Exactness { None, F64, AllTypes };

/// Runs the pass on both graphs of a sample. Returns a text that describes the problem, or "" if
/// there is none.
std::string tryOn(const Sample& sample, Run run, Exactness exactness, int& rewrites) {
  try {
    Graph after = sample.graph;
    PassReport report;
    run(after, report);
    rewrites = report.rewrites;
    verify(after);
    const Evaluation got = evaluateGraph(after, sample.inputs, sample.variables);
    Graph after32 = sample.graph32;
    PassReport ignored;
    run(after32, ignored);
    const Evaluation got32 = evaluateGraph(after32, sample.inputs32, sample.variables32);
    if (exactness != Exactness::None) {
      const std::string problem = firstBitDifference(sample.expected, got);
      if (!problem.empty() || exactness == Exactness::AllTypes)
        return !problem.empty() ? problem : firstBitDifference(sample.plain32, got32);
    }
    if (const double difference = largestDifference(sample.expected, got); difference > kRounding)
      return "difference " + number(difference);
    return compareErrors(sample.plain32, got32, sample.expected);
  }
  catch (const std::exception& error) {
    return error.what();
  }
}

Outcome tryPass(Run run, bool isBitExact, int graphs = 150) {
  Outcome outcome;
  for (uint64_t seed = 1; seed <= static_cast<uint64_t>(graphs) && outcome.problem.empty();
       ++seed) {
    int rewrites = 0;
    outcome.problem =
        tryOn(sampleOf(seed), run, isBitExact ? Exactness::AllTypes : Exactness::None, rewrites);
    outcome.fired += rewrites > 0;
    if (!outcome.problem.empty())
      outcome.problem = "seed " + std::to_string(seed) + ": " + outcome.problem;
  }
  return outcome;
}

template <void (*pass)(Graph&, const DeviceTraits&, PassReport&)>
void onProcessor(Graph& graph, PassReport& report) {
  pass(graph, processorTraits(), report);
}

/// Runs a pass that only cards want.
template <void (*pass)(Graph&, const DeviceTraits&, PassReport&)>
void onCard(Graph& graph, PassReport& report) {
  DeviceTraits device = allPasses().device;
  device.sumsBiasGradients = device.addsToProducts = device.joinsUpdates = true;
  pass(graph, device, report);
}

/// Fuses the losses that fuse_softmax_cross_entropy has made. Only their rewrites count.
void fuseStableLoss(Graph& graph, PassReport& report) {
  PassReport ignored;
  fuseSoftmaxCrossEntropy(graph, ignored);
  onCard<fuseLoss>(graph, report);
}

void foldAll(Graph& graph, PassReport& report) { foldConstants(graph, report, evaluateOp); }

void recomputeAll(Graph& graph, PassReport& report) {
  RecomputeOptions options;
  options.how = Recompute::All;
  recompute(graph, report, options);
}

/// Runs a sample with the kernels of the CPU device.
Evaluation runOnCpu(Device& device, const Graph& graph, const Sample& sample, bool inPlace,
                    const std::function<void(MemoryPlan&)>& alterPlan = {}) {
  State state(device);
  auto program = Program::build(graph, device, state, inPlace, alterPlan);
  program->bind();
  for (const NamedValue& input : graph.inputs())
    program->writeInput(input.name, sample.inputs32.at(input.name));
  for (const auto& [name, tensor] : sample.variables32)
    state.write(name, tensor);
  program->run();
  Evaluation result;
  for (const NamedValue& output : graph.outputs())
    result.outputs[output.name] = program->readOutput(output.name);
  for (const Variable& variable : graph.variables())
    result.variables[variable.name] = state.read(variable.name);
  return result;
}

// --- Broken copies of passes, each with one mistake

void dropsUpdates(Graph& graph, PassReport&) {
  for (const Variable& variable : graph.variables()) {
    if (!variable.next.isValid()) continue;
    const NodeId writer = graph.value(variable.next).producer;
    graph.setNext(variable.name, variable.value);
    graph.edit().removeNode(writer);
  }
}

void mergesConstantsByType(Graph& graph, PassReport&) {
  std::vector<ValueId> seen;
  const std::vector<NodeId> order = graph.order();
  for (NodeId id : order) {
    if (graph.node(id).op->name != "constant") continue;
    const ValueId value = graph.node(id).outputs[0];
    const auto same = std::find_if(seen.begin(), seen.end(), [&](ValueId other) {
      return graph.type(other) == graph.type(value);
    });
    if (same == seen.end())
      seen.push_back(value);
    else
      graph.edit().replaceAllUses(value, *same);
  }
}

/// Removes the residual addition, and then fuses normalization and relu.
void dropsShortcuts(Graph& graph, PassReport& report) {
  const std::vector<NodeId> order = graph.order();
  for (NodeId id : order) {
    const Node node = graph.node(id);
    if (node.op->name == "add" && producerOf(graph, node.inputs[0]).op->name == "batch_norm")
      graph.edit().replaceAllUses(node.outputs[0], node.inputs[0]);
  }
  fuseBatchNorm(graph, processorTraits(), report);
}

void foldsToFirstOperand(Graph& graph, PassReport&) {
  const std::vector<NodeId> order = graph.order();
  for (NodeId id : order) {
    const Node node = graph.node(id);
    if (node.inputs.size() != 2 || node.outputs.size() != 1) continue;
    if (producerOf(graph, node.inputs[0]).payload && producerOf(graph, node.inputs[1]).payload &&
        graph.type(node.inputs[0]) == graph.type(node.outputs[0]))
      graph.edit().replaceAllUses(node.outputs[0], node.inputs[0]);
  }
}

void dropsEveryAddition(Graph& graph, PassReport&) {
  const std::vector<NodeId> order = graph.order();
  for (NodeId id : order) {
    const Node node = graph.node(id);
    if (node.op->name == "add" && splatOf(graph, node.inputs[1]) &&
        graph.type(node.inputs[0]) == graph.type(node.outputs[0]))
      graph.edit().replaceAllUses(node.outputs[0], node.inputs[0]);
  }
}

void joinsAffinesWithoutOffset(Graph& graph, PassReport&) {
  const std::vector<NodeId> order = graph.order();
  for (NodeId id : order) {
    const Node node = graph.node(id);
    if (node.op->name != "affine" || producerOf(graph, node.inputs[0]).op->name != "affine")
      continue;
    const Node inner = producerOf(graph, node.inputs[0]);
    Attributes attributes = node.attributes;
    attributes.set("scale",
                   node.attributes.get<double>("scale") * inner.attributes.get<double>("scale"));
    const ReplacementScope scope(graph, id);
    graph.edit().replaceAllUses(node.outputs[0],
                                graph.add(*node.op, {inner.inputs[0]}, attributes));
  }
}

void fusesActivationWithoutBias(Graph& graph, PassReport&) {
  const std::vector<NodeId> order = graph.order();
  for (NodeId id : order) {
    const Node node = graph.node(id);
    if (node.op->name != "add" || producerOf(graph, node.inputs[0]).op->name != "matmul" ||
        graph.type(node.inputs[0]) != graph.type(node.outputs[0]))
      continue;
    graph.edit().replaceAllUses(node.outputs[0], node.inputs[0]);
  }
}

void fusesOverOtherReaders(Graph& graph, PassReport&) {
  const std::vector<NodeId> order = graph.order();
  for (NodeId id : order) {
    const Node node = graph.node(id);
    if (node.op->name != "activation" || producerOf(graph, node.inputs[0]).op->name != "add")
      continue;
    // Ops that read the value before the activation now read the value after it.
    graph.edit().replaceAllUses(node.inputs[0], node.outputs[0]);
    graph.edit().setInput(id, 0, node.inputs[0]);
  }
}

/// Makes every fused product use the weights of the first product.
void joinsWithTheFirstWeights(Graph& graph, PassReport& report) {
  fuseSiblings(graph, processorTraits(), report);
  for (NodeId id : graph.order()) {
    const Node node = graph.node(id);
    if (node.op->name != "matmul_siblings") continue;
    const size_t each = node.attributes.get<bool>("has_bias") ? 2 : 1;
    for (size_t i = 1 + each; i < node.inputs.size(); i += each)
      graph.edit().setInput(id, static_cast<int>(i), node.inputs[1]);
  }
}

/// Exchanges the operands of the product, which transposes the gradient.
void fusesUpdateTransposed(Graph& graph, PassReport& report) {
  fuseUpdate(graph, processorTraits(), report);
  for (NodeId id : graph.order()) {
    const Node node = graph.node(id);
    if (!node.op->name.starts_with("matmul_") ||
        graph.type(node.inputs[1]) != graph.type(node.inputs[2]))
      continue;
    graph.edit().setInput(id, 1, node.inputs[2]);
    graph.edit().setInput(id, 2, node.inputs[1]);
  }
}

void swapsNeighbours(Graph& graph, PassReport&) {
  std::vector<NodeId> order = graph.order();
  std::swap(order[order.size() - 1], order[order.size() - 3]);
  graph.edit().setOrder(order);
}

void updatesFirst(Graph& graph, PassReport&) {
  for (const Variable& variable : graph.variables()) {
    if (!variable.next.isValid()) continue;
    const std::vector<NodeId> order = graph.order();
    for (NodeId id : order)
      if (const std::vector<ValueId>& inputs = graph.node(id).inputs;
          std::find(inputs.begin(), inputs.end(), variable.value) != inputs.end() &&
          graph.node(id).op->kind != OpKind::Update) {
        // This op reads the variable after its update.
        graph.addNode(opNamed("exp"), {variable.value});
        return;
      }
  }
}

/// Exchanges the operands of differences, as if they were sums.
void ordersDifferences(Graph& graph, PassReport& report) {
  canonicalize(graph, report);
  for (NodeId id : std::vector<NodeId>(graph.order())) {
    const Node node = graph.node(id);
    if (node.op->name != "subtract" || graph.type(node.inputs[0]) != graph.type(node.inputs[1]))
      continue;
    graph.edit().setInput(id, 0, node.inputs[1]);
    graph.edit().setInput(id, 1, node.inputs[0]);
  }
}

void fusesWithAnotherStep(Graph& graph, PassReport& report) {
  fusePointwise(graph, processorTraits(), report);
  for (NodeId id : graph.order()) {
    if (graph.node(id).op->name != "fused_pointwise") continue;
    const int inputs = static_cast<int>(graph.node(id).inputs.size());
    std::vector<PointwiseStep> steps =
        parsePointwise(graph.node(id).attributes.get<std::string>("program"), inputs);
    PointwiseStep& last = steps.back();
    if (last.operands.size() == 2) std::swap(last.operands[0], last.operands[1]);
    if (last.op == "add" || last.op == "multiply") last.op = "subtract";
    if (last.op == "activation") last.kind = "softsign";
    if (last.op == "affine") last.first += 1;
    if (last.op == "exp" || last.op == "square") last.op = "negate";
    graph.edit().mutableNode(id).attributes.set("program", printPointwise(steps, inputs));
  }
}

void dropsActivationOfPool(Graph& graph, PassReport& report) {
  fusePooling(graph, processorTraits(), report);
  for (NodeId id : graph.order())
    if (graph.node(id).op->name == "max_pool2d")
      graph.edit().mutableNode(id).attributes.set("activation", std::string("linear"));
}

void dropsSlopeOfPool(Graph& graph, PassReport& report) {
  cpu::poolGradientsFirst(graph, report);
  for (NodeId id : std::vector<NodeId>(graph.order())) {
    const Node node = graph.node(id);
    if (node.op->name != "max_pool2d_backward" ||
        producerOf(graph, node.inputs[0]).op->name != "activation_backward")
      continue;
    graph.edit().setInput(id, 0, producerOf(graph, node.inputs[0]).inputs[0]);
  }
}

void forgetsUpstreamOfCrossEntropy(Graph& graph, PassReport& report) {
  fuseSoftmaxCrossEntropy(graph, report);
  for (NodeId id : std::vector<NodeId>(graph.order()))
    if (graph.node(id).op->name == "softmax_cross_entropy_backward") {
      const ReplacementScope scope(graph, id);
      graph.edit().setInput(id, 0, constantFill(graph, graph.type(graph.node(id).inputs[0]), 1));
    }
}

/// Adds the normalized input instead of the gradient of the residual connection.
void addsAnotherNormGradient(Graph& graph, PassReport& report) {
  onCard<fuseNormGradients>(graph, report);
  for (NodeId id : graph.order()) {
    const Node node = graph.node(id);
    if (node.op->name == "layer_norm_backward" && node.attributes.get<bool>("adds"))
      graph.edit().setInput(id, static_cast<int>(node.inputs.size()) - 1, node.inputs[1]);
  }
}

/// Sums the losses instead of taking their mean.
void forgetsScaleOfLoss(Graph& graph, PassReport& report) {
  fuseStableLoss(graph, report);
  for (NodeId id : graph.order())
    if (graph.node(id).op->name == "classification_loss")
      graph.edit().mutableNode(id).attributes.set("loss_scale", 1.0);
}

/// Gives the gradient of the mean of the losses the scale of their sum.
void forgetsScaleOfLossGradient(Graph& graph, PassReport& report) {
  fuseStableLoss(graph, report);
  for (NodeId id : graph.order())
    if (graph.node(id).op->name == "classification_loss")
      graph.edit().mutableNode(id).attributes.set("gradient_scale", 1.0);
}

/// Copies images to the other order without moving their elements.
void forgetsToTranspose(Graph& graph, PassReport& report) {
  chooseAnyLayouts(graph, report);
  for (NodeId id : std::vector<NodeId>(graph.order())) {
    const Node node = graph.node(id);
    if (node.op->name != "transpose" || graph.shape(node.outputs[0]).rank() != 4) continue;
    const ReplacementScope scope(graph, id);
    graph.edit().replaceAllUses(node.outputs[0],
                                reshape(graph, node.inputs[0], graph.shape(node.outputs[0])));
  }
}

/// Makes the recomputed value use other operands.
void recomputesFromOther(Graph& graph, PassReport& report) {
  const int before = graph.numNodes();
  recomputeAll(graph, report);
  for (NodeId id : std::vector<NodeId>(graph.order())) {
    if (id.index < before) continue;
    const std::vector<ValueId> inputs = graph.node(id).inputs;
    for (size_t i = 0; i < inputs.size(); ++i)
      for (const NamedValue& other : graph.inputs())
        if (other.value != inputs[i] && graph.type(other.value) == graph.type(inputs[i]))
          graph.edit().setInput(id, static_cast<int>(i), other.value);
  }
}

}  // namespace

TEST_SUITE("pass properties") {
  TEST_CASE("each pass keeps the results of random steps and rewrites at least a tenth of them") {
    struct Row {
      const char* name;
      Run run;
      Exactness exactness;
      int fired = 0;
    };
    std::vector<Row> rows{{"remove_dead", removeDead, Exactness::AllTypes},
                          {"merge_common", mergeCommon, Exactness::AllTypes},
                          {"fuse_softmax_cross_entropy", fuseSoftmaxCrossEntropy, Exactness::None},
                          {"canonicalize", canonicalize, Exactness::AllTypes},
                          {"fold_constants", foldAll, Exactness::AllTypes},
                          {"simplify_arithmetic", simplifyArithmetic, Exactness::None},
                          {"fuse_bias_activation", onProcessor<fuseBiasActivation>, Exactness::F64},
                          {"fuse_siblings", onProcessor<fuseSiblings>, Exactness::AllTypes},
                          {"fuse_batch_norm", onProcessor<fuseBatchNorm>, Exactness::None},
                          {"fuse_norm_gradients", onCard<fuseNormGradients>, Exactness::F64},
                          {"fuse_loss", fuseStableLoss, Exactness::None},
                          {"fuse_into_products", onCard<fuseIntoProducts>, Exactness::None},
                          {"join_updates", onCard<joinUpdates>, Exactness::AllTypes},
                          {"fuse_update", onProcessor<fuseUpdate>, Exactness::AllTypes},
                          {"fuse_pooling", onProcessor<fusePooling>, Exactness::None},
                          {"fuse_pointwise", onProcessor<fusePointwise>, Exactness::AllTypes},
                          {"order", orderNodes, Exactness::AllTypes},
                          {"recompute", recomputeAll, Exactness::AllTypes},
                          {"in_place", onProcessor<reportInPlace>, Exactness::AllTypes},
                          {"pool_gradients_first", cpu::poolGradientsFirst, Exactness::None},
                          {"choose_layouts", chooseAnyLayouts, Exactness::AllTypes}};
    // Every pass has a row.
    std::set<std::string> named;
    for (const Row& row : rows)
      named.insert(row.name);
    for (const std::string& name : passNames())
      // choose_kernels changes kernels instead of graphs (tst_kernel_choices.cpp), mixed_precision
      // does nothing in float32 (tst_mixed_precision.cpp), and the others need embeddings
      // (tst_fuse_lookups.cpp), or change the types of variables or 16-bit values
      // (tst_stored_weights.cpp, tst_joined_projections.cpp), or sums over processes
      // (tst_order_and_in_place.cpp), or the norm of the gradients (tst_join_gradient_norm.cpp).
      if (name != "choose_kernels" && name != "mixed_precision" && name != "store_filters" &&
          name != "keep_low_weights" && name != "widen_gradients" && name != "join_projections" &&
          name != "fuse_lookups" && name != "start_sums" && name != "join_gradient_norm")
        CHECK(named.contains(name));
    for (uint64_t seed = 1; seed <= static_cast<uint64_t>(kGraphs); ++seed) {
      const Sample sample = sampleOf(seed);
      for (Row& row : rows) {
        int rewrites = 0;
        CAPTURE(std::string(row.name));
        CAPTURE(seed);
        CHECK(tryOn(sample, row.run, row.exactness, rewrites) == "");
        row.fired += rewrites > 0;
      }
    }
    std::string counts;
    for (const Row& row : rows) {
      CAPTURE(row.name);
      CHECK(row.fired * 10 >= kGraphs);
      counts +=
          std::string(counts.empty() ? "" : ", ") + row.name + " " + std::to_string(row.fired);
    }
    MESSAGE("of " << kGraphs << " graphs: " << counts);
  }

  TEST_CASE(
      "on CPU kernels the pipeline loses no precision against f64, and in-place results change no "
      "bit") {
    const auto device = openDevice("cpu", {1, 0});
    for (uint64_t seed = 1; seed <= static_cast<uint64_t>(kGraphs); ++seed) {
      CAPTURE(seed);
      const Sample sample = sampleOf(seed);
      Graph after = sample.graph32;
      for (const PassReport& report : runPasses(after, allPasses(), device->passes()))
        CHECK(report.failure == "");
      const Evaluation plain = runOnCpu(*device, sample.graph32, sample, false),
                       apart = runOnCpu(*device, after, sample, false),
                       over = runOnCpu(*device, after, sample, true);
      CHECK(compareErrors(plain, apart, sample.expected) == "");
      CHECK(firstBitDifference(apart, over) == "");
    }
  }

  TEST_CASE("an in-place result that overwrites an operand too early is detected") {
    const auto device = openDevice("cpu", {1, 0});
    int caught = 0;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      const Sample sample = sampleOf(seed);
      const Graph& graph = sample.graph32;
      const Evaluation expected = runOnCpu(*device, graph, sample, true);
      const auto overlay = [&](MemoryPlan& plan) {
        for (NodeId id : graph.order()) {
          const Node& node = graph.node(id);
          if (node.op->kind != OpKind::Elementwise || node.inputs.empty()) continue;
          const ValueId operand = node.inputs[0], result = node.outputs[0];
          const int from = plan.storageOf[static_cast<size_t>(operand.index)],
                    to = plan.storageOf[static_cast<size_t>(result.index)];
          if (from == to ||
              plan.storages[static_cast<size_t>(from)].lane != Storage::Lane::Transient ||
              graph.type(operand) != graph.type(result) || graph.value(operand).uses.size() < 2)
            continue;
          plan.storageOf[static_cast<size_t>(result.index)] = from;
          return;
        }
      };
      caught += firstBitDifference(expected, runOnCpu(*device, graph, sample, true, overlay)) != "";
    }
    CHECK(caught > 0);
  }

  TEST_CASE("the whole pipeline keeps the results, and a second run rewrites almost nothing") {
    int first = 0, second = 0;
    for (uint64_t seed = 1; seed <= 150; ++seed) {
      const Graph before = randomGraph(seed);
      Graph after = before;
      for (const PassReport& report : runPasses(after, allPasses())) {
        CHECK(report.failure == "");
        if (report.pass != "in_place" && report.pass != "order") first += report.rewrites;
      }
      CAPTURE(seed);
      CHECK(differenceOnRandomValues(before, after, seed) <= kRounding);
      CHECK(after.order().size() <= before.order().size());
      for (const PassReport& report : runPasses(after, allPasses()))
        if (report.pass != "in_place" && report.pass != "order") second += report.rewrites;
    }
    CHECK(first > 1000);
    CHECK(second * 50 < first);
  }

  TEST_CASE("broken copies of passes are detected") {
    CHECK(tryPass(dropsUpdates, true).problem != "");
    CHECK(tryPass(forgetsToTranspose, true).problem != "");
    CHECK(tryPass(dropsShortcuts, false).problem != "");
    CHECK(tryPass(mergesConstantsByType, true).problem != "");
    CHECK(tryPass(foldsToFirstOperand, true).problem != "");
    CHECK(tryPass(dropsEveryAddition, false).problem != "");
    CHECK(tryPass(joinsAffinesWithoutOffset, false).problem != "");
    CHECK(tryPass(fusesActivationWithoutBias, false).problem != "");
    CHECK(tryPass(fusesOverOtherReaders, false).problem != "");
    CHECK(tryPass(joinsWithTheFirstWeights, true).problem != "");
    CHECK(tryPass(fusesUpdateTransposed, true).problem != "");
    CHECK(tryPass(swapsNeighbours, true).problem != "");
    CHECK(tryPass(updatesFirst, true).problem != "");
    CHECK(tryPass(ordersDifferences, true).problem != "");
    CHECK(tryPass(fusesWithAnotherStep, true).problem != "");
    CHECK(tryPass(dropsActivationOfPool, true).problem != "");
    CHECK(tryPass(dropsSlopeOfPool, false).problem != "");
    CHECK(tryPass(forgetsUpstreamOfCrossEntropy, false).problem != "");
    CHECK(tryPass(addsAnotherNormGradient, false).problem != "");
    CHECK(tryPass(forgetsScaleOfLoss, false).problem != "");
    CHECK(tryPass(forgetsScaleOfLossGradient, false).problem != "");
    CHECK(tryPass(recomputesFromOther, true).problem != "");
  }
}
