// SPDX-License-Identifier: Apache-2.0
#include "core/train/export_weights.h"

#include <cmath>
#include <filesystem>

#include "core/check/checked_project.h"
#include "core/interchange/weights_file.h"
#include "core/runs/output_file.h"
#include "core/train/evaluator.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

constexpr int64_t kComparedSamples = 100;

}  // namespace

ExportReport exportWeights(const Project& project, const std::string& weights,
                           const std::string& target) {
  if (const std::string problem = problemOfWeightsSuffix(target); !problem.empty())
    throw Error(ErrorCode::UnsupportedOp, target, problem);
  requireOutsideRuns(target);
  Evaluator original(project, weights);
  const std::map<std::string, Tensor> tensors = original.weights();
  const auto source = openWeightsFile(original.weightsPath())->metadata();
  const auto step = source.find("step");
  writeWeightsFile(target, viewsOf(tensors),
                   {{"format", "strata-weights"},
                    {"project", project.name()},
                    {"step", step == source.end() ? "" : step->second},
                    {"hash", weightsHash(tensors)}});

  ExportReport report;
  report.notes = original.weightNotes();
  report.tensors = static_cast<int64_t>(tensors.size());
  std::error_code error;
  report.bytes = std::filesystem::file_size(target, error);
  Evaluator written(original.project(), target);
  const auto dataset = loadDataset(original.project());
  const Samples& compared = dataset->test->count() > 0 ? *dataset->test : *dataset->train;
  report.comparedSamples = std::min(kComparedSamples, compared.count());
  for (int64_t i = 0; i < report.comparedSamples; ++i) {
    const std::vector<Tensor> sample = sampleOf(compared, i);
    const auto a = original.predict(sample), b = written.predict(sample);
    for (size_t output = 0; output < a.size(); ++output)
      for (size_t k = 0; k < a[output].size(); ++k) {
        const double difference =
            std::abs(static_cast<double>(a[output][k]) - static_cast<double>(b[output][k]));
        // The condition is also true for NaN.
        if (!(difference <= report.largestDifference)) report.largestDifference = difference;
      }
  }
  if (!std::isfinite(report.largestDifference))
    throw Error(ErrorCode::NonFinite, target,
                "was written but could not be verified, because the outputs of the network on the "
                "samples of the project are not finite. Check the data and the weights.");
  return report;
}

}  // namespace strata
