// SPDX-License-Identifier: Apache-2.0
#include "core/runs/balance.h"

#include <algorithm>
#include <cmath>

namespace strata {

static std::string percent(double share) { return std::to_string(std::lround(100 * share)) + "%"; }

std::vector<Phrase> imbalances(const ReplicaReport& report) {
  // Smaller differences are usual
  constexpr double kMemory = 0.1, kWaiting = 0.1;
  std::vector<Phrase> result;
  if (report.replicas.size() < 2) return result;
  if (const auto slowest = slowestReplica(report))
    result.push_back({STRATA_TEXT("Balance", "%1 is %2 slower than the others, which wait for it."),
                      {report.replicas[slowest->first].name, percent(slowest->second)}});
  const auto byBytes = [](const ReplicaFigures& figures) {
    return figures.totalBytes();
  };
  const auto [least, most] = std::ranges::minmax_element(report.replicas, {}, byBytes);
  const auto leastBytes = static_cast<double>(least->totalBytes()),
             mostBytes = static_cast<double>(most->totalBytes());
  if (leastBytes > 0 && mostBytes > (1 + kMemory) * leastBytes)
    result.push_back({STRATA_TEXT("Balance", "%1 needs %2 more memory than %3."),
                      {most->name, percent(mostBytes / leastBytes - 1), least->name}});
  double waiting = 0, all = 0;
  for (const ReplicaFigures& each : report.replicas) {
    waiting += each.waitingSeconds;
    all += each.computeSeconds + each.exposedSeconds + each.waitingSeconds;
  }
  if (all > 0 && waiting > kWaiting * all)
    result.push_back(
        {STRATA_TEXT("Balance", "The devices wait for each other during %1 of a step."),
         {percent(waiting / all)}});
  return result;
}

}  // namespace strata
