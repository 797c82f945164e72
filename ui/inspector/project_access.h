// SPDX-License-Identifier: GPL-3.0-or-later
// A form over the project itself: the name of each field is its JSON pointer in it. Thread: the
// window's.
#pragma once

#include "core/model/layer_path.h"
#include "ui/inspector/field_form.h"

namespace strata::ui {

class Document;

/// Lets the document keep what a field of the layer refused; without steps: of the project.
void keepRefusals(FieldForm::Access& access, std::function<Document*()> document,
                  const LayerPath& layer);
/// `document`: the one that is edited now, null where there is none.
FieldForm::Access projectAccess(std::function<Document*()> document);
/// A field of core's schema, by the pointer of the object that it is in, such as "/training/".
FieldSchema fieldAt(const Schema& schema, const char* name, const char* place);

}  // namespace strata::ui
