// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window/chip.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>

#include "ui/elided_label.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

namespace {

constexpr int kChipSide = 12, kDot = 8, kDotGap = 7, kChipHeight = 28;

}  // namespace

Chip::Chip(Words words, QWidget* parent) : QPushButton(parent) {
  setRole(this, "chip");
  if (words == Words::Rich) {
    m_label = new QLabel(this);
    m_label->setTextFormat(Qt::RichText);
  }
  else {
    // The end of a device's name says whether it is simulated.
    auto* label = new ElidedLabel(this);
    label->setElideMode(Qt::ElideMiddle);
    m_label = label;
  }
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(kChipSide + kDot + kDotGap, 0, kChipSide, 0);
  row->addWidget(m_label);
  m_label->setAttribute(Qt::WA_TransparentForMouseEvents);
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void Chip::setDot(const QColor& color) {
  m_dot = color;
  update();
}

void Chip::setRoom(int words) {
  const QMargins margins = layout()->contentsMargins();
  setFixedSize(words + margins.left() + margins.right(), kChipHeight);
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
