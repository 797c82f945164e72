// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/recent_profiles.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <vector>

namespace strata::ui {

// The number of snapshots over which medians are computed.
static constexpr size_t kMaxRecent = 5;

static double medianOf(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::shared_ptr<const ProfileSnapshot> RecentProfiles::add(
    std::shared_ptr<const ProfileSnapshot> profile) {
  m_recent.push_back(std::move(profile));
  if (m_recent.size() > kMaxRecent) m_recent.pop_front();
  if (m_recent.size() == 1) return m_recent.back();
  const auto keyOf = [](const ProfileRow& row) {
    return std::tuple(row.node.index, row.op, row.layer, row.implementation);
  };
  std::map<decltype(keyOf(ProfileRow())), std::vector<double>> times;
  std::vector<double> steps;
  for (const auto& each : m_recent) {
    steps.push_back(each->stepMicroseconds);
    for (const ProfileRow& row : each->rows)
      times[keyOf(row)].push_back(static_cast<double>(row.total.count()) /
                                  static_cast<double>(each->steps));
  }
  auto medians = std::make_shared<ProfileSnapshot>(*m_recent.back());
  medians->steps = 1;
  medians->stepMicroseconds = medianOf(steps);
  for (ProfileRow& row : medians->rows)
    row.total = std::chrono::nanoseconds(std::llround(medianOf(times[keyOf(row)])));
  return medians;
}

std::shared_ptr<const ProfileSnapshot> RecentProfiles::settle() {
  if (m_recent.empty()) return nullptr;
  m_recent.erase(m_recent.begin(), m_recent.end() - 1);
  return m_recent.back();
}

}  // namespace strata::ui
