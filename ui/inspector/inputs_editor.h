// SPDX-License-Identifier: GPL-3.0-or-later
// Edits the inputs of a layer: one layer, or several for a merging layer. The default input is the
// previous layer. Thread: GUI thread.
#pragma once

#include <QStringList>
#include <functional>

#include "core/model/layer_path.h"
#include "ui/inspector/field_editor.h"

namespace strata {
struct LayerDef;
}

namespace strata::ui {

class Document;

/// The layers of the same list that can be an input. The layer itself and the layers that depend on
/// it cannot.
struct InputChoices {
  // The previous layer, or "" for the first one.
  QString before;
  QStringList layers;
};
InputChoices inputChoices(const Document& document, const LayerPath& layer);
FieldSchema inputsField(const LayerDef& definition);
FieldEditor* makeInputsEditor(const LayerDef& definition, FieldEditor::Calls calls,
                              std::function<InputChoices()> choices, QWidget* parent);

}  // namespace strata::ui
