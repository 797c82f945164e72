// SPDX-License-Identifier: Apache-2.0
// Prepares a run: its project, data and network, the checkpoint from which it continues, its length
// and its files.
#include <algorithm>
#include <cstring>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "core/check/checked_project.h"
#include "core/check/class_weights.h"
#include "core/cost/kernel_choices_file.h"
#include "core/data/image_reading.h"
#include "core/data/load_progress.h"
#include "core/interchange/file_bytes.h"
#include "core/interchange/safetensors.h"
#include "core/project/seal.h"
#include "core/project/text.h"
#include "core/runs/run_record.h"
#include "core/runs/source_revision.h"
#include "core/train/non_finite.h"
#include "core/train/plan_edits.h"
#include "core/train/run_branch.h"
#include "core/train/training_run.h"
#include "gpu/base/bytes.h"
#include "gpu/base/machine.h"
#include "gpu/devices/device_name.h"

namespace strata {

namespace {

/// Appends up to `most` JSON pointers at which two documents differ. If two lists have different
/// lengths, appends the pointer of the list.
void collectDifferences(const Json& a, const Json& b, const std::string& pointer, size_t most,
                        std::vector<std::string>& pointers) {
  if (a == b || pointers.size() >= most) return;
  if (a.is_object() && b.is_object()) {
    for (const auto& [key, value] : a.items()) {
      // Training does not use these members.
      if (pointer.empty() && (key == "design" || key == "notes" || key == "name")) continue;
      collectDifferences(value, b.contains(key) ? b[key] : Json(), pointer + "/" + escapedKey(key),
                         most, pointers);
    }
    for (const auto& [key, value] : b.items())
      if (!a.contains(key) &&
          !(pointer.empty() && (key == "design" || key == "notes" || key == "name")))
        collectDifferences(Json(), value, pointer + "/" + escapedKey(key), most, pointers);
    return;
  }
  if (a.is_array() && b.is_array() && a.size() == b.size()) {
    for (size_t i = 0; i < a.size(); ++i)
      collectDifferences(a[i], b[i], pointer + "/" + std::to_string(i), most, pointers);
    return;
  }
  pointers.push_back(pointer);
}

/// Returns the types of the optimizer state. Names of optimizer state contain one ':', names of
/// variables contain none, and names of best weights contain two.
std::map<std::string, TensorType> optimizerStateIn(const std::map<std::string, Tensor>& tensors) {
  std::map<std::string, TensorType> state;
  for (const auto& [name, tensor] : tensors)
    if (std::count(name.begin(), name.end(), ':') == 1) state.emplace(name, tensor.type());
  return state;
}

}  // namespace

/// Warns if the current project differs from the project of a continued run. The run uses its own
/// project.
void TrainingRun::warnOfDifferences(const Project& stored) {
  constexpr size_t kMaxNamed = 5;
  std::vector<std::string> pointers;
  collectDifferences(m_options.project.document(), stored.document(), "", kMaxNamed + 1, pointers);
  // Values that the command line overrides, now or when the run was started, are different on
  // purpose.
  const auto isMeant = [&](const std::string& pointer) {
    const auto holds = [&](const std::string& set) {
      return pointer.starts_with(set) || set.starts_with(pointer + "/");
    };
    return (pointer == "/training/epochs" && (m_options.epochs || m_options.maxSteps)) ||
           (pointer == "/training/batch_size" && m_options.batchSize) ||
           (pointer == "/execution/devices" && !m_options.device.empty()) ||
           std::any_of(m_environment.overrides.begin(), m_environment.overrides.end(), holds);
  };
  std::erase_if(pointers, isMeant);
  if (pointers.empty()) return;
  std::string list;
  for (size_t i = 0; i < pointers.size() && i < kMaxNamed; ++i)
    list += (i > 0 ? ", " : "") + pointers[i];
  if (pointers.size() > kMaxNamed) list += " and more";
  m_warnings.emplace_back(
      m_resumeFrom + ": the project differs from the one this run was started with (" + list +
      "). The run continues with its own project. Start a new run to train the present one.");
}

/// Notes how and from which sources the run begins.
void TrainingRun::noteBegin() {
  m_environment.started.clear();
  m_environment.command = ownCommandLine();
  m_environment.commit.clear();
  m_environment.branch.clear();
  m_environment.project.clear();
  const std::string& path = m_options.project.path();
  if (path.empty()) return;
  std::error_code error;
  const std::string whole = std::filesystem::absolute(path, error).lexically_normal().string();
  // A name of a file may be any bytes, but the text of JSON is UTF-8
  if (isUtf8(whole)) m_environment.project = whole;
  const SourceRevision revision = revisionOf(std::filesystem::path(path).parent_path().string());
  m_environment.commit = revision.commit;
  m_environment.branch = revision.branch;
}

/// Makes the new run that goes on from a checkpoint of another one. Continues with it from now on.
void TrainingRun::branch() {
  m_resumed = loadCheckpointOf(m_resumeFrom, *m_options.branchStep);
  if (!m_options.writesRunDirectory) return;
  std::string directory = m_options.runDirectory;
  if (directory.empty()) directory = makeRunDirectory(m_options.project, &m_warnings);
  m_files = std::make_unique<RunFiles>(directory, true);
  branchRun(m_resumeFrom, *m_resumed, m_files->directory());
  m_resumeFrom = m_files->directory();
}

/// Returns the project to train: the given project or the project of the continued run, with all
/// overrides.
Project TrainingRun::effectiveProject() {
  Project project = m_options.project;
  m_resumeFrom = m_options.resumeFrom;
  if (m_options.branchStep) branch();
  if (m_resumeFrom.empty()) {
    m_environment.overrides = m_options.overrides;
    noteBegin();
    const auto add = [&](bool isSet, const char* pointer) {
      if (isSet) m_environment.overrides.emplace_back(pointer);
    };
    add(m_options.epochs.has_value(), "/training/epochs");
    add(m_options.batchSize.has_value(), "/training/batch_size");
    add(m_options.seed.has_value(), "/training/seed");
    add(m_options.recompute.has_value(), "/execution/recompute");
    add(m_options.memoryLimitBytes.has_value(), "/execution/memory_limit");
  }
  else {
    const std::string path = (std::filesystem::path(m_resumeFrom) / "project.json").string();
    std::error_code error;
    const bool hasProject = std::filesystem::is_regular_file(path, error);
    if (error && error != std::errc::no_such_file_or_directory &&
        error != std::errc::not_a_directory)
      throw Error(ErrorCode::InvalidFile, m_resumeFrom,
                  "cannot be read (" + error.message() + "). Check that you may read the folder.");
    if (!hasProject && !holdsNoRunYet(m_resumeFrom))
      throw Error(ErrorCode::InvalidArgument, m_resumeFrom,
                  "is not a run directory (expected a project.json in it). Name a folder such as "
                  "mnist-cnn.runs/001.");
    if (m_options.writesRunDirectory && !m_files)
      m_files = std::make_unique<RunFiles>(m_resumeFrom, false);
    if (hasProject) {
      m_environment = readEnvironment(m_resumeFrom, m_warnings);
      if (m_options.branchStep) noteBegin();
      Result<Project> stored = loadRunProject(m_resumeFrom);
      if (!stored) throw stored.error();
      warnOfDifferences(*stored);
      // Relative paths in the project start at the project file.
      stored->setPath(project.path());
      project = std::move(*stored);
    }
    if (!m_options.branchStep) m_resumed = loadCheckpoint(m_resumeFrom, m_warnings);
    if (!m_resumed)
      m_warnings.emplace_back(
          m_resumeFrom +
          ": ended before its first checkpoint was written, so it starts again at step 0" +
          (hasProject ? "." : ", with the present project."));
  }
  Json& training = project.document()["training"];
  if (m_options.epochs) training["epochs"] = *m_options.epochs;
  if (m_options.batchSize) training["batch_size"] = *m_options.batchSize;
  if (m_options.seed) training["seed"] = *m_options.seed;
  if (m_options.recompute)
    project.document()["execution"]["recompute"] = recomputeName(*m_options.recompute);
  if (m_options.memoryLimitBytes)
    project.document()["execution"]["memory_limit"] = *m_options.memoryLimitBytes;
  if (m_options.maxSteps)
    m_environment.maxSteps = m_options.maxSteps;
  else if (m_options.epochs)
    m_environment.maxSteps.reset();
  // A continued run is profiled if it was before
  if (m_environment.isProfiled) m_control.setProfiling(true);
  m_environment.isProfiled = m_control.isProfiling();
  m_environment.samplesLayers = m_environment.samplesLayers || m_options.samplesLayers;
  return project;
}

/// Restores the state and position of the checkpoint.
void TrainingRun::takeUpCheckpoint() {
  m_network->state().setAll(m_resumed->tensors, m_resumeFrom);
  m_resumed->collected =
      collectedIn(m_resumed->tensors, m_network->sums().numCollected(), m_resumeFrom);
  for (auto& [name, tensor] : m_resumed->tensors)
    if (name.find(":best:") != std::string::npos) m_snapshots.emplace(name, std::move(tensor));
  m_resumed->tensors.clear();
  if (m_resumed->metricSums.size() != m_position.metricSums.size())
    throw Error(ErrorCode::InvalidFile, m_resumeFrom,
                "the checkpoint has other metrics than the project. Start a new run.");
  m_position = *m_resumed;
  if (m_options.seed) m_position.seed = m_seed;
  // The run may have stopped within a pass. The batch size may have changed since then, so the
  // position is computed from the number of samples.
  m_position.stepInPass = m_batches->stepsFor(m_position.passSamples);
  if (m_position.stepInPass < 0)
    throw Error(ErrorCode::InvalidArgument, m_resumeFrom,
                "was stopped within an epoch after " + counted(m_position.passSamples, "sample") +
                    " (expected a multiple of the batch size " +
                    std::to_string(m_network->steps().batchSize()) +
                    "). Continue it with its former batch size.");
  if (!m_network->steps().training().stepsPerEpoch)
    m_position.stepInEpoch = m_batches->stepsFor(m_position.epochSamples);
  if (m_position.stepInPass == m_batches->stepsPerPass()) {
    ++m_position.pass;
    m_position.stepInPass = m_position.passSamples = 0;
  }
  m_callbacks->restore(m_position.callbacks, m_resumeFrom, m_warnings);
  // The user requests more epochs or steps for a run that a callback ended.
  if (!m_position.endedBy.empty() && (m_options.epochs || m_options.maxSteps)) {
    m_position.endedBy.clear();
    m_callbacks->goOn();
  }
}

/// Computes the length of the run. Counts the remaining steps from the current position, because
/// earlier epochs may have had another batch size.
void TrainingRun::planLength() {
  const int64_t done = m_position.epoch - 1, before = m_position.step - m_position.stepInEpoch;
  m_epochs = m_network->steps().training().epochs;
  m_totalSteps = std::max(m_position.step, before + (m_epochs - done) * m_stepsPerEpoch);
  if (!m_environment.maxSteps) return;
  m_totalSteps = *m_environment.maxSteps;
  m_epochs =
      done + std::max<int64_t>(0, m_totalSteps - before + m_stepsPerEpoch - 1) / m_stepsPerEpoch;
}

/// Returns a sentence about the settings that fit where the step does not, best first. `limit`: the
/// memory, if it is not that of the device.
std::string TrainingRun::remediesFor(std::vector<RunPart> parts,
                                     std::optional<size_t> limit) const {
  constexpr size_t kMaxRemedies = 3;
  PlanOptions options;
  options.parts = std::move(parts);
  options.device = m_network->steps().deviceName();
  options.threads = m_network->steps().device().numWorkers();
  options.measuresStepTime = false;
  // Predicted times sort the remedies, so that the first one is the fastest.
  options.predictsStepTime = true;
  options.stop = m_control.stopToken();
  options.memoryLimitBytes = limit;
  const TrainingPlan plan = planTraining(m_project, options);
  if (plan.remedies.empty())
    return " No batch size and no recomputation fit: make the largest layer smaller, or choose an "
           "optimizer with less state.";
  std::string text;
  for (size_t i = 0; i < std::min(kMaxRemedies, plan.remedies.size()); ++i)
    text += (i == 0 ? " Best setting: " : "; or ") + remedyText(plan.remedies[i]) + ", " +
            bytesText(static_cast<double>(plan.remedies[i].peakBytes));
  return text + ".";
}

/// Adds to an error of a device whose memory is taken by others what the step needs, and what fits.
Error TrainingRun::withRoom(const Error& error, const std::vector<RunPart>& parts) const {
  const std::optional<DeviceMemoryUse> use = m_network->steps().device().memoryUse();
  if (!use) return error;
  // The network may have no program yet, so what it has allocated counts as taken
  const size_t room = use->freeBytes;
  return Error(error.code(), error.subject(),
               error.what() + std::string(" The card has ") + bytesText(static_cast<double>(room)) +
                   " for this program." + remediesFor(parts, room),
               error.where());
}

/// Returns the remaining parts of the run with these changes.
std::vector<RunPart> TrainingRun::partsAhead(const std::vector<LiveChange>& changes) const {
  RunSpan span{m_stepsPerEpoch, m_totalSteps, m_position.step, m_position.stage};
  if (!m_stages.empty()) {
    const TrainStage& stage = m_stages[static_cast<size_t>(m_position.stage)];
    if (stage.epochs)
      span.stageStepsLeft =
          (m_position.stageEpoch + *stage.epochs - m_position.epoch) * m_stepsPerEpoch -
          m_position.stepInEpoch;
    if (stage.steps) span.stageStepsLeft = m_position.stageStep + *stage.steps - m_position.step;
    if (span.stageStepsLeft) span.stageStepsLeft = std::max<int64_t>(0, *span.stageStepsLeft);
  }
  return runParts(m_project, m_stages, changes, span);
}

/// Loads the data of a continued run as the run did until now. A preprocessing.json that is damaged
/// or of another run is not used: RunFiles restores it if the data have not changed. Fails:
/// InvalidFile if the table has changed, or if the reading of images is lost.
static std::shared_ptr<const Dataset> loadAsRead(const Project& project,
                                                 const std::string& directory) {
  const std::string path = (std::filesystem::path(directory) / "preprocessing.json").string();
  std::string problem;
  const std::optional<RunRecord> record = readRunRecord(directory, problem);
  std::optional<Preprocessing> kept;
  try {
    if (!record || hashOfBytes(readFile(path, kMaxJsonBytes)) == record->preprocessingHash)
      kept = readPreprocessing(path);
  }
  catch (const Error&) {
    // The file is missing or damaged, so `kept` stays empty.
  }
  auto dataset = loadDataset(kept ? withRecordedReading(project, directory) : project);
  if (kept) {
    requireSameTable(*kept, *dataset, path);
    return dataset;
  }
  const bool hasImages = std::ranges::any_of(dataset->encodings, isImageEncoding);
  if (hasImages && record && !record->preprocessingHash.empty() &&
      hashOfBytes(preprocessingFileText(*dataset)) != record->preprocessingHash)
    throw Error(ErrorCode::InvalidFile, path,
                "is missing or damaged (it describes how the run reads images, which is not how "
                "the project reads them now). Restore it from a backup, or start a new run.");
  return dataset;
}

void TrainingRun::prepare() {
  if (m_options.link) m_processes.emplace(*m_options.link);
  if (isFirstProcess()) {
    m_project = effectiveProject();
    requireStrategy();
  }
  shareSettings();
  {
    // A stop also ends the reading of many images.
    const LoadProgress loading({}, m_control.stopToken());
    m_dataset = m_resumed && isFirstProcess() ? loadAsRead(m_project, m_resumeFrom)
                                              : loadDataset(m_project);
  }
  for (std::string& warning : damageWarnings(*m_dataset))
    m_warnings.push_back(std::move(warning));
  NetworkOptions options;
  options.device = m_options.device.empty() ? m_environment.device : m_options.device;
  options.threads = m_options.threads > 0 ? m_options.threads : m_environment.threads;
  options.niceness = m_options.niceness;
  options.maxBatch = m_dataset->trainCount;
  options.classWeights = classWeightsOf(CheckedProject(m_project).recipe(), *m_dataset);
  options.measuresKernels = true;
  options.stop = m_control.stopToken();
  options.link = m_options.link;
  takeChoices(options);
  if (m_resumed && isFirstProcess()) {
    std::string problem;
    options.variants = readKernelVariants(m_resumeFrom, problem);
    if (!problem.empty())
      m_warnings.push_back(m_resumeFrom + "/choices.json: " + problem +
                           ", so the kernels are timed again, and the results may differ in "
                           "rounding from those of an uninterrupted run.");
  }
  m_network = std::make_unique<Network>(m_project, options);
  const TrainingOptions& training = m_network->steps().training();
  if (m_dataset->validationCount == 0) {
    Diagnostics problems;
    checkMonitors(training, problems);
    if (!problems.empty())
      throw Error(ErrorCode::InvalidProject, problems[0].subject(), problems[0].sentence());
  }
  m_stages = training.stages;
  m_schedule = training.schedule;
  m_changes = training.changes;
  for (LiveChange& change : m_changes)
    change.isPlanned = true;
  if (m_resumed) {
    m_position.step = m_resumed->step;
    m_position.epoch = m_resumed->epoch;
    // The batch size may have changed, so the position in the epoch is computed from the number of
    // samples.
    m_position.stepInEpoch =
        training.stepsPerEpoch ? m_resumed->stepInEpoch
                               : batchesIn(m_resumed->epochSamples, m_network->steps().batchSize());
    m_position.stageStep = m_resumed->stageStep;
    m_position.stageEpoch = m_resumed->stageEpoch;
    m_position.stage = std::clamp<int64_t>(
        m_resumed->stage, 0, std::max<int64_t>(0, static_cast<int64_t>(m_stages.size()) - 1));
    for (const LiveChange& change : changesOfText(m_resumed->changes, m_resumeFrom))
      insertChange(m_changes, change);
    for (LiveChange& change : m_changes)
      if (change.isPlanned) change.isDone = change.step <= m_resumed->step;
  }
  m_stepsPerEpoch = training.stepsPerEpoch.value_or(
      batchesIn(m_dataset->trainCount, m_network->steps().batchSize()));
  planLength();
  if (m_resumed) m_network->steps().hold(optimizerStateIn(m_resumed->tensors));
  m_compiled = nextProject();
  if (!(m_compiled.document() == m_project.document()))
    m_network->adopt(m_compiled, m_dataset.get());
  const std::vector<RunPart> parts = partsAhead(m_changes);
  try {
    if (parts.size() > 1) m_network->lookAhead(parts, m_dataset->trainCount);
    m_network->prepare(m_network->steps().batchesOf(m_dataset->trainCount),
                       {m_dataset->validationCount, m_dataset->test->count()}, m_dataset.get());
  }
  catch (const Error& error) {
    if (error.subject() == kMemoryLimit)
      throw Error(error.code(), error.subject(), error.what() + remediesFor(parts));
    if (error.code() == ErrorCode::OutOfMemory) throw withRoom(error, parts);
    throw;
  }
  // Fixes the kernel choices, so that a continued run compiles the same kernels.
  if (KernelChooser& kernels = m_network->steps().kernels(); !kernels.isFixed())
    kernels.fix(kernels.variants());
  shareChoices();
  m_batches =
      std::make_unique<Feeder>(*m_network, *m_dataset, training.isShuffled, &m_capture.spans());
  m_profile.setLoaderThreads(m_batches->loaderThreads());
  m_profile.setPrecision(std::string(precisionName(m_network->steps().execution().precision)));
  // Several devices have done a step before the next one begins, and processes communicate between
  // two steps, in an order that does not depend on time
  const bool isAhead = !m_network->steps().group();
  m_pending.resize(
      static_cast<size_t>(std::max(isAhead ? m_network->steps().device().maxPendingSteps() + 1 : 1,
                                   m_network->steps().updatesAtOnce())));
  m_validationSteps = m_dataset->validationCount > 0 ? training.validationSteps.value_or(0) : 0;
  m_callbacks.emplace(training, m_network->sums().metricNames());
  m_seed = training.seed;
  const std::string device = m_network->steps().deviceName();
  if (m_resumed && !m_environment.device.empty() && m_environment.device != device)
    m_warnings.push_back(m_resumeFrom + ": was trained on " + m_environment.device +
                         " until now, and continues on " + device +
                         ". Results may differ in rounding from those of an uninterrupted run.");
  const int processes = m_processes ? m_processes->size() : 1;
  if (m_resumed && isFirstProcess() && m_environment.processes != processes)
    m_warnings.push_back(m_resumeFrom + ": was trained in " +
                         counted(m_environment.processes, "process") +
                         " until now, and continues in " + std::to_string(processes) +
                         ". Results may differ in rounding from those of an uninterrupted run.");
  m_environment.processes = processes;
  if (const std::string& detour = m_network->steps().detour(); !detour.empty())
    m_warnings.push_back(device +
                         ": values go from card to card through the memory of this machine, "
                         "because " +
                         detour + ". This is slower, and results are the same.");
  if (addsInAnyOrder())
    m_warnings.emplace_back(
        "all_reduce: the setting fast lets the cards of the processes add in any "
        "order, so that another run may have other bits. exact keeps the bits.");
  m_environment.device = device;
  m_environment.threads = m_network->steps().device().numWorkers();
  m_environment.processor = processorTitle();
  m_environment.versions = versionsFor(device);

  m_position.seed = m_seed;
  m_position.learningRate = training.learningRate;
  m_position.metricSums.assign(m_network->sums().numMetricSums(), 0.0);
  m_position.collected.resize(m_network->sums().numCollected());
  if (m_resumed && isFirstProcess()) {
    takeUpCheckpoint();
  }
  else {
    m_network->state().initialize(m_seed, m_dataset.get());
    if (const std::string& initial = training.initialWeights;
        !initial.empty() && isFirstProcess()) {
      std::string file;
      const auto tensors = openWeights(pathInProject(m_project, initial), file);
      for (const std::string& note : m_network->state().setWeights(*tensors, file))
        m_warnings.push_back(file + ": " + note);
      requireFinite(*m_network, m_network->state().weightSnapshot().views(), 0);
    }
    if (!m_options.weightsFrom.empty()) {
      std::string file;
      const auto tensors = openWeights(m_options.weightsFrom, file);
      m_kept = m_network->state().takeWeights(*tensors, file);
    }
    if (!m_stages.empty() && m_stages[0].learningRate) {
      m_position.rateStage = 0;
      m_position.learningRate = *m_stages[0].learningRate;
    }
  }
  shareValues();
  setRateOfStage();
  findNextChange();
  m_memoryBytes = m_peakBytes = m_network->allocatedBytes();
  if (m_network->replicaBytes().size() > 1) m_metrics.replicaBytes = m_network->replicaBytes();
  m_watch.begin(m_position.step);
}

/// Returns whether sums over replicas may have other bits in another run.
bool TrainingRun::addsInAnyOrder() const {
  const ReplicaGroup* const group = m_network->steps().group();
  return group && group->entersTogether() && m_network->steps().execution().isAllReduceFast;
}

void TrainingRun::openFiles() {
  if (!m_options.writesRunDirectory || !isFirstProcess()) return;
  if (!m_files) {
    std::string directory = m_options.runDirectory;
    if (directory.empty()) directory = makeRunDirectory(m_options.project, &m_warnings);
    m_files = std::make_unique<RunFiles>(directory, true);
  }
  const Program& step = m_network->trainProgram(m_batches->samplesOf(0));
  m_environment.isDeterministic = step.isDeterministic() && !addsInAnyOrder();
  m_files->open(
      {m_network->steps().project(), m_environment, step, m_network->steps().kernels().variants(),
       m_network->stepMemory(), m_network->sums().metricNames(), m_resumed ? &*m_resumed : nullptr,
       preprocessingFileText(*m_dataset)},
      m_warnings);
  takeChanges(m_files->cutChanges(),
              [&](const std::string& warning) { m_warnings.push_back(warning); });
}

void TrainingRun::announce() {
  RunStart start;
  start.runDirectory = m_files ? m_files->directory() : "";
  start.device = m_environment.device;
  for (int rank = 0; m_processes && m_processes->size() > 1 && rank < m_processes->size(); ++rank)
    start.processes.push_back(m_processes->nameOf(rank));
  start.threads = m_environment.threads;
  start.parameters = m_network->state().parameters();
  start.plannedPeakBytes = m_network->plannedPeakBytes();
  start.keptDataBytes = m_batches->keptBytes();
  start.memoryPlan = m_network->memoryPlan();
  start.stepMemory = std::make_shared<const StepMemory>(m_network->stepMemory());
  start.metricNames = m_network->sums().metricNames();
  start.stepsPerEpoch = m_stepsPerEpoch;
  start.epochs = m_epochs;
  start.totalSteps = m_totalSteps;
  start.firstStep = m_position.step;
  start.trainSamples = m_dataset->trainCount;
  start.validationSamples = m_dataset->validationCount;
  start.testSamples = m_dataset->test->count();
  start.batchSize = m_network->steps().batchSize();
  start.setupSeconds = secondsSince(m_started);
  start.usesAverages = m_network->steps().training().usesAverages();
  if (!m_resumed) {
    start.weightsFrom = m_options.weightsFrom;
    start.keptLayers = m_kept.kept;
  }
  notify([&](RunObserver& o) { o.onStart(start); });
  if (!m_stages.empty() && !m_resumed)
    notify([&](RunObserver& o) {
      o.onSetting({1, "stage", 1, m_stages[0].name.empty() ? "stage" : m_stages[0].name});
    });
  for (const std::string& warning : m_warnings)
    notify([&](RunObserver& o) { o.onWarning(warning); });
}

}  // namespace strata
