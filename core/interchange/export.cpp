// SPDX-License-Identifier: Apache-2.0
#include "core/interchange/export.h"

#include <cmath>
#include <filesystem>

#include "core/interchange/safetensors.h"
#include "core/train/evaluator.h"
#include "core/train/network.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

constexpr int64_t kComparedSamples = 100;

/// One sample as the network takes it.
Tensor sampleOf(const Samples& samples, int64_t index) {
  const Shape shape = samples.x.shape().without(0);
  Tensor result(samples.x.dtype(), shape);
  std::copy_n(samples.x.data() + static_cast<size_t>(index) * result.bytes(), result.bytes(), result.data());
  return result;
}

}  // namespace

ExportReport exportWeights(const Project& project, const std::string& weights, const std::string& target) {
  const std::string suffix = std::filesystem::path(target).extension().string();
  if (suffix != ".safetensors")
    throw Error(ErrorCode::UnsupportedOp, target,
                suffix.empty() ? "the name has no suffix that tells the format (expected .safetensors). Name a .safetensors file."
                               : "the format \"" + suffix + "\" is not in this version (expected .safetensors). Name a .safetensors file.");
  std::string file;
  TensorFile source;
  source.tensors = readWeights(weights, file);
  Evaluator original(project, file);  // checks that they are this network's
  std::erase_if(source.tensors,
                [](const auto& entry) { return entry.first.find(':') != std::string::npos; });  // optimizer state of a checkpoint
  const std::string hash = weightsHash(source.tensors);
  source.metadata = readSafetensors(file).metadata;
  const std::string step = source.metadata.contains("step") ? source.metadata.at("step") : "";
  source.metadata = {{"format", "strata-weights"}, {"project", project.name()}, {"step", step}, {"hash", hash}};
  writeSafetensors(target, source);

  ExportReport report;
  report.tensors = static_cast<int64_t>(source.tensors.size());
  std::error_code error;
  report.bytes = std::filesystem::file_size(target, error);
  Evaluator written(project, target);
  const auto dataset = loadDataset(project);
  report.comparedSamples = std::min(kComparedSamples, dataset->test->count());
  for (int64_t i = 0; i < report.comparedSamples; ++i) {
    const Tensor sample = sampleOf(*dataset->test, i);
    const std::vector<float> a = original.predict(sample), b = written.predict(sample);
    for (size_t k = 0; k < a.size(); ++k) {
      const double difference = std::abs(static_cast<double>(a[k]) - static_cast<double>(b[k]));
      if (!(difference <= report.largestDifference)) report.largestDifference = difference;  // NaN counts
    }
  }
  return report;
}

}  // namespace strata
