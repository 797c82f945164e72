// SPDX-License-Identifier: Apache-2.0
// Each case is built like in training (layers, loss, gradients, updates, all passes), run on the
// device and compared with the values in the file.
#include "core/verify/verify.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>

#include <nlohmann/json.hpp>

#include "core/compile/compile.h"
#include "core/interchange/safetensors.h"
#include "core/recipe/losses.h"
#include "core/recipe/metrics.h"
#include "core/recipe/optimizers.h"
#include "core/recipe/schedules.h"
#include "gpu/autodiff/autodiff.h"
#include "gpu/devices/devices.h"
#include "gpu/ops/build.h"
#include "gpu/reference/evaluate.h"

namespace strata {

namespace {

constexpr double kTolerance = 1e-5, kSequenceTolerance = 5e-5, kTrainingLossTolerance = 2e-4,
                 kTrainingWeightTolerance = 1e-3, kScheduleTolerance = 1e-6;

/// A type that this build does not have: the case is skipped.
struct MissingType {
  std::string name;
};

// For all values of a case
constexpr double kMaxBytes = 256.0 * (1 << 20);

/// Refuses networks that are too large: a short file can describe one of any size.
void requireSmall(const Graph& graph) {
  double bytes = 0;
  for (const NodeId id : graph.order())
    for (const ValueId value : graph.node(id).outputs)
      bytes += static_cast<double>(graph.type(value).bytes());
  if (bytes > kMaxBytes)
    throw Error(ErrorCode::InvalidFile, "",
                "the case is too large (expected values of at most 256 MiB, got " +
                    std::to_string(static_cast<uint64_t>(bytes / (1 << 20))) +
                    "). Make it smaller.");
}

/// A graph on the device, ready to run.
class Runnable {
 public:
  Runnable(Graph graph, Backend& backend)
      : Runnable(std::move(graph), backend, std::make_shared<State>()) {}
  Runnable(Graph graph, Backend& backend, std::shared_ptr<State> state)
      : m_state(std::move(state)) {
    requireSmall(graph);
    PipelineOptions options;
    options.verifyAfterEach = true;
    options.evaluate = evaluateOp;
    runPasses(graph, options, backend.passes());
    m_state->ensureVariables(graph);
    m_program = Program::build(std::move(graph), backend, *m_state);
    m_program->bind();
  }
  bool hasInput(std::string_view name) const {
    return findInput(m_program->graph(), name).isValid();
  }
  void write(std::string_view name, const Tensor& value) {
    const ValueId input = findInput(m_program->graph(), name);
    // No node reads it
    if (!input.isValid()) return;
    const TensorType& type = m_program->graph().type(input);
    m_program->writeInput(name, value.converted(type.dtype).reshaped(type.shape));
  }
  void run() { m_program->run(); }
  Tensor read(std::string_view name) const { return m_program->readOutput(name); }
  State& state() { return *m_state; }

 private:
  std::shared_ptr<State> m_state;
  std::unique_ptr<Program> m_program;
};

class Verifier {
 public:
  Verifier(const std::string& path, const std::string& device) : m_backend(openDevice(device, {})) {
    m_manifest = parseJson(readFile(path, kMaxJsonBytes), path);
    if (!m_manifest.is_object() || m_manifest.value("format", Json()) != "strata-reference" ||
        !m_manifest.contains("cases") || !m_manifest["cases"].is_array() ||
        !m_manifest.contains("tensors") || !m_manifest["tensors"].is_string())
      throw Error(ErrorCode::InvalidFile, path,
                  "is not a reference file (expected \"format\": \"strata-reference\" with "
                  "\"tensors\" and \"cases\"). Name the .json file of a reference set.");
    m_file = readSafetensors(
        (std::filesystem::path(path).parent_path() / m_manifest["tensors"].get<std::string>())
            .string());
  }

  VerifyReport run() {
    VerifyReport report;
    for (const Json& item : m_manifest["cases"]) {
      m_row = {};
      m_row.id = textIn(item, "id");
      m_row.kind = textIn(item, "kind");
      try {
        runCase(item);
      }
      catch (const MissingType& missing) {
        m_row.state = VerifyRow::State::Skipped;
        m_row.message = missing.name;
      }
      catch (const Error& error) {
        fail(error.line());
      }
      catch (const std::exception& error) {
        fail(error.what());
      }
      report.rows.push_back(m_row);
    }
    return report;
  }

 private:
  static std::string textIn(const Json& item, const char* key) {
    return item.is_object() && item.contains(key) && item[key].is_string()
               ? item[key].get<std::string>()
               : "?";
  }
  void fail(const std::string& message) {
    m_row.state = VerifyRow::State::Failed;
    m_row.largestError = std::numeric_limits<double>::infinity();
    m_row.message = message;
  }

  void runCase(const Json& item) {
    if (m_row.kind == "layer") return runLayer(item);
    if (m_row.kind == "loss") return runLoss(item);
    if (m_row.kind == "optimizer") return runOptimizer(item);
    if (m_row.kind == "metric") return runMetric(item);
    if (m_row.kind == "training") return runTraining(item);
    if (m_row.kind == "schedule") return runSchedule(item);
    throw MissingType{"kind " + m_row.kind};
  }

  const Tensor& tensor(const std::string& name) const {
    const Tensor* found = find(m_row.id + "/" + name);
    if (!found)
      throw Error(ErrorCode::InvalidFile, m_row.id,
                  "the tensor " + name + " is missing from the file.");
    return *found;
  }
  const Tensor* find(const std::string& name) const {
    const auto found = m_file.tensors.find(name);
    return found == m_file.tensors.end() ? nullptr : &found->second;
  }
  /// The rest of all names that start with `<id>/<prefix>`.
  std::vector<std::string> namesUnder(const std::string& prefix) const {
    const std::string start = m_row.id + "/" + prefix;
    std::vector<std::string> names;
    for (auto it = m_file.tensors.lower_bound(start);
         it != m_file.tensors.end() && it->first.starts_with(start); ++it)
      names.push_back(it->first.substr(start.size()));
    return names;
  }

  /// A count from the file.
  int64_t countIn(const Json& value, const char* what, int64_t most) const {
    const auto count = value.get<int64_t>();
    if (count < 1 || count > most)
      throw Error(ErrorCode::InvalidFile, m_row.id,
                  std::string("the ") + what + " do not fit the tensors (expected 1 to " +
                      std::to_string(most) + ", got " + std::to_string(count) + ").");
    return count;
  }
  /// The size of the first dimension.
  int64_t rowCount(const Tensor& tensor) const {
    if (tensor.shape().rank() < 1 || tensor.numElements() < 1)
      throw Error(ErrorCode::InvalidFile, m_row.id, "a tensor has no rows.");
    return tensor.shape()[0];
  }

  void judge(const std::string& name, double error, double tolerance) {
    const bool isOff = !(error <= tolerance);
    const bool isWorst =
        m_row.tolerance == 0 || !(error / tolerance <= m_row.largestError / m_row.tolerance);
    if (isWorst) {
      m_row.largestError = error;
      m_row.tolerance = tolerance;
    }
    if (!isOff) return;
    m_row.state = VerifyRow::State::Failed;
    if (isWorst) m_row.message = name;
  }

  void compare(const std::string& name, const Tensor& got, const Tensor& expected,
               double tolerance = kTolerance) {
    if (got.numElements() != expected.numElements()) {
      fail(name + " has shape " + got.shape().toString() + " (expected " +
           expected.shape().toString() + ").");
      return;
    }
    const Tensor a = got.converted(DType::F64), b = expected.converted(DType::F64);
    double error = 0, size = 1;
    for (int64_t i = 0; i < a.numElements(); ++i) {
      const double x = a.as<double>()[static_cast<size_t>(i)],
                   y = b.as<double>()[static_cast<size_t>(i)];
      if (x != y)
        error = std::isfinite(x) ? std::max(error, std::abs(x - y))
                                 : std::numeric_limits<double>::infinity();
      size = std::max(size, std::abs(y));
      if (std::isinf(error)) break;
    }
    judge(name, error / size, tolerance);
  }

  static std::string typeOf(const Json& value) {
    return value.is_string() ? value.get<std::string>() : value.value("type", std::string("?"));
  }

  static void requireTypes(const Json& layers) {
    for (const Json& layer : layers) {
      if (!findLayer(typeOf(layer))) throw MissingType{typeOf(layer)};
      if (layer.contains("layer") && !findLayer(typeOf(layer["layer"])))
        throw MissingType{typeOf(layer["layer"])};
      if (layer.contains("layers")) requireTypes(layer["layers"]);
    }
  }

  /// An unknown field is an error here, not a warning.
  static void requireClean(const Diagnostics& diagnostics) {
    for (const Diagnostic& each : diagnostics)
      if (each.severity == Severity::Error || each.code == "unknown_field")
        throw Error(ErrorCode::InvalidProject, each.subject(), each.sentence());
  }

  Model modelOf(const Json& layers) {
    requireTypes(layers);
    Diagnostics diagnostics;
    Model model = parseModel(Project(Json{{"model", {{"layers", layers}}}}), diagnostics);
    requireClean(diagnostics);
    return model;
  }

  TypedFields typed(const Schema& schema, const Json& value, const std::string& what) {
    Diagnostics diagnostics;
    const Schema* const schemas[] = {&schema};
    const Json checked = checkTyped(schemas, what, value, "/" + what, "", diagnostics);
    requireClean(diagnostics);
    return {checked.at("type"), std::make_shared<const Json>(checked)};
  }

  void runLayer(const Json& item) {
    const Model model = modelOf(item.at("layers"));
    const bool isTraining = item.at("training");
    double tolerance = kTolerance;
    for (const Layer& layer : model.layers)
      for (const char* type : {"SimpleRNN", "LSTM", "GRU", "Bidirectional", "TimeDistributed",
                               "MultiHeadAttention", "Attention"})
        if (layer.definition->schema.type == type) tolerance = kSequenceTolerance;
    const int64_t batch = rowCount(tensor("input/0"));

    Graph graph;
    std::vector<VariableRequest> variables;
    NextValues nextValues;
    const std::vector<ValueId> values =
        lowerLayers(graph, model, isTraining ? StepMode::Train : StepMode::Evaluate, batch,
                    variables, nextValues);
    const auto valueOf = [&](const std::string& name) {
      return values[static_cast<size_t>(model.find(name) - model.layers.data())];
    };
    const ValueId output = valueOf(model.outputs.back());
    graph.addOutput("output", output);

    int64_t parameters = 0;
    std::vector<std::string> targetNames;
    std::vector<ValueId> targets;
    // The file numbers the Input layers in their order
    for (size_t i = 0; i < model.inputs.size(); ++i) {
      const std::string name = "input_gradient/" + std::to_string(i);
      if (!find(m_row.id + "/" + name)) continue;
      targetNames.push_back(name);
      targets.push_back(valueOf(model.inputs[i]));
    }
    for (const auto& variable : variables) {
      if (!variable.isTrainable) continue;
      parameters += variable.shape.numElements();
      targetNames.push_back("weight_gradient/" + variable.name);
      targets.push_back(variable.replacement.isValid() ? variable.replacement
                                                       : graph.findVariable(variable.name)->value);
    }
    if (const auto expected = item.find("parameters");
        expected != item.end() && *expected != parameters)
      return fail("the layers have " + std::to_string(parameters) +
                  " trainable parameters (expected " + expected->dump() + ").");
    const bool hasGradient = find(m_row.id + "/output_gradient") && !targets.empty();
    std::vector<ValueId> gradients;
    if (hasGradient) {
      const GradientSeed seed{output, graph.addInput("output_gradient", graph.type(output))};
      gradients = differentiate(graph, {&seed, 1}, targets);
      for (size_t i = 0; i < targets.size(); ++i)
        if (gradients[i].isValid()) graph.addOutput(targetNames[i], gradients[i]);
    }
    assignNextValues(graph, nextValues);
    if (isTraining) assignReplacements(graph, variables);

    Runnable step(std::move(graph), *m_backend);
    for (size_t i = 0; i < model.inputs.size(); ++i)
      step.write(model.inputs[i], tensor("input/" + std::to_string(i)));
    if (hasGradient) step.write("output_gradient", tensor("output_gradient"));
    const std::vector<std::string> weights = namesUnder("weight/");
    for (const auto& variable : variables)
      // Keras does not save the states of stateful layers as weights: they start with zeros
      if (std::find(weights.begin(), weights.end(), variable.name) == weights.end() &&
          variable.name.find("/rnn_state") == std::string::npos)
        return fail("the file has no weight for the variable " + variable.name + ".");
    for (const auto& name : weights)
      writeWeight(step.state(), name);
    step.run();
    compare("output", step.read("output"), tensor("output"), tolerance);
    for (size_t i = 0; hasGradient && i < targets.size(); ++i) {
      const Tensor& expected = tensor(targetNames[i]);
      compare(
          targetNames[i],
          gradients[i].isValid() ? step.read(targetNames[i]) : Tensor(DType::F32, expected.shape()),
          expected, tolerance);
    }
    for (const auto& name : namesUnder("weight_after/"))
      compare("weight_after/" + name, step.state().read(name), tensor("weight_after/" + name),
              tolerance);
  }

  void runLoss(const Json& item) {
    const std::string type = typeOf(item.at("loss"));
    const LossDef* definition = findLoss(type);
    if (!definition) throw MissingType{type};
    const TypedFields fields = typed(definition->schema, item.at("loss"), "loss");
    const Tensor& prediction = tensor("prediction");
    Graph graph;
    graph.context.category = Category::Temporary;
    const ValueId x = graph.addInput("prediction", {DType::F32, prediction.shape()});
    TensorType targets = targetType(definition->target, prediction.shape());
    // May be shorter than the prediction
    if (definition->target == TargetKind::Sequences) targets.shape = tensor("target").shape();
    LossContext context{graph, *fields.fields, x, graph.addInput("target", targets)};
    const ValueId value = definition->lower(context).value;
    graph.addOutput("value", value);
    const GradientSeed seed{value, {}};
    const std::vector<ValueId> gradient = differentiate(graph, {&seed, 1}, {&x, 1});
    graph.addOutput("prediction_gradient", gradient.at(0));
    Runnable step(std::move(graph), *m_backend);
    step.write("prediction", prediction);
    step.write("target", tensor("target"));
    step.run();
    compare("value", step.read("value"), tensor("value"));
    compare("prediction_gradient", step.read("prediction_gradient"), tensor("prediction_gradient"));
  }

  /// Throws MissingType for an unknown schedule anywhere in `value`.
  static void requireSchedules(const Json& value) {
    if (!value.is_object()) return;
    for (const char* key : {"learning_rate", "schedule"}) {
      const auto rate = value.find(key);
      if (rate == value.end() || rate->is_number()) continue;
      if (!findSchedule(typeOf(*rate))) throw MissingType{typeOf(*rate)};
      requireSchedules(*rate);
    }
  }

  static RateSchedule scheduleOf(const Json& rate) {
    Diagnostics diagnostics;
    if (rate.is_object()) checkSchedule(rate, "/schedule", diagnostics);
    requireClean(diagnostics);
    return makeSchedule(rate);
  }

  void runSchedule(const Json& item) {
    const std::string type = typeOf(item.at("schedule"));
    const ScheduleDef* definition = findSchedule(type);
    if (!definition) throw MissingType{type};
    requireSchedules(item["schedule"]);
    const RateSchedule rate =
        scheduleOf(*typed(definition->schema, item["schedule"], "schedule").fields);
    const Tensor steps = tensor("step").converted(DType::I64),
                 expected = tensor("value").converted(DType::F64);
    if (steps.numElements() != expected.numElements())
      return fail("the numbers of steps and values differ.");
    double error = 0, size = 0;
    for (int64_t i = 0; i < expected.numElements(); ++i) {
      const double wanted = expected.as<double>()[static_cast<size_t>(i)],
                   got = rate(steps.as<int64_t>()[static_cast<size_t>(i)]);
      error = std::max(error, std::isfinite(got) ? std::abs(got - wanted)
                                                 : std::numeric_limits<double>::infinity());
      size = std::max(size, std::abs(wanted));
    }
    judge("value", error / std::max(size, 1e-30), kScheduleTolerance);
  }

  void runOptimizer(const Json& item) {
    const std::string type = typeOf(item.at("optimizer"));
    const OptimizerDef* definition = findOptimizer(type);
    if (!definition) throw MissingType{type};
    requireSchedules(item["optimizer"]);
    const TypedFields optimizer = typed(definition->schema, item["optimizer"], "optimizer");
    const RateSchedule rate = scheduleOf(optimizer.fields->at("learning_rate"));
    Graph graph;
    StepGraph asStep;
    std::vector<ParameterGradient> parameters;
    const std::vector<std::string> names = namesUnder("weight/");
    for (const auto& name : names) {
      const TensorType weight{DType::F32, tensor("weight/" + name).shape()};
      parameters.push_back({name, name, graph.addVariable(name, weight, Category::Parameter, true),
                            graph.addInput("gradient/" + name, weight)});
    }
    appendUpdates(graph, optimizer, parameters, asStep.optimizerState);
    asStep.graph = graph;
    const auto state = std::make_shared<State>();
    initializeState(*state, asStep, 1);
    Runnable step(std::move(graph), *m_backend, state);
    for (const auto& name : names)
      state->write(name, tensor("weight/" + name).converted(DType::F32));
    const std::vector<int64_t> checked = item.at("checked");
    if (names.empty()) return fail("the case has no weights.");
    // The file has the gradients of each step
    for (int64_t number = 1; number <= item.at("steps").get<int64_t>(); ++number) {
      step.write("learning_rate", Tensor::scalar(static_cast<float>(rate(number - 1))));
      step.write("step", Tensor::scalar(number));
      for (const auto& name : names)
        step.write("gradient/" + name, tensor("gradient/" + std::to_string(number) + "/" + name));
      step.run();
      if (std::find(checked.begin(), checked.end(), number) == checked.end()) continue;
      for (const auto& name : names) {
        const std::string after = "weight_after/" + std::to_string(number) + "/" + name;
        compare(after, state->read(name), tensor(after));
      }
    }
  }

  void runMetric(const Json& item) {
    const std::string type = typeOf(item.at("metric"));
    const MetricDef* definition = findMetric(type);
    if (!definition) throw MissingType{type};
    const TypedFields metric = typed(definition->schema, item.at("metric"), "metric");
    const Tensor& prediction = tensor("prediction");
    const Tensor& target = tensor("target");
    LoweredMetric lowered;
    std::vector<double> sums;
    int64_t row = 0;
    const int64_t most = std::min(rowCount(prediction), rowCount(target));
    for (const Json& update : item.at("updates")) {
      const int64_t rows = countIn(update, "updates", most);
      Graph graph;
      graph.context.category = Category::Temporary;
      const auto ofRows = [&](Shape shape) {
        shape.set(0, rows);
        return shape;
      };
      const DType targets = definition->target == TargetKind::Labels ? DType::I32 : DType::F32;
      const ValueId x = graph.addInput("prediction", {DType::F32, ofRows(prediction.shape())});
      lowered = lowerMetric(graph, metric, definition->target, x,
                            graph.addInput("target", {targets, ofRows(target.shape())}));
      Runnable step(std::move(graph), *m_backend);
      step.write("prediction", rowsOf(prediction, row, rows));
      step.write("target", rowsOf(target, row, rows));
      step.run();
      const Tensor got = step.read(lowered.output).converted(DType::F64);
      sums.resize(static_cast<size_t>(got.numElements()));
      for (size_t i = 0; i < sums.size(); ++i)
        sums[i] += got.as<double>()[i];
      row += rows;
    }
    if (row == 0) return fail("the case has no updates.");
    Tensor values(DType::F64, Shape{static_cast<int64_t>(lowered.names.size())});
    metricValues({&lowered, 1}, sums, row, values.as<double>());
    compare("value", values, tensor("value"));
  }

  /// Pads labels of sequences with zeros to the longest sequence of the file.
  static Tensor padded(Tensor rows, const Shape& shape) {
    if (rows.shape().rank() != 2 || shape.rank() != 2 || rows.shape()[1] >= shape[1]) return rows;
    Tensor result(rows.dtype(), shape);
    const size_t size = rows.bytes() / static_cast<size_t>(shape[0]),
                 pitch = result.bytes() / static_cast<size_t>(shape[0]);
    for (int64_t i = 0; i < shape[0]; ++i)
      std::copy_n(rows.data() + static_cast<size_t>(i) * size, size,
                  result.data() + static_cast<size_t>(i) * pitch);
    return result;
  }

  void writeWeight(State& state, const std::string& name) const {
    Tensor weight = tensor("weight/" + name).converted(DType::F32);
    if (const TensorType& type = state.type(name);
        type.shape.rank() == 0 && weight.numElements() == 1)
      // Files store scalars with shape [1]
      weight = weight.reshaped(type.shape);
    state.write(name, weight);
  }

  static Tensor rowsOf(const Tensor& source, int64_t begin, int64_t count) {
    Shape shape = source.shape();
    const int64_t total = shape[0];
    shape.set(0, count);
    Tensor result(source.dtype(), shape);
    const size_t rowBytes = source.bytes() / static_cast<size_t>(total);
    // Wraps around, like the reference trainings
    for (int64_t i = 0; i < count; ++i)
      std::copy_n(source.data() + static_cast<size_t>((begin + i) % total) * rowBytes, rowBytes,
                  result.data() + static_cast<size_t>(i) * rowBytes);
    return result;
  }

  /// A tensor of the data: its name in the file, or an object with the name for each Input layer or
  /// output.
  const Tensor& dataOf(const Json& where, const std::string& end) const {
    const Tensor* const tensor = find(where.is_object() ? where.at(end) : where);
    if (!tensor)
      throw Error(ErrorCode::InvalidFile, m_row.id,
                  "the tensors of the data are missing from the file.");
    return *tensor;
  }

  /// Throws MissingType for an unknown loss. `loss`: one loss, a list, or an object by output.
  static void requireLosses(const Json& loss) {
    if (loss.is_string() || (loss.is_object() && loss.contains("type"))) {
      if (!findLoss(typeOf(loss))) throw MissingType{typeOf(loss)};
    }
    else if (loss.is_structured()) {
      for (const Json& each : loss)
        requireLosses(each);
    }
  }

  void runTraining(const Json& item) {
    const Model model = modelOf(item.at("layers"));
    const Json& description = item.at("training");
    requireLosses(description.at("loss"));
    if (!findOptimizer(typeOf(description.at("optimizer"))))
      throw MissingType{typeOf(description["optimizer"])};
    requireSchedules(description["optimizer"]);
    Diagnostics diagnostics;
    const TrainingOptions training = parseTraining(
        Project(Json{{"model", {{"layers", item["layers"]}}}, {"training", description}}),
        diagnostics);
    requireClean(diagnostics);

    StepOptions options;
    options.mode = StepMode::Train;
    options.batchSize = training.batchSize;
    StepGraph built = buildStep(model, training, options, m_backend->passes());
    requireSmall(built.graph);
    const auto state = std::make_shared<State>();
    initializeState(*state, built, training.seed);
    for (const auto& name : namesUnder("weight/"))
      writeWeight(*state, name);
    Runnable step(std::move(built.graph), *m_backend, state);

    const Json& data = item.at("data");
    std::vector<Tensor> inputs;
    for (const StepPort& end : built.inputs) {
      inputs.push_back(dataOf(data.at("x"), end.name).converted(DType::F32));
      const float divisor = data.value("divide_by", 1.0f);
      for (float& value : inputs.back().as<float>())
        value /= divisor;
    }
    std::vector<const Tensor*> targets;
    for (const StepOutput& output : built.outputs)
      targets.push_back(&dataOf(data.at("y"), output.layer));
    const Tensor& losses = tensor("loss");
    const Tensor expected = losses.converted(DType::F64);
    const int64_t steps = countIn(item.at("steps"), "steps", expected.numElements());
    for (const Tensor& input : inputs)
      (void)rowCount(input);
    for (const Tensor* target : targets)
      (void)rowCount(*target);
    for (int64_t number = 1; number <= steps; ++number) {
      const int64_t begin = (number - 1) * training.batchSize;
      for (size_t i = 0; i < inputs.size(); ++i)
        step.write(built.inputs[i].name, rowsOf(inputs[i], begin, training.batchSize));
      for (size_t i = 0; i < targets.size(); ++i)
        step.write(built.targets[i].name, padded(rowsOf(*targets[i], begin, training.batchSize),
                                                 built.targets[i].type.shape));
      step.write("learning_rate",
                 Tensor::scalar(static_cast<float>(training.learningRateAt(number))));
      step.write("step", Tensor::scalar(number));
      step.write("seed", Tensor::scalar(static_cast<int64_t>(training.seed)));
      step.write("first_sample", Tensor::scalar(begin));
      step.run();
      const double got =
                       static_cast<double>(step.read("loss").converted(DType::F32).as<float>()[0]),
                   wanted = expected.as<double>()[static_cast<size_t>(number - 1)];
      judge("loss of step " + std::to_string(number),
            std::isfinite(got) ? std::abs(got - wanted) / std::max(1e-30, std::abs(wanted))
                               : std::numeric_limits<double>::infinity(),
            kTrainingLossTolerance);
    }
    for (const auto& name : namesUnder("weight_after/"))
      compare("weight_after/" + name, state->read(name), tensor("weight_after/" + name),
              kTrainingWeightTolerance);
  }

  std::unique_ptr<Backend> m_backend;
  Json m_manifest;
  TensorFile m_file;
  VerifyRow m_row;
};

}  // namespace

VerifyReport verifyManifest(const std::string& path, const std::string& device) {
  return Verifier(path, device).run();
}

}  // namespace strata
