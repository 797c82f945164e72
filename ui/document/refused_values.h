// SPDX-License-Identifier: GPL-3.0-or-later
// Text that a field refused. No file stores it, and a run uses the previous value of the field.
// Thread: GUI thread.
#pragma once

#include <QList>
#include <QString>
#include <optional>
#include <string>

#include "core/model/layer_path.h"

namespace strata::ui {

class Document;

struct RefusedValue {
  // The path is empty if the field belongs to the project.
  LayerPath layer;
  // The field is a name in the layer ("outer/inner" if nested), or a JSON pointer.
  std::string field;
  // The title of the field in its form.
  QString title;
  // The text that was typed, and the reason for the refusal.
  QString text, why;
};

/// The refused values of one document, at most one per field.
class RefusedValues {
 public:
  const QList<RefusedValue>& all() const { return m_values; }
  const RefusedValue* find(const LayerPath& layer, const std::string& field) const;
  void add(const Document& document, RefusedValue value);
  /// Returns false if the field had no refused value.
  bool remove(const LayerPath& layer, const std::string& field);
  /// Updates the values after an edit. Drops a value if its field changed or its layer was removed.
  bool followEdit(const Document& document);

 private:
  QList<RefusedValue> m_values;
  // The value that each field had in the document when the text was refused.
  QList<std::optional<Json>> m_before;
};

}  // namespace strata::ui
