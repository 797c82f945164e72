// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/results/values_card.h"

#include <QBoxLayout>
#include <QEvent>
#include <QHeaderView>
#include <QLabel>
#include <QStandardItemModel>
#include <QTableView>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "ui/format.h"
#include "ui/pages/results/card_head.h"
#include "ui/pages/results/run_evaluator.h"
#include "ui/pages/sample_cells.h"
#include "ui/pages/sample_image.h"
#include "ui/plots/plain_axes.h"
#include "ui/plots/plot_menu.h"
#include "ui/plots/qcp.h"
#include "ui/row_view.h"
#include "ui/theme/colors.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr size_t kMaxListed = 100;
constexpr int kPlotHeight = 300, kRoomForBoth = 620;

}  // namespace

ValuesCard::ValuesCard(QWidget* parent) : QWidget(parent) {
  const CardHead head = makeCardHead(this, tr("Predicted and true values"));
  QVBoxLayout* layout = head.column;
  m_sentence = head.sentence;

  m_plot = new QCustomPlot(this);
  m_plot->setAccessibleName(tr("Plot of predicted against true values"));
  m_plot->setMinimumHeight(kPlotHeight);
  m_plot->xAxis->setLabel(tr("True value"));
  m_plot->yAxis->setLabel(tr("Predicted value"));
  makePlainAxes(*m_plot);
  m_equal = m_plot->addGraph();
  m_points = m_plot->addGraph();
  m_points->setLineStyle(QCPGraph::lsNone);
  for (QCPGraph* graph : {m_equal, m_points})
    graph->setSelectable(QCP::stNone);

  m_rows = new QStandardItemModel(this);
  m_table = new QTableView(this);
  m_table->setModel(m_rows);
  m_table->setAccessibleName(tr("Predicted and true values, largest differences first"));
  m_table->verticalHeader()->hide();
  m_table->setShowGrid(false);
  m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_table->setTabKeyNavigation(false);
  m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 8);
  alignTitles(m_table);
  m_table->setMinimumHeight(kPlotHeight / 2);
  m_body = new QHBoxLayout;
  m_body->setSpacing(14);
  m_body->addWidget(m_plot, 1);
  m_body->addWidget(m_table, 1);
  layout->addLayout(m_body, 1);
  makeResiduals(layout);
  layout->addStretch(0);
  new PlotMenu(
      m_plot,
      [] {
        return PlotCaption{tr("Predicted against true values"), {}};
      },
      [this] {
        PlotTable table{{u"sample"_s, u"true"_s, u"predicted"_s}, {}};
        for (const ComparedValue& value : m_run ? m_run->values : std::vector<ComparedValue>())
          table.rows.push_back(
              {QString::number(value.sample), cellOf(value.truth), cellOf(value.predicted)});
        return table;
      });
  applyColors();
  setRun(nullptr);
}

void ValuesCard::setRun(std::shared_ptr<const EvaluatedRun> run, const QString& sentence) {
  m_run = run && !run->values.empty() ? std::move(run) : nullptr;
  m_sentence->setText(sentence);
  m_plot->setVisible(m_run != nullptr);
  m_table->setVisible(m_run != nullptr);
  m_rows->clear();
  m_residuals->hide();
  m_errors->hide();
  if (!m_run) return;
  const int64_t all = m_run->evaluation.samples, shown = m_run->comparedSamples;
  const int plural = pluralOf(all);
  QString words;
  if (m_run->isOnValidation())
    words = shown < all ? tr("%1 of %2 validation sample(s)", nullptr, plural)
                        : tr("%1 validation sample(s)", nullptr, plural);
  else
    words = shown < all ? tr("%1 of %2 test sample(s)", nullptr, plural)
                        : tr("%1 test sample(s)", nullptr, plural);
  m_sentence->setText(shown < all ? words.arg(formatCount(shown), formatCount(all))
                                  : words.arg(formatCount(all)));
  fillPlot();
  fillTable();
  fillResiduals();
}

/// Makes the histogram of the residuals, and the line with the errors.
void ValuesCard::makeResiduals(QVBoxLayout* layout) {
  m_errors = new QLabel(this);
  m_errors->setWordWrap(true);
  m_errors->setTextFormat(Qt::PlainText);
  setRole(m_errors, "muted");
  layout->addWidget(m_errors);
  m_residuals = new QCustomPlot(this);
  m_residuals->setAccessibleName(tr("Histogram of the residuals"));
  m_residuals->setMinimumHeight(kPlotHeight / 2);
  makePlainAxes(*m_residuals);
  m_residuals->xAxis->setLabel(tr("True value minus predicted value"));
  m_residuals->yAxis->setLabel(tr("Values"));
  m_bars = new QCPBars(m_residuals->xAxis, m_residuals->yAxis);
  m_bars->setSelectable(QCP::stNone);
  layout->addWidget(m_residuals);
  new PlotMenu(
      m_residuals,
      [] {
        return PlotCaption{tr("Residuals"), {}};
      },
      [this] {
        PlotTable table{{u"from"_s, u"to"_s, u"values"_s}, {}};
        const RegressionFigures* figures = regression();
        for (size_t i = 0; figures && i < figures->residuals.counts.size(); ++i)
          table.rows.push_back({cellOf(figures->residuals.edges[i]),
                                cellOf(figures->residuals.edges[i + 1]),
                                QString::number(figures->residuals.counts[i])});
        return table;
      });
}

/// Returns the figures of the errors, or null if they are unknown.
const RegressionFigures* ValuesCard::regression() const {
  if (!m_run || m_run->output >= m_run->figures.size()) return nullptr;
  const auto& values = m_run->figures[m_run->output].values;
  return values ? &*values : nullptr;
}

void ValuesCard::fillResiduals() {
  const RegressionFigures* figures = regression();
  m_residuals->setVisible(figures != nullptr);
  m_errors->setVisible(m_run != nullptr);
  if (!figures) {
    const auto& all = m_run->figures;
    const auto reason = m_run->output < all.size() ? all[m_run->output].reason : std::nullopt;
    m_errors->setText(reason ? tr("The errors are unknown, because %1.")
                                   .arg(translated(reason->text, reason->arguments))
                             : QString());
    return;
  }
  const RegressionScores& scores = figures->overall;
  QString words =
      tr("Mean absolute error %1, root mean squared error %2, median absolute error %3.")
          .arg(formatValue(scores.meanAbsoluteError), formatValue(scores.rootMeanSquaredError),
               formatValue(scores.medianAbsoluteError));
  if (scores.determination) words = tr("%1 R² %2.").arg(words, formatValue(*scores.determination));
  m_errors->setText(words);
  const Histogram& residuals = figures->residuals;
  QVector<double> middles, counts;
  for (size_t i = 0; i < residuals.counts.size(); ++i) {
    middles << (residuals.edges[i] + residuals.edges[i + 1]) / 2;
    counts << static_cast<double>(residuals.counts[i]);
  }
  m_bars->setData(middles, counts);
  if (!middles.isEmpty()) {
    m_bars->setWidth(0.92 * (residuals.edges[1] - residuals.edges[0]));
    m_residuals->xAxis->setRange(residuals.edges.front(), residuals.edges.back());
    m_residuals->yAxis->setRange(0, 1.08 * *std::ranges::max_element(counts));
  }
  m_residuals->setAccessibleDescription(words);
  m_residuals->replot(QCustomPlot::rpQueuedReplot);
}

void ValuesCard::fillPlot() {
  QVector<double> truths, answers;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const ComparedValue& value : m_run->values) {
    if (!std::isfinite(value.predicted)) continue;
    truths << value.truth;
    answers << value.predicted;
    low = std::min({low, value.truth, value.predicted});
    high = std::max({high, value.truth, value.predicted});
  }
  if (truths.isEmpty()) low = 0, high = 1;
  const double room = high > low ? 0.06 * (high - low) : std::max(1.0, std::abs(high) * 0.1);
  low -= room;
  high += room;
  m_points->setData(truths, answers);
  m_equal->setData({low, high}, {low, high}, true);
  m_plot->xAxis->setRange(low, high);
  m_plot->yAxis->setRange(low, high);
  m_plot->setAccessibleDescription(tr("Points on the line are exact predictions."));
  m_plot->setToolTip(m_plot->accessibleDescription());
  m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void ValuesCard::fillTable() {
  m_rows->setHorizontalHeaderLabels({tr("Input"), tr("True"), tr("Predicted"), tr("Difference")});
  std::vector<size_t> order(m_run->values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  // NaN counts as the largest difference. Comparing NaN would leave the order undefined.
  std::vector<double> distance;
  for (const ComparedValue& value : m_run->values) {
    const double difference = std::abs(value.predicted - value.truth);
    distance.push_back(std::isnan(difference) ? std::numeric_limits<double>::infinity()
                                              : difference);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return distance[a] > distance[b]; });
  order.resize(std::min(order.size(), kMaxListed));
  const Samples& samples = *m_run->samples();
  const SampleCells cells(*m_run->dataset);
  for (const size_t i : order) {
    const ComparedValue& value = m_run->values[i];
    const QString input = areImages(samples) ? tr("sample %1").arg(formatCount(value.sample))
                                             : cells.text(samples, value.sample);
    QList<QStandardItem*> row{new QStandardItem(input), new QStandardItem(formatValue(value.truth)),
                              new QStandardItem(formatValue(value.predicted)),
                              new QStandardItem(formatValue(value.predicted - value.truth))};
    if (cells.isTable()) row[0]->setToolTip(cells.lines(samples, value.sample));
    for (qsizetype column = 1; column < row.size(); ++column)
      row[column]->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_rows->appendRow(row);
  }
  for (int column = 1; column < m_rows->columnCount(); ++column) {
    m_rows->setHeaderData(column, Qt::Horizontal, QVariant(Qt::AlignRight | Qt::AlignVCenter),
                          Qt::TextAlignmentRole);
    m_table->horizontalHeader()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
  }
  m_rows->setHeaderData(0, Qt::Horizontal, QVariant(Qt::AlignLeft | Qt::AlignVCenter),
                        Qt::TextAlignmentRole);
  m_table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
}

void ValuesCard::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  m_body->setDirection(width() < kRoomForBoth ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

void ValuesCard::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::PaletteChange || !m_plot) return;
  applyColors();
  if (!m_run) return;
  m_plot->replot(QCustomPlot::rpQueuedReplot);
  m_residuals->replot(QCustomPlot::rpQueuedReplot);
}

void ValuesCard::applyColors() {
  const Colors& colors = colorsOf(this);
  colorPlainAxes(*m_plot);
  colorPlainAxes(*m_residuals);
  m_equal->setPen(QPen(colors.faint, 1, Qt::DashLine));
  m_points->setScatterStyle(
      QCPScatterStyle(QCPScatterStyle::ssDisc, QPen(colors.accent, 1), QBrush(colors.accent), 6));
  QColor fill = colors.cost;
  fill.setAlphaF(0.6);
  m_bars->setBrush(fill);
  m_bars->setPen(Qt::NoPen);
}

}  // namespace strata::ui
