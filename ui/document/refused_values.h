// SPDX-License-Identifier: GPL-3.0-or-later
// What a person typed into a field that did not accept it: no file holds it, and a run would use the
// value from before. Thread: the window's.
#pragma once

#include <QList>
#include <QString>
#include <optional>
#include <string>

#include "core/model/layer_path.h"

namespace strata::ui {

class Document;

struct RefusedValue {
  LayerPath layer;    // without steps: the field is one of the project
  std::string field;  // of the layer, "outer/inner" of an inner one; else a JSON pointer
  QString title;      // of the field
  QString text, why;  // what was typed, and what is wrong with it
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
  QList<std::optional<Json>> m_before;  // the value in the document, for each
};

}  // namespace strata::ui
