// SPDX-License-Identifier: Apache-2.0
#include "core/data/transforms.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>

#include <nlohmann/json.hpp>

#include "core/data/dataset.h"
#include "core/data/fit_statistics.h"
#include "core/data/image_reading.h"
#include "core/data/source.h"
#include "core/project/project.h"
#include "core/project/seal.h"
#include "core/project/text.h"
#include "gpu/base/error.h"
#include "gpu/base/machine.h"
#include "gpu/base/nearest_name.h"

namespace strata {

namespace {

FieldSchema numberField(const char* name, const char* defaultJson, Text title, Text help) {
  return dataField(name, FieldType::Number, defaultJson, title, help);
}

FieldSchema endField(const char* name, Text title, Text help) {
  FieldSchema field;
  field.name = name;
  field.type = FieldType::String;
  field.defaultJson = "null";
  field.isNullable = true;
  field.title = title;
  field.help = help;
  return field;
}

FieldSchema axisField() {
  FieldSchema field = dataField(
      "axis", FieldType::Integer, "-1", STRATA_TEXT("data", "Axis"),
      STRATA_TEXT("data",
                  "-1: separate statistics for each column or channel; none: the same for all."));
  field.isNullable = true;
  field.minimum = field.maximum = -1;
  return field;
}

Schema transformSchema(const char* type, Text help, const char* formula,
                       std::vector<FieldSchema> fields) {
  Schema schema;
  schema.type = type;
  schema.group = "Transform";
  schema.help = help;
  schema.formula = formula;
  schema.fields = std::move(fields);
  return schema;
}

const std::vector<Schema>& allTransforms() {
  static const std::vector<Schema> list = [] {
    FieldSchema classes =
        dataField("classes", FieldType::Integer, "null", STRATA_TEXT("data", "Classes"),
                  STRATA_TEXT("data", "Number of classes; by default that of the data."));
    classes.minimum = 2;
    classes.maximum = 1e6;
    FieldSchema epsilon = numberField(
        "epsilon", "1e-7", STRATA_TEXT("data", "Epsilon"),
        STRATA_TEXT("data",
                    "Columns with a smaller standard deviation are shifted but not scaled."));
    epsilon.minimum = 0;
    std::vector<Schema> schemas{
        transformSchema(
            "rescale",
            STRATA_TEXT("data", "Multiplies each input value by a scale and adds an offset."),
            "x' = x * scale + offset",
            {numberField("scale", "null", STRATA_TEXT("data", "Scale"),
                         STRATA_TEXT("data",
                                     "Factor by which every input value is multiplied; by default "
                                     "1/65535 for images of 16 bits, and otherwise 1/255, which "
                                     "scales images to 0..1.")),
             numberField("offset", "0.0", STRATA_TEXT("data", "Offset"),
                         STRATA_TEXT("data", "Value added after scaling."))}),
        transformSchema("standardize",
                        STRATA_TEXT("data",
                                    "Scales each column or channel to mean 0 and standard "
                                    "deviation 1, computed on the training set."),
                        "x' = (x - mean) / deviation", {axisField(), epsilon}),
        transformSchema(
            "min_max",
            STRATA_TEXT(
                "data",
                "Scales each column or channel to low..high, computed on the training set."),
            "x' = low + (x - min) / (max - min) * (high - low)",
            {axisField(),
             numberField("low", "0.0", STRATA_TEXT("data", "Lower bound"),
                         STRATA_TEXT("data", "Value that the minimum is mapped to.")),
             numberField("high", "1.0", STRATA_TEXT("data", "Upper bound"),
                         STRATA_TEXT("data", "Value that the maximum is mapped to."))}),
        transformSchema("clip", STRATA_TEXT("data", "Limits each input value to minimum..maximum."),
                        "x' = min(max(x, minimum), maximum)",
                        {numberField("minimum", "", STRATA_TEXT("data", "Minimum"),
                                     STRATA_TEXT("data", "Smaller values are set to this.")),
                         numberField("maximum", "", STRATA_TEXT("data", "Maximum"),
                                     STRATA_TEXT("data", "Larger values are set to this."))}),
        transformSchema(
            "log1p",
            STRATA_TEXT("data",
                        "Compresses large values: the logarithm of 1 + |x| with the sign of x."),
            "x' = sign(x) ln(1 + |x|)", {}),
        transformSchema("one_hot",
                        STRATA_TEXT("data",
                                    "Encodes a label as one value per class: 1 for its own class, "
                                    "0 for all others; for categorical_crossentropy."),
                        "y'[c] = 1 if c = y else 0", {classes})};
    for (Schema& schema : schemas)
      schema.fields.push_back(
          schema.type == "one_hot"
              ? endField("output", STRATA_TEXT("data", "Output"),
                         STRATA_TEXT("data", "Name of the output to transform; by default all."))
              : endField(
                    "input", STRATA_TEXT("data", "Input"),
                    STRATA_TEXT("data", "Name of the Input layer to transform; by default all.")));
    return schemas;
  }();
  return list;
}

}  // namespace

bool TransformList::needsData() const {
  return std::any_of(ofInputs.begin(), ofInputs.end(),
                     [](const Entry& e) { return e.type == "standardize" || e.type == "min_max"; });
}

int64_t TransformList::oneHotTargets(const std::string& output) const {
  auto found = oneHot.find(output);
  if (found == oneHot.end()) found = oneHot.find("");
  return found == oneHot.end() ? -1 : found->second;
}

TransformList parseTransforms(const Json& transforms, const std::vector<std::string>& inputs,
                              const std::vector<std::string>& outputs, Diagnostics& diagnostics) {
  TransformList list;
  if (transforms.is_null()) return list;
  if (!transforms.is_array()) {
    addProblem(diagnostics, "wrong_type", "/data/transforms",
               STRATA_TEXT("data",
                           "transforms has the wrong type (expected a list, got %1). Write "
                           "[{\"type\": \"rescale\"}] or []."),
               {excerpt(transforms.dump(), 60)});
    return list;
  }
  for (size_t i = 0; i < transforms.size(); ++i) {
    const std::string where = "/data/transforms/" + std::to_string(i);
    const Json object = typedObject(transforms[i]);
    if (object.is_null()) {
      addProblem(diagnostics, "wrong_type", where,
                 STRATA_TEXT("data",
                             "A transform has the wrong type (expected an object with \"type\", "
                             "got %1). Write {\"type\": \"rescale\"}, or remove it."),
                 {excerpt(transforms[i].dump(), 60)});
      continue;
    }
    const std::string type = object["type"].get<std::string>();
    const auto schema = std::find_if(allTransforms().begin(), allTransforms().end(),
                                     [&](const Schema& each) { return each.type == type; });
    if (schema == allTransforms().end()) {
      std::vector<std::string> known;
      std::string names;
      for (const Schema& each : allTransforms()) {
        known.push_back(each.type);
        names += (names.empty() ? "" : ", ") + each.type;
      }
      const std::string nearest = nearestName(type, known);
      if (nearest.empty())
        addProblem(diagnostics, "unknown_type", where + "/type",
                   STRATA_TEXT("data",
                               "Unknown transform \"%1\" (expected one of: %2). Choose one, or "
                               "remove the transform."),
                   {type, names});
      else
        addProblem(diagnostics, "unknown_type", where + "/type",
                   STRATA_TEXT("data", "Unknown transform \"%1\". Did you mean \"%2\"?"),
                   {type, nearest});
      continue;
    }
    const Json fields = checkFields(*schema, object, where, "", diagnostics, {"type"});
    TransformList::Entry entry{type, {}, true};
    entry.pointer = where;
    for (const auto& [name, value] : fields.items())
      if (value.is_number()) entry.numbers[name] = value.get<double>();
    const char* const endName = type == "one_hot" ? "output" : "input";
    const std::vector<std::string>& ends = type == "one_hot" ? outputs : inputs;
    if (const auto end = fields.find(endName); end != fields.end() && end->is_string())
      entry.input = end->get<std::string>();
    if (!entry.input.empty() && !ends[0].empty() &&
        std::find(ends.begin(), ends.end(), entry.input) == ends.end()) {
      addProblem(diagnostics, "unknown_name", where + "/" + endName,
                 STRATA_TEXT("data",
                             "The network has no %1 \"%2\" (expected one of: %3). Correct the "
                             "name, or remove it."),
                 {endName, entry.input, joinedNames(ends)});
      continue;
    }
    if (type == "one_hot") {
      list.oneHot[entry.input] =
          entry.numbers.contains("classes") ? static_cast<int64_t>(entry.numbers["classes"]) : 0;
      continue;
    }
    entry.isPerChannel = entry.numbers.contains("axis");
    if (type == "clip" && entry.numbers.contains("minimum") && entry.numbers.contains("maximum") &&
        !(entry.numbers["minimum"] < entry.numbers["maximum"]))
      addProblem(
          diagnostics, "out_of_range", where + "/maximum",
          STRATA_TEXT(
              "data",
              "maximum must be greater than minimum (expected more than %1, got %2). Correct it."),
          {fields.at("minimum").dump(), fields.at("maximum").dump()});
    list.ofInputs.push_back(std::move(entry));
  }
  return list;
}

InputTransform fitTransforms(const TransformList& list, const std::string& input,
                             const Samples* train, size_t place, int64_t trainCount,
                             const DataInput& samples) {
  InputTransform transform;
  transform.isExact = samples.type == DType::F64;
  std::vector<MapStep> steps;
  const auto soFar = [&] {
    InputTransform result{transform.scale, transform.offset, nullptr, transform.isExact};
    if (!steps.empty()) result.more = std::make_shared<const std::vector<MapStep>>(steps);
    return result;
  };
  for (const TransformList::Entry& entry : list.ofInputs) {
    if (!entry.input.empty() && entry.input != input) continue;
    MapStep step;
    if (entry.type == "rescale") {
      const auto given = entry.numbers.find("scale");
      const double largest = samples.largest > 0 ? samples.largest : 255,
                   scale = given == entry.numbers.end() ? 1 / largest : given->second;
      const double offset = entry.numbers.at("offset");
      if (steps.empty()) {
        transform.scale *= scale;
        transform.offset = transform.offset * scale + offset;
        continue;
      }
      // After other steps, rescale becomes a step of the form (x + offset / scale) * scale. This
      // form loses digits for a small scale. With scale 0, all values become 0.
      const std::vector<size_t> places(static_cast<size_t>(samples.shape.numElements()), 0);
      step = affineStep(places, {scale != 0 ? -offset / scale : 0}, {scale}, transform.isExact);
    }
    else if (entry.type == "clip") {
      step.kind = MapStep::Kind::Clip;
      step.low = entry.numbers.at("minimum");
      step.high = entry.numbers.at("maximum");
    }
    else if (entry.type == "log1p") {
      step.kind = MapStep::Kind::Log1p;
    }
    else {
      require(train != nullptr, "a transform that takes numbers from the data has it");
      step = entry.type == "standardize"
                 ? fitStandardize(entry, *train, place, trainCount, samples.shape, soFar())
                 : fitMinMax(entry, *train, place, trainCount, samples.shape, soFar());
    }
    steps.push_back(std::move(step));
  }
  if (!steps.empty())
    transform.more = std::make_shared<const std::vector<MapStep>>(std::move(steps));
  return transform;
}

std::span<const Schema* const> transformSchemas() {
  static const std::vector<const Schema*> schemas = [] {
    std::vector<const Schema*> result;
    for (const Schema& schema : allTransforms())
      result.push_back(&schema);
    return result;
  }();
  return schemas;
}

namespace {

constexpr const char* kStepKinds[] = {"affine", "clip", "log1p"};

std::vector<double> asDoubles(const std::vector<float>& numbers) {
  return {numbers.begin(), numbers.end()};
}

constexpr size_t kLongestPeriod = 64;
// Limit for the numbers of all steps in a file, because a few bytes may represent many numbers.
constexpr size_t kMaxKeptNumbers = size_t{1} << 26;

/// Returns a list of numbers as JSON. Numbers that repeat, such as those of channels, are stored
/// only once.
Json compactNumbers(const std::vector<double>& numbers) {
  size_t period = std::min<size_t>(1, numbers.size());
  const auto isPeriod = [&](size_t candidate) {
    for (size_t i = candidate; i < numbers.size(); ++i)
      if (numbers[i] != numbers[i - candidate]) return false;
    return true;
  };
  while (period < numbers.size() && period <= kLongestPeriod && !isPeriod(period))
    ++period;
  if (period > kLongestPeriod) period = numbers.size();
  Json values = Json::array();
  for (size_t i = 0; i < period; ++i)
    values.push_back(numbers[i]);
  return {{"values", std::move(values)}, {"count", numbers.size()}};
}

/// Restores the numbers that compactNumbers() stored. `left` is the number of floats for which the
/// file may still take memory.
template <class T>
std::vector<T> expandedNumbers(const Json& json, size_t& left) {
  const auto values = json.at("values").get<std::vector<T>>();
  const auto count = json.at("count").get<size_t>();
  constexpr size_t kFloats = sizeof(T) / sizeof(float);
  if (count > left / kFloats || values.empty() || values.size() > count)
    throw std::out_of_range("count");
  left -= count * kFloats;
  std::vector<T> result(count);
  for (size_t i = 0; i < count; ++i)
    result[i] = values[i % values.size()];
  return result;
}

}  // namespace

static Json toJson(const InputTransform& transform) {
  Json steps = Json::array();
  if (transform.more)
    for (const MapStep& step : *transform.more) {
      Json json{{"kind", kStepKinds[static_cast<size_t>(step.kind)]}};
      if (step.kind == MapStep::Kind::Affine) {
        const auto numbers = [&](const std::vector<float>& rounded,
                                 const std::vector<double>& exact) {
          return compactNumbers(transform.isExact ? exact : asDoubles(rounded));
        };
        json["shift"] = numbers(step.shift, step.exactShift);
        json["scale"] = numbers(step.scale, step.exactScale);
      }
      else if (step.kind == MapStep::Kind::Clip) {
        json["low"] = step.low;
        json["high"] = step.high;
      }
      steps.push_back(std::move(json));
    }
  return {{"scale", transform.scale},
          {"offset", transform.offset},
          {"exact", transform.isExact},
          {"steps", steps}};
}

static InputTransform parseTransform(const Json& json, size_t& left) {
  InputTransform transform;
  transform.scale = json.at("scale").get<double>();
  transform.offset = json.at("offset").get<double>();
  // Files of versions 1 to 3 do not have this field.
  transform.isExact = json.value("exact", false);
  std::vector<MapStep> steps;
  for (const Json& each : json.at("steps")) {
    MapStep step;
    const auto kind = each.at("kind").get<std::string>();
    const auto* const found = std::find(std::begin(kStepKinds), std::end(kStepKinds), kind);
    if (found == std::end(kStepKinds)) throw std::out_of_range("kind");
    step.kind = static_cast<MapStep::Kind>(found - std::begin(kStepKinds));
    if (step.kind == MapStep::Kind::Affine) {
      step.shift = expandedNumbers<float>(each.at("shift"), left);
      step.scale = expandedNumbers<float>(each.at("scale"), left);
      if (step.shift.size() != step.scale.size()) throw std::out_of_range("scale");
      if (transform.isExact) {
        step.exactShift = expandedNumbers<double>(each.at("shift"), left);
        step.exactScale = expandedNumbers<double>(each.at("scale"), left);
      }
    }
    else if (step.kind == MapStep::Kind::Clip) {
      step.low = each.at("low").get<double>();
      step.high = each.at("high").get<double>();
    }
    steps.push_back(std::move(step));
  }
  if (!steps.empty())
    transform.more = std::make_shared<const std::vector<MapStep>>(std::move(steps));
  return transform;
}

/// Checks the types of the members that later code reads without checks. Throws an exception of the
/// JSON library.
static void requireEncoding(const Json& encoding) {
  if (encoding.is_null()) return;
  if (encoding.at("type").get_ref<const std::string&>() != "image") return;
  (void)encoding.value("crop_to_aspect_ratio", false);
  (void)imageReadingIn(encoding, 3);
}

/// Version of preprocessing.json. Version 1 had a single input at the top level. Version 2 had no
/// hash. Version 3 did not record how images are read, and had no exact transforms and no notations
/// of numbers.
static constexpr int kPreprocessingVersion = 4;

std::string printPreprocessing(const Preprocessing& preprocessing) {
  Json inputs = Json::array();
  for (size_t i = 0; i < preprocessing.transforms.size(); ++i) {
    Json input = toJson(preprocessing.transforms[i]);
    input["encoding"] = preprocessing.encodings[i] ? *preprocessing.encodings[i] : Json();
    inputs.push_back(std::move(input));
  }
  return printSealed({{"format", "strata-preprocessing"},
                      {"version", kPreprocessingVersion},
                      {"inputs", inputs},
                      {"classes", preprocessing.classNames}});
}

Preprocessing parsePreprocessing(const Json& json, const std::string& file) {
  const auto fail = [&](const std::string& what) {
    throw Error(ErrorCode::InvalidFile, file, what);
  };
  const Json version = json.is_object() ? json.value("version", Json()) : Json();
  if (!version.is_number_integer() || json.value("format", Json()) != "strata-preprocessing")
    fail(
        "does not describe inputs (expected \"format\": \"strata-preprocessing\" and a version). "
        "Restore it from a backup, or train again.");
  if (version < 1 || version > kPreprocessingVersion)
    fail("has version " + version.dump() + " (expected 1 to " +
         std::to_string(kPreprocessingVersion) + "). Use a newer Strata.");
  if (const Seal seal = sealOf(json);
      seal == Seal::Broken || (seal == Seal::Absent && version >= 3))
    fail(
        "is damaged (its hash differs from its contents), so predictions would be wrong. Restore "
        "it from a backup, or train again.");
  try {
    Preprocessing result;
    size_t left = kMaxKeptNumbers;
    for (const Json& input : version == 1 ? Json::array({json}) : json.at("inputs")) {
      result.transforms.push_back(parseTransform(input, left));
      const Json& encoding = input.at("encoding");
      requireEncoding(encoding);
      result.encodings.push_back(encoding.is_null() ? nullptr
                                                    : std::make_shared<const Json>(encoding));
    }
    if (result.transforms.empty()) throw std::out_of_range("inputs");
    const Json& classes = json.at("classes");
    result.classNames = (version == 1 ? Json::array({classes}) : classes).get<ClassNames>();
    return result;
  }
  catch (const Error&) {
    throw;
  }
  catch (const std::exception&) {
    fail("is incomplete or has a wrong type. Restore it from a backup, or train again.");
  }
  return {};
}

Preprocessing readPreprocessing(const std::string& file) {
  return parsePreprocessing(parseJson(readFile(file, size_t{256} << 20), file), file);
}

namespace {

constexpr const char* kPreprocessingFile = "preprocessing.json";

}  // namespace

std::string preprocessingFileText(const Dataset& dataset) {
  const bool isPlain = std::none_of(dataset.encodings.begin(), dataset.encodings.end(),
                                    [](const auto& each) { return each != nullptr; });
  const auto isScaledAlone = [](const InputTransform& each) {
    return !each.more && !each.isExact;
  };
  if (isPlain && std::all_of(dataset.transforms.begin(), dataset.transforms.end(), isScaledAlone))
    return {};
  return printPreprocessing(dataset.preprocessing());
}

std::string savedPreprocessing(const std::string& weights) {
  if (weights.empty()) return {};
  const std::filesystem::path path = std::filesystem::absolute(weights);
  // A checkpoint is in a subfolder of the run.
  for (const auto& folder : {path, path.parent_path(), path.parent_path().parent_path()}) {
    std::error_code error;
    if (std::filesystem::is_regular_file(folder / kPreprocessingFile, error))
      return (folder / kPreprocessingFile).string();
  }
  return {};
}

std::shared_ptr<const Samples> withOneHotTargets(const Samples& samples, size_t target,
                                                 int64_t classes) {
  double bytes = static_cast<double>(samples.y[target].numElements()) *
                 static_cast<double>(classes) * sizeof(float);
  // The copy also contains the inputs.
  for (const Tensor& array : samples.x)
    bytes += static_cast<double>(array.bytes());
  if (const size_t available = availableMemoryBytes(); bytes > static_cast<double>(available))
    throw Error(ErrorCode::OutOfMemory, "/data/transforms",
                "one_hot does not fit into memory (" +
                    counted(samples.y[target].numElements(), "label") + " as " +
                    counted(classes, "number") + " each need " +
                    std::to_string(static_cast<uint64_t>(bytes)) +
                    " bytes, available: " + std::to_string(available) +
                    "). Remove it and choose sparse_categorical_crossentropy, or set take.");
  auto result = std::make_shared<Samples>(samples);
  Shape shape = samples.y[target].shape();
  shape.append(classes);
  result->y[target] = Tensor(DType::F32, shape);
  const auto labels = samples.y[target].as<int32_t>();
  const auto targets = result->y[target].as<float>();
  for (size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] < 0)
      throw Error(ErrorCode::InvalidFile, samples.placeOf(static_cast<int64_t>(i)),
                  "its label is negative (expected 0 to " + std::to_string(classes - 1) + ", got " +
                      std::to_string(labels[i]) + "). Correct it.");
    targets[i * static_cast<size_t>(classes) + static_cast<size_t>(labels[i])] = 1;
  }
  return result;
}

}  // namespace strata
