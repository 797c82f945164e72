// SPDX-License-Identifier: GPL-3.0-or-later
// Shows the fixes of a problem as a column of buttons. Thread: GUI thread.
#pragma once

#include <QStringList>
#include <QWidget>
#include <vector>

#include "core/project/diagnostic.h"

class QVBoxLayout;

namespace strata::ui {

class FixButtons : public QWidget {
  Q_OBJECT
 public:
  explicit FixButtons(QWidget* parent);
  /// Shows one button for each fix, or hides the widget if there are no fixes.
  void setFixes(std::vector<Fix> fixes);

 Q_SIGNALS:
  void chosen(const strata::ProjectEdit& edit);

 private:
  QVBoxLayout* m_column;
  QStringList m_labels;
  std::vector<Fix> m_fixes;
};

}  // namespace strata::ui
