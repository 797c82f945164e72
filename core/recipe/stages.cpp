// SPDX-License-Identifier: Apache-2.0
// Reads the stages of training and applies them to documents.
#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "core/model/model.h"
#include "core/project/text.h"
#include "core/recipe/entry_fields.h"
#include "core/recipe/options.h"
#include "core/recipe/run_edits.h"
#include "core/recipe/schedules.h"
#include "gpu/base/nearest_name.h"

namespace strata {

namespace {

FieldSchema stageLength(const char* name, Text title, Text help) {
  return integerField(name, "null", 1, 1e15, title, help);
}

FieldSchema layerList(const char* name, const char* value, Text title, Text help) {
  FieldSchema field{.name = name, .type = FieldType::StringList, .defaultJson = value};
  field.isNullable = std::string_view(value) == "null";
  field.registry = "layer_name";
  field.help = help;
  field.title = title;
  return field;
}

void addLayerPaths(const Json& layers, const std::string& prefix, int depth,
                   std::vector<std::string>& paths) {
  if (!layers.is_array() || depth > kMaxBlockDepth) return;
  for (const Json& layer : layers) {
    if (!layer.is_object() || !layer.contains("name") || !layer["name"].is_string()) continue;
    const std::string path = prefix + layer["name"].get<std::string>();
    paths.push_back(path);
    if (layer.contains("layers")) addLayerPaths(layer["layers"], path + "/", depth + 1, paths);
  }
}

void setTrainable(Json& layers, const std::string& prefix, int depth,
                  const std::set<std::string>& listed) {
  if (!layers.is_array() || depth > kMaxBlockDepth) return;
  for (Json& layer : layers) {
    if (!layer.is_object() || !layer.contains("name") || !layer["name"].is_string()) continue;
    const std::string path = prefix + layer["name"].get<std::string>();
    const bool isListed = listed.contains(path);
    const auto inside = listed.lower_bound(path + "/");
    const bool hasListed = inside != listed.end() && inside->starts_with(path + "/");
    if (!isListed && !hasListed && layer.contains("type") && layer["type"] == Json("Input"))
      continue;
    layer["trainable"] = isListed || hasListed;
    if (!isListed && hasListed && layer.contains("layers"))
      setTrainable(layer["layers"], path + "/", depth + 1, listed);
  }
}

void freeze(Json& layers, const std::string& prefix, int depth,
            const std::set<std::string>& frozen) {
  if (!layers.is_array() || depth > kMaxBlockDepth) return;
  for (Json& layer : layers) {
    if (!layer.is_object() || !layer.contains("name") || !layer["name"].is_string()) continue;
    const std::string path = prefix + layer["name"].get<std::string>();
    if (frozen.contains(path)) layer["trainable"] = false;
    if (layer.contains("layers")) freeze(layer["layers"], path + "/", depth + 1, frozen);
  }
}

class StageReader {
 public:
  StageReader(const Project& project, Diagnostics& diagnostics)
      : m_paths(layerPaths(project.document())),
        m_known(m_paths.begin(), m_paths.end()),
        m_diagnostics(diagnostics) {}

  TrainStage read(const Json& given, const std::string& pointer) {
    TrainStage stage;
    if (!given.is_object()) {
      report("wrong_type", pointer,
             STRATA_TEXT("problem",
                         "a stage has the wrong type (expected an object such as {\"epochs\": 2, "
                         "\"trainable\": [\"out\"]}, got %1). Correct it."),
             {excerpt(given.dump(), 60)});
      return stage;
    }
    const Json fields = checkFields(stageSchema(), given, pointer, "", m_diagnostics, {});
    const auto integer = [&](const char* name) {
      return fields.at(name).is_number() ? std::optional(fields.at(name).get<int64_t>())
                                         : std::nullopt;
    };
    stage.name = fields.at("name").is_string() ? fields.at("name").get<std::string>() : "";
    stage.epochs = integer("epochs");
    stage.steps = integer("steps");
    if (fields.at("trainable").is_array())
      stage.trainable = layersOf(fields.at("trainable"), pointer + "/trainable");
    stage.frozen = layersOf(fields.at("frozen"), pointer + "/frozen");
    stage.resetsOptimizer = fields.at("reset_optimizer").get<bool>();
    if (const Json& rate = fields.at("learning_rate"); rate.is_object()) {
      const size_t before = m_diagnostics.size();
      checkSchedule(rate, pointer + "/learning_rate", m_diagnostics);
      if (m_diagnostics.size() == before && !hasErrors(m_diagnostics)) {
        stage.schedule = makeSchedule(rate);
        stage.learningRate = stage.schedule(0);
      }
    }
    else if (rate.is_number()) {
      stage.learningRate = rate.get<double>();
    }
    if (fields.at("trainable").is_array() && fields.at("trainable").empty())
      report("nothing_learns", pointer + "/trainable",
             STRATA_TEXT("problem",
                         "this stage trains no layer (expected at least one, got []). List layers, "
                         "or remove trainable."),
             {}, {removal("trainable", pointer + "/trainable")}, Severity::Warning);
    if (stage.epochs && stage.steps) conflict(pointer, "epochs", "steps");
    if (stage.trainable && !stage.frozen.empty()) conflict(pointer, "trainable", "frozen");
    return stage;
  }

  void report(const char* code, const std::string& pointer, Text message, Arguments arguments,
              std::vector<Fix> fixes = {}, Severity severity = Severity::Error) {
    m_diagnostics.push_back(
        {severity, code, "", pointer, message, std::move(arguments), std::move(fixes)});
  }
  static Fix removal(const std::string& name, const std::string& pointer) {
    return {STRATA_TEXT("problem", "Remove %1"),
            {name},
            {STRATA_TEXT("edit", "Remove %1"),
             {name},
             {{EditOperation::Kind::Remove, pointer, {}, 0}},
             {}}};
  }

 private:
  void conflict(const std::string& pointer, const char* one, const char* other) {
    report("conflict", pointer + "/" + other,
           STRATA_TEXT("problem",
                       "%1 and %2 are both set (expected only one of them). Remove one of them."),
           {one, other},
           {removal(other, pointer + "/" + other), removal(one, pointer + "/" + one)});
  }

  std::vector<std::string> layersOf(const Json& names, const std::string& pointer) {
    std::vector<std::string> result;
    for (size_t i = 0; i < names.size(); ++i) {
      const auto name = names[i].get<std::string>();
      if (m_known.contains(name)) {
        result.push_back(name);
        continue;
      }
      const std::string place = pointer + "/" + std::to_string(i);
      const std::string nearest =
          m_numCompared <= kMaxCompared ? nearestName(name, m_paths) : std::string();
      m_numCompared += m_paths.size();
      std::vector<Fix> fixes;
      if (!nearest.empty()) fixes.push_back(changeFix(place, name, nearest));
      report("unknown_layer", place,
             nearest.empty()
                 ? STRATA_TEXT("problem",
                               "there is no layer \"%1\" (expected a name such as conv1, or "
                               "block/conv1). Correct it.")
                 : STRATA_TEXT("problem", "there is no layer \"%1\". Did you mean \"%2\"?"),
             {name, nearest}, std::move(fixes));
    }
    return result;
  }

  // Limits the search for similar names. In a large network, only the first wrong names get
  // suggestions.
  static constexpr size_t kMaxCompared = 20000;
  size_t m_numCompared = 0;
  const std::vector<std::string> m_paths;
  // The same paths
  const std::set<std::string> m_known;
  Diagnostics& m_diagnostics;
};

}  // namespace

std::vector<std::string> layerPaths(const Json& document) {
  std::vector<std::string> paths;
  if (document.is_object() && document.contains("model") && document["model"].is_object() &&
      document["model"].contains("layers"))
    addLayerPaths(document["model"]["layers"], "", 0, paths);
  return paths;
}

const Schema& stageSchema() {
  static const Schema schema = [] {
    FieldSchema rate = numberField(
        "learning_rate", "null", 0.0, {}, STRATA_TEXT("training", "Learning rate"),
        STRATA_TEXT("training",
                    "Learning rate or schedule from the first step of the stage; none: unchanged"));
    rate.registry = "schedule";
    rate.objects = scheduleSchemas;
    FieldSchema name{
        .name = "name", .type = FieldType::String, .defaultJson = "null", .isNullable = true};
    name.help = STRATA_TEXT("training", "Name of the stage");
    name.title = STRATA_TEXT("training", "Name");
    return Schema{
        .type = "stage",
        .group = "Training",
        .help = STRATA_TEXT(
            "training",
            "A phase of training in which some layers are trained and the others are frozen"),
        .fields = {
            name,
            stageLength(
                "epochs", STRATA_TEXT("training", "Epochs"),
                STRATA_TEXT("training",
                            "Number of epochs; the last stage lasts until the end of training")),
            stageLength("steps", STRATA_TEXT("training", "Steps"),
                        STRATA_TEXT("training", "Number of steps instead of epochs")),
            layerList("trainable", "null", STRATA_TEXT("training", "Trainable layers"),
                      STRATA_TEXT("training",
                                  "Layers that are trained, while all others are frozen; none: as "
                                  "set in each layer")),
            layerList("frozen", "[]", STRATA_TEXT("training", "Frozen layers"),
                      STRATA_TEXT("training",
                                  "Layers to freeze in addition to those that are not trainable")),
            rate,
            flagField("reset_optimizer", "false", STRATA_TEXT("training", "Reset optimizer"),
                      STRATA_TEXT("training",
                                  "Resets the state of the optimizer at the start of the stage"))}};
  }();
  return schema;
}

std::vector<TrainStage> readStages(const Json& given, const Project& project, int64_t epochs,
                                   Diagnostics& diagnostics) {
  StageReader reader(project, diagnostics);
  const std::string where = "/training/stages";
  std::vector<TrainStage> stages;
  if (!given.is_array()) {
    reader.report(
        "wrong_type", where,
        STRATA_TEXT(
            "problem",
            "stages has the wrong type (expected a list, got %1). Write [{\"epochs\": 1}, {}]."),
        {excerpt(given.dump(), 60)});
    return stages;
  }
  int64_t planned = 0;
  for (size_t i = 0; i < given.size(); ++i) {
    const std::string pointer = where + "/" + std::to_string(i);
    stages.push_back(reader.read(given[i], pointer));
    const TrainStage& stage = stages.back();
    const bool isLast = i + 1 == given.size();
    if (isLast && (stage.epochs || stage.steps)) {
      const char* const length = stage.epochs ? "epochs" : "steps";
      reader.report("unused", pointer + "/" + length,
                    STRATA_TEXT("problem",
                                "the last stage lasts until the end of training, so its %1 has no "
                                "effect. Remove it."),
                    {length}, {StageReader::removal(length, pointer + "/" + length)},
                    Severity::Warning);
    }
    if (!isLast && !stage.epochs && !stage.steps)
      reader.report("missing_field", pointer,
                    STRATA_TEXT("problem",
                                "it has neither epochs nor steps (expected one of them, because "
                                "another stage follows). Add one."),
                    {});
    if (i > 0 && planned >= epochs)
      reader.report(
          "unused", pointer,
          STRATA_TEXT("problem",
                      "stage %1 never starts: the stages before it last %2 epochs (expected fewer "
                      "than the %3 epochs of training). Increase epochs of training."),
          {std::to_string(i + 1), std::to_string(planned), std::to_string(epochs)}, {},
          Severity::Warning);
    if (stage.epochs) planned += std::min<int64_t>(*stage.epochs, int64_t{1} << 50);
  }
  return stages;
}

void applyStage(Json& document, const TrainStage& stage) {
  Json& layers = document["model"]["layers"];
  const auto asSet = [](const std::vector<std::string>& paths) {
    return std::set<std::string>(paths.begin(), paths.end());
  };
  if (stage.trainable) setTrainable(layers, "", 0, asSet(*stage.trainable));
  if (!stage.frozen.empty()) freeze(layers, "", 0, asSet(stage.frozen));
}

std::vector<Project> stageProjects(const Project& project, const std::vector<TrainStage>& stages) {
  if (stages.empty()) return {project};
  std::vector<Project> projects;
  // The last learning rate of a stage, which following stages without a learning rate keep
  Json rate;
  for (size_t i = 0; i < stages.size(); ++i) {
    projects.push_back(project);
    Json& document = projects.back().document();
    applyStage(document, stages[i]);
    if (const Json own = document["training"]["stages"][i].value("learning_rate", Json());
        !own.is_null())
      rate = own;
    Json& optimizer = document["training"]["optimizer"];
    if (optimizer.is_string()) optimizer = Json{{"type", optimizer}};
    if (!rate.is_null()) optimizer["learning_rate"] = rate;
  }
  return projects;
}

std::vector<RunPart> runParts(const Project& project, const std::vector<TrainStage>& stages,
                              const std::vector<LiveChange>& changes, const RunSpan& span) {
  if (changes.empty() && !project.document()["training"].contains("stages"))
    return {{project, 0, 0}};
  const std::vector<Project> projects = stageProjects(project, stages);
  const auto later = [](int64_t step, int64_t steps) {
    return step > INT64_MAX - steps ? INT64_MAX : step + steps;
  };
  struct Begin {
    int64_t step = 0, stage = 0;
    bool isOfStage = true;
  };
  std::vector<Begin> begins{{later(span.step, 1), span.stage}};
  for (int64_t stage = span.stage; stage + 1 < static_cast<int64_t>(stages.size()); ++stage) {
    const TrainStage& own = stages[static_cast<size_t>(stage)];
    int64_t steps = own.steps.value_or(INT64_MAX);
    if (own.epochs)
      steps = *own.epochs > INT64_MAX / span.stepsPerEpoch ? INT64_MAX
                                                           : *own.epochs * span.stepsPerEpoch;
    if (stage == span.stage) steps = span.stageStepsLeft.value_or(steps);
    begins.push_back({later(begins.back().step, steps), stage + 1});
  }
  for (const LiveChange& change : changes)
    if (change.step > begins.front().step) begins.push_back({change.step, 0, false});
  std::stable_sort(begins.begin(), begins.end(),
                   // At the same step, a stage comes before a change.
                   [](const Begin& a, const Begin& b) { return a.step < b.step; });
  std::vector<RunPart> parts;
  std::vector<Json> seen;
  for (size_t i = 0; i < begins.size(); ++i) {
    Begin& begin = begins[i];
    if (i > 0 && !begin.isOfStage) begin.stage = begins[i - 1].stage;
    if (i > 0 && begin.step > span.lastStep) break;
    RunPart part{projects[static_cast<size_t>(begin.stage)], stages.empty() ? 0 : begin.stage + 1,
                 begin.isOfStage ? 0 : begin.step};
    for (const LiveChange& change : changes)
      if (change.isDone || change.step <= begin.step)
        applyChange(part.project.document(), change.name, change.value);
    Json alike = withLevels(part.project.document());
    if (std::find(seen.begin(), seen.end(), alike) != seen.end()) continue;
    seen.push_back(std::move(alike));
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace strata
