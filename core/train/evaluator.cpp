// SPDX-License-Identifier: Apache-2.0
#include "core/train/evaluator.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "core/check/checked_project.h"
#include "core/check/data_fit.h"
#include "core/data/image_reading.h"
#include "core/interchange/weight_names.h"
#include "core/model/model.h"
#include "core/project/seal.h"
#include "core/project/text.h"
#include "core/recipe/losses.h"
#include "core/runs/run_record.h"
#include "core/train/network.h"
#include "core/train/non_finite.h"
#include "core/train/output_collector.h"
#include "gpu/base/error.h"

namespace strata {

struct Evaluator::Impl {
  std::unique_ptr<Network> network;
  std::unique_ptr<TensorReader> weights;
  std::string file;
  // Notes about the weights file
  std::vector<std::string> notes;
  Preprocessing preprocessing;
  // The data set, which is loaded when it is first needed
  std::shared_ptr<const Dataset> dataset;
  bool hasWeights = false;
  // How each trained output becomes a class
  std::vector<ClassReading> readings;
  Samples sampleOf(std::span<const Tensor> inputs) const;
  void requireFiniteWeights() const;
  void requireOutputs(const Samples& samples, const InputTransforms& transforms, int64_t begin,
                      int64_t count);

  /// Compiles the programs. Loads the weights as soon as the variables exist.
  void prepare(const std::vector<int64_t>& counts, const Dataset* data) {
    network->prepare({}, counts, data);
    if (hasWeights) return;
    notes = network->state().setWeights(*weights, file);
    requireFiniteWeights();
    weights.reset();
    hasWeights = true;
  }
};

static bool hasNan(const Tensor& tensor) {
  const Tensor values = tensor.converted(DType::F32);
  return std::ranges::any_of(values.as<float>(), [](float value) { return std::isnan(value); });
}

/// Refuses weights that are not finite, because a network with NaN weights still predicts a class.
void Evaluator::Impl::requireFiniteWeights() const {
  const auto bad = firstNonFinite(network->state().weightSnapshot().views());
  if (!bad) return;
  std::string layer = *bad;
  for (const VariableRequest& request : network->state().variables())
    if (request.name == *bad) layer = request.layer;
  throw Error(ErrorCode::InvalidFile, file,
              "the weights of layer " + layer + " (" + *bad +
                  ") contain values that are not finite. Use the weights of a run that did not "
                  "fail.");
}

/// Refuses outputs that are NaN, because NaN would be counted as the first class. Evaluates the
/// samples again to find the batch.
void Evaluator::Impl::requireOutputs(const Samples& samples, const InputTransforms& transforms,
                                     int64_t begin, int64_t count) {
  BatchSums sums;
  BadBatch bad{.samples = &samples, .transforms = transforms, .indices = {}};
  std::string output;
  network->evaluate(samples, transforms, begin, count, {}, sums,
                    [&](const Program& program, int64_t first, int64_t size) {
                      if (!output.empty()) return;
                      for (const StepOutput& each : network->arrays().outputs())
                        if (hasNan(program.readOutput(each.prediction))) output = each.layer;
                      for (int64_t i = 0; i < size && !output.empty(); ++i)
                        bad.indices.push_back(static_cast<int32_t>(first + i));
                    });
  if (!output.empty()) throw explainNanOutput(*network, output, bad);
}

/// Refuses weights of a run whose preprocessing.json is missing or damaged, because the inputs
/// would not be preprocessed as in training.
static void requireKeptPreprocessing(const std::string& weights) {
  const std::filesystem::path path = std::filesystem::absolute(weights);
  // A checkpoint is in a subfolder of the run.
  for (const auto& folder : {path.parent_path(), path.parent_path().parent_path()}) {
    std::string problem;
    const auto record = readRunRecord(folder.string(), problem);
    if (!record) continue;
    const std::string kept = savedPreprocessing(weights);
    if (kept.empty() && !record->preprocessingHash.empty())
      throw Error(ErrorCode::InvalidFile, (folder / "preprocessing.json").string(),
                  "is missing (it describes how raw values become inputs of the network). Restore "
                  "it from a backup, or train again.");
    if (!kept.empty() && hashOfBytes(readFile(kept, kMaxJsonBytes)) != record->preprocessingHash)
      throw Error(ErrorCode::InvalidFile, kept,
                  "is damaged or belongs to another run (its hash is not the recorded one), so "
                  "predictions would be wrong. Restore it from a backup, or train again.");
    return;
  }
}

Evaluator::Evaluator(const Project& project, const std::string& weights, const std::string& device,
                     int threads)
    : m_impl(std::make_unique<Impl>()) {
  m_impl->weights = openWeights(weights, m_impl->file);
  requireKeptPreprocessing(m_impl->file);
  NetworkOptions options;
  options.isAlone = true;
  options.device = device;
  options.threads = threads;
  const CheckedProject checked(withRecordedReading(project, m_impl->file));
  m_impl->network = std::make_unique<Network>(checked, options);
  m_impl->preprocessing = preprocessingOf(checked, m_impl->file);
  // Compiling also loads the weights, so a wrong file is reported now.
  m_impl->prepare({1}, nullptr);
  const Network& network = *m_impl->network;
  const Preprocessing& kept = m_impl->preprocessing;
  if (kept.transforms.size() != network.arrays().numInputs() ||
      kept.classNames.size() != network.arrays().outputs().size())
    throw Error(ErrorCode::InvalidFile, savedPreprocessing(m_impl->file),
                "belongs to another network (expected " +
                    counted(static_cast<int64_t>(network.arrays().numInputs()), "input") + " and " +
                    counted(static_cast<int64_t>(network.arrays().outputs().size()), "output") +
                    ", got " + std::to_string(kept.transforms.size()) + " and " +
                    std::to_string(kept.classNames.size()) + "). Use weights of this project.");
  for (size_t i = 0; i < network.arrays().outputs().size(); ++i)
    m_impl->readings.push_back(
        classReading(network, m_impl->network->evaluateProgram(1).graph(), 1, i));
}

Evaluator::~Evaluator() = default;

EvaluationResult Evaluator::evaluate(const std::string& split, const Dataset* dataset,
                                     Collect collect, const std::stop_token& stop) {
  Impl& impl = *m_impl;
  if (!dataset) {
    if (!impl.dataset) impl.dataset = loadDataset(impl.network->steps().project());
    dataset = impl.dataset.get();
  }
  requireSameTable(impl.preprocessing, *dataset, savedPreprocessing(impl.file));
  const Samples* samples = dataset->train.get();
  int64_t begin = 0, count = 0;
  if (split == "test") {
    samples = dataset->test.get();
    count = samples->count();
  }
  else if (split == "validation") {
    begin = dataset->trainCount;
    count = dataset->validationCount;
  }
  else if (split == "train") {
    count = dataset->trainCount;
  }
  else {
    throw Error(
        ErrorCode::InvalidArgument, "split",
        "unknown split \"" + split + "\" (expected train, validation or test). Choose one.");
  }
  if (count == 0)
    throw Error(ErrorCode::InvalidArgument, "split",
                "the " + split + " split has no samples. " +
                    (split == "test"
                         ? "Add a test set to the source, set test_split, or choose another split."
                         : "Set validation_split or choose another split."));
  impl.prepare({count}, dataset);

  EvaluationResult result;
  result.split = split;
  result.samples = count;
  for (const StepOutput& output : impl.network->arrays().outputs())
    result.outputs.push_back({output.layer, {}, {}, {}, {}});
  BatchSums sums;
  std::optional<OutputCollector> collector;
  if (collect == Collect::Outputs) collector.emplace(*impl.network, impl.readings, count);
  const bool isDone = impl.network->evaluate(
      *samples, dataset->transforms, begin, count, stop, sums,
      [&](const Program& program, int64_t, int64_t size) {
        if (collector) collector->add(program);
        for (size_t k = 0; k < result.outputs.size(); ++k) {
          const std::string& name = impl.network->arrays().outputs()[k].prediction;
          const TensorType& type = program.graph().type(findOutput(program.graph(), name));
          if (!impl.readings[k].isClassifier || type.dtype != DType::F32) continue;
          const int64_t width = type.shape.numElements() / size;
          const Tensor predictions = program.readOutput(name);
          const float* values = predictions.as<float>().data();
          for (int64_t i = 0; i < size; ++i, values += width) {
            const auto predicted = impl.readings[k].classOf({values, static_cast<size_t>(width)});
            if (!predicted) break;
            result.outputs[k].predictedClasses.push_back(predicted->index);
            result.outputs[k].confidences.push_back(predicted->probability);
          }
        }
      });
  if (!isDone) throw Error(ErrorCode::Stopped, "evaluation", "was stopped.");
  for (size_t k = 0; k < result.outputs.size(); ++k) {
    EvaluatedClasses& about = result.outputs[k];
    if (about.predictedClasses.size() != static_cast<size_t>(count)) continue;
    about.classes = classesOf(samples->y[k], begin, count, impl.readings[k].isBinary);
    std::ranges::replace(about.classes, impl.readings[k].ignored.value_or(-1), -1);
    about.classNames = dataset->targets[k].classNames;
    const int32_t highest =
        about.classes.empty()
            ? 0
            : std::max(
                  *std::max_element(about.classes.begin(), about.classes.end()),
                  *std::max_element(about.predictedClasses.begin(), about.predictedClasses.end()));
    for (auto i = static_cast<int32_t>(about.classNames.size()); i <= highest; ++i)
      about.classNames.push_back(std::to_string(i));
  }
  if (collector) result.collected = collector->take(*samples, *dataset, begin);
  const auto total = static_cast<double>(count);
  result.loss = sums.loss / total;
  if (std::isnan(result.loss)) impl.requireOutputs(*samples, dataset->transforms, begin, count);
  std::vector<double> values;
  impl.network->sums().metricValues(sums.metrics, count, sums.collected, values);
  for (size_t i = 0; i < values.size(); ++i)
    result.metrics.emplace_back(impl.network->sums().metricNames()[i], values[i]);
  return result;
}

/// Returns a sample as a data set has it. The targets are zero. Fails: as predict().
Samples Evaluator::Impl::sampleOf(std::span<const Tensor> inputs) const {
  const BatchArrays& arrays = network->arrays();
  require(inputs.size() == arrays.numInputs(), "a sample has one array for each Input layer");
  Samples samples;
  samples.x.resize(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const StepPort& expected = arrays.all()[i];
    Shape shape{1};
    for (const int64_t dim : inputs[i].shape().dims())
      shape.append(dim);
    if (!(shape == expected.type.shape))
      throw Error(ErrorCode::ShapeMismatch, expected.name,
                  "the input does not fit (expected " + expected.type.shape.without(0).toString() +
                      ", got " + inputs[i].shape().toString() +
                      "). Use a sample of the shape that the network expects.");
    samples.x[i] = inputs[i].reshaped(shape);
  }
  for (size_t i = 0; i < inputs.size(); ++i)
    if (const auto misfit =
            findInputMisfit(samples, i, preprocessing.transforms[i], network->steps().model()))
      throw Error(ErrorCode::InvalidArgument, arrays.all()[i].name, misfit->sentence());
  for (size_t i = inputs.size(); i < arrays.all().size(); ++i) {
    TensorType type = arrays.all()[i].type;
    samples.y.resize(i + 1 - inputs.size());
    samples.y.back() = Tensor(type);
  }
  return samples;
}

std::vector<Tensor> Evaluator::convert(std::span<const Tensor> inputs) const {
  const Samples samples = m_impl->sampleOf(inputs);
  const BatchArrays& arrays = m_impl->network->arrays();
  std::vector<Tensor> converted;
  std::vector<std::byte*> places(arrays.all().size(), nullptr);
  for (size_t i = 0; i < inputs.size(); ++i) {
    converted.emplace_back(arrays.all()[i].type);
    places[i] = converted.back().data();
  }
  const int32_t first = 0;
  arrays.gatherInto(places, samples, m_impl->preprocessing.transforms, &first, 1);
  return converted;
}

std::vector<std::vector<float>> Evaluator::predict(std::span<const Tensor> inputs) {
  Impl& impl = *m_impl;
  Network& network = *impl.network;
  Program& program = network.evaluateProgram(1);
  // The program also computes the loss, which is not used here. Its targets stay zero.
  const Samples samples = impl.sampleOf(inputs);
  const int32_t first = 0;
  network.arrays().gather(program, samples, impl.preprocessing.transforms, &first, 1);
  const NetworkState::FreshCarriedStates fresh(network.state());
  program.run();
  std::vector<std::vector<float>> outputs;
  for (const auto* some : {&network.arrays().outputs(), &network.arrays().untrained()})
    for (const StepOutput& output : *some) {
      const Tensor values = program.readOutput(output.prediction).converted(DType::F32);
      if (hasNan(values))
        throw explainNanOutput(
            network, output.layer,
            {.samples = &samples, .transforms = impl.preprocessing.transforms, .indices = {first}});
      outputs.emplace_back(values.as<float>().begin(), values.as<float>().end());
    }
  return outputs;
}

std::optional<PredictedClass> Evaluator::classOf(size_t output,
                                                 std::span<const float> values) const {
  return output < m_impl->readings.size() ? m_impl->readings[output].classOf(values) : std::nullopt;
}

const std::vector<std::string>& Evaluator::weightNotes() const { return m_impl->notes; }

const std::string& Evaluator::weightsPath() const { return m_impl->file; }

std::map<std::string, Tensor> Evaluator::weights() const {
  std::map<std::string, Tensor> weights = m_impl->network->state().weights();
  std::erase_if(weights, [](const auto& each) { return isCarriedState(each.first); });
  return weights;
}

const Project& Evaluator::project() const { return m_impl->network->steps().project(); }

std::vector<WantedInput> Evaluator::inputs() const {
  std::vector<WantedInput> inputs;
  for (size_t i = 0; i < m_impl->network->arrays().numInputs(); ++i) {
    const StepPort& input = m_impl->network->arrays().all()[i];
    inputs.push_back({input.name, input.type.shape.without(0)});
  }
  return inputs;
}

std::vector<std::string> Evaluator::outputNames() const {
  std::vector<std::string> names;
  for (const auto* some :
       {&m_impl->network->arrays().outputs(), &m_impl->network->arrays().untrained()})
    for (const StepOutput& output : *some)
      names.push_back(output.layer);
  return names;
}

Network& Evaluator::network() { return *m_impl->network; }

const Preprocessing& Evaluator::preprocessing() const { return m_impl->preprocessing; }

}  // namespace strata
