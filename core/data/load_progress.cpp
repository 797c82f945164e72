// SPDX-License-Identifier: Apache-2.0
#include "core/data/load_progress.h"

#include <algorithm>

#include "gpu/base/error.h"

namespace strata {

static thread_local LoadProgress* g_loading = nullptr;

LoadProgress::LoadProgress(Report report, std::stop_token stop)
    : m_report(std::move(report)), m_stop(std::move(stop)) {
  g_loading = this;
}

LoadProgress::~LoadProgress() { g_loading = nullptr; }

LoadProgress* LoadProgress::current() { return g_loading; }

void LoadProgress::step() {
  if (m_stop.stop_requested())
    throw Error(ErrorCode::Stopped, "", "reading the data was canceled.");
  const int64_t done = ++m_done, total = m_total;
  constexpr int64_t kReports = 100;
  if (m_report && done % std::max<int64_t>(1, total / kReports) == 0) m_report(done, total);
}

}  // namespace strata
