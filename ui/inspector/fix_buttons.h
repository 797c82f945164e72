// SPDX-License-Identifier: GPL-3.0-or-later
// The fixes of a problem as buttons, one below the other. Thread: the window's.
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
  /// Hidden where there are none.
  void setFixes(std::vector<Fix> fixes);

 Q_SIGNALS:
  void chosen(const strata::ProjectEdit& edit);

 private:
  QVBoxLayout* m_column;
  QStringList m_labels;
  std::vector<Fix> m_fixes;
};

}  // namespace strata::ui
