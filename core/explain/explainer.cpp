// SPDX-License-Identifier: Apache-2.0
#include "core/explain/explainer.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/explain/class_maps.h"
#include "core/explain/filters.h"
#include "core/explain/occlusion_patches.h"
#include "core/explain/score_graph.h"
#include "core/explain/score_program.h"
#include "core/project/text.h"
#include "core/train/network.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

/// How many patches of an occlusion are computed together.
constexpr int64_t kPatchesAtOnce = 16;

Shape withoutBatch(const Shape& shape) { return Shape(shape.dims().subspan(1)); }

/// Returns the only sample of a batch.
Tensor sampleOf(const Tensor& batch) {
  return batch.converted(DType::F32).reshaped(withoutBatch(batch.shape()));
}

/// The score of a class as a weighted sum over the elements of ScoreGraph::scores.
struct ScoreSeed {
  size_t output = 0;
  int64_t index = 0;
  // Position along the last axis, and 1 or -1
  int64_t column = 0;
  float sign = 1;
};

/// Refuses maps with values that are not finite, which come from weights or inputs that are too
/// large.
void requireFinite(const Tensor& map, const std::string& output) {
  if (!std::ranges::all_of(map.as<float>(), [](float value) { return std::isfinite(value); }))
    throw Error(ErrorCode::NonFinite, output,
                "the map of its score has values that are not finite. Check the sample, or use "
                "weights of another step.");
}

double scoreOf(const ScoreSeed& seed, std::span<const float> scores, int64_t columns) {
  double sum = 0;
  for (size_t i = static_cast<size_t>(seed.column); i < scores.size();
       i += static_cast<size_t>(columns))
    sum += scores[i];
  return seed.sign * sum;
}

Tensor seedTensor(const ScoreSeed& seed, const TensorType& type) {
  Tensor values(type);
  std::ranges::fill(values.as<float>(), 0.0f);
  const auto columns = static_cast<size_t>(type.shape.dim(-1));
  for (size_t i = static_cast<size_t>(seed.column); i < values.as<float>().size(); i += columns)
    values.as<float>()[i] = seed.sign;
  return values;
}

[[noreturn]] void failUnknown(const std::string& what, const std::string& name,
                              const std::vector<std::string>& names) {
  throw Error(ErrorCode::InvalidArgument, name,
              "there is no such " + what + " (expected " +
                  (names.empty() ? "none" : "one of: " + joinedNames(names)) + ").");
}

/// Whether a name means this layer: its name, or the path without the numbers of repeats.
bool isCalled(const LayerValue& layer, const std::string& name) {
  return layer.name == name || pathOfLayer(layer.name) == name;
}

}  // namespace

struct Explainer::Impl {
  Evaluator& evaluator;
  // The last program, which other samples may use again
  std::string key;
  std::unique_ptr<ScoreProgram> program;

  const Model& model() const { return evaluator.network().steps().model(); }
  size_t outputAt(const std::string& name) const;
  int64_t columnsOf(size_t output) const;
  int64_t numScores(size_t output) const;
  bool isSingleBinary(size_t output) const;
  ScoreSeed seedOf(std::span<const Tensor> sample, const ExplainedScore& score) const;
  ScoreGraph graphOf(size_t output, int64_t batch) const {
    return buildScoreGraph(model(), evaluator.outputNames()[output], batch);
  }
  ScoreProgram& programOf(const std::string& name, const std::function<ScoreGraph()>& build);
  size_t inputAt(const std::string& name) const;
  std::optional<size_t> layerAt(const ScoreGraph& graph, const std::string& name) const;
  size_t requireLayer(const ScoreGraph& graph, const std::string& name) const;
  size_t camLayer(const ScoreGraph& graph, const std::string& name,
                  const std::string& output) const;
  Explanation about(const ScoreSeed& seed, size_t input) const;
  /// A gradient with respect to an input, the values of the input, and what they belong to.
  struct InputGradient {
    Explanation about;
    Tensor gradient, input;
  };
  InputGradient gradientOf(std::span<const Tensor> sample, const ExplainedScore& score);
  double runOn(ScoreProgram& on, const std::vector<Tensor>& arrays, const ScoreSeed& seed) const;
};

size_t Explainer::Impl::outputAt(const std::string& name) const {
  const std::vector<std::string> names = evaluator.outputNames();
  const auto found = std::ranges::find(names, name);
  if (name.empty()) return 0;
  if (found == names.end()) failUnknown("output", name, names);
  return static_cast<size_t>(found - names.begin());
}

/// Returns the last dimension of an output.
int64_t Explainer::Impl::columnsOf(size_t output) const {
  const BatchArrays& arrays = evaluator.network().arrays();
  const size_t trained = arrays.outputs().size();
  return output < trained ? arrays.outputs()[output].width
                          : arrays.untrained()[output - trained].width;
}

bool Explainer::Impl::isSingleBinary(size_t output) const {
  const float value = 0;
  return columnsOf(output) == 1 && evaluator.classOf(output, {&value, 1}).has_value();
}

int64_t Explainer::Impl::numScores(size_t output) const {
  return isSingleBinary(output) ? 2 : columnsOf(output);
}

ScoreSeed Explainer::Impl::seedOf(std::span<const Tensor> sample,
                                  const ExplainedScore& score) const {
  ScoreSeed seed;
  seed.output = outputAt(score.output);
  const int64_t count = numScores(seed.output);
  if (score.index) {
    seed.index = *score.index;
  }
  else {
    const std::vector<float> values = evaluator.predict(sample)[seed.output];
    if (const auto predicted = evaluator.classOf(seed.output, values)) {
      seed.index = predicted->index;
    }
    else {
      std::vector<double> sums(static_cast<size_t>(count));
      for (size_t i = 0; i < values.size(); ++i)
        sums[i % sums.size()] += values[i];
      seed.index = std::ranges::max_element(sums) - sums.begin();
    }
  }
  if (seed.index < 0 || seed.index >= count)
    throw Error(ErrorCode::InvalidArgument, evaluator.outputNames()[seed.output],
                "the output has no class or value " + std::to_string(seed.index) +
                    " (expected 0 to " + std::to_string(count - 1) + ").");
  if (isSingleBinary(seed.output))
    seed.sign = seed.index == 1 ? 1.0f : -1.0f;
  else
    seed.column = seed.index;
  return seed;
}

/// Returns the program with this name, which `build` describes unless it is the last one.
ScoreProgram& Explainer::Impl::programOf(const std::string& name,
                                         const std::function<ScoreGraph()>& build) {
  if (program && key == name) return *program;
  // Frees its memory first
  program.reset();
  program = std::make_unique<ScoreProgram>(build(), evaluator.network());
  key = name;
  return *program;
}

/// Returns the position of an Input layer.
size_t Explainer::Impl::inputAt(const std::string& name) const {
  std::vector<std::string> names;
  for (const WantedInput& input : evaluator.inputs())
    names.push_back(input.name);
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) failUnknown("Input layer", name, names);
  return static_cast<size_t>(found - names.begin());
}

std::optional<size_t> Explainer::Impl::layerAt(const ScoreGraph& graph,
                                               const std::string& name) const {
  for (size_t i = graph.layers.size(); i-- > 0;)
    if (isCalled(graph.layers[i], name)) return i;
  return std::nullopt;
}

size_t Explainer::Impl::requireLayer(const ScoreGraph& graph, const std::string& name) const {
  if (const auto found = layerAt(graph, name)) return *found;
  std::vector<std::string> names;
  for (const LayerValue& layer : graph.layers)
    names.push_back(layer.name);
  failUnknown("layer", name, names);
}

/// Returns the layer of a Grad-CAM map: the one with this name, or the last one before the output
/// that has spatial axes.
size_t Explainer::Impl::camLayer(const ScoreGraph& graph, const std::string& name,
                                 const std::string& output) const {
  const auto hasAxes = [&](size_t i) {
    return spatialAxesOf(graph.graph.shape(graph.layers[i].value)) > 0;
  };
  if (!name.empty()) {
    const size_t layer = requireLayer(graph, name);
    if (!hasAxes(layer))
      throw Error(ErrorCode::InvalidArgument, name,
                  "the output of the layer has no spatial axes (expected [..., channels] with at "
                  "least one axis before the channels, got " +
                      withoutBatch(graph.graph.shape(graph.layers[layer].value)).toString() +
                      "). Choose a layer such as a convolution or pooling.");
    return layer;
  }
  const auto end = std::ranges::find(graph.layers, output, &LayerValue::name);
  for (size_t i = graph.layers.size(); i-- > 0;) {
    const ValueId value = graph.layers[i].value;
    // The last layer in a Block has the value of the Block
    if (end != graph.layers.end() && value == end->value) continue;
    if (hasAxes(i) && graph.graph.type(value).dtype == DType::F32 && dependsOn(graph, value))
      return i;
  }
  throw Error(ErrorCode::InvalidArgument, output,
              "no layer before the output has spatial axes, so there is no Grad-CAM map. Use "
              "saliency or occlusion.");
}

Explanation Explainer::Impl::about(const ScoreSeed& seed, size_t input) const {
  Explanation result;
  result.output = evaluator.outputNames()[seed.output];
  result.input = evaluator.inputs()[input].name;
  result.index = seed.index;
  return result;
}

/// Runs a program on a batch of one, and returns the score.
double Explainer::Impl::runOn(ScoreProgram& on, const std::vector<Tensor>& arrays,
                              const ScoreSeed& seed) const {
  on.writeInputs(arrays);
  on.write(kSeedInput, seedTensor(seed, on.scoresType()));
  on.run();
  const Tensor scores = on.read(kScoresOutput);
  return scoreOf(seed, scores.as<float>(), on.scoresType().shape.dim(-1));
}

Explainer::Explainer(Evaluator& evaluator)
    : m_impl(std::make_unique<Impl>(Impl{evaluator, {}, nullptr})) {}

Explainer::~Explainer() = default;

int64_t Explainer::numScores(const std::string& output) const {
  return m_impl->numScores(m_impl->outputAt(output));
}

std::vector<ExplainableLayer> Explainer::layers() const {
  const ScoreGraph graph = m_impl->graphOf(0, 1);
  std::vector<ExplainableLayer> result;
  for (const LayerValue& layer : graph.layers) {
    const Shape& shape = graph.graph.shape(layer.value);
    result.push_back({layer.name, withoutBatch(shape), spatialAxesOf(shape) > 0,
                      strata::hasFilters(m_impl->model(), layer.name)});
  }
  return result;
}

Tensor Explainer::filters(const std::string& layer) const {
  return filterImages(m_impl->model(), m_impl->evaluator.weights(), layer);
}

[[noreturn]] static void failWithoutGradient(const std::string& subject, const std::string& why) {
  throw Error(ErrorCode::UnsupportedOp, subject,
              "the score has no gradient here, because " + why + ". Use occlusion.");
}

/// Computes the gradient of a score with respect to an input, and returns both arrays of the sample
/// without the batch dimension.
Explainer::Impl::InputGradient Explainer::Impl::gradientOf(std::span<const Tensor> sample,
                                                           const ExplainedScore& score) {
  const std::vector<Tensor> arrays = evaluator.convert(sample);
  size_t input = 0;
  if (!score.input.empty()) {
    input = inputAt(score.input);
  }
  else {
    const auto floating =
        std::ranges::find_if(arrays, [](const Tensor& array) { return isFloating(array.dtype()); });
    if (floating != arrays.end()) input = static_cast<size_t>(floating - arrays.begin());
  }
  if (!isFloating(arrays[input].dtype()))
    failWithoutGradient(evaluator.inputs()[input].name,
                        "the input has whole numbers, such as the indices of an Embedding");
  const ScoreSeed seed = seedOf(sample, score);
  Explanation about = this->about(seed, input);
  ScoreProgram& computed = programOf("saliency/" + about.output + "/" + about.input, [&] {
    ScoreGraph graph = graphOf(seed.output, 1);
    const auto value = std::ranges::find(graph.inputs, about.input, &LayerValue::name);
    if (!appendScoreGradient(graph, value->value))
      failWithoutGradient(about.input,
                          "the output does not depend on the input, or only through whole numbers");
    return graph;
  });
  about.score = runOn(computed, arrays, seed);
  Tensor gradient = sampleOf(computed.read(kGradientOutput));
  requireFinite(gradient, about.output);
  return {std::move(about), std::move(gradient), sampleOf(arrays[input])};
}

Explanation Explainer::saliency(std::span<const Tensor> sample, const ExplainedScore& score) {
  Impl::InputGradient found = m_impl->gradientOf(sample, score);
  found.about.map = largestOverChannels(found.gradient);
  return std::move(found.about);
}

Explanation Explainer::gradientTimesInput(std::span<const Tensor> sample,
                                          const ExplainedScore& score) {
  Impl::InputGradient found = m_impl->gradientOf(sample, score);
  std::ranges::transform(found.gradient.as<float>(), found.input.as<float>(),
                         found.gradient.as<float>().begin(), std::multiplies<>());
  found.about.map = std::move(found.gradient);
  requireFinite(found.about.map, found.about.output);
  return std::move(found.about);
}

Explanation Explainer::gradCam(std::span<const Tensor> sample, const ExplainedScore& score,
                               const std::string& layer) {
  Impl& impl = *m_impl;
  const std::vector<Tensor> arrays = impl.evaluator.convert(sample);
  const ScoreSeed seed = impl.seedOf(sample, score);
  const std::string output = impl.evaluator.outputNames()[seed.output];
  ScoreProgram& program = impl.programOf("grad_cam/" + output + "/" + layer, [&] {
    ScoreGraph graph = impl.graphOf(seed.output, 1);
    const size_t at = impl.camLayer(graph, layer, output);
    const LayerValue chosen = graph.layers[at];
    if (!dependsOn(graph, chosen.value))
      failWithoutGradient(chosen.name, "output " + output + " does not depend on the layer");
    graph.graph.addOutput(kValueOutput, chosen.value);
    if (!appendScoreGradient(graph, chosen.value))
      failWithoutGradient(chosen.name, "a layer after it only passes on whole numbers");
    graph.chosen = chosen.name;
    return graph;
  });
  const double value = impl.runOn(program, arrays, seed);
  const Tensor values = sampleOf(program.read(kValueOutput));
  const int axes = values.shape().rank() - 1;
  size_t input = 0;
  if (!score.input.empty()) {
    input = impl.inputAt(score.input);
  }
  else {
    while (input + 1 < arrays.size() && arrays[input].shape().rank() != axes + 2)
      ++input;
  }
  Explanation result = impl.about(seed, input);
  result.score = value;
  result.layer = program.chosen();
  result.layerMap = weightedChannels(values, sampleOf(program.read(kGradientOutput)));
  requireFinite(result.layerMap, output);
  const Shape& size = arrays[input].shape();
  result.map = size.rank() == axes + 2
                   ? resizedMap(result.layerMap, size.dims().subspan(1, static_cast<size_t>(axes)))
                   : result.layerMap;
  return result;
}

OcclusionMap Explainer::occlusion(std::span<const Tensor> sample, const ExplainedScore& score,
                                  const OcclusionOptions& options) {
  Impl& impl = *m_impl;
  const size_t input = score.input.empty() ? 0 : impl.inputAt(score.input);
  const std::vector<Tensor> whole = impl.evaluator.convert(sample);
  const OcclusionPatches patches(sample[input], impl.evaluator.inputs()[input].name, options);
  const ScoreSeed seed = impl.seedOf(sample, score);
  OcclusionMap result{impl.about(seed, input), patches.size(), patches.stride()};
  const int64_t count = patches.count(), batch = std::min(count + 1, kPatchesAtOnce);
  ScoreProgram& program =
      impl.programOf("occlusion/" + result.explanation.output + "/" + std::to_string(batch),
                     [&] { return impl.graphOf(seed.output, batch); });
  const int64_t columns = program.scoresType().shape.dim(-1);
  result.explanation.map = Tensor(DType::F32, patches.mapShape());
  std::vector<Tensor> covered(sample.begin(), sample.end());
  // Sample 0 is the whole one, and sample i has patch i - 1
  std::vector<double> scores;
  for (int64_t first = 0; first <= count; first += batch) {
    if (options.stop.stop_requested()) throw Error(ErrorCode::Stopped, "occlusion", "stopped.");
    program.clearRows();
    for (int64_t i = first; i < std::min(first + batch, count + 1); ++i) {
      if (i == 0) {
        program.addRow(whole);
        continue;
      }
      covered[input] = sample[input];
      patches.cover(covered[input], i - 1);
      program.addRow(impl.evaluator.convert(covered));
    }
    program.writeRows();
    program.run();
    const Tensor values = program.read(kScoresOutput);
    const std::span<const float> all = values.as<float>();
    const size_t row = all.size() / static_cast<size_t>(batch);
    for (int64_t i = first; i < std::min(first + batch, count + 1); ++i)
      scores.push_back(
          scoreOf(seed, all.subspan(static_cast<size_t>(i - first) * row, row), columns));
  }
  result.explanation.score = scores.front();
  for (size_t i = 0; i + 1 < scores.size(); ++i)
    result.explanation.map.as<float>()[i] = static_cast<float>(scores.front() - scores[i + 1]);
  requireFinite(result.explanation.map, result.explanation.output);
  return result;
}

Tensor Explainer::featureMaps(std::span<const Tensor> sample, const std::string& layer) {
  Impl& impl = *m_impl;
  const std::vector<Tensor> arrays = impl.evaluator.convert(sample);
  const std::vector<WantedInput> inputs = impl.evaluator.inputs();
  const auto input = std::ranges::find(inputs, layer, &WantedInput::name);
  if (input != inputs.end()) {
    const Tensor& array = arrays[static_cast<size_t>(input - inputs.begin())];
    return sampleOf(array);
  }
  ScoreProgram& program = impl.programOf("layer/" + layer, [&] {
    ScoreGraph graph = impl.graphOf(0, 1);
    const LayerValue& chosen = graph.layers[impl.requireLayer(graph, layer)];
    graph.graph.addOutput(kValueOutput, chosen.value);
    return graph;
  });
  program.writeInputs(arrays);
  program.run();
  return sampleOf(program.read(kValueOutput));
}

}  // namespace strata
