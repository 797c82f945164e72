// SPDX-License-Identifier: Apache-2.0
// /training and /execution of the document: every problem at once, with what this version does not do said by name.
#include "core/train/options.h"

#include "core/data/dataset.h"

#include <algorithm>
#include <charconv>

#include <nlohmann/json.hpp>

#include "core/project/text.h"
#include "core/train/callbacks.h"
#include "core/train/losses.h"
#include "core/train/metrics.h"
#include "core/train/optimizers.h"
#include "gpu/exec/device.h"

namespace strata {

namespace {

EditOperation set(const std::string& pointer, const Json& value) { return {EditOperation::Kind::Set, pointer, value.dump(), 0}; }
EditOperation removal(const std::string& pointer) { return {EditOperation::Kind::Remove, pointer, {}, 0}; }

Fix fix(Text label, std::vector<std::string> arguments, EditOperation operation) {
  ProjectEdit edit{label, arguments, {std::move(operation)}, {}};
  return {label, std::move(arguments), std::move(edit)};
}

const Json& partOf(const Project& project, const char* name) {
  static const Json kNone = Json::object();
  const Json& document = project.document();
  const auto part = document.is_object() ? document.find(name) : document.end();
  return document.is_object() && part != document.end() && part->is_object() ? *part : kNone;
}

/// "mse" -> "mean_squared_error", as keras.losses.get and keras.metrics.get do; other names come back as they are.
std::string wholeName(std::string_view what, const std::string& name) {
  if (what != "loss" && what != "metric") return name;
  static const std::map<std::string, std::string, std::less<>> kShort{{"mse", "mean_squared_error"},
                                                                      {"mae", "mean_absolute_error"},
                                                                      {"mape", "mean_absolute_percentage_error"},
                                                                      {"msle", "mean_squared_logarithmic_error"},
                                                                      {"bce", "binary_crossentropy"},
                                                                      {"kld", "kl_divergence"}};
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  if (name != lower && std::any_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; })) return name;  // mse or MSE
  if (what == "metric" && lower == "acc") return "accuracy";
  if (what == "metric" && lower == "kld") return name;
  const auto found = kShort.find(lower);
  return found == kShort.end() ? name : found->second;
}

class Reader {
 public:
  explicit Reader(Diagnostics& diagnostics) : m_diagnostics(diagnostics) {}

  void report(const char* code, std::string pointer, Text message, std::vector<std::string> arguments, std::vector<Fix> fixes = {},
              Severity severity = Severity::Error) {
    m_diagnostics.push_back({severity, code, "", std::move(pointer), message, std::move(arguments), std::move(fixes)});
  }

  void notInVersion(const std::string& pointer, const std::string& what, EditOperation remedy) {
    report("not_in_version", pointer, STRATA_TEXT("problem", "%1 is not in this version. Remove it."), {what},
           {fix(STRATA_TEXT("problem", "Remove %1"), {pointer.substr(pointer.rfind('/') + 1)}, std::move(remedy))});
  }

  /// Keras's short names are taken for what they stand for; a metric keeps the short one as its name.
  TypedFields typed(std::span<const Schema* const> schemas, const std::string& what, const Json& value, const std::string& pointer) {
    const Json* const type = value.is_object() && value.contains("type") ? &value["type"] : &value;
    const std::string given = type->is_string() ? type->get<std::string>() : std::string(), whole = wholeName(what, given);
    if (whole != given) {
      Json full = value.is_object() ? value : Json(whole);
      if (full.is_object()) full["type"] = whole;
      TypedFields result = typed(schemas, what, full, pointer);
      result.name = given;
      return result;
    }
    const Json checked = checkTyped(schemas, what, value, pointer, "", m_diagnostics, {"type", "name"});
    if (!checked.is_object()) return {};
    return {checked.at("type").get<std::string>(), std::make_shared<const Json>(checked)};
  }

  /// A number, or the checked object of a schedule.
  void readRate(const Json& rate, TrainingOptions& options) {
    if (rate.is_object()) {
      checkSchedule(rate, "/training/optimizer/learning_rate", m_diagnostics);
      if (hasErrors(m_diagnostics)) return;  // it may lack fields
      options.schedule = makeSchedule(rate);
    }
    options.learningRate = rate.is_object() ? options.schedule(0) : rate.get<double>();
  }

 private:
  Diagnostics& m_diagnostics;
};

TypedFields readOptimizer(Reader& reader, const Json& training, TrainingOptions& options) {
  const auto given = training.find("optimizer");
  const std::vector<const Schema*> schemas = schemasOf(allOptimizers());
  if (given == training.end()) {
    reader.report("missing_field", "/training/optimizer",
                  STRATA_TEXT("problem", "optimizer is missing (expected a name such as \"adam\"). Add it."), {},
                  {fix(STRATA_TEXT("problem", "Use %1"), {"adam"}, set("/training/optimizer", Json({{"type", "adam"}})))});
    return {};
  }
  TypedFields result = reader.typed(schemas, "optimizer", *given, "/training/optimizer");
  if (!result.fields) return result;
  const Json& fields = *result.fields;
  if (const auto rate = fields.find("learning_rate"); rate != fields.end()) reader.readRate(*rate, options);
  std::vector<std::string> clips;
  for (const char* name : {"clipnorm", "clipvalue", "global_clipnorm"})
    if (fields.contains(name) && !fields[name].is_null()) clips.push_back(name);
  if (clips.size() > 1)
    reader.report("conflict", "/training/optimizer/" + clips[1],
                  STRATA_TEXT("problem", "%1 and %2 are both set (expected one way of clipping). Remove one of them."),
                  {clips[0], clips[1]},
                  {fix(STRATA_TEXT("problem", "Remove %1"), {clips[1]}, removal("/training/optimizer/" + clips[1])),
                   fix(STRATA_TEXT("problem", "Remove %1"), {clips[0]}, removal("/training/optimizer/" + clips[0]))});
  return result;
}

/// What a metric is called: two of a type need names of their own.
const std::string& label(const TypedFields& metric) { return metric.name.empty() ? metric.type : metric.name; }

/// Keras's `class_weight`: {"0": 1.0, "2": 3.0}, or a list. Classes that are not named count 1.
void readClassWeights(Reader& reader, const Json& given, TrainingOptions& options) {
  constexpr int64_t kMostClasses = 100000;
  const auto wrong = [&](const std::string& pointer, const Json& value) {
    reader.report(
        "wrong_type", pointer,
        STRATA_TEXT("problem",
                    "class_weight is not of its type (expected a number of at least 0 for each class, as in {\"0\": 1.0, \"1\": 3.0}, "
                    "got %1). Correct it."),
        {excerpt(value.dump(), 60)});
  };
  if (!given.is_object() && !given.is_array()) return wrong("/training/class_weight", given);
  int64_t place = 0;
  for (const auto& [key, weight] : given.items()) {
    int64_t index = place++;
    if (given.is_object()) {
      const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
      if (error != std::errc() || end != key.data() + key.size()) index = -1;
    }
    const bool isRight = index >= 0 && index < kMostClasses && weight.is_number() && weight.get<double>() >= 0;
    if (!isRight) return wrong("/training/class_weight/" + escapedKey(key), Json{{key, weight}});
    if (options.classWeights.size() <= static_cast<size_t>(index)) options.classWeights.resize(static_cast<size_t>(index) + 1, 1.0);
    options.classWeights[static_cast<size_t>(index)] = weight.get<double>();
  }
}

void readMetrics(Reader& reader, const Json& training, TrainingOptions& options) {
  const auto given = training.find("metrics");
  if (given == training.end() || given->is_null()) return;
  if (!given->is_array()) {
    reader.report("wrong_type", "/training/metrics",
                  STRATA_TEXT("problem", "metrics is not of its type (expected a list, got %1). Write [\"accuracy\"]."),
                  {excerpt(given->dump(), 60)});
    return;
  }
  for (size_t i = 0; i < given->size(); ++i) {
    const std::string pointer = "/training/metrics/" + std::to_string(i);
    const Json& entry = (*given)[i];
    TypedFields metric = reader.typed(metricPointers(), "metric", entry, pointer);
    if (!metric.fields) continue;
    if (entry.is_object() && entry.contains("name") && entry["name"].is_string()) metric.name = entry["name"].get<std::string>();
    const bool isTwice = std::any_of(options.metrics.begin(), options.metrics.end(),
                                     [&](const TypedFields& other) { return label(other) == label(metric); });
    if (isTwice) {
      reader.report("duplicate_name", pointer, STRATA_TEXT("problem", "the metric %1 stands twice (expected once). Remove one of them."),
                    {label(metric)}, {fix(STRATA_TEXT("problem", "Remove %1"), {label(metric)}, removal(pointer))});
      continue;
    }
    options.metrics.push_back(std::move(metric));
  }
}

FieldSchema objectsField(const char* name, const char* registry, Text title, Text help) {
  return {.name = name,
          .type = FieldType::Objects,
          .defaultJson = "[]",
          .isNullable = true,
          .registry = registry,
          .help = help,
          .title = title};
}

}  // namespace

std::vector<std::string> projectNames(const Project& project, std::string_view registry) {
  if (registry == "layer_name") return layerPaths(project.document());
  if (registry == "setting") return changeableSettings(project.document());
  if (registry != "monitor") return {};
  Diagnostics ignored;
  return monitorNames(parseTraining(project, ignored));
}

const Schema& trainingSchema() {
  static const Schema schema{
      .type = "training",
      .group = "Training",
      .help = STRATA_TEXT("training", "How the network learns"),
      .fields = {{.name = "batch_size",
                  .type = FieldType::Integer,
                  .defaultJson = "32",
                  .minimum = 1.0,
                  .maximum = 16777216.0,
                  .unit = STRATA_TEXT("argument", "samples").source,
                  .help = STRATA_TEXT("training", "Samples of one update of the weights"),
                  .title = STRATA_TEXT("training", "Batch size")},
                 {.name = "gradient_accumulation_steps",
                  .type = FieldType::Integer,
                  .defaultJson = "1",
                  .minimum = 1.0,
                  .maximum = 16777216.0,
                  .help = STRATA_TEXT("training",
                                      "Pieces a batch is cut into, one after the other, to need less memory; the weights are updated once"),
                  .title = STRATA_TEXT("training", "Accumulation steps")},
                 {.name = "epochs",
                  .type = FieldType::Integer,
                  .defaultJson = "1",
                  .minimum = 1.0,
                  .maximum = 1e9,
                  .help = STRATA_TEXT("training", "Times the training data is gone through"),
                  .title = STRATA_TEXT("training", "Epochs")},
                 {.name = "seed",
                  .type = FieldType::Integer,
                  .defaultJson = "1",
                  .minimum = 0.0,
                  .maximum = 9007199254740991.0,
                  .help = STRATA_TEXT("training", "Decides initial weights, the order of data and dropout: the same seed, the same run"),
                  .title = STRATA_TEXT("training", "Seed")},
                 {.name = "shuffle",
                  .type = FieldType::Boolean,
                  .defaultJson = "true",
                  .help = STRATA_TEXT("training", "A new order of the samples in each epoch"),
                  .title = STRATA_TEXT("training", "Shuffle")},
                 {.name = "steps_per_epoch",
                  .type = FieldType::Integer,
                  .defaultJson = "null",
                  .minimum = 1.0,
                  .maximum = 1e15,
                  .isNullable = true,
                  .help = STRATA_TEXT("training",
                                      "Steps that make an epoch; the data goes on where the one before ended. None: once through the data"),
                  .title = STRATA_TEXT("training", "Steps per epoch")},
                 {.name = "validation_freq",
                  .type = FieldType::IntegerOrList,
                  .defaultJson = "1",
                  .minimum = 1.0,
                  .maximum = 1e9,
                  .help = STRATA_TEXT("training", "Validation after every so many epochs, or after the epochs of a list"),
                  .title = STRATA_TEXT("training", "Validation every")},
                 {.name = "validation_freq_steps",
                  .type = FieldType::Integer,
                  .defaultJson = "null",
                  .minimum = 1.0,
                  .maximum = 1e15,
                  .isNullable = true,
                  .help = STRATA_TEXT("training", "Validation after every so many steps as well; none: at the end of epochs alone"),
                  .title = STRATA_TEXT("training", "Validation every (steps)")},
                 objectsField("callbacks", "callback", STRATA_TEXT("training", "Callbacks"),
                              STRATA_TEXT("training",
                                          "What watches the run at each epoch's end: stops it, lowers its rate, keeps its best weights")),
                 objectsField("stages", "stage", STRATA_TEXT("training", "Stages"),
                              STRATA_TEXT("training", "Parts of training one after the other, in which other layers learn")),
                 objectsField("changes", "change", STRATA_TEXT("training", "Changes"),
                              STRATA_TEXT("training", "Settings that take another value at a step")),
                 {.name = "initial_weights",
                  .type = FieldType::String,
                  .defaultJson = "null",
                  .isNullable = true,
                  .help = STRATA_TEXT("training", "File of weights to start from, relative to the project"),
                  .title = STRATA_TEXT("training", "Initial weights")}}};
  return schema;
}

const Schema& executionSchema() {
  static const Schema schema{
      .type = "execution",
      .group = "Execution",
      .help = STRATA_TEXT("training", "Where and how it is computed"),
      .fields = {
          {.name = "devices",
           .type = FieldType::String,
           .defaultJson = "\"auto\"",
           .help = STRATA_TEXT("training", "auto, cpu or reference"),
           .title = STRATA_TEXT("training", "Device")},
          {.name = "threads",
           .type = FieldType::Integer,
           .defaultJson = "0",
           .minimum = 0.0,
           .maximum = 1024.0,
           .help = STRATA_TEXT("training", "Threads that compute; 0: all cores"),
           .title = STRATA_TEXT("training", "Threads")},
          {.name = "memory_limit",
           .type = FieldType::Integer,
           .defaultJson = "null",
           .minimum = 1.0,
           .isNullable = true,
           .unit = STRATA_TEXT("argument", "bytes").source,
           .help = STRATA_TEXT("training", "Most memory that training may use; left out, what the machine has"),
           .title = STRATA_TEXT("training", "Memory limit")},
          {.name = "recompute",
           .type = FieldType::Choice,
           .defaultJson = "\"auto\"",
           .choices = {"none", "auto", "all"},
           .help = STRATA_TEXT(
               "training",
               "Makes values again in the backward part in place of keeping them: auto as far as the memory limit asks for it, all "
               "as far as it saves memory"),
           .title = STRATA_TEXT("training", "Recompute")},
          {.name = "kernel_choice",
           .type = FieldType::Choice,
           .defaultJson = "\"same_bits\"",
           .choices = {"rule", "same_bits", "fastest"},
           .help = STRATA_TEXT(
               "training",
               "Kernels are timed on this machine: same_bits takes a faster one where its results are the same to the last bit, fastest "
               "wherever it is faster; rule times none"),
           .title = STRATA_TEXT("training", "Kernel choice")}}};
  return schema;
}

std::string recomputeName(Recompute how) { return how == Recompute::None ? "none" : how == Recompute::Auto ? "auto" : "all"; }

std::optional<Recompute> recomputeFromName(std::string_view name) {
  for (const Recompute how : {Recompute::None, Recompute::Auto, Recompute::All})
    if (recomputeName(how) == name) return how;
  return std::nullopt;
}

TrainingOptions parseTraining(const Project& project, Diagnostics& diagnostics) {
  TrainingOptions options;
  Reader reader(diagnostics);
  const Json& training = partOf(project, "training");
  const Json fields =
      checkFields(trainingSchema(), training, "/training", "", diagnostics, {"loss", "optimizer", "metrics", "class_weight"});
  options.batchSize = fields.at("batch_size").get<int64_t>();
  options.hasSampleWeights = weighsSamples(project);
  options.accumulationSteps = fields.at("gradient_accumulation_steps").get<int64_t>();
  options.epochs = fields.at("epochs").get<int64_t>();
  options.seed = fields.at("seed").get<uint64_t>();
  options.isShuffled = fields.at("shuffle").get<bool>();
  const auto count = [&](const char* name) {
    return fields.at(name).is_number() ? std::optional(fields.at(name).get<int64_t>()) : std::nullopt;
  };
  options.stepsPerEpoch = count("steps_per_epoch");
  options.validationSteps = count("validation_freq_steps");
  if (const Json& every = fields.at("validation_freq"); every.is_array()) {
    options.validationEpochs = every.get<std::vector<int64_t>>();
    std::sort(options.validationEpochs.begin(), options.validationEpochs.end());
  } else if (every.is_number()) {
    options.validationFreq = every.get<int64_t>();
  }
  if (fields.at("initial_weights").is_string()) options.initialWeights = fields["initial_weights"].get<std::string>();

  const auto loss = training.find("loss");
  if (loss == training.end()) {
    reader.report("missing_field", "/training/loss",
                  STRATA_TEXT("problem", "loss is missing (expected a name such as \"sparse_categorical_crossentropy\"). Add it."), {},
                  {fix(STRATA_TEXT("problem", "Use %1"), {"sparse_categorical_crossentropy"},
                       set("/training/loss", Json({{"type", "sparse_categorical_crossentropy"}})))});
  } else {
    options.loss = reader.typed(schemasOf(allLosses()), "loss", *loss, "/training/loss");
  }
  options.optimizer = readOptimizer(reader, training, options);
  readMetrics(reader, training, options);
  if (const auto weights = training.find("class_weight"); weights != training.end() && !weights->is_null())
    readClassWeights(reader, *weights, options);
  const auto part = [&](const char* name) {
    const auto found = training.find(name);
    return found == training.end() || found->is_null() ? nullptr : &*found;
  };
  if (const Json* const callbacks = part("callbacks")) readCallbacks(*callbacks, options, diagnostics);
  if (const Json* const stages = part("stages")) options.stages = readStages(*stages, project, options.epochs, diagnostics);
  if (const Json* const changes = part("changes")) options.changes = readChanges(*changes, project, diagnostics);
  return options;
}

std::optional<size_t> ExecutionOptions::limitOf(std::string_view name) const {
  if (memoryLimits.empty()) return memoryLimitBytes;
  const auto entry = memoryLimits.find(name);
  return entry == memoryLimits.end() ? std::nullopt : std::optional(entry->second);
}

/// {"cpu": bytes, ...}. Names of devices that later versions compute on are good and say nothing here.
static void readMemoryLimits(Reader& reader, const Json& limits, ExecutionOptions& options, Diagnostics& diagnostics) {
  const auto isNumbered = [](std::string_view name, std::string_view kind) {
    if (!name.starts_with(kind)) return false;
    name.remove_prefix(kind.size());
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  for (const auto& [device, bytes] : limits.items()) {
    const std::string pointer = "/execution/memory_limit/" + escapedKey(device);
    const bool isHere = device == "cpu" || device == "reference";
    if (!isHere && !isNumbered(device, "cpu:") && !isNumbered(device, "cuda:")) {
      const std::string nearest = nearestName(device, {"cpu", "reference", "cuda:0"});
      std::vector<Fix> fixes;
      if (!nearest.empty() && !limits.contains(nearest)) {
        const ProjectEdit rename{STRATA_TEXT("edit", "Rename %1 to %2"),
                                 {device, nearest},
                                 {removal(pointer), set("/execution/memory_limit/" + nearest, bytes)},
                                 {}};
        fixes.push_back({STRATA_TEXT("problem", "Rename %1 to %2"), {device, nearest}, rename});
      }
      fixes.push_back(fix(STRATA_TEXT("problem", "Remove %1"), {device}, removal(pointer)));
      reader.report("unknown_device", pointer,
                    nearest.empty() ? STRATA_TEXT("problem", "there is no device \"%1\" (expected cpu, reference or cuda:0). Choose one.")
                                    : STRATA_TEXT("problem", "there is no device \"%1\". Did you mean \"%2\"?"),
                    {device, nearest}, std::move(fixes));
      continue;
    }
    const Json value = checkField(*executionSchema().field("memory_limit"), bytes, pointer, "", diagnostics);
    if (isHere && value.is_number()) options.memoryLimits[device] = value.get<size_t>();
  }
}

ExecutionOptions parseExecution(const Project& project, Diagnostics& diagnostics) {
  ExecutionOptions options;
  Reader reader(diagnostics);
  const Json& execution = partOf(project, "execution");
  Json known = execution;
  if (const auto devices = known.find("devices"); devices != known.end() && devices->is_array()) {
    if (devices->size() == 1) {
      *devices = Json(devices->front());
    } else if (devices->size() > 1) {
      reader.report("not_in_version", "/execution/devices",
                    STRATA_TEXT("problem", "training on %1 devices is not in this version (expected auto, cpu or reference). Choose one."),
                    {std::to_string(devices->size())},
                    {fix(STRATA_TEXT("problem", "Set %1 to %2"), {"devices", "auto"}, set("/execution/devices", "auto"))});
      known.erase("devices");
    }
  }
  if (const auto limits = known.find("memory_limit"); limits != known.end() && limits->is_object()) {
    readMemoryLimits(reader, *limits, options, diagnostics);
    known.erase("memory_limit");
  }
  const Json fields = checkFields(executionSchema(), known, "/execution", "", diagnostics, {"strategy", "precision", "disabled_passes"});
  options.device = fields.at("devices").get<std::string>();
  options.threads = fields.at("threads").get<int>();
  if (fields.at("memory_limit").is_number()) options.memoryLimitBytes = fields["memory_limit"].get<size_t>();
  options.memoryLimitBytes = options.limitOf(options.device == "auto" ? "cpu" : options.device);
  options.recompute = recomputeFromName(fields.at("recompute").get<std::string>()).value_or(Recompute::Auto);
  const auto choice = fields.at("kernel_choice").get<std::string>();
  options.kernelChoice = choice == "rule" ? KernelChoice::Rule : choice == "fastest" ? KernelChoice::Fastest : KernelChoice::SameBits;
  if (options.device != "auto" && options.device != "cpu" && options.device != "reference") {
    const std::vector<std::string> devices{"auto", "cpu", "reference"};
    const bool isPlanned = options.device == "all" || options.device.starts_with("cuda") || options.device.starts_with("cpu*") ||
                           options.device.find(',') != std::string::npos;
    reader.report(isPlanned ? "not_in_version" : "unknown_choice", "/execution/devices",
                  isPlanned
                      ? STRATA_TEXT("problem", "the device \"%1\" is not in this version (expected auto, cpu or reference). Choose one.")
                      : STRATA_TEXT("problem", "there is no device \"%1\" (expected auto, cpu or reference). Choose one."),
                  {options.device}, {fix(STRATA_TEXT("problem", "Set %1 to %2"), {"devices", "auto"}, set("/execution/devices", "auto"))});
  }
  const auto text = [&](const char* name) {
    const auto value = execution.find(name);
    return value == execution.end() || value->is_null() ? std::string()
           : value->is_string()                         ? value->get<std::string>()
                                                        : excerpt(value->dump(), 60);
  };
  if (const std::string precision = text("precision"); !precision.empty() && precision != "float32")
    reader.report("not_in_version", "/execution/precision",
                  STRATA_TEXT("problem", "the precision %1 is not in this version (expected float32). Set it to float32."), {precision},
                  {fix(STRATA_TEXT("problem", "Set %1 to %2"), {"precision", "float32"}, set("/execution/precision", "float32"))});
  if (const std::string strategy = text("strategy"); !strategy.empty() && strategy != "mirrored")
    reader.report("not_in_version", "/execution/strategy",
                  STRATA_TEXT("problem", "the strategy %1 is not in this version (expected mirrored). Set it to mirrored."), {strategy},
                  {fix(STRATA_TEXT("problem", "Set %1 to %2"), {"strategy", "mirrored"}, set("/execution/strategy", "mirrored"))});

  const auto passes = execution.find("disabled_passes");
  if (passes == execution.end() || passes->is_null()) return options;
  if (!passes->is_array() || std::any_of(passes->begin(), passes->end(), [](const Json& name) { return !name.is_string(); })) {
    reader.report("wrong_type", "/execution/disabled_passes",
                  STRATA_TEXT("problem", "disabled_passes is not of its type (expected a list of names, got %1). Correct it."),
                  {excerpt(passes->dump(), 60)});
    return options;
  }
  const std::vector<std::string> names = passNames();
  for (size_t i = 0; i < passes->size(); ++i) {
    const std::string name = (*passes)[i];
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      options.disabledPasses.insert(name);
      continue;
    }
    const std::string pointer = "/execution/disabled_passes/" + std::to_string(i);
    const std::string nearest = nearestName(name, names);
    std::vector<Fix> fixes;
    if (!nearest.empty()) fixes.push_back(fix(STRATA_TEXT("problem", "Change %1 to %2"), {name, nearest}, set(pointer, nearest)));
    fixes.push_back(fix(STRATA_TEXT("problem", "Remove %1"), {name}, removal(pointer)));
    reader.report("unknown_type", pointer,
                  nearest.empty() ? STRATA_TEXT("problem", "there is no pass \"%1\". Remove it.")
                                  : STRATA_TEXT("problem", "there is no pass \"%1\". Did you mean \"%2\"?"),
                  {name, nearest}, std::move(fixes));
  }
  return options;
}

}  // namespace strata
