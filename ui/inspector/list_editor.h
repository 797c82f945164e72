// SPDX-License-Identifier: GPL-3.0-or-later
// Edits a list of objects. The user can edit, move and remove each object, and add new ones from
// the schemas of the field's registry. Thread: GUI thread.
#pragma once

#include "ui/inspector/field_form.h"

namespace strata::ui {

/// Creates the editor of a list field. `access` belongs to the form that contains the field. Each
/// edit replaces the whole list.
FieldEditor* makeListEditor(const FieldSchema& field, const FieldForm::Access& access,
                            QWidget* parent);

}  // namespace strata::ui
