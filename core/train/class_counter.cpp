// SPDX-License-Identifier: Apache-2.0
#include "core/train/class_counter.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/evaluation/classification.h"

namespace strata {

bool ClassCounter::mayClassify() const {
  return m_isReady ? !m_outputs.empty() : strata::mayClassify(m_network.steps().training());
}

/// Finds the outputs that classify, and the true classes of their samples.
void ClassCounter::findOutputs(const Program& program, int64_t samples) {
  m_isReady = true;
  const std::vector<StepOutput>& outputs = m_network.arrays().outputs();
  for (size_t k = 0; k < outputs.size(); ++k) {
    Output output;
    output.index = k;
    output.reading = classReading(m_network, program.graph(), samples, k);
    if (!output.reading.isClassifier) continue;
    const Graph& graph = program.graph();
    const int64_t columns =
        graph.type(findOutput(graph, outputs[k].prediction)).shape.numElements() / samples;
    // Labels that a sample may have together are no classes
    if (output.reading.isBinary && columns > 1) continue;
    output.classes = output.reading.isBinary ? 2 : columns;
    if (output.classes > kMaxConfusionClasses) continue;
    output.truth = classesOf(m_dataset.train->y[k], m_dataset.trainCount, m_dataset.validationCount,
                             output.reading.isBinary);
    if (output.truth.empty()) continue;
    std::ranges::replace(output.truth, output.reading.ignored.value_or(-1), -1);
    output.classNames = namesOfClasses(m_dataset.targets[k].classNames, output.classes);
    output.predicted.reserve(output.truth.size());
    m_outputs.push_back(std::move(output));
  }
}

void ClassCounter::begin() {
  for (Output& output : m_outputs)
    output.predicted.clear();
}

void ClassCounter::add(const Program& program, int64_t samples) {
  if (!m_isReady) findOutputs(program, samples);
  for (Output& output : m_outputs) {
    Tensor values = program.readOutput(m_network.arrays().outputs()[output.index].prediction);
    if (values.dtype() != DType::F32) values = values.converted(DType::F32);
    const std::span<const float> all = values.as<float>();
    const size_t width = all.size() / static_cast<size_t>(samples);
    for (size_t row = 0; row < all.size(); row += width)
      output.predicted.push_back(*output.reading.indexOf(all.subspan(row, width)));
  }
}

std::shared_ptr<const ClassValidation> ClassCounter::take(int64_t step, int64_t epoch) const {
  if (m_outputs.empty()) return nullptr;
  auto validation = std::make_shared<ClassValidation>();
  validation->step = step;
  validation->epoch = epoch;
  for (const Output& output : m_outputs) {
    require(output.predicted.size() == output.truth.size(), "all samples were added");
    validation->outputs.push_back({m_network.arrays().outputs()[output.index].layer,
                                   output.classNames,
                                   confusionOf(output.truth, output.predicted, output.classes)});
  }
  return validation;
}

}  // namespace strata
