// SPDX-License-Identifier: Apache-2.0
// Tests the interpreter and the reference kernels. The interpreter must fit a line like a
// handwritten loop, and kernels must give the same results with any number of workers.
#include <doctest/doctest.h>

#include <cstring>

#include "gpu/autodiff/autodiff.h"
#include "gpu/base/error.h"
#include "gpu/base/thread_pool.h"
#include "gpu/graph/op.h"
#include "gpu/ops/build.h"
#include "gpu/reference/evaluate.h"
#include "gpu/reference/reference_device.h"
#include "tests/gpu/ops/op_rows.h"
#include "tests/support/naive.h"

TEST_SUITE_BEGIN("reference_evaluate");

namespace strata::test {

TEST_CASE("fitting a line equals a handwritten loop in double precision") {
  Graph g;
  const ValueId x = g.addInput("x", {DType::F64, {4, 1}}),
                target = g.addInput("target", {DType::F64, {4, 1}});
  const ValueId w = g.addVariable("w", {DType::F64, {1, 1}}, Category::Parameter, true),
                b = g.addVariable("b", {DType::F64, {1}}, Category::Parameter, true);
  const ValueId loss = meanAll(g, square(g, subtract(g, add(g, matmul(g, x, w), b), target)));
  g.addOutput("loss", loss);
  const GradientSeed seed{loss, {}};
  const ValueId parameters[] = {w, b};
  const std::vector<ValueId> gradients = differentiate(g, std::span(&seed, 1), parameters);
  const ValueId rate = constantScalar(g, DType::F32, 0.01);
  g.setNext("w", update(g, "sgd_update", {w, gradients[0], rate}, {})[0]);
  g.setNext("b", update(g, "sgd_update", {b, gradients[1], rate}, {})[0]);

  const std::vector<double> xs{1, 2, 3, 4}, ys{2, 4, 6, 8};
  const NamedTensors inputs{{"x", Tensor::from<double>({4, 1}, xs)},
                            {"target", Tensor::from<double>({4, 1}, ys)}};
  NamedTensors variables{{"w", Tensor(DType::F64, Shape{1, 1})},
                         {"b", Tensor(DType::F64, Shape{1})}};
  double slope = 0, offset = 0;
  for (int step = 0; step < 200; ++step) {
    const Evaluation result = evaluateGraph(g, inputs, variables);
    variables = result.variables;
    double slopeGradient = 0, offsetGradient = 0, expectedLoss = 0;
    for (size_t i = 0; i < 4; ++i) {
      const double error = slope * xs[i] + offset - ys[i];
      expectedLoss += error * error / 4;
      slopeGradient += error * xs[i] / 2;
      offsetGradient += error / 2;
    }
    slope -= slopeGradient * static_cast<double>(0.01f);
    offset -= offsetGradient * static_cast<double>(0.01f);
    CHECK(result.outputs.find("loss")->second.as<double>()[0] ==
          doctest::Approx(expectedLoss).epsilon(1e-12));
  }
  CHECK(variables.find("w")->second.as<double>()[0] == doctest::Approx(slope).epsilon(1e-12));
  CHECK(variables.find("b")->second.as<double>()[0] == doctest::Approx(offset).epsilon(1e-12));
}

namespace {

/// Runs every kernel in the graph of a row with `workers` workers, and compares the results with
/// those of the interpreter. Outputs and workspaces are filled with 0xA5 first.
void checkWorkers(const RowRun& run, int workers) {
  const Evaluation expected = evaluateGraph(run.graph, run.inputs, run.variables);
  for (NodeId id : run.graph.order()) {
    const Node& node = run.graph.node(id);
    // Kernels do not know the operand apply, which decides whether they run
    if (node.op->kind == OpKind::Source || applyOf(node).isValid()) continue;
    CAPTURE(node.op->name);
    const std::unique_ptr<HostKernel> kernel = createReferenceKernel(run.graph, id, workers);
    CHECK(!kernel->implementation().empty());
    KernelArguments arguments;
    std::vector<AlignedBytes> outputs;
    for (ValueId input : node.inputs)
      arguments.inputs.push_back(expected.values[static_cast<size_t>(input.index)].data());
    for (ValueId output : node.outputs) {
      // The 64 bytes after the result must not change.
      outputs.emplace_back(run.graph.type(output).bytes() + 64);
      std::memset(outputs.back().data(), 0xA5, outputs.back().size());
      arguments.outputs.push_back(outputs.back().data());
    }
    AlignedBytes workspace(kernel->workspaceBytes() + 64);
    std::memset(workspace.data(), 0xA5, workspace.size());
    arguments.workspace = workspace.data();
    for (int stage = 0; stage < kernel->numStages(); ++stage)
      for (int worker = workers - 1; worker >= 0; --worker)
        kernel->run(arguments, stage, worker);
    const auto isUntouched = [](const std::byte* at) {
      for (int i = 0; i < 64; ++i)
        if (at[i] != std::byte{0xA5}) return false;
      return true;
    };
    CHECK(isUntouched(workspace.data() + kernel->workspaceBytes()));
    for (size_t i = 0; i < outputs.size(); ++i) {
      const TensorType& type = run.graph.type(node.outputs[i]);
      CHECK(isUntouched(outputs[i].data() + type.bytes()));
      Tensor got(type);
      if (type.bytes() > 0) std::memcpy(got.data(), outputs[i].data(), type.bytes());
      const Tensor& wanted = expected.values[static_cast<size_t>(node.outputs[i].index)];
      // The rounding may differ only for sums that are split between workers.
      if (node.op->name == "reduce_sum")
        CHECK(largestDifference(Array(got), Array(wanted)) <= 1e-12 * scaleOf(Array(wanted)));
      else
        CHECK(got.isBitEqual(wanted));
    }
  }
}

}  // namespace

TEST_CASE("any number of workers gives the same results and writes only the outputs") {
  for (const OpRow& row : opRows()) {
    CAPTURE(row.name);
    const RowRun run = makeRowRun(row, DType::F64, true);
    for (const int workers : {1, 2, 3, 7}) {
      CAPTURE(workers);
      checkWorkers(run, workers);
    }
  }
}

TEST_CASE("kernels can compute in place if their op allows it") {
  for (const OpRow& row : opRows()) {
    CAPTURE(row.name);
    const RowRun run = makeRowRun(row, DType::F64, true);
    const Evaluation expected = evaluateGraph(run.graph, run.inputs, run.variables);
    for (NodeId id : run.graph.order()) {
      const Node& node = run.graph.node(id);
      if (node.op->kind == OpKind::Source || applyOf(node).isValid()) continue;
      auto pairs = node.op->mayAlias;
      pairs.insert(pairs.end(), node.op->mustAlias.begin(), node.op->mustAlias.end());
      for (const auto& [output, input] : pairs) {
        if (static_cast<size_t>(output) >= node.outputs.size() ||
            static_cast<size_t>(input) >= node.inputs.size())
          continue;
        const TensorType& type = run.graph.type(node.outputs[static_cast<size_t>(output)]);
        if (type.bytes() != run.graph.type(node.inputs[static_cast<size_t>(input)]).bytes())
          continue;
        if (node.op->kind == OpKind::Elementwise &&
            type != run.graph.type(node.inputs[static_cast<size_t>(input)]))
          continue;
        CAPTURE(node.op->name);
        CAPTURE(input);
        const std::unique_ptr<HostKernel> kernel = createReferenceKernel(run.graph, id, 2);
        std::vector<Tensor> inputs, outputs;
        for (ValueId value : node.inputs)
          inputs.push_back(expected.values[static_cast<size_t>(value.index)]);
        for (ValueId value : node.outputs)
          outputs.emplace_back(run.graph.type(value));
        KernelArguments arguments;
        for (const Tensor& tensor : inputs)
          arguments.inputs.push_back(tensor.data());
        for (Tensor& tensor : outputs)
          arguments.outputs.push_back(tensor.data());
        arguments.outputs[static_cast<size_t>(output)] = inputs[static_cast<size_t>(input)].data();
        AlignedBytes workspace(kernel->workspaceBytes());
        arguments.workspace = workspace.data();
        for (int stage = 0; stage < kernel->numStages(); ++stage)
          for (int worker = 0; worker < 2; ++worker)
            kernel->run(arguments, stage, worker);
        const Tensor& wanted =
            expected.values[static_cast<size_t>(node.outputs[static_cast<size_t>(output)].index)];
        if (wanted.bytes() > 0)
          CHECK(std::memcmp(inputs[static_cast<size_t>(input)].data(), wanted.data(),
                            wanted.bytes()) == 0);
      }
    }
  }
}

TEST_CASE("the device has a name and a pool, and creates kernels") {
  const std::unique_ptr<Device> device = makeReferenceDevice({.threads = 2});
  CHECK(device->name() == "reference");
  CHECK(device->numWorkers() == 2);
  CHECK(device->pool().numWorkers() == 2);
  const OpRow& row = opRows().front();
  const RowRun run = makeRowRun(row, DType::F32, false);
  CHECK(device->createKernel(run.graph, run.graph.value(findOutput(run.graph, "y0")).producer) !=
        nullptr);
}

}  // namespace strata::test

TEST_SUITE_END();
