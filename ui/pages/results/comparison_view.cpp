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

#include "core/check/checked_project.h"
#include "gpu/base/error.h"
#include "ui/document/document.h"
#include "ui/format.h"
#include "ui/models/run_table_model.h"
#include "ui/pages/results/agreement_card.h"
#include "ui/pages/results/size_plot.h"
#include "ui/run/run_text.h"
#include "ui/steady_layout.h"
#include "ui/theme/colors.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

static constexpr int kWidestColumn = 260;

ComparisonView::ComparisonView(const Document& document, QWidget* parent)
    : QWidget(parent), m_document(document) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(18, 4, 18, 14);
  column->setSpacing(8);
  column->addLayout(makeHead());
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
  auto* plots = new QHBoxLayout;
  plots->setSpacing(12);
  m_agreement = new AgreementCard(this);
  m_plot = new SizePlot(this);
  for (QWidget* each : std::initializer_list<QWidget*>{m_agreement, m_plot})
    plots->addWidget(cardAround(each, this), 1);
  column->addLayout(plots, 1);
  connect(m_view, &QTableView::doubleClicked, this, [this](const QModelIndex& index) {
    const auto run = static_cast<size_t>(index.column() - 1);
    if (index.column() > 0 && run < m_rows.size()) Q_EMIT opened(m_rows[run].info.listedAt);
  });
  makeWorkers();
  setRuns({});
}

QLayout* ComparisonView::makeHead() {
  auto* row = new QHBoxLayout;
  m_sentence = new QLabel(this);
  m_sentence->setWordWrap(true);
  m_sentence->setTextFormat(Qt::PlainText);
  setRole(m_sentence, "muted");
  row->addWidget(m_sentence, 1);
  m_evaluate = new QPushButton(this);
  fixWidth(m_evaluate, {tr("Evaluate on the same samples"), tr("Cancel")});
  m_evaluate->setToolTip(
      tr("Evaluates the weights of all these runs on the test samples of the open project, or on "
         "its validation samples if it has no test samples."));
  connect(m_evaluate, &QPushButton::clicked, this, &ComparisonView::evaluateOrCancel);
  row->addWidget(m_evaluate, 0, Qt::AlignTop);
  m_curves = new QPushButton(tr("Show curves"), this);
  m_curves->setToolTip(tr("Shows the curves of these runs in the same plots."));
  connect(m_curves, &QPushButton::clicked, this, &ComparisonView::curvesRequested);
  row->addWidget(m_curves, 0, Qt::AlignTop);
  return row;
}

/// Whether these are the runs that the view shows. The user may have chosen others meanwhile.
bool ComparisonView::isShown(const std::vector<std::string>& runs) const {
  return std::ranges::equal(runs, m_rows, {}, {},
                            [](const RunRow& each) { return each.info.listedAt; });
}

void ComparisonView::makeWorkers() {
  m_worker = std::make_unique<LatestWorker<Rows>>([this](const Rows& rows, const std::stop_token&) {
    try {
      auto comparison = std::make_shared<RunComparison>(compareRuns(*rows));
      QMetaObject::invokeMethod(
          this,
          [this, comparison] {
            if (!isShown(comparison->runs)) return;
            m_compared = std::move(*comparison);
            refresh();
          },
          Qt::QueuedConnection);
    }
    catch (const Error& error) {
      QMetaObject::invokeMethod(
          this, [this, line = text(error.line())] { m_sentence->setText(line); },
          Qt::QueuedConnection);
    }
  });
  m_evaluator = std::make_unique<LatestWorker<std::shared_ptr<const Evaluation>>>(
      [this](const std::shared_ptr<const Evaluation>& request, const std::stop_token& stop) {
        evaluate(*request, stop);
      });
}

void ComparisonView::evaluateOrCancel() {
  m_same = nullptr;
  if (m_isEvaluating)
    m_evaluator->cancel();
  else
    m_evaluator->post(std::make_shared<const Evaluation>(Evaluation{m_rows, m_document.project()}));
  setEvaluating(!m_isEvaluating);
  refresh();
}

void ComparisonView::setEvaluating(bool isEvaluating) {
  m_isEvaluating = isEvaluating;
  m_evaluate->setText(isEvaluating ? tr("Cancel") : tr("Evaluate on the same samples"));
}

/// Evaluates on the worker.
void ComparisonView::evaluate(const Evaluation& request, const std::stop_token& stop) {
  try {
    const bool hasTest = CheckedProject(request.data).data().testCount > 0;
    const auto same = std::make_shared<const SameSamples>(evaluateOnSameSamples(
        request.rows, request.data, hasTest ? "test" : "validation", "auto", 1, stop));
    QMetaObject::invokeMethod(
        this,
        [this, same, stop] {
          if (!stop.stop_requested()) showSameSamples(same);
        },
        Qt::QueuedConnection);
  }
  catch (const Error& error) {
    QMetaObject::invokeMethod(
        this,
        [this, stop, line = text(error.line())] {
          if (stop.stop_requested()) return;
          setEvaluating(false);
          m_sentence->setText(line);
        },
        Qt::QueuedConnection);
  }
}

void ComparisonView::showSameSamples(const std::shared_ptr<const SameSamples>& same) {
  setEvaluating(false);
  m_same = same;
  refresh();
}

void ComparisonView::setRuns(std::vector<RunRow> rows) {
  m_rows = std::move(rows);
  m_compared = {};
  m_same = nullptr;
  m_evaluator->cancel();
  setEvaluating(false);
  m_table->clear();
  const bool isEnough = m_rows.size() >= 2;
  m_curves->setEnabled(isEnough);
  m_evaluate->setEnabled(isEnough);
  m_view->parentWidget()->setVisible(isEnough);
  m_plot->parentWidget()->setVisible(false);
  m_agreement->parentWidget()->setVisible(false);
  m_agreement->clear();
  m_sentence->setText(isEnough ? tr("Comparing…")
                               : tr("Select two or more runs in the table of all runs, then choose "
                                    "Compare."));
  if (isEnough) m_worker->post(std::make_shared<const std::vector<RunRow>>(m_rows));
}

QString ComparisonView::sentence() const {
  if (m_isEvaluating) return tr("Evaluating…");
  if (m_same) return sentencesAboutSamples().join(u' ');
  QStringList sentences;
  const bool hasOtherData = std::ranges::any_of(m_compared.settings, [](const auto& each) {
    return each.pointer.starts_with("/data/") || each.pointer == "/training/seed";
  });
  if (hasOtherData)
    sentences << tr(
        "The runs may have been tested on different samples, because their data or "
        "seeds differ.");
  if (!m_compared.unread.empty())
    sentences << tr("The settings and layers of %1 are unknown, because project.json is damaged.")
                     .arg(RunText::title(m_compared.unread.front()));
  else if (m_compared.hasEqualProjects() == true)
    sentences << tr("All settings and layers are equal.");
  if (sentences.isEmpty())
    sentences << tr("Settings and layers that differ are listed below the results.");
  return sentences.join(u' ');
}

/// Returns what the user must know of an evaluation on the same samples.
QStringList ComparisonView::sentencesAboutSamples() const {
  QStringList sentences;
  for (const RunOnSamples& run : m_same->runs) {
    const QString title = RunText::title(run.run);
    if (run.problem)
      sentences << tr("%1 cannot be evaluated on these samples. %2")
                       .arg(title, text(run.problem->line()));
    if (run.mayHaveSeen)
      sentences << tr("%1 had another source, split or seed, or began with trained weights, so it "
                      "may have been trained on some of these samples.")
                       .arg(title);
  }
  const Figure<Agreement> agreement = m_same->agreement();
  if (m_rows.size() == 2 && !agreement && sentences.isEmpty())
    sentences << tr("How the runs agree is unknown, because %1.")
                     .arg(translated(agreement.reason().text, agreement.reason().arguments));
  if (sentences.isEmpty()) sentences << tr("All runs were evaluated on the same samples.");
  return sentences;
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

/// Adds the figures of the evaluation on the same samples.
void ComparisonView::addSameSamples() {
  int64_t samples = 0;
  for (const RunOnSamples& run : m_same->runs)
    samples = std::max(samples, run.result.samples);
  addSection(m_same->split == "test"
                 ? tr("On the same %Ln test sample(s)", nullptr, pluralOf(samples))
                 : tr("On the same %Ln validation sample(s)", nullptr, pluralOf(samples)));
  for (const std::string& metric : m_same->metrics()) {
    QList<QStandardItem*> row{new QStandardItem(metricTitle(metric))};
    for (size_t i = 0; i < m_rows.size(); ++i) {
      const std::optional<double> value = m_same->value(i, metric);
      const bool isShare = metric.ends_with("accuracy");
      QString words = u"—"_s;
      if (value) words = isShare ? formatPercent(*value, 2) : formatValue(*value);
      row << new QStandardItem(words);
    }
    m_table->appendRow(row);
  }
}

void ComparisonView::addResults() {
  addSection(tr("Results"));
  QFont bold = font();
  bold.setWeight(QFont::DemiBold);
  for (const ResultRow& result : m_compared.results) {
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

void ComparisonView::addLayers() {
  if (m_compared.layers.empty()) return;
  addSection(tr("Layers that differ from the first run"));
  const Colors& colors = colorsOf(this);
  for (const LayerDifference& layer : m_compared.layers) {
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

void ComparisonView::refresh() {
  m_table->clear();
  QStringList titles{QString()};
  for (const RunRow& row : m_rows)
    titles << runTitleWithNotes(row);
  m_table->setHorizontalHeaderLabels(titles);
  if (m_same) addSameSamples();
  addResults();
  if (!m_compared.settings.empty()) {
    addSection(tr("Settings that differ"));
    addSettings(m_compared.settings, {});
  }
  addLayers();
  m_sentence->setText(sentence());
  fitColumns();
  const bool agrees = m_same && m_same->agreement();
  m_agreement->parentWidget()->setVisible(agrees);
  if (agrees)
    m_agreement->setRuns(m_same, RunText::title(m_rows[0].info.listedAt).toLower(),
                         RunText::title(m_rows[1].info.listedAt).toLower());
  else
    m_agreement->clear();
  showSizes();
}

void ComparisonView::showSizes() {
  // The first result with a direction that most runs have
  const ResultRow* measured = nullptr;
  const auto count = [](const ResultRow& row) {
    return std::ranges::count_if(row.cells,
                                 [](const RunCell& cell) { return cell.number.has_value(); });
  };
  for (const ResultRow& result : m_compared.results)
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
