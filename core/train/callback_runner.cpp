// SPDX-License-Identifier: Apache-2.0
// Evaluates the callbacks. All decisions match Keras 3, including comparisons in float32.
#include <algorithm>
#include <charconv>
#include <cmath>

#include <nlohmann/json.hpp>

#include "core/project/json.h"
#include "core/train/callback_runner.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

/// Returns the value as text, because JSON has no NaN. The text preserves every value exactly.
Json exactText(std::optional<double> value) {
  if (!value) return nullptr;
  char buffer[40];
  return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, *value).ptr);
}

std::optional<double> numberFromText(const Json& json) {
  if (json.is_null()) return std::nullopt;
  const std::string& text = json.get_ref<const std::string&>();
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

std::optional<double> Monitor::valueOf(const EpochMetrics& epoch) const {
  if (isValidation && !epoch.hasValidation) return std::nullopt;
  if (index < 0) return isValidation ? epoch.validationLoss : epoch.loss;
  const std::vector<double>& metrics = isValidation ? epoch.validationMetrics : epoch.metrics;
  const auto at = static_cast<size_t>(index);
  return at < metrics.size() ? std::optional(metrics[at]) : std::nullopt;
}

bool Monitor::isBetter(double value, double reference, double minDelta) const {
  const auto changed = static_cast<float>(isUp ? value - minDelta : value + minDelta),
             other = static_cast<float>(reference);
  return isUp ? changed > other : changed < other;
}

double CallbackRunner::Entry::number(const char* field) const {
  return fields->at(field).get<double>();
}
int64_t CallbackRunner::Entry::integer(const char* field) const {
  return fields->at(field).get<int64_t>();
}
bool CallbackRunner::Entry::isSet(const char* field) const { return fields->at(field).get<bool>(); }

bool CallbackRunner::Entry::isBest(double value, double minDelta) const {
  return !std::isnan(value) && (!best || monitor->isBetter(value, *best, minDelta));
}

void CallbackRunner::Entry::forgetBest() {
  best.reset();
  wait = bestEpoch = 0;
  if (type == "ModelCheckpoint" && fields->at("initial_value_threshold").is_number())
    best = number("initial_value_threshold");
}

CallbackRunner::CallbackRunner(const TrainingOptions& options,
                               const std::vector<std::string>& metricNames)
    : m_isAveraged(options.usesAverages()) {
  for (const TypedFields& callback : options.callbacks) {
    Entry entry;
    entry.type = callback.type;
    entry.fields = callback.fields;
    if (const auto watched = callback.fields->find("monitor"); watched != callback.fields->end()) {
      Monitor monitor;
      monitor.name = watched->get<std::string>();
      monitor.isValidation = monitor.name.starts_with("val_");
      const std::string base = monitor.isValidation ? monitor.name.substr(4) : monitor.name;
      const auto at = std::find(metricNames.begin(), metricNames.end(), base);
      const bool isThere = base == "loss" || at != metricNames.end();
      if (base != "loss" && isThere) monitor.index = static_cast<int>(at - metricNames.begin());
      if (!isThere && callback.type != "ModelCheckpoint") {
        std::string expected = "loss";
        for (const std::string& name : metricNames)
          expected += ", " + name;
        throw Error(ErrorCode::InvalidProject, callback.type,
                    "it monitors " + monitor.name +
                        ", which is not measured (expected one of: " + expected + "). Choose one.");
      }
      const auto mode = callback.fields->at("mode").get<std::string>();
      const bool isAuto = mode == "auto";
      monitor.isUp =
          isAuto ? directionOfMonitor(options, monitor.name) == Direction::Up : mode == "max";
      entry.hadOtherDirection = isAuto && hadOtherDirection(options, monitor.name);
      if (isThere) entry.monitor = monitor;
    }
    entry.forgetBest();
    m_entries.push_back(std::move(entry));
  }
  setDue();
}

std::string CallbackRunner::text() const {
  if (m_entries.empty()) return {};
  Json list = Json::array();
  for (const Entry& entry : m_entries) {
    Json held = Json::array();
    for (const Held& each : entry.held)
      held.push_back({each.step, exactText(each.value)});
    Json state{{"type", entry.type},
               {"best", exactText(entry.best)},
               {"wait", entry.wait},
               {"cooldown", entry.cooldown},
               {"best_epoch", entry.bestEpoch},
               {"last_step", entry.lastStep},
               {"last_seconds", exactText(entry.lastSeconds)},
               {"held", held}};
    if (entry.monitor) {
      state["direction"] = entry.monitor->isUp ? "up" : "down";
      state["averaged"] = m_isAveraged;
    }
    list.push_back(std::move(state));
  }
  return list.dump();
}

/// Forgets the best value of a callback that was found among values of other weights, or with the
/// other direction. Versions before these fields took the weights themselves, and guessed the
/// direction.
void CallbackRunner::dropOtherBest(Entry& entry, const Json& kept, const std::string& file,
                                   std::vector<std::string>& warnings) const {
  if (!entry.monitor || !entry.best) return;
  const bool wasUp = kept.contains("direction") ? kept["direction"] == Json("up")
                                                : entry.monitor->isUp != entry.hadOtherDirection;
  const bool wasAveraged = kept.value("averaged", false);
  if (wasUp == entry.monitor->isUp && wasAveraged == m_isAveraged) return;
  const char* text =
      "compared values of the weights themselves until now. From now on it compares values of "
      "their moving average, and the best value so far is forgotten.";
  if (wasUp && !entry.monitor->isUp)
    text =
        "took the largest value as the best until now. From now on the smallest value is the "
        "best, and the best value so far is forgotten.";
  else if (!wasUp && entry.monitor->isUp)
    text =
        "took the smallest value as the best until now. From now on the largest value is the "
        "best, and the best value so far is forgotten.";
  else if (wasAveraged)
    text =
        "compared values of the moving average of the weights until now. From now on it "
        "compares values of the weights themselves, and the best value so far is forgotten.";
  warnings.push_back(file + ": " + entry.type + " of " + entry.monitor->name + " " + text);
  entry.forgetBest();
}

void CallbackRunner::restore(const std::string& text, const std::string& file,
                             std::vector<std::string>& warnings) {
  // The run had no callbacks before, so they start now.
  if (text.empty()) return;
  try {
    const Json list = parseJson(text, file);
    for (size_t i = 0; i < m_entries.size() && i < list.size(); ++i) {
      const Json& kept = list[i];
      Entry& entry = m_entries[i];
      if (kept.at("type") != Json(entry.type)) throw Error(ErrorCode::InvalidFile, file, "");
      entry.best = numberFromText(kept.at("best"));
      entry.wait = kept.at("wait");
      entry.cooldown = kept.at("cooldown");
      entry.bestEpoch = kept.at("best_epoch");
      entry.lastStep = kept.at("last_step");
      entry.lastSeconds = numberFromText(kept.at("last_seconds")).value_or(0);
      entry.held.clear();
      for (const Json& each : kept.at("held"))
        entry.held.push_back({each.at(0).get<int64_t>(), numberFromText(each.at(1))});
      // Earlier versions could take a NaN as the best value
      if (entry.best && std::isnan(*entry.best)) entry.forgetBest();
      dropOtherBest(entry, kept, file, warnings);
    }
  }
  catch (const std::exception&) {
    throw Error(ErrorCode::InvalidFile, file,
                "the checkpoint belongs to other callbacks than the project has. Start a new run.");
  }
  setDue();
}

void CallbackRunner::watchStopping(Entry& entry, int index, const EpochMetrics& epoch,
                                   Decision& decision) {
  const std::optional<double> value = entry.monitor->valueOf(epoch);
  const int64_t number = epoch.epoch - 1;
  if (!value || number < entry.integer("start_from_epoch")) return;
  const bool restores = entry.isSet("restore_best_weights");
  const auto keep = [&] {
    entry.bestEpoch = epoch.epoch;
    if (restores && std::find(decision.snapshots.begin(), decision.snapshots.end(), index) ==
                        decision.snapshots.end())
      decision.snapshots.push_back(index);
  };
  if (restores && entry.bestEpoch == 0 && !std::isnan(*value)) keep();
  ++entry.wait;
  const double minDelta = entry.number("min_delta");
  if (entry.isBest(*value, minDelta)) {
    entry.best = *value;
    keep();
    const Json& baseline = entry.fields->at("baseline");
    if (baseline.is_null() || entry.monitor->isBetter(*value, baseline.get<double>(), minDelta))
      entry.wait = 0;
    return;
  }
  if (entry.wait >= entry.integer("patience") && number > 0 && decision.endedBy.empty())
    decision.endedBy = entry.type;
}

void CallbackRunner::watchPlateau(Entry& entry, const EpochMetrics& epoch, double rate,
                                  Decision& decision) {
  const std::optional<double> value = entry.monitor->valueOf(epoch);
  if (!value) return;
  if (entry.cooldown > 0) {
    --entry.cooldown;
    entry.wait = 0;
  }
  if (entry.isBest(*value, entry.number("min_delta"))) {
    entry.best = *value;
    entry.wait = 0;
    return;
  }
  if (entry.cooldown > 0 || ++entry.wait < entry.integer("patience")) return;
  const double least = entry.number("min_lr"), old = static_cast<double>(static_cast<float>(rate));
  if (old <= static_cast<double>(static_cast<float>(least))) return;
  decision.learningRate = std::max(old * entry.number("factor"), least);
  entry.cooldown = entry.integer("cooldown");
  entry.wait = 0;
}

void CallbackRunner::watchCheckpoint(Entry& entry, const EpochMetrics& values, bool isDue,
                                     Decision& decision) {
  const std::optional<double> value = entry.monitor ? entry.monitor->valueOf(values) : std::nullopt;
  const bool isBest = value && entry.isBest(*value);
  if (isBest) {
    entry.best = *value;
    // All callbacks share best.safetensors, and the first callback that requests it decides.
    if (!decision.isBest) {
      decision.isBest = true;
      decision.bestValue = *value;
      decision.bestMonitor = entry.monitor->name;
    }
  }
  const bool bestOnly = entry.isSet("save_best_only");
  const auto numBest = static_cast<size_t>(entry.integer("keep_best"));
  const auto isWorse = [&](const Held& a, const Held& b) {
    return entry.monitor->isBetter(*b.value, *a.value);
  };
  // Checkpoints with a value, from best to worst. If values are equal, the older checkpoint comes
  // first.
  std::vector<Held> best;
  for (const Held& each : entry.held)
    if (each.value) best.push_back(each);
  if (value && !std::isnan(*value)) best.push_back({values.step, value});
  std::stable_sort(best.begin(), best.end(),
                   [&](const Held& a, const Held& b) { return isWorse(b, a); });
  if (best.size() > numBest) best.resize(numBest);
  const auto isAmong = [](const std::vector<Held>& list, int64_t step) {
    return std::any_of(list.begin(), list.end(),
                       [&](const Held& each) { return each.step == step; });
  };
  const bool saves = bestOnly ? isBest : (isDue || isAmong(best, values.step));
  if (!saves) return;
  decision.saves = true;
  if (!isAmong(entry.held, values.step)) entry.held.push_back({values.step, value});
  // The checkpoint of this update was saved before the validation, so its value is added now.
  else if (value)
    std::find_if(entry.held.begin(), entry.held.end(), [&](const Held& each) {
      return each.step == values.step;
    })->value = value;
  if (entry.fields->at("keep_last").is_null()) return;
  const auto numLast = static_cast<size_t>(entry.integer("keep_last"));
  std::vector<Held> kept;
  for (size_t i = 0; i < entry.held.size(); ++i)
    if (i + numLast >= entry.held.size() || isAmong(best, entry.held[i].step))
      kept.push_back(entry.held[i]);
  entry.held = std::move(kept);
}

CallbackRunner::Decision CallbackRunner::epochEnded(const EpochMetrics& epoch,
                                                    double learningRate) {
  Decision decision;
  for (size_t i = 0; i < m_entries.size(); ++i) {
    Entry& entry = m_entries[i];
    if (entry.monitor && std::isnan(entry.monitor->valueOf(epoch).value_or(0))) entry.wasNan = true;
    if (entry.type == "EarlyStopping") watchStopping(entry, static_cast<int>(i), epoch, decision);
    if (entry.type == "ReduceLROnPlateau")
      watchPlateau(entry, epoch, decision.learningRate.value_or(learningRate), decision);
    if (entry.type == "ModelCheckpoint")
      watchCheckpoint(entry, epoch, entry.fields->at("save_freq").is_string(), decision);
  }
  return decision;
}

CallbackRunner::Decision CallbackRunner::validated(const EpochMetrics& values) {
  Decision decision;
  for (Entry& entry : m_entries)
    if (entry.type == "ModelCheckpoint" && entry.monitor && entry.monitor->isValidation)
      watchCheckpoint(entry, values, false, decision);
  return decision;
}

CallbackRunner::Decision CallbackRunner::stepEnded(const EpochMetrics& values, double seconds) {
  Decision decision;
  for (Entry& entry : m_entries) {
    if (entry.type != "ModelCheckpoint") continue;
    const Json &every = entry.fields->at("save_freq"), &minutes = entry.fields->at("save_minutes");
    const bool byStep = every.is_number() && values.step >= entry.lastStep + every.get<int64_t>();
    const bool byTime =
        minutes.is_number() && seconds >= entry.lastSeconds + 60 * minutes.get<double>();
    if (byStep) entry.lastStep = values.step;
    if (byTime) entry.lastSeconds = seconds;
    if (byStep || byTime) watchCheckpoint(entry, values, true, decision);
  }
  setDue();
  return decision;
}

void CallbackRunner::setDue() {
  m_dueStep = INT64_MAX;
  m_dueSeconds = HUGE_VAL;
  for (const Entry& entry : m_entries) {
    if (entry.type != "ModelCheckpoint") continue;
    const Json &every = entry.fields->at("save_freq"), &minutes = entry.fields->at("save_minutes");
    if (every.is_number()) m_dueStep = std::min(m_dueStep, entry.lastStep + every.get<int64_t>());
    if (minutes.is_number())
      m_dueSeconds = std::min(m_dueSeconds, entry.lastSeconds + 60 * minutes.get<double>());
  }
}

std::vector<int64_t> CallbackRunner::heldSteps() const {
  std::vector<int64_t> steps;
  for (const Entry& entry : m_entries)
    for (const Held& each : entry.held)
      steps.push_back(each.step);
  return steps;
}

void CallbackRunner::goOn() {
  for (Entry& entry : m_entries)
    if (entry.type == "EarlyStopping") entry.wait = 0;
}

std::vector<CallbackRunner::Restoring> CallbackRunner::restoring() const {
  std::vector<Restoring> result;
  for (size_t i = 0; i < m_entries.size(); ++i)
    if (const Entry& entry = m_entries[i];
        entry.type == "EarlyStopping" && entry.isSet("restore_best_weights") && entry.bestEpoch > 0)
      result.push_back({static_cast<int>(i), entry.monitor->name, entry.bestEpoch});
  return result;
}

bool CallbackRunner::keepsBest() const {
  return std::any_of(m_entries.begin(), m_entries.end(),
                     [](const Entry& entry) { return entry.type == "ModelCheckpoint"; });
}

std::vector<std::string> CallbackRunner::warningsOfNoBest() const {
  std::vector<std::string> warnings;
  for (const Entry& entry : m_entries) {
    if (!entry.wasNan || entry.best) continue;
    std::string warning = entry.type + ": " + entry.monitor->name +
                          " had no value (NaN) after each epoch, so no best epoch was found";
    if (entry.type == "EarlyStopping" && entry.isSet("restore_best_weights"))
      warning += " and no weights were restored";
    if (entry.type == "ModelCheckpoint") warning += " and best.safetensors was not written";
    warnings.push_back(warning + ". Monitor another metric, such as val_loss.");
  }
  return warnings;
}

std::string CallbackRunner::snapshotName(const std::string& variable, int callback) {
  return variable + ":best:" + std::to_string(callback);
}

}  // namespace strata
