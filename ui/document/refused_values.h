// SPDX-License-Identifier: GPL-3.0-or-later
// Text that the user typed and a field refused. It is not saved to a file, and the field keeps its
// previous value. Thread: GUI thread.
#pragma once

#include <QList>
#include <QString>
#include <optional>
#include <string>

#include "core/model/layer_path.h"

namespace strata::ui {

class Document;

struct RefusedValue {
  // Empty if the field does not belong to a layer
  LayerPath layer;
  // The path of the field in its layer, such as "outer/inner"; a JSON pointer if the field does not
  // belong to a layer
  std::string field;
  // The title of the field in its form
  QString title;
  // The text that the user typed
  QString text;
  // The reason for the refusal
  QString why;
};

/// The refused values of one document, at most one per field.
class RefusedValues {
 public:
  const QList<RefusedValue>& all() const { return m_values; }
  const RefusedValue* find(const LayerPath& layer, const std::string& field) const;
  void add(const Document& document, RefusedValue value);
  /// Removes the value of a field. Returns false if the field had no refused value.
  bool remove(const LayerPath& layer, const std::string& field);
  /// Updates the values after an edit. Removes a value if its field changed or its layer was
  /// removed. Returns whether a value was removed or the path of its layer changed.
  bool followEdit(const Document& document);

 private:
  QList<RefusedValue> m_values;
  // For each refused value, the value in the document when the text was refused
  QList<std::optional<Json>> m_before;
};

}  // namespace strata::ui
