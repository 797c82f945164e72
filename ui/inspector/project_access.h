// SPDX-License-Identifier: GPL-3.0-or-later
// A form over the project itself: the name of each field is its JSON pointer. Thread: GUI thread.
#pragma once

#include "core/model/layer_path.h"
#include "ui/inspector/field_form.h"

namespace strata::ui {

class Document;

/// Stores refused values in the document. A path without steps: they belong to the project.
void keepRefusals(FieldForm::Access& access, std::function<Document*()> document,
                  const LayerPath& layer);
/// `document` returns the document being edited, or null.
FieldForm::Access projectAccess(std::function<Document*()> document);
/// A field of a core schema at the pointer of its object, such as "/training/"
FieldSchema fieldAt(const Schema& schema, const char* name, const char* place);

}  // namespace strata::ui
