// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>
#include <algorithm>
#include <charconv>
#include <chrono>

#include "app/cli/command.h"
#include "app/cli/safe_output.h"
#include "core/cost/simulated_card.h"
#include "core/project/duration.h"
#include "core/project/text.h"
#include "core/runs/layer_sampling.h"
#include "gpu/base/bytes.h"
#include "gpu/base/printable.h"
#include "gpu/devices/device_name.h"

namespace strata::cli {

using namespace std::chrono_literals;

std::string ConsoleProgress::metricsText(double loss, const std::vector<double>& metrics,
                                         const char* prefix) const {
  std::string text = std::string(prefix) + "loss " + formatNumber(loss, 4);
  for (size_t i = 0; i < metrics.size() && i < m_start.metricNames.size(); ++i)
    text += std::string(", ") + prefix + m_start.metricNames[i] + " " + formatNumber(metrics[i], 4);
  return text;
}

void ConsoleProgress::onStart(const RunStart& start) {
  const std::lock_guard lock(m_mutex);
  m_start = start;
  std::string line =
      "Training on " + start.device +
      (start.threads > 0 ? " (" + formatCounted(start.threads, "thread") + ")" : "") + ": " +
      formatCounted(start.parameters, "parameter") + ", " +
      formatCounted(start.trainSamples, "sample");
  if (start.validationSamples > 0)
    line += " + " + formatCount(static_cast<double>(start.validationSamples)) + " for validation";
  line += ", batch " + std::to_string(start.batchSize) + ", " +
          bytesText(static_cast<double>(start.plannedPeakBytes)) + " planned";
  if (start.keptDataBytes > 0)
    line += ", samples on the card " + bytesText(static_cast<double>(start.keptDataBytes));
  m_lines.push_back({line});
  if (!start.runDirectory.empty())
    m_lines.push_back({start.firstStep > 0
                           ? "Continuing " + printable(start.runDirectory) + " after step " +
                                 formatCount(static_cast<double>(start.firstStep))
                           : "Run " + printable(start.runDirectory)});
  if (start.usesAverages)
    m_lines.push_back(
        {"Validation, callbacks, best and final weights use the moving average of the "
         "weights (use_ema)"});
  if (start.firstStep > 0 && start.firstStep >= start.totalSteps)
    m_lines.push_back({"Already trained for all " + formatCounted(start.totalSteps, "step") +
                       ": pass --epochs or --steps to train longer"});
  m_changed.notify_one();
}

void ConsoleProgress::onStep(const StepMetrics& step) {
  const std::lock_guard lock(m_mutex);
  if (step.epoch != m_epochOfSums) {
    m_epochOfSums = step.epoch;
    m_epochSamples = 0;
    m_epochLoss = 0;
    m_epochMetrics.assign(step.metrics.size(), 0);
  }
  const auto weight = static_cast<double>(step.samples);
  m_epochSamples += step.samples;
  m_epochLoss += step.loss * weight;
  for (size_t i = 0; i < step.metrics.size(); ++i)
    m_epochMetrics[i] += step.metrics[i] * weight;
  m_step = step;
  m_hasStep = true;
}

void ConsoleProgress::onEpoch(const EpochMetrics& epoch) {
  const std::lock_guard lock(m_mutex);
  std::string line = "Epoch " + std::to_string(epoch.epoch) + "/" + std::to_string(m_start.epochs) +
                     ": " + metricsText(epoch.loss, epoch.metrics, "");
  if (epoch.hasValidation)
    line += ", " + metricsText(epoch.validationLoss, epoch.validationMetrics, "val_");
  if (epoch.lossScale && epoch.lossScale->skippedSteps > 0)
    line += ", " + formatCounted(epoch.lossScale->skippedSteps, "step") + " skipped";
  line += ", " + formatNumber(epoch.seconds, 1) + " s";
  m_lines.push_back({line});
  m_changed.notify_one();
}

void ConsoleProgress::onValidation(const ValidationMetrics& validation) {
  const std::lock_guard lock(m_mutex);
  m_lines.push_back({"Step " + formatCount(static_cast<double>(validation.step)) + ": " +
                     metricsText(validation.loss, validation.metrics, "val_")});
  m_changed.notify_one();
}

/// Formats a number with six significant digits, such as 0.00125 for the float32 value
/// 0.0012499999720603228.
static std::string shortNumber(double value) {
  char buffer[40];
  return {buffer,
          std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, 6).ptr};
}

void ConsoleProgress::onSetting(const SettingChanged& setting) {
  const std::lock_guard lock(m_mutex);
  std::string line = "From step " + formatCount(static_cast<double>(setting.step)) +
                     " on: " + setting.name + " " + shortNumber(setting.value);
  if (setting.name == "stage")
    line = "From step " + formatCount(static_cast<double>(setting.step)) + " on: stage " +
           formatNumber(setting.value, 0) + (setting.cause == "stage" ? "" : ", " + setting.cause);
  else if (!setting.cause.empty())
    line += " (" + setting.cause + ")";
  m_lines.push_back({asOneLine(line)});
  m_changed.notify_one();
}

void ConsoleProgress::onLayerSampling(const LayerSampling& sampling) {
  if (!sampling.isSampled())
    onWarning("the statistics of layers are unknown, because " + sampling.problemText() + ".");
}

void ConsoleProgress::onWarning(const std::string& warning) {
  const std::lock_guard lock(m_mutex);
  m_lines.push_back({"warning: " + warning, true});
  m_changed.notify_one();
}

void ConsoleProgress::onOutcome(const RunOutcome& outcome) {
  const std::lock_guard lock(m_mutex);
  m_outcome = outcome;
  m_hasOutcome = true;
  m_changed.notify_one();
}

/// Returns the number of characters in a line of the terminal. A longer line would wrap, and a
/// wrapped line can't be redrawn.
static size_t terminalColumns() {
  winsize size{};
  for (const int descriptor : {STDERR_FILENO, STDOUT_FILENO})
    if (isatty(descriptor) && ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
      return size.ws_col;
  return 80;
}

std::string ConsoleProgress::bar(int width) const {
  const double total = static_cast<double>(std::max<int64_t>(1, m_start.totalSteps));
  const auto filled =
      static_cast<int>(width * std::min(1.0, static_cast<double>(m_step.step) / total));
  if (m_step.step >= m_start.totalSteps && m_start.testSamples > 0)
    return "Testing on " + formatCounted(m_start.testSamples, "sample");
  std::string text = "Epoch " + std::to_string(m_step.epoch) + "/" +
                     std::to_string(m_start.epochs) + " [" +
                     std::string(static_cast<size_t>(filled), '=') +
                     std::string(static_cast<size_t>(width - filled), ' ') + "] " +
                     formatCount(static_cast<double>(m_step.step)) + "/" +
                     formatCount(static_cast<double>(m_start.totalSteps));
  std::vector<double> means = m_epochMetrics;
  const double samples = static_cast<double>(std::max<int64_t>(1, m_epochSamples));
  for (double& mean : means)
    mean /= samples;
  text += "  " + metricsText(m_epochLoss / samples, means, "");
  if (m_step.samplesPerSecond > 0) {
    const double left = static_cast<double>(m_start.totalSteps - m_step.step) *
                        static_cast<double>(m_start.batchSize) / m_step.samplesPerSecond;
    // How fast this machine simulates a card says nothing about the card
    text += (DeviceName(m_start.device).isSimulated() ? "  simulation speed " : "  ") +
            formatCount(m_step.samplesPerSecond) + " samples/s  " + durationText(left) + " left";
  }
  return text;
}

void ConsoleProgress::flushLines(std::unique_lock<std::mutex>& lock) {
  std::vector<Line> lines;
  lines.swap(m_lines);
  const bool clears = m_isBarShown && !lines.empty();
  if (clears) m_isBarShown = false;
  lock.unlock();
  if (clears) clearTerminalLine(m_out);
  for (const Line& line : lines)
    if (line.isWarning)
      printMessage(line.text);
    else
      m_out << line.text << "\n";
  m_out.flush();
  lock.lock();
}

RunOutcome ConsoleProgress::run() {
  std::unique_lock lock(m_mutex);
  auto lastPlain = std::chrono::steady_clock::now();
  while (true) {
    m_changed.wait_for(lock, 100ms, [&] { return m_hasOutcome || !m_lines.empty(); });
    flushLines(lock);
    if (m_hasOutcome && m_lines.empty()) break;
    if (!m_hasStep || m_isQuiet) continue;
    const auto now = std::chrono::steady_clock::now();
    if (!m_isBar && now - lastPlain < 10s) continue;
    lastPlain = now;
    constexpr int kWidth = 24;
    std::string text = bar(kWidth);
    if (m_isBar) {
      const size_t columns = terminalColumns();
      if (text.size() >= columns)
        text = bar(std::max(0, kWidth - static_cast<int>(text.size() - columns + 1)))
                   .substr(0, columns - 1);
      m_isBarShown = true;
      clearTerminalLine(m_out);
      m_out << text << std::flush;
    }
    else {
      m_lines.push_back({text});
    }
  }
  if (m_isBarShown) {
    clearTerminalLine(m_out);
    m_out.flush();
  }
  return m_outcome;
}

}  // namespace strata::cli
