// SPDX-License-Identifier: GPL-3.0-or-later
// Offers an empty network, a table of the user, and the example projects as templates, each with a
// description of what it teaches. Thread: GUI thread.
#pragma once

#include <QDialog>

class QLabel;
class QListWidget;
class QPushButton;

namespace strata::ui {

class TemplateDialog : public QDialog {
  Q_OBJECT
 public:
  explicit TemplateDialog(QWidget* parent);

 Q_SIGNALS:
  void emptyChosen();
  void tableChosen();
  void templateChosen(const QString& path);

 private:
  void choose();

  QListWidget* m_list;
  QPushButton* m_create;
};

}  // namespace strata::ui
