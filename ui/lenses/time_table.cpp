// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/lenses/time_table.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QScrollBar>
#include <QSettings>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "core/runs/profile_file.h"
#include "core/runs/run_directory.h"
#include "gpu/devices/device_name.h"
#include "ui/document/document.h"
#include "ui/format.h"
#include "ui/models/run_item_model.h"
#include "ui/models/time_difference_model.h"
#include "ui/models/time_row_model.h"
#include "ui/plots/plot_menu.h"
#include "ui/row_view.h"
#include "ui/run/run_text.h"
#include "ui/run/run_view.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

static constexpr QLatin1String kGroupingKey("time/grouping");
// That of the table and of what is shown without one
static constexpr int kHeight = 280;

TimeTable::TimeTable(const LensContext& context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_reader([this](const std::string& directory, const std::stop_token& stop) {
        auto profile = readProfile(directory);
        if (stop.stop_requested()) return;
        QMetaObject::invokeMethod(
            this, [this, profile, directory] { takeOther(directory, profile); },
            Qt::QueuedConnection);
      }) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(14, 8, 8, 8);
  layout->addLayout(makeHead());
  m_empty = new QLabel(this);
  m_empty->setAlignment(Qt::AlignCenter);
  m_empty->setWordWrap(true);
  setRole(m_empty, "muted");
  m_empty->setMinimumHeight(kHeight);
  layout->addWidget(m_empty);
  makeTable();
  layout->addWidget(m_table, 1);
}

QLayout* TimeTable::makeHead() {
  auto* head = new QHBoxLayout;
  auto* title = new QLabel(tr("Time of a step"), this);
  setRole(title, "section");
  head->addWidget(title);
  m_grouping = new QComboBox(this);
  m_grouping->addItems({tr("By layer"), tr("By op"), tr("By kernel")});
  m_grouping->setAccessibleName(tr("Rows of the table"));
  m_grouping->setCurrentIndex(std::clamp(QSettings().value(kGroupingKey, 0).toInt(), 0, 2));
  head->addWidget(m_grouping);
  m_note = new QLabel(this);
  setRole(m_note, "muted");
  head->addWidget(m_note, 1);
  m_compare = new QPushButton(tr("Compare with"), this);
  m_compare->setToolTip(tr("Shows how the times differ from those of another run."));
  m_menu = new QMenu(this);
  m_compare->setMenu(m_menu);
  head->addWidget(m_compare);
  connect(m_menu, &QMenu::aboutToShow, this, &TimeTable::fillMenu);
  connect(m_grouping, &QComboBox::currentIndexChanged, this, [this](int index) {
    QSettings().setValue(kGroupingKey, index);
    showRows();
    Q_EMIT groupingChanged();
  });
  return head;
}

void TimeTable::makeTable() {
  m_model = new TimeRowModel(this);
  m_differences = new TimeDifferenceModel(this);
  m_sorted = new QSortFilterProxyModel(this);
  m_sorted->setSortRole(TimeRowModel::kSortRole);
  m_sorted->setSourceModel(m_model);
  m_table = new QTableView(this);
  m_table->setModel(m_sorted);
  m_table->setAccessibleName(tr("Time of a step"));
  m_table->setSortingEnabled(true);
  m_table->sortByColumn(TimeRowModel::kTotal, Qt::DescendingOrder);
  static_assert(int{TimeRowModel::kLayerRole} == int{TimeDifferenceModel::kLayerRole});
  setUpLayerTable(m_table, m_context, TimeRowModel::kLayerRole);
  m_table->setMinimumHeight(kHeight);
  alignTitles(m_table);
  new PlotMenu(
      m_table,
      [] {
        return PlotCaption{tr("Time of a step"), {}};
      },
      [this] {
        PlotTable table;
        const QAbstractItemModel& model = *m_table->model();
        const auto isShown = [this](int column) {
          return !m_table->isColumnHidden(column);
        };
        for (int column = 0; column < model.columnCount(); ++column)
          if (isShown(column)) table.columns << model.headerData(column, Qt::Horizontal).toString();
        for (int row = 0; row < model.rowCount(); ++row) {
          QStringList cells;
          for (int column = 0; column < model.columnCount(); ++column) {
            const QVariant value = model.index(row, column).data(TimeRowModel::kSortRole);
            if (!isShown(column)) continue;
            cells << (value.typeId() == QMetaType::Double ? cellOf(value.toDouble())
                                                          : value.toString());
          }
          table.rows.push_back(cells);
        }
        return table;
      });
}

TimeGrouping TimeTable::grouping() const {
  return static_cast<TimeGrouping>(m_grouping->currentIndex());
}

void TimeTable::setProfile(std::shared_ptr<const ProfileSnapshot> profile,
                           const QString& whyEmpty) {
  m_empty->setText(whyEmpty);
  m_table->setVisible(profile != nullptr);
  m_empty->setVisible(!profile);
  m_compare->setEnabled(profile != nullptr);
  if (profile == m_profile && (!profile || m_model->profile() == profile.get())) return;
  m_profile = std::move(profile);
  showRows();
}

bool TimeTable::isPredicted() const {
  const auto& start = m_context.view.shown().start;
  return start && DeviceName(start->device).isSimulated();
}

/// Shows the rows again, with the selection and the place of the scroll bars.
void TimeTable::showRows() {
  if (m_other && m_profile) {
    showComparison();
    return;
  }
  const QString selected =
      m_table->currentIndex().siblingAtColumn(TimeRowModel::kName).data().toString();
  const bool wasEmpty = m_model->rowCount() == 0;
  const bool isOther =
      wasEmpty || m_model->grouping() != grouping() || m_sorted->sourceModel() != m_model;
  m_model->setProfile(m_profile, grouping(), isPredicted());
  if (m_sorted->sourceModel() != m_model) {
    m_sorted->setSourceModel(m_model);
    m_table->sortByColumn(TimeRowModel::kTotal, Qt::DescendingOrder);
  }
  // During a run, the columns stay where they are
  if (isOther) fitColumns();
  for (int row = 0; !selected.isEmpty() && row < m_sorted->rowCount(); ++row)
    if (m_sorted->index(row, TimeRowModel::kName).data() == selected) {
      m_table->selectRow(row);
      break;
    }
  m_note->setText(m_otherRun.empty() ? QString() : m_note->text());
}

void TimeTable::showComparison() {
  // The roofline shows these rows, too
  m_model->setProfile(m_profile, grouping(), isPredicted());
  const auto& start = m_context.view.shown().start;
  const bool isOtherPredicted =
      m_other->kernels && m_other->kernels->source == StepRecords::Source::Predicted;
  m_differences->setProfiles(
      *m_other, *m_profile, grouping(), {RunText::title(m_otherRun), isOtherPredicted},
      {RunText::title(start ? start->runDirectory : std::string()), isPredicted()});
  if (m_sorted->sourceModel() != m_differences) {
    m_sorted->setSourceModel(m_differences);
    m_table->sortByColumn(TimeDifferenceModel::kChange, Qt::DescendingOrder);
  }
  fitColumns();
  const QString before = formatSeconds(1e-6 * m_other->stepMicroseconds),
                after = formatSeconds(1e-6 * m_profile->stepMicroseconds);
  m_note->setText(tr("A step: %1 in %2, %3 here").arg(before, RunText::title(m_otherRun), after));
}

/// Hides columns without values, and makes the others wide enough for their titles and contents.
void TimeTable::fitColumns() {
  auto* header = m_table->horizontalHeader();
  const bool isByKernel = grouping() == TimeGrouping::Kernel;
  const bool isCompared = m_sorted->sourceModel() == m_differences;
  for (int column = 0; column < m_sorted->columnCount(); ++column)
    m_table->setColumnHidden(column, false);
  m_table->setColumnHidden(
      isCompared ? int{TimeDifferenceModel::kLayer} : int{TimeRowModel::kLayer}, !isByKernel);
  if (!isCompared) {
    const bool hasLaunches = isByKernel && m_model->hasLaunches();
    for (const int column : {TimeRowModel::kGrid, TimeRowModel::kRegisters, TimeRowModel::kShared,
                             TimeRowModel::kOccupancy})
      m_table->setColumnHidden(column, !hasLaunches);
    for (const int column : {TimeRowModel::kFlops, TimeRowModel::kBytes})
      m_table->setColumnHidden(column, !m_model->hasRates());
  }
  header->setMinimumSectionSize(fontMetrics().averageCharWidth() * 6);
  header->setSectionResizeMode(QHeaderView::Interactive);
  // Only the sorted column has an arrow, in the padding of its title
  header->setSortIndicatorShown(false);
  m_table->resizeColumnsToContents();
  header->setSortIndicatorShown(true);
  for (int column = 1; column < m_sorted->columnCount(); ++column) {
    const QString title = m_sorted->headerData(column, Qt::Horizontal).toString();
    // Padding, and the style's space for an arrow next to each title
    constexpr int kBesideTitle = 17;
    const int least = header->fontMetrics().horizontalAdvance(title) + kBesideTitle;
    header->resizeSection(column, std::max(header->sectionSize(column), least));
  }
  fitNames();
}

/// Gives the first column the width that the others leave. Long names are cut, and their tooltips
/// have them whole.
void TimeTable::fitNames() {
  const int widest = fontMetrics().averageCharWidth() * 48, least = widest / 3;
  int room = m_table->width() - m_table->verticalScrollBar()->sizeHint().width() -
             2 * m_table->frameWidth();
  for (int column = 1; column < m_sorted->columnCount(); ++column)
    room -= m_table->columnWidth(column);
  m_table->resizeColumnToContents(0);
  m_table->setColumnWidth(0, std::clamp(std::min(m_table->columnWidth(0), room), least, widest));
}

void TimeTable::fillMenu() {
  m_menu->clear();
  const auto& shown = m_context.view.shown().start;
  std::vector<RunInfo> runs = listRuns(m_context.document.project());
  std::ranges::reverse(runs);
  for (const RunInfo& run : runs) {
    if (run.steps < 1 || (shown && run.directory == shown->runDirectory)) continue;
    QAction* action =
        m_menu->addAction(tr("%1, %2").arg(runTitle(run), runStatusText(run)), this,
                          [this, directory = run.directory] {
                            compareWith(directory == m_otherRun ? std::string() : directory);
                          });
    action->setCheckable(true);
    action->setChecked(run.directory == m_otherRun);
  }
  if (m_menu->isEmpty()) m_menu->addAction(tr("There are no other runs"))->setEnabled(false);
}

void TimeTable::compareWith(const std::string& directory) {
  m_otherRun = directory;
  m_other = nullptr;
  m_compare->setText(directory.empty() ? tr("Compare with")
                                       : tr("Compared with %1").arg(RunText::title(directory)));
  if (directory.empty())
    showRows();
  else
    m_reader.post(directory);
}

void TimeTable::takeOther(const std::string& directory,
                          std::shared_ptr<const ProfileSnapshot> profile) {
  if (directory != m_otherRun) return;
  m_other = std::move(profile);
  if (!m_other)
    m_note->setText(
        tr("The times of %1 are unknown, because it was not profiled, or its file profile.json is "
           "damaged.")
            .arg(RunText::title(directory)));
  showRows();
}

void TimeTable::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fitNames();
}

void TimeTable::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  // Before, the fonts of the theme are not known
  fitColumns();
}

}  // namespace strata::ui
