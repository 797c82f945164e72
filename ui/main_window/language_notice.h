// SPDX-License-Identifier: GPL-3.0-or-later
// The line below the top row that asks for a restart after the language was changed. Thread: GUI
// thread.
#pragma once

#include <QFrame>

namespace strata::ui {

class ElidedLabel;

class LanguageNotice : public QFrame {
  Q_OBJECT
 public:
  explicit LanguageNotice(QWidget* parent = nullptr);
  /// Shows the line in both languages if the next start will use another language than this window.
  /// Otherwise hides it.
  void refresh();

 private:
  ElidedLabel* m_words;
};

}  // namespace strata::ui
