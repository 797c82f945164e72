// SPDX-License-Identifier: Apache-2.0
#include "core/cost/calibration_file.h"

#include <chrono>
#include <cmath>

#include <nlohmann/json.hpp>

#include "core/project/json.h"
#include "gpu/base/cache_folder.h"
#include "gpu/base/error.h"
#include "gpu/base/log.h"
#include "gpu/base/machine.h"
#include "gpu/cost/predict.h"
#include "gpu/devices/device_name.h"
#include "gpu/devices/simulated_step.h"

namespace strata {

namespace {

// A calibration that was made on a busy machine is repeated after this time.
constexpr auto kMaxDisturbedAge = std::chrono::minutes(10);
constexpr size_t kMaxCalibrationBytes = size_t{16} << 20;

CacheStore calibrations() { return CacheStore("calibration"); }

class CalibrationReader {
 public:
  explicit CalibrationReader(const std::string& file) : m_file(file) {}

  Calibration run(const Json& json) const {
    if (!json.is_object() || json.value("format", "") != "strata-calibration")
      fail("is not a calibration (expected format \"strata-calibration\")");
    Calibration result;
    result.version = json.at("version").get<int>();
    result.threads = json.at("threads").get<int>();
    result.processor = json.at("processor").get<std::string>();
    result.instructions = json.at("instructions").get<std::string>();
    result.flopsPerSecond = number(json.at("flops_per_second"), 1);
    result.stepSeconds = number(json.at("step_seconds"));
    result.barrierSeconds = number(json.at("meeting_seconds"));
    result.disturbance = number(json.at("disturbance"));
    result.waiting = number(json.at("waiting"));
    for (const Json& level : json.at("memory")) {
      result.memory.push_back(
          {number(level.at("bytes"), 1), number(level.at("bytes_per_second"), 1)});
      if (result.memory.size() > 1 &&
          result.memory[result.memory.size() - 2].bytes >= result.memory.back().bytes)
        fail("has memory levels that are not in ascending order");
    }
    for (const auto& [name, family] : json.at("families").items()) {
      FamilyPrice price;
      const Json& seconds = family.at("seconds");
      if (seconds.size() != kAmounts)
        fail("has " + std::to_string(seconds.size()) + " prices in \"" + name + "\" (expected " +
             std::to_string(kAmounts) + ")");
      for (size_t i = 0; i < kAmounts; ++i)
        price.seconds[i] = number(seconds.at(i));
      price.footprintBytes = number(family.at("footprint_bytes"));
      price.exposed = family.at("exposed").is_null() ? -1 : number(family.at("exposed"));
      price.error = number(family.at("error"));
      result.families[name] = price;
    }
    if (result.threads < 1 || result.memory.empty() || result.families.empty())
      fail("is incomplete");
    return result;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorCode::InvalidFile, m_file, what + ". Delete it; Strata creates it again.");
  }

 private:
  double number(const Json& json, double least = 0) const {
    const double value = json.get<double>();
    if (!std::isfinite(value) || value < least) fail("contains a number that is out of range");
    return value;
  }
  const std::string& m_file;
};

bool fits(const Calibration& calibration, int threads) {
  return calibration.version == kCalibrationVersion && calibration.threads == threads &&
         calibration.processor == processorTitle() && calibration.instructions == loops().name;
}

}  // namespace

std::string printCalibration(const Calibration& calibration) {
  Json memory = Json::array(), families = Json::object();
  for (const MemorySpeed& level : calibration.memory)
    memory.push_back({{"bytes", level.bytes}, {"bytes_per_second", level.bytesPerSecond}});
  for (const auto& [name, price] : calibration.families) {
    Json seconds = Json::array();
    for (const double each : price.seconds)
      seconds.push_back(each);
    families[name] = {{"seconds", seconds},
                      {"footprint_bytes", price.footprintBytes},
                      {"exposed", price.exposed < 0 ? Json(nullptr) : Json(price.exposed)},
                      {"error", price.error}};
  }
  return printJson({{"format", "strata-calibration"},
                    {"version", calibration.version},
                    {"processor", calibration.processor},
                    {"instructions", calibration.instructions},
                    {"threads", calibration.threads},
                    {"flops_per_second", calibration.flopsPerSecond},
                    {"step_seconds", calibration.stepSeconds},
                    {"meeting_seconds", calibration.barrierSeconds},
                    {"disturbance", calibration.disturbance},
                    {"waiting", calibration.waiting},
                    {"memory", memory},
                    {"families", families}});
}

Calibration parseCalibration(std::string_view text, const std::string& file) {
  const CalibrationReader reader(file);
  try {
    return reader.run(parseJson(text, file));
  }
  catch (const nlohmann::json::exception&) {
    reader.fail("lacks a field, or a field has the wrong type");
  }
  catch (const Error& error) {
    throw Error(ErrorCode::InvalidFile, file, error.what());
  }
}

std::string calibrationPath(int threads) {
  return calibrations().fileOf(measuredFileName(threads)).string();
}

std::string fileNameOf(std::string_view text) {
  constexpr size_t kMaxLength = 120;
  std::string name;
  for (const char c : text) {
    const bool isPlain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
    if (isPlain)
      name += c;
    else if (!name.empty() && name.back() != '-')
      name += '-';
  }
  return name.substr(0, kMaxLength);
}

std::string measuredFileName(int threads) {
  return fileNameOf(processorTitle() + "-" + loops().name) + "-" + std::to_string(threads) +
         ".json";
}

std::optional<Calibration> keptCalibration(int threads) {
  const auto file = calibrations().read(measuredFileName(threads), kMaxCalibrationBytes);
  if (!file) return std::nullopt;
  try {
    Calibration calibration = parseCalibration(file->bytes, calibrationPath(threads));
    if (!fits(calibration, threads)) return std::nullopt;
    if (calibration.isDisturbed() && file->age > kMaxDisturbedAge) return std::nullopt;
    return calibration;
  }
  catch (const Error& error) {
    logLine(LogLevel::Debug, error.line());
    return std::nullopt;
  }
}

Calibration calibrationFor(ThreadPool& pool) {
  if (std::optional<Calibration> found = keptCalibration(pool.numWorkers()))
    return std::move(*found);
  Calibration calibration = calibrate(pool);
  calibrations().write(measuredFileName(pool.numWorkers()), printCalibration(calibration));
  return calibration;
}

NodeSeconds nodeSecondsOf(Device& device) {
  if (device.isSimulated()) return simulatedSeconds(device);
  if (!DeviceName(device.name()).isCpu()) return {};
  const std::optional<Calibration> kept = keptCalibration(device.numWorkers());
  return kept ? calibratedSeconds(device, *kept) : NodeSeconds();
}

}  // namespace strata
