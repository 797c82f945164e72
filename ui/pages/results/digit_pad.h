// SPDX-License-Identifier: GPL-3.0-or-later
// A square to draw on with the mouse. The drawing becomes a sample as in MNIST: it is scaled to 20
// of 28 pixels, and its centre of mass is placed at the centre. Source: LeCun, Cortes, Burges: the
// MNIST database. Thread: GUI thread.
#pragma once

#include <QImage>
#include <QWidget>
#include <optional>

#include "gpu/tensor/tensor.h"

namespace strata::ui {

class DigitPad : public QWidget {
  Q_OBJECT
 public:
  explicit DigitPad(QWidget* parent = nullptr);
  void clear();
  bool isEmpty() const { return m_isEmpty; }
  /// Returns the drawing as u8 [height, width, 1], white on black, or nullopt if the pad is empty.
  std::optional<Tensor> sample(int height, int width) const;
  /// Replaces the drawing by an image that was dropped or opened. An image with a light background
  /// is inverted.
  void setPicture(const QImage& picture);
  QSize sizeHint() const override { return {224, 224}; }
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override { return width; }

 Q_SIGNALS:
  /// Emitted for each segment of a stroke, and for a new picture.
  void drawn();
  void cleared();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  QPointF toImage(const QPointF& position) const;
  void strokeTo(const QPointF& position);
  // The drawing, with kSide x kSide pixels and white ink on black.
  QImage m_image;
  QPointF m_last;
  bool m_isEmpty = true;
};

}  // namespace strata::ui
