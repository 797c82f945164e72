// SPDX-License-Identifier: GPL-3.0-or-later
// The line under the top row that asks to restart Strata after the language was changed. Thread:
// GUI thread.
#pragma once

#include <QFrame>

class QLabel;

namespace strata::ui {

class LanguageNotice : public QFrame {
  Q_OBJECT
 public:
  explicit LanguageNotice(QWidget* parent = nullptr);
  /// Shown, in both languages, while the next start would use another language than this window.
  void refresh();

 private:
  QLabel* m_words;
};

}  // namespace strata::ui
