// SPDX-License-Identifier: GPL-3.0-or-later
// A list of objects in a form. Each has its own fields and can be moved or removed; new ones are
// added from the schemas of the field's registry. Thread: GUI thread.
#pragma once

#include "ui/inspector/field_form.h"

namespace strata::ui {

/// `access` belongs to the form that contains the field. Each edit sets the whole list.
FieldEditor* makeListEditor(const FieldSchema& field, const FieldForm::Access& access,
                            QWidget* parent);

}  // namespace strata::ui
