// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/stacked_bars.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "ui/format.h"
#include "ui/theme/colors.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

StackedBars::StackedBars(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void StackedBars::setBars(std::vector<Bar> bars) {
  const bool isSameSize = bars.size() == m_bars.size();
  m_bars = std::move(bars);
  m_longest = 0;
  QStringList words;
  for (const Bar& bar : m_bars) {
    double sum = 0;
    QStringList parts;
    for (const Part& part : bar.parts) {
      sum += part.size;
      parts << part.title + u' ' +
                   (bar.isPredicted ? tr("predicted %1").arg(part.value) : part.value);
    }
    m_longest = std::max(m_longest, sum);
    words << bar.name + u": "_s + parts.join(u", "_s);
  }
  setAccessibleDescription(words.join(u"; "_s));
  if (!isSameSize) updateGeometry();
  update();
}

int StackedBars::rowHeight() const { return fontMetrics().height() + 8; }

int StackedBars::nameWidth() const {
  int widest = 0;
  for (const Bar& bar : m_bars)
    widest = std::max(widest, fontMetrics().horizontalAdvance(bar.name));
  return std::min(widest + 12, width() / 3);
}

QSize StackedBars::sizeHint() const {
  return {320, rowHeight() * static_cast<int>(std::max<size_t>(1, m_bars.size()))};
}

QRectF StackedBars::areaOf(size_t bar, size_t part) const {
  constexpr double kGap = 3;
  if (m_longest <= 0) return {};
  const double scale = (width() - nameWidth()) / m_longest;
  double left = nameWidth();
  for (size_t i = 0; i < part; ++i)
    left += m_bars[bar].parts[i].size * scale;
  return {left, static_cast<double>(bar) * rowHeight() + kGap, m_bars[bar].parts[part].size * scale,
          rowHeight() - 2 * kGap};
}

void StackedBars::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Colors& colors = colorsOf(this);
  for (size_t bar = 0; bar < m_bars.size(); ++bar) {
    const QRect name(0, static_cast<int>(bar) * rowHeight(), nameWidth() - 8, rowHeight());
    painter.setPen(colors.muted);
    painter.drawText(name, Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(m_bars[bar].name, Qt::ElideMiddle, name.width()));
    for (size_t part = 0; part < m_bars[bar].parts.size(); ++part)
      painter.fillRect(areaOf(bar, part), m_bars[bar].parts[part].color);
  }
}

bool StackedBars::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  for (size_t bar = 0; bar < m_bars.size(); ++bar)
    for (size_t part = 0; part < m_bars[bar].parts.size(); ++part)
      if (areaOf(bar, part).contains(help->pos())) {
        const Part& under = m_bars[bar].parts[part];
        const QString value = under.value.toHtmlEscaped();
        const QString words =
            tr("%1: %2 %3")
                .arg(m_bars[bar].name.toHtmlEscaped(), under.title.toHtmlEscaped(),
                     m_bars[bar].isPredicted ? italic(value) : value);
        QToolTip::showText(help->globalPos(), u"<qt>"_s + words + u"</qt>"_s, this);
        return true;
      }
  QToolTip::hideText();
  return true;
}

}  // namespace strata::ui
