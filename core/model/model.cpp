// SPDX-License-Identifier: Apache-2.0
// Reads /model of the document into layers with explicit inputs, in topological order.
#include "core/model/model.h"

#include <algorithm>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "core/model/layer_edits.h"
#include "core/model/named_outputs.h"
#include "core/project/input_ref.h"
#include "gpu/base/nearest_name.h"

namespace strata {

namespace {

/// An entry of /model/layers while it is read.
struct Entry {
  const Json* json = nullptr;
  std::string pointer, name, path, type;
  Layer layer;
  bool hasSoundFields = true;
  // Whether the contents of a Block are valid
  bool isSoundInside = true;
  bool hasOwnName = true;
  bool hasConnections = true;
  bool isSound() const {
    return hasSoundFields && isSoundInside && hasOwnName && hasConnections && layer.definition;
  }
};

std::string stringAt(const Json& object, const char* key) {
  const auto member = object.find(key);
  return member != object.end() && member->is_string() ? member->get<std::string>() : std::string();
}

ProjectEdit edit(Text name, Arguments arguments, EditOperation operation,
                 std::vector<std::string> layers = {}) {
  return {name, std::move(arguments), {std::move(operation)}, std::move(layers)};
}

/// U+0080 to U+009F, which start sequences in some terminals.
bool isC1Control(const std::string& text, size_t i) {
  return static_cast<unsigned char>(text[i]) == 0xC2 &&
         static_cast<unsigned char>(text[i + 1]) < 0xA0;
}
bool holdsC1Control(const std::string& text) {
  for (size_t i = 0; i + 1 < text.size(); ++i)
    if (isC1Control(text, i)) return true;
  return false;
}

/// A list of layers with its own scope of names: the network, or the contents of a Block.
struct LayerScope {
  const Json* layers = nullptr;
  // Pointer of the list
  std::string pointer = "/model/layers";
  // Prefix of the paths in it, such as "block/"
  std::string prefix;
  // Number of Blocks around it
  int depth = 0;
  // Combined from the Blocks around it
  bool isTrainable = true;
  double learningRateFactor = 1;
};

class ModelReader {
 public:
  ModelReader(const Project& project, LayerScope scope, Diagnostics& diagnostics)
      : m_project(project), m_scope(std::move(scope)), m_diagnostics(diagnostics) {}

  Model read() {
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
    return order();
  }

 private:
  /// Adds pointers to the problems reported since `before`. Those from the reader of a Block have
  /// one already.
  void addPointers(const Entry& entry, size_t before) {
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

  bool isInBlock() const { return m_scope.depth > 0; }

  void report(Severity severity, const char* code, const std::string& layer, std::string field,
              Text message, Arguments arguments, std::vector<Fix> fixes = {}) {
    m_diagnostics.push_back(
        {severity, code, layer, std::move(field), message, std::move(arguments), std::move(fixes)});
  }

  std::string freshName(const std::string& stem) {
    // Lower numbers stay taken
    int& number = m_freshNumbers.emplace(stem, 2).first->second;
    for (;; ++number)
      if (std::string name = stem + "_" + std::to_string(number); !m_byName.contains(name))
        return name;
  }

  void readName(Entry& entry, const Json& json, size_t index) {
    entry.json = &json;
    entry.pointer = entry.layer.pointer = m_scope.pointer + "/" + std::to_string(index);
    entry.layer.index = static_cast<int>(index);
    entry.type = stringAt(json, "type");
    entry.name = stringAt(json, "name");
    entry.path = m_scope.prefix + entry.name;
    // Without a name the path is that of the Block
    if (entry.name.empty() && isInBlock()) entry.path.pop_back();
    entry.layer.path = entry.path;
    const std::string place = std::to_string(index + 1);
    if (!json.is_object()) {
      entry.hasOwnName = entry.hasConnections = false;
      report(Severity::Error, "wrong_type", entry.path, entry.pointer,
             STRATA_TEXT(
                 "problem",
                 "layer %1 is not an object (expected {\"type\", \"name\", ...}). Correct it."),
             {place});
      return;
    }
    if (entry.name.empty()) {
      entry.hasOwnName = false;
      const std::string stem = entry.type.empty() ? "layer" : entry.type;
      const std::string name = freshName(stem);
      report(Severity::Error, "missing_name", entry.path, entry.pointer + "/name",
             STRATA_TEXT("problem", "layer %1 has no name (expected a unique name). Name it."),
             {place},
             {{STRATA_TEXT("problem", "Name it %1"),
               {name},
               edit(STRATA_TEXT("edit", "Name the layer %1"), {name},
                    setOperation(entry.pointer + "/name", name), {m_scope.prefix + name})}});
      return;
    }
    static const std::set<std::string_view> kReservedInputNames{
        "first_sample", "learning_rate", "sample_weight", "seed", "share", "step", "target"};
    const bool isReserved =
        !isInBlock() && entry.type == "Input" && kReservedInputNames.contains(entry.name);
    const auto isBarred = [](char c) {
      return c == '/' || c == ':' || (c >= 0 && c < ' ') || c == 0x7F;
    };
    if (isReserved || std::any_of(entry.name.begin(), entry.name.end(), isBarred) ||
        holdsC1Control(entry.name)) {
      entry.hasOwnName = false;
      std::string name = entry.name;
      std::replace_if(name.begin(), name.end(), isBarred, '_');
      for (size_t i = 0; i + 1 < name.size(); ++i)
        if (isC1Control(name, i)) name.replace(i, 2, "_");
      if (isReserved) name += "_input";
      std::vector<Fix> fixes;
      fixes.push_back({STRATA_TEXT("problem", "Rename it to %1"), {name}, renameEdit(entry, name)});
      report(Severity::Error, "invalid_name", entry.path, "name",
             isReserved
                 ? STRATA_TEXT("problem",
                               "the name is reserved for a value of the training step (expected "
                               "another name). Rename the layer.")
                 : STRATA_TEXT(
                       "problem",
                       "the name contains '/', ':' or a control character (expected a name without "
                       "them, because weights are named after the layer). Rename the layer."),
             {}, std::move(fixes));
    }
    const auto [other, isNew] = m_byName.emplace(entry.name, index);
    if (!isNew) {
      entry.hasOwnName = m_entries[other->second].hasOwnName = false;
      const std::string name = freshName(entry.name);
      report(
          Severity::Error, "duplicate_name", entry.path, "name",
          STRATA_TEXT(
              "problem",
              "layers %1 and %2 have the same name (expected unique names). Rename one of them."),
          {std::to_string(other->second + 1), place},
          {{STRATA_TEXT("problem", "Rename the second layer to %1"),
            {name},
            edit(STRATA_TEXT("edit", "Rename %1 to %2"), {entry.name, name},
                 setOperation(entry.pointer + "/name", name), {m_scope.prefix + name})}});
    }
  }

  ProjectEdit renameEdit(const Entry& entry, const std::string& name) const {
    return renameLayerEdit(m_project.document(), entry.layer.index, name,
                           {m_scope.pointer, m_scope.prefix});
  }

  void readFields(Entry& entry) {
    if (!entry.json->is_object()) return;
    const LayerDef* definition = findLayer(entry.type);
    if (!definition) {
      if (const auto given = entry.json->find("type");
          given != entry.json->end() && !given->is_string()) {
        report(Severity::Error, "wrong_type", entry.path, "type",
               STRATA_TEXT("problem",
                           "type has the wrong type (expected the name of a layer type such as "
                           "\"Dense\", got %1). Correct it."),
               {excerpt(given->dump(), 60)});
        return;
      }
      if (entry.type.empty()) {
        report(Severity::Error, "missing_type", entry.path, "type",
               STRATA_TEXT("problem",
                           "type is missing (expected a layer type such as \"Dense\"). Add it."),
               {});
        return;
      }
      std::vector<std::string> types;
      for (const LayerDef* each : allLayers())
        types.push_back(each->schema.type);
      const std::string nearest = nearestName(entry.type, types);
      if (nearest.empty()) {
        report(Severity::Error, "unknown_type", entry.path, "type",
               STRATA_TEXT("problem",
                           "this version has no layer type \"%1\" (see `strata layers`). Choose "
                           "another type."),
               {entry.type});
      }
      else {
        report(
            Severity::Error, "unknown_type", entry.path, "type",
            STRATA_TEXT("problem", "this version has no layer type \"%1\". Did you mean \"%2\"?"),
            {entry.type, nearest},
            {{STRATA_TEXT("problem", "Change %1 to %2"),
              {entry.type, nearest},
              edit(STRATA_TEXT("edit", "Set %1 of %2"), {"type", entry.name},
                   setOperation(entry.pointer + "/type", nearest), {entry.path})}});
      }
      return;
    }
    if (isInBlock() && entry.type == "Input") {
      entry.hasSoundFields = false;
      report(Severity::Error, "not_in_block", entry.path, "type",
             STRATA_TEXT("problem",
                         "a Block cannot contain an Input layer (expected none: its first layer "
                         "takes the Block's input). Remove it."),
             {},
             {{STRATA_TEXT("problem", "Remove %1"),
               {entry.name},
               edit(STRATA_TEXT("edit", "Remove %1"), {entry.name},
                    {EditOperation::Kind::Remove, entry.pointer, {}, 0})}});
      return;
    }
    entry.layer.definition = definition;
    entry.layer.name = entry.name;
    const size_t before = m_diagnostics.size();
    Json fields = checkFields(definition->schema, *entry.json, entry.pointer, entry.path,
                              m_diagnostics, {"type", "name", "inputs"});
    if (const auto own = fields.find("trainable"); own != fields.end())
      *own = own->get<bool>() && m_scope.isTrainable;
    if (const auto own = fields.find("learning_rate_factor"); own != fields.end())
      *own = own->get<double>() * m_scope.learningRateFactor;
    entry.layer.fields = std::make_shared<const Json>(std::move(fields));
    for (size_t i = before; i < m_diagnostics.size(); ++i) {
      if (m_diagnostics[i].severity == Severity::Error) entry.hasSoundFields = false;
      for (Fix& fix : m_diagnostics[i].fixes)
        fix.edit.layers = {entry.path};
    }
    if (const Json& device = entry.layer.fields->at("device"); device != 0) {
      report(
          Severity::Error, "not_in_version", entry.path, "device",
          STRATA_TEXT(
              "problem",
              "device is %1, but this version trains on one device (expected 0). Remove device."),
          {device.dump()},
          {{STRATA_TEXT("problem", "Remove %1"),
            {"device"},
            edit(STRATA_TEXT("edit", "Remove %1"), {"device"},
                 {EditOperation::Kind::Remove, entry.pointer + "/device", {}, 0}, {entry.path})}});
      entry.hasSoundFields = false;
    }
  }

  void readInputs(size_t index) {
    Entry& entry = m_entries[index];
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
            edit(STRATA_TEXT("edit", "Remove %1"), {"inputs"},
                 {EditOperation::Kind::Remove, entry.pointer + "/inputs", {}, 0}, {entry.path})}});
      return;
    }
    if (given == entry.json->end()) {
      if (entry.type == "Input") return;
      if (index == 0) {
        entry.hasConnections = false;
        // Its type is unknown and reported; it may have been meant as an Input
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
        // The missing name is reported already
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
             edit(STRATA_TEXT("edit", "Connect %1"), {entry.name},
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

  /// The layer with the nearest name, except `own`. Each search compares every name, so after many
  /// wrong inputs of a large network it proposes nothing.
  std::string nearestLayer(const std::string& name, const std::string& own) {
    if (m_numCompared > kMaxCompared) return {};
    m_numCompared += m_entries.size();
    std::vector<std::string> names;
    for (const auto& other : m_entries)
      if (other.name != own && !other.name.empty()) names.push_back(other.name);
    return nearestName(name, names);
  }

  /// Reports an output that the source layer does not have.
  void checkOutputOf(Entry& entry, const Entry& source, const InputRef& ref) {
    if (ref.output == 0 || !source.layer.definition || !source.layer.fields ||
        !source.hasSoundFields)
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

  /// Reads the contents of a Block with a reader of its own.
  void readBlock(Entry& entry) {
    const LayerDef* definition = entry.layer.definition;
    if (!definition || definition->schema.type != "Block") {
      ++m_expandedLayers;
      return;
    }
    entry.isSoundInside = false;
    const auto layers = entry.json->find("layers");
    // Already reported with the fields
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
    entry.isSoundInside = std::none_of(
        m_diagnostics.begin() + static_cast<std::ptrdiff_t>(before), m_diagnostics.end(),
        [](const Diagnostic& each) { return each.severity == Severity::Error; });
    const int64_t repeat = fields.value("repeat", int64_t{1});
    // Cannot overflow, because both factors are limited
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

  void checkBlockInputs(Entry& entry, const Model& inner, int64_t repeat) {
    const auto first = std::find_if(inner.drafts.begin(), inner.drafts.end(),
                                    [](const Layer& layer) { return layer.index == 0; });
    // Reported for the Block around it
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
    // Where the first layer is a Block itself, its own first layer decides.
    const Layer* taker = first == inner.drafts.end() ? nullptr : &*first;
    while (taker && taker->inner) {
      const auto& drafts = taker->inner->drafts;
      const auto next = std::find_if(drafts.begin(), drafts.end(),
                                     [](const Layer& layer) { return layer.index == 0; });
      taker = next == drafts.end() ? nullptr : &*next;
    }
    if (taker && taker->definition) checkCount(entry, *taker->definition);
  }

  void checkCount(Entry& entry) {
    if (entry.layer.definition) checkCount(entry, *entry.layer.definition);
  }

  void checkCount(Entry& entry, const LayerDef& taker) {
    const LayerDef* definition = &taker;
    const int count = static_cast<int>(entry.layer.inputs.size());
    const auto first = [&](int number) {
      std::vector<std::string> kept(entry.layer.inputs.begin(),
                                    entry.layer.inputs.begin() + number);
      return edit(STRATA_TEXT("edit", "Connect %1"), {entry.name},
                  kept.empty()
                      ? EditOperation{EditOperation::Kind::Remove, entry.pointer + "/inputs", {}, 0}
                      : setOperation(entry.pointer + "/inputs", Json(kept)),
                  {entry.path});
    };
    if (count < definition->minInputs) {
      entry.hasConnections = false;
      report(Severity::Error, "missing_input", entry.path, "inputs",
             definition->minInputs > 1 &&
                     definition->ports.size() >= static_cast<size_t>(definition->minInputs)
                 ? STRATA_TEXT("problem",
                               "it has too few inputs (expected at least %2: %3; got %1). Add more "
                               "layers to its inputs.")
                 : STRATA_TEXT("problem",
                               "it has too few inputs (expected at least %2, got %1). Add more "
                               "layers to its inputs."),
             {std::to_string(count), std::to_string(definition->minInputs), portsOf(*definition)});
    }
    else if (definition->maxInputs >= 0 && count > definition->maxInputs) {
      entry.hasConnections = false;
      if (definition->maxInputs == 0) {
        report(Severity::Error, "too_many_inputs", entry.path, "inputs",
               STRATA_TEXT(
                   "problem",
                   "an Input layer cannot have inputs (expected none, got %1). Remove inputs."),
               {std::to_string(count)},
               {{STRATA_TEXT("problem", "Remove %1"), {"inputs"}, first(0)}});
      }
      else {
        report(Severity::Error, "too_many_inputs", entry.path, "inputs",
               STRATA_TEXT("problem",
                           "it has too many inputs (expected %2, got %1). Combine them with Add or "
                           "Concatenate, or remove some."),
               {std::to_string(count), std::to_string(definition->maxInputs)},
               {{STRATA_TEXT("problem", "Keep only %1"),
                 {entry.layer.inputs.front()},
                 first(definition->maxInputs)}});
      }
    }
  }

  /// Names of the inputs that a layer needs: "query, value".
  static std::string portsOf(const LayerDef& definition) {
    std::string text;
    for (int i = 0; i < definition.minInputs; ++i)
      text += (i > 0 ? ", " : "") +
              definition.ports[std::min(static_cast<size_t>(i), definition.ports.size() - 1)];
    return text;
  }

  Model order() {
    // Every layer with a name is sorted, valid or not, so that a cycle is found despite other
    // problems.
    std::vector<int> missing(m_entries.size(), 0);
    std::vector<std::vector<size_t>> users(m_entries.size());
    std::vector<size_t> ready;
    for (size_t i = 0; i < m_entries.size(); ++i) {
      for (const auto& input : m_entries[i].layer.inputs)
        if (const auto found = m_byName.find(inputRefOf(input).layer); found != m_byName.end()) {
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
    model.expandedLayers = m_expandedLayers;
    for (size_t i = 0; i < m_entries.size(); ++i)
      // In a cycle, or after one
      if (missing[i] > 0) sequence.push_back(i);
    for (const size_t i : sequence) {
      const Entry& entry = m_entries[i];
      if (entry.isSound() && missing[i] == 0) model.layers.push_back(entry.layer);
      Layer draft = entry.layer;
      draft.name = entry.name;
      if (!entry.hasSoundFields) draft.fields.reset();
      for (auto& input : draft.inputs)
        if (!m_byName.contains(inputRefOf(input).layer)) input.clear();
      model.drafts.push_back(std::move(draft));
      model.isConnected =
          model.isConnected && entry.hasOwnName && entry.hasConnections && missing[i] == 0;
    }
    std::set<std::string, std::less<>> used;
    for (const auto& entry : m_entries)
      for (const std::string& input : entry.layer.inputs)
        used.insert(inputRefOf(input).layer);
    for (const auto& entry : m_entries) {
      if (entry.isSound() && entry.type == "Input") model.inputs.push_back(entry.name);
      if (!entry.name.empty() && !used.contains(entry.name)) model.outputs.push_back(entry.name);
    }
    if (isInBlock() && model.isConnected) reportLooseEnds(used);
    if (!isInBlock()) readNamedOutputs(m_project.document()["model"], model, m_diagnostics);
    return model;
  }

  /// In a Block the last layer gives the output, so other unused outputs are lost.
  void reportLooseEnds(const std::set<std::string, std::less<>>& used) {
    for (size_t i = 0; i + 1 < m_entries.size(); ++i) {
      const Entry& entry = m_entries[i];
      if (used.contains(entry.name)) continue;
      report(Severity::Error, "several_outputs", entry.path, "",
             STRATA_TEXT("problem",
                         "no layer uses its output, and the Block already ends in %1 (expected one "
                         "output). Connect it or remove it."),
             {m_entries.back().name});
      m_diagnostics.back().pointer = entry.pointer;
    }
  }

  void reportCycles(const std::vector<int>& missing) {
    std::vector<char> isSeen(m_entries.size(), 0);
    for (size_t start = 0; start < m_entries.size(); ++start) {
      if (missing[start] == 0 || isSeen[start]) continue;
      // Following unsorted layers from input to input ends in a cycle or at a layer seen before.
      std::vector<size_t> path;
      size_t at = start;
      while (!isSeen[at]) {
        isSeen[at] = 1;
        path.push_back(at);
        for (const auto& input : m_entries[at].layer.inputs) {
          const auto found = m_byName.find(inputRefOf(input).layer);
          if (found != m_byName.end() && missing[found->second] > 0) {
            at = found->second;
            break;
          }
        }
      }
      const auto begin = std::find(path.begin(), path.end(), at);
      if (begin == path.end()) continue;
      // Starts the cycle at its first layer in the list, and reverses the walk, which followed
      // inputs.
      std::rotate(begin, std::min_element(begin, path.end()), path.end());
      const size_t closing = *begin;
      std::string text = m_entries[closing].name;
      for (auto it = path.end(); it != begin;) {
        --it;
        text += " -> " + m_entries[*it].name;
      }
      report(Severity::Error, "cycle", m_entries[closing].path, "inputs",
             STRATA_TEXT("problem",
                         "it is part of a cycle: %1 (expected a network without cycles). Change "
                         "the inputs of one of these layers."),
             {text});
      m_diagnostics.back().pointer = m_entries[closing].pointer + "/inputs";
    }
  }

  const Project& m_project;
  const LayerScope m_scope;
  Diagnostics& m_diagnostics;
  std::vector<Entry> m_entries;
  std::map<std::string, size_t, std::less<>> m_byName;
  // For each stem, the number to try next
  std::map<std::string, int, std::less<>> m_freshNumbers;
  int64_t m_expandedLayers = 0;
  static constexpr size_t kMaxCompared = 20000;
  size_t m_numCompared = 0;
};

}  // namespace

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
  return ModelReader(project, std::move(scope), diagnostics).read();
}

}  // namespace strata
