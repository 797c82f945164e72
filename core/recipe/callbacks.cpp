// SPDX-License-Identifier: Apache-2.0
// Lists the callbacks and checks those of a project.
#include "core/recipe/callbacks.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/project/text.h"
#include "core/recipe/entry_fields.h"
#include "gpu/base/nearest_name.h"

namespace strata {

namespace {

FieldSchema monitorField() {
  return {
      .name = "monitor",
      .type = FieldType::String,
      .defaultJson = "\"val_loss\"",
      .registry = "monitor",
      .help = STRATA_TEXT(
          "training",
          "Value to monitor: loss or the name of a metric, with the prefix val_ for validation"),
      .title = STRATA_TEXT("training", "Monitored value")};
}

FieldSchema modeField() {
  return {
      .name = "mode",
      .type = FieldType::Choice,
      .defaultJson = "\"auto\"",
      .choices = {"auto", "min", "max"},
      .help = STRATA_TEXT(
          "training", "min: smaller is better; max: larger is better; auto: depends on the metric"),
      .title = STRATA_TEXT("training", "Direction")};
}

FieldSchema minDeltaField(const char* value) {
  return numberField("min_delta", value, 0.0, {}, STRATA_TEXT("training", "Minimum improvement"),
                     STRATA_TEXT("training", "Smaller improvements are ignored"));
}

FieldSchema countField(const char* name, const char* value, double least, Text title, Text help) {
  return integerField(name, value, least, 1e15, title, help);
}

Schema earlyStopping() {
  return {
      .type = "EarlyStopping",
      .group = "Callback",
      .help =
          STRATA_TEXT("training", "Stops training when the monitored value has stopped improving"),
      .formula = "stop when wait >= patience",
      .source = "Keras 3, keras.callbacks.EarlyStopping",
      .fields = {
          monitorField(), minDeltaField("0"),
          countField("patience", "0", 0, STRATA_TEXT("training", "Patience"),
                     STRATA_TEXT("training",
                                 "Number of epochs without improvement before the callback acts")),
          modeField(),
          numberField(
              "baseline", "null", {}, {}, STRATA_TEXT("training", "Baseline"),
              STRATA_TEXT(
                  "training",
                  "The monitored value must be better than this value to reset the patience")),
          flagField("restore_best_weights", "false",
                    STRATA_TEXT("training", "Restore best weights"),
                    STRATA_TEXT("training",
                                "Restores the weights of the best epoch at the end of the run")),
          countField(
              "start_from_epoch", "0", 0, STRATA_TEXT("training", "Start after epoch"),
              STRATA_TEXT("training",
                          "Number of epochs at the start of training that are not monitored"))}};
}

Schema reduceOnPlateau() {
  FieldSchema factor =
      positiveField("factor", "0.1", STRATA_TEXT("training", "Factor"),
                    STRATA_TEXT("training", "Factor by which the learning rate is multiplied"));
  factor.maximum = 1;
  factor.isMaximumExclusive = true;
  return {
      .type = "ReduceLROnPlateau",
      .group = "Callback",
      .help = STRATA_TEXT(
          "training", "Reduces the learning rate when the monitored value has stopped improving"),
      .formula = "rate = max(rate * factor, min_lr)",
      .source = "Keras 3, keras.callbacks.ReduceLROnPlateau",
      .fields = {
          monitorField(), factor,
          countField("patience", "10", 0, STRATA_TEXT("training", "Patience"),
                     STRATA_TEXT("training",
                                 "Number of epochs without improvement before the callback acts")),
          modeField(), minDeltaField("0.0001"),
          countField("cooldown", "0", 0, STRATA_TEXT("training", "Cooldown"),
                     STRATA_TEXT("training",
                                 "Number of epochs to wait after the learning rate was reduced "
                                 "before monitoring resumes")),
          numberField("min_lr", "0.0", 0.0, {}, STRATA_TEXT("training", "Minimum learning rate"),
                      STRATA_TEXT("training", "Lower bound of the learning rate"))}};
}

Schema modelCheckpoint() {
  FieldSchema saveFreq = countField(
      "save_freq", "\"epoch\"", 1, STRATA_TEXT("training", "Save every"),
      STRATA_TEXT("training",
                  "Number of steps between two checkpoints; epoch: at the end of each epoch"));
  saveFreq.choices = {"epoch"};
  FieldSchema keepLast =
      countField("keep_last", "5", 1, STRATA_TEXT("training", "Checkpoints to keep"),
                 STRATA_TEXT("training", "Number of newest checkpoints to keep; none: all"));
  keepLast.isNullable = true;
  return {.type = "ModelCheckpoint",
          .group = "Callback",
          .help = STRATA_TEXT(
              "training", "Saves checkpoints of the run, and the best weights as best.safetensors"),
          .source = "Keras 3, keras.callbacks.ModelCheckpoint",
          .fields = {
              monitorField(),
              flagField("save_best_only", "false", STRATA_TEXT("training", "Save best only"),
                        STRATA_TEXT(
                            "training",
                            "Saves a checkpoint only when the monitored value is the best so far")),
              modeField(), saveFreq,
              numberField(
                  "initial_value_threshold", "null", {}, {}, STRATA_TEXT("training", "Threshold"),
                  STRATA_TEXT("training", "Only values better than this count as the best")),
              positiveField(
                  "save_minutes", "null", STRATA_TEXT("training", "Save every (minutes)"),
                  STRATA_TEXT("training", "Minutes of training between additional checkpoints")),
              keepLast,
              countField("keep_best", "1", 0, STRATA_TEXT("training", "Best checkpoints to keep"),
                         STRATA_TEXT("training",
                                     "Number of checkpoints with the best monitored values to keep "
                                     "in addition to the newest ones"))}};
}

Schema terminateOnNaN() {
  return {.type = "TerminateOnNaN",
          .group = "Callback",
          .help = STRATA_TEXT("training",
                              "Stops training when the loss is NaN or infinite; every run does "
                              "this and names the first affected layer"),
          .source = "Keras 3, keras.callbacks.TerminateOnNaN"};
}

const std::vector<Schema>& allCallbacks() {
  static const std::vector<Schema> schemas{earlyStopping(), reduceOnPlateau(), modelCheckpoint(),
                                           terminateOnNaN()};
  return schemas;
}

const std::string& nameOf(const TypedFields& metric) {
  return metric.name.empty() ? metric.type : metric.name;
}

/// Returns the metric that has a value with this name, or null. The name is that of the metric,
/// such as "f1", or "f1/0" if the metric has several values.
const TypedFields* metricOf(const std::vector<TypedFields>& measured, const std::string& name) {
  for (const TypedFields& metric : measured)
    if (nameOf(metric) == name) return &metric;
  for (const TypedFields& metric : measured)
    if (name.starts_with(nameOf(metric) + "/")) return &metric;
  return nullptr;
}

std::string withoutVal(const std::string& monitor) {
  return monitor.starts_with("val_") ? monitor.substr(4) : monitor;
}

/// Returns whether the callback uses the monitored value. A ModelCheckpoint that keeps all
/// checkpoints does not.
bool needsMonitor(const TypedFields& callback) {
  if (callback.type != "ModelCheckpoint") return callback.fields->contains("monitor");
  return callback.fields->at("save_best_only").get<bool>();
}

/// Returns the field or pointer of the first learning rate that is a schedule, in the optimizer or
/// in a stage. Returns "" if all learning rates are numbers.
std::string scheduleIn(const TrainingOptions& options) {
  if (options.schedule) return "learning_rate";
  for (size_t i = 0; i < options.stages.size(); ++i)
    if (options.stages[i].schedule)
      return "/training/stages/" + std::to_string(i) + "/learning_rate";
  return {};
}

}  // namespace

std::span<const Schema* const> callbackSchemas() {
  static const std::vector<const Schema*> pointers = [] {
    std::vector<const Schema*> result;
    for (const Schema& schema : allCallbacks())
      result.push_back(&schema);
    return result;
  }();
  return pointers;
}

Direction directionOfMonitor(const TrainingOptions& options, const std::string& monitor) {
  const std::string name = withoutVal(monitor);
  if (name == "loss") return Direction::Down;
  const std::vector<TypedFields> measured = options.metrics();
  const TypedFields* const metric = metricOf(measured, name);
  return metric ? directionOf(metric->type) : Direction::None;
}

bool hadOtherDirection(const TrainingOptions& options, const std::string& monitor) {
  const std::vector<TypedFields> measured = options.metrics();
  const TypedFields* const metric = metricOf(measured, withoutVal(monitor));
  return metric && (metric->type.ends_with("io_u") || metric->type.ends_with("_correlation"));
}

std::vector<std::string> monitorNames(const TrainingOptions& options) {
  std::vector<std::string> names{"loss"};
  for (const TypedFields& figure : options.metrics())
    names.push_back(nameOf(figure));
  for (size_t i = 0, count = names.size(); i < count; ++i)
    names.push_back("val_" + names[i]);
  return names;
}

void readCallbacks(const Json& given, TrainingOptions& options, Diagnostics& diagnostics) {
  const std::string where = "/training/callbacks";
  const auto report = [&](const char* code, const std::string& pointer, Text message,
                          Arguments arguments, std::vector<Fix> fixes = {}) {
    diagnostics.push_back(
        {Severity::Error, code, "", pointer, message, std::move(arguments), std::move(fixes)});
  };
  if (!given.is_array())
    return report("wrong_type", where,
                  STRATA_TEXT("problem",
                              "callbacks has the wrong type (expected a list, got %1). Write "
                              "[{\"type\": \"EarlyStopping\"}]."),
                  {excerpt(given.dump(), 60)});
  const std::vector<std::string> known = monitorNames(options);
  const std::vector<TypedFields> measured = options.metrics();
  for (size_t i = 0; i < given.size(); ++i) {
    const std::string pointer = where + "/" + std::to_string(i);
    const size_t before = diagnostics.size();
    const Json checked = checkTyped(callbackSchemas(), "callback", given[i], pointer, "",
                                    diagnostics, {"type", "name", "verbose"});
    if (!checked.is_object() || diagnostics.size() > before) {
      if (!checked.is_object() ||
          hasErrors(Diagnostics(diagnostics.begin() + static_cast<std::ptrdiff_t>(before),
                                diagnostics.end())))
        continue;
    }
    TypedFields callback{checked.at("type").get<std::string>(),
                         std::make_shared<const Json>(checked)};
    if (const auto monitor = checked.find("monitor"); monitor != checked.end()) {
      const auto name = monitor->get<std::string>();
      const std::string base = withoutVal(name);
      const TypedFields* const metric = metricOf(measured, base);
      const bool isGiven = given[i].is_object() && given[i].contains("monitor");
      if (base != "loss" && !metric) {
        const std::string nearest = nearestName(name, known);
        std::string expected;
        for (const std::string& each : known)
          expected += (expected.empty() ? "" : ", ") + each;
        std::vector<Fix> fixes;
        if (!nearest.empty()) fixes.push_back(changeFix(pointer + "/monitor", name, nearest));
        if (isGiven || needsMonitor(callback)) {
          report(
              "unknown_monitor", pointer + "/monitor",
              nearest.empty()
                  ? STRATA_TEXT(
                        "problem",
                        "%1 is not measured (expected one of: %2). Choose one, or add the metric.")
                  : STRATA_TEXT("problem",
                                "%1 is not measured (expected one of: %2). Did you mean \"%3\"?"),
              {name, expected, nearest}, std::move(fixes));
          continue;
        }
      }
      else if (metric && checked.at("mode") == "auto" &&
               directionOf(metric->type) == Direction::None) {
        report("no_direction", pointer + "/mode",
               STRATA_TEXT("problem",
                           "mode is auto, but it cannot be inferred from %1 whether smaller or "
                           "larger is better (expected min or max). Set mode."),
               {name});
        continue;
      }
    }
    const std::string schedule = scheduleIn(options);
    if (callback.type == "ReduceLROnPlateau" && !schedule.empty()) {
      report("conflict", pointer,
             STRATA_TEXT("problem",
                         "ReduceLROnPlateau needs a constant learning rate, but %1 is a schedule. "
                         "Remove one of them."),
             {schedule},
             {{STRATA_TEXT("problem", "Remove %1"),
               {callback.type},
               {STRATA_TEXT("edit", "Remove %1"),
                {callback.type},
                {{EditOperation::Kind::Remove, pointer, {}, 0}},
                {}}}});
      continue;
    }
    options.callbacks.push_back(std::move(callback));
  }
}

void checkMonitors(const TrainingOptions& options, Diagnostics& diagnostics) {
  for (const TypedFields& callback : options.callbacks) {
    if (!needsMonitor(callback)) continue;
    const auto name = callback.fields->at("monitor").get<std::string>();
    if (!name.starts_with("val_")) continue;
    diagnostics.push_back(
        {Severity::Error,
         "no_validation",
         "",
         "/training/callbacks",
         STRATA_TEXT("problem",
                     "%1 monitors %2, but there are no validation samples (expected a "
                     "validation_split above 0). Set validation_split of the data, or monitor %3."),
         {callback.type, name, withoutVal(name)},
         {setFix("/data/validation_split", 0.1)}});
  }
}

}  // namespace strata
