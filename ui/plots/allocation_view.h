// SPDX-License-Identifier: GPL-3.0-or-later
// Draws the memory of a training step: time (the instructions of the step) from left to right,
// addresses from bottom to top, and each block as a rectangle in the colour of its category. A line
// marks the peak. The wheel zooms, a drag moves, a double-click shows the whole step. A table shows
// the same blocks to screen readers (ui/models/block_item_model.h). Thread: GUI thread.
#pragma once

#include <QImage>
#include <QStringList>
#include <QWidget>
#include <memory>
#include <optional>

#include "core/runs/step_memory.h"

namespace strata::ui {

class AllocationView : public QWidget {
  Q_OBJECT
 public:
  explicit AllocationView(QWidget* parent = nullptr);
  /// Shows a step, or nothing if it is null.
  void setMemory(std::shared_ptr<const StepMemory> memory);
  /// Emphasizes the blocks of these layers, which are named as in the design.
  void setLayers(const QStringList& layers);
  /// Emphasizes one block, or none.
  void setBlock(std::optional<size_t> block);
  /// Returns the block under a point, or nullopt.
  std::optional<size_t> blockAt(const QPoint& point) const;
  /// Returns the rectangle of a block in the coordinates of the widget.
  QRectF rectOf(size_t block) const;
  bool isZoomed() const { return m_view != QRectF(0, 0, 1, 1); }
  QSize sizeHint() const override { return {520, 260}; }
  /// Describes a block in one line: its name, op, layer, bytes, and the time in which it is live.
  QString textOf(size_t block) const;

 Q_SIGNALS:
  void blockClicked(size_t block);
  void blockActivated(size_t block);

 protected:
  bool event(QEvent* event) override;
  void changeEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;

 private:
  QRect area() const;
  void zoom(double factor, const QPointF& around);
  void moveView(QPointF by);
  void showWhole();
  void drawBlocks();
  void drawAxes(QPainter& painter) const;
  bool isOfLayers(const StepMemory::Block& block) const;

  std::shared_ptr<const StepMemory> m_memory;
  QStringList m_layers;
  std::optional<size_t> m_block;
  // The visible part of the step, in fractions of its instructions and its bytes
  QRectF m_view{0, 0, 1, 1};
  // The blocks, drawn for the present size and view; null if they must be drawn again
  QImage m_image;
  std::optional<QPoint> m_press;
  QPointF m_lastMouse;
  bool m_isMoving = false;
};

}  // namespace strata::ui
