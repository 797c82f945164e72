// SPDX-License-Identifier: Apache-2.0
// Creates data without files, from random numbers (`random`) or from numbers in the project
// (`values`).
#include <cmath>

#include <nlohmann/json.hpp>

#include "core/data/array_files.h"
#include "core/data/source.h"
#include "core/project/text.h"
#include "gpu/base/error.h"
#include "gpu/base/machine.h"
#include "gpu/base/rng.h"

namespace strata {

namespace {

// Source `random`

struct RandomOptions {
  int64_t samples = 0, classes = 0, high = 0;
  uint64_t seed = 0;
  Shape shape;
  bool isInteger = false, isValueTarget = false;
  int64_t testSamples() const { return std::max<int64_t>(1, samples / 10); }
};

RandomOptions randomOptions(const SourceInput& input) {
  RandomOptions options;
  const Json& fields = input.fields;
  options.samples = fields.at("samples").get<int64_t>();
  options.classes = fields.at("classes").get<int64_t>();
  options.high = fields.at("high").get<int64_t>();
  options.seed = fields.at("seed").get<uint64_t>();
  for (const Json& dim : fields.at("shape"))
    options.shape.append(dim.get<int64_t>());
  options.isInteger = fields.at("kind").get<std::string>() == "integer";
  options.isValueTarget = fields.at("target").get<std::string>() == "value";
  return options;
}

void describeRandom(const SourceInput& input, DatasetInfo& info, Diagnostics& diagnostics) {
  const RandomOptions options = randomOptions(input);
  info.inputs[0].shape = options.shape;
  info.targets[0].shape = {};
  info.inputs[0].type = options.isInteger ? DType::I32 : DType::F32;
  info.targets[0].classes = options.classes;
  info.trainCount = options.samples;
  info.testCount = options.testSamples();
  if (options.isInteger) info.inputs[0].indexCount = options.high;
  if (options.isValueTarget && !options.isInteger)
    addProblem(diagnostics, "conflict", "/data/source/target",
               STRATA_TEXT("data",
                           "target \"value\" uses the integer itself as the label (expected kind "
                           "\"integer\", got \"%1\"). Set kind to \"integer\"."),
               {"normal"});
  if (options.isValueTarget && options.isInteger && options.high > options.classes)
    addProblem(diagnostics, "out_of_range", "/data/source/classes",
               STRATA_TEXT("data",
                           "target \"value\" needs a class for each integer (expected classes of "
                           "at least %1, got %2). Set classes to %1."),
               {std::to_string(options.high), std::to_string(options.classes)});
}

Samples makeRandom(const RandomOptions& options, uint64_t seed, int64_t count) {
  Shape shape{count};
  for (const int64_t dim : options.shape.dims())
    shape.append(dim);
  Samples samples;
  samples.x[0] = Tensor(options.isInteger ? DType::I32 : DType::F32, shape);
  samples.y[0] = Tensor(DType::I32, Shape{count});
  RandomStream inputs(seed, streamOf("random/x")), labels(seed, streamOf("random/y"));
  if (options.isInteger)
    for (int32_t& value : samples.x[0].as<int32_t>())
      value = static_cast<int32_t>(inputs.below(static_cast<uint32_t>(options.high)));
  else
    for (float& value : samples.x[0].as<float>())
      value = static_cast<float>(inputs.normal());
  const int64_t elements = options.shape.numElements();
  auto y = samples.y[0].as<int32_t>();
  for (size_t i = 0; i < y.size(); ++i)
    y[i] = options.isValueTarget
               ? samples.x[0].as<int32_t>()[i * static_cast<size_t>(elements)]
               : static_cast<int32_t>(labels.below(static_cast<uint32_t>(options.classes)));
  return samples;
}

LoadedSamples loadRandom(const SourceInput& input) {
  const RandomOptions options = randomOptions(input);
  Diagnostics problems;
  DatasetInfo info;
  describeRandom(input, info, problems);
  requireNoProblem(problems);
  const double elements = static_cast<double>(options.shape.numElements() + 1) * 4;
  const double bytes = elements * static_cast<double>(options.samples + options.testSamples());
  if (bytes > static_cast<double>(availableMemoryBytes()))
    throw Error(ErrorCode::OutOfMemory, "/data/source",
                std::to_string(options.samples + options.testSamples()) + " samples of " +
                    options.shape.toString() + " do not fit into memory (they need " +
                    std::to_string(static_cast<int64_t>(bytes)) +
                    " bytes, available: " + std::to_string(availableMemoryBytes()) +
                    "). Lower samples, or make the shape smaller.");
  LoadedSamples loaded;
  loaded.train =
      std::make_shared<const Samples>(makeRandom(options, options.seed, options.samples));
  loaded.test =
      std::make_shared<const Samples>(makeRandom(options, options.seed + 1, options.testSamples()));
  loaded.targets[0].classNames = numbersAsNames(options.classes);
  return loaded;
}

// Source `values`

struct Nested {
  Shape shape;
  std::vector<double> values;
  bool isWhole = true;
  // What was found instead of a valid array, for a message; "" if the array is valid
  Argument problem = "";
};

void flatten(const Json& json, int depth, Nested& nested) {
  if (!nested.problem.text().empty()) return;
  if (json.is_array()) {
    const auto size = static_cast<int64_t>(json.size());
    if (depth == kMaxRank) {
      nested.problem = "lists nested deeper than " + std::to_string(kMaxRank);
    }
    else if (nested.shape.rank() <= depth && !nested.values.empty()) {
      nested.problem = STRATA_TEXT("argument", "a list instead of a number");
    }
    else {
      if (nested.shape.rank() <= depth) nested.shape.append(size);
      if (nested.shape[depth] != size)
        nested.problem = "a list of " + std::to_string(size) + " next to one of " +
                         std::to_string(nested.shape[depth]);
      else if (size == 0)
        nested.problem = STRATA_TEXT("argument", "an empty list");
      for (const Json& element : json)
        flatten(element, depth + 1, nested);
    }
  }
  else if (!json.is_number()) {
    nested.problem = excerpt(json.dump(), 60);
  }
  else if (depth != nested.shape.rank() || depth == 0) {
    nested.problem = STRATA_TEXT("argument", "a number instead of a list");
  }
  else {
    const double value = json.get<double>();
    if (!std::isfinite(value) || std::abs(value) > 3.4028234663852886e38)
      nested.problem = STRATA_TEXT("argument", "a number outside the range of float32");
    nested.isWhole =
        nested.isWhole && value == std::floor(value) && std::abs(value) <= 2147483647.0;
    nested.values.push_back(value);
  }
}

/// Parses the array of the field `called`. Returns false if it has a problem.
bool parseArray(const Json& value, const std::string& called, Nested& array,
                Diagnostics& diagnostics) {
  flatten(value, 0, array);
  if (array.problem.text().empty()) return true;
  addProblem(diagnostics, "wrong_type", "/data/source/" + called,
             STRATA_TEXT("data",
                         "%1 has the wrong type (expected a list of numbers, or of lists of equal "
                         "length, got %2). Correct it."),
             {called, array.problem});
  return false;
}

/// Returns the arrays of the field `x` or `y`, one for each of `names`. Returns an empty list if
/// there is a problem.
std::vector<Nested> parseArrays(const SourceInput& input, const char* field,
                                const std::vector<std::string>& names, Text what,
                                Diagnostics& diagnostics) {
  std::vector<Nested> arrays(names.size());
  const auto it = input.object.find(field);
  const std::string pointer = std::string("/data/source/") + field;
  if (it == input.object.end()) {
    addProblem(
        diagnostics, "missing_field", pointer,
        STRATA_TEXT("data", "%1 is missing (expected a list with one entry per sample). Add it."),
        {field});
    return {};
  }
  const std::vector<const Json*> values =
      byName(*it, pointer, names, what, diagnostics, input.untrained);
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i] ||
        !parseArray(*values[i],
                    it->is_object() ? std::string(field) + "/" + names[i] : std::string(field),
                    arrays[i], diagnostics))
      return {};
  }
  return arrays;
}

/// Returns the sample weights of each output. The array of an output without weights has rank 0.
std::vector<Nested> parseWeights(const SourceInput& input, int64_t count,
                                 Diagnostics& diagnostics) {
  const std::vector<const Json*> values = weightsByOutput(input, diagnostics);
  std::vector<Nested> arrays(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i] || values[i]->is_null()) continue;
    const bool isByName = input.object.at(kSampleWeights).is_object();
    const std::string called =
        std::string(kSampleWeights) + (isByName ? "/" + input.targets[i].name : std::string());
    if (!parseArray(*values[i], called, arrays[i], diagnostics)) return {};
    const auto& numbers = arrays[i].values;
    const auto wrong =
        std::find_if(numbers.begin(), numbers.end(), [](double each) { return each < 0; });
    if (arrays[i].shape != Shape{count} || wrong != numbers.end()) {
      addProblem(diagnostics, "shape_mismatch", "/data/source/" + called,
                 STRATA_TEXT("data",
                             "%1 must contain a weight for each sample (expected %2 numbers of at "
                             "least 0, got %3). Correct it."),
                 {called, std::to_string(count),
                  wrong != numbers.end() ? Json(*wrong).dump() : arrays[i].shape.toString()});
      return {};
    }
    if (!isByName) return std::vector<Nested>(values.size(), arrays[i]);
  }
  return arrays;
}

/// Returns the name of an array in a message: "x", or "x/left" if there are several.
std::string arrayName(const char* field, const std::vector<std::string>& names, size_t i) {
  return names.size() == 1 ? std::string(field) : std::string(field) + "/" + names[i];
}

struct ParsedValues {
  // Inputs and targets. If one of the lists is empty, the source has a problem.
  std::vector<Nested> x, y;
  std::vector<Nested> weights;
  std::vector<DataTarget> targets;
  bool isSound() const { return !x.empty() && !y.empty(); }
};

DataTarget parseTarget(const WantedTarget& wanted, const Nested& y, const std::string& called,
                       Diagnostics& diagnostics) {
  DataTarget target{y.shape.without(0), wanted.isSparseTarget, 0, {}};
  if (!target.hasLabels) return target;
  double highest = 0, lowest = 0;
  for (const double value : y.values) {
    if (wanted.ignored && value == static_cast<double>(*wanted.ignored)) continue;
    highest = std::max(highest, value);
    lowest = std::min(lowest, value);
  }
  if (!y.isWhole || lowest < 0)
    addProblem(diagnostics, "wrong_type", "/data/source/" + called,
               STRATA_TEXT("data",
                           "The loss needs class labels (expected integers of at least 0 in %1, "
                           "got %2). Correct %1, or choose a loss for numbers."),
               {called, !y.isWhole ? Argument(STRATA_TEXT(
                                         "argument", "a fraction or a number above 2147483647"))
                                   : Argument(std::to_string(static_cast<int64_t>(lowest)))});
  else
    target.classes = static_cast<int64_t>(highest) + 1;
  return target;
}

ParsedValues parseValues(const SourceInput& input, Diagnostics& diagnostics) {
  ParsedValues parsed;
  const std::vector<std::string> outputs = input.targetNames();
  parsed.x =
      parseArrays(input, "x", input.inputs, STRATA_TEXT("argument", "Input layer"), diagnostics);
  parsed.y = parseArrays(input, "y", outputs, STRATA_TEXT("argument", "output"), diagnostics);
  if (!parsed.isSound()) return parsed;
  const std::string first = arrayName("x", input.inputs, 0);
  const int64_t count = parsed.x[0].shape[0];
  const auto requireCount = [&](const Nested& array, const std::string& called) {
    if (array.shape[0] != count)
      addProblem(diagnostics, "shape_mismatch", "/data/source/" + called,
                 STRATA_TEXT("data",
                             "%1 must contain as many samples as %2 (expected %3, got %4). Add or "
                             "remove samples."),
                 {called, first, std::to_string(count), std::to_string(array.shape[0])});
  };
  for (size_t i = 1; i < parsed.x.size(); ++i)
    requireCount(parsed.x[i], arrayName("x", input.inputs, i));
  for (size_t i = 0; i < parsed.y.size(); ++i) {
    const std::string called = arrayName("y", outputs, i);
    requireCount(parsed.y[i], called);
    parsed.targets.push_back(parseTarget(input.targets[i], parsed.y[i], called, diagnostics));
  }
  parsed.weights = parseWeights(input, count, diagnostics);
  return parsed;
}

Tensor toTensor(const Nested& nested, DType dtype) {
  Tensor tensor(dtype, nested.shape);
  if (dtype == DType::I32)
    std::transform(nested.values.begin(), nested.values.end(), tensor.as<int32_t>().begin(),
                   [](double v) { return static_cast<int32_t>(v); });
  else
    std::transform(nested.values.begin(), nested.values.end(), tensor.as<float>().begin(),
                   [](double v) { return static_cast<float>(v); });
  return tensor;
}

/// Returns the inputs in f32, or in f64 if they need its digits.
Tensor inputTensor(const Nested& nested) {
  Tensor tensor(DType::F64, nested.shape);
  std::copy(nested.values.begin(), nested.values.end(), tensor.as<double>().begin());
  return withNeededDigits(std::move(tensor));
}

void describeValues(const SourceInput& input, DatasetInfo& info, Diagnostics& diagnostics) {
  const ParsedValues parsed = parseValues(input, diagnostics);
  if (!parsed.isSound()) return;
  info.inputs.clear();
  for (const Nested& x : parsed.x)
    info.inputs.push_back({x.shape.without(0), inputTensor(x).dtype()});
  info.targets = parsed.targets;
  info.trainCount = info.testCount = parsed.x[0].shape[0];
}

LoadedSamples loadValues(const SourceInput& input) {
  Diagnostics problems;
  ParsedValues parsed = parseValues(input, problems);
  requireNoProblem(problems);
  auto samples = std::make_shared<Samples>();
  samples->x.clear();
  samples->y.clear();
  for (const Nested& x : parsed.x)
    samples->x.push_back(inputTensor(x));
  for (size_t i = 0; i < parsed.y.size(); ++i)
    samples->y.push_back(
        toTensor(parsed.y[i], parsed.targets[i].hasLabels ? DType::I32 : DType::F32));
  for (const Nested& each : parsed.weights)
    samples->weights.push_back(each.shape.rank() > 0 ? toTensor(each, DType::F32) : Tensor());
  LoadedSamples loaded;
  loaded.train = loaded.test = samples;
  loaded.targets = std::move(parsed.targets);
  for (DataTarget& target : loaded.targets)
    target.classNames = numbersAsNames(target.classes);
  return loaded;
}

}  // namespace

SourceDef randomSource() {
  SourceDef source;
  Schema& schema = source.schema;
  schema.type = "random";
  schema.group = "Source";
  schema.help = STRATA_TEXT(
      "data",
      "Random inputs (normally distributed numbers or integers) with random classes or the integer "
      "itself as label. The test set has a tenth as many samples and uses the next seed.");
  schema.formula = "x ~ N(0, 1) or 0..high-1; y ~ 0..classes-1 or x";
  auto samples = dataField("samples", FieldType::Integer, "1000", STRATA_TEXT("data", "Samples"),
                           STRATA_TEXT("data", "Number of training samples to generate."));
  samples.minimum = 1;
  samples.maximum = 100000000;
  auto shape = dataField("shape", FieldType::Shape, "", STRATA_TEXT("data", "Shape"),
                         STRATA_TEXT("data", "Shape of one sample, without the batch dimension."));
  shape.minimum = 1;
  auto classes = dataField("classes", FieldType::Integer, "10", STRATA_TEXT("data", "Classes"),
                           STRATA_TEXT("data", "Labels are 0 to classes - 1."));
  classes.minimum = 1;
  classes.maximum = 2147483647;
  auto seed = dataField("seed", FieldType::Integer, "0", STRATA_TEXT("data", "Seed"),
                        STRATA_TEXT("data", "Random seed for the generated data."));
  seed.minimum = 0;
  const FieldSchema kind =
      choiceField("kind", "\"normal\"", {"normal", "integer"}, STRATA_TEXT("data", "Kind"),
                  STRATA_TEXT("data", "Normally distributed numbers or integers."));
  auto high = dataField("high", FieldType::Integer, "10", STRATA_TEXT("data", "Upper bound"),
                        STRATA_TEXT("data", "Integers are 0 to high - 1."));
  high.minimum = 1;
  high.maximum = 2147483647;
  const FieldSchema target =
      choiceField("target", "\"class\"", {"class", "value"}, STRATA_TEXT("data", "Target"),
                  STRATA_TEXT("data", "Label: a random class, or the integer itself."));
  schema.fields = {samples, shape, classes, seed, kind, high, target};
  source.describe = describeRandom;
  source.load = loadRandom;
  return source;
}

SourceDef valuesSource() {
  SourceDef source;
  Schema& schema = source.schema;
  schema.type = "values";
  schema.group = "Source";
  schema.help =
      STRATA_TEXT("data", "Samples stored in the project file; they also serve as the test set.");
  schema.fields = {
      dataField("x", FieldType::NumberList, "", STRATA_TEXT("data", "x"),
                STRATA_TEXT("data",
                            "One entry per sample: a number, or numbers in nested lists. With "
                            "several Input layers, an object with a list for each layer.")),
      dataField("y", FieldType::NumberList, "", STRATA_TEXT("data", "y"),
                STRATA_TEXT("data",
                            "One target per sample: a label, a number, or numbers in nested lists. "
                            "With several outputs, an object with a list for each output.")),
      dataField(
          kSampleWeights, FieldType::NumberList, "null", STRATA_TEXT("data", "Sample weights"),
          STRATA_TEXT("data",
                      "Weights of the samples in the loss: one number per sample, or an object "
                      "with a list for each output; by default all weights are equal."))};
  source.ofInputs = {"x"};
  source.ofOutputs = {"y", kSampleWeights};
  source.describe = describeValues;
  source.load = loadValues;
  return source;
}

}  // namespace strata
