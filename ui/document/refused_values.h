// SPDX-License-Identifier: GPL-3.0-or-later
// Text that a field refused. No file holds it, and a run would use the previous value. Thread: GUI
// thread.
#pragma once

#include <QList>
#include <QString>
#include <optional>
#include <string>

#include "core/model/layer_path.h"

namespace strata::ui {

class Document;

struct RefusedValue {
  // A path without steps: the field belongs to the project
  LayerPath layer;
  // The name in the layer ("outer/inner" for a nested field), or a JSON pointer
  std::string field;
  // The field's title
  QString title;
  // The typed text and the reason for the refusal
  QString text, why;
};

/// The refused values of one document, at most one per field
class RefusedValues {
 public:
  const QList<RefusedValue>& all() const { return m_values; }
  const RefusedValue* find(const LayerPath& layer, const std::string& field) const;
  void add(const Document& document, RefusedValue value);
  /// False if there was none
  bool remove(const LayerPath& layer, const std::string& field);
  /// After an edit: drops values typed for another value or for a removed layer.
  bool followEdit(const Document& document);

 private:
  QList<RefusedValue> m_values;
  // The document's value of each field when it was refused
  QList<std::optional<Json>> m_before;
};

}  // namespace strata::ui
