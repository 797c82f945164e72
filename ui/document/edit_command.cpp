// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/edit_command.h"

#include "ui/document/document.h"
#include "ui/format.h"

namespace strata::ui {

EditCommand::EditCommand(Document& document, ProjectEdit edit, ProjectEdit inverse)
    : m_document(document), m_edit(std::move(edit)), m_inverse(std::move(inverse)) {
  setText(translated(m_edit.name, m_edit.arguments));
}

void EditCommand::redo() {
  if (std::exchange(m_isApplied, false)) return;
  m_document.apply(m_edit);
  m_document.afterEdit(m_edit.layers);
}

void EditCommand::undo() {
  m_isApplied = false;
  m_document.apply(m_inverse);
  m_document.afterEdit(m_edit.layers);
}

}  // namespace strata::ui
