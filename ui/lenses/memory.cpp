// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/lenses/memory.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QEvent>
#include <QFrame>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <algorithm>
#include <set>

#include "core/model/model.h"
#include "core/train/network.h"
#include "core/train/plan_edits.h"
#include "gpu/devices/device_name.h"
#include "ui/device_text.h"
#include "ui/dialogs/memory_panel.h"
#include "ui/document/document.h"
#include "ui/format.h"
#include "ui/lenses/what_if.h"
#include "ui/models/block_item_model.h"
#include "ui/plots/allocation_view.h"
#include "ui/plots/legend.h"
#include "ui/plots/plot_menu.h"
#include "ui/row_view.h"
#include "ui/run/run_text.h"
#include "ui/run/run_view.h"
#include "ui/steady_layout.h"
#include "ui/theme/category_colors.h"
#include "ui/theme/colors.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

// Below this width, the table and "What if" are below each other
static constexpr int kRoomForBoth = 1100;

MemoryLens::MemoryLens(const LensContext& context, QWidget* parent)
    : QWidget(parent), m_context(context) {
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  auto* scroll = new QScrollArea(this);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  keepScrollBarRoom(scroll);
  scroll->setAccessibleName(tr("Memory of the run"));
  outer->addWidget(scroll);
  auto* content = new QWidget(scroll);
  m_column = new QVBoxLayout(content);
  m_column->setContentsMargins(0, 0, 4, 0);
  m_column->setSpacing(12);
  m_column->addWidget(makeReport());
  m_others = new QCheckBox(tr("Show other processes and the whole memory"), content);
  m_column->addWidget(m_others);
  m_plotColumn = new QVBoxLayout;
  m_plotColumn->setSpacing(12);
  m_column->addLayout(m_plotColumn);
  m_column->addWidget(cardAround(makeStepCard(), content));
  m_bottom = new QBoxLayout(QBoxLayout::LeftToRight);
  m_bottom->setSpacing(12);
  m_bottom->addWidget(cardAround(makeTableCard(), content), 3);
  m_whatIf = new WhatIf(m_context.document, content);
  m_bottom->addWidget(cardAround(m_whatIf, content), 2);
  m_column->addLayout(m_bottom);
  m_column->addStretch();
  scroll->setWidget(content);

  connect(m_others, &QCheckBox::toggled, this, [this](bool on) {
    for (MemoryTimePlot* plot : m_plots)
      plot->setOthersShown(on);
  });
  RunView& view = m_context.view;
  connect(&view, &RunView::changed, this, &MemoryLens::showRun);
  connect(&view, &RunView::devicesArrived, this, [this] {
    // Histories move when a device is added, so no plot may keep the former ones
    const bool isOther = m_context.view.shown().devices.size() != m_numDevices;
    if (isVisible()) m_pace.redraw(isOther || !m_context.view.isLive(), [this] { refresh(); });
  });
  connect(&view, &RunView::ended, this, [this] {
    if (isVisible()) refresh();
  });
  connect(&view, &RunView::stateChanged, this, [this] {
    clearPlots();
    if (isVisible()) refresh();
    showReport();
  });
  connect(&view, &RunView::ended, this, &MemoryLens::showReport);
  connect(&m_context.document, &Document::estimateChanged, this, &MemoryLens::showReport);
  connect(&m_context.document, &Document::selectionChanged, this, &MemoryLens::followSelection);
  showRun();
  showReport();
}

QWidget* MemoryLens::makeReport() {
  m_report = new QFrame(this);
  setRole(m_report, "banner");
  auto* layout = new QVBoxLayout(m_report);
  layout->setContentsMargins(14, 8, 14, 10);
  m_reportText = new QLabel(m_report);
  m_reportText->setWordWrap(true);
  m_reportText->setTextFormat(Qt::RichText);
  m_reportText->setTextInteractionFlags(Qt::TextSelectableByMouse);
  layout->addWidget(m_reportText);
  m_remedies = new QVBoxLayout;
  m_remedies->setSpacing(4);
  layout->addLayout(m_remedies);
  m_report->hide();
  return m_report;
}

QWidget* MemoryLens::makeStepCard() {
  auto* card = new QWidget(this);
  auto* layout = new QVBoxLayout(card);
  layout->setContentsMargins(14, 8, 8, 8);
  layout->setSpacing(4);
  m_stepTitle = new QLabel(card);
  m_stepTitle->setWordWrap(true);
  setRole(m_stepTitle, "section");
  layout->addWidget(m_stepTitle);
  m_noStep = new QLabel(card);
  m_noStep->setAlignment(Qt::AlignCenter);
  m_noStep->setWordWrap(true);
  setRole(m_noStep, "muted");
  layout->addWidget(m_noStep);
  m_allocation = new AllocationView(card);
  m_allocation->setFixedHeight(280);
  layout->addWidget(m_allocation);
  m_legend = new QLabel(card);
  m_legend->setWordWrap(true);
  m_legend->setTextFormat(Qt::RichText);
  setRole(m_legend, "muted");
  layout->addWidget(m_legend);
  const auto layerOf = [this](size_t block) {
    return text(pathOfLayer(m_context.view.shown().start->stepMemory->blocks[block].layer));
  };
  connect(m_allocation, &AllocationView::blockClicked, this, [this, layerOf](size_t block) {
    const int row = m_blocks->rowOf(block);
    if (row >= 0) m_table->setCurrentIndex(m_sorted->mapFromSource(m_blocks->index(row, 0)));
    if (const QString layer = layerOf(block); m_context.document.layers().indexOf(layer) >= 0)
      m_context.document.setSelection({layer});
  });
  connect(m_allocation, &AllocationView::blockActivated, this, [this, layerOf](size_t block) {
    if (const QString layer = layerOf(block); m_context.document.layers().indexOf(layer) >= 0)
      m_context.showLayer(layer);
  });
  new PlotMenu(
      m_allocation,
      [this] {
        return PlotCaption{m_stepTitle->text(), {}};
      },
      [this] {
        PlotTable table{
            {u"name"_s, u"layer"_s, u"category"_s, u"bytes"_s, u"offset"_s, u"begin"_s, u"end"_s},
            {}};
        if (const auto& start = m_context.view.shown().start; start && start->stepMemory)
          for (const StepMemory::Block& each : start->stepMemory->blocks)
            table.rows.push_back({text(each.name), text(each.layer),
                                  text(std::string(categoryName(each.category))),
                                  QString::number(each.bytes), QString::number(each.offset),
                                  QString::number(each.begin), QString::number(each.end)});
        return table;
      });
  return card;
}

QWidget* MemoryLens::makeTableCard() {
  auto* card = new QWidget(this);
  auto* layout = new QVBoxLayout(card);
  layout->setContentsMargins(14, 8, 8, 8);
  auto* title = new QLabel(tr("Live at the peak"), card);
  setRole(title, "section");
  layout->addWidget(title);
  m_blocks = new BlockItemModel(this);
  m_sorted = new QSortFilterProxyModel(this);
  m_sorted->setSourceModel(m_blocks);
  m_sorted->setSortRole(BlockItemModel::kSortRole);
  m_table = new QTableView(card);
  m_table->setModel(m_sorted);
  m_table->setAccessibleName(tr("Live at the peak"));
  m_table->setSortingEnabled(true);
  m_table->sortByColumn(BlockItemModel::kBytes, Qt::DescendingOrder);
  setUpLayerTable(m_table, m_context, BlockItemModel::kLayerRole);
  alignTitles(m_table);
  m_table->setMinimumHeight(300);
  auto* header = m_table->horizontalHeader();
  header->setSectionResizeMode(QHeaderView::ResizeToContents);
  // Long names are cut, and their tooltips have them whole
  for (const int column : {BlockItemModel::kName, BlockItemModel::kLife})
    header->setSectionResizeMode(column, QHeaderView::Stretch);
  layout->addWidget(m_table, 1);
  connect(m_table->selectionModel(), &QItemSelectionModel::currentChanged, this,
          [this](const QModelIndex& now) {
            m_allocation->setBlock(m_blocks->blockOf(m_sorted->mapToSource(now).row()));
          });
  return card;
}

/// Shows another run: the memory of its step, and a plot for each of its devices.
void MemoryLens::showRun() {
  clearPlots();
  const ShownRun& run = m_context.view.shown();
  const std::shared_ptr<const StepMemory> memory = run.start ? run.start->stepMemory : nullptr;
  m_allocation->setMemory(memory);
  m_allocation->setVisible(memory != nullptr);
  m_noStep->setVisible(!memory);
  m_legend->setVisible(memory != nullptr);
  refreshLegend();
  m_blocks->setMemory(memory, memory ? memory->peakInstant : 0);
  if (memory) {
    const auto bytes = [](size_t count) {
      return formatBytes(static_cast<double>(count));
    };
    m_stepTitle->setText(
        tr("Memory of a step, %1, batch size %2: peak %3, of which %4 are alignment and holes")
            .arg(RunText::title(run.start->runDirectory), formatCount(memory->batchSize),
                 bytes(memory->peakBytes()), bytes(memory->holesAt(memory->peakInstant))));
    m_noStep->clear();
  }
  else {
    m_stepTitle->setText(tr("Memory of a step"));
    if (!run.start)
      m_noStep->setText(tr("The memory of a step appears when a run begins."));
    else if (!run.problem.empty())
      m_noStep->setText(text(run.problem));
    else
      m_noStep->setText(
          tr("The memory of a step is unknown, because this run did not record it, or its file "
             "memory.json is missing or damaged. Train again to see it."));
  }
  followSelection();
  refresh();
}

/// Names the categories of the blocks with their colours.
void MemoryLens::refreshLegend() {
  const ShownRun& run = m_context.view.shown();
  if (!run.start || !run.start->stepMemory) return;
  std::set<Category> categories;
  for (const StepMemory::Block& block : run.start->stepMemory->blocks)
    categories.insert(block.category);
  QStringList entries;
  for (const Category category : categories)
    entries << legendEntry(categoryTitle(category), categoryColor(category, colorsOf(this).isDark));
  m_legend->setText(legendOf(entries));
}

/// Returns what the memory of a device consists of, as far as it does not change.
MemoryTimePlot::Figures MemoryLens::figuresOf(const std::string& device) const {
  MemoryTimePlot::Figures figures;
  const ShownRun& run = m_context.view.shown();
  if (!run.start) return figures;
  const MemoryPlan& plan = run.start->memoryPlan;
  figures.network = plan.byCategoryAtPeak;
  figures.holes = static_cast<double>(plan.holesBytes);
  figures.samples = static_cast<double>(run.start->keptDataBytes);
  if (run.profile && run.profile->kernels) {
    figures.context = static_cast<double>(run.profile->kernels->contextBytes);
    figures.transfers = static_cast<double>(run.profile->kernels->transferBytes);
    figures.isContextEstimated = DeviceName(device).isSimulated();
  }
  figures.predicted = static_cast<double>(run.start->plannedPeakBytes) + figures.samples +
                      figures.transfers + figures.context;
  if (run.project)
    if (const auto limit = CheckedProject(*run.project).execution().limitOf(device))
      figures.limit = static_cast<double>(*limit);
  for (const DeviceHistory& each : run.devices)
    if (each.last().device == device && each.last().state.totalBytes)
      figures.total = static_cast<double>(*each.last().state.totalBytes);
  return figures;
}

/// The histories of a run may be gone, so no plot may read them.
void MemoryLens::clearPlots() {
  for (MemoryTimePlot* plot : m_plots)
    plot->refresh(nullptr, 1);
}

void MemoryLens::refresh() {
  const ShownRun& run = m_context.view.shown();
  const size_t count = std::max<size_t>(run.start ? 1 : 0, run.devices.size());
  m_numDevices = run.devices.size();
  while (m_plots.size() < count) {
    auto* plot = new MemoryTimePlot(this);
    plot->setMinimumHeight(240);
    plot->setOthersShown(m_others->isChecked());
    m_plots.push_back(plot);
    m_plotFrames.push_back(cardAround(plot, this));
    m_plotColumn->addWidget(m_plotFrames.back());
  }
  for (size_t i = 0; i < m_plots.size(); ++i) {
    m_plotFrames[i]->setVisible(i < count);
    if (i >= count) {
      m_plots[i]->refresh(nullptr, 1);
      continue;
    }
    const DeviceHistory* history = i < run.devices.size() ? &run.devices[i] : nullptr;
    const std::string device = history ? history->last().device : run.start->device;
    m_plots[i]->setFigures(deviceTitle(device), figuresOf(device));
    // The same axis as that of the curves
    const double total = run.history.clock().secondsAt(run.stepsOfAxis());
    m_plots[i]->refresh(history, std::max(total, history ? history->last().seconds : 0.0));
  }
  m_others->setVisible(count > 0);
}

void MemoryLens::followSelection() { m_allocation->setLayers(m_context.document.selection()); }

/// After a run that did not fit, explains what needs the memory, and offers what would fit.
void MemoryLens::showReport() {
  const ShownRun& run = m_context.view.shown();
  const bool isTooLarge =
      run.outcome && run.outcome->error && run.outcome->error->code() == ErrorCode::OutOfMemory;
  m_report->setVisible(isTooLarge);
  while (QLayoutItem* item = m_remedies->takeAt(0)) {
    item->widget()->hide();
    item->widget()->deleteLater();
    delete item;
  }
  if (!isTooLarge) return;
  const Estimate& estimate = m_context.document.checks().estimate();
  const bool isOfDesign =
      estimate.hasMemory && estimate.revision == m_context.document.revision() && !estimate.fits;
  const bool isOfRun =
      isOfDesign && run.project && run.project->document() == m_context.document.json();
  const QString present = RunText::doesNotFit(estimate.peakBytes, estimate.limitBytes);
  // The figures of the error are predicted, too
  QStringList lines{isOfRun ? present : italic(text(run.outcome->error->line()).toHtmlEscaped())};
  if (isOfDesign && !isOfRun) lines << tr("The design has changed since. %1").arg(present);
  if (isOfDesign && !estimate.atPeak.empty()) {
    const PlanHolder& largest = estimate.atPeak.front();
    lines << tr("At the predicted peak, %1 has the most memory: %2 of %3 (%4).")
                 .arg(largest.layer.empty() ? tr("no layer") : text(largest.layer).toHtmlEscaped(),
                      categoryTitle(largest.category).toLower(),
                      largest.op.empty() ? tr("a kernel") : text(largest.op).toHtmlEscaped(),
                      italic(formatBytes(static_cast<double>(largest.bytes))));
    QStringList live;
    constexpr size_t kMostNamed = 5;
    for (size_t i = 0; i < std::min(kMostNamed, estimate.atPeak.size()); ++i) {
      const PlanHolder& each = estimate.atPeak[i];
      live << tr("%1 %2 %3")
                  .arg(text(each.layer).toHtmlEscaped(), categoryTitle(each.category).toLower(),
                       italic(formatBytes(static_cast<double>(each.bytes))));
    }
    lines << tr("Live at the predicted peak: %1.").arg(live.join(u"; "_s));
  }
  const bool hasTimes = isOfDesign && !estimate.remedies.empty();
  if (const QString warning = busyWarning(hasTimes && estimate.isBusy); !warning.isEmpty())
    lines << warning.toHtmlEscaped();
  m_reportText->setText(lines.join(u"<br>"_s));
  if (!isOfDesign) return;
  std::vector<PlanRemedy> remedies = estimate.remedies;
  // The fastest one per sample comes first
  const auto timePerSample = [&](const PlanRemedy& remedy) {
    const auto samples =
        static_cast<double>(remedy.what == "batch_size" ? std::max<int64_t>(1, remedy.value)
                                                        : std::max<int64_t>(1, estimate.batchSize));
    return remedy.stepMicroseconds.value_or(1e300) / samples;
  };
  std::ranges::stable_sort(remedies, {}, timePerSample);
  for (const PlanRemedy& remedy : remedies) {
    const QString peak = formatBytes(static_cast<double>(remedy.peakBytes));
    QString words = tr("%1: predicted peak %2").arg(MemoryPanel::remedyText(remedy), peak);
    if (remedy.stepMicroseconds)
      words = tr("%1, %2 per sample").arg(words, formatSeconds(1e-6 * timePerSample(remedy)));
    auto* button = new QPushButton(words, m_report);
    QFont font = button->font();
    font.setItalic(true);
    button->setFont(font);
    connect(button, &QPushButton::clicked, this, [this, remedy] {
      m_context.document.submit(useRemedyEdit(m_context.document.json(), remedy));
    });
    m_remedies->addWidget(button, 0, Qt::AlignLeft);
  }
}

void MemoryLens::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  m_bottom->setDirection(width() < kRoomForBoth ? QBoxLayout::TopToBottom
                                                : QBoxLayout::LeftToRight);
}

void MemoryLens::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) refreshLegend();
}

void MemoryLens::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  clearPlots();
}

void MemoryLens::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refresh();
}

QWidget* makeMemoryLens(const LensContext& context, QWidget* parent) {
  return new MemoryLens(context, parent);
}

}  // namespace strata::ui
