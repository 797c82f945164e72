// SPDX-License-Identifier: Apache-2.0
// Tests that training a repeated Block is bit-identical to training its layers written one by one.
#include <doctest/doctest.h>

#include <set>

#include <nlohmann/json.hpp>

#include "core/check/checked_project.h"
#include "core/interchange/safetensors.h"
#include "core/train/feeder.h"
#include "core/train/plan.h"
#include "core/train/session.h"
#include "gpu/exec/shared_kernels.h"
#include "gpu/graph/op.h"
#include "tests/support/small_run.h"

using namespace strata;

namespace {

/// Returns the layers of one residual repeat. `prefix` distinguishes repeats, because
/// "stage/0/conv" is not allowed as a name.
std::string residual(const std::string& prefix, const std::string& input) {
  const auto name = [&](const char* own) {
    return "\"" + prefix + own + "\"";
  };
  const std::string takes = input.empty() ? "" : R"(, "inputs": [")" + input + "\"]";
  return R"({"type": "Activation", "activation": "relu", "name": )" + name("given") + takes + R"(},
    {"type": "Conv2D", "filters": 4, "kernel_size": 3, "padding": "same", "kernel_regularizer": "l2", "name": )" +
         name("conv") + R"(},
    {"type": "BatchNormalization", "momentum": 0.9, "name": )" +
         name("norm") + R"(},
    {"type": "Add", "name": )" +
         name("sum") + R"(, "inputs": [)" + name("norm") + ", " + name("given") + "]}";
}

Project projectWith(const std::string& middle) {
  Json document = parseJson(kSmallProject, "small");
  document["model"]["layers"] =
      parseJson(R"([{"type": "Input", "name": "image", "shape": [6, 6, 1]},
    {"type": "Conv2D", "name": "stem", "filters": 4, "kernel_size": [3, 3], "padding": "same"}, )" +
                    middle + R"(,
    {"type": "Flatten", "name": "flat"}, {"type": "Dense", "name": "out", "units": 3, "activation": "softmax"}])",
                "layers");
  return Project(std::move(document), "");
}

Project repeated(int repeat) {
  return projectWith(R"({"type": "Block", "name": "stage", "repeat": )" + std::to_string(repeat) +
                     R"(, "layers": [)" + residual("", "") + "]}");
}

Project writtenOut(int repeat) {
  std::string text;
  for (int i = 0; i < repeat; ++i)
    text += (i == 0 ? "" : ",\n") + residual("s" + std::to_string(i) + "_", "");
  return projectWith(text);
}

/// Converts "stage/2/conv/kernel" to "s2_conv/kernel".
std::string flatName(const std::string& name) {
  if (!name.starts_with("stage/")) return name;
  const size_t slash = name.find('/', 6);
  return "s" + name.substr(6, slash - 6) + "_" + name.substr(slash + 1);
}

struct Ran {
  std::vector<double> losses;
  std::map<std::string, Tensor> weights;
};

Ran ran(const Project& project, const std::map<std::string, Tensor>* start, const char* device,
        std::map<std::string, Tensor>* first) {
  const auto dataset = loadDataset(project);
  NetworkOptions options;
  options.device = device;
  options.threads = 2;
  Network network(project, options);
  network.prepare(network.steps().batchesOf(dataset->trainCount), {}, dataset.get());
  network.state().initialize(5);
  if (start) network.state().setWeights(*start, "start");
  if (first) *first = network.state().weights();
  Feeder batches(network, *dataset, true);
  Ran result;
  for (int64_t step = 0; step < 20; ++step) {
    const int64_t epoch = step / batches.stepsPerPass(), index = step % batches.stepsPerPass();
    BatchSums sums;
    for (const MicroBatch& piece : batches.microBatchesOf(index)) {
      Program& program = batches.place(5, epoch + 1, index, piece);
      setStep(program, step + 1, 0.01, 5, batches.firstSampleOf(index) + piece.offset, 1);
      Ticket ticket = program.submit();
      ticket.wait();
      network.sums().add(ticket, piece.samples, sums);
    }
    result.losses.push_back(sums.loss);
  }
  result.weights = network.state().weights();
  return result;
}

}  // namespace

TEST_SUITE("blocks train") {
  TEST_CASE(
      "20 steps of a repeated block equal those of the layers written one by one, on each device") {
    for (const char* device : {"cpu", "reference"}) {
      CAPTURE(device);
      std::map<std::string, Tensor> start, flat;
      const Ran block = ran(repeated(3), nullptr, device, &start);
      for (const auto& [name, tensor] : start)
        flat.emplace(flatName(name), tensor);
      CHECK(start.contains("stage/2/norm/moving_mean"));
      const Ran plain = ran(writtenOut(3), &flat, device, nullptr);
      CHECK(block.losses == plain.losses);
      REQUIRE(block.weights.size() == plain.weights.size());
      for (const auto& [name, tensor] : block.weights) {
        CAPTURE(name);
        const Tensor& other = plain.weights.at(flatName(name));
        REQUIRE(tensor.type() == other.type());
        CHECK(std::equal(tensor.as<float>().begin(), tensor.as<float>().end(),
                         other.as<float>().begin()));
      }
      CHECK(block.losses.front() > block.losses.back());
    }
  }

  TEST_CASE("a stopped and resumed run has the same bits, and weights are named by repeat") {
    TemporaryFolder folder;
    Recorder whole;
    const RunOutcome expected = trainAll(optionsFor(repeated(2), folder / "whole"), whole);
    REQUIRE_MESSAGE(expected.outcome == Outcome::Finished, messageOf(expected));
    const TensorFile file = readSafetensors((folder / "whole/weights.safetensors").string());
    CHECK(file.tensors.contains("stage/0/conv/kernel"));
    CHECK(file.tensors.contains("stage/1/norm/moving_variance"));
    for (const int64_t stopAt : {3, 9}) {
      const auto run = folder / ("run" + std::to_string(stopAt));
      Recorder first, recorder;
      CHECK(trainUntil(stopAt, optionsFor(repeated(2), run), first).outcome == Outcome::Stopped);
      const RunOutcome outcome = trainAll(resumeOptions(repeated(2), run), recorder);
      REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
      CHECK(outcome.weightsHash == expected.weightsHash);
    }
  }

  TEST_CASE("the plan has a row with the block's sum, and rows for its layers") {
    PlanOptions options;
    options.device = "cpu";
    options.findsLargestBatch = false;
    const TrainingPlan block = planTraining(repeated(3), options),
                       plain = planTraining(writtenOut(3), options);
    CHECK(block.peakBytes == plain.peakBytes);
    CHECK(block.parameters == plain.parameters);
    CHECK(block.multiplyAdds == plain.multiplyAdds);
    REQUIRE(block.layers.size() == 5);
    const PlanLayer& row = block.layers[2];
    REQUIRE(row.inner.size() == 12);
    CHECK(row.inner[5].name == "stage/1/conv");
    CHECK(row.inner[5].type == "Conv2D");
    CHECK(row.inner[5].parameters == 3 * 3 * 4 * 4 + 4);
    int64_t parameters = 0;
    size_t bytes = 0;
    double microseconds = 0;
    for (const PlanInnerLayer& inner : row.inner) {
      parameters += inner.parameters;
      bytes += inner.bytesAtPeak;
      microseconds += inner.stepMicroseconds.value_or(0);
    }
    CHECK(parameters == row.summary.parameters);
    CHECK(bytes == row.bytesAtPeak);
    REQUIRE(row.stepMicroseconds);
    CHECK(microseconds == doctest::Approx(*row.stepMicroseconds));
  }

  TEST_CASE("equal nodes share one kernel, so 20 repeats need as many kernels as 4") {
    const auto kernels = [](int repeat) {
      NetworkOptions options;
      options.threads = 1;
      Network network(repeated(repeat), options);
      const StepGraph step = network.steps().stepGraph(StepMode::Train, 16);
      const auto cache = SharedKernels::of(network.steps().device());
      std::set<std::shared_ptr<const Kernel>> different;
      int nodes = 0;
      for (const NodeId id : step.graph.order()) {
        const OpKind kind = step.graph.node(id).op->kind;
        if (kind == OpKind::Source || kind == OpKind::View) continue;
        different.insert(cache->kernelOf(network.steps().device(), step.graph, id));
        ++nodes;
      }
      return std::pair(nodes, different.size());
    };
    const auto few = kernels(4), many = kernels(20);
    CHECK(many.first > 3 * few.first);
    CHECK(many.second == few.second);
  }
}
