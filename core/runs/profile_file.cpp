// SPDX-License-Identifier: Apache-2.0
#include "core/runs/profile_file.h"

#include <filesystem>
#include <system_error>

#include <nlohmann/json.hpp>

#include "core/cost/catalogue.h"
#include "core/project/json.h"
#include "core/project/project.h"
#include "gpu/base/error.h"

namespace strata {

static std::string pathIn(const std::string& runDirectory) {
  return runDirectory + "/profile.json";
}

static Json limitsToJson(const SpeedLimits& limits) {
  Json rates = Json::object();
  for (const auto& [precision, rate] : limits.flopsPerSecond)
    rates[precision] = rate;
  return {{"flops_per_second", std::move(rates)},
          {"bytes_per_second", limits.bytesPerSecond},
          {"source", limits.source}};
}

/// Throws Json::exception.
static SpeedLimits limitsFromJson(const Json& json) {
  SpeedLimits limits;
  const Json& rates = json.at("flops_per_second");
  for (const std::string_view precision : kPrecisions)
    if (const auto rate = rates.find(precision); rate != rates.end())
      limits.flopsPerSecond.emplace_back(precision, rate->get<double>());
  limits.bytesPerSecond = json.at("bytes_per_second").get<double>();
  limits.source = json.at("source").get<std::string>();
  return limits;
}

static Json breakdownToJson(const StepBreakdown& breakdown) {
  Json parts = Json::object();
  for (size_t i = 0; i < kNumStepParts; ++i)
    parts[std::string(stepPartName(static_cast<StepPart>(i)))] = breakdown.parts[i];
  return {{"step", breakdown.lastStep}, {"microseconds", breakdown.step}, {"parts", parts}};
}

/// Throws Json::exception.
static StepBreakdown breakdownFromJson(const Json& json) {
  StepBreakdown breakdown;
  breakdown.lastStep = json.at("step").get<int64_t>();
  breakdown.step = json.at("microseconds").get<double>();
  for (size_t i = 0; i < kNumStepParts; ++i)
    breakdown.parts[i] =
        json.at("parts").at(std::string(stepPartName(static_cast<StepPart>(i)))).get<double>();
  return breakdown;
}

static Json kernelsToJson(const KernelProfile& kernels) {
  Json rows = Json::array(), steps = Json::array(), memory = Json::array();
  for (const KernelRow& row : kernels.rows) {
    const KernelRecord& record = row.record;
    const auto rate = [isMain = kernels.isMain(row)](double perSecond) {
      return isMain ? Json(perSecond) : Json();
    };
    rows.push_back({{"instruction", record.instruction},
                    {"op", record.op},
                    {"layer", record.layer},
                    {"phase", phaseName(record.phase)},
                    {"name", record.name},
                    {"stream", record.stream},
                    {"calls", row.calls},
                    {"nanoseconds", row.total.count()},
                    {"shortest_nanoseconds", row.shortest.count()},
                    {"longest_nanoseconds", row.longest.count()},
                    {"grid", record.grid},
                    {"block", record.block},
                    {"registers", record.registers},
                    {"shared_bytes", record.sharedBytes},
                    {"theoretical_occupancy", record.theoreticalOccupancy},
                    {"occupancy", record.occupancy},
                    {"flops", record.flops},
                    {"bytes", record.bytes},
                    {"flops_per_second", rate(row.flopsPerSecond())},
                    {"bytes_per_second", rate(row.bytesPerSecond())}});
  }
  for (const TracedStep& step : kernels.traced) {
    Json records = Json::array();
    for (const TracedStep::Entry& entry : step.entries)
      records.push_back({entry.row, entry.start.count(), entry.duration.count()});
    steps.push_back({{"step", step.step},
                     {"nanoseconds", step.duration().count()},
                     {"records", std::move(records)}});
  }
  for (const MemorySample& sample : kernels.memory) {
    Json bytes = Json::object();
    for (size_t i = 0; i < sample.bytes.size(); ++i)
      if (sample.bytes[i] > 0)
        bytes[std::string(categoryName(static_cast<Category>(i)))] = sample.bytes[i];
    memory.push_back({{"instruction", sample.instruction}, {"bytes", std::move(bytes)}});
  }
  return {{"device", kernels.device},
          {"source", sourceName(kernels.source)},
          {"problem", kernels.problem},
          {"precision", kernels.precision},
          {"limits", limitsToJson(kernels.limits)},
          {"profiled_steps", kernels.steps},
          {"kernels", std::move(rows)},
          {"steps", std::move(steps)},
          {"memory",
           {{"context_bytes", kernels.contextBytes},
            {"transfer_bytes", kernels.transferBytes},
            {"by_instruction", std::move(memory)}}}};
}

/// Reads what kernelsToJson() writes. Returns null if it is damaged. Throws Json::exception.
static std::shared_ptr<const KernelProfile> kernelsFromJson(const Json& json) {
  auto kernels = std::make_shared<KernelProfile>();
  const auto nanoseconds = [](const Json& value) {
    return std::chrono::nanoseconds(value.get<int64_t>());
  };
  kernels->device = json.at("device").get<std::string>();
  for (const auto source :
       {StepRecords::Source::HostClock, StepRecords::Source::Card, StepRecords::Source::Predicted})
    if (json.at("source") == sourceName(source)) kernels->source = source;
  kernels->problem = json.at("problem").get<std::string>();
  kernels->steps = json.at("profiled_steps").get<int64_t>();
  // Runs of earlier versions do not have them
  if (json.contains("limits")) {
    kernels->limits = limitsFromJson(json["limits"]);
    kernels->precision = json.at("precision").get<std::string>();
  }
  else {
    kernels->limits.source = "this run did not save them";
  }
  for (const Json& item : json.at("kernels")) {
    KernelRow row;
    row.record.instruction = item.at("instruction").get<int>();
    row.record.op = item.at("op").get<std::string>();
    row.record.layer = item.at("layer").get<std::string>();
    row.record.name = item.at("name").get<std::string>();
    row.record.stream = item.at("stream").get<std::string>();
    const auto phase = phaseFromName(item.at("phase").get<std::string>());
    row.calls = item.at("calls").get<int64_t>();
    row.total = nanoseconds(item.at("nanoseconds"));
    // Runs of earlier versions do not have them
    if (item.contains("shortest_nanoseconds")) {
      row.shortest = nanoseconds(item["shortest_nanoseconds"]);
      row.longest = nanoseconds(item.at("longest_nanoseconds"));
    }
    row.record.grid = item.at("grid").get<std::array<int64_t, 3>>();
    row.record.block = item.at("block").get<std::array<int64_t, 3>>();
    row.record.registers = item.at("registers").get<int>();
    row.record.sharedBytes = item.at("shared_bytes").get<size_t>();
    row.record.theoreticalOccupancy = item.at("theoretical_occupancy").get<double>();
    row.record.occupancy = item.at("occupancy").get<double>();
    row.record.flops = item.at("flops").get<double>();
    row.record.bytes = item.at("bytes").get<double>();
    if (!phase || row.calls < 1 || row.total.count() < 0 || row.shortest.count() < 0 ||
        row.longest < row.shortest)
      return nullptr;
    row.record.phase = *phase;
    row.record.duration = row.total / row.calls;
    kernels->rows.push_back(std::move(row));
  }
  for (const Json& item : json.at("steps")) {
    TracedStep step;
    step.step = item.at("step").get<int64_t>();
    for (const Json& record : item.at("records")) {
      const TracedStep::Entry entry{record.at(0).get<int>(), nanoseconds(record.at(1)),
                                    nanoseconds(record.at(2))};
      constexpr std::chrono::hours kMost{1000};
      if (entry.row < 0 || static_cast<size_t>(entry.row) >= kernels->rows.size() ||
          entry.start.count() < 0 || entry.duration.count() < 0 || entry.start > kMost ||
          entry.duration > kMost)
        return nullptr;
      step.entries.push_back(entry);
    }
    kernels->traced.push_back(std::move(step));
  }
  const Json& memory = json.at("memory");
  kernels->contextBytes = memory.at("context_bytes").get<size_t>();
  kernels->transferBytes = memory.at("transfer_bytes").get<size_t>();
  for (const Json& item : memory.at("by_instruction")) {
    MemorySample sample{item.at("instruction").get<int>(), {}};
    for (const auto& [name, bytes] : item.at("bytes").items())
      if (const auto category = categoryFromName(name))
        sample.bytes[static_cast<size_t>(*category)] = bytes.get<size_t>();
    kernels->memory.push_back(sample);
  }
  return kernels;
}

void writeProfile(const std::string& runDirectory, const ProfileSnapshot& profile) {
  Json rows = Json::array();
  for (const ProfileRow& row : profile.rows)
    rows.push_back({{"op", row.op},
                    {"layer", row.layer},
                    {"implementation", row.implementation},
                    {"phase", phaseName(row.phase)},
                    {"calls", row.calls},
                    {"nanoseconds", row.total.count()},
                    {"bytes_out", row.bytesOut}});
  Json devices = Json::array();
  if (profile.kernels) devices.push_back(kernelsToJson(*profile.kernels));
  Json overTime = Json::array();
  for (const StepBreakdown& breakdown : profile.overTime)
    overTime.push_back(breakdownToJson(breakdown));
  Json states = Json::array();
  for (const DeviceSummary& device : profile.devices)
    states.push_back(summaryToJson(device));
  const Json json{{"version", 1},
                  {"steps", profile.steps},
                  {"step", profile.step},
                  {"step_microseconds", profile.stepMicroseconds},
                  {"data_wait_fraction", profile.dataWaitFraction},
                  {"forward_fraction", profile.forwardFraction},
                  {"backward_fraction", profile.backwardFraction},
                  {"update_fraction", profile.updateFraction},
                  {"communication_fraction", profile.communicationFraction},
                  {"loader_threads", profile.loaderThreads},
                  {"breakdown", breakdownToJson(breakdownOf(profile))},
                  {"breakdown_over_time", std::move(overTime)},
                  {"observation_fraction", profile.observationFraction},
                  {"rows", rows},
                  {"devices", std::move(devices)},
                  {"device_states", std::move(states)},
                  {"replicas", toJson(profile.replicas)}};
  // Without line breaks, which would triple the size of the records
  writeFileAtomically(pathIn(runDirectory),
                      json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n",
                      Links::Replace);
}

/// Reads what writeProfile() writes. Returns null if it is damaged, and leaves out damaged kernels.
/// `problem` then says why. Throws Json::exception.
static std::shared_ptr<const ProfileSnapshot> profileFromJson(const Json& json,
                                                              std::string& problem) {
  auto profile = std::make_shared<ProfileSnapshot>();
  profile->steps = json.at("steps").get<int64_t>();
  profile->step = json.at("step").get<int64_t>();
  profile->stepMicroseconds = json.at("step_microseconds").get<double>();
  profile->dataWaitFraction = json.at("data_wait_fraction").get<double>();
  profile->forwardFraction = json.at("forward_fraction").get<double>();
  profile->backwardFraction = json.at("backward_fraction").get<double>();
  profile->updateFraction = json.at("update_fraction").get<double>();
  profile->observationFraction = json.at("observation_fraction").get<double>();
  if (json.contains("communication_fraction")) {
    profile->communicationFraction = json["communication_fraction"].get<double>();
    profile->loaderThreads = json.at("loader_threads").get<int>();
    for (const Json& item : json.at("breakdown_over_time"))
      profile->overTime.push_back(breakdownFromJson(item));
  }
  for (const Json& item : json.at("rows")) {
    ProfileRow row;
    row.op = item.at("op").get<std::string>();
    row.layer = item.at("layer").get<std::string>();
    row.implementation = item.at("implementation").get<std::string>();
    const auto phase = phaseFromName(item.at("phase").get<std::string>());
    if (!phase) {
      problem = "a node has an unknown phase";
      return nullptr;
    }
    row.phase = *phase;
    row.calls = item.at("calls").get<int64_t>();
    row.total = std::chrono::nanoseconds(item.at("nanoseconds").get<int64_t>());
    row.bytesOut = item.at("bytes_out").get<size_t>();
    profile->rows.push_back(std::move(row));
  }
  // Runs of earlier versions have no kernels
  if (json.contains("devices") && !json["devices"].empty()) {
    profile->kernels = kernelsFromJson(json["devices"].at(0));
    if (!profile->kernels) problem = "its kernels have wrong values";
  }
  if (json.contains("device_states"))
    for (const Json& item : json["device_states"])
      profile->devices.push_back(summaryFromJson(item));
  if (json.contains("replicas")) profile->replicas = replicaReportFromJson(json["replicas"]);
  return profile;
}

std::shared_ptr<const ProfileSnapshot> readProfile(const std::string& runDirectory,
                                                   std::string* problem) {
  const std::string path = pathIn(runDirectory);
  std::string reason;
  std::shared_ptr<const ProfileSnapshot> profile;
  std::error_code error;
  try {
    if (std::filesystem::exists(std::filesystem::symlink_status(path, error)))
      profile = profileFromJson(parseJson(readFile(path, kMaxProfileBytes), path), reason);
  }
  catch (const Error& failure) {
    reason = failure.what();
  }
  catch (const Json::exception&) {
    reason = "missing values, or values of the wrong type";
  }
  if (problem) *problem = std::move(reason);
  return profile && profile->steps > 0 ? profile : nullptr;
}

}  // namespace strata
