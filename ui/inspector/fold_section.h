// SPDX-License-Identifier: GPL-3.0-or-later
// A part of a form under a heading that opens and closes it. Closed at first; the settings remember
// it. A problem of a field inside is counted on the heading, so that closing hides none. Thread:
// the window's.
#pragma once

#include <QWidget>

class QPushButton;

namespace strata::ui {

class FoldSection : public QWidget {
  Q_OBJECT
 public:
  /// `key`: its name in the settings.
  FoldSection(const QString& title, const QString& key, QWidget* parent);
  /// Below what was added before.
  void add(QWidget* content);
  bool isOpen() const;
  void open() { setOpen(true); }
  /// Counts the problems that are shown inside.
  void refresh();

 private:
  void setOpen(bool isOpen);

  const QString m_title, m_key;
  QPushButton* m_head;
  QWidget* m_body;
};

}  // namespace strata::ui
