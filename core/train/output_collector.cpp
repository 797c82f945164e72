// SPDX-License-Identifier: Apache-2.0
#include "core/train/output_collector.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/recipe/losses.h"
#include "gpu/base/bytes.h"
#include "gpu/base/error.h"

namespace strata {

/// Returns the outputs whose layers have a mask.
static std::vector<bool> areMasked(Network& network) {
  const Model& model = network.steps().model();
  Graph graph;
  std::vector<VariableRequest> variables;
  NextValues nextValues;
  LoweredExtras extras;
  lowerLayers(graph, model, StepMode::Evaluate, 1, variables, nextValues, &extras);
  std::vector<bool> masked;
  for (const StepOutput& output : network.arrays().outputs())
    masked.push_back(
        extras.masks[static_cast<size_t>(model.find(output.layer) - model.layers.data())]
            .isValid());
  return masked;
}

/// Returns what an output predicts, or why its values are not collected.
static Figure<OutputKind> kindOf(const TypedFields& loss, const ClassReading& reading,
                                 int64_t columns, bool isMasked) {
  const LossDef* definition = findLoss(loss.type);
  const auto notOfValues = [&] {
    return Reason{STRATA_TEXT("evaluation", "its loss, %1, does not compare values"), {loss.type}};
  };
  if (!definition || definition->target == TargetKind::Sequences) return notOfValues();
  if (definition->wantsProbabilities && !reading.isClassifier)
    return Reason{STRATA_TEXT("evaluation", "it predicts a class for each position of a sample")};
  if (reading.isClassifier) {
    if (!reading.isBinary) return OutputKind::Classes;
    return columns == 1 ? OutputKind::Binary : OutputKind::Labels;
  }
  const OutputRange range = definition->ranges.outputs;
  if (definition->target != TargetKind::Values ||
      (range != OutputRange::Any && range != OutputRange::Positive))
    return notOfValues();
  if (isMasked)
    return Reason{STRATA_TEXT("evaluation", "some positions of its samples may be masked")};
  return OutputKind::Values;
}

OutputCollector::OutputCollector(Network& network, std::span<const ClassReading> readings,
                                 int64_t count, int64_t maxBytes)
    : m_network(network), m_readings(readings), m_count(count) {
  const std::vector<StepOutput>& outputs = network.arrays().outputs();
  const std::vector<bool> masked = areMasked(network);
  const Graph& graph = network.evaluateProgram(1).graph();
  int64_t bytes = 0;
  for (size_t k = 0; k < outputs.size(); ++k) {
    CollectedOutput output;
    output.output = outputs[k].layer;
    output.columns = graph.type(findOutput(graph, outputs[k].prediction)).shape.numElements();
    const Figure<OutputKind> kind =
        kindOf(network.steps().training().outputs[k].loss, readings[k], output.columns, masked[k]);
    if (!kind) {
      m_outputs.emplace_back(kind.reason());
      continue;
    }
    output.kind = *kind;
    const bool keepsTruth = *kind == OutputKind::Values || *kind == OutputKind::Labels;
    const double own = static_cast<double>(count) * static_cast<double>(output.columns) *
                       sizeof(float) * (keepsTruth ? 2 : 1);
    if (own > static_cast<double>(maxBytes - bytes)) {
      m_outputs.emplace_back(
          Reason{STRATA_TEXT("evaluation", "its predictions need too much memory (%1, at most %2)"),
                 {bytesText(own), bytesText(static_cast<double>(maxBytes))}});
      continue;
    }
    bytes += static_cast<int64_t>(own);
    output.predicted.reserve(static_cast<size_t>(count * output.columns));
    m_outputs.emplace_back(std::move(output));
  }
}

void OutputCollector::add(const Program& program) {
  for (size_t k = 0; k < m_outputs.size(); ++k) {
    if (!m_outputs[k]) continue;
    CollectedOutput& output = *m_outputs[k];
    const Tensor values =
        program.readOutput(m_network.arrays().outputs()[k].prediction).converted(DType::F32);
    const std::span<const float> all = values.as<float>();
    const auto width = static_cast<size_t>(output.columns);
    for (size_t row = 0; row < all.size(); row += width) {
      const auto sample = all.subspan(row, width);
      if (const auto predicted = m_readings[k].classOf(sample))
        output.predictedClasses.push_back(predicted->index);
      output.predicted.insert(output.predicted.end(), sample.begin(), sample.end());
      m_readings[k].makeProbabilities(std::span(output.predicted).last(width));
      ++output.samples;
    }
  }
}

std::vector<Figure<CollectedOutput>> OutputCollector::take(const Samples& samples,
                                                           const Dataset& dataset, int64_t begin) {
  for (size_t k = 0; k < m_outputs.size(); ++k) {
    if (!m_outputs[k]) continue;
    CollectedOutput& output = *m_outputs[k];
    require(output.samples == m_count, "all samples were added");
    const Tensor& y = samples.y[k];
    if (output.kind == OutputKind::Classes || output.kind == OutputKind::Binary) {
      output.classes = classesOf(y, begin, m_count, m_readings[k].isBinary);
      if (output.classes.empty()) {
        m_outputs[k] = Reason{STRATA_TEXT("evaluation", "its targets are not classes")};
        continue;
      }
      std::ranges::replace(output.classes, m_readings[k].ignored.value_or(-1), -1);
    }
    else {
      const Tensor truth = y.converted(DType::F32);
      const auto all = truth.as<float>().subspan(static_cast<size_t>(begin * output.columns),
                                                 static_cast<size_t>(m_count * output.columns));
      output.truth.assign(all.begin(), all.end());
    }
    if (output.kind != OutputKind::Values)
      output.classNames = namesOfClasses(dataset.targets[k].classNames,
                                         output.kind == OutputKind::Binary ? 2 : output.columns);
  }
  return std::move(m_outputs);
}

}  // namespace strata
