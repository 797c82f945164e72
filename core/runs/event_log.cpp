// SPDX-License-Identifier: Apache-2.0
#include "core/runs/event_log.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <nlohmann/json.hpp>

#include "core/project/json.h"
#include "core/project/seal.h"
#include "core/runs/kept_batch.h"
#include "core/runs/layer_sampling.h"
#include "gpu/devices/device_name.h"

namespace strata {

static constexpr const char* kHashMember = ",\"hash\":\"";

static std::string quoted(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

static void appendInteger(std::string& line, int64_t value) {
  char buffer[24];
  line.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

void EventLog::appendNumber(double value) {
  if (std::isnan(value)) {
    m_line += "\"nan\"";
  }
  else if (std::isinf(value)) {
    m_line += value > 0 ? "\"inf\"" : "\"-inf\"";
  }
  else {
    char buffer[40];
    m_line.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
  }
}

void EventLog::appendMetrics(const char* key, const std::vector<double>& metrics) {
  m_line += ",\"";
  m_line += key;
  m_line += "\":{";
  for (size_t i = 0; i < metrics.size() && i < m_quotedNames.size(); ++i) {
    if (i > 0) m_line += ',';
    m_line += m_quotedNames[i];
    m_line += ':';
    appendNumber(metrics[i]);
  }
  m_line += '}';
}

void EventLog::write() {
  m_line += '\n';
  // After a failure, the buffer keeps the text until it can be written
  m_out.clear();
  m_out.write(m_line.data(), static_cast<std::streamsize>(m_line.size()));
}

void EventLog::onStart(const RunStart& start) {
  m_quotedNames.clear();
  for (const std::string& name : start.metricNames)
    m_quotedNames.push_back(quoted(name));
  m_device = start.device;
  m_quotedDevices.clear();
  const std::vector<std::string> devices = DeviceName(start.device).each();
  for (const std::string& device : devices)
    m_quotedDevices.push_back(quoted(devices.size() == 1 ? start.device : device));
  constexpr size_t kMaxDevices = 16;
  m_lastSamples.reserve(kMaxDevices);
  Json json{{"event", "start"},
            {"run", start.runDirectory},
            {"device", start.device},
            {"threads", start.threads},
            {"parameters", start.parameters},
            {"planned_peak_bytes", start.plannedPeakBytes},
            {"kept_data_bytes", start.keptDataBytes},
            {"steps_per_epoch", start.stepsPerEpoch},
            {"epochs", start.epochs},
            {"total_steps", start.totalSteps},
            {"batch_size", start.batchSize},
            {"first_step", start.firstStep},
            {"train_samples", start.trainSamples},
            {"validation_samples", start.validationSamples},
            {"test_samples", start.testSamples},
            {"setup_seconds", jsonNumber(start.setupSeconds)}};
  Json& memory = json["memory_at_peak"] = Json::object();
  for (size_t i = 0; i < start.memoryPlan.byCategoryAtPeak.size(); ++i)
    if (const size_t bytes = start.memoryPlan.byCategoryAtPeak[i])
      memory[std::string(categoryName(static_cast<Category>(i)))] = bytes;
  json["memory_holes_bytes"] = start.memoryPlan.holesBytes;
  Json& layers = json["memory_at_peak_by_layer"] = Json::object();
  for (const auto& [layer, bytes] : start.memoryPlan.byLayerAtPeak)
    layers[layer] = bytes;
  const size_t processes = std::max<size_t>(1, start.processes.size());
  if (devices.size() * processes > 1) {
    json["devices"] = devices;
    json["replicas"] = devices.size() * processes;
  }
  if (processes > 1) json["processes"] = start.processes;
  if (start.usesAverages) json["evaluated_weights"] = "average";
  if (!start.weightsFrom.empty()) {
    json["weights_from"] = start.weightsFrom;
    json["kept_layers"] = start.keptLayers;
  }
  m_line = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  write();
  m_out.flush();
}

void EventLog::onStep(const StepMetrics& step) {
  if (!m_writesSteps) return;
  m_line = "{\"event\":\"step\",\"step\":";
  appendInteger(m_line, step.step);
  m_line += ",\"epoch\":";
  appendInteger(m_line, step.epoch);
  m_line += ",\"loss\":";
  appendNumber(step.loss);
  appendMetrics("metrics", step.metrics);
  m_line += ",\"learning_rate\":";
  appendNumber(step.learningRate);
  m_line += ",\"seconds\":";
  appendNumber(step.seconds);
  m_line += ",\"samples_per_second\":";
  appendNumber(step.samplesPerSecond);
  m_line += ",\"memory\":[";
  for (size_t i = 0; i < m_quotedDevices.size(); ++i) {
    m_line += i == 0 ? "{\"device\":" : ",{\"device\":";
    m_line += m_quotedDevices[i];
    m_line += ",\"bytes\":";
    const size_t bytes = i < step.replicaBytes.size() ? step.replicaBytes[i] : step.memoryBytes;
    appendInteger(m_line, static_cast<int64_t>(bytes));
    m_line += "}";
  }
  m_line += ']';
  for (size_t i = 0; i < step.waitSeconds.size(); ++i) {
    m_line += i == 0 ? ",\"waiting_us\":[" : ",";
    appendNumber(1e6 * step.waitSeconds[i]);
  }
  if (!step.waitSeconds.empty()) m_line += "]";
  if (step.staleness) m_line += ",\"staleness\":" + std::to_string(*step.staleness);
  m_line += "}";
  write();
}

void EventLog::onEpoch(const EpochMetrics& epoch) {
  m_line = "{\"event\":\"epoch\",\"epoch\":";
  appendInteger(m_line, epoch.epoch);
  m_line += ",\"step\":";
  appendInteger(m_line, epoch.step);
  m_line += ",\"loss\":";
  appendNumber(epoch.loss);
  appendMetrics("metrics", epoch.metrics);
  if (epoch.hasValidation) appendValidation(epoch.validationLoss, epoch.validationMetrics);
  appendLossScale(epoch.lossScale);
  endWithSeconds(epoch.seconds);
}

void EventLog::appendValidation(double loss, const std::vector<double>& metrics) {
  m_line += ",\"val_loss\":";
  appendNumber(loss);
  appendMetrics("val_metrics", metrics);
}

void EventLog::appendLossScale(const std::optional<LossScaleState>& state) {
  if (!state) return;
  m_line += ",\"loss_scale\":";
  appendNumber(state->scale);
  m_line += ",\"skipped_steps\":";
  appendInteger(m_line, state->skippedSteps);
}

void EventLog::endWithSeconds(double seconds) {
  m_line += ",\"seconds\":";
  appendNumber(seconds);
  m_line += '}';
  write();
  m_out.flush();
}

void EventLog::onValidation(const ValidationMetrics& validation) {
  m_line = "{\"event\":\"validation\",\"step\":";
  appendInteger(m_line, validation.step);
  m_line += ",\"epoch\":";
  appendInteger(m_line, validation.epoch);
  appendValidation(validation.loss, validation.metrics);
  endWithSeconds(validation.seconds);
}

void EventLog::onTrace(const StepsTraced& traced) {
  m_line = Json{{"event", "trace"},
                {"step", traced.firstStep + traced.steps - 1},
                {"first_step", traced.firstStep},
                {"steps", traced.steps},
                {"path", traced.path}}
               .dump(-1, ' ', false, Json::error_handler_t::replace);
  write();
}

void EventLog::onCheckpoint(const CheckpointSaved& saved) {
  m_line = Json{{"event", "checkpoint"},
                {"step", saved.step},
                {"path", saved.path},
                {"bytes", saved.bytes},
                {"seconds", jsonNumber(saved.seconds)},
                {"files", saved.files},
                {"disk_bytes", saved.diskBytes}}
               .dump(-1, ' ', false, Json::error_handler_t::replace);
  if (saved.isBest) {
    m_line.pop_back();
    m_line += ",\"best\":{\"monitor\":" + quoted(saved.monitor) + ",\"value\":";
    appendNumber(saved.value);
    m_line += "}}";
  }
  write();
  m_out.flush();
}

void EventLog::onProfile(const std::shared_ptr<const ProfileSnapshot>& profile) {
  if (profile->steps == 0) return;
  Json json{{"event", "profile"},
            {"step", profile->step},
            {"measured_steps", profile->steps},
            {"step_us", jsonNumber(profile->stepMicroseconds)},
            {"wait_for_data", jsonNumber(profile->dataWaitFraction)},
            {"forward", jsonNumber(profile->forwardFraction)},
            {"backward", jsonNumber(profile->backwardFraction)},
            {"update", jsonNumber(profile->updateFraction)},
            {"overhead", jsonNumber(profile->observationFraction)},
            {"devices", Json::array()}};
  if (const KernelProfile* const kernels = profile->kernels.get()) {
    // The largest bytes of each category during a step
    std::array<size_t, kNumCategories> most{};
    for (const MemorySample& sample : kernels->memory)
      for (size_t i = 0; i < most.size(); ++i)
        most[i] = std::max(most[i], sample.bytes[i]);
    Json memory = Json::object();
    for (size_t i = 0; i < most.size(); ++i)
      if (most[i] > 0) memory[std::string(categoryName(static_cast<Category>(i)))] = most[i];
    if (kernels->contextBytes > 0) memory["context"] = kernels->contextBytes;
    if (kernels->transferBytes > 0) memory["transfer"] = kernels->transferBytes;
    json["devices"].push_back({{"device", kernels->device},
                               {"source", sourceName(kernels->source)},
                               {"problem", kernels->problem},
                               {"kernels", kernels->rows.size()},
                               {"profiled_steps", kernels->steps},
                               {"most_memory", std::move(memory)}});
  }
  m_line = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  write();
  m_out.flush();
}

/// Returns whether a sample belongs into a file that stays.
bool EventLog::isKept(const DeviceSample& sample) {
  constexpr double kMostOfTime = 1.0 / 2400;
  const auto last = std::ranges::find(m_lastSamples, sample.device, &DeviceSample::device);
  if (last == m_lastSamples.end()) {
    m_lastSamples.push_back(sample);
    return true;
  }
  if (last->state == sample.state || sample.seconds - last->seconds < kMostOfTime * sample.seconds)
    return false;
  *last = sample;
  return true;
}

void EventLog::appendValue(const char* key, std::optional<double> value) {
  if (!value) return;
  m_line += ",\"";
  m_line += key;
  m_line += "\":";
  appendNumber(*value);
}

void EventLog::appendBytes(const char* key, std::optional<size_t> bytes) {
  if (!bytes) return;
  m_line += ",\"";
  m_line += key;
  m_line += "\":";
  appendInteger(m_line, static_cast<int64_t>(*bytes));
}

void EventLog::onDeviceState(const DeviceSample& sample) {
  if (!m_writesSteps && !isKept(sample)) return;
  const DeviceState& state = sample.state;
  m_line = "{\"event\":\"device_state\",\"seconds\":";
  appendNumber(std::round(1000 * sample.seconds) / 1000);
  m_line += ",\"device\":";
  if (sample.device == m_device && m_quotedDevices.size() == 1)
    m_line += m_quotedDevices[0];
  else
    m_line += quoted(sample.device);
  if (sample.isSimulated) m_line += ",\"simulated\":true";
  appendBytes("own_bytes", state.ownBytes);
  appendBytes("other_bytes", state.otherBytes);
  appendBytes("total_bytes", state.totalBytes);
  appendValue("utilization", state.utilization);
  appendValue("celsius", state.celsius);
  appendValue("watts", state.watts);
  appendValue("megahertz", state.megahertz);
  appendValue("memory_megahertz", state.memoryMegahertz);
  m_line += '}';
  write();
}

void EventLog::onSetting(const SettingChanged& setting) {
  Json json{{"event", "setting"},
            {"step", setting.step},
            {"name", setting.name},
            {"value", jsonNumber(setting.value)}};
  if (!setting.cause.empty()) json["cause"] = setting.cause;
  m_line = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  // A resumed run reads settings from this line, so it contains a hash.
  m_line.pop_back();
  m_line += kHashMember + hashOfBytes(m_line) + "\"}";
  write();
  m_out.flush();
}

bool EventLog::isWhole(const std::string& line) {
  const size_t at = line.rfind(kHashMember);
  return at != std::string::npos &&
         line.substr(at) == kHashMember + hashOfBytes(line.substr(0, at)) + "\"}";
}

void EventLog::onLayerSampling(const LayerSampling& sampling) {
  m_line = printSampling(sampling);
  write();
  m_out.flush();
}

void EventLog::onKeptBatch(const KeptBatch& batch) {
  m_line = Json{{"event", "bad_batch"}, {"step", batch.step},
                {"epoch", batch.epoch}, {"loss", jsonNumber(batch.loss)},
                {"layer", batch.layer}, {"samples", batch.indices.size()},
                {"path", batch.path}}
               .dump(-1, ' ', false, Json::error_handler_t::replace);
  write();
  m_out.flush();
}

void EventLog::onWarningOf(const std::string& code, const std::string& text) {
  Json json{{"event", "warning"}};
  if (!code.empty()) json["code"] = code;
  json["message"] = text;
  m_line = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  write();
  m_out.flush();
}

void EventLog::onOutcome(const RunOutcome& outcome) {
  static const char* const kNames[] = {"finished", "stopped", "failed"};
  m_line = "{\"event\":\"end\",\"outcome\":\"";
  m_line += kNames[static_cast<int>(outcome.outcome)];
  m_line += "\",\"steps\":";
  appendInteger(m_line, outcome.steps);
  if (outcome.hasTest) {
    m_line += ",\"test_loss\":";
    appendNumber(outcome.testLoss);
    appendMetrics("test_metrics", outcome.testMetrics);
  }
  m_line += ",\"seconds\":";
  appendNumber(outcome.seconds);
  m_line += ",\"peak_bytes\":";
  appendInteger(m_line, static_cast<int64_t>(outcome.peakBytes));
  m_line += ",\"weights\":" + quoted(outcome.weightsPath) +
            ",\"weights_hash\":" + quoted(outcome.weightsHash);
  appendLossScale(outcome.lossScale);
  if (!outcome.endedBy.empty()) m_line += ",\"ended_by\":" + quoted(outcome.endedBy);
  if (!outcome.restoredBy.empty()) {
    m_line += ",\"restored\":{\"monitor\":" + quoted(outcome.restoredBy) + ",\"epoch\":";
    appendInteger(m_line, outcome.restoredEpoch);
    m_line += '}';
  }
  if (!outcome.bestPath.empty()) m_line += ",\"best\":" + quoted(outcome.bestPath);
  if (const PhaseTimes& phases = outcome.phases; phases.steps > 0) {
    const auto add = [&](const char* name, double value) {
      m_line += std::string(",\"") + name + "\":";
      appendNumber(value);
    };
    m_line += ",\"phases\":{\"steps\":";
    appendInteger(m_line, phases.steps);
    add("step_us", 1e6 * phases.stepSeconds / static_cast<double>(phases.steps));
    add("wait_for_data", phases.fractionOf(phases.waitSeconds));
    add("forward", phases.fractionOf(phases.forwardSeconds));
    add("backward", phases.fractionOf(phases.backwardSeconds));
    add("update", phases.fractionOf(phases.updateSeconds));
    if (phases.collectiveSeconds > 0)
      add("in_collectives", phases.fractionOf(phases.collectiveSeconds));
    add("measuring", phases.fractionOf(phases.measuringSeconds));
    if (phases.collectives > 0) {
      add("communication", phases.fractionOf(phases.communicationSeconds));
      add("exposed_communication", phases.fractionOf(phases.exposedSeconds));
      add("communication_processor_time", phases.fractionOf(phases.communicationProcessorSeconds));
      const auto steps = static_cast<double>(phases.steps);
      add("collectives_per_step", static_cast<double>(phases.collectives) / steps);
      add("sent_bytes_per_step", static_cast<double>(phases.communicationBytes) / steps);
    }
    m_line += '}';
  }
  m_line += ",\"trained_samples\":";
  appendInteger(m_line, outcome.trainedSamples);
  for (size_t i = 0; i < outcome.devices.size(); ++i)
    m_line += (i == 0 ? ",\"devices\":[" : ",") + summaryToJson(outcome.devices[i]).dump();
  if (!outcome.devices.empty()) m_line += ']';
  if (!outcome.replicas.replicas.empty())
    m_line += ",\"replicas\":" + toJson(outcome.replicas).dump();
  if (outcome.error) m_line += ",\"error\":" + quoted(outcome.error->line());
  m_line += '}';
  write();
  m_out.flush();
}

}  // namespace strata
