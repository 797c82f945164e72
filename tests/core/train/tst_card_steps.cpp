// SPDX-License-Identifier: Apache-2.0
// Tests what a step launches on a card, and that the passes of cards keep the results of trainings.
#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/train/network.h"
#include "core/train/step_scalars.h"
#include "gpu/devices/devices.h"
#include "gpu/memory/liveness.h"
#include "tests/support/skip.h"
#include "tests/support/small_run.h"

using namespace strata;

namespace {

using Values = std::vector<std::pair<std::string, std::string>>;

constexpr const char* kCard = "simulated:H100";

// Two residual blocks, one with a stride and unequal padding
constexpr const char* kResidual = R"([
  {"type": "Input", "name": "image", "shape": [6, 6, 1]},
  {"type": "Conv2D", "name": "stem", "filters": 8, "kernel_size": [3, 3], "padding": "same", "use_bias": false},
  {"type": "BatchNormalization", "name": "bn0"},
  {"type": "Activation", "name": "relu0", "activation": "relu"},
  {"type": "Conv2D", "name": "conv1", "filters": 8, "kernel_size": [3, 3], "padding": "same", "use_bias": false},
  {"type": "BatchNormalization", "name": "bn1"},
  {"type": "Add", "name": "sum", "inputs": ["bn1", "relu0"]},
  {"type": "Activation", "name": "relu1", "activation": "relu"},
  {"type": "Conv2D", "name": "conv2", "filters": 16, "kernel_size": [3, 3], "strides": [2, 2], "padding": "same", "activation": "relu"},
  {"type": "Flatten", "name": "flat"},
  {"type": "Dense", "name": "hidden", "units": 8, "activation": "relu"},
  {"type": "Dense", "name": "out", "units": 3, "activation": "softmax"}])";
constexpr const char* kPerceptron = R"([
  {"type": "Input", "name": "image", "shape": [6, 6, 1]},
  {"type": "Flatten", "name": "flat"},
  {"type": "Dense", "name": "hidden", "units": 16, "activation": "relu"},
  {"type": "Dense", "name": "out", "units": 3, "activation": "softmax"}])";

Values with(Values values, const char* layers) {
  values.emplace_back("/model/layers", layers);
  return values;
}

/// Returns the names of the records of a step.
std::vector<std::string> recordsOf(const Values& values) {
  NetworkOptions options;
  options.device = kCard;
  Network network(smallProjectWith(values), options);
  network.prepare({16}, {});
  network.state().initialize(5);
  Program& program = network.trainProgram(16);
  for (int step = 1; step <= 3; ++step) {
    // The first steps are not captured, so they have no records
    program.setProfiling(step == 3);
    setStep(program, step, 1e-3, 5, 0, 1);
    REQUIRE(program.run() == Program::Outcome::Done);
  }
  std::vector<std::string> result;
  for (const KernelRecord& record : program.lastRecords().records)
    result.push_back(record.name);
  return result;
}

struct CardRun {
  std::vector<double> losses;
  std::string weights;
};

CardRun trainedOn(const char* device, Values values, const std::string& disabled = "",
                  const char* epochs = "2") {
  values.emplace_back("/training/epochs", epochs);
  if (!disabled.empty())
    values.emplace_back("/execution/disabled_passes", "[\"" + disabled + "\"]");
  SessionOptions options = optionsFor(smallProjectWith(values));
  options.device = device;
  Recorder recorder;
  CHECK(messageOf(trainAll(options, recorder)) == "no error");
  CardRun result;
  for (const StepMetrics& step : recorder.steps)
    result.losses.push_back(step.loss);
  for (const EpochMetrics& epoch : recorder.epochs)
    result.losses.push_back(epoch.validationLoss);
  result.weights = recorder.outcome.weightsHash;
  return result;
}

void checkClose(const CardRun& a, const CardRun& b, double tolerance) {
  REQUIRE(a.losses.size() == b.losses.size());
  double worst = 0;
  for (size_t i = 0; i < a.losses.size(); ++i)
    worst = std::max(worst, std::fabs(a.losses[i] - b.losses[i]) / std::max(1e-3, b.losses[i]));
  CHECK(worst <= tolerance);
}

}  // namespace

TEST_SUITE("steps of cards") {
  TEST_CASE("a step of a perceptron has 11 kernels and one copy") {
    if (!test::canRun(whyNoSimulatedCards())) return;
    CHECK(recordsOf(with({}, kPerceptron)).size() <= 12);
  }

  TEST_CASE("the norm of the gradients costs no launch") {
    if (!test::canRun(whyNoSimulatedCards())) return;
    const auto observersOf = [](const std::vector<std::string>& names) {
      return std::ranges::count(names, "observe_gradients");
    };
    const auto joined = recordsOf(with({}, kResidual)),
               apart = recordsOf(
                   with({{"/execution/disabled_passes", R"(["join_gradient_norm"])"}}, kResidual));
    CHECK(observersOf(joined) == 1);
    CHECK(observersOf(apart) == 2);
    CHECK(joined.size() + 1 == apart.size());
  }

  TEST_CASE("no weight is cast or transposed, and no image gets a border") {
    if (!test::canRun(whyNoSimulatedCards())) return;
    for (const char* precision : {"float32", "bfloat16", "float16"}) {
      CAPTURE(precision);
      const std::vector<std::string> names = recordsOf(
          with({{"/execution/precision", "\"" + std::string(precision) + "\""}}, kResidual));
      for (const std::string& name : names) {
        CAPTURE(name);
        CHECK(name.find("transpose") == std::string::npos);
        CHECK(name.find("border") == std::string::npos);
        CHECK(name.find("assign_") == std::string::npos);
      }
      // The image is the only value that is cast
      CHECK(std::ranges::count_if(names, [](const std::string& name) {
              return name.starts_with("cast_f32") && name != "cast_f32_i64";
            }) <= (std::string(precision) == "float32" ? 0 : 1));
    }
  }

  TEST_CASE("the offsets of all operands are multiples of 256") {
    if (!test::canRun(whyNoSimulatedCards())) return;
    NetworkOptions options;
    options.device = kCard;
    Network network(smallProjectWith(with({}, kResidual)), options);
    network.prepare({16}, {});
    network.state().initialize(5);
    const MemoryPlan& plan = network.trainProgram(16).memory();
    CHECK(plan.alignment == 256);
    for (const Storage& storage : plan.storages)
      CHECK(storage.offset % 256 == 0);
  }

  TEST_CASE("a training with the passes of cards agrees with those without one of them") {
    if (!test::canRun(whyNoSimulatedCards())) return;
    for (const auto& [precision, tolerance] :
         {std::pair{"float32", 1e-4}, std::pair{"bfloat16", 0.1}, std::pair{"float16", 0.05}}) {
      CAPTURE(precision);
      const Values values = with({{"/execution/precision", "\"" + std::string(precision) + "\""},
                                  {"/training/gradient_accumulation_steps", "2"}},
                                 kResidual);
      const CardRun all = trainedOn(kCard, values);
      checkClose(all, trainedOn("reference", values), tolerance);
      for (const std::string pass : {"store_filters", "widen_gradients", "keep_low_weights",
                                     "fuse_into_products", "fuse_batch_norm", "fuse_norm_gradients",
                                     "fuse_pooling", "join_updates", "join_gradient_norm"}) {
        CAPTURE(pass);
        const CardRun other = trainedOn(kCard, values, pass);
        checkClose(all, other, tolerance);
        // These only change where numbers are stored, or what looks at them
        if (pass == "keep_low_weights" || pass == "join_updates" || pass == "join_gradient_norm")
          CHECK(all.weights == other.weights);
      }
    }
  }

  TEST_CASE("changes of weights outside the update keep 16-bit copies and the order of weights") {
    if (!test::canRun(whyNoSimulatedCards())) return;
    const std::string constrained = R"([
      {"type": "Input", "name": "image", "shape": [6, 6, 1]},
      {"type": "Conv2D", "name": "conv", "filters": 8, "kernel_size": [3, 3],
       "kernel_constraint": {"type": "max_norm", "max_value": 0.5, "axis": [0, 1, 2]}},
      {"type": "Flatten", "name": "flat"},
      {"type": "Dense", "name": "out", "units": 3, "activation": "softmax"}])";
    const std::string spectral = R"([
      {"type": "Input", "name": "image", "shape": [6, 6, 1]},
      {"type": "SpectralNormalization", "name": "conv",
       "layer": {"type": "Conv2D", "filters": 8, "kernel_size": [3, 3]}},
      {"type": "Flatten", "name": "flat"},
      {"type": "Dense", "name": "out", "units": 3, "activation": "softmax"}])";
    const std::pair<const char*, Values> all[] = {
        {"average of weights",
         with({{"/training/optimizer", R"({"type": "adam", "use_ema": true})"}}, kResidual)},
        {"constraint", with({}, constrained.c_str())},
        {"spectral norm", with({}, spectral.c_str())},
        {"stages", with({{"/training/stages",
                          R"([{"epochs": 1, "trainable": ["conv1", "bn1", "out"]},
                    {"epochs": 1, "trainable": ["stem", "bn0", "hidden", "out"]},
                    {"trainable": ["conv1", "conv2", "out"]}])"}},
                        kResidual)}};
    for (const auto& [name, changes] : all)
      for (const char* precision : {"float32", "bfloat16"}) {
        CAPTURE(name);
        CAPTURE(precision);
        Values values = changes;
        values.emplace_back("/execution/precision", "\"" + std::string(precision) + "\"");
        values.emplace_back("/execution/kernel_choice", "\"rule\"");
        const CardRun card = trainedOn(kCard, values, {}, "4");
        CHECK(card.losses.size() > 4);
        for (const std::string pass : {"keep_low_weights", "join_updates"}) {
          CAPTURE(pass);
          CHECK(card.weights == trainedOn(kCard, values, pass, "4").weights);
        }
        checkClose(card, trainedOn(kCard, values, "store_filters", "4"), 0.1);
      }
  }
}
