// SPDX-License-Identifier: GPL-3.0-or-later
// A section of a form with a heading that opens and closes it. The section starts closed, and the
// settings store its state. The heading shows the number of problems inside. Thread: GUI thread.
#pragma once

#include <QWidget>

class QPushButton;

namespace strata::ui {

class FoldSection : public QWidget {
  Q_OBJECT
 public:
  /// Creates a section without content. `key` identifies it in the settings.
  FoldSection(const QString& title, const QString& key, QWidget* parent);
  /// Adds `content` at the end.
  void add(QWidget* content);
  bool isOpen() const;
  void open() { setOpen(true); }
  /// Updates the number of problems in the heading.
  void refresh();

 private:
  void setOpen(bool isOpen);

  const QString m_title, m_key;
  QPushButton* m_head;
  QWidget* m_body;
};

}  // namespace strata::ui
