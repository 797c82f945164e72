// SPDX-License-Identifier: GPL-3.0-or-later
// The line under the top row after another language was chosen: it speaks from the next start.
// Thread: the window's.
#pragma once

#include <QFrame>

class QLabel;

namespace strata::ui {

class LanguageNotice : public QFrame {
  Q_OBJECT
 public:
  explicit LanguageNotice(QWidget* parent = nullptr);
  /// Shown while the next start would speak another language than this window, in both languages.
  void refresh();

 private:
  QLabel* m_words;
};

}  // namespace strata::ui
