// SPDX-License-Identifier: GPL-3.0-or-later
// A list of objects in a form: each with its own fields, moved, removed, and added from the schemas
// of the field's registry. Thread: the window's.
#pragma once

#include "ui/inspector/field_form.h"

namespace strata::ui {

/// `access`: of the form that the field is in. The whole list is set at each edit.
FieldEditor* makeListEditor(const FieldSchema& field, const FieldForm::Access& access,
                            QWidget* parent);

}  // namespace strata::ui
