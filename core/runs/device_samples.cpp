// SPDX-License-Identifier: Apache-2.0
#include "core/runs/device_samples.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/project/line_file.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

// Lines of events begin with their kind (event_log.h)
constexpr std::string_view kSampleLine = R"({"event":"device_state",)";

// The names of quantities in JSON with their places in a summary
constexpr std::pair<const char*, MeanAndMaximum DeviceSummary::*> kQuantities[] = {
    {"utilization", &DeviceSummary::utilization},
    {"celsius", &DeviceSummary::celsius},
    {"watts", &DeviceSummary::watts},
    {"megahertz", &DeviceSummary::megahertz},
    {"memory_megahertz", &DeviceSummary::memoryMegahertz}};
constexpr std::pair<const char*, std::optional<size_t> DeviceSummary::*> kSizes[] = {
    {"total_bytes", &DeviceSummary::totalBytes},
    {"own_peak_bytes", &DeviceSummary::ownPeakBytes},
    {"other_peak_bytes", &DeviceSummary::otherPeakBytes}};

template <class T>
void take(const Json& json, const char* key, std::optional<T>& to) {
  if (const auto found = json.find(key); found != json.end()) to = found->get<T>();
}

/// Throws Json::exception.
DeviceSample sampleFromJson(const Json& json) {
  DeviceSample sample;
  sample.device = json.at("device").get<std::string>();
  sample.seconds = json.at("seconds").get<double>();
  sample.isSimulated = json.value("simulated", false);
  take(json, "own_bytes", sample.state.ownBytes);
  take(json, "other_bytes", sample.state.otherBytes);
  take(json, "total_bytes", sample.state.totalBytes);
  take(json, "utilization", sample.state.utilization);
  take(json, "celsius", sample.state.celsius);
  take(json, "watts", sample.state.watts);
  take(json, "megahertz", sample.state.megahertz);
  take(json, "memory_megahertz", sample.state.memoryMegahertz);
  return sample;
}

}  // namespace

void MeanAndMaximum::add(double value) {
  ++count;
  mean += (value - mean) / static_cast<double>(count);
  maximum = count == 1 ? value : std::max(maximum, value);
}

void MeasuredEnergy::add(double time, std::optional<double> watts) {
  if (watts && m_last && time > m_last->first) {
    const double passed = time - m_last->first;
    joules += passed * (*watts + m_last->second) / 2;
    seconds += passed;
  }
  m_last = watts ? std::optional(std::pair(time, *watts)) : std::nullopt;
}

void DeviceSummary::add(const DeviceSample& sample) {
  const DeviceState& state = sample.state;
  ++samples;
  isSimulated = sample.isSimulated;
  const auto raise = [](std::optional<size_t>& peak, const std::optional<size_t>& bytes) {
    if (bytes) peak = std::max(peak.value_or(0), *bytes);
  };
  raise(totalBytes, state.totalBytes);
  raise(ownPeakBytes, state.ownBytes);
  raise(otherPeakBytes, state.otherBytes);
  const auto add = [](MeanAndMaximum& to, const auto& value) {
    if (value) to.add(static_cast<double>(*value));
  };
  add(utilization, state.utilization);
  add(celsius, state.celsius);
  add(watts, state.watts);
  add(megahertz, state.megahertz);
  add(memoryMegahertz, state.memoryMegahertz);
  // A simulated card has no power
  if (!isSimulated) energy.add(sample.seconds, state.watts);
}

Json summaryToJson(const DeviceSummary& summary) {
  Json json{
      {"device", summary.device}, {"simulated", summary.isSimulated}, {"samples", summary.samples}};
  for (const auto& [name, bytes] : kSizes)
    if (const auto& value = summary.*bytes) json[name] = *value;
  for (const auto& [name, quantity] : kQuantities)
    if (const MeanAndMaximum& values = summary.*quantity; values.count > 0)
      json[name] = {{"mean", values.mean}, {"max", values.maximum}, {"samples", values.count}};
  if (summary.energy.isKnown())
    json["energy"] = {{"joules", summary.energy.joules}, {"seconds", summary.energy.seconds}};
  return json;
}

DeviceSummary summaryFromJson(const Json& json) {
  DeviceSummary summary;
  summary.device = json.at("device").get<std::string>();
  summary.isSimulated = json.at("simulated").get<bool>();
  summary.samples = json.at("samples").get<int64_t>();
  for (const auto& [name, bytes] : kSizes)
    take(json, name, summary.*bytes);
  for (const auto& [name, quantity] : kQuantities)
    if (const auto found = json.find(name); found != json.end())
      summary.*quantity = {found->at("samples").get<int64_t>(), found->at("mean").get<double>(),
                           found->at("max").get<double>()};
  if (const auto found = json.find("energy"); found != json.end()) {
    summary.energy.joules = found->at("joules").get<double>();
    summary.energy.seconds = found->at("seconds").get<double>();
  }
  return summary;
}

bool isDeviceSample(std::string_view line) { return line.starts_with(kSampleLine); }

std::vector<DeviceSample> readDeviceSamples(const std::string& runDirectory) {
  // More than runs of years have (EventLog::onDeviceState)
  constexpr size_t kMaxSamples = 200'000, kMaxLineBytes = 4096;
  std::vector<DeviceSample> samples;
  const std::string path = runDirectory + "/events.jsonl";
  try {
    LineFile events(path, kMaxLineBytes);
    for (std::string line; samples.size() < kMaxSamples && events.next(line);) {
      if (!isDeviceSample(line)) continue;
      try {
        samples.push_back(sampleFromJson(parseJson(line, path)));
      }
      catch (const Error&) {
        // A power failure may truncate a line
      }
      catch (const Json::exception&) {
        // The same
      }
    }
  }
  catch (const Error&) {
    // A run without events has no samples
  }
  return samples;
}

}  // namespace strata
