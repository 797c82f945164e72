// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/allocation_view.h"

#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/model/model.h"
#include "ui/format.h"
#include "ui/theme/category_colors.h"
#include "ui/theme/colors.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

static constexpr double kSmallestView = 1e-4;

AllocationView::AllocationView(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setMinimumHeight(160);
  setAccessibleName(tr("Memory of a training step over its instructions"));
}

void AllocationView::setMemory(std::shared_ptr<const StepMemory> memory) {
  if (memory == m_memory) return;
  m_memory = std::move(memory);
  m_block.reset();
  showWhole();
}

void AllocationView::setLayers(const QStringList& layers) {
  if (layers == m_layers) return;
  m_layers = layers;
  m_image = {};
  update();
}

void AllocationView::setBlock(std::optional<size_t> block) {
  m_block = block;
  setAccessibleDescription(block ? textOf(*block) : QString());
  update();
}

/// Returns the place of the blocks, between the axes.
QRect AllocationView::area() const {
  const int left = fontMetrics().horizontalAdvance(u"888.8 MiB"_s) + 8,
            bottom = fontMetrics().height() + 6;
  return rect().adjusted(left, 6, -8, -bottom);
}

QRectF AllocationView::rectOf(size_t index) const {
  const StepMemory::Block& block = m_memory->blocks[index];
  const auto instructions = static_cast<double>(std::max<size_t>(1, m_memory->instructions.size())),
             bytes = static_cast<double>(std::max<size_t>(1, m_memory->peakBytes()));
  const QRectF inside = area();
  const auto xOf = [&](double instruction) {
    return inside.left() +
           (instruction / instructions - m_view.left()) / m_view.width() * inside.width();
  };
  const auto yOf = [&](double address) {
    return inside.bottom() - (address / bytes - m_view.top()) / m_view.height() * inside.height();
  };
  const auto offset = static_cast<double>(block.offset), size = static_cast<double>(block.bytes);
  const double left = xOf(block.begin), right = xOf(block.end + 1.0), top = yOf(offset + size),
               bottom = yOf(offset);
  return {left, top, right - left, bottom - top};
}

bool AllocationView::isOfLayers(const StepMemory::Block& block) const {
  const QString path = text(pathOfLayer(block.layer));
  return std::ranges::any_of(m_layers, [&](const QString& layer) {
    return path == layer || path.startsWith(layer + u'/');
  });
}

/// Draws the blocks into the image. Blocks below a pixel get one, so that nothing is missing.
void AllocationView::drawBlocks() {
  const qreal ratio = devicePixelRatioF();
  m_image = QImage(size() * ratio, QImage::Format_RGB32);
  m_image.setDevicePixelRatio(ratio);
  const Colors& colors = colorsOf(this);
  m_image.fill(colors.card);
  if (!m_memory || m_memory->blocks.empty()) return;
  QPainter painter(&m_image);
  const QRect inside = area();
  painter.setClipRect(inside);
  painter.fillRect(inside, colors.page);
  for (size_t i = 0; i < m_memory->blocks.size(); ++i) {
    const StepMemory::Block& block = m_memory->blocks[i];
    QRectF box = rectOf(i);
    if (!box.intersects(inside)) continue;
    box.setWidth(std::max(box.width(), 1 / ratio));
    box.setHeight(std::max(box.height(), 1 / ratio));
    QColor color = categoryColor(block.category, colors.isDark);
    if (!m_layers.isEmpty() && !isOfLayers(block)) color.setAlpha(70);
    painter.fillRect(box, color);
    // A border between blocks that are large enough
    if (box.width() > 6 && box.height() > 4) {
      painter.setPen(QPen(colors.card, 0));
      painter.drawRect(box);
    }
  }
}

void AllocationView::drawAxes(QPainter& painter) const {
  const Colors& colors = colorsOf(this);
  const QRect inside = area();
  painter.setPen(colors.muted);
  constexpr int kLabels = 4;
  const auto bytes = static_cast<double>(m_memory->peakBytes());
  for (int i = 0; i <= kLabels; ++i) {
    const double fraction = m_view.top() + m_view.height() * i / kLabels;
    const int y = inside.bottom() - inside.height() * i / kLabels;
    const QRect place(0, y - fontMetrics().height() / 2, inside.left() - 6, fontMetrics().height());
    painter.drawText(place, Qt::AlignRight | Qt::AlignVCenter, formatBytes(fraction * bytes));
  }
  // The phases, under the instructions that they have
  const auto& instructions = m_memory->instructions;
  const auto count = static_cast<double>(instructions.size());
  const QString names[] = {tr("forward"), tr("backward"), tr("update")};
  const auto xOf = [&](size_t instruction) {
    return inside.left() + (static_cast<double>(instruction) / count - m_view.left()) /
                               m_view.width() * inside.width();
  };
  for (size_t begin = 0, end = 0; begin < instructions.size(); begin = end) {
    while (end < instructions.size() && instructions[end].phase == instructions[begin].phase)
      ++end;
    const double left = std::max<double>(inside.left(), xOf(begin)),
                 right = std::min<double>(inside.right(), xOf(end));
    const QString& name = names[static_cast<size_t>(instructions[begin].phase)];
    if (right - left < fontMetrics().horizontalAdvance(name) + 4) continue;
    painter.setPen(colors.muted);
    painter.drawText(QRectF(left, inside.bottom() + 3, right - left, fontMetrics().height()),
                     Qt::AlignCenter, name);
    painter.setPen(colors.border);
    if (begin > 0 && left > inside.left())
      painter.drawLine(QPointF(left, inside.top()), QPointF(left, inside.bottom() + 4));
  }
}

void AllocationView::paintEvent(QPaintEvent*) {
  if (m_image.isNull()) drawBlocks();
  QPainter painter(this);
  painter.drawImage(QPoint(), m_image);
  if (!m_memory || m_memory->blocks.empty()) return;
  drawAxes(painter);
  const Colors& colors = colorsOf(this);
  const QRect inside = area();
  painter.setClipRect(inside);
  const auto count = static_cast<double>(m_memory->instructions.size());
  const double peak = inside.left() + ((m_memory->peakInstant + 0.5) / count - m_view.left()) /
                                          m_view.width() * inside.width();
  painter.setPen(QPen(colors.text, 1, Qt::DashLine));
  painter.drawLine(QPointF(peak, inside.top()), QPointF(peak, inside.bottom()));
  if (m_block) {
    painter.setPen(QPen(colors.text, 2));
    painter.drawRect(rectOf(*m_block).adjusted(0, 0, -1, -1));
  }
  painter.setClipping(false);
  if (hasFocus()) {
    painter.setPen(QPen(colors.accent, 1));
    painter.drawRect(inside.adjusted(-1, -1, 1, 1));
  }
}

std::optional<size_t> AllocationView::blockAt(const QPoint& point) const {
  if (!m_memory || !area().contains(point)) return std::nullopt;
  std::optional<size_t> found;
  // Of blocks below a pixel, the nearest one
  constexpr double kReach = 2;
  double nearest = kReach;
  for (size_t i = 0; i < m_memory->blocks.size(); ++i) {
    const QRectF box = rectOf(i);
    const double dx = std::max({box.left() - point.x(), 0.0, point.x() - box.right()}),
                 dy = std::max({box.top() - point.y(), 0.0, point.y() - box.bottom()});
    if (dx == 0 && dy == 0) return i;
    if (std::hypot(dx, dy) >= nearest) continue;
    nearest = std::hypot(dx, dy);
    found = i;
  }
  return found;
}

QString AllocationView::textOf(size_t index) const {
  const StepMemory::Block& block = m_memory->blocks[index];
  const auto opAt = [&](int instant) {
    const auto& instruction = m_memory->instructions[static_cast<size_t>(instant)];
    return instruction.layer.empty()
               ? text(instruction.op)
               : tr("%1 of %2").arg(text(instruction.op), text(instruction.layer));
  };
  const QString where = block.layer.empty() ? tr("no layer") : text(block.layer);
  return tr("%1, %2, %3, %4, from %5 to %6")
      .arg(text(block.name), where, categoryTitle(block.category),
           formatBytes(static_cast<double>(block.bytes)), opAt(block.begin), opAt(block.end));
}

void AllocationView::zoom(double factor, const QPointF& around) {
  const QRectF inside = area();
  const double x = m_view.left() + (around.x() - inside.left()) / inside.width() * m_view.width(),
               y = m_view.top() +
                   (inside.bottom() - around.y()) / inside.height() * m_view.height();
  const double width = std::clamp(m_view.width() * factor, kSmallestView, 1.0),
               height = std::clamp(m_view.height() * factor, kSmallestView, 1.0);
  m_view = QRectF(x - (x - m_view.left()) * width / m_view.width(),
                  y - (y - m_view.top()) * height / m_view.height(), width, height);
  moveView({});
}

/// Moves the view by fractions of the step, and keeps it inside.
void AllocationView::moveView(QPointF by) {
  m_view.translate(by);
  m_view.moveLeft(std::clamp(m_view.left(), 0.0, 1 - m_view.width()));
  m_view.moveTop(std::clamp(m_view.top(), 0.0, 1 - m_view.height()));
  m_image = {};
  update();
}

void AllocationView::showWhole() {
  m_view = QRectF(0, 0, 1, 1);
  m_image = {};
  update();
}

void AllocationView::wheelEvent(QWheelEvent* event) {
  constexpr double kNotch = 120, kFactor = 0.8;
  zoom(std::pow(kFactor, event->angleDelta().y() / kNotch), event->position());
  event->accept();
}

void AllocationView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  m_press = event->position().toPoint();
  m_lastMouse = event->position();
  m_isMoving = false;
}

void AllocationView::mouseMoveEvent(QMouseEvent* event) {
  if (!m_press) return;
  const QPointF by = event->position() - m_lastMouse;
  m_isMoving = m_isMoving || (event->position().toPoint() - *m_press).manhattanLength() >=
                                 QApplication::startDragDistance();
  if (!m_isMoving) return;
  m_lastMouse = event->position();
  const QRectF inside = area();
  moveView({-by.x() / inside.width() * m_view.width(), by.y() / inside.height() * m_view.height()});
}

void AllocationView::mouseReleaseEvent(QMouseEvent* event) {
  if (!std::exchange(m_press, std::nullopt) || std::exchange(m_isMoving, false)) return;
  const std::optional<size_t> block = blockAt(event->position().toPoint());
  setBlock(block);
  if (block) Q_EMIT blockClicked(*block);
}

void AllocationView::mouseDoubleClickEvent(QMouseEvent* event) {
  const std::optional<size_t> block = blockAt(event->position().toPoint());
  if (block && !isZoomed())
    Q_EMIT blockActivated(*block);
  else
    showWhole();
}

void AllocationView::keyPressEvent(QKeyEvent* event) {
  constexpr double kStep = 0.2, kFactor = 0.5;
  const QPointF middle = QRectF(area()).center();
  switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal: zoom(kFactor, middle); break;
    case Qt::Key_Minus: zoom(1 / kFactor, middle); break;
    case Qt::Key_Home:
    case Qt::Key_0: showWhole(); break;
    case Qt::Key_Left: moveView({-kStep * m_view.width(), 0}); break;
    case Qt::Key_Right: moveView({kStep * m_view.width(), 0}); break;
    case Qt::Key_Up: moveView({0, kStep * m_view.height()}); break;
    case Qt::Key_Down: moveView({0, -kStep * m_view.height()}); break;
    default: QWidget::keyPressEvent(event);
  }
}

bool AllocationView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  if (const auto block = blockAt(help->pos()))
    QToolTip::showText(help->globalPos(), textOf(*block), this);
  else
    QToolTip::hideText();
  return true;
}

void AllocationView::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) m_image = {};
}

void AllocationView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  m_image = {};
}

}  // namespace strata::ui
