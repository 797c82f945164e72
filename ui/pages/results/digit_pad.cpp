// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/results/digit_pad.h"

#include <QDragEnterEvent>
#include <QMimeData>
#include <QMouseEvent>
#include <QPainter>
#include <QUrl>
#include <algorithm>
#include <cmath>

#include "ui/theme/colors.h"

namespace strata::ui {

static constexpr int kSide = 280;
// The width of a stroke, which corresponds to about two pixels of an MNIST image.
static constexpr double kInkWidth = 22;

DigitPad::DigitPad(QWidget* parent)
    : QWidget(parent), m_image(kSide, kSide, QImage::Format_Grayscale8) {
  setMinimumSize(140, 140);
  setAcceptDrops(true);
  setCursor(Qt::CrossCursor);
  setAccessibleName(tr("Drawing pad"));
  setAccessibleDescription(tr("Draw a digit with the mouse, or drop an image."));
  QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Preferred);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
  m_image.fill(0);
}

void DigitPad::clear() {
  m_image.fill(0);
  m_isEmpty = true;
  update();
  Q_EMIT cleared();
}

QPointF DigitPad::toImage(const QPointF& position) const {
  const double side = std::min(width(), height());
  return {position.x() * kSide / side, position.y() * kSide / side};
}

void DigitPad::strokeTo(const QPointF& position) {
  QPainter painter(&m_image);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(Qt::white, kInkWidth, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  if (position == m_last)
    painter.drawPoint(position);
  else
    painter.drawLine(m_last, position);
  m_last = position;
  m_isEmpty = false;
  update();
  Q_EMIT drawn();
}

void DigitPad::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  m_last = toImage(event->position());
  strokeTo(m_last);
}

void DigitPad::mouseMoveEvent(QMouseEvent* event) {
  if (event->buttons() & Qt::LeftButton) strokeTo(toImage(event->position()));
}

void DigitPad::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasImage() || event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void DigitPad::dropEvent(QDropEvent* event) {
  QImage picture;
  if (event->mimeData()->hasImage())
    picture = event->mimeData()->imageData().value<QImage>();
  else if (!event->mimeData()->urls().isEmpty())
    picture = QImage(event->mimeData()->urls().first().toLocalFile());
  if (!picture.isNull()) setPicture(picture);
  event->acceptProposedAction();
}

void DigitPad::setPicture(const QImage& picture) {
  QImage grey = picture.convertToFormat(QImage::Format_Grayscale8);
  double sum = 0;
  for (int y = 0; y < grey.height(); ++y)
    for (int x = 0; x < grey.width(); ++x)
      sum += grey.constScanLine(y)[x];
  // Images usually have dark ink on a light background. MNIST images have light ink on a dark
  // background.
  if (sum > 127.5 * grey.width() * grey.height()) grey.invertPixels();
  const QImage fitted = grey.scaled(kSide, kSide, Qt::KeepAspectRatio, Qt::SmoothTransformation);
  m_image.fill(0);
  QPainter(&m_image).drawImage((kSide - fitted.width()) / 2, (kSide - fitted.height()) / 2, fitted);
  m_isEmpty = false;
  update();
  Q_EMIT drawn();
}

std::optional<Tensor> DigitPad::sample(int height, int width) const {
  int left = kSide, right = -1, top = kSide, bottom = -1;
  for (int y = 0; y < kSide; ++y)
    for (int x = 0; x < kSide; ++x)
      if (m_image.constScanLine(y)[x] > 40) {
        left = std::min(left, x);
        right = std::max(right, x);
        top = std::min(top, y);
        bottom = std::max(bottom, y);
      }
  if (right < 0) return std::nullopt;
  const QImage ink = m_image.copy(left, top, right - left + 1, bottom - top + 1);
  // The longer side takes 20 of 28 pixels.
  const QSize box(std::max(1, width * 20 / 28), std::max(1, height * 20 / 28));
  const QImage small = ink.scaled(box, Qt::KeepAspectRatio, Qt::SmoothTransformation)
                           .convertToFormat(QImage::Format_Grayscale8);
  double mass = 0, massX = 0, massY = 0;
  for (int y = 0; y < small.height(); ++y)
    for (int x = 0; x < small.width(); ++x) {
      const double value = small.constScanLine(y)[x];
      mass += value;
      massX += value * x;
      massY += value * y;
    }
  if (mass <= 0) return std::nullopt;
  const int offsetX = std::clamp(static_cast<int>(std::lround((width - 1) / 2.0 - massX / mass)), 0,
                                 width - small.width());
  const int offsetY = std::clamp(static_cast<int>(std::lround((height - 1) / 2.0 - massY / mass)),
                                 0, height - small.height());
  Tensor result(DType::U8, {height, width, 1});
  auto pixels = result.as<uint8_t>();
  for (int y = 0; y < small.height(); ++y)
    for (int x = 0; x < small.width(); ++x)
      pixels[static_cast<size_t>((y + offsetY) * width + x + offsetX)] = small.constScanLine(y)[x];
  return result;
}

void DigitPad::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::SmoothPixmapTransform);
  const Colors& colors = colorsOf(this);
  const int side = std::min(width(), height());
  QImage shown = m_image;
  // The ink is dark in the light theme, and light in the dark theme.
  if (!colors.isDark) shown.invertPixels();
  painter.drawImage(QRect(0, 0, side, side), shown);
  painter.setPen(QPen(colors.border, 1));
  painter.drawRect(0, 0, side - 1, side - 1);
  if (m_isEmpty) {
    painter.setPen(colors.muted);
    painter.drawText(QRect(10, 0, side - 20, side), Qt::AlignCenter | Qt::TextWordWrap,
                     tr("Draw a digit here"));
  }
}

}  // namespace strata::ui
