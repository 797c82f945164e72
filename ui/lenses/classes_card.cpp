// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/lenses/classes_card.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QSignalBlocker>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/format.h"
#include "ui/models/class_item_model.h"
#include "ui/plots/class_curves.h"
#include "ui/row_view.h"
#include "ui/run/run_view.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

static constexpr int kBodyHeight = 260;
// How many classes the chart shows before the user chooses, and at most
static constexpr int kWorst = 3, kMostCurves = 8;

ClassesCard::ClassesCard(const LensContext& context, QWidget* parent)
    : QWidget(parent), m_context(context) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(14, 8, 8, 8);
  auto* head = new QHBoxLayout;
  auto* title = new QLabel(tr("Classes"), this);
  setRole(title, "section");
  head->addWidget(title);
  m_about = new QLabel(this);
  setRole(m_about, "muted");
  head->addWidget(m_about, 1);
  m_output = new QComboBox(this);
  m_output->setAccessibleName(tr("Output"));
  m_output->hide();
  head->addWidget(m_output);
  layout->addLayout(head);
  m_empty = new QLabel(this);
  m_empty->setAlignment(Qt::AlignCenter);
  m_empty->setWordWrap(true);
  setRole(m_empty, "muted");
  layout->addWidget(m_empty);
  m_body = new QWidget(this);
  m_body->setFixedHeight(kBodyHeight);
  auto* body = new QHBoxLayout(m_body);
  body->setContentsMargins(0, 0, 0, 0);
  body->setSpacing(16);
  body->addWidget(makeTable(), 5);
  m_curves = new ClassCurves(m_body);
  body->addWidget(m_curves, 2);
  layout->addWidget(m_body);
  connect(m_output, &QComboBox::currentIndexChanged, this, [this] {
    m_step.reset();
    m_isChosen = false;
    refresh();
  });
  refresh();
}

QWidget* ClassesCard::makeTable() {
  m_model = new ClassItemModel(this);
  m_sorted = new QSortFilterProxyModel(this);
  m_sorted->setSourceModel(m_model);
  m_sorted->setSortRole(ClassItemModel::kSortRole);
  m_sorted->setDynamicSortFilter(true);
  m_table = new QTableView(m_body);
  m_table->setModel(m_sorted);
  m_table->setAccessibleName(tr("Classes"));
  m_table->setSortingEnabled(true);
  m_table->sortByColumn(ClassItemModel::kAccuracy, Qt::AscendingOrder);
  m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
  m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_table->setShowGrid(false);
  m_table->setWordWrap(false);
  m_table->setTabKeyNavigation(false);
  m_table->verticalHeader()->hide();
  m_table->setToolTip(tr("The chart shows the selected classes."));
  auto* header = m_table->horizontalHeader();
  alignTitles(m_table);
  // All columns fit, and long names are elided
  header->setSectionResizeMode(QHeaderView::Stretch);
  for (const int column : {ClassItemModel::kAccuracy, ClassItemModel::kChange})
    header->setSectionResizeMode(column, QHeaderView::ResizeToContents);
  connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
    m_isChosen = true;
    refreshCurves();
  });
  return m_table;
}

bool ClassesCard::hasClasses() const { return !m_context.view.shown().classes.isEmpty(); }

/// Fills the list of outputs, which is shown if there are several.
void ClassesCard::refreshOutputs() {
  QStringList outputs;
  if (hasClasses())
    for (const OutputClasses& output : m_context.view.shown().classes.latest().outputs)
      outputs << text(output.output);
  QStringList present;
  for (int i = 0; i < m_output->count(); ++i)
    present << m_output->itemText(i);
  if (outputs == present) return;
  const QSignalBlocker blocker(m_output);
  m_output->clear();
  m_output->addItems(outputs);
  m_output->setCurrentIndex(outputs.isEmpty() ? -1 : 0);
  m_output->setVisible(outputs.size() > 1);
}

QString ClassesCard::whyEmpty() const {
  const ShownRun& run = m_context.view.shown();
  if (m_context.view.isLive() || !run.start)
    return tr("The accuracy of each class appears after the first validation.");
  if (run.start->validationSamples == 0)
    return tr("The accuracy of each class is unknown, because this run has no validation.");
  const MetricSeries* loss = run.history.find("val_loss");
  if (!loss || (loss->isEmpty() && loss->nonFiniteSteps().empty()))
    return tr(
        "The accuracy of each class is unknown, because the run stopped before its first "
        "validation.");
  return tr(
      "This run has no accuracy of each class, because no output chooses one of at most 1000 "
      "classes.");
}

void ClassesCard::refresh() {
  const ShownRun& run = m_context.view.shown();
  const QString directory = run.start ? text(run.start->runDirectory) : QString();
  if (directory != std::exchange(m_run, directory)) {
    m_step.reset();
    m_isChosen = false;
  }
  m_body->setVisible(hasClasses());
  m_empty->setVisible(!hasClasses());
  refreshOutputs();
  if (!hasClasses()) {
    m_step.reset();
    m_model->clear();
    m_about->clear();
    m_empty->setText(whyEmpty());
    // During a run, the table that may follow has the same height
    m_empty->setMinimumHeight(m_context.view.isLive() ? kBodyHeight : 0);
    return;
  }
  const ClassHistory& classes = run.classes;
  const auto output = static_cast<size_t>(std::max(0, m_output->currentIndex()));
  if (m_step == classes.latest().step) {
    if (m_end != endOfAxis()) refreshCurves();
    return;
  }
  m_step = classes.latest().step;
  const ClassHistory::Point* const before = classes.previous();
  m_model->setClasses(classes.latest().outputs[output],
                      before ? before->accuracy[output] : std::vector<float>(),
                      before ? before->step : 0);
  m_about->setText(
      tr("Validation of step %1, epoch %2")
          .arg(formatCount(classes.latest().step), formatCount(classes.latest().epoch)));
  if (!m_isChosen) chooseWorst();
  refreshCurves();
}

double ClassesCard::endOfAxis() const {
  const ShownRun& run = m_context.view.shown();
  return run.start ? run.stepsOfAxis() : 1;
}

/// Selects the classes with the lowest accuracy.
void ClassesCard::chooseWorst() {
  const QSignalBlocker blocker(m_table->selectionModel());
  m_table->clearSelection();
  std::vector<int> rows(static_cast<size_t>(m_model->rowCount()));
  for (size_t i = 0; i < rows.size(); ++i)
    rows[i] = static_cast<int>(i);
  std::ranges::stable_sort(rows, {}, [this](int row) {
    return m_model->index(row, ClassItemModel::kAccuracy)
        .data(ClassItemModel::kSortRole)
        .toDouble();
  });
  rows.resize(std::min<size_t>(rows.size(), kWorst));
  for (const int row : rows)
    m_table->selectionModel()->select(m_sorted->mapFromSource(m_model->index(row, 0)),
                                      QItemSelectionModel::Select | QItemSelectionModel::Rows);
  m_table->viewport()->update();
}

void ClassesCard::refreshCurves() {
  const ShownRun& run = m_context.view.shown();
  if (!hasClasses()) return;
  const auto output = static_cast<size_t>(std::max(0, m_output->currentIndex()));
  std::vector<int> rows;
  for (const QModelIndex& index : m_table->selectionModel()->selectedRows())
    rows.push_back(m_sorted->mapToSource(index).row());
  std::ranges::sort(rows);
  rows.resize(std::min<size_t>(rows.size(), kMostCurves));
  std::vector<ClassCurves::Curve> curves;
  for (const int row : rows) {
    ClassCurves::Curve& curve = curves.emplace_back();
    curve.name = m_model->index(row, ClassItemModel::kName).data().toString();
    for (const ClassHistory::Point& point : run.classes.points())
      curve.points.emplace_back(static_cast<double>(point.step),
                                point.accuracy[output][static_cast<size_t>(row)]);
  }
  m_end = endOfAxis();
  m_curves->refresh(std::move(curves), m_end,
                    run.start ? static_cast<double>(run.start->stepsPerEpoch) : 1);
}

}  // namespace strata::ui
