// SPDX-License-Identifier: GPL-3.0-or-later
// Shows the full text of a cell or of a column's title on hover, where it does not fit. Thread: GUI
// thread.
#pragma once

#include <QObject>

namespace strata::ui {

class FullTextTips : public QObject {
  Q_OBJECT
 public:
  /// Watches all tables and lists of the application.
  explicit FullTextTips(QObject* parent);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace strata::ui
