// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/refused_values.h"

#include <nlohmann/json.hpp>

#include "ui/document/document.h"

namespace strata::ui {

namespace {

std::optional<Json> valueOf(const Document& document, const RefusedValue& value) {
  const std::string place =
      value.layer.steps.empty() ? value.field : value.layer.pointer() + "/" + value.field;
  const Json::json_pointer pointer(place);
  if (!document.json().contains(pointer)) return std::nullopt;
  return document.json().at(pointer);
}

}  // namespace

const RefusedValue* RefusedValues::find(const LayerPath& layer, const std::string& field) const {
  for (const RefusedValue& value : m_values)
    if (value.layer == layer && value.field == field) return &value;
  return nullptr;
}

void RefusedValues::add(const Document& document, RefusedValue value) {
  remove(value.layer, value.field);
  m_before << valueOf(document, value);
  m_values << std::move(value);
}

bool RefusedValues::remove(const LayerPath& layer, const std::string& field) {
  for (qsizetype i = 0; i < m_values.size(); ++i) {
    if (!(m_values[i].layer == layer) || m_values[i].field != field) continue;
    m_values.removeAt(i);
    m_before.removeAt(i);
    return true;
  }
  return false;
}

bool RefusedValues::followEdit(const Document& document) {
  bool hasChanged = false;
  for (qsizetype i = m_values.size() - 1; i >= 0; --i) {
    RefusedValue& value = m_values[i];
    if (!value.layer.steps.empty()) {
      const int index = document.layers().indexOf(value.layer);
      const LayerPath now = index < 0 ? LayerPath() : document.layers()[index].path;
      hasChanged = hasChanged || !(now == value.layer);
      value.layer = now;
      if (index >= 0 && valueOf(document, value) == m_before[i]) continue;
    }
    else if (valueOf(document, value) == m_before[i]) {
      continue;
    }
    m_values.removeAt(i);
    m_before.removeAt(i);
    hasChanged = true;
  }
  return hasChanged;
}

}  // namespace strata::ui
