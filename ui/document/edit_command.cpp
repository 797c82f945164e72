// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/edit_command.h"

#include <QScopedValueRollback>

#include "ui/document/document.h"
#include "ui/format.h"

namespace strata::ui {

const Document* EditCommand::s_walking = nullptr;

EditCommand::EditCommand(Document& document, ProjectEdit edit, ProjectEdit inverse)
    : m_document(document), m_edit(std::move(edit)), m_inverse(std::move(inverse)) {
  setText(translated(m_edit.name, m_edit.arguments));
}

void EditCommand::redo() {
  if (std::exchange(m_isApplied, false)) return;
  walk(m_edit);
}

void EditCommand::undo() {
  m_isApplied = false;
  walk(m_inverse);
}

void EditCommand::walk(const ProjectEdit& edit) {
  const QScopedValueRollback walking(s_walking, static_cast<const Document*>(&m_document));
  m_document.apply(edit);
  m_document.afterEdit(m_edit.layers);
}

}  // namespace strata::ui
