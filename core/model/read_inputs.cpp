// SPDX-License-Identifier: Apache-2.0
// Reads the inputs of each layer. Checks that they exist, and that their number is right.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/model/layer_edits.h"
#include "core/model/model_reader.h"
#include "gpu/base/nearest_name.h"

namespace strata {

namespace {

/// Returns the names of the inputs that a layer needs, such as "query, value".
std::string portsOf(const LayerDef& definition) {
  std::string text;
  for (int i = 0; i < definition.minInputs; ++i)
    text += (i > 0 ? ", " : "") +
            definition.ports[std::min(static_cast<size_t>(i), definition.ports.size() - 1)];
  return text;
}

}  // namespace

void ModelReader::readInputs(size_t index) {
  ParsedLayer& entry = m_entries[index];
  if (!entry.json->is_object()) return;
  std::vector<std::string>& inputs = entry.layer.inputs;
  const auto given = entry.json->find("inputs");
  if (isInBlock() && index == 0) {
    if (given == entry.json->end() || (given->is_array() && given->empty())) return;
    entry.hasConnections = false;
    report(
        Severity::Error, "too_many_inputs", entry.path, "inputs",
        STRATA_TEXT("problem",
                    "the first layer of a Block takes the Block's input (expected no inputs, got "
                    "%1). Remove inputs."),
        {excerpt(given->dump(), 60)},
        {{STRATA_TEXT("problem", "Remove %1"),
          {"inputs"},
          makeEdit(STRATA_TEXT("edit", "Remove %1"), {"inputs"},
                   {EditOperation::Kind::Remove, entry.pointer + "/inputs", {}, 0},
                   {entry.path})}});
    return;
  }
  if (given == entry.json->end()) {
    if (entry.type == "Input") return;
    if (index == 0) {
      entry.hasConnections = false;
      // The layer may be an Input with a misspelled type, which is already reported.
      if (!entry.layer.definition) return;
      std::vector<Fix> fixes;
      const Json& document = m_project.document();
      if (document.contains("data") && document["data"].is_object() &&
          document["data"].contains("source") &&
          (document["data"]["source"] == "mnist" ||
           (document["data"]["source"].is_object() &&
            document["data"]["source"].value("type", Json()) == "mnist"))) {
        ProjectEdit add = addLayerEdit(document, "Input", 0);
        fixes.push_back({STRATA_TEXT("problem", "Add an Input layer with shape [28, 28, 1]"),
                         {},
                         std::move(add)});
      }
      report(Severity::Error, "missing_input", entry.path, "inputs",
             STRATA_TEXT("problem",
                         "it has no input (expected an Input layer before it). Add an Input "
                         "layer at the top."),
             {}, std::move(fixes));
      return;
    }
    if (m_entries[index - 1].name.empty()) {
      // The missing name is already reported.
      entry.hasConnections = false;
      return;
    }
    inputs = {m_entries[index - 1].name};
    checkCount(entry);
    return;
  }
  if (!given->is_array() || std::any_of(given->begin(), given->end(),
                                        [](const Json& name) { return !name.is_string(); })) {
    entry.hasConnections = false;
    report(Severity::Error, "wrong_type", entry.path, "inputs",
           STRATA_TEXT(
               "problem",
               "inputs has the wrong type (expected a list of layer names, got %1). Correct it."),
           {excerpt(given->dump(), 60)});
    return;
  }
  inputs = given->get<std::vector<std::string>>();
  for (size_t i = 0; i < inputs.size(); ++i) {
    const InputRef ref = inputRefOf(inputs[i]);
    if (const auto found = m_byName.find(ref.layer); found != m_byName.end()) {
      checkOutputOf(entry, m_entries[found->second], ref);
      continue;
    }
    entry.hasConnections = false;
    const std::string nearest = nearestLayer(ref.layer, entry.name);
    std::vector<Fix> fixes;
    if (!nearest.empty()) {
      std::vector<std::string> repaired = inputs;
      repaired[i] = nearest;
      fixes.push_back(
          {STRATA_TEXT("problem", "Use %1 as input"),
           {nearest},
           makeEdit(STRATA_TEXT("edit", "Connect %1"), {entry.name},
                    setOperation(entry.pointer + "/inputs", Json(repaired)), {entry.path})});
      report(Severity::Error, "missing_input", entry.path, "inputs",
             STRATA_TEXT("problem", "its input \"%1\" does not exist. Did you mean \"%2\"?"),
             {inputs[i], nearest}, std::move(fixes));
    }
    else {
      report(Severity::Error, "missing_input", entry.path, "inputs",
             STRATA_TEXT("problem",
                         "its input \"%1\" does not exist (expected the name of a layer). Choose "
                         "an existing layer."),
             {inputs[i]});
    }
  }
  if (entry.hasConnections) checkCount(entry);
}

std::string ModelReader::nearestLayer(const std::string& name, const std::string& own) {
  if (m_numCompared > kMaxCompared) return {};
  m_numCompared += m_entries.size();
  std::vector<std::string> names;
  for (const auto& other : m_entries)
    if (other.name != own && !other.name.empty()) names.push_back(other.name);
  return nearestName(name, names);
}

void ModelReader::checkOutputOf(ParsedLayer& entry, const ParsedLayer& source,
                                const InputRef& ref) {
  if (ref.output == 0 || !source.layer.definition || !source.layer.fields || !source.hasSoundFields)
    return;
  const int count = outputsOf(*source.layer.definition, *source.layer.fields);
  if (ref.output < count) return;
  entry.hasConnections = false;
  Text message = STRATA_TEXT("problem",
                             "its input %1 does not exist because %2 has only one output "
                             "(expected %2). Use %2.");
  if (count > 1) {
    message = STRATA_TEXT("problem",
                          "its input %1 is not an output of %2 (expected at most %2:%3). Choose "
                          "an existing output.");
  }
  else if (source.layer.definition->countOutputs) {
    message = STRATA_TEXT("problem",
                          "its input %1 is a state, but %2 does not return its states (expected "
                          "%2). Set return_state of %2 to true.");
  }
  report(Severity::Error, "missing_output", entry.path, "inputs", message,
         {ref.text(), ref.layer, std::to_string(count - 1)});
}

void ModelReader::checkCount(ParsedLayer& entry) {
  if (entry.layer.definition) checkCount(entry, *entry.layer.definition);
}

void ModelReader::checkCount(ParsedLayer& entry, const LayerDef& taker) {
  const LayerDef* definition = &taker;
  const int count = static_cast<int>(entry.layer.inputs.size());
  const auto first = [&](int number) {
    std::vector<std::string> kept(entry.layer.inputs.begin(), entry.layer.inputs.begin() + number);
    return makeEdit(
        STRATA_TEXT("edit", "Connect %1"), {entry.name},
        kept.empty() ? EditOperation{EditOperation::Kind::Remove, entry.pointer + "/inputs", {}, 0}
                     : setOperation(entry.pointer + "/inputs", Json(kept)),
        {entry.path});
  };
  if (count < definition->minInputs) {
    entry.hasConnections = false;
    report(Severity::Error, "missing_input", entry.path, "inputs",
           definition->minInputs > 1 &&
                   definition->ports.size() >= static_cast<size_t>(definition->minInputs)
               ? STRATA_TEXT("problem",
                             "an input is missing (expected at least %2: %3; got %1). Choose more "
                             "layers as inputs.")
               : STRATA_TEXT("problem",
                             "an input is missing (expected at least %2, got %1). Choose more "
                             "layers as inputs."),
           {std::to_string(count), std::to_string(definition->minInputs), portsOf(*definition)});
  }
  else if (definition->maxInputs >= 0 && count > definition->maxInputs) {
    entry.hasConnections = false;
    if (definition->maxInputs == 0) {
      report(
          Severity::Error, "too_many_inputs", entry.path, "inputs",
          STRATA_TEXT("problem",
                      "an Input layer cannot have inputs (expected none, got %1). Remove inputs."),
          {std::to_string(count)}, {{STRATA_TEXT("problem", "Remove %1"), {"inputs"}, first(0)}});
    }
    else {
      report(
          Severity::Error, "too_many_inputs", entry.path, "inputs",
          STRATA_TEXT("problem",
                      "there are too many inputs (expected %2, got %1). Combine them with Add or "
                      "Concatenate, or remove some."),
          {std::to_string(count), std::to_string(definition->maxInputs)},
          {{STRATA_TEXT("problem", "Keep only %1"),
            {entry.layer.inputs.front()},
            first(definition->maxInputs)}});
    }
  }
}

}  // namespace strata
