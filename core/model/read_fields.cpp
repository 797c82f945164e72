// SPDX-License-Identifier: Apache-2.0
// Reads the name, type and fields of each layer.
#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "core/layers/schema.h"
#include "core/model/layer_edits.h"
#include "core/model/model_reader.h"
#include "gpu/base/nearest_name.h"

namespace strata {

namespace {

std::string stringAt(const Json& object, const char* key) {
  const auto member = object.find(key);
  return member != object.end() && member->is_string() ? member->get<std::string>() : std::string();
}

/// Whether the bytes at `i` encode U+0080 to U+009F, which control some terminals.
bool isC1Control(const std::string& text, size_t i) {
  return static_cast<unsigned char>(text[i]) == 0xC2 &&
         static_cast<unsigned char>(text[i + 1]) < 0xA0;
}

bool holdsC1Control(const std::string& text) {
  for (size_t i = 0; i + 1 < text.size(); ++i)
    if (isC1Control(text, i)) return true;
  return false;
}

}  // namespace

void ModelReader::readName(ParsedLayer& entry, const Json& json, size_t index) {
  entry.json = &json;
  entry.pointer = entry.layer.pointer = m_scope.pointer + "/" + std::to_string(index);
  entry.layer.index = static_cast<int>(index);
  entry.type = stringAt(json, "type");
  entry.name = stringAt(json, "name");
  entry.path = m_scope.prefix + entry.name;
  // A layer without a name has the path of its Block.
  if (entry.name.empty() && isInBlock()) entry.path.pop_back();
  entry.layer.path = entry.path;
  const std::string place = std::to_string(index + 1);
  if (!json.is_object()) {
    entry.hasOwnName = entry.hasConnections = false;
    report(
        Severity::Error, "wrong_type", entry.path, entry.pointer,
        STRATA_TEXT("problem",
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
             makeEdit(STRATA_TEXT("edit", "Name the layer %1"), {name},
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
    report(Severity::Error, "duplicate_name", entry.path, "name",
           STRATA_TEXT(
               "problem",
               "layers %1 and %2 have the same name (expected unique names). Rename one of them."),
           {std::to_string(other->second + 1), place},
           {{STRATA_TEXT("problem", "Rename the second layer to %1"),
             {name},
             makeEdit(STRATA_TEXT("edit", "Rename %1 to %2"), {entry.name, name},
                      setOperation(entry.pointer + "/name", name), {m_scope.prefix + name})}});
  }
}

std::string ModelReader::freshName(const std::string& stem) {
  // Names with lower numbers exist already.
  int& number = m_freshNumbers.emplace(stem, 2).first->second;
  for (;; ++number)
    if (std::string name = stem + "_" + std::to_string(number); !m_byName.contains(name))
      return name;
}

ProjectEdit ModelReader::renameEdit(const ParsedLayer& entry, const std::string& name) const {
  return renameLayerEdit(m_project.document(), entry.layer.index, name,
                         {m_scope.pointer, m_scope.prefix});
}

void ModelReader::reportType(const ParsedLayer& entry) {
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
    report(Severity::Error, "unknown_type", entry.path, "type",
           STRATA_TEXT("problem", "this version has no layer type \"%1\". Did you mean \"%2\"?"),
           {entry.type, nearest},
           {{STRATA_TEXT("problem", "Change %1 to %2"),
             {entry.type, nearest},
             makeEdit(STRATA_TEXT("edit", "Set %1 of %2"), {"type", entry.name},
                      setOperation(entry.pointer + "/type", nearest), {entry.path})}});
  }
}

void ModelReader::readFields(ParsedLayer& entry) {
  if (!entry.json->is_object()) return;
  const LayerDef* definition = findLayer(entry.type);
  if (!definition) {
    reportType(entry);
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
             makeEdit(STRATA_TEXT("edit", "Remove %1"), {entry.name},
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
}

}  // namespace strata
