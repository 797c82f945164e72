// SPDX-License-Identifier: Apache-2.0
// Reads the contents of a Block with a reader for its scope of names.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/model/model_reader.h"

namespace strata {

void ModelReader::readBlock(ParsedLayer& entry) {
  const LayerDef* definition = entry.layer.definition;
  if (!definition || definition->schema.type != "Block") {
    ++m_expandedLayers;
    return;
  }
  entry.isSoundInside = false;
  const auto layers = entry.json->find("layers");
  // readFields() has already reported the problem.
  if (layers == entry.json->end() || !layers->is_array()) return;
  if (layers->empty()) {
    report(Severity::Error, "empty_block", entry.path, "layers",
           STRATA_TEXT("problem",
                       "the Block is empty (expected at least one layer). Add a layer, or remove "
                       "the Block."),
           {});
    return;
  }
  if (m_scope.depth >= kMaxBlockDepth) {
    report(Severity::Error, "too_deep", entry.path, "layers",
           STRATA_TEXT("problem",
                       "Blocks are nested too deeply (expected at most %1 levels). Replace this "
                       "Block with its layers."),
           {std::to_string(kMaxBlockDepth)});
    return;
  }
  const Json& fields = *entry.layer.fields;
  const size_t before = m_diagnostics.size();
  LayerScope scope{&*layers,
                   entry.pointer + "/layers",
                   entry.path + "/",
                   m_scope.depth + 1,
                   fields.value("trainable", true),
                   fields.value("learning_rate_factor", 1.0)};
  Model inner = ModelReader(m_project, std::move(scope), m_diagnostics).read();
  entry.isSoundInside =
      std::none_of(m_diagnostics.begin() + static_cast<std::ptrdiff_t>(before), m_diagnostics.end(),
                   [](const Diagnostic& each) { return each.severity == Severity::Error; });
  const int64_t repeat = fields.value("repeat", int64_t{1});
  // The product cannot overflow, because both factors are limited.
  const int64_t expanded = inner.expandedLayers * repeat;
  const bool wasLarge =
      m_expandedLayers > kMaxExpandedLayers || inner.expandedLayers > kMaxExpandedLayers;
  m_expandedLayers = std::min(m_expandedLayers + expanded, kMaxExpandedLayers + 1);
  if (!wasLarge && m_expandedLayers > kMaxExpandedLayers) {
    entry.isSoundInside = false;
    report(Severity::Error, "too_large", entry.path, "repeat",
           STRATA_TEXT("problem",
                       "its repetitions make the network too large (expected at most %1 layers, "
                       "got %2 times %3). Reduce repeat."),
           {std::to_string(kMaxExpandedLayers), std::to_string(repeat),
            std::to_string(inner.expandedLayers)});
  }
  if (entry.hasConnections) checkBlockInputs(entry, inner, repeat);
  entry.layer.inner = std::make_shared<const Model>(std::move(inner));
}

void ModelReader::checkBlockInputs(ParsedLayer& entry, const Model& inner, int64_t repeat) {
  const auto first = std::find_if(inner.drafts.begin(), inner.drafts.end(),
                                  [](const Layer& layer) { return layer.index == 0; });
  // The first layer of a Block takes the input of that Block, which checks it.
  if (entry.layer.inputs.empty() && isInBlock() && entry.layer.index == 0) return;
  if (repeat > 1 && entry.layer.inputs.size() > 1) {
    entry.hasConnections = false;
    report(Severity::Error, "too_many_inputs", entry.path, "inputs",
           STRATA_TEXT("problem",
                       "it has %1 inputs, but each repetition takes the single output of the "
                       "previous one (expected 1). Combine the inputs first."),
           {std::to_string(entry.layer.inputs.size())});
    return;
  }
  // If the first layer is also a Block, the check needs the first layer inside it.
  const Layer* taker = first == inner.drafts.end() ? nullptr : &*first;
  while (taker && taker->inner) {
    const auto& drafts = taker->inner->drafts;
    const auto next = std::find_if(drafts.begin(), drafts.end(),
                                   [](const Layer& layer) { return layer.index == 0; });
    taker = next == drafts.end() ? nullptr : &*next;
  }
  if (taker && taker->definition) checkCount(entry, *taker->definition);
}

}  // namespace strata
