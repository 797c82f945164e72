// SPDX-License-Identifier: Apache-2.0
#include "core/runs/replica_figures.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>
#include <string_view>

#include <nlohmann/json.hpp>

namespace strata {

size_t ReplicaFigures::totalBytes() const {
  return std::accumulate(bytes.begin(), bytes.end(), size_t{0});
}

std::optional<std::pair<size_t, double>> slowestReplica(const ReplicaReport& report) {
  constexpr double kLeast = 0.05;
  if (report.replicas.size() < 2) return std::nullopt;
  const auto slowest =
      std::ranges::max_element(report.replicas, {}, &ReplicaFigures::computeSeconds);
  double others = 0;
  for (const ReplicaFigures& each : report.replicas)
    if (&each != &*slowest) others += each.computeSeconds;
  others /= static_cast<double>(report.replicas.size() - 1);
  if (others <= 0 || slowest->computeSeconds < (1 + kLeast) * others) return std::nullopt;
  return std::pair(static_cast<size_t>(slowest - report.replicas.begin()),
                   slowest->computeSeconds / others - 1);
}

namespace {

/// How often a device sends the bytes of the other devices in a collective. In others, it sends its
/// own ones once.
struct Volume {
  std::string_view collective;
  double perShare = 1;
};
constexpr Volume kVolumes[] = {{"all_reduce", 2}, {"sync_sum", 2}, {"all_gather", 1}};

}  // namespace

double CollectiveFigures::busBytesPerSecond(size_t devices) const {
  const double seconds = transferSeconds();
  if (calls == 0 || seconds <= 0 || devices < 2) return 0;
  const double part = static_cast<double>(devices - 1) / static_cast<double>(devices);
  const auto volume = std::ranges::find(kVolumes, op, &Volume::collective);
  const double factor = volume == std::end(kVolumes) ? 1 : volume->perShare * part;
  return factor * static_cast<double>(bytes) / seconds;
}

std::vector<CollectiveSum> collectiveSums(const ReplicaReport& report) {
  std::vector<CollectiveSum> sums;
  const auto steps = static_cast<double>(std::max<int64_t>(1, report.steps));
  for (const CollectiveFigures& each : report.collectives) {
    auto sum = std::ranges::find(sums, each.op, &CollectiveSum::op);
    if (sum == sums.end()) sum = sums.insert(sums.end(), {each.op});
    const double calls = each.share * static_cast<double>(each.calls);
    // Until the end of the loop, the bytes that the bus moves in all steps
    sum->busBytesPerSecond +=
        each.busBytesPerSecond(report.replicas.size()) * each.transferSeconds() * calls;
    sum->calls += calls / steps;
    sum->bytes += calls * static_cast<double>(each.bytes) / steps;
    sum->seconds += each.share * each.totalSeconds / steps;
    sum->waitingSeconds += each.share * each.waitingSeconds / steps;
  }
  for (CollectiveSum& each : sums) {
    const double moving = (each.seconds - each.waitingSeconds) * steps;
    each.busBytesPerSecond = moving > 0 ? each.busBytesPerSecond / moving : 0;
  }
  std::ranges::stable_sort(sums, std::greater{}, &CollectiveSum::seconds);
  return sums;
}

std::string slowReplicaText(const ReplicaReport& report) {
  const auto slowest = slowestReplica(report);
  if (!slowest) return {};
  return report.replicas[slowest->first].name + " is " +
         std::to_string(std::lround(100 * slowest->second)) + "% slower than the others.";
}

Json toJson(const ReplicaReport& report) {
  Json replicas = Json::array(), collectives = Json::array();
  const auto perStep = [&](double seconds) {
    return 1e6 * seconds / static_cast<double>(std::max<int64_t>(1, report.steps));
  };
  for (const ReplicaFigures& each : report.replicas) {
    Json memory = Json::object();
    for (size_t i = 0; i < each.bytes.size(); ++i)
      if (each.bytes[i] > 0)
        memory[std::string(categoryName(static_cast<Category>(i)))] = each.bytes[i];
    replicas.push_back({{"device", each.name},
                        {"memory", std::move(memory)},
                        {"compute_us", perStep(each.computeSeconds)},
                        {"exposed_communication_us", perStep(each.exposedSeconds)},
                        {"hidden_communication_us", perStep(each.hiddenSeconds)},
                        {"waiting_us", perStep(each.waitingSeconds)}});
  }
  for (const CollectiveFigures& each : report.collectives)
    collectives.push_back({{"op", each.op},
                           {"number", each.number},
                           {"calls", each.calls},
                           {"bytes", each.bytes},
                           {"median_us", 1e6 * each.medianSeconds},
                           {"total_us", perStep(each.totalSeconds)},
                           {"waiting_us", perStep(each.waitingSeconds)},
                           {"share", each.share}});
  Json json{{"steps", report.steps},
            {"replicas", std::move(replicas)},
            {"collectives", std::move(collectives)}};
  if (report.equalStep) json["equal_after_step"] = *report.equalStep;
  return json;
}

ReplicaReport replicaReportFromJson(const Json& json) {
  ReplicaReport report;
  report.steps = json.at("steps").get<int64_t>();
  const auto seconds = [&](const Json& item, const char* name) {
    return 1e-6 * item.at(name).get<double>() * static_cast<double>(report.steps);
  };
  for (const Json& item : json.at("replicas")) {
    ReplicaFigures each;
    each.name = item.at("device").get<std::string>();
    for (const auto& [name, bytes] : item.at("memory").items())
      if (const auto category = categoryFromName(name))
        each.bytes[static_cast<size_t>(*category)] = bytes.get<size_t>();
    each.computeSeconds = seconds(item, "compute_us");
    each.exposedSeconds = seconds(item, "exposed_communication_us");
    each.hiddenSeconds = seconds(item, "hidden_communication_us");
    each.waitingSeconds = seconds(item, "waiting_us");
    report.replicas.push_back(std::move(each));
  }
  for (const Json& item : json.at("collectives")) {
    const bool hasTotal = item.contains("total_us");
    report.collectives.push_back(
        {item.at("op").get<std::string>(), item.at("number").get<int64_t>(),
         item.at("calls").get<int64_t>(), item.at("bytes").get<size_t>(),
         1e-6 * item.at("median_us").get<double>(), hasTotal ? seconds(item, "total_us") : 0,
         hasTotal ? seconds(item, "waiting_us") : 0, item.value("share", 1.0)});
  }
  if (json.contains("equal_after_step"))
    report.equalStep = json.at("equal_after_step").get<int64_t>();
  return report;
}

}  // namespace strata
