// SPDX-License-Identifier: GPL-3.0-or-later
// Shows the project's first EarlyStopping callback as a switch, with its monitored metric and
// patience. The remaining fields are in the list of callbacks. Thread: GUI thread.
#pragma once

#include <QWidget>
#include <functional>
#include <optional>
#include <string>

#include "ui/inspector/field_form.h"

class QCheckBox;
class QLabel;

namespace strata::ui {

class Document;

class EarlyStoppingForm : public QWidget {
  Q_OBJECT
 public:
  /// Creates the form for the document that `document` returns. `access` reads and edits the
  /// project by JSON pointers.
  EarlyStoppingForm(std::function<Document*()> document, const FieldForm::Access& access,
                    QWidget* parent);
  /// Shows the current values of the document.
  void refresh();

 private:
  /// Returns the index of the callback in the project's list, or nullopt if there is none.
  std::optional<size_t> place() const;
  FieldForm::Access itemAccess(const FieldForm::Access& access) const;
  void set(bool isOn);

  const std::function<Document*()> m_document;
  const std::function<QString(const std::string& path)> m_problemOf;
  QCheckBox* m_switch;
  QLabel* m_problem;
  FieldForm* m_form;
};

}  // namespace strata::ui
