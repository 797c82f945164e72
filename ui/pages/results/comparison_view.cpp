// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/results/comparison_view.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QStandardItemModel>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include <nlohmann/json.hpp>

#include "gpu/base/error.h"
#include "ui/format.h"
#include "ui/models/run_table_model.h"
#include "ui/pages/results/size_plot.h"
#include "ui/run/run_text.h"
#include "ui/theme/colors.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

static constexpr int kWidestColumn = 260;

ComparisonView::ComparisonView(QWidget* parent) : QWidget(parent) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(18, 4, 18, 14);
  column->setSpacing(8);
  auto* row = new QHBoxLayout;
  m_sentence = new QLabel(this);
  m_sentence->setWordWrap(true);
  m_sentence->setTextFormat(Qt::PlainText);
  setRole(m_sentence, "muted");
  row->addWidget(m_sentence, 1);
  m_curves = new QPushButton(tr("Show curves"), this);
  m_curves->setToolTip(tr("Shows the curves of these runs in the same plots."));
  connect(m_curves, &QPushButton::clicked, this, &ComparisonView::curvesRequested);
  row->addWidget(m_curves, 0, Qt::AlignTop);
  column->addLayout(row);
  m_table = new QStandardItemModel(this);
  m_view = new QTableView(this);
  m_view->setModel(m_table);
  m_view->setAccessibleName(tr("Comparison of the runs"));
  m_view->setShowGrid(false);
  m_view->setWordWrap(false);
  m_view->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_view->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_view->setTabKeyNavigation(false);
  m_view->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  m_view->verticalHeader()->hide();
  m_view->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 10);
  m_view->horizontalHeader()->setHighlightSections(false);
  // Use the same padding as the cells.
  m_view->horizontalHeader()->setStyleSheet(u"QHeaderView::section { padding: 5px 4px; }"_s);
  m_view->horizontalHeader()->setStretchLastSection(true);
  m_view->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  column->addWidget(cardAround(m_view, this), 2);
  m_plot = new SizePlot(this);
  column->addWidget(cardAround(m_plot, this), 1);
  connect(m_view, &QTableView::doubleClicked, this, [this](const QModelIndex& index) {
    const auto run = static_cast<size_t>(index.column() - 1);
    if (index.column() > 0 && run < m_rows.size()) Q_EMIT opened(m_rows[run].info.listedAt);
  });
  m_worker = std::make_unique<LatestWorker<Rows>>([this](const Rows& rows, const std::stop_token&) {
    try {
      auto comparison = std::make_shared<const RunComparison>(compareRuns(*rows));
      QMetaObject::invokeMethod(
          this,
          [this, comparison] {
            // The user may have chosen other runs meanwhile
            if (std::ranges::equal(comparison->runs, m_rows, {}, {},
                                   [](const RunRow& each) { return each.info.listedAt; }))
              show(*comparison);
          },
          Qt::QueuedConnection);
    }
    catch (const Error& error) {
      QMetaObject::invokeMethod(
          this, [this, line = text(error.line())] { m_sentence->setText(line); },
          Qt::QueuedConnection);
    }
  });
  setRuns({});
}

void ComparisonView::setRuns(std::vector<RunRow> rows) {
  m_rows = std::move(rows);
  m_table->clear();
  const bool isEnough = m_rows.size() >= 2;
  m_curves->setEnabled(isEnough);
  m_view->parentWidget()->setVisible(isEnough);
  m_plot->parentWidget()->setVisible(false);
  m_sentence->setText(isEnough ? tr("Comparing…")
                               : tr("Select two or more runs in the table of all runs, then choose "
                                    "Compare."));
  if (isEnough) m_worker->post(std::make_shared<const std::vector<RunRow>>(m_rows));
}

QString ComparisonView::sentenceFor(const RunComparison& comparison) const {
  QStringList sentences;
  const bool hasOtherData = std::ranges::any_of(comparison.settings, [](const auto& each) {
    return each.pointer.starts_with("/data/") || each.pointer == "/training/seed";
  });
  if (hasOtherData)
    sentences << tr(
        "The runs may have been tested on different samples, because their data or "
        "seeds differ.");
  if (!comparison.unread.empty())
    sentences << tr("The settings and layers of %1 are unknown, because project.json is damaged.")
                     .arg(RunText::title(comparison.unread.front()));
  else if (comparison.hasEqualProjects())
    sentences << tr("All settings and layers are equal.");
  if (sentences.isEmpty())
    sentences << tr("Settings and layers that differ are listed below the results.");
  return sentences.join(u' ');
}

void ComparisonView::addSection(const QString& title) {
  auto* item = new QStandardItem(title);
  QFont bold = font();
  bold.setWeight(QFont::DemiBold);
  item->setFont(bold);
  QList<QStandardItem*> row{item};
  for (size_t i = 0; i < m_rows.size(); ++i)
    row << new QStandardItem;
  m_table->appendRow(row);
}

void ComparisonView::addResults(const RunComparison& comparison) {
  addSection(tr("Results"));
  QFont bold = font();
  bold.setWeight(QFont::DemiBold);
  for (const ResultRow& result : comparison.results) {
    QList<QStandardItem*> row{new QStandardItem(columnTitle(result.column))};
    for (size_t i = 0; i < m_rows.size(); ++i) {
      row << new QStandardItem(runCellText(m_rows[i], result.column));
      if (result.best != i) continue;
      row.back()->setFont(bold);
      row.back()->setToolTip(tr("The best value"));
    }
    m_table->appendRow(row);
  }
}

static QString valueText(const Json& value) {
  if (value.is_null()) return u"—"_s;
  const std::string words = value.is_string()
                                ? value.get<std::string>()
                                : value.dump(-1, ' ', false, Json::error_handler_t::replace);
  constexpr size_t kMaxBytes = 120;
  return text(excerpt(words, kMaxBytes)).simplified();
}

void ComparisonView::addSettings(const std::vector<SettingDifference>& settings,
                                 const QString& indent) {
  for (const SettingDifference& setting : settings) {
    QList<QStandardItem*> row{new QStandardItem(indent + text(setting.pointer))};
    for (const Json& value : setting.values)
      row << new QStandardItem(valueText(value));
    m_table->appendRow(row);
  }
}

void ComparisonView::addLayers(const RunComparison& comparison) {
  if (comparison.layers.empty()) return;
  addSection(tr("Layers that differ from the first run"));
  const Colors& colors = colorsOf(this);
  for (const LayerDifference& layer : comparison.layers) {
    QList<QStandardItem*> row{new QStandardItem(text(layer.name))};
    for (size_t i = 0; i < m_rows.size(); ++i) {
      const QString type = layer.types[i].empty() ? u"—"_s : text(layer.types[i]);
      auto* item = new QStandardItem(type);
      switch (layer.changes[i]) {
        case LayerChange::Same: break;
        case LayerChange::Added:
          item->setText(tr("%1 (added)").arg(type));
          item->setForeground(colors.good);
          break;
        case LayerChange::Removed:
          item->setText(tr("removed"));
          item->setForeground(colors.muted);
          break;
        case LayerChange::Changed:
          item->setText(tr("%1 (changed)").arg(type));
          item->setForeground(colors.accent);
          break;
      }
      row << item;
    }
    m_table->appendRow(row);
    addSettings(layer.fields, u"    "_s);
  }
}

void ComparisonView::show(const RunComparison& comparison) {
  m_table->clear();
  QStringList titles{QString()};
  for (const RunRow& row : m_rows)
    titles << runTitleWithNotes(row);
  m_table->setHorizontalHeaderLabels(titles);
  addResults(comparison);
  if (!comparison.settings.empty()) {
    addSection(tr("Settings that differ"));
    addSettings(comparison.settings, {});
  }
  addLayers(comparison);
  m_sentence->setText(sentenceFor(comparison));
  fitColumns();

  // The first result with a direction that most runs have
  const ResultRow* measured = nullptr;
  const auto count = [](const ResultRow& row) {
    return std::ranges::count_if(row.cells,
                                 [](const RunCell& cell) { return cell.number.has_value(); });
  };
  for (const ResultRow& result : comparison.results)
    if (!result.column.subject.empty() &&
        (!measured || count(result) > count(*measured) ||
         (result.column.id == "test_accuracy" && count(result) == count(*measured))))
      measured = &result;
  std::vector<SizePlot::Point> points;
  for (size_t i = 0; measured && i < m_rows.size(); ++i)
    if (measured->cells[i].number && m_rows[i].info.parameters > 0)
      points.push_back({runTitleWithNotes(m_rows[i]),
                        static_cast<double>(m_rows[i].info.parameters),
                        *measured->cells[i].number});
  m_plot->parentWidget()->setVisible(points.size() >= 2);
  m_plot->setPoints(std::move(points), measured ? columnTitle(measured->column) : QString());
}

void ComparisonView::fitColumns() {
  m_view->resizeColumnsToContents();
  for (int column = 0; column < m_table->columnCount(); ++column)
    m_view->setColumnWidth(column, std::min(m_view->columnWidth(column) + 12, kWidestColumn));
}

}  // namespace strata::ui
