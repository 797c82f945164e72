// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/lenses/kernels.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMessageBox>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "core/project/project.h"
#include "core/runs/output_file.h"
#include "core/runs/trace_file.h"
#include "gpu/base/error.h"
#include "ui/device_text.h"
#include "ui/document/document.h"
#include "ui/format.h"
#include "ui/models/kernel_item_model.h"
#include "ui/run/run_text.h"
#include "ui/run/run_view.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

KernelsLens::KernelsLens(const LensContext& context, QWidget* parent)
    : QWidget(parent), m_context(context) {
  auto* content = new QWidget(this);
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(14, 8, 8, 8);
  auto* head = new QHBoxLayout;
  auto* title = new QLabel(tr("Kernels"), content);
  setRole(title, "section");
  head->addWidget(title);
  m_summary = new QLabel(content);
  setRole(m_summary, "muted");
  head->addWidget(m_summary, 1);
  m_export = new QPushButton(tr("Export trace…"), content);
  m_export->setToolTip(tr("Saves the last profiled steps for ui.perfetto.dev."));
  connect(m_export, &QPushButton::clicked, this, &KernelsLens::chooseTraceFile);
  head->addWidget(m_export);
  layout->addLayout(head);
  m_empty = new QLabel(content);
  m_empty->setAlignment(Qt::AlignCenter);
  m_empty->setWordWrap(true);
  setRole(m_empty, "muted");
  layout->addWidget(m_empty, 1);
  makeTable();
  layout->addWidget(m_table, 1);
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  outer->addWidget(cardAround(content, this));

  for (const auto signal :
       {&RunView::changed, &RunView::ended, &RunView::stateChanged, &RunView::profileArrived})
    connect(&m_context.view, signal, this, &KernelsLens::refresh);
  refresh();
}

void KernelsLens::makeTable() {
  m_model = new KernelItemModel(this);
  m_sorted = new QSortFilterProxyModel(this);
  m_sorted->setSourceModel(m_model);
  m_sorted->setSortRole(KernelItemModel::kSortRole);
  m_table = new QTableView(this);
  m_table->setModel(m_sorted);
  m_table->setAccessibleName(tr("Kernels of the run"));
  m_table->setSortingEnabled(true);
  m_table->sortByColumn(KernelItemModel::kTime, Qt::DescendingOrder);
  setUpLayerTable(m_table, m_context, KernelItemModel::kLayerRole);
  setRole(m_table->horizontalHeader(), "sorted");
  m_table->horizontalHeader()->setHighlightSections(false);
  m_table->horizontalHeader()->setSectionResizeMode(KernelItemModel::kKernel, QHeaderView::Stretch);
}

/// Makes the columns wide enough for their titles and the usual contents.
void KernelsLens::fitColumns() {
  auto* header = m_table->horizontalHeader();
  const auto wider = [this](const QString& a, const QString& b) {
    const QFontMetrics metrics = m_table->fontMetrics();
    return metrics.horizontalAdvance(a) > metrics.horizontalAdvance(b) ? a : b;
  };
  const std::pair<KernelItemModel::Columns, QString> usual[] = {
      {KernelItemModel::kLayer,
       wider(u"max_pooling2d"_s, wider(KernelItemModel::tr("loss and metrics"),
                                       KernelItemModel::tr("inputs and results")))},
      {KernelItemModel::kCalls, u"0,000"_s},
      {KernelItemModel::kTime, u"00.00 ms"_s},
      {KernelItemModel::kShare, u"00.0%"_s},
      {KernelItemModel::kGrid, u"00000 · 0000"_s},
      {KernelItemModel::kRegisters, u"000"_s},
      {KernelItemModel::kShared, u"00.0 KiB"_s},
      {KernelItemModel::kOccupancy, u"00% of 100%"_s}};
  for (const auto& [column, words] : usual) {
    const QString title = m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    // Padding, and the style's space for an arrow next to each title
    constexpr int kBesideTitle = 36, kBesideWords = 8;
    header->resizeSection(column,
                          std::max(header->fontMetrics().horizontalAdvance(title) + kBesideTitle,
                                   m_table->fontMetrics().horizontalAdvance(words) + kBesideWords));
  }
  header->setMinimumSectionSize(fontMetrics().averageCharWidth() * 6);
}

void KernelsLens::refresh() {
  const RunView& run = m_context.view;
  const auto& profile = run.shown().profile;
  const std::shared_ptr<const KernelProfile> kernels = profile ? profile->kernels : nullptr;
  const bool hasKernels = kernels && !kernels->rows.empty();
  m_table->setVisible(hasKernels);
  m_export->setVisible(hasKernels);
  m_empty->setVisible(!hasKernels);
  // Only a visible table is filled during a run
  if (hasKernels && kernels.get() != m_model->kernels() && (isVisible() || !run.isLive())) {
    const QString selected =
        m_table->currentIndex().siblingAtColumn(KernelItemModel::kKernel).data().toString();
    m_model->setKernels(kernels);
    for (const int column : {KernelItemModel::kGrid, KernelItemModel::kRegisters,
                             KernelItemModel::kShared, KernelItemModel::kOccupancy})
      m_table->setColumnHidden(column, !m_model->hasLaunches());
    for (int row = 0; !selected.isEmpty() && row < m_sorted->rowCount(); ++row)
      if (m_sorted->index(row, KernelItemModel::kKernel).data() == selected) {
        m_table->selectRow(row);
        break;
      }
  }
  m_summary->clear();
  if (hasKernels) {
    const auto steps = pluralOf(kernels->steps);
    const QString title =
        run.shown().start ? RunText::title(run.shown().start->runDirectory) : RunText::title({});
    m_summary->setText((kernels->source == StepRecords::Source::Predicted
                            ? tr("%1, %n profiled steps on %2, times are predicted", nullptr, steps)
                            : tr("%1, %n profiled steps on %2", nullptr, steps))
                           .arg(title, deviceTitle(kernels->device)));
  }
  else if (kernels && !kernels->problem.empty()) {
    m_empty->setText(tr("Kernels are unknown, because %1.").arg(text(kernels->problem)));
  }
  else if (run.isLive()) {
    m_empty->setText(tr("Kernels appear after the first profiled steps."));
  }
  else {
    m_empty->setText(
        tr("Kernels are unknown, because this run was not profiled. Train again to see them."));
  }
}

QString KernelsLens::writeTrace(const QString& target) const {
  const auto& profile = m_context.view.shown().profile;
  if (!profile || !profile->kernels) return tr("The run has no kernels.");
  try {
    requireOutsideRuns(target.toStdString());
    writeFileAtomically(target.toStdString(), printTrace(*profile->kernels), Links::Follow);
  }
  catch (const Error& error) {
    return text(error.line());
  }
  return {};
}

void KernelsLens::chooseTraceFile() {
  auto* dialog = new QFileDialog(window(), tr("Export trace"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setViewMode(QFileDialog::List);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setNameFilter(tr("Trace (*.json)"));
  dialog->setDefaultSuffix(u"json"_s);
  dialog->selectFile(u"trace.json"_s);
  connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& target) {
    const QString problem = writeTrace(target);
    if (problem.isEmpty()) return;
    auto* box = new QMessageBox(QMessageBox::Warning, tr("Export trace"), problem, QMessageBox::Ok,
                                window());
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
  });
  dialog->open();
}

void KernelsLens::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  // Before, the fonts of the theme are not known
  if (!m_isFitted) fitColumns();
  m_isFitted = true;
  refresh();
}

QWidget* makeKernelsLens(const LensContext& context, QWidget* parent) {
  return new KernelsLens(context, parent);
}

}  // namespace strata::ui
