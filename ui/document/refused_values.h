// SPDX-License-Identifier: GPL-3.0-or-later
// What a person typed into a field that did not accept it: no file holds it, and a run would use
// the value from before. Thread: the window's.
#pragma once

#include <QList>
#include <QString>
#include <optional>
#include <string>

#include "core/model/layer_path.h"

namespace strata::ui {

class Document;

struct RefusedValue {
  // Without steps: the field is one of the project
  LayerPath layer;
  // Of the layer, "outer/inner" of an inner one; else a JSON pointer
  std::string field;
  // Of the field
  QString title;
  // What was typed, and what is wrong with it
  QString text, why;
};

/// Those of one document, each field once.
class RefusedValues {
 public:
  const QList<RefusedValue>& all() const { return m_values; }
  const RefusedValue* find(const LayerPath& layer, const std::string& field) const;
  void add(const Document& document, RefusedValue value);
  /// False where there was none.
  bool remove(const LayerPath& layer, const std::string& field);
  /// After an edit: what was typed for another value, or for a layer that is gone, goes.
  bool followEdit(const Document& document);

 private:
  QList<RefusedValue> m_values;
  // The value in the document, for each
  QList<std::optional<Json>> m_before;
};

}  // namespace strata::ui
