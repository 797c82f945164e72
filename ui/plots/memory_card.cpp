// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/memory_card.h"

#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPainterPath>
#include <QTextDocument>
#include <QVBoxLayout>
#include <algorithm>

#include "gpu/devices/device_name.h"
#include "ui/device_text.h"
#include "ui/format.h"
#include "ui/theme/category_colors.h"
#include "ui/theme/colors.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

/// A bar with coloured segments, one for each part of a whole.
class StackedBar : public QWidget {
 public:
  explicit StackedBar(QWidget* parent) : QWidget(parent) {
    setFixedHeight(22);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  }
  void setParts(std::vector<std::pair<QColor, double>> parts) {
    m_parts = std::move(parts);
    update();
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QPainterPath frame;
    frame.addRoundedRect(QRectF(rect()), 4, 4);
    painter.fillPath(frame, colorsOf(this).pressed);
    painter.setClipPath(frame);
    double total = 0, at = 0;
    for (const auto& [color, share] : m_parts)
      total += share;
    if (total <= 0) return;
    for (const auto& [color, share] : m_parts) {
      const double end = at + share / total * width();
      painter.fillRect(QRectF(at, 0, end - at, height()), color);
      at = end;
    }
  }

 private:
  std::vector<std::pair<QColor, double>> m_parts;
};

// The order of the categories in the bar and in the legend. Persistent memory is first.
static constexpr Category kOrder[] = {
    Category::Parameter, Category::Optimizer, Category::Gradient,  Category::Activation,
    Category::Input,     Category::Workspace, Category::Temporary, Category::Communication};

MemoryCard::MemoryCard(QWidget* parent) : QWidget(parent) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(14, 10, 14, 12);
  layout->setSpacing(9);
  auto* head = new QHBoxLayout;
  m_title = new QLabel(tr("Memory"), this);
  setRole(m_title, "section");
  m_figures = new QLabel(this);
  m_figures->setTextFormat(Qt::RichText);
  setRole(m_figures, "muted");
  // The text depends on the width. See updateHead().
  m_figures->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  m_figures->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  head->addWidget(m_title);
  head->addWidget(m_figures, 1);
  layout->addLayout(head);
  m_bar = new StackedBar(this);
  layout->addWidget(m_bar);
  m_legend = new QGridLayout;
  m_legend->setHorizontalSpacing(8);
  m_legend->setVerticalSpacing(1);
  for (const int column : {1, 5})
    m_legend->setColumnStretch(column, 1);
  m_legend->setColumnMinimumWidth(3, 18);
  // Room for the usual categories, so that the card of another run has the same height.
  constexpr int kUsualRows = 4;
  for (int row = 0; row < kUsualRows; ++row)
    m_legend->setRowMinimumHeight(row, fontMetrics().height());
  layout->addLayout(m_legend);
  m_peak = new QLabel(this);
  m_peak->setTextFormat(Qt::RichText);
  m_peak->setWordWrap(true);
  setRole(m_peak, "muted");
  layout->addWidget(m_peak);
  layout->addStretch(1);
}

void MemoryCard::clear() {
  m_bytes = {};
  m_context = {};
  m_keptData = 0;
  m_predicted = m_measured = m_holes = 0;
  m_figures->clear();
  clearLegend();
  m_peak->clear();
  m_bar->setParts({});
}

void MemoryCard::setPlan(const RunStart& start, double limitBytes, const Context& context) {
  m_context = context;
  m_bytes = start.memoryPlan.byCategoryAtPeak;
  m_holes = static_cast<double>(start.memoryPlan.holesBytes);
  m_keptData = static_cast<double>(start.keptDataBytes);
  m_predicted = static_cast<double>(start.plannedPeakBytes);
  m_measured = 0;
  m_limit = limitBytes;
  m_title->setText(tr("%1 memory").arg(deviceTitle(DeviceName(start.device).single())));
  const auto& layers = start.memoryPlan.byLayerAtPeak;
  const auto largest = std::max_element(
      layers.begin(), layers.end(), [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
  if (largest != layers.end() && !largest->layer.empty())
    m_peak->setText(tr("Largest at peak: <b>%1</b>, %2")
                        .arg(text(largest->layer).toHtmlEscaped(),
                             formatBytes(static_cast<double>(largest->bytes))));
  else
    m_peak->clear();
  updateLegend();
  updateHead();
}

void MemoryCard::setMeasured(double bytes) {
  if (bytes == m_measured) return;
  m_measured = bytes;
  updateHead();
}

/// Shows as many values as fit: measured ones upright, predicted ones in italics. The limit is
/// dropped first, because the top row shows it too. The prediction is dropped next.
void MemoryCard::updateHead() {
  if (m_predicted <= 0) {
    m_figures->clear();
    return;
  }
  const QString predicted = u"<i>%1</i>"_s.arg(tr("predicted %1").arg(formatBytes(m_predicted))),
                // Without this space the last italic letter would be cut off.
      italicPadding = u"&nbsp;"_s;
  const QString measured = formatBytes(m_measured);
  QStringList choices;
  if (m_measured > 0) {
    if (m_limit > 0)
      choices << tr("%1, %2, limit %3").arg(measured, predicted, formatBytes(m_limit));
    choices << tr("%1, %2").arg(measured, predicted) + italicPadding << measured;
  }
  else {
    choices << predicted + italicPadding;
  }
  const int room = contentsRect().width() - layout()->contentsMargins().left() -
                   layout()->contentsMargins().right() - m_title->sizeHint().width() -
                   layout()->spacing();
  const auto fits = [&](const QString& richText) {
    QTextDocument document;
    document.setDefaultFont(m_figures->font());
    document.setDocumentMargin(0);
    document.setHtml(richText);
    return document.idealWidth() <= room;
  };
  const auto shown = std::find_if(choices.cbegin(), choices.cend() - 1, fits);
  m_figures->setText(*shown);
  m_figures->setToolTip(shown == choices.cbegin() ? QString() : choices.front());
}

void MemoryCard::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  updateHead();
}

void MemoryCard::clearLegend() {
  while (QLayoutItem* item = m_legend->takeAt(0)) {
    delete item->widget();
    delete item;
  }
}

/// Fills the legend in two columns. Each entry has a coloured square, a name and a number of bytes.
void MemoryCard::updateLegend() {
  const bool isDark = colorsOf(this).isDark;
  struct Entry {
    QColor color;
    QString name;
    double bytes;
  };
  std::vector<Entry> entries;
  for (Category category : kOrder)
    if (const size_t bytes = m_bytes[static_cast<size_t>(category)])
      entries.push_back(
          {categoryColor(category, isDark), categoryTitle(category), static_cast<double>(bytes)});
  if (m_holes > 0) entries.push_back({colorsOf(this).border, tr("Alignment"), m_holes});
  // The others are not parts of the predicted peak, so the bar does not have them
  const size_t numParts = entries.size();
  if (numParts > 0 && m_keptData > 0)
    entries.push_back({colorsOf(this).border, tr("Samples on the card"), m_keptData});
  if (numParts > 0 && m_context.bytes > 0)
    entries.push_back({colorsOf(this).border,
                       m_context.isEstimated ? tr("Context and libraries (estimate)")
                                             : tr("Context and libraries"),
                       m_context.bytes});
  clearLegend();
  std::vector<std::pair<QColor, double>> parts;
  const int rows = static_cast<int>(numParts + 1) / 2;
  for (int i = 0; i < static_cast<int>(entries.size()); ++i) {
    const Entry& entry = entries[static_cast<size_t>(i)];
    const bool isPart = static_cast<size_t>(i) < numParts;
    if (isPart) parts.emplace_back(entry.color, entry.bytes);
    // The names of the last entries are long, so each has a row of its own
    const int row = isPart ? i % rows : rows + i - static_cast<int>(numParts);
    const int column = isPart ? i / rows * 4 : 0;
    auto* square = new QLabel(
        (isPart ? u"<span style='color:%1'>■</span>"_s : u"<span style='color:%1'>□</span>"_s)
            .arg(entry.color.name()),
        this);
    auto* name = new QLabel(entry.name, this);
    auto* bytes = new QLabel(formatBytes(entry.bytes), this);
    bytes->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_legend->addWidget(square, row, column);
    m_legend->addWidget(name, row, column + 1, 1, isPart ? 1 : 5);
    m_legend->addWidget(bytes, row, isPart ? column + 2 : 6);
  }
  if (entries.empty() && m_predicted > 0) {
    auto* why = new QLabel(
        tr("The breakdown is unknown, because this run did not save its memory plan."), this);
    why->setWordWrap(true);
    setRole(why, "muted");
    m_legend->addWidget(why, 0, 0, 1, 7);
  }
  m_bar->setParts(std::move(parts));
}

void MemoryCard::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  // The update is deferred, because it recreates labels and Qt still iterates over all widgets.
  if (event->type() == QEvent::PaletteChange && m_legend)
    QMetaObject::invokeMethod(this, &MemoryCard::updateLegend, Qt::QueuedConnection);
}

}  // namespace strata::ui
