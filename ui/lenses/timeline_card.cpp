// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/lenses/timeline_card.h"

#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QMessageBox>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/runs/device_lanes.h"
#include "core/runs/output_file.h"
#include "core/runs/trace_file.h"
#include "core/trace/binary_trace.h"
#include "core/trace/chrome_reader.h"
#include "core/trace/trace_export.h"
#include "core/trace/trace_query.h"
#include "gpu/base/error.h"
#include "ui/document/document.h"
#include "ui/format.h"
#include "ui/plots/plot_menu.h"
#include "ui/plots/timeline_view.h"
#include "ui/run/run_controller.h"
#include "ui/run/run_text.h"
#include "ui/run/run_view.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

static constexpr int kCounts[] = {1, 3, 10, 30, 100, 300, 1000};
static constexpr int kUsualCount = 2;
static constexpr int kLeastHeight = 140;

TimelineCard::TimelineCard(const LensContext& context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_reader(
          [this](const Request& request, const std::stop_token& stop) { readFile(request, stop); }),
      m_writer([this](const Export& target, const std::stop_token&) {
        QString problem;
        try {
          requireOutsideRuns(target.path);
          writeTraceFile(target.path, *target.trace);
        }
        catch (const Error& error) {
          problem = text(error.line());
        }
        QMetaObject::invokeMethod(
            this, [this, problem] { Q_EMIT written(problem); }, Qt::QueuedConnection);
      }) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(14, 8, 8, 8);
  layout->addLayout(makeHead());
  m_source = new QLabel(this);
  m_source->setWordWrap(true);
  m_source->setTextInteractionFlags(Qt::TextSelectableByMouse);
  setRole(m_source, "muted");
  layout->addWidget(m_source);
  m_clocks = new QLabel(this);
  m_clocks->setWordWrap(true);
  m_clocks->setTextFormat(Qt::RichText);
  setRole(m_clocks, "muted");
  layout->addWidget(m_clocks);
  m_empty = new QLabel(this);
  m_empty->setAlignment(Qt::AlignCenter);
  m_empty->setWordWrap(true);
  setRole(m_empty, "muted");
  m_empty->setMinimumHeight(kLeastHeight);
  layout->addWidget(m_empty);
  m_view = new TimelineView(this);
  m_view->setFixedHeight(320);
  m_view->setAccessibleName(tr("Timeline"));
  layout->addWidget(m_view);
  m_range = new QLabel(this);
  m_range->setWordWrap(true);
  m_range->setTextFormat(Qt::RichText);
  setRole(m_range, "muted");
  m_range->setText(tr("Drag with Shift to add up the times of a range."));
  layout->addWidget(m_range);
  connect(m_view, &TimelineView::rangeSelected, this, &TimelineCard::describeRange);
  connect(m_view, &TimelineView::eventSelected, this, [this](const QString& layer) {
    if (m_context.document.layers().indexOf(layer) >= 0) m_context.document.setSelection({layer});
  });
  connect(this, &TimelineCard::written, this, [this](const QString& problem) {
    if (problem.isEmpty()) return;
    auto* box = new QMessageBox(QMessageBox::Warning, tr("Export trace"), problem, QMessageBox::Ok,
                                window());
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
  });
  updateControls();
}

QLayout* TimelineCard::makeHead() {
  auto* head = new QHBoxLayout;
  auto* title = new QLabel(tr("Timeline"), this);
  setRole(title, "section");
  head->addWidget(title);
  m_progress = new QProgressBar(this);
  m_progress->setRange(0, 1000);
  m_progress->setTextVisible(false);
  m_progress->setMaximumWidth(120);
  m_progress->setAccessibleName(tr("Reading the trace"));
  head->addWidget(m_progress);
  m_cancel = new QPushButton(tr("Stop reading"), this);
  head->addWidget(m_cancel);
  head->addStretch();
  m_back = new QPushButton(tr("Show the run"), this);
  head->addWidget(m_back);
  m_count = new QComboBox(this);
  for (const int count : kCounts)
    m_count->addItem(tr("%n steps", nullptr, count), count);
  m_count->setCurrentIndex(kUsualCount);
  m_count->setAccessibleName(tr("Number of steps to record"));
  head->addWidget(m_count);
  m_record = new QPushButton(tr("Record"), this);
  m_record->setToolTip(tr(
      "Records the next steps: this machine's threads, loading, and every kernel. Recorded steps "
      "run one at a time and take longer."));
  head->addWidget(m_record);
  m_open = new QPushButton(tr("Open trace…"), this);
  m_open->setToolTip(
      tr("Opens a trace of Strata, the PyTorch profiler, chrome://tracing or Perfetto."));
  head->addWidget(m_open);
  m_export = new QPushButton(tr("Export trace…"), this);
  m_export->setToolTip(tr("Saves the trace for ui.perfetto.dev, or as a table."));
  head->addWidget(m_export);
  connect(m_cancel, &QPushButton::clicked, this, &TimelineCard::cancel);
  connect(m_back, &QPushButton::clicked, this, [this] {
    m_file.clear();
    m_reader.cancel();
    m_isReading = false;
    m_shown = nullptr;
    m_readRun.clear();
    showRun();
  });
  connect(m_record, &QPushButton::clicked, this, [this] {
    m_context.run.recordSteps(m_count->currentData().toInt());
    m_file.clear();
    m_source->setText(tr("Recording the next steps …"));
  });
  connect(m_open, &QPushButton::clicked, this, &TimelineCard::chooseFile);
  connect(m_export, &QPushButton::clicked, this, &TimelineCard::chooseTarget);
  return head;
}

void TimelineCard::show(const TracePointer& trace, bool isSameFile) {
  m_view->setTrace(trace, isSameFile);
  // As many lines as there are, but the height stays while a file is read
  constexpr int kAxis = 34, kMost = 420;
  if (trace && !m_isReading) {
    const std::vector<TimelineRow> rows = timelineRows(*trace);
    const int height = rows.empty() ? 0 : rows.back().bottom();
    m_view->setFixedHeight(std::clamp(height + kAxis, kLeastHeight, kMost));
  }
  m_source->setText(titleOf(trace));
  m_clocks->setText(clocksOf(trace));
  updateControls();
}

/// Says which times of a trace are predicted, and how steps are aligned; "" if none are.
QString TimelineCard::clocksOf(const TracePointer& trace) const {
  if (!trace || !std::ranges::any_of(trace->processes, isPredicted)) return {};
  const bool hasHost = std::ranges::any_of(
      trace->lanes, [](const auto& lane) { return lane->kind == LaneKind::Host; });
  return hasHost ? tr("Times of the host are measured, those of the devices are <i>predicted</i>. "
                      "Each step of a device begins where the host started it. It ends before the "
                      "host goes on, because the simulation takes longer.")
                 : tr("All times are <i>predicted</i>.");
}

/// Returns what the trace is of, and what could not be read of it.
QString TimelineCard::titleOf(const TracePointer& trace) const {
  if (!trace) return {};
  const auto& start = m_context.view.shown().start;
  const auto count = formatCount(static_cast<int64_t>(trace->numEvents()));
  QStringList words;
  if (!m_file.isEmpty())
    words << tr("%1: %2 events").arg(QFileInfo(m_file).fileName(), count);
  else if (trace->linksByTarget.empty() && trace->links.empty())
    words << tr("%1, its last profiled steps: %2 events")
                 .arg(RunText::title(start ? start->runDirectory : std::string()), count);
  else
    words << tr("%1, recorded steps: %2 events")
                 .arg(RunText::title(start ? start->runDirectory : std::string()), count);
  for (const TraceNote& note : trace->notes)
    words << text(noteText(note));
  return words.join(u" "_s);
}

void TimelineCard::showRun() {
  if (!m_file.isEmpty()) return;
  const ShownRun& run = m_context.view.shown();
  const std::string directory = run.start ? run.start->runDirectory : std::string();
  const std::shared_ptr<const KernelProfile> kernels = run.profile ? run.profile->kernels : nullptr;
  const void* recorded = run.traced ? run.traced->trace.get() : nullptr;
  if (recorded) {
    if (m_shown != recorded) show(run.traced->trace, false);
    m_shown = recorded;
    return;
  }
  // A run that has ended may have recorded steps in its file
  if (m_context.view.isLive() || directory != m_readRun) {
    m_readRun.clear();
    m_readTrace.reset();
  }
  if (!m_context.view.isLive() && !directory.empty() && directory != m_readRun) {
    m_readRun = directory;
    m_reader.post({runTracePath(directory), true});
  }
  if (m_readTrace) {
    if (m_shown != m_readTrace.get()) show(m_readTrace, false);
    m_shown = m_readTrace.get();
    return;
  }
  // While steps are profiled, the picture stays until somebody wants a newer one
  const bool hasSteps = kernels && !kernels->traced.empty();
  const bool isOld = m_shown && m_view->trace() && m_context.view.isLive();
  if (isOld || (hasSteps && m_shown == kernels.get())) return;
  m_shown = hasSteps ? kernels.get() : nullptr;
  show(hasSteps ? traceOf(*kernels) : nullptr, false);
}

void TimelineCard::updateControls() {
  const TracePointer& trace = m_view->trace();
  const bool hasEvents = trace && trace->numEvents() > 0;
  m_view->setVisible(hasEvents);
  m_range->setVisible(hasEvents);
  m_source->setVisible(hasEvents || !m_file.isEmpty());
  m_clocks->setVisible(hasEvents && !m_clocks->text().isEmpty());
  m_empty->setVisible(!hasEvents && !m_isReading);
  m_export->setEnabled(hasEvents && !m_isReading);
  m_back->setVisible(!m_file.isEmpty());
  m_progress->setVisible(m_isReading);
  m_cancel->setVisible(m_isReading);
  const bool isLive = m_context.view.isLive();
  for (QWidget* control : std::initializer_list<QWidget*>{m_record, m_count})
    control->setEnabled(isLive && !m_context.view.replay());
  if (hasEvents) return;
  m_empty->setText(isLive ? tr("The timeline appears after the first profiled steps. Record shows "
                               "consecutive ones.")
                          : tr("A timeline is unknown, because this run recorded no steps. Train, "
                               "and press Record meanwhile."));
}

void TimelineCard::openFile(const QString& path) {
  m_file = path;
  m_isReading = true;
  m_progress->setValue(0);
  show(nullptr, false);
  m_source->setText(tr("Reading %1 …").arg(QFileInfo(path).fileName()));
  m_reader.post({path.toStdString(), false});
}

void TimelineCard::cancel() {
  m_reader.cancel();
  m_isReading = false;
  m_source->setText(tr("%1 Reading was stopped.").arg(titleOf(m_view->trace())));
  updateControls();
}

/// Reads a file on the worker. Snapshots go to the GUI thread as they come.
void TimelineCard::readFile(const Request& request, const std::stop_token& stop) {
  const auto deliver = [this, request](const TracePointer& trace, double part, bool isLast) {
    QMetaObject::invokeMethod(
        this, [this, request, trace, part, isLast] { take(request, trace, part, isLast); },
        Qt::QueuedConnection);
  };
  try {
    if (request.isOfRun && !QFileInfo::exists(text(request.path))) {
      deliver(nullptr, 1, true);
      return;
    }
    if (isBinaryTrace(request.path)) {
      deliver(readBinaryTrace(request.path, stop), 1, true);
      return;
    }
    TraceReadOptions options;
    options.stop = stop;
    options.onSnapshot = [&](const TracePointer& trace, double part) {
      deliver(trace, part, false);
    };
    deliver(readChromeTrace(request.path, options), 1, true);
  }
  catch (const Error& error) {
    if (error.code() == ErrorCode::Stopped) return;
    QMetaObject::invokeMethod(
        this, [this, request, problem = text(error.line())] { fail(request, problem); },
        Qt::QueuedConnection);
  }
}

void TimelineCard::take(const Request& request, const TracePointer& trace, double part,
                        bool isLast) {
  const bool isWanted = request.isOfRun
                            ? m_file.isEmpty() && runTracePath(m_readRun) == request.path
                            : m_isReading && m_file.toStdString() == request.path;
  if (!isWanted) return;
  if (request.isOfRun) {
    if (!trace) return;
    m_readTrace = trace;
    m_shown = trace.get();
    show(trace, false);
    return;
  }
  m_isReading = !isLast;
  m_progress->setValue(static_cast<int>(1000 * part));
  show(trace, m_view->trace() != nullptr);
  if (isLast) Q_EMIT read({});
}

void TimelineCard::fail(const Request& request, const QString& problem) {
  if (request.isOfRun) {
    m_source->setText(problem);
    m_source->show();
    return;
  }
  if (m_file.toStdString() != request.path) return;
  m_isReading = false;
  updateControls();
  m_source->setText(problem);
  m_source->show();
  m_empty->hide();
  Q_EMIT read(problem);
}

void TimelineCard::writeTrace(const QString& target) {
  m_writer.post({target.toStdString(), m_view->trace()});
}

void TimelineCard::chooseFile() {
  auto* dialog = new QFileDialog(window(), tr("Open trace"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  dialog->setNameFilters({tr("Traces (*.json *.json.gz *.gz *.bin)"), tr("All files (*)")});
  connect(dialog, &QFileDialog::fileSelected, this, &TimelineCard::openFile);
  dialog->open();
}

void TimelineCard::chooseTarget() {
  auto* dialog = new QFileDialog(window(), tr("Export trace"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setViewMode(QFileDialog::List);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setNameFilters(
      {tr("Trace for Perfetto (*.json)"), tr("Table (*.csv)"), tr("Trace of Strata (*.bin)")});
  dialog->setDefaultSuffix(u"json"_s);
  dialog->selectFile(u"trace.json"_s);
  connect(dialog, &QFileDialog::fileSelected, this, &TimelineCard::writeTrace);
  dialog->open();
}

/// Names what took most of a range of time.
void TimelineCard::describeRange(qint64 begin, qint64 end) {
  const TracePointer& trace = m_view->trace();
  if (!trace || end <= begin) {
    m_range->setText(tr("Drag with Shift to add up the times of a range."));
    return;
  }
  std::vector<uint32_t> measured, predicted;
  for (uint32_t lane = 0; lane < trace->lanes.size(); ++lane)
    (isPredicted(trace->processes[trace->lanes[lane]->process]) ? predicted : measured)
        .push_back(lane);
  constexpr size_t kMost = 6;
  std::vector<std::pair<NameSum, bool>> sums;
  for (const bool isOfPredicted : {false, true})
    for (const NameSum& sum : sumByName(*trace, isOfPredicted ? predicted : measured, begin, end))
      sums.emplace_back(sum, isOfPredicted);
  std::ranges::stable_sort(
      sums, [](const auto& a, const auto& b) { return a.first.total > b.first.total; });
  QStringList words;
  for (size_t i = 0; i < std::min(kMost, sums.size()); ++i) {
    const auto& [sum, isOfPredicted] = sums[i];
    const QString time = formatSeconds(1e-9 * static_cast<double>(sum.total));
    words << tr("%1 %2 (%3)")
                 .arg(text(trace->texts[sum.name]).toHtmlEscaped(),
                      isOfPredicted ? italic(tr("predicted %1").arg(time)) : time,
                      formatCount(sum.count));
  }
  m_range->setText(
      tr("%1 selected: %2")
          .arg(formatSeconds(1e-9 * static_cast<double>(end - begin)), words.join(u", "_s)));
}

}  // namespace strata::ui
