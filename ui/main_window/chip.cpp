// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window/chip.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>

#include "ui/theme/style_sheet.h"

namespace strata::ui {

namespace {

constexpr int kChipSide = 12, kDot = 8, kDotGap = 7, kChipHeight = 28;

}  // namespace

Chip::Chip(QWidget* parent) : QPushButton(parent), m_label(new QLabel(this)) {
  setRole(this, "chip");
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(kChipSide, 0, kChipSide, 0);
  row->addWidget(m_label);
  m_label->setAttribute(Qt::WA_TransparentForMouseEvents);
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void Chip::setDot(const QColor& color) {
  m_dot = color;
  layout()->setContentsMargins(color.isValid() ? kChipSide + kDot + kDotGap : kChipSide, 0,
                               kChipSide, 0);
  update();
}

void Chip::fit() { updateGeometry(); }

QSize Chip::sizeHint() const {
  const QMargins margins = layout()->contentsMargins();
  return {m_label->sizeHint().width() + margins.left() + margins.right(), kChipHeight};
}

void Chip::paintEvent(QPaintEvent* event) {
  QPushButton::paintEvent(event);
  if (!m_dot.isValid()) return;
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(m_dot);
  painter.drawEllipse(QRectF(kChipSide, (height() - kDot) / 2.0, kDot, kDot));
}

}  // namespace strata::ui
