// SPDX-License-Identifier: Apache-2.0
// Reads /model of the document into layers with explicit inputs, in topological order.
#include "core/model/model.h"

#include <nlohmann/json.hpp>

#include "core/layers/schema.h"
#include "core/model/model_reader.h"

namespace strata {

Model ModelReader::read() {
  const Json& layers = *m_scope.layers;
  m_entries.resize(layers.size());
  const auto forEach = [&](auto&& readPart) {
    for (size_t i = 0; i < m_entries.size(); ++i) {
      const size_t before = m_diagnostics.size();
      readPart(i);
      addPointers(m_entries[i], before);
    }
  };
  forEach([&](size_t i) { readName(m_entries[i], layers[i], i); });
  forEach([&](size_t i) { readFields(m_entries[i]); });
  forEach([&](size_t i) {
    readInputs(i);
    readBlock(m_entries[i]);
  });
  return sortedModel();
}

void ModelReader::addPointers(const ParsedLayer& entry, size_t before) {
  for (size_t i = before; i < m_diagnostics.size(); ++i) {
    Diagnostic& problem = m_diagnostics[i];
    if (!problem.pointer.empty()) continue;
    if (problem.field.starts_with('/'))
      problem.pointer = problem.field;
    else
      problem.pointer =
          problem.field.empty() ? entry.pointer : entry.pointer + "/" + escapedKey(problem.field);
  }
}

void ModelReader::report(Severity severity, const char* code, const std::string& layer,
                         std::string field, Text message, Arguments arguments,
                         std::vector<Fix> fixes) {
  m_diagnostics.push_back(
      {severity, code, layer, std::move(field), message, std::move(arguments), std::move(fixes)});
}

ProjectEdit ModelReader::makeEdit(Text name, Arguments arguments, EditOperation operation,
                                  std::vector<std::string> layers) {
  return {name, std::move(arguments), {std::move(operation)}, std::move(layers)};
}

/// Returns the number of layers in a list, including those in Blocks. Does not count further than
/// just beyond the limit.
static int64_t countLayers(const Json& layers, int depth) {
  int64_t count = 0;
  if (!layers.is_array() || depth > kMaxBlockDepth) return count;
  for (const Json& layer : layers) {
    count += 1 + countLayers(memberOf(layer, "layers"), depth + 1);
    if (count > kMaxExpandedLayers) break;
  }
  return count;
}

Model parseModel(const Project& project, Diagnostics& diagnostics) {
  const Json& document = project.document();
  LayerScope scope;
  if (document.is_object() && document.contains("model") && document["model"].is_object() &&
      document["model"].contains("layers") && document["model"]["layers"].is_array())
    scope.layers = &document["model"]["layers"];
  if (!scope.layers || scope.layers->empty()) {
    diagnostics.push_back(
        {Severity::Error,
         "empty_model",
         "",
         "/model/layers",
         STRATA_TEXT("problem",
                     "the network has no layers. Add an Input layer and other layers after it."),
         {},
         {},
         "/model/layers"});
    return {};
  }
  if (countLayers(*scope.layers, 0) > kMaxExpandedLayers) {
    diagnostics.push_back({Severity::Error,
                           "too_large",
                           "",
                           "/model/layers",
                           STRATA_TEXT("problem",
                                       "the network has too many layers (expected at most %1). "
                                       "Remove some of them."),
                           {std::to_string(kMaxExpandedLayers)},
                           {},
                           "/model/layers"});
    return {};
  }
  return ModelReader(project, std::move(scope), diagnostics).read();
}

}  // namespace strata
