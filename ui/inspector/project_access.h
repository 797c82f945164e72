// SPDX-License-Identifier: GPL-3.0-or-later
// Connects a form to the whole project. The name of each field is its JSON pointer. Thread: GUI
// thread.
#pragma once

#include "core/model/layer_path.h"
#include "ui/inspector/field_form.h"

namespace strata::ui {

class Document;

/// Makes the document store the text that fields of the form refuse. An empty `layer` means that
/// the fields belong to the project.
void keepRefusals(FieldForm::Access& access, std::function<Document*()> document,
                  const LayerPath& layer);
/// Returns the access for a form that edits the project. `document` returns the document to edit,
/// or null.
FieldForm::Access projectAccess(std::function<Document*()> document);
/// Returns a field of a core schema, named by its JSON pointer. `place` is the pointer to its
/// object, such as "/training/".
FieldSchema fieldAt(const Schema& schema, const char* name, const char* place);

}  // namespace strata::ui
