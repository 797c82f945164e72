// SPDX-License-Identifier: GPL-3.0-or-later
// What feeds a layer: one layer of choice, or several for layers that merge. Left out in the file
// it is the layer before. Thread: the window's.
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

/// Layers that may feed another one: all but itself and what it feeds.
struct InputChoices {
  // The layer before; "" for the first
  QString before;
  QStringList layers;
};
InputChoices inputChoices(const Document& document, const LayerPath& layer);
FieldSchema inputsField(const LayerDef& definition);
FieldEditor* makeInputsEditor(const LayerDef& definition, FieldEditor::Calls calls,
                              std::function<InputChoices()> choices, QWidget* parent);

}  // namespace strata::ui
