// SPDX-License-Identifier: Apache-2.0
#include "core/train/evaluator.h"

#include <cstring>

#include "core/train/network.h"
#include "gpu/base/error.h"

namespace strata {

struct Evaluator::Impl {
  std::unique_ptr<Network> network;
  std::map<std::string, Tensor> weights;
  std::string file;
  InputTransform transform;
  std::shared_ptr<const Dataset> dataset;  // loaded at first need
  bool hasWeights = false;

  /// Weights go in once the variables are there.
  void prepare(const std::vector<int64_t>& samples, const Dataset* data) {
    network->prepare({}, samples, data);
    if (hasWeights) return;
    network->setWeights(weights, file);
    weights.clear();
    hasWeights = true;
  }
};

Evaluator::Evaluator(const Project& project, const std::string& weights, const std::string& device, int threads)
    : m_impl(std::make_unique<Impl>()) {
  m_impl->weights = readWeights(weights, m_impl->file);
  NetworkOptions options;
  options.device = device;
  options.threads = threads;
  m_impl->network = std::make_unique<Network>(project, options);
  m_impl->transform = inputTransform(project);
  m_impl->prepare({1}, nullptr);  // a wrong file is heard of now
}

Evaluator::~Evaluator() = default;

Evaluation Evaluator::evaluate(const std::string& split, const Dataset* dataset) {
  Impl& impl = *m_impl;
  if (!dataset) {
    if (!impl.dataset) impl.dataset = loadDataset(impl.network->project());
    dataset = impl.dataset.get();
  }
  const Samples* samples = dataset->train.get();
  int64_t begin = 0, count = 0;
  if (split == "test") {
    samples = dataset->test.get();
    count = samples->count();
  } else if (split == "validation") {
    begin = dataset->trainCount;
    count = dataset->validationCount;
  } else if (split == "train") {
    count = dataset->trainCount;
  } else {
    throw Error(ErrorCode::InvalidArgument, "split", "unknown split \"" + split + "\" (expected train, validation or test).");
  }
  if (count == 0)
    throw Error(ErrorCode::InvalidArgument, "split",
                "the " + split + " split holds no samples. Set validation_split or choose another split.");
  impl.prepare(impl.network->evaluateBatchesOf(count), dataset);

  Evaluation result;
  result.split = split;
  result.samples = count;
  const bool isClassifier = dataset->hasLabels;
  if (isClassifier) {
    result.predictedClasses.reserve(static_cast<size_t>(count));
    result.confidences.reserve(static_cast<size_t>(count));
  }
  BatchSums sums;
  impl.network->evaluate(*samples, dataset->transform, begin, count, {}, sums, [&](const Program& program, int64_t, int64_t size) {
    const TensorType& type = program.graph().type(program.graph().findOutput("prediction"));
    if (!isClassifier || type.dtype != DType::F32) return;
    const int64_t outputs = type.shape.numElements() / size;
    const auto* values = reinterpret_cast<const float*>(program.outputAddress("prediction"));
    for (int64_t i = 0; i < size; ++i, values += outputs) {
      if (outputs == 1) {  // one probability: of class 1
        result.predictedClasses.push_back(values[0] > 0.5f ? 1 : 0);
        result.confidences.push_back(std::max(values[0], 1 - values[0]));
        continue;
      }
      const float* best = std::max_element(values, values + outputs);
      result.predictedClasses.push_back(static_cast<int32_t>(best - values));
      result.confidences.push_back(*best);
    }
  });
  const auto total = static_cast<double>(count);
  result.loss = sums.loss / total;
  for (size_t i = 0; i < sums.metrics.size(); ++i) result.metrics.emplace_back(impl.network->metricNames()[i], sums.metrics[i] / total);
  return result;
}

std::vector<float> Evaluator::predict(const Tensor& input) {
  Impl& impl = *m_impl;
  Program& program = impl.network->evaluateProgram(1);
  const TensorType& expected = program.graph().type(program.graph().findInput(impl.network->inputName()));
  Shape shape{1};
  for (const int64_t dim : input.shape().dims()) shape.append(dim);
  if (!(shape == expected.shape))
    throw Error(ErrorCode::ShapeMismatch, impl.network->inputName(),
                "the input does not fit (expected " + expected.shape.without(0).toString() + ", got " + input.shape().toString() +
                    "). Give a sample of the network's shape.");
  Samples samples;
  samples.x = input.reshaped(shape);
  const int32_t first = 0;
  impl.network->gatherInto(program.inputAddress(impl.network->inputName()), nullptr, samples, impl.transform, &first, 1);
  if (std::byte* target = program.graph().findInput("target").isValid() ? program.inputAddress("target") : nullptr)
    std::memset(target, 0, impl.network->targetBytes(1));  // the loss is computed beside and not looked at
  program.run();
  const Tensor output = program.readOutput("prediction").converted(DType::F32);
  const auto values = output.as<float>();
  return {values.begin(), values.end()};
}

const Project& Evaluator::project() const { return m_impl->network->project(); }

}  // namespace strata
