// SPDX-License-Identifier: GPL-3.0-or-later
// Connects a form to the whole project. The name of each field is its JSON pointer. Thread: GUI
// thread.
#pragma once

#include "core/model/layer_path.h"
#include "ui/inspector/field_form.h"

namespace strata::ui {

class Document;

/// Makes the document store refused text. An empty path means that the fields belong to the
/// project.
void keepRefusals(FieldForm::Access& access, std::function<Document*()> document,
                  const LayerPath& layer);
/// `document` returns the document that the form edits, or null.
FieldForm::Access projectAccess(std::function<Document*()> document);
/// Returns a field of a core schema. `place` is the pointer to its object, such as "/training/".
FieldSchema fieldAt(const Schema& schema, const char* name, const char* place);

}  // namespace strata::ui
