// SPDX-License-Identifier: Apache-2.0
#include "core/train/evaluator.h"

#include <cmath>
#include <cstring>

#include <nlohmann/json.hpp>

#include "core/model/model.h"
#include "core/train/losses.h"
#include "core/train/network.h"
#include "gpu/base/error.h"

namespace strata {

struct Evaluator::Impl {
  std::unique_ptr<Network> network;
  std::map<std::string, Tensor> weights;
  std::string file;
  std::vector<std::string> notes;  // of the weights
  Preprocessing preprocessing;
  std::shared_ptr<const Dataset> dataset;  // loaded at first need
  bool hasWeights = false;
  // How an output is read.
  bool isClassifier = false, isBinary = false, isLogits = false;

  void readAs(const Project& project);
  std::optional<PredictedClass> classOf(std::span<const float> output) const;

  /// Weights go in once the variables are there.
  void prepare(const std::vector<int64_t>& counts, const Dataset* data) {
    network->prepare({}, counts, data);
    if (hasWeights) return;
    notes = network->setWeights(weights, file);
    weights.clear();
    hasWeights = true;
  }
};

void Evaluator::Impl::readAs(const Project& project) {
  Diagnostics ignored;
  const Model model = parseModel(project, ignored);
  const TrainingOptions& training = network->training();
  const LossDef* loss = findLoss(training.loss.type);
  const Layer* last = model.outputs.empty() ? nullptr : model.find(model.outputs.back());
  const Graph& graph = network->evaluateProgram(1).graph();
  const Shape& shape = graph.type(graph.findOutput("prediction")).shape;
  isClassifier = loss && last && loss->wantsProbabilities && shape.rank() > 0 && shape.numElements() == shape.dim(-1);
  if (!isClassifier) return;
  isBinary = loss->isBinary;
  const Json& fields = *endOf(*last).fields;
  const auto activation = fields.find("activation");
  const std::string type = activation == fields.end() || activation->is_null() ? "" : activation->at("type").get<std::string>();
  isLogits = training.loss.fields->at("from_logits").get<bool>() && type != "sigmoid" && type != "softmax";
}

std::optional<PredictedClass> Evaluator::Impl::classOf(std::span<const float> output) const {
  if (!isClassifier || output.empty() || (isBinary && output.size() > 1))
    return std::nullopt;  // several answers of yes or no name no class
  if (isBinary) {
    const float yes = isLogits ? 1 / (1 + std::exp(-output[0])) : output[0];
    return yes > 0.5f ? PredictedClass{1, yes} : PredictedClass{0, 1 - yes};
  }
  const auto best = std::max_element(output.begin(), output.end());
  const auto index = static_cast<int32_t>(best - output.begin());
  double sum = 0, exponentials = 0;
  bool isDistribution = !isLogits;
  for (const float value : output) {
    sum += value;
    exponentials += std::exp(static_cast<double>(value - *best));
    isDistribution = isDistribution && value >= 0;
  }
  if (isDistribution && std::abs(sum - 1) < 1e-3) return PredictedClass{index, *best};
  return PredictedClass{index, static_cast<float>(1 / exponentials)};
}

/// Of samples begin..begin+count-1: their labels, the largest of their probabilities, or yes and no. Empty where the targets are none of these.
static std::vector<int32_t> classesOf(const Tensor& y, int64_t begin, int64_t count, bool isBinary) {
  const int64_t width = y.numElements() / std::max<int64_t>(1, y.shape()[0]);
  if (width < 1 || (width > 1 && y.dtype() == DType::I32)) return {};
  const Tensor values = y.converted(DType::F32);
  std::vector<int32_t> result;
  for (int64_t i = begin; i < begin + count; ++i) {
    const auto row = values.as<float>().subspan(static_cast<size_t>(i * width), static_cast<size_t>(width));
    if (width > 1)
      result.push_back(static_cast<int32_t>(std::max_element(row.begin(), row.end()) - row.begin()));
    else
      result.push_back(isBinary ? (row[0] > 0.5f ? 1 : 0) : static_cast<int32_t>(row[0]));
  }
  return result;
}

Evaluator::Evaluator(const Project& project, const std::string& weights, const std::string& device, int threads)
    : m_impl(std::make_unique<Impl>()) {
  m_impl->weights = readWeights(weights, m_impl->file);
  NetworkOptions options;
  options.device = device;
  options.threads = threads;
  m_impl->network = std::make_unique<Network>(project, options);
  m_impl->preprocessing = preprocessingOf(project, m_impl->file);
  m_impl->prepare({1}, nullptr);  // a wrong file is heard of now
  m_impl->readAs(project);
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
    throw Error(ErrorCode::InvalidArgument, "split",
                "unknown split \"" + split + "\" (expected train, validation or test). Name one of them.");
  }
  if (count == 0)
    throw Error(ErrorCode::InvalidArgument, "split",
                "the " + split + " split holds no samples. " +
                    (split == "test" ? "Give the source a test set, set test_split, or choose another split."
                                     : "Set validation_split or choose another split."));
  impl.prepare({count}, dataset);

  Evaluation result;
  result.split = split;
  result.samples = count;
  if (impl.isClassifier) {
    result.predictedClasses.reserve(static_cast<size_t>(count));
    result.confidences.reserve(static_cast<size_t>(count));
  }
  BatchSums sums;
  impl.network->evaluate(*samples, dataset->transform, begin, count, {}, sums, [&](const Program& program, int64_t, int64_t size) {
    const TensorType& type = program.graph().type(program.graph().findOutput("prediction"));
    if (!impl.isClassifier || type.dtype != DType::F32) return;
    const int64_t outputs = type.shape.numElements() / size;
    const auto* values = reinterpret_cast<const float*>(program.outputAddress("prediction"));
    for (int64_t i = 0; i < size; ++i, values += outputs) {
      const auto predicted = impl.classOf({values, static_cast<size_t>(outputs)});
      if (!predicted) return;
      result.predictedClasses.push_back(predicted->index);
      result.confidences.push_back(predicted->probability);
    }
  });
  if (result.predictedClasses.size() == static_cast<size_t>(count)) {
    result.classes = classesOf(samples->y, begin, count, impl.isBinary);
    result.classNames = dataset->classNames;
    const int32_t highest = result.classes.empty()
                                ? 0
                                : std::max(*std::max_element(result.classes.begin(), result.classes.end()),
                                           *std::max_element(result.predictedClasses.begin(), result.predictedClasses.end()));
    for (auto i = static_cast<int32_t>(result.classNames.size()); i <= highest; ++i) result.classNames.push_back(std::to_string(i));
  }
  const auto total = static_cast<double>(count);
  result.loss = sums.loss / total;
  std::vector<double> values;
  impl.network->metricValues(sums.metrics, count, values);
  for (size_t i = 0; i < values.size(); ++i) result.metrics.emplace_back(impl.network->metricNames()[i], values[i]);
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
  impl.network->gatherInto(program.inputAddress(impl.network->inputName()), nullptr, samples, impl.preprocessing.transform, &first, 1);
  if (std::byte* target = program.graph().findInput("target").isValid() ? program.inputAddress("target") : nullptr)
    std::memset(target, 0, impl.network->targetBytes(1));  // the loss is computed beside and not looked at
  program.run();
  const Tensor output = program.readOutput("prediction").converted(DType::F32);
  const auto values = output.as<float>();
  return {values.begin(), values.end()};
}

std::optional<PredictedClass> Evaluator::classOf(std::span<const float> output) const { return m_impl->classOf(output); }

const std::vector<std::string>& Evaluator::weightNotes() const { return m_impl->notes; }

const std::string& Evaluator::weightsPath() const { return m_impl->file; }

std::map<std::string, Tensor> Evaluator::weights() const { return m_impl->network->weights(); }

const Project& Evaluator::project() const { return m_impl->network->project(); }

Shape Evaluator::inputShape() const {
  const Graph& graph = m_impl->network->evaluateProgram(1).graph();
  return graph.type(graph.findInput(m_impl->network->inputName())).shape.without(0);
}

const Preprocessing& Evaluator::preprocessing() const { return m_impl->preprocessing; }

}  // namespace strata
