// SPDX-License-Identifier: GPL-3.0-or-later
// Loss and metrics of the network; of one with several outputs those of each, with the weight of
// its loss. Thread: the window's.
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
  /// `access`: to the project, by JSON pointers.
  OutputsForm(std::function<Document*()> document, FieldForm::Access access, QWidget* parent);
  bool focusField(const std::string& path) const;
  /// Shows what the document holds now.
  void refresh();

 private:
  void rebuild();
  /// Where /training/`list` speaks of the output: an entry of it, all of it, or "" nowhere.
  std::string placeOf(const std::string& list, const std::string& output) const;
  FieldForm::Access accessOf(const std::string& output) const;
  /// Null: the output has none.
  void set(const std::string& list, const std::string& output, const Json* value,
           const QString& title) const;

  const std::function<Document*()> m_document;
  const FieldForm::Access m_access;
  QVBoxLayout* m_column;
  // none: the network has one, and what is said of it stands for itself
  std::vector<std::string> m_outputs;
  std::vector<FieldForm*> m_forms;
};

}  // namespace strata::ui
