// SPDX-License-Identifier: GPL-3.0-or-later
#include <charconv>
#include <cmath>
#include <cstdio>
#include <iostream>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/runs.h"
#include "core/verify/layer_check.h"
#include "core/verify/verify.h"
#include "gpu/base/printable.h"

namespace strata::cli {

/// Formats a number, which may be infinite or NaN. NaN is printed without a sign.
static std::string numberText(double value) {
  char buffer[40];
  return std::isnan(value)
             ? "nan"
             : std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

struct VerifyOptions {
  std::string file, device, layer, weights;
  int64_t samples = 8, seed = -1;
  bool isRandom = false, asJson = false;
};

static int checkCases(const VerifyOptions& options) {
  const VerifyReport report =
      verifyManifest(options.file, options.device.empty() ? "auto" : options.device);
  int passed = 0, failed = 0, skipped = 0;
  Json cases = Json::array();
  for (const VerifyRow& row : report.rows) {
    const char* state = "";
    switch (row.state) {
      case VerifyRow::State::Passed:
        state = "passed";
        ++passed;
        break;
      case VerifyRow::State::Failed:
        state = "failed";
        ++failed;
        break;
      case VerifyRow::State::Skipped:
        state = "skipped";
        ++skipped;
        break;
    }
    cases.push_back({{"id", row.id},
                     {"kind", row.kind},
                     {"state", state},
                     {"largest_error", jsonNumber(row.largestError)},
                     {"tolerance", jsonNumber(row.tolerance)},
                     {"message", row.message}});
    if (options.asJson) continue;
    if (row.state == VerifyRow::State::Failed)
      std::cout << "failed  " << printable(row.id) << ": " << printable(row.message)
                << " (largest error " << numberText(row.largestError) << ")\n";
    if (row.state == VerifyRow::State::Skipped)
      std::cout << "skipped " << printable(row.id) << ": " << printable(row.message) << "\n";
  }
  if (options.asJson)
    printJsonDocument(
        {{"passed", passed}, {"failed", failed}, {"skipped", skipped}, {"cases", cases}});
  else
    std::cout << passed << " passed, " << failed << " failed, " << skipped << " skipped\n";
  return failed > 0 ? kFailed : kDone;
}

static Json differenceToJson(const TensorDifference& each) {
  return {{"name", each.name},
          {"shape", each.shape},
          {"equal", each.isEqual()},
          {"absolute", jsonNumber(each.absolute)},
          {"relative", jsonNumber(each.relative)},
          {"ulps", each.ulps},
          {"tolerance", jsonNumber(each.tolerance)},
          {"index", each.index},
          {"expected", jsonNumber(each.expected)},
          {"got", jsonNumber(each.got)}};
}

static std::string shortNumber(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", value);
  return text;
}

static void printCheck(const LayerCheck& check) {
  if (!check.whyRandom.empty())
    printMessage("warning: the inputs are random numbers: " + check.whyRandom);
  std::vector<std::vector<std::string>> lines{
      {"Tensor", "Shape", "Absolute", "Relative", "ULP", "Allowed", ""}};
  for (const TensorDifference& each : check.tensors)
    lines.push_back({printable(each.name), each.shape, shortNumber(each.absolute),
                     shortNumber(each.relative), std::to_string(each.ulps),
                     shortNumber(each.tolerance), each.isEqual() ? "equal" : "DIFFERS"});
  printTable(lines, {false, false, true, true, true, true, false});
  std::cout << printable(formatText(check.verdict.text, check.verdict.arguments)) << ".\n";
}

/// Compares a layer of a project on two devices.
static int checkOneLayer(const VerifyOptions& options) {
  Result<Project> project = loadProject(options.file);
  if (!project) throw project.error();
  LayerCheckOptions wanted;
  wanted.layer = options.layer;
  wanted.device = options.device;
  wanted.weights = options.weights;
  wanted.usesData = !options.isRandom;
  wanted.samples = options.samples;
  if (options.seed >= 0) wanted.seed = static_cast<uint64_t>(options.seed);
  const Result<LayerCheck> check = checkLayer(*project, wanted);
  if (!check) throw check.error();
  if (options.asJson) {
    Json tensors = Json::array();
    for (const TensorDifference& each : check->tensors)
      tensors.push_back(differenceToJson(each));
    printJsonDocument({{"layer", check->layer},
                       {"type", check->type},
                       {"device", check->device},
                       {"inputs", check->usesData ? "data" : "random"},
                       {"samples", check->samples},
                       {"equal", check->isEqual()},
                       {"verdict", formatText(check->verdict.text, check->verdict.arguments)},
                       {"tensors", std::move(tensors)}});
  }
  else {
    printCheck(*check);
  }
  return check->isEqual() ? kDone : kFailed;
}

Action setupVerify(Arguments& accepted) {
  auto options = std::make_shared<VerifyOptions>();
  accepted.text("FILE", options->file,
                "Reference file (.json) with its .safetensors file in the same folder, or a "
                "project if --layer is given",
                "FILE", Need::Required);
  accepted.device(options->device, "auto, or with --layer that of the project");
  accepted.text("--layer", options->layer,
                "Compare the output and the gradients of this layer of the project with those of "
                "the reference device",
                "NAME");
  accepted.text("--weights", options->weights,
                "With --layer, the weights: a run directory or a file (default: those of the seed)",
                "FILE");
  accepted.number("--samples", options->samples, "With --layer, the number of samples (default: 8)",
                  1, 1024);
  accepted.flag("--random", options->isRandom,
                "With --layer, give it random numbers instead of samples of the data");
  accepted.number("--seed", options->seed, "With --layer, the seed (default: that of the project)",
                  0, INT64_MAX);
  accepted.json(options->asJson);
  return [options] {
    const bool hasOther = !options->weights.empty() || options->isRandom || options->seed >= 0;
    if (options->layer.empty() && hasOther)
      throw Error(ErrorCode::InvalidArgument, "verify",
                  "--weights, --random and --seed belong to --layer. Name a layer.");
    return options->layer.empty() ? checkCases(*options) : checkOneLayer(*options);
  };
}

}  // namespace strata::cli
