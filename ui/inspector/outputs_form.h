// SPDX-License-Identifier: GPL-3.0-or-later
// Edits the loss and metrics of the network. A network with several outputs has them for each
// output, with a weight for each loss. Thread: GUI thread.
#pragma once

#include <QWidget>
#include <string>
#include <vector>

#include "ui/inspector/field_form.h"

class QVBoxLayout;

namespace strata::ui {

class Document;

class OutputsForm : public QWidget {
  Q_OBJECT
 public:
  /// Creates the form for the document that `document` returns. `access` reads and edits the
  /// project by JSON pointers.
  OutputsForm(std::function<Document*()> document, FieldForm::Access access, QWidget* parent);
  bool focusField(const std::string& path) const;
  /// Shows the current values of the document.
  void refresh();

 private:
  void rebuild();
  /// Returns the JSON pointer to the part of /training/`list` that applies to the output, or "" if
  /// there is none.
  std::string placeOf(const std::string& list, const std::string& output) const;
  FieldForm::Access accessOf(const std::string& output) const;
  /// Sets the output's value, or removes it if `value` is null.
  void set(const std::string& list, const std::string& output, const Json* value,
           const QString& title) const;

  const std::function<Document*()> m_document;
  const FieldForm::Access m_access;
  QVBoxLayout* m_column;
  // The names of the outputs. The list is empty if the network has one output, to which all
  // settings apply.
  std::vector<std::string> m_outputs;
  std::vector<FieldForm*> m_forms;
};

}  // namespace strata::ui
