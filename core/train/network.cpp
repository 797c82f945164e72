// SPDX-License-Identifier: Apache-2.0
#include "core/train/network.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <ranges>
#include <set>

#include "core/check/checked_project.h"
#include "core/check/data_fit.h"
#include "core/cost/kernel_choices_file.h"
#include "core/data/decode_ahead.h"
#include "core/interchange/weight_names.h"
#include "core/project/text.h"
#include "core/recipe/losses.h"
#include "core/recipe/optimizers.h"
#include "core/train/planned_step.h"
#include "gpu/base/error.h"
#include "gpu/base/machine.h"
#include "gpu/base/thread_pool.h"
#include "gpu/devices/devices.h"
#include "gpu/graph/op.h"
#include "gpu/passes/rewrite.h"

namespace strata {

namespace {

constexpr const char* kNetwork = "network";  // what an error names that belongs to no layer

// Of the half second between the start of a program and its first step.
constexpr std::chrono::milliseconds kMeasuring{150};

// Below this many elements the pool is not asked: 64 MNIST images take one thread 5 microseconds, less than two threads need to meet on a busy machine.
constexpr int64_t kGatherAlone = 128 * 1024;

/// A scalar output of f32 as a double.
double scalarOf(const Program& program, std::string_view name) {
  float value = 0;
  std::memcpy(&value, program.outputAddress(name), sizeof value);
  return value;
}

/// Where the program takes it.
template <class Value>
void putScalar(Program& program, const char* name, Value value) {
  if (!program.graph().findInput(name).isValid()) return;
  if (std::byte* address = program.inputAddress(name)) std::memcpy(address, &value, sizeof value);
}

Shape withBatch(int64_t batch, Shape shape) {
  if (shape.rank() > 0) shape.set(0, batch);
  return shape;
}

Shape withoutBatch(const Shape& shape) { return shape.rank() > 0 ? shape.without(0) : shape; }

/// Of every value of a step, as if none shared its bytes with another.
size_t bytesOfAll(const Graph& graph) {
  size_t bytes = 0;
  for (const NodeId id : graph.order())
    for (const ValueId value : graph.node(id).outputs) bytes += graph.type(value).bytes();
  return bytes;
}

}  // namespace

Network::Network(const CheckedProject& project, const NetworkOptions& options)
    : m_project(project.project()), m_model(project.model()), m_training(project.recipe()), m_execution(project.execution()) {
  project.requireSound();
  if (options.recompute) m_execution.recompute = *options.recompute;
  if (m_execution.disabledPasses.contains("recompute")) m_execution.recompute = Recompute::None;
  if (options.accumulationSteps) m_training.accumulationSteps = *options.accumulationSteps;
  m_stop = options.stop;
  m_batchSize = std::min(options.batchSize.value_or(m_training.batchSize), options.mostBatch);
  if (m_batchSize < 1)
    throw Error(ErrorCode::InvalidArgument, "batch_size",
                "must be at least 1 (got " + std::to_string(m_batchSize) + "). Set it to 1 or more.");
  m_evaluateBatch = microBatchesOf(m_batchSize).back().samples;
  DeviceOptions device;
  device.threads = options.threads > 0 ? options.threads : m_execution.threads;
  device.niceness = options.niceness;
  m_backend = openDevice(options.device.empty() ? m_execution.device : options.device, device);
  m_execution.memoryLimitBytes = options.memoryLimitBytes ? options.memoryLimitBytes : m_execution.limitOf(m_backend->name());
  const size_t available = availableMemoryBytes();
  m_limitBytes = m_execution.memoryLimitBytes.value_or(available - std::min(available, options.dataBytes));
  const bool chooses = m_execution.kernelChoice != KernelChoice::Rule && !m_execution.disabledPasses.contains("choose_kernels");
  m_chooser = std::make_unique<KernelChooser>(*m_backend, chooses ? m_execution.kernelChoice : KernelChoice::Rule);
  if (options.ways) {
    m_chooser->fix(*options.ways);
  } else if (chooses) {
    m_chooser->know(keptKernelMeasurements(m_backend->numWorkers()));
    if (options.measuresKernels) m_chooser->measure(kMeasuring, m_stop, m_limitBytes);
  }
}

Network::~Network() = default;

int64_t Network::parameters() const {
  int64_t count = 0;
  for (const VariableRequest& request : m_variables) count += request.shape.numElements();
  return count;
}

RecomputeOptions Network::recomputeOptions() const {
  RecomputeOptions options;
  options.how = m_execution.recompute;
  options.limitBytes = m_limitBytes;
  options.inPlace = isInPlace();
  options.workspaces = kernelWorkspaces(*m_backend);
  return options;
}

StepGraph Network::stepGraph(StepMode mode, int64_t samples, MicroStep microStep, const StepHooks& hooks) const {
  RecomputeOptions recompute;
  if (mode == StepMode::Train && m_execution.recompute != Recompute::None) recompute = recomputeOptions();
  if (mode == StepMode::Train && m_execution.recompute == Recompute::Auto && !m_execution.memoryLimitBytes) {
    // No limit was set: a step that is far below what is available need not be weighed.
    const StepGraph plain = stepGraph(mode, samples, {}, microStep, hooks);
    if (bytesOfAll(plain.graph) < m_limitBytes / 2) return plain;
  }
  return stepGraph(mode, samples, recompute, microStep, hooks);
}

StepGraph Network::stepGraph(StepMode mode, int64_t samples, const RecomputeOptions& recompute, MicroStep microStep,
                             const StepHooks& hooks) const {
  StepOptions options;
  options.onStage = hooks.onStage;
  options.onPass = hooks.onPass;
  options.microStep = microStep;
  options.recompute = recompute;
  options.held = &m_held;
  options.mode = mode;
  options.batchSize = samples;
  if (mode == StepMode::Evaluate) options.stateRows = microBatchesOf(m_batchSize).back().samples;
  options.disabledPasses = m_execution.disabledPasses;
  options.seconds = hooks.seconds;
  options.stop = m_stop;
  options.chooseKernels = [this](const Graph& graph, PassReport& report) { m_chooser->choose(graph, report); };
  StepGraph step = buildStep(m_model, m_training, options, m_backend->passes());
  const auto recomputed = std::find_if(step.reports.begin(), step.reports.end(), [](const PassReport& r) { return r.pass == "recompute"; });
  if (recomputed == step.reports.end() || recomputed->rewrites == 0) putUpdatesLast(step.graph);  // it lets updates run early
  return step;
}

std::unique_ptr<Program> Network::build(StepMode mode, int64_t samples, const Dataset* dataset, MicroStep microStep) {
  StepGraph step = stepGraph(mode, samples, microStep);
  if (mode == StepMode::Train && microStep != MicroStep::Whole && !step.countedBy.empty())
    throw Error(ErrorCode::InvalidProject, "gradient_accumulation_steps",
                unevenPieces(step.countedBy, m_training.accumulationSteps).sentence());
  m_arrays.clear();
  for (const auto* ends : {&step.inputs, &step.targets})
    for (const StepEnd& end : *ends) m_arrays.push_back({end.name, {end.type.dtype, withBatch(1, end.type.shape)}});
  m_places.resize(m_arrays.size());
  m_outputs = step.outputs;
  m_untrained = step.untrained;
  if (m_variables.empty()) m_variables = step.variables;
  if (m_optimizerState.empty()) m_optimizerState = step.optimizerState;
  if (m_metrics.empty() && !step.metrics.empty()) {
    m_metricNames = step.metricNames;
    m_metrics = step.metrics;
  }
  if (dataset) requireArrays(*dataset);
  auto program = Program::build(std::move(step.graph), *m_backend, m_state, isInPlace());
  if (mode == StepMode::Train) {
    program->setGuard("loss");
    requireLimit(program->memory().peakBytes());
  }
  return program;
}

void Network::buildTraining(int64_t samples, MicroStep microStep, const Dataset* dataset) {
  std::unique_ptr<Program> program = build(StepMode::Train, samples, dataset, microStep);
  if (microStep == MicroStep::Last) holdVariablesOf(program->graph());
  if (!m_train.empty()) {
    // It runs with the inputs and constants of the largest one, and may be above the limit then.
    const MemoryPlan &largest = primary().memory(), &own = program->memory();
    const size_t shared = largest.persistentBytes + largest.inputBytes, alone = own.persistentBytes + own.inputBytes, limit = m_limitBytes;
    if (shared > alone && shared + own.transientBytes > limit) {
      struct Reset {
        size_t& value;
        size_t before;
        ~Reset() { value = before; }
      } reset{m_limitBytes, limit};
      m_limitBytes = limit - std::min(limit, shared - alone);
      program = build(StepMode::Train, samples, dataset, microStep);
    }
  }
  m_train.emplace(std::pair{samples, microStep}, std::move(program));
}

void Network::requireArrays(const Dataset& dataset) const {
  for (size_t i = 0; i < numInputs(); ++i) {
    const Shape expected = withoutBatch(m_arrays[i].type.shape), &got = dataset.inputs.at(i).shape;
    if (!(got == expected))
      throw Error(ErrorCode::ShapeMismatch, m_arrays[i].name,
                  "the data does not fit (expected samples of " + expected.toString() + ", got " + got.toString() +
                      "). Set the Input layer's shape to the data's.");
  }
  for (size_t i = 0; i < m_outputs.size(); ++i) {
    const Shape expected = withoutBatch(m_arrays[numInputs() + i].type.shape), &got = dataset.targets.at(i).shape;
    const bool isOfSequences = findLoss(m_training.outputs[i].loss.type)->target == TargetKind::Sequences;  // shorter ones are padded
    if (isOfSequences ? got.numElements() > expected.numElements() : got.numElements() != expected.numElements())
      throw Error(ErrorCode::ShapeMismatch, m_outputs[i].layer,
                  "the targets do not fit the output (expected " + expected.toString() + " a sample, got " + got.toString() +
                      "). Change the last layer's units or the loss.");
  }
}

void Network::requireFit(const Dataset& dataset) const {
  std::vector<int64_t> widths;
  for (const StepOutput& output : m_outputs) widths.push_back(output.width);
  if (const auto misfit = findMisfit(dataset, m_model, m_training, widths))
    throw Error(ErrorCode::InvalidFile, misfit->place, misfit->message);
}

std::vector<int64_t> Network::batchesOf(int64_t count) const {
  std::vector<int64_t> result;
  if (count >= m_batchSize) result.push_back(m_batchSize);
  if (count % m_batchSize != 0) result.push_back(count % m_batchSize);
  return result;
}

bool Network::isSumInPieces() const {
  const auto isSum = [](const OutputOptions& output) { return output.loss.fields->at("reduction").get_ref<const std::string&>() == "sum"; };
  return microBatchesOf(m_batchSize).size() > 1 && std::any_of(m_training.outputs.begin(), m_training.outputs.end(), isSum);
}

std::vector<MicroBatch> Network::evaluatePiecesOf(int64_t left) const {
  if (isSumInPieces()) return microBatchesOf(std::min(m_batchSize, left));
  return {{0, std::min(m_evaluateBatch, left), MicroStep::Whole}};
}

std::vector<int64_t> Network::evaluateBatchesOf(int64_t count) const {
  std::vector<int64_t> result;
  for (int64_t done = 0; done < count;) {
    const std::vector<MicroBatch> pieces = evaluatePiecesOf(count - done);
    for (const MicroBatch& piece : pieces) {
      if (std::find(result.begin(), result.end(), piece.samples) == result.end()) result.push_back(piece.samples);
      done += piece.samples;
    }
    // All batches but the last are alike.
    const int64_t batch = pieces.back().offset + pieces.back().samples;
    done += (count - done) / batch * batch;
  }
  return result;
}

std::vector<MicroBatch> microBatches(int64_t samples, int64_t pieces) {
  pieces = std::clamp<int64_t>(pieces, 1, std::max<int64_t>(1, samples));
  std::vector<MicroBatch> result;
  int64_t offset = 0;
  for (int64_t i = 0; i < pieces; ++i) {
    const int64_t size = samples / pieces + (i >= pieces - samples % pieces ? 1 : 0);
    const MicroStep step = pieces == 1       ? MicroStep::Whole
                           : i == 0          ? MicroStep::First
                           : i + 1 == pieces ? MicroStep::Last
                                             : MicroStep::Middle;
    result.push_back({offset, size, step});
    offset += size;
  }
  return result;
}

Program& Network::primary() const {
  // The largest training batch, else the largest evaluated one: its inputs serve all others.
  return m_train.empty() ? *m_evaluate.rbegin()->second : *m_train.rbegin()->second;
}

void Network::buildEvaluations(const Dataset* dataset) {
  const auto buildAll = [&] {
    for (const int64_t count : m_evaluateCounts)
      for (const int64_t samples : evaluateBatchesOf(count))
        if (!m_evaluate.contains(samples))
          m_evaluate.emplace(samples, build(StepMode::Evaluate, samples, dataset, isSumInPieces() ? MicroStep::Middle : MicroStep::Whole));
  };
  buildAll();
  // States go from a batch to the next one: it cannot be cut.
  const bool isCarried = std::any_of(m_variables.begin(), m_variables.end(), [](const auto& each) { return isCarriedState(each.name); });
  if (m_train.empty() || isSumInPieces() || isCarried) return;
  // Layers that do more outside of training (RandomCrop resizes whole images there) must not take more memory than the step that was planned.
  size_t room = 0;
  for (const auto& [key, program] : m_train) room = std::max(room, program->memory().transientBytes);
  const auto takesMore = [&](const auto& entry) { return entry.second->memory().transientBytes > room; };
  while (m_evaluateBatch > 1 && std::any_of(m_evaluate.begin(), m_evaluate.end(), takesMore)) {
    m_evaluateBatch = (m_evaluateBatch + 1) / 2;
    std::erase_if(m_evaluate, [&](const auto& entry) { return entry.first > m_evaluateBatch; });
    buildAll();
  }
}

void Network::prepare(const std::vector<int64_t>& trainSamples, const std::vector<int64_t>& evaluateCounts, const Dataset* dataset) {
  withMemoryFor(kNetwork, [&] {
    for (const int64_t samples : trainSamples) {
      const std::vector<MicroBatch> pieces = microBatchesOf(samples);
      for (const MicroBatch& piece : std::views::reverse(pieces))  // the one that updates first: the others hold its state
        if (!m_train.contains({piece.samples, piece.step})) buildTraining(piece.samples, piece.step, dataset);
    }
    m_evaluateCounts.insert(evaluateCounts.begin(), evaluateCounts.end());
    buildEvaluations(dataset);
    if (dataset) requireFit(*dataset);
    // Room for the largest first: addresses are fixed after that.
    for (const auto& [key, program] : m_train) m_state.transient(program->memory().transientBytes);
    for (const auto& [samples, program] : m_evaluate) m_state.transient(program->memory().transientBytes);
    Program& owner = primary();
    owner.bind();
    const auto bind = [&](Program& program) {
      if (&program == &owner) return;
      program.shareInputs(owner);
      program.bind();
    };
    for (auto& [key, program] : m_train) bind(*program);
    for (auto& [samples, program] : m_evaluate) bind(*program);
  });
  m_stop = {};
  m_chooser->measure({});  // what is made from now on is only looked at
  if (m_chooser->hasMeasured()) keepKernelMeasurements(m_backend->numWorkers(), m_chooser->measurements());
}

void Network::readChanged(const CheckedProject& changed) {
  changed.requireSound();
  m_model = changed.model();
  m_training.optimizer = changed.recipe().optimizer;
}

void Network::adopt(const CheckedProject& changed, const Dataset* dataset) {
  readChanged(changed);
  if (m_train.empty() && m_evaluate.empty()) return;
  std::vector<std::pair<int64_t, MicroStep>> pieces;
  for (const auto& [key, program] : m_train) pieces.push_back(key);
  m_train.clear();  // first: both at once may not fit
  m_evaluate.clear();
  m_state.dropTransient();  // as planned: no more than what this part of the run needs
  m_variables.clear();
  m_optimizerState.clear();
  const std::vector<std::string> before = m_state.names();
  for (const std::string& name : before) m_held.emplace(name, m_state.type(name));
  withMemoryFor(kNetwork, [&] {
    for (const auto& [samples, step] : std::views::reverse(pieces)) buildTraining(samples, step, dataset);
  });
  prepare({}, {}, dataset);
  for (const auto* requests : {&m_variables, &m_optimizerState})
    for (const VariableRequest& request : *requests)
      if (!std::binary_search(before.begin(), before.end(), request.name))
        m_state.write(request.name, initialValue(request, m_training.seed));
  // Nadam's product of its momenta goes by the number of updates alone: a weight that learns anew takes that of those that did not stop.
  double product = 1;
  const auto isProduct = [](const std::string& name) { return name.ends_with(":u_product"); };
  for (const std::string& name : before)
    if (isProduct(name)) product = std::min(product, static_cast<double>(m_state.read(name).as<float>()[0]));
  for (const std::string& name : m_state.names())
    if (isProduct(name)) m_state.write(name, Tensor::scalar(static_cast<float>(product)));
  for (const VariableRequest& request : m_variables)  // the first update would begin an average, and it is past
    if (const std::string average = averageName(request.name);
        m_state.has(average) && !std::binary_search(before.begin(), before.end(), average))
      m_state.write(average, m_state.read(request.name));
}

void Network::lookAhead(const std::vector<RunPart>& parts, int64_t samples) {
  struct Reset {
    Network& network;
    Model model;
    TypedFields optimizer;
    std::map<std::string, TensorType> held;
    ~Reset() {
      network.m_model = std::move(model);
      network.m_training.optimizer = std::move(optimizer);
      network.m_held = std::move(held);
    }
  } reset{*this, m_model, m_training.optimizer, m_held};
  std::vector<MicroBatch> pieces;
  for (const int64_t batch : batchesOf(samples))
    for (const MicroBatch& piece : microBatchesOf(batch)) pieces.push_back(piece);
  MemoryPlan largest;
  for (const RunPart& part : parts) {
    readChanged(part.project);
    const std::vector<KeptPiece> kept = keptPiecesOf(*this, pieces);
    PlannedStep step = planStep(*this, kept, m_execution.recompute, m_limitBytes);
    requireLimit(step.peakBytes, &part);
    if (step.peakBytes > largest.peakBytes()) largest = std::move(step.pieces[step.largest].memory);
    holdVariablesOf(kept.front().graph);
  }
  if (largest.peakBytes() > m_laterMemory.peakBytes()) m_laterMemory = std::move(largest);
}

void Network::holdVariablesOf(const Graph& graph) {
  for (const Variable& variable : graph.variables()) m_held.emplace(variable.name, graph.type(variable.value));
}

void Network::requireLimit(size_t peakBytes, const RunPart* part) const {
  std::string place;
  if (part && part->stage > 0) place = " of stage " + std::to_string(part->stage);
  if (part && part->fromStep > 0) place += ", as it is from step " + std::to_string(part->fromStep) + " on,";
  if (const auto limit = m_execution.memoryLimitBytes; limit && peakBytes > *limit)
    throw Error(ErrorCode::OutOfMemory, kMemoryLimit,
                "the training step" + place + " does not fit (expected at most " + std::to_string(*limit) + " bytes, got " +
                    std::to_string(peakBytes) +
                    (m_execution.recompute == Recompute::None ? ", with nothing recomputed" : ", with all recomputed that helps") +
                    "). Raise the limit, or see in strata plan what would fit.");
}

void Network::fixKernels() {
  if (!m_chooser->isFixed()) m_chooser->fix(m_chooser->ways());
}

size_t Network::arrayBytes(size_t array, int64_t samples) const {
  const TensorType& type = m_arrays[array].type;
  return TensorType{type.dtype, withBatch(samples, type.shape)}.bytes();
}

void Network::gatherInto(std::span<std::byte* const> places, const Samples& samples, const InputTransforms& transforms,
                         const int32_t* indices, int64_t count) {
  if (samples.decode) {
    const Samples decoded = samplesInMemory(samples, {indices, static_cast<size_t>(count)});
    return gatherInto(places, decoded, transforms, samplesFrom(0, count).data(), count);
  }
  const size_t inputs = numInputs();
  const auto share = [&](int64_t begin, int64_t end) {
    for (size_t i = 0; i < places.size(); ++i) {
      if (!places[i]) continue;
      const TensorType& type = m_arrays[i].type;
      if (i < inputs)
        gatherInputs(samples.x[i], transforms[i], indices, begin, end, places[i], type.dtype);
      else
        gatherTargets(samples.y[i - inputs], indices, begin, end, places[i], type.dtype, type.shape.numElements());
    }
  };
  int64_t elements = 0;
  for (size_t i = 0; i < inputs; ++i) elements += m_arrays[i].type.shape.numElements();
  const int workers = m_backend->numWorkers();
  if (workers == 1 || count * elements < kGatherAlone) return share(0, count);
  m_backend->pool().run([&](int worker) {
    const WorkRange range = shareOf(count, worker, workers);
    share(range.begin, range.end);
  });
}

void Network::gather(Program& program, const Samples& samples, const InputTransforms& transforms, const int32_t* indices, int64_t count) {
  for (size_t i = 0; i < m_arrays.size(); ++i)
    m_places[i] = program.graph().findInput(m_arrays[i].name).isValid() ? program.inputAddress(m_arrays[i].name) : nullptr;
  gatherInto(m_places, samples, transforms, indices, count);
  placeWeights(program, samples, indices, count);
}

void Network::placeWeights(Program& program, const Samples& samples, const int32_t* indices, int64_t count) const {
  for (size_t i = 0; i < m_outputs.size(); ++i)
    if (const std::string& name = m_outputs[i].weights; !name.empty() && program.graph().findInput(name).isValid())
      gatherWeights(samples, i, indices, 0, count, reinterpret_cast<float*>(program.inputAddress(name)));
}

void Network::setStep(Program& program, int64_t step, double learningRate, uint64_t seed, int64_t firstSample, double share) {
  const auto put = [&](const char* name, auto value) { putScalar(program, name, value); };
  put("learning_rate", static_cast<float>(learningRate));
  put("step", step);
  put("seed", static_cast<int64_t>(seed));
  put("first_sample", firstSample);
  put("share", static_cast<float>(share));
}

void Network::addSums(const Program& program, int64_t samples, BatchSums& sums) const {
  sums.samples += samples;
  sums.loss += scalarOf(program, "loss") * static_cast<double>(samples);
  sums.metrics.resize(numMetricSums());
  size_t at = 0;
  for (const LoweredMetric& metric : m_metrics) {
    const std::byte* values = program.outputAddress(metric.output);
    for (int64_t i = 0; i < metric.sums; ++i, values += sizeof(float)) {
      float value = 0;
      std::memcpy(&value, values, sizeof value);
      sums.metrics[at++] += static_cast<double>(value);
    }
  }
}

size_t Network::numMetricSums() const {
  size_t count = 0;
  for (const LoweredMetric& metric : m_metrics) count += static_cast<size_t>(metric.sums);
  return count;
}

void Network::metricValues(std::span<const double> sums, int64_t samples, std::vector<double>& values) const {
  values.resize(m_metricNames.size());
  strata::metricValues(m_metrics, sums, samples, values);
}

bool Network::evaluate(const Samples& samples, const InputTransforms& transforms, int64_t begin, int64_t count, const std::stop_token& stop,
                       BatchSums& sums, const std::function<void(const Program&, int64_t, int64_t)>& onBatch) {
  const KeptStates kept(*this);
  std::optional<DecodeAhead> decoder;
  if (samples.decode) decoder.emplace(samples);
  for (int64_t done = 0; done < count;) {
    const std::vector<MicroBatch> pieces = evaluatePiecesOf(count - done);
    const int64_t batch = pieces.back().offset + pieces.back().samples, first = begin + done, next = done + batch;
    const Samples& ready =
        decoder ? decoder->take(samplesFrom(first, batch), samplesFrom(begin + next, std::min(batch, count - next))) : samples;
    for (const auto& [offset, size, step] : pieces) {
      Program& program = evaluateProgram(size);
      m_indices.resize(static_cast<size_t>(size));
      std::iota(m_indices.begin(), m_indices.end(), static_cast<int32_t>((decoder ? 0 : first) + offset));
      gather(program, ready, transforms, m_indices.data(), size);
      putScalar(program, "share", static_cast<float>(static_cast<double>(size) / static_cast<double>(batch)));
      if (program.run(stop) == Program::Outcome::Stopped) return false;
      addSums(program, size, sums);
      if (onBatch) onBatch(program, begin + done, size);
      done += size;
    }
  }
  return true;
}

size_t Network::allocatedBytes() const { return m_state.allocatedBytes() + primary().ownBytes(); }
size_t Network::presentPeakBytes() const {
  const MemoryPlan& plan = primary().memory();
  size_t transient = 0;  // the arena serves all programs in turn
  for (const auto& [key, program] : m_train) transient = std::max(transient, program->memory().transientBytes);
  for (const auto& [samples, program] : m_evaluate) transient = std::max(transient, program->memory().transientBytes);
  return plan.persistentBytes + plan.inputBytes + transient;
}
size_t Network::plannedPeakBytes() const { return std::max(m_laterMemory.peakBytes(), presentPeakBytes()); }
MemoryPlan Network::memoryPlan() const {
  if (m_laterMemory.peakBytes() >= presentPeakBytes()) return m_laterMemory;
  const Program* largest = &primary();
  for (const auto& [key, program] : m_train)
    if (program->memory().transientBytes > largest->memory().transientBytes) largest = program.get();
  MemoryPlan plan = largest->memory();
  reserve(plan, primary().memory(), m_model.inputs.front());
  return plan;
}

}  // namespace strata
