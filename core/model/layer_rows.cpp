// SPDX-License-Identifier: Apache-2.0
#include "core/model/layer_rows.h"

#include <map>
#include <set>
#include <string_view>

#include <nlohmann/json.hpp>

#include "gpu/base/error.h"

namespace strata {

namespace {

const Json& layersAt(const Json& document, const LayerList& list) {
  static const Json kNone = Json::array();
  const Json::json_pointer pointer(list.pointer);
  if (!document.contains(pointer)) return kNone;
  const Json& layers = document.at(pointer);
  return layers.is_array() ? layers : kNone;
}

}  // namespace

std::string stringIn(const Json& object, const char* key) {
  if (!object.is_object()) return {};
  const auto member = object.find(key);
  return member != object.end() && member->is_string() ? member->get<std::string>() : std::string();
}

LayerRows::LayerRows(const Json& document, const LayerList& list)
    : m_json(layersAt(document, list)),
      m_pointer(list.pointer),
      m_isBlock(list.pointer != LayerList().pointer) {
  for (const Json& layer : m_json) {
    LayerRow row;
    row.id = static_cast<int>(m_rows.size());
    row.name = stringIn(layer, "name");
    row.type = stringIn(layer, "type");
    row.hasInputsKey = layer.is_object() && layer.contains("inputs");
    m_rows.push_back(std::move(row));
  }
  std::map<std::string_view, int> firstOf;
  for (const LayerRow& row : m_rows)
    firstOf.emplace(row.name, row.id);
  for (size_t i = 0; i < m_rows.size(); ++i) {
    LayerRow& row = m_rows[i];
    if (row.hasInputsKey && m_json[i]["inputs"].is_array()) {
      for (const Json& input : m_json[i]["inputs"]) {
        if (!input.is_string()) continue;
        const InputRef ref = inputRefOf(input.get<std::string>());
        const auto found = firstOf.find(ref.layer);
        row.inputs.push_back({found == firstOf.end() ? -1 : found->second, ref.layer, ref.output});
      }
    }
    row.isImplicit = !row.hasInputsKey || (m_isBlock && i == 0 && row.inputs.empty());
    if (row.isImplicit) row.inputs = implied(i);
  }
}

size_t LayerRows::placeOf(const LayerRef& layer) const {
  if (layer.place < 0) {
    for (size_t i = 0; i < m_rows.size(); ++i)
      if (m_rows[i].name == layer.name) return i;
    throw Error(ErrorCode::InvalidArgument, layer.name, "there is no layer with this name.");
  }
  const auto place = static_cast<size_t>(layer.place);
  if (place >= m_rows.size())
    throw Error(ErrorCode::InvalidArgument, "layer " + std::to_string(place + 1),
                "there is no such layer (expected at most " + std::to_string(m_rows.size()) + ").");
  return place;
}

LayerSources LayerRows::implied(size_t place) const {
  if (place == 0 || m_rows[place].isInput()) return {};
  return {{m_rows[place - 1].id, m_rows[place - 1].name, 0}};
}

std::string LayerRows::freshName(const std::string& stem) const {
  std::set<std::string> taken;
  for (const LayerRow& row : m_rows)
    taken.insert(row.name);
  return takeFreshName(taken, stem);
}

std::vector<LayerSources> LayerRows::inputs() const {
  std::vector<LayerSources> inputs;
  for (const LayerRow& row : m_rows)
    inputs.push_back(row.inputs);
  return inputs;
}

void LayerRows::writeInputs(const std::vector<LayerSources>& before,
                            std::vector<EditOperation>& operations) const {
  for (size_t i = 0; i < m_rows.size(); ++i) {
    const LayerRow& row = m_rows[i];
    if (row.isInput()) continue;
    const bool isImplied = row.inputs == implied(i);
    if (row.isImplicit ? isImplied && (!row.hasInputsKey || i == 0) : row.inputs == before[i])
      continue;
    if (row.inputs.empty() || (row.isImplicit && isImplied)) {
      operations.push_back({EditOperation::Kind::Remove, pointerTo(i) + "/inputs", {}, 0});
    }
    else {
      Json names = Json::array();
      for (const LayerSource& input : row.inputs)
        names.push_back(input.text());
      operations.push_back({EditOperation::Kind::Set, pointerTo(i) + "/inputs", names.dump(), 0});
    }
  }
}

}  // namespace strata
