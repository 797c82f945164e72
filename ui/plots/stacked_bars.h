// SPDX-License-Identifier: GPL-3.0-or-later
// Horizontal bars of several parts below each other, on one scale, such as the memory of each
// device by category. A table next to it has the figures, which screen readers read. Thread: GUI
// thread.
#pragma once

#include <QColor>
#include <QString>
#include <QWidget>
#include <vector>

namespace strata::ui {

class StackedBars : public QWidget {
  Q_OBJECT
 public:
  explicit StackedBars(QWidget* parent = nullptr);
  struct Part {
    QString title, value;
    QColor color;
    double size = 0;
  };
  struct Bar {
    QString name;
    std::vector<Part> parts;
    // Then tooltips show the values in italics
    bool isPredicted = false;
  };
  void setBars(std::vector<Bar> bars);
  const std::vector<Bar>& bars() const { return m_bars; }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {120, sizeHint().height()}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  int rowHeight() const;
  int nameWidth() const;
  /// Returns where a part is drawn.
  QRectF areaOf(size_t bar, size_t part) const;

  std::vector<Bar> m_bars;
  // The sum of the longest bar
  double m_longest = 0;
};

}  // namespace strata::ui
