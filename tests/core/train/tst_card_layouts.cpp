// SPDX-License-Identifier: Apache-2.0
// Tests the order of images that convolutions have on a card: trainings, and predicted times.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/project/project.h"
#include "core/train/network.h"
#include "core/train/pass_trace.h"
#include "core/train/plan.h"
#include "gpu/devices/devices.h"
#include "tests/support/paths.h"
#include "tests/support/skip.h"
#include "tests/support/small_run.h"

using namespace strata;

namespace {

constexpr const char* kCard = "simulated:H100";

// All that may stand between convolutions, and a concatenation, which needs channels last
constexpr const char* kLayers = R"([
  {"type": "Input", "name": "image", "shape": [6, 6, 1]},
  {"type": "Conv2D", "name": "stem", "filters": 8, "kernel_size": [3, 3], "padding": "same",
   "use_bias": false},
  {"type": "BatchNormalization", "name": "bn0"},
  {"type": "Activation", "name": "relu0", "activation": "relu"},
  {"type": "Conv2D", "name": "conv1", "filters": 8, "kernel_size": [3, 3], "padding": "same"},
  {"type": "Dropout", "name": "drop", "rate": 0.25},
  {"type": "Conv2D", "name": "conv2", "filters": 8, "kernel_size": [3, 3], "padding": "same",
   "activation": "gelu"},
  {"type": "Add", "name": "sum", "inputs": ["conv2", "relu0"]},
  {"type": "MaxPooling2D", "name": "pool", "pool_size": 2},
  {"type": "DepthwiseConv2D", "name": "depthwise", "kernel_size": [3, 3], "padding": "same"},
  {"type": "Conv2D", "name": "conv3", "filters": 6, "kernel_size": [2, 2], "strides": [2, 2],
   "padding": "same", "activation": "relu", "inputs": ["pool"]},
  {"type": "AveragePooling2D", "name": "mean", "pool_size": 2, "padding": "same",
   "inputs": ["depthwise"]},
  {"type": "Concatenate", "name": "both", "inputs": ["conv3", "mean"]},
  {"type": "GlobalAveragePooling2D", "name": "flat"},
  {"type": "Dense", "name": "out", "units": 3, "activation": "softmax"}])";

// An image of one channel between convolutions
constexpr const char* kOneChannel = R"([
  {"type": "Input", "name": "image", "shape": [6, 6, 1]},
  {"type": "Conv2D", "name": "conv1", "filters": 4, "kernel_size": [3, 3], "padding": "same",
   "activation": "gelu"},
  {"type": "AveragePooling2D", "name": "mean", "pool_size": [3, 2], "strides": [2, 2],
   "padding": "same"},
  {"type": "Dropout", "name": "drop", "rate": 0.25},
  {"type": "Conv2D", "name": "conv2", "filters": 1, "kernel_size": [3, 3], "padding": "same",
   "activation": "relu", "use_bias": false},
  {"type": "Conv2D", "name": "conv3", "filters": 4, "kernel_size": [3, 3], "padding": "same"},
  {"type": "Conv2D", "name": "gate", "filters": 4, "kernel_size": [1, 1], "activation": "sigmoid"},
  {"type": "Multiply", "name": "product", "inputs": ["conv3", "gate"]},
  {"type": "UpSampling2D", "name": "large", "size": [2, 2]},
  {"type": "GlobalMaxPooling2D", "name": "flat"},
  {"type": "Dense", "name": "out", "units": 3, "activation": "softmax"}])";

/// While an object of this class exists, cards that are opened have this order of images.
class ForcedLayout {
 public:
  explicit ForcedLayout(const char* layout) { setenv("STRATA_LAYOUT", layout, 1); }
  ~ForcedLayout() { unsetenv("STRATA_LAYOUT"); }
  ForcedLayout(const ForcedLayout&) = delete;
  ForcedLayout& operator=(const ForcedLayout&) = delete;
};

struct Trained {
  std::vector<double> losses;
  std::string weights;
};

Trained trainedWith(const char* layout, const std::string& precision,
                    const std::string& disabled = "[]") {
  const ForcedLayout forced(layout);
  SessionOptions options =
      optionsFor(smallProjectWith({{"/model/layers", kLayers},
                                   {"/training/epochs", "2"},
                                   {"/execution/disabled_passes", disabled},
                                   {"/execution/precision", "\"" + precision + "\""}}));
  options.device = kCard;
  Recorder recorder;
  CHECK(messageOf(trainAll(options, recorder)) == "no error");
  Trained result{{}, recorder.outcome.weightsHash};
  for (const StepMetrics& step : recorder.steps)
    result.losses.push_back(step.loss);
  for (const EpochMetrics& epoch : recorder.epochs)
    result.losses.push_back(epoch.validationLoss);
  return result;
}

double predictedStep(const char* layout, const std::string& project, const std::string& precision,
                     int64_t batch) {
  const ForcedLayout forced(layout);
  Project loaded = *loadProject((sourceDir() / "projects" / (project + ".json")).string());
  loaded.document()["execution"]["precision"] = precision;
  loaded.document()["execution"]["devices"] = kCard;
  PlanOptions options;
  options.device = kCard;
  options.batchSize = batch;
  options.findsLargestBatch = options.measuresStepTime = false;
  options.predictsStepTime = true;
  const TrainingPlan plan = planTraining(loaded, options);
  REQUIRE(plan.predictedStepMicroseconds);
  return *plan.predictedStepMicroseconds;
}

}  // namespace

TEST_SUITE("orders of images on cards") {
  TEST_CASE("a training agrees in either order, and without the pass channels are last") {
    if (!test::canRun(whyNoSimulatedCards())) return;
    for (const auto& [precision, tolerance] :
         {std::pair{"float32", 1e-4}, std::pair{"bfloat16", 0.1}, std::pair{"float16", 0.05}}) {
      CAPTURE(precision);
      const Trained last = trainedWith("channels_last", precision),
                    first = trainedWith("channels_first", precision);
      REQUIRE(last.losses.size() > 4);
      REQUIRE(last.losses.size() == first.losses.size());
      double worst = 0;
      for (size_t i = 0; i < last.losses.size(); ++i)
        worst = std::max(worst, std::fabs(last.losses[i] - first.losses[i]) / last.losses[i]);
      CHECK(worst <= tolerance);
      CHECK(first.weights != last.weights);
      CHECK(trainedWith("channels_first", precision, R"(["choose_layouts"])").weights ==
            last.weights);
    }
  }

  TEST_CASE("a step with the chosen orders is predicted no slower than with either order") {
    if (!test::canRun(whyNoSimulatedCards())) return;
    bool isMixed = false;
    for (const char* project : {"mnist-cnn", "mnist-resnet", "lenet5"})
      for (const char* precision : {"float32", "tf32", "bfloat16"})
        for (const int64_t batch : {16, 1024}) {
          CAPTURE(project);
          CAPTURE(precision);
          CAPTURE(batch);
          const double chosen = predictedStep("", project, precision, batch),
                       last = predictedStep("channels_last", project, precision, batch),
                       first = predictedStep("channels_first", project, precision, batch);
          CHECK(chosen <= last);
          CHECK(chosen <= first);
          isMixed |= chosen < last;
        }
    CHECK(isMixed);
  }

  TEST_CASE("a step that exceeds the memory limit only with other orders keeps channels last") {
    if (!test::canRun(whyNoSimulatedCards())) return;
    // Tensor cores copy images with channels first
    const ForcedLayout forced("channels_first");
    Project project = *loadProject((sourceDir() / "projects/mnist-resnet.json").string());
    project.document()["execution"]["devices"] = kCard;
    project.document()["execution"]["precision"] = "bfloat16";
    PlanOptions options;
    options.batchSize = 4096;
    options.findsLargestBatch = options.measuresStepTime = false;
    options.recompute = Recompute::None;
    const size_t first = planTraining(project, options).peakBytes;
    Project without = project;
    without.document()["execution"]["disabled_passes"] = {"choose_layouts"};
    const size_t last = planTraining(without, options).peakBytes;
    REQUIRE(last < first);
    options.memoryLimitBytes = (last + first) / 2;
    const TrainingPlan plan = planTraining(project, options);
    CHECK(plan.peakBytes == last);
    CHECK(plan.fits);
  }

  TEST_CASE("images of one channel are views in either order, also when steps repeat them") {
    if (!test::canRun(whyNoSimulatedCards())) return;
    const ForcedLayout forced("channels_first");
    for (const char* precision : {"float32", "bfloat16"}) {
      const PassTrace trace = tracePasses(
          smallProjectWith({{"/model/layers", kOneChannel},
                            {"/execution/devices", "\"" + std::string(kCard) + "\""},
                            {"/execution/recompute", "\"all\""},
                            {"/execution/precision", "\"" + std::string(precision) + "\""}}),
          {});
      for (const TraceStage& stage : trace.stages)
        CHECK(stage.report.failure == "");
    }
  }

  TEST_CASE("an unknown order in the environment is an error") {
    if (!test::canRun(whyNoSimulatedCards())) return;
    const ForcedLayout forced("NCHW");
    NetworkOptions options;
    options.device = kCard;
    CHECK_THROWS_WITH_AS(Network(smallProject(), options),
                         "the layout is \"NCHW\" (expected \"channels_last\" or "
                         "\"channels_first\"). Correct it.",
                         Error);
  }
}
