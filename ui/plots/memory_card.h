// SPDX-License-Identifier: GPL-3.0-or-later
// Shows the memory of one device by category, compared with the predicted peak. It has a stacked
// bar, a legend that screen readers read, and the largest layer at the peak. Thread: GUI thread.
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
  /// What the driver and the libraries of a card take, in addition to the plan.
  struct Context {
    double bytes = 0;
    bool isEstimated = false;
  };
  /// Shows the memory that is planned for a run, by category at the peak. `limitBytes` is the
  /// memory that the device may use.
  void setPlan(const RunStart& start, double limitBytes, const Context& context);
  /// Sets the number of bytes that the engine has allocated. The card shows it next to the
  /// prediction.
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
  double m_keptData = 0;
  Context m_context;
  double m_holes = 0, m_predicted = 0, m_measured = 0, m_limit = 0;
};

}  // namespace strata::ui
