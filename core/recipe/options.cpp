// SPDX-License-Identifier: Apache-2.0
// Reads /training and /execution of the document. Reports all problems at once, including options
// that this version does not support.
#include "core/recipe/options.h"

#include <algorithm>
#include <charconv>

#include <nlohmann/json.hpp>

#include "core/cost/simulated_card.h"
#include "core/model/model.h"
#include "core/project/list_limit.h"
#include "core/project/text.h"
#include "core/recipe/algorithms_option.h"
#include "core/recipe/callbacks.h"
#include "core/recipe/device_option.h"
#include "core/recipe/optimizers.h"
#include "core/recipe/option_reader.h"
#include "core/recipe/outputs.h"
#include "core/recipe/strategy_option.h"
#include "gpu/base/nearest_name.h"
#include "gpu/devices/device_name.h"
#include "gpu/devices/devices.h"

namespace strata {

namespace {

const Json& partOf(const Project& project, const char* name) {
  static const Json kNone = Json::object();
  const Json& document = project.document();
  const auto part = document.is_object() ? document.find(name) : document.end();
  return document.is_object() && part != document.end() && part->is_object() ? *part : kNone;
}

/// Reads the learning rate, which is a number or the checked object of a schedule.
void readRate(const Json& rate, TrainingOptions& options, Diagnostics& diagnostics) {
  if (rate.is_object()) {
    checkSchedule(rate, "/training/optimizer/learning_rate", diagnostics);
    // The object of a wrong schedule may lack fields
    if (hasErrors(diagnostics)) return;
    options.schedule = makeSchedule(rate);
  }
  options.learningRate = rate.is_object() ? options.schedule(0) : rate.get<double>();
}

TypedFields readOptimizer(OptionReader& reader, const Json& training, TrainingOptions& options) {
  const auto given = training.find("optimizer");
  const auto schemas = optimizerSchemas();
  if (given == training.end()) {
    reader.report(
        "missing_field", "/training/optimizer",
        STRATA_TEXT("problem", "optimizer is missing (expected a name such as \"adam\"). Add it."),
        {},
        {makeFix(STRATA_TEXT("problem", "Use %1"), {"adam"},
                 setOperation("/training/optimizer", Json({{"type", "adam"}})))});
    return {};
  }
  TypedFields result = reader.typed(schemas, "optimizer", *given, "/training/optimizer");
  if (!result.fields) return result;
  const Json& fields = *result.fields;
  if (const auto rate = fields.find("learning_rate"); rate != fields.end())
    readRate(*rate, options, reader.diagnostics());
  std::vector<std::string> clips;
  for (const char* name : {"clipnorm", "clipvalue", "global_clipnorm"})
    if (fields.contains(name) && !fields[name].is_null()) clips.push_back(name);
  if (clips.size() > 1)
    reader.report("conflict", "/training/optimizer/" + clips[1],
                  STRATA_TEXT("problem",
                              "%1 and %2 are both set (expected at most one kind of gradient "
                              "clipping). Remove one of them."),
                  {clips[0], clips[1]},
                  {makeFix(STRATA_TEXT("problem", "Remove %1"), {clips[1]},
                           removeOperation("/training/optimizer/" + clips[1])),
                   makeFix(STRATA_TEXT("problem", "Remove %1"), {clips[0]},
                           removeOperation("/training/optimizer/" + clips[0]))});
  return result;
}

/// Reads `class_weight`: {"0": 1.0, "2": 3.0} as in Keras, a list, names of classes instead of
/// numbers, or "balanced". Other classes have weight 1.
void readClassWeights(OptionReader& reader, const Json& given, TrainingOptions& options) {
  constexpr int64_t kMaxClasses = 100000;
  const auto wrong = [&](const std::string& pointer, const Json& value) {
    reader.report(
        "wrong_type", pointer,
        STRATA_TEXT("problem",
                    "class_weight has the wrong type (expected a number of at least 0 for each "
                    "class, as in {\"0\": 1.0, \"cat\": 3.0}, or \"balanced\", got %1). Correct "
                    "it."),
        {excerpt(value.dump(), 60)});
  };
  if (given == "balanced") {
    options.hasBalancedClasses = true;
    options.classWeights = {1.0};
    return;
  }
  if (!given.is_object() && !given.is_array()) return wrong("/training/class_weight", given);
  int64_t place = 0;
  bool hasNames = false;
  for (const auto& [key, weight] : given.items()) {
    int64_t index = place++;
    const std::string pointer = "/training/class_weight/" + escapedKey(key);
    if (!weight.is_number() || weight.get<double>() < 0) return wrong(pointer, Json{{key, weight}});
    if (given.is_object()) {
      const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
      const bool isNumber = error == std::errc() && end == key.data() + key.size() && index >= 0;
      if (!isNumber) index = -1;
      options.namedClassWeights.emplace(key, weight.get<double>());
      hasNames = hasNames || !isNumber || index >= kMaxClasses;
      if (!isNumber || index >= kMaxClasses) continue;
    }
    if (index >= kMaxClasses) return wrong(pointer, Json{{key, weight}});
    if (options.classWeights.size() <= static_cast<size_t>(index))
      options.classWeights.resize(static_cast<size_t>(index) + 1, 1.0);
    options.classWeights[static_cast<size_t>(index)] = weight.get<double>();
  }
  if (hasNames && options.classWeights.empty()) options.classWeights = {1.0};
}

FieldSchema objectsField(const char* name, const char* registry, SchemaList objects, Text title,
                         Text help) {
  return {.name = name,
          .type = FieldType::Objects,
          .defaultJson = "[]",
          .isNullable = true,
          .registry = registry,
          .objects = objects,
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
      .help = STRATA_TEXT("training", "How the network is trained"),
      .fields = {
          {.name = "batch_size",
           .type = FieldType::Integer,
           .defaultJson = "32",
           .minimum = 1.0,
           .maximum = static_cast<double>(kMaxBatch),
           .unit = STRATA_TEXT("argument", "samples").source,
           .help = STRATA_TEXT("training", "Number of samples per weight update"),
           .title = STRATA_TEXT("training", "Batch size")},
          {.name = "gradient_accumulation_steps",
           .type = FieldType::Integer,
           .defaultJson = "1",
           .minimum = 1.0,
           .maximum = 16777216.0,
           .help = STRATA_TEXT("training",
                               "Number of micro-batches that a batch is split into to save memory; "
                               "the weights are updated once per batch"),
           .title = STRATA_TEXT("training", "Accumulation steps")},
          {.name = "epochs",
           .type = FieldType::Integer,
           .defaultJson = "1",
           .minimum = 1.0,
           .maximum = 1e9,
           .help = STRATA_TEXT("training", "Number of passes over the training data"),
           .title = STRATA_TEXT("training", "Epochs")},
          {.name = "seed",
           .type = FieldType::Integer,
           .defaultJson = "1",
           .minimum = 0.0,
           .maximum = 9007199254740991.0,
           .help = STRATA_TEXT("training",
                               "Determines initial weights, data order and dropout; the same seed "
                               "gives the same run"),
           .title = STRATA_TEXT("training", "Seed")},
          {.name = "shuffle",
           .type = FieldType::Boolean,
           .defaultJson = "true",
           .help = STRATA_TEXT("training", "Shuffles the training samples before each epoch"),
           .title = STRATA_TEXT("training", "Shuffle")},
          {.name = "steps_per_epoch",
           .type = FieldType::Integer,
           .defaultJson = "null",
           .minimum = 1.0,
           .maximum = 1e15,
           .isNullable = true,
           .help = STRATA_TEXT("training",
                               "Number of steps in an epoch; the next epoch continues with the "
                               "data where this one ended; none: one pass over the data"),
           .title = STRATA_TEXT("training", "Steps per epoch")},
          {.name = "validation_freq",
           .type = FieldType::IntegerOrList,
           .defaultJson = "1",
           .minimum = 1.0,
           .maximum = 1e9,
           .help =
               STRATA_TEXT("training", "Number of epochs between validations, or a list of epochs"),
           .title = STRATA_TEXT("training", "Validate every (epochs)")},
          {.name = "validation_freq_steps",
           .type = FieldType::Integer,
           .defaultJson = "null",
           .minimum = 1.0,
           .maximum = 1e15,
           .isNullable = true,
           .help = STRATA_TEXT(
               "training",
               "Number of steps between additional validations; none: only at the end of epochs"),
           .title = STRATA_TEXT("training", "Validate every (steps)")},
          objectsField("callbacks", "callback", callbackSchemas,
                       STRATA_TEXT("training", "Callbacks"),
                       STRATA_TEXT("training",
                                   "Actions during training: stop early, reduce the learning rate, "
                                   "keep the best weights")),
          objectsField("stages", "stage", stageSchemas, STRATA_TEXT("training", "Stages"),
                       STRATA_TEXT("training",
                                   "Consecutive phases of training that train different layers")),
          objectsField("changes", "change", changeSchemas, STRATA_TEXT("training", "Changes"),
                       STRATA_TEXT("training", "Settings that change at a given step")),
          {.name = "initial_weights",
           .type = FieldType::String,
           .defaultJson = "null",
           .isNullable = true,
           .help = STRATA_TEXT("training",
                               "Weights file to start from; the path is relative to the project"),
           .title = STRATA_TEXT("training", "Initial weights"),
           .path = PathKind::File}}};
  return schema;
}

/// The field `loss_scale`. The reader also accepts "dynamic", which means the same as null.
static FieldSchema lossScale() {
  FieldSchema field = positiveField(
      "loss_scale", "null", STRATA_TEXT("training", "Loss scale"),
      STRATA_TEXT("training",
                  "Factor of the loss's gradient in float16, so that small gradients do not become "
                  "0; default: dynamic, which halves it and skips the step if a gradient "
                  "overflows"));
  field.isNullable = true;
  return field;
}

const Schema& executionSchema() {
  static const Schema schema{
      .type = "execution",
      .group = "Execution",
      .help = STRATA_TEXT("training", "Device, memory and kernels used for training"),
      .fields = {
          {.name = "devices",
           .type = FieldType::String,
           .defaultJson = "\"auto\"",
           .help = STRATA_TEXT("training", "Device that runs the training"),
           .title = STRATA_TEXT("training", "Compute device")},
          {.name = "threads",
           .type = FieldType::Integer,
           .defaultJson = "0",
           .minimum = 0.0,
           .maximum = 1024.0,
           .help = STRATA_TEXT("training", "Number of CPU threads; 0: all cores"),
           .title = STRATA_TEXT("training", "Threads")},
          {.name = "loader_threads",
           .type = FieldType::Integer,
           .defaultJson = "0",
           .minimum = 0.0,
           .maximum = 1024.0,
           .help = STRATA_TEXT("training",
                               "Number of threads that load batches while steps run; 0: all cores "
                               "if samples are decoded, else two"),
           .title = STRATA_TEXT("training", "Loader threads")},
          {.name = "memory_limit",
           .type = FieldType::Integer,
           .defaultJson = "null",
           .minimum = 1.0,
           .isNullable = true,
           .unit = STRATA_TEXT("argument", "bytes").source,
           .help = STRATA_TEXT("training",
                               "Maximum memory for training; default: all memory of the machine"),
           .title = STRATA_TEXT("training", "Memory limit")},
          {.name = "recompute",
           .type = FieldType::Choice,
           .defaultJson = "\"auto\"",
           .choices = {"none", "auto", "all"},
           .help =
               STRATA_TEXT("training",
                           "Recomputes values in the backward pass instead of keeping them; auto: "
                           "as far as the memory limit requires; all: wherever it saves memory"),
           .title = STRATA_TEXT("training", "Recompute")},
          {.name = "kernel_choice",
           .type = FieldType::Choice,
           .defaultJson = "\"same_bits\"",
           .choices = {"rule", "same_bits", "fastest"},
           .help = STRATA_TEXT("training",
                               "How kernels are chosen; same_bits: by timing, among kernels with "
                               "bit-identical results; fastest: by timing, among all kernels; "
                               "rule: by fixed rules, without timing"),
           .title = STRATA_TEXT("training", "Kernel choice")},
          {.name = "precision",
           .type = FieldType::Choice,
           .defaultJson = "\"float32\"",
           .choices = {"float32", "bfloat16", "float16", "tf32"},
           .help = STRATA_TEXT("training",
                               "Numbers of products, convolutions, attention and activations; tf32 "
                               "rounds operands of products on NVIDIA GPUs; bfloat16 and float16 "
                               "halve the memory of activations; weights and losses are always "
                               "float32"),
           .title = STRATA_TEXT("training", "Compute precision")},
          {.name = "deterministic_attention",
           .type = FieldType::Boolean,
           .defaultJson = "true",
           .help = STRATA_TEXT("training",
                               "Gives the gradient of attention the same bits in each run; without "
                               "it, NVIDIA GPUs add in any order, which needs less memory and may "
                               "be faster"),
           .title = STRATA_TEXT("training", "Deterministic attention")},
          {.name = "staleness",
           .type = FieldType::Integer,
           .defaultJson = "0",
           .minimum = 0.0,
           .maximum = 1023.0,
           .help = STRATA_TEXT("training",
                               "With the strategy parameter_server, the largest number of updates "
                               "between the weights that a worker computes a gradient with, and "
                               "the update with this gradient; 0: the workers share each batch"),
           .title = STRATA_TEXT("training", "Staleness")},
          {.name = "all_reduce",
           .type = FieldType::Choice,
           .defaultJson = "\"exact\"",
           .choices = {"exact", "fast"},
           .help = STRATA_TEXT("training",
                               "How the NVIDIA GPUs of several processes add gradients; exact: in "
                               "the order of the processes, with the bits of one process; fast: in "
                               "an order that NCCL chooses, so that bits may differ"),
           .title = STRATA_TEXT("training", "All-reduce")},
          {.name = "shard_optimizer",
           .type = FieldType::Boolean,
           .defaultJson = "false",
           .help = STRATA_TEXT("training",
                               "Divides the state of the optimizer among the devices: each one "
                               "updates a part of the weights, and has the state of this part "
                               "alone; results have the same bits"),
           .title = STRATA_TEXT("training", "Shard optimizer")},
          lossScale()}};
  return schema;
}

std::string recomputeName(Recompute how) {
  if (how == Recompute::None) return "none";
  return how == Recompute::Auto ? "auto" : "all";
}

std::optional<Recompute> recomputeFromName(std::string_view name) {
  for (const Recompute how : {Recompute::None, Recompute::Auto, Recompute::All})
    if (recomputeName(how) == name) return how;
  return std::nullopt;
}

/// Returns the training without lists that are too long, and reports these.
static Json withinLimits(const Json& given, Diagnostics& diagnostics) {
  static constexpr std::pair<const char*, size_t> kLimits[] = {
      {"stages", kMaxStages}, {"callbacks", kMaxCallbacks}, {"changes", kMaxChanges}};
  std::vector<const char*> tooLong;
  for (const auto& [name, most] : kLimits)
    if (auto problem = tooLongList(memberOf(given, name), most, std::string("/training/") + name)) {
      diagnostics.push_back(std::move(*problem));
      tooLong.push_back(name);
    }
  Json training = given;
  for (const char* name : tooLong)
    training.erase(name);
  return training;
}

TrainingOptions parseTraining(const Project& project, Diagnostics& diagnostics) {
  // The problems of the model are ignored, because this function reports only those of /training
  Diagnostics ofModel;
  return parseTraining(
      project, project.document().contains("model") ? parseModel(project, ofModel) : Model{},
      diagnostics);
}

TrainingOptions parseTraining(const Project& project, const Model& model,
                              Diagnostics& diagnostics) {
  TrainingOptions options;
  OptionReader reader(diagnostics);
  const Json training = withinLimits(partOf(project, "training"), diagnostics);
  const Json fields = checkFields(
      trainingSchema(), training, "/training", "", diagnostics,
      {"loss", "loss_weights", "optimizer", "metrics", "weighted_metrics", "class_weight"});
  options.batchSize = fields.at("batch_size").get<int64_t>();
  options.accumulationSteps = fields.at("gradient_accumulation_steps").get<int64_t>();
  options.epochs = fields.at("epochs").get<int64_t>();
  options.seed = fields.at("seed").get<uint64_t>();
  options.isShuffled = fields.at("shuffle").get<bool>();
  const auto count = [&](const char* name) {
    return fields.at(name).is_number() ? std::optional(fields.at(name).get<int64_t>())
                                       : std::nullopt;
  };
  options.stepsPerEpoch = count("steps_per_epoch");
  options.validationSteps = count("validation_freq_steps");
  if (const Json& every = fields.at("validation_freq"); every.is_array()) {
    options.validationEpochs = every.get<std::vector<int64_t>>();
    std::sort(options.validationEpochs.begin(), options.validationEpochs.end());
  }
  else if (every.is_number()) {
    options.validationFreq = every.get<int64_t>();
  }
  if (fields.at("initial_weights").is_string())
    options.initialWeights = fields["initial_weights"].get<std::string>();

  options.outputs.clear();
  for (OutputOptions& output : readOutputs(project, model, diagnostics)) {
    output.hasSampleWeights = weighsSamples(project, output.name);
    if (output.isTrained)
      options.outputs.push_back(std::move(output));
    else
      options.untrained.push_back(output.name);
  }
  options.optimizer = readOptimizer(reader, training, options);
  if (const auto weights = training.find("class_weight");
      weights != training.end() && !weights->is_null()) {
    if (options.outputs.size() > 1)
      reader.report("conflict", "/training/class_weight",
                    STRATA_TEXT("problem",
                                "class_weight needs a network with one trained output (expected 1, "
                                "got %1). Remove class_weight, or use sample weights."),
                    {std::to_string(options.outputs.size())},
                    {makeFix(STRATA_TEXT("problem", "Remove %1"), {"class_weight"},
                             removeOperation("/training/class_weight"))});
    else
      readClassWeights(reader, *weights, options);
  }
  const auto part = [&](const char* name) {
    const auto found = training.find(name);
    return found == training.end() || found->is_null() ? nullptr : &*found;
  };
  if (const Json* const stages = part("stages"))
    options.stages = readStages(*stages, project, options.epochs, diagnostics);
  if (const Json* const callbacks = part("callbacks"))
    readCallbacks(*callbacks, options, diagnostics);
  if (const Json* const changes = part("changes"))
    options.changes = readChanges(*changes, project, diagnostics);
  return options;
}

std::vector<TypedFields> TrainingOptions::metrics() const {
  std::vector<TypedFields> result;
  if (outputs.size() > 1)
    for (const OutputOptions& output : outputs)
      result.push_back({"loss", nullptr, output.lossName()});
  for (const OutputOptions& output : outputs)
    result.insert(result.end(), output.metrics.begin(), output.metrics.end());
  return result;
}

bool TrainingOptions::usesAverages() const {
  return optimizer.fields && optimizer.fields->value("use_ema", false);
}

std::optional<size_t> ExecutionOptions::limitOf(std::string_view name) const {
  if (memoryLimits.empty()) return memoryLimitBytes;
  const auto entry = memoryLimits.find(name);
  return entry == memoryLimits.end() ? std::nullopt : std::optional(entry->second);
}

ExecutionOptions parseExecution(const Project& project, Diagnostics& diagnostics) {
  ExecutionOptions options;
  OptionReader reader(diagnostics);
  const Json& execution = partOf(project, "execution");
  Json known = execution;
  readDeviceList(reader, known);
  if (const auto limits = known.find("memory_limit");
      limits != known.end() && limits->is_object()) {
    readMemoryLimits(reader, *limits, options, diagnostics);
    known.erase("memory_limit");
  }
  if (const auto scale = known.find("loss_scale"); scale != known.end() && scale->is_string()) {
    if (*scale != "dynamic")
      reader.report("wrong_type", "/execution/loss_scale",
                    STRATA_TEXT("problem",
                                "loss_scale has the wrong type (expected dynamic or a number above "
                                "0, got %1). Correct it."),
                    {excerpt(scale->dump(), 60)}, {setFix("/execution/loss_scale", "dynamic")});
    known.erase("loss_scale");
  }
  const Json fields = checkFields(executionSchema(), known, "/execution", "", diagnostics,
                                  {"strategy", "disabled_passes", "algorithms"});
  options.device = fields.at("devices").get<std::string>();
  readAlgorithms(reader, project, options);
  options.threads = fields.at("threads").get<int>();
  options.loaderThreads = fields.at("loader_threads").get<int>();
  readDevice(reader, options);
  if (fields.at("memory_limit").is_number())
    options.memoryLimitBytes = fields["memory_limit"].get<size_t>();
  options.memoryLimitBytes = options.limitOf(resolvedDeviceName(options.device));
  options.recompute =
      recomputeFromName(fields.at("recompute").get<std::string>()).value_or(Recompute::Auto);
  options.isAttentionDeterministic = fields.at("deterministic_attention").get<bool>();
  options.staleness = fields.at("staleness").get<int64_t>();
  options.isOptimizerSharded = fields.at("shard_optimizer").get<bool>();
  options.isAllReduceFast = fields.at("all_reduce").get<std::string>() == "fast";
  const auto choice = fields.at("kernel_choice").get<std::string>();
  options.kernelChoice = KernelChoice::SameBits;
  if (choice == "rule") options.kernelChoice = KernelChoice::Rule;
  if (choice == "fastest") options.kernelChoice = KernelChoice::Fastest;
  const auto text = [&](const char* name) {
    const auto value = execution.find(name);
    if (value == execution.end() || value->is_null()) return std::string();
    return value->is_string() ? value->get<std::string>() : excerpt(value->dump(), 60);
  };
  options.precision =
      precisionFromName(fields.at("precision").get<std::string>()).value_or(Precision::Float32);
  if (const DeviceName device(resolvedDeviceName(options.device));
      options.precision == Precision::Tf32 && !device.isGpu() &&
      device.kind != DeviceName::Kind::Unknown) {
    reader.report("not_on_device", "/execution/precision",
                  STRATA_TEXT("problem",
                              "the precision %1 is for NVIDIA GPUs, and the device is \"%3\" "
                              "(expected %2). Set it to float32, or choose another device."),
                  {"tf32", "float32, bfloat16 or float16", options.device},
                  {setFix("/execution/precision", "float32")});
    options.precision = Precision::Float32;
  }
  const std::string precision(precisionName(options.precision));
  if (const std::string card = cardWithoutPrecision(resolvedDeviceName(options.device), precision);
      !card.empty())
    reader.report("slow_on_device", "/execution/precision",
                  STRATA_TEXT("problem",
                              "the card %1 has no arithmetic in %2, so products are not faster "
                              "than in float32 (expected another precision). Set it to float32."),
                  {card, precision}, {setFix("/execution/precision", "float32")},
                  Severity::Warning);
  if (fields.at("loss_scale").is_number()) {
    options.fixedLossScale = fields["loss_scale"].get<double>();
    if (options.precision != Precision::Float16)
      reader.report("unused", "/execution/loss_scale",
                    STRATA_TEXT("problem",
                                "%1 has no effect, because the precision is %2 (expected float16). "
                                "Remove it."),
                    {"loss_scale", std::string(precisionName(options.precision))},
                    {makeFix(STRATA_TEXT("problem", "Remove %1"), {"loss_scale"},
                             removeOperation("/execution/loss_scale"))},
                    Severity::Warning);
  }
  readStrategy(reader, text("strategy"), options);
  const auto passes = execution.find("disabled_passes");
  if (passes == execution.end() || passes->is_null()) return options;
  if (!passes->is_array() || std::any_of(passes->begin(), passes->end(),
                                         [](const Json& name) { return !name.is_string(); })) {
    reader.report(
        "wrong_type", "/execution/disabled_passes",
        STRATA_TEXT(
            "problem",
            "disabled_passes has the wrong type (expected a list of names, got %1). Correct it."),
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
    const bool isMistyped = !nearest.empty();
    if (isMistyped) fixes.push_back(changeFix(pointer, name, nearest));
    fixes.push_back(makeFix(STRATA_TEXT("problem", "Remove %1"), {name}, removeOperation(pointer)));
    std::string all;
    for (const std::string& each : names)
      all += (all.empty() ? "" : ", ") + each;
    reader.report(
        "unknown_type", pointer,
        isMistyped ? STRATA_TEXT("problem", "there is no pass \"%1\". Did you mean \"%2\"?")
                   : STRATA_TEXT(
                         "problem",
                         "there is no pass \"%1\" (expected one of %2). Correct it, or remove it."),
        {name, isMistyped ? nearest : all}, std::move(fixes));
  }
  if (options.recompute == Recompute::All && options.disabledPasses.contains("recompute"))
    reader.report("unused", "/execution/recompute",
                  STRATA_TEXT("problem",
                              "%1 has no effect, because the pass %2 is disabled. Set it to none, "
                              "or remove %2 from %3."),
                  {"recompute", "recompute", "disabled_passes"},
                  {setFix("/execution/recompute", "none")}, Severity::Warning);
  return options;
}

}  // namespace strata
