// SPDX-License-Identifier: GPL-3.0-or-later
// The memory of one device by category, measured against the predicted peak: a stacked bar, its
// legend (also read by screen readers), and the largest layer at the peak. Thread: GUI thread.
#pragma once

#include <QWidget>

#include "core/runs/events.h"

class QGridLayout;
class QLabel;

namespace strata::ui {

class StackedBar;

class MemoryCard : public QWidget {
  Q_OBJECT
 public:
  explicit MemoryCard(QWidget* parent = nullptr);
  void clear();
  /// The plan of a run: its categories at the peak. `limitBytes` is what the device may use.
  void setPlan(const RunStart& start, double limitBytes);
  /// The bytes that the engine has allocated now. If they differ from the prediction, the card says
  /// so.
  void setMeasured(double bytes);

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void updateHead();
  void updateLegend();
  void clearLegend();
  QLabel* m_title;
  QLabel* m_figures;
  StackedBar* m_bar;
  QGridLayout* m_legend;
  QLabel* m_peak;
  BytesByCategory m_bytes{};
  double m_holes = 0, m_predicted = 0, m_measured = 0, m_limit = 0;
};

}  // namespace strata::ui
