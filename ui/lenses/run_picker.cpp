// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/lenses/run_picker.h"

#include <QMenu>
#include <algorithm>
#include <limits>
#include <set>

#include "core/runs/run_directory.h"
#include "gpu/base/error.h"
#include "ui/document/document.h"
#include "ui/format.h"
#include "ui/models/run_item_model.h"
#include "ui/plots/series_colors.h"
#include "ui/run/run_text.h"
#include "ui/run/run_view.h"
#include "ui/theme/colors.h"

namespace strata::ui {

RunPicker::RunPicker(const Document& document, const RunView& view, QWidget* parent)
    : QPushButton(parent),
      m_document(document),
      m_view(view),
      m_menu(new QMenu(this)),
      m_reader([this](const Request& request, const std::stop_token& stop) {
        auto history = std::make_shared<MetricHistory>();
        try {
          *history = readHistory(request.directory, request.totalSteps,
                                 std::numeric_limits<int64_t>::max(), stop);
        }
        catch (const Error&) {
          // A damaged run has no curve
        }
        if (stop.stop_requested()) return;
        QMetaObject::invokeMethod(
            this,
            [this, history, directory = request.directory] {
              const auto found = m_chosen.find(directory);
              if (found != m_chosen.end()) found->second.history = history;
              Q_EMIT runsChanged();
              readNext();
            },
            Qt::QueuedConnection);
      }) {
  setMenu(m_menu);
  setToolTip(tr("Draws the curves of other runs of this project into the same plots."));
  connect(m_menu, &QMenu::aboutToShow, this, &RunPicker::fillMenu);
  updateText();
  connect(&view, &RunView::comparedChanged, this, &RunPicker::followView);
  if (!view.compared().empty()) followView();
}

/// Chooses the runs that another page compares with the shown one.
void RunPicker::followView() {
  m_chosen.clear();
  m_leftOut = 0;
  for (const std::string& directory : m_view.compared()) {
    if (m_chosen.size() < kMaxRuns)
      setChosen(directory, true);
    else
      ++m_leftOut;
  }
  updateText();
  Q_EMIT runsChanged();
}

void RunPicker::updateText() {
  const int count = static_cast<int>(m_chosen.size());
  setText(count == 0       ? tr("Other runs")
          : m_leftOut == 0 ? tr("Other runs: %1").arg(count)
                           : tr("Other runs: %1 of %2").arg(count).arg(count + m_leftOut));
}

void RunPicker::fillMenu() {
  m_menu->clear();
  std::vector<RunInfo> runs = listRuns(m_document.project());
  std::ranges::reverse(runs);
  const auto& shown = m_view.shown().start;
  for (const RunInfo& run : runs) {
    if (run.steps < 1 || (shown && run.directory == shown->runDirectory)) continue;
    QAction* action = m_menu->addAction(tr("%1, %2").arg(runTitle(run), runStatusText(run)));
    action->setCheckable(true);
    action->setChecked(m_chosen.contains(run.directory));
    action->setEnabled(action->isChecked() || m_chosen.size() < kMaxRuns);
    connect(action, &QAction::toggled, this,
            [this, directory = run.directory](bool on) { setChosen(directory, on); });
  }
  if (m_menu->isEmpty()) m_menu->addAction(tr("There are no other runs"))->setEnabled(false);
}

void RunPicker::setChosen(const std::string& directory, bool isChosen) {
  if (isChosen == m_chosen.contains(directory)) return;
  if (!isChosen) m_leftOut = 0;
  if (isChosen) {
    std::set<size_t> taken;
    for (const auto& [name, entry] : m_chosen)
      taken.insert(entry.color);
    size_t color = 0;
    while (taken.contains(color))
      ++color;
    m_chosen.emplace(directory, Entry{color, nullptr, 0});
    readNext();
  }
  else {
    m_chosen.erase(directory);
    Q_EMIT runsChanged();
  }
  updateText();
}

/// Reads the next history that is missing.
void RunPicker::readNext() {
  for (auto& [directory, entry] : m_chosen) {
    if (entry.history) continue;
    int64_t totalSteps = 1;
    try {
      const RunInfo run = readRun(directory);
      totalSteps = run.totalSteps;
      entry.stepsPerEpoch = static_cast<double>(run.start.stepsPerEpoch);
    }
    catch (const Error&) {
      // The worker finds no history either
    }
    m_reader.post({directory, totalSteps});
    return;
  }
}

std::vector<MetricPlot::OtherRun> RunPicker::runs() const {
  std::vector<MetricPlot::OtherRun> runs;
  const auto& shown = m_view.shown().start;
  for (const auto& [directory, entry] : m_chosen)
    if (entry.history && !(shown && directory == shown->runDirectory))
      runs.push_back({RunText::title(directory), seriesColor(entry.color, colorsOf(this)),
                      entry.history, entry.stepsPerEpoch});
  return runs;
}

}  // namespace strata::ui
