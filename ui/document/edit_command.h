// SPDX-License-Identifier: GPL-3.0-or-later
// A step of the undo stack: an edit and the edit that undoes it, both values. It holds no view and
// nothing of one. Thread: the window's.
#pragma once

#include <QUndoCommand>

#include "core/project/edit.h"

namespace strata::ui {

class Document;

class EditCommand : public QUndoCommand {
 public:
  /// `inverse`: of `edit`, which the document has applied already. The document owns the stack, so
  /// it outlives this.
  EditCommand(Document& document, ProjectEdit edit, ProjectEdit inverse);
  /// Its stack is between two steps of an undo or redo, and takes no new one.
  static bool isWalking(const Document& document) { return s_walking == &document; }
  void redo() override;
  void undo() override;

 private:
  void walk(const ProjectEdit& edit);

  // The one window thread's
  static const Document* s_walking;
  Document& m_document;
  ProjectEdit m_edit, m_inverse;
  bool m_isApplied = true;
};

}  // namespace strata::ui
