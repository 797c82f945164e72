// SPDX-License-Identifier: Apache-2.0
#include "core/runs/mean_profile.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>

#include "core/runs/kernel_profile.h"

namespace strata {

/// Returns whether the times of nodes are those of kernels that a card recorded.
static bool hasRecordsOfCard(const ProfileSnapshot& snapshot) {
  if (!snapshot.kernels) return false;
  const StepRecords::Source source = snapshot.kernels->source;
  return source == StepRecords::Source::Card || source == StepRecords::Source::Predicted;
}

void MeanProfile::add(const ProfileSnapshot& snapshot) {
  if (m_sum.steps > 0 && hasRecordsOfCard(snapshot) && !hasRecordsOfCard(m_sum)) m_sum = {};
  const double before = m_sum.stepMicroseconds * static_cast<double>(m_sum.steps),
               added = snapshot.stepMicroseconds * static_cast<double>(snapshot.steps),
               all = std::max(1e-9, before + added);
  for (const auto fraction :
       {&ProfileSnapshot::dataWaitFraction, &ProfileSnapshot::forwardFraction,
        &ProfileSnapshot::backwardFraction, &ProfileSnapshot::updateFraction,
        &ProfileSnapshot::communicationFraction, &ProfileSnapshot::observationFraction})
    m_sum.*fraction = (m_sum.*fraction * before + snapshot.*fraction * added) / all;
  m_sum.steps += snapshot.steps;
  m_sum.step = snapshot.step;
  m_sum.loaderThreads = snapshot.loaderThreads;
  m_sum.kernels = snapshot.kernels;
  m_sum.stepMicroseconds = all / static_cast<double>(m_sum.steps);
  if (m_sum.rows.empty()) {
    m_sum.rows = snapshot.rows;
    return;
  }
  for (size_t i = 0; i < snapshot.rows.size(); ++i) {
    const ProfileRow& row = snapshot.rows[i];
    const auto isIt = [&](const ProfileRow& other) {
      return other.node == row.node && other.op == row.op && other.layer == row.layer &&
             other.implementation == row.implementation;
    };
    auto known = m_sum.rows.begin() + static_cast<ptrdiff_t>(std::min(i, m_sum.rows.size()));
    // A row usually has the same index in all snapshots, unless a stage of the training changed the
    // graph.
    if (known == m_sum.rows.end() || !isIt(*known))
      known = std::find_if(m_sum.rows.begin(), m_sum.rows.end(), isIt);
    if (known == m_sum.rows.end()) {
      m_sum.rows.push_back(row);
    }
    else {
      known->calls += row.calls;
      known->total += row.total;
    }
  }
}

namespace {

using NodeKey = std::tuple<std::string, std::string, Phase>;

/// Returns kernels that this machine's clock has measured, with the mean times of their nodes. The
/// records are of fewer steps, which take longer because they are measured.
std::shared_ptr<const KernelProfile> withTimesOfNodes(
    const std::shared_ptr<const KernelProfile>& kernels, const ProfileSnapshot& run) {
  if (!kernels || kernels->source != StepRecords::Source::HostClock || kernels->steps == 0)
    return kernels;
  std::map<NodeKey, double> nodes, records;
  for (const ProfileRow& row : run.rows)
    nodes[{row.op, row.layer, row.phase}] +=
        static_cast<double>(row.total.count()) / static_cast<double>(run.steps);
  const auto keyOf = [](const KernelRow& row) {
    return NodeKey(row.record.op, row.record.layer, row.record.phase);
  };
  for (const KernelRow& row : kernels->rows)
    records[keyOf(row)] +=
        static_cast<double>(row.total.count()) / static_cast<double>(kernels->steps);
  auto scaled = std::make_shared<KernelProfile>(*kernels);
  for (KernelRow& row : scaled->rows) {
    const auto node = nodes.find(keyOf(row));
    const double recorded = records[keyOf(row)];
    if (node == nodes.end() || recorded <= 0) continue;
    for (std::chrono::nanoseconds* time : {&row.total, &row.shortest, &row.longest})
      *time = std::chrono::nanoseconds(
          std::llround(static_cast<double>(time->count()) * node->second / recorded));
  }
  return scaled;
}

}  // namespace

std::shared_ptr<ProfileSnapshot> MeanProfile::mean() const {
  if (m_sum.steps == 0) return nullptr;
  auto mean = std::make_shared<ProfileSnapshot>(m_sum);
  // Whole nanoseconds, because a mean of equal times has rounding errors
  mean->stepMicroseconds = std::round(m_sum.stepMicroseconds * 1e3) / 1e3;
  mean->kernels = withTimesOfNodes(m_sum.kernels, m_sum);
  return mean;
}

}  // namespace strata
