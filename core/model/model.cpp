// SPDX-License-Identifier: Apache-2.0
// From /model of the document to layers with their inputs written out, in an order in which they can be computed.
#include "core/model/model.h"

#include <algorithm>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

namespace strata {

namespace {

/// One entry of /model/layers while it is read.
struct Entry {
  const Json* json = nullptr;
  std::string pointer, name, type;
  Layer layer;
  bool hasSoundFields = true;
  bool hasOwnName = true;
  bool hasConnections = true;
  bool isSound() const { return hasSoundFields && hasOwnName && hasConnections && layer.definition; }
};

std::string stringAt(const Json& object, const char* key) {
  const auto member = object.find(key);
  return member != object.end() && member->is_string() ? member->get<std::string>() : std::string();
}

ProjectEdit edit(Text name, std::vector<std::string> arguments, EditOperation operation, std::vector<std::string> layers = {}) {
  return {name, std::move(arguments), {std::move(operation)}, std::move(layers)};
}

EditOperation set(const std::string& pointer, const Json& value) { return {EditOperation::Kind::Set, pointer, value.dump(), 0}; }

/// U+0080 to U+009F, which start sequences in some terminals.
bool isC1Control(const std::string& text, size_t i) {
  return static_cast<unsigned char>(text[i]) == 0xC2 && static_cast<unsigned char>(text[i + 1]) < 0xA0;
}
bool holdsC1Control(const std::string& text) {
  for (size_t i = 0; i + 1 < text.size(); ++i)
    if (isC1Control(text, i)) return true;
  return false;
}

class ModelReader {
 public:
  ModelReader(const Project& project, Diagnostics& diagnostics) : m_project(project), m_diagnostics(diagnostics) {}

  Model read() {
    const Json& document = m_project.document();
    const Json* layers = nullptr;
    if (document.is_object() && document.contains("model") && document["model"].is_object() && document["model"].contains("layers") &&
        document["model"]["layers"].is_array())
      layers = &document["model"]["layers"];
    if (!layers || layers->empty()) {
      report(Severity::Error, "empty_model", "", "/model/layers",
             STRATA_TEXT("problem", "the network has no layers. Add an Input and what follows it."), {});
      return {};
    }
    m_entries.resize(layers->size());
    for (size_t i = 0; i < m_entries.size(); ++i) readName(m_entries[i], (*layers)[i], i);
    for (size_t i = 0; i < m_entries.size(); ++i) readFields(m_entries[i]);
    for (size_t i = 0; i < m_entries.size(); ++i) readInputs(i);
    return order();
  }

 private:
  void report(Severity severity, const char* code, const std::string& layer, std::string field, Text message,
              std::vector<std::string> arguments, std::vector<Fix> fixes = {}) {
    m_diagnostics.push_back({severity, code, layer, std::move(field), message, std::move(arguments), std::move(fixes)});
  }

  std::string freshName(const std::string& stem) const {
    for (int number = 2;; ++number) {
      std::string name = stem + "_" + std::to_string(number);
      if (std::none_of(m_entries.begin(), m_entries.end(), [&](const Entry& entry) { return entry.name == name; })) return name;
    }
  }

  void readName(Entry& entry, const Json& json, size_t index) {
    entry.json = &json;
    entry.pointer = "/model/layers/" + std::to_string(index);
    entry.layer.index = static_cast<int>(index);
    const std::string place = std::to_string(index + 1);
    if (!json.is_object()) {
      entry.hasOwnName = entry.hasConnections = false;
      report(Severity::Error, "wrong_type", "", entry.pointer,
             STRATA_TEXT("problem", "layer %1 is not an object (expected {\"type\", \"name\", ...}). Correct it."), {place});
      return;
    }
    entry.type = stringAt(json, "type");
    entry.name = stringAt(json, "name");
    if (entry.name.empty()) {
      entry.hasOwnName = false;
      const std::string stem = entry.type.empty() ? "layer" : entry.type;
      const std::string name = freshName(stem);
      report(Severity::Error, "missing_name", "", entry.pointer + "/name",
             STRATA_TEXT("problem", "layer %1 has no name (expected a text that no other layer has). Name it."), {place},
             {{STRATA_TEXT("problem", "Name it %1"),
               {name},
               edit(STRATA_TEXT("edit", "Name %1"), {name}, set(entry.pointer + "/name", name), {name})}});
      return;
    }
    const bool isReserved = entry.type == "Input" && (entry.name == "target" || entry.name == "learning_rate" || entry.name == "step" ||
                                                      entry.name == "seed" || entry.name == "first_sample");
    const auto isBarred = [](char c) { return c == '/' || c == ':' || (c >= 0 && c < ' ') || c == 0x7F; };
    if (isReserved || std::any_of(entry.name.begin(), entry.name.end(), isBarred) || holdsC1Control(entry.name)) {
      entry.hasOwnName = false;
      std::string name = entry.name;
      std::replace_if(name.begin(), name.end(), isBarred, '_');
      for (size_t i = 0; i + 1 < name.size(); ++i)
        if (isC1Control(name, i)) name.replace(i, 2, "_");
      if (isReserved) name += "_input";
      std::vector<Fix> fixes;
      fixes.push_back({STRATA_TEXT("problem", "Rename it to %1"), {name}, renameLayerEdit(m_project.document(), entry.name, name)});
      report(Severity::Error, "invalid_name", entry.name, "name",
             isReserved
                 ? STRATA_TEXT("problem", "the name is taken by a value that every step has (expected any other). Rename the layer.")
                 : STRATA_TEXT(
                       "problem",
                       "the name holds '/', ':' or a control character (expected others, as weights are named by it). Rename the layer."),
             {}, std::move(fixes));
    }
    const auto [other, isNew] = m_byName.emplace(entry.name, index);
    if (!isNew) {
      entry.hasOwnName = m_entries[other->second].hasOwnName = false;
      const std::string name = freshName(entry.name);
      report(Severity::Error, "duplicate_name", entry.name, "name",
             STRATA_TEXT("problem", "layers %1 and %2 have the same name (expected each name once). Rename one of them."),
             {std::to_string(other->second + 1), place},
             {{STRATA_TEXT("problem", "Rename the second to %1"),
               {name},
               edit(STRATA_TEXT("edit", "Rename %1 to %2"), {entry.name, name}, set(entry.pointer + "/name", name), {name})}});
    }
  }

  void readFields(Entry& entry) {
    if (!entry.json->is_object()) return;
    const LayerDef* definition = findLayer(entry.type);
    if (!definition) {
      if (const auto given = entry.json->find("type"); given != entry.json->end() && !given->is_string()) {
        report(Severity::Error, "wrong_type", entry.name, "type",
               STRATA_TEXT("problem", "type must be a layer type such as \"Dense\" (got %1). Correct it."), {excerpt(given->dump(), 60)});
        return;
      }
      if (entry.type.empty()) {
        report(Severity::Error, "missing_type", entry.name, "type",
               STRATA_TEXT("problem", "type is missing (expected a layer type such as \"Dense\"). Add it."), {});
        return;
      }
      std::vector<std::string> types;
      for (const LayerDef* each : allLayers()) types.push_back(each->schema.type);
      const std::string nearest = nearestName(entry.type, types);
      if (nearest.empty()) {
        report(Severity::Error, "unknown_type", entry.name, "type",
               STRATA_TEXT("problem", "this version has no layer type \"%1\" (see `strata layers`). Choose another."), {entry.type});
      } else {
        report(Severity::Error, "unknown_type", entry.name, "type",
               STRATA_TEXT("problem", "this version has no layer type \"%1\". Did you mean \"%2\"?"), {entry.type, nearest},
               {{STRATA_TEXT("problem", "Change %1 to %2"),
                 {entry.type, nearest},
                 edit(STRATA_TEXT("edit", "Set %1 of %2"), {"type", entry.name}, set(entry.pointer + "/type", nearest), {entry.name})}});
      }
      return;
    }
    entry.layer.definition = definition;
    entry.layer.name = entry.name;
    const size_t before = m_diagnostics.size();
    entry.layer.fields = std::make_shared<const Json>(
        checkFields(definition->schema, *entry.json, entry.pointer, entry.name, m_diagnostics, {"type", "name", "inputs"}));
    for (size_t i = before; i < m_diagnostics.size(); ++i) {
      if (m_diagnostics[i].severity == Severity::Error) entry.hasSoundFields = false;
      for (Fix& fix : m_diagnostics[i].fixes) fix.edit.layers = {entry.name};
    }
    if (const Json& device = entry.layer.fields->at("device"); device != 0) {
      report(Severity::Error, "not_in_version", entry.name, "device",
             STRATA_TEXT("problem", "device is %1, and this version trains on one device (expected 0). Remove it."), {device.dump()},
             {{STRATA_TEXT("problem", "Remove %1"),
               {"device"},
               edit(STRATA_TEXT("edit", "Remove %1"), {"device"}, {EditOperation::Kind::Remove, entry.pointer + "/device", {}, 0},
                    {entry.name})}});
      entry.hasSoundFields = false;
    }
  }

  void readInputs(size_t index) {
    Entry& entry = m_entries[index];
    if (!entry.json->is_object()) return;
    std::vector<std::string>& inputs = entry.layer.inputs;
    const auto given = entry.json->find("inputs");
    if (given == entry.json->end()) {
      if (entry.type == "Input") return;
      if (index == 0) {
        entry.hasConnections = false;
        if (!entry.layer.definition) return;  // it may have been meant as an Input; its problem is reported
        std::vector<Fix> fixes;
        const Json& document = m_project.document();
        if (document.contains("data") && document["data"].is_object() && document["data"].contains("source") &&
            (document["data"]["source"] == "mnist" ||
             (document["data"]["source"].is_object() && document["data"]["source"].value("type", Json()) == "mnist"))) {
          ProjectEdit add = addLayerEdit(document, "Input", 0);
          fixes.push_back({STRATA_TEXT("problem", "Add an Input of [28, 28, 1]"), {}, std::move(add)});
        }
        report(Severity::Error, "missing_input", entry.name, "inputs",
               STRATA_TEXT("problem", "nothing comes before it (expected an Input layer). Add an Input at the top."), {}, std::move(fixes));
        return;
      }
      if (m_entries[index - 1].name.empty()) {
        entry.hasConnections = false;  // its problem is reported
        return;
      }
      inputs = {m_entries[index - 1].name};
      checkCount(entry);
      return;
    }
    if (!given->is_array() || std::any_of(given->begin(), given->end(), [](const Json& name) { return !name.is_string(); })) {
      entry.hasConnections = false;
      report(Severity::Error, "wrong_type", entry.name, "inputs",
             STRATA_TEXT("problem", "inputs must be a list of layer names (got %1). Correct it."), {excerpt(given->dump(), 60)});
      return;
    }
    inputs = given->get<std::vector<std::string>>();
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (m_byName.contains(inputs[i])) continue;
      entry.hasConnections = false;
      std::vector<std::string> names;
      for (const auto& other : m_entries)
        if (other.name != entry.name && !other.name.empty()) names.push_back(other.name);
      const std::string nearest = nearestName(inputs[i], names);
      std::vector<Fix> fixes;
      if (!nearest.empty()) {
        std::vector<std::string> repaired = inputs;
        repaired[i] = nearest;
        fixes.push_back(
            {STRATA_TEXT("problem", "Take %1 as input"),
             {nearest},
             edit(STRATA_TEXT("edit", "Connect %1"), {entry.name}, set(entry.pointer + "/inputs", Json(repaired)), {entry.name})});
        report(Severity::Error, "missing_input", entry.name, "inputs",
               STRATA_TEXT("problem", "its input \"%1\" does not exist. Did you mean \"%2\"?"), {inputs[i], nearest}, std::move(fixes));
      } else {
        report(Severity::Error, "missing_input", entry.name, "inputs",
               STRATA_TEXT("problem", "its input \"%1\" does not exist (expected the name of a layer). Choose one."), {inputs[i]});
      }
    }
    if (entry.hasConnections) checkCount(entry);
  }

  void checkCount(Entry& entry) {
    const LayerDef* definition = entry.layer.definition;
    if (!definition) return;
    const int count = static_cast<int>(entry.layer.inputs.size());
    const auto first = [&](int number) {
      std::vector<std::string> kept(entry.layer.inputs.begin(), entry.layer.inputs.begin() + number);
      return edit(STRATA_TEXT("edit", "Connect %1"), {entry.name},
                  kept.empty() ? EditOperation{EditOperation::Kind::Remove, entry.pointer + "/inputs", {}, 0}
                               : set(entry.pointer + "/inputs", Json(kept)),
                  {entry.name});
    };
    if (count < definition->minInputs) {
      entry.hasConnections = false;
      report(Severity::Error, "missing_input", entry.name, "inputs",
             STRATA_TEXT("problem", "it has too few inputs (expected at least %2, got %1). Connect it."),
             {std::to_string(count), std::to_string(definition->minInputs)});
    } else if (definition->maxInputs >= 0 && count > definition->maxInputs) {
      entry.hasConnections = false;
      if (definition->maxInputs == 0) {
        report(Severity::Error, "too_many_inputs", entry.name, "inputs",
               STRATA_TEXT("problem", "an Input takes no other layer (got %1). Remove inputs."), {std::to_string(count)},
               {{STRATA_TEXT("problem", "Remove %1"), {"inputs"}, first(0)}});
      } else {
        report(Severity::Error, "too_many_inputs", entry.name, "inputs",
               STRATA_TEXT("problem", "it has %1 inputs (expected %2). Join them with Add or Concatenate, or remove some."),
               {std::to_string(count), std::to_string(definition->maxInputs)},
               {{STRATA_TEXT("problem", "Keep %1 only"), {entry.layer.inputs.front()}, first(definition->maxInputs)}});
      }
    }
  }

  Model order() {
    // Everything with a name takes part in the order, sound or not, so that a cycle is found beside other problems.
    std::vector<int> missing(m_entries.size(), 0);
    std::vector<std::vector<size_t>> users(m_entries.size());
    std::vector<size_t> ready;
    for (size_t i = 0; i < m_entries.size(); ++i) {
      for (const auto& input : m_entries[i].layer.inputs)
        if (const auto found = m_byName.find(input); found != m_byName.end()) {
          users[found->second].push_back(i);
          ++missing[i];
        }
      if (missing[i] == 0) ready.push_back(i);
    }
    std::vector<size_t> sequence;
    std::reverse(ready.begin(), ready.end());
    while (!ready.empty()) {
      const size_t i = ready.back();
      ready.pop_back();
      sequence.push_back(i);
      for (auto user = users[i].rbegin(); user != users[i].rend(); ++user)
        if (--missing[*user] == 0) ready.push_back(*user);
    }
    if (sequence.size() < m_entries.size()) reportCycles(missing);

    Model model;
    for (size_t i = 0; i < m_entries.size(); ++i)
      if (missing[i] > 0) sequence.push_back(i);  // in a circle, or below one
    for (const size_t i : sequence) {
      const Entry& entry = m_entries[i];
      if (entry.isSound() && missing[i] == 0) model.layers.push_back(entry.layer);
      Layer draft = entry.layer;
      draft.name = entry.name;
      if (!entry.hasSoundFields) draft.fields.reset();
      for (auto& input : draft.inputs)
        if (!m_byName.contains(input)) input.clear();
      model.drafts.push_back(std::move(draft));
      model.isConnected = model.isConnected && entry.hasOwnName && entry.hasConnections;
    }
    std::set<std::string, std::less<>> used;
    for (const auto& entry : m_entries) used.insert(entry.layer.inputs.begin(), entry.layer.inputs.end());
    for (const auto& entry : m_entries) {
      if (entry.isSound() && entry.type == "Input") model.inputs.push_back(entry.name);
      if (!entry.name.empty() && !used.contains(entry.name)) model.outputs.push_back(entry.name);
    }
    return model;
  }

  void reportCycles(const std::vector<int>& missing) {
    std::vector<char> isSeen(m_entries.size(), 0);
    for (size_t start = 0; start < m_entries.size(); ++start) {
      if (missing[start] == 0 || isSeen[start]) continue;
      // Walking to a layer that waits, and on from it, ends in a cycle or in what was seen before.
      std::vector<size_t> path;
      size_t at = start;
      while (!isSeen[at]) {
        isSeen[at] = 1;
        path.push_back(at);
        for (const auto& input : m_entries[at].layer.inputs) {
          const auto found = m_byName.find(input);
          if (found != m_byName.end() && missing[found->second] > 0) {
            at = found->second;
            break;
          }
        }
      }
      const auto begin = std::find(path.begin(), path.end(), at);
      if (begin == path.end()) continue;
      // The layer highest in the list is where the circle was closed; the walk went against the flow.
      std::rotate(begin, std::min_element(begin, path.end()), path.end());
      const size_t closing = *begin;
      std::string text = m_entries[closing].name;
      for (auto it = path.end(); it != begin;) {
        --it;
        text += " -> " + m_entries[*it].name;
      }
      report(
          Severity::Error, "cycle", m_entries[closing].name, "inputs",
          STRATA_TEXT("problem",
                      "its output comes back to it: %1 (expected a network without a circle). Change the inputs of one of these layers."),
          {text});
    }
  }

  const Project& m_project;
  Diagnostics& m_diagnostics;
  std::vector<Entry> m_entries;
  std::map<std::string, size_t, std::less<>> m_byName;
};

}  // namespace

const Layer* Model::find(std::string_view name) const {
  for (const auto& layer : layers)
    if (layer.name == name) return &layer;
  return nullptr;
}

Model parseModel(const Project& project, Diagnostics& diagnostics) { return ModelReader(project, diagnostics).read(); }

}  // namespace strata
