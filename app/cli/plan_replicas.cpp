// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/plan_replicas.h"

#include <algorithm>
#include <charconv>
#include <iostream>
#include <sstream>

#include "core/train/plan.h"
#include "gpu/devices/device_name.h"

namespace strata::cli {

void ReplicaArguments::addTo(Arguments& accepted) {
  accepted.text("--replicas", m_counts,
                "Also predict the step on several devices that share each batch, such as 2,4,8",
                "LIST");
  accepted.text("--gigabits", m_speed,
                "Speed of the network between them (default: the usual links)", "G");
  accepted.count("--per-host", m_perHost,
                 "Number of them on a machine, which share its processors (default: 1)");
  for (const char* option : {"--gigabits", "--per-host"})
    accepted.needs(option, "--replicas");
}

std::vector<int> ReplicaArguments::replicas() const {
  std::vector<int> result;
  std::istringstream words(m_counts);
  for (std::string word; std::getline(words, word, ',');) {
    int count = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), count);
    if (error != std::errc() || end != word.data() + word.size() || count < 2 || count > 4096)
      throw Error(ErrorCode::InvalidArgument, "--replicas " + m_counts,
                  "is not a list of numbers (expected such as 2,4,8). Correct it.");
    result.push_back(count);
  }
  return result;
}

double ReplicaArguments::gigabits() const {
  double value = 0;
  const auto [end, error] = std::from_chars(m_speed.data(), m_speed.data() + m_speed.size(), value);
  if (error != std::errc() || end != m_speed.data() + m_speed.size() || !(value > 0) || value > 1e6)
    throw Error(ErrorCode::InvalidArgument, "--gigabits " + m_speed,
                "is not a speed (expected Gb/s above 0, such as 25). Correct it.");
  return value;
}

std::vector<ReplicaPrediction> ReplicaArguments::predict(const CheckedProject& project,
                                                         const PlanOptions& plan) const {
  ReplicaPlanOptions options;
  options.device = plan.device;
  options.threads = plan.threads;
  options.batchSize = plan.batchSize;
  options.perHost = static_cast<int>(m_perHost);
  const DeviceName device(plan.device.empty() ? project.execution().device : plan.device);
  std::vector<LinkSpeed> links;
  if (!m_speed.empty()) links.push_back(networkOf(gigabits()));
  if (links.empty()) links = standardLinks();
  if (!device.isGpu() && m_speed.empty()) {
    links.clear();
    for (const double gigabits : {1.0, 10.0, 25.0, 100.0})
      links.push_back(networkOf(gigabits));
  }
  std::vector<ReplicaPrediction> result;
  for (const int count : replicas())
    for (const ReplicaPrediction& each : planReplicas(project, count, links, options))
      result.push_back(each);
  return result;
}

Json toJson(const std::vector<ReplicaPrediction>& all) {
  Json result = Json::array();
  for (const ReplicaPrediction& each : all)
    result.push_back({{"replicas", each.replicas},
                      {"link", each.link},
                      {"algorithm", each.algorithm},
                      {"predicted_step_us", 1e6 * each.stepSeconds},
                      {"compute_us", 1e6 * each.computeSeconds},
                      {"communication_us", 1e6 * each.communicationSeconds},
                      {"exposed_communication_us", 1e6 * each.exposedSeconds},
                      {"efficiency", each.efficiency()},
                      {"measured_while_busy", each.isBusy}});
  return result;
}

void print(const std::vector<ReplicaPrediction>& all) {
  if (all.empty()) return;
  std::cout << "Predicted with several devices that share each batch:\n";
  for (const ReplicaPrediction& each : all)
    std::cout << "  " << each.replicas << " over " << each.link << ": step "
              << formatNumber(1e6 * each.stepSeconds, 1) << " us, "
              << formatNumber(1e6 * each.exposedSeconds, 1) << " us longer by communication ("
              << each.algorithm << ", takes " << formatNumber(1e6 * each.communicationSeconds, 1)
              << " us); " << formatNumber(100 * each.efficiency(), 0)
              << "% of the speed without communication\n";
  if (std::ranges::any_of(all, &ReplicaPrediction::isBusy))
    std::cout << formatText(kBusyTimes) << " Close it, and plan again\n";
}

}  // namespace strata::cli
