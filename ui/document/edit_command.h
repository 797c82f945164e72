// SPDX-License-Identifier: GPL-3.0-or-later
// A step of the undo stack. It stores an edit and its inverse, and does not depend on views.
// Thread: GUI thread.
#pragma once

#include <QUndoCommand>

#include "core/project/edit.h"

namespace strata::ui {

class Document;

class EditCommand : public QUndoCommand {
 public:
  /// Creates a step for `edit`, which the document has already applied. `inverse` undoes the edit.
  /// The document owns the stack, so it outlives this command.
  EditCommand(Document& document, ProjectEdit edit, ProjectEdit inverse);
  /// Returns true during an undo or redo of this document. Its stack then accepts no new step.
  static bool isWalking(const Document& document) { return s_walking == &document; }
  void redo() override;
  void undo() override;

 private:
  void walk(const ProjectEdit& edit);

  // The document of the current undo or redo; null at other times
  static const Document* s_walking;
  Document& m_document;
  ProjectEdit m_edit, m_inverse;
  bool m_isApplied = true;
};

}  // namespace strata::ui
