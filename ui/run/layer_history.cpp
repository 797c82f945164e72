// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/layer_history.h"

#include <algorithm>
#include <filesystem>

#include "core/layer_statistics/layer_file.h"
#include "gpu/base/error.h"

namespace strata::ui {

void LayerHistory::add(std::shared_ptr<const LayerSample> sample) {
  const bool isOther = !m_latest.empty() && m_latest.back().layers.size() != sample->layers.size();
  if (isOther || m_most == 0) {
    constexpr size_t kLeast = 16, kMost = 256;
    m_samples.clear();
    m_latest.clear();
    m_stride = 1;
    m_added = 0;
    const size_t bytes = std::max<size_t>(1, sample->layers.size()) * sizeof(LayerStatistics);
    m_most = std::clamp(kMaxBytes / bytes, kLeast, kMost);
  }
  if (m_latest.size() == kVerdictSamples) m_latest.erase(m_latest.begin());
  m_latest.push_back(*sample);
  if (m_added++ % m_stride != 0) return;
  if (m_samples.size() == m_most) {
    std::vector<std::shared_ptr<const LayerSample>> kept;
    for (size_t i = 0; i < m_samples.size(); i += 2)
      kept.push_back(std::move(m_samples[i]));
    m_samples = std::move(kept);
    m_stride *= 2;
  }
  m_samples.push_back(std::move(sample));
}

std::optional<double> LayerHistory::costShare() const {
  if (m_latest.size() < 2) return std::nullopt;
  const double seconds = m_latest.back().seconds - m_latest.front().seconds;
  double cost = 0;
  for (size_t i = 1; i < m_latest.size(); ++i)
    cost += m_latest[i].cost;
  if (seconds <= 0) return std::nullopt;
  return cost / seconds;
}

std::vector<LayerVerdict> LayerHistory::verdicts() const { return layerVerdicts(m_latest); }

LayerHistory readLayerHistory(const std::string& runDirectory, int64_t lastStep,
                              std::string& problem, const std::stop_token& stop) {
  problem.clear();
  LayerHistory history;
  const std::string path = runDirectory + "/" + kLayerFile;
  if (const auto sampling = readLayerSampling(runDirectory)) history.setSampling(*sampling);
  std::error_code error;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, error))) return history;
  try {
    const LayerFileReader reader(path);
    for (size_t i = 0; i < reader.size(); ++i) {
      if (stop.stop_requested()) throw Error(ErrorCode::Stopped, path, "reading was stopped");
      auto sample = std::make_shared<const LayerSample>(reader[i]);
      if (sample->step <= lastStep) history.add(std::move(sample));
    }
  }
  catch (const Error& failure) {
    if (failure.code() == ErrorCode::Stopped) throw;
    problem = failure.line();
  }
  return history;
}

}  // namespace strata::ui
