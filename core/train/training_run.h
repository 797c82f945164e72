// SPDX-License-Identifier: Apache-2.0
// Trains one run. The implementation is in several files: training_run_setup.cpp prepares the run,
// training_run_control.cpp handles stages, changed settings and callbacks, training_run.cpp handles
// steps, validation, checkpoints and the end, training_run_replicas.cpp the figures of devices,
// training_run_layers.cpp statistics of layers and bad batches, training_run_capture.cpp recorded
// steps, and training_run_processes.cpp keeps several processes in step. Not here: trainRun(),
// which other code calls (trainer.h).
// Thread: only the training thread may use an object.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/layer_statistics/sampling_pace.h"
#include "core/recipe/callbacks.h"
#include "core/runs/rate_meter.h"
#include "core/train/callback_runner.h"
#include "core/train/class_counter.h"
#include "core/train/device_sampler.h"
#include "core/train/feeder.h"
#include "core/train/layer_sampler.h"
#include "core/train/network.h"
#include "core/train/non_finite.h"
#include "core/train/run_files.h"
#include "core/train/run_processes.h"
#include "core/train/step_capture.h"
#include "core/train/step_profile.h"
#include "core/train/trainer.h"
#include "gpu/base/clock.h"

namespace strata {

/// An update that was submitted to the device. Its memory is reused, so that a step allocates none.
struct PendingStep {
  int64_t pass = 0, index = 0, samples = 0, update = 0;
  double learningRate = 0;
  bool isMeasured = false;
  // Whether m_capture records the step
  bool isRecorded = false;
  // One for each micro-batch
  std::vector<Ticket> tickets;
  Clock::time_point started;
  std::chrono::nanoseconds gathering{0};
  // How often the clock was read
  int readings = 0;
};

class TrainingRun {
 public:
  TrainingRun(const SessionOptions& options, RunControl& control, RunObserver& observer)
      : m_options(options), m_control(control), m_observer(observer) {}
  RunOutcome run();

 private:
  // Prepares the run:
  void noteBegin();
  void branch();
  Project effectiveProject();
  void warnOfDifferences(const Project& stored);
  void prepare();
  std::string remediesFor(std::vector<RunPart> parts,
                          std::optional<size_t> limit = std::nullopt) const;
  Error withRoom(const Error& error, const std::vector<RunPart>& parts) const;
  Error withKeptFiles(const Error& error) const;
  void takeUpCheckpoint();
  void planLength();
  void openFiles();
  bool addsInAnyOrder() const;
  void announce();

  // Handles stages, changed settings and callbacks:
  Project projectAt(int64_t step) const;
  Project nextProject() const { return projectAt(m_position.step + 1); }
  std::vector<RunPart> partsAhead(const std::vector<LiveChange>& changes) const;
  std::string whyNoRoom(const std::vector<LiveChange>& added);
  void recompile();
  void enterStage(int64_t stage);
  void beginDueStages();
  void setRateOfStage();
  void takeRequests();
  void takeChanges(const std::vector<LiveChange>& wanted,
                   const std::function<void(const std::string&)>& warn);
  void applyDueChanges();
  void findNextChange();
  double rateAfter(int64_t step) const;
  void act(const CallbackRunner::Decision& decision, int64_t step, bool isEpochEnd);
  void keepBest(const CallbackRunner::Decision& decision, int64_t step);
  void restoreBest(RunOutcome& outcome);

  // Keeps several processes in step. With one process, these functions change nothing:
  bool isFirstProcess() const { return !m_processes || m_processes->isFirst(); }
  void requireStrategy() const;
  void shareSettings();
  void takeChoices(NetworkOptions& options);
  void shareChoices();
  void shareValues();
  bool followOrder();
  void requireEqualProcesses();
  /// Returns the training time by which all processes decide the same.
  double sharedSeconds() const { return m_processes ? m_sharedSeconds : m_position.seconds; }
  void noteCommunication(std::chrono::nanoseconds step, bool isFullBatch);
  bool isCheckpointDue() const;
  bool isIntervalOver() const;
  void saveAfterFailure();

  // Trains to the end:
  bool trainToEnd();
  bool mayGoOn();
  bool takeOrders();
  bool trainSteps();
  // Records steps:
  void beginCapture();
  void beginRecorded(int64_t number);
  void awaitRecorded(PendingStep& step, const MicroBatch& piece);
  void captureStep(Clock::time_point waitStarted, Clock::time_point waitEnded);
  void endCapture();
  bool needsAlone() const;
  int64_t stepsToDecision() const;
  int64_t stepsToFixedDecision() const;
  bool mustDecide() const;
  void submitStep();
  bool trainStale();
  static RunProcesses::Times timesOf(const ProcessSums::Times& sums, const StepPhases& phases);
  void noteReplicas(const PendingStep& step, const std::vector<MicroBatch>& pieces);
  std::chrono::nanoseconds communicationOfStep() const;
  ReplicaReport replicaReport() const;
  void tellReplicas();
  void compareReplicas();
  bool finishStep();
  void noteWaits();
  void watchReplicas(double seconds);
  void noteMeasures(const Ticket& step);
  void noteLoopMeasures(const PendingStep& step);
  void moveOn(const PendingStep& step, double seconds);
  void dropPending();
  void tellLayerSampling(const LayerSampling& sampling);
  void startLayers();
  void switchLayersOn();
  void takeLayerRequest();
  void rebuildLayers();
  bool isLayerSampleDue() const;
  void beginLayerSample();
  void endLayerSample();
  void keepBadBatch(const BadBatch& bad, const Error& cause);
  void keepLastBatch(const Error& cause);
  BadBatch batchOf(int64_t pass, int64_t index) const;
  [[noreturn]] void failNonFinite(const PendingStep& step, double seconds);
  bool endEpoch();
  bool validateInside();
  bool isValidationDue() const;
  void keepDueCheckpoint();
  void lookAtState(int64_t step);
  void save(bool isForced);
  /// Calls `write`, which writes files of the run. If this fails, asks what to do and calls it
  /// again. Returns false if the run goes on without files. `write` must be able to run twice.
  bool writeFiles(const std::function<void()>& write);
  void finish(RunOutcome& outcome, bool isDone);
  bool evaluate(const Samples& samples, int64_t begin, int64_t count, double& loss,
                std::vector<double>& metrics, ClassCounter* classes = nullptr);
  void tellClasses(double loss);
  bool validate(double& loss, std::vector<double>& metrics);
  bool hasAverages() const;
  EpochMetrics meansSoFar();
  void setState(RunState state);
  void startSampling();
  void tellSamples();
  void endSampling();
  std::vector<DeviceSummary> deviceSummaries() const;
  void reportProfile(Program& program, bool isLast);
  void warnOfMissingKernels(const ProfileSnapshot* profile);
  void report(BatchSums& sums, double seconds);
  /// Calls `call` with the event log of the run, if it is open, and with the observer.
  template <class Call>
  void notify(Call call) {
    if (m_files && m_files->hasEvents()) call(static_cast<RunObserver&>(m_files->events()));
    call(m_observer);
  }

  const SessionOptions& m_options;
  RunControl& m_control;
  RunObserver& m_observer;
  const Clock::time_point m_started = Clock::now();
  // Empty if there is one process
  std::optional<RunProcesses> m_processes;
  // From the last order of the first process: the training time, and whether a checkpoint is due
  double m_sharedSeconds = 0;
  bool m_isSaveOrdered = false;
  // How long the next step has waited for orders of the first process, and for metrics
  std::chrono::nanoseconds m_orderWait{0};
  // The last times of steps with full batches that computed without communication, without waiting
  std::vector<std::chrono::nanoseconds> m_apart;
  // Changes of settings that the other processes do not know yet
  std::vector<LiveChange> m_untoldChanges;
  // The sums of each micro-batch of this process
  std::vector<BatchSums> m_pieceSums;
  RunEnvironment m_environment;
  // The directory of the run that continues; "" for a run that begins at step 0
  std::string m_resumeFrom;
  std::shared_ptr<const Dataset> m_dataset;
  std::unique_ptr<Network> m_network;
  // The threads of m_batches add to it
  StepCapture m_capture;
  std::unique_ptr<Feeder> m_batches;
  std::unique_ptr<RunFiles> m_files;
  std::optional<CallbackRunner> m_callbacks;
  std::optional<Checkpoint> m_resumed;
  std::vector<std::string> m_warnings;
  KeptLayers m_kept;
  // The project of the run, without stages and changes
  Project m_project;
  // The project with the current stage and changes
  Project m_compiled;
  // The position of the run. Its tensors stay in the network.
  Checkpoint m_position;
  uint64_t m_seed = 0;
  int64_t m_totalSteps = 0, m_epochs = 0, m_stepsPerEpoch = 0, m_savedStep = -1;
  std::vector<TrainStage> m_stages;
  // The schedule of the optimizer or the stage; empty if the rate is constant
  RateSchedule m_schedule;
  std::vector<LiveChange> m_changes;
  // The step of the next change
  int64_t m_nextChange = INT64_MAX;
  // Whether the user chose to go on although the files cannot be written
  bool m_isWithoutFiles = false;
  // Number of steps between validations; 0 to validate only at the end of epochs
  int64_t m_validationSteps = 0;
  // Best weights of callbacks, named as in a checkpoint
  std::map<std::string, Tensor> m_snapshots;
  // Information about best weights for the event of the next checkpoint
  CheckpointSaved m_best;
  FiniteWatch m_watch;
  // The file with the batch of a bad update, or ""
  std::string m_keptBatch;
  // The network's state, taken again for each look
  std::optional<NetworkSnapshot> m_watched;
  // The updates that were submitted and are not known yet: a ring that begins at m_firstPending.
  // m_position is the position before them.
  // Updates whose gradients the workers of a parameter server compute next
  std::vector<Network::StaleUpdate> m_stale;
  // The memory of each process by category
  std::vector<std::array<size_t, kNumCategories>> m_processMemory;
  // What several devices did so far, without their collectives
  ReplicaReport m_replicas;
  Clock::time_point m_toldReplicas;
  // The worker whose update is finished next
  size_t m_staleWorker = 0;
  std::vector<PendingStep> m_pending;
  size_t m_firstPending = 0;
  int64_t m_numPending = 0;
  // The samples of all updates of this process
  int64_t m_trainedSamples = 0;
  // The end of the last update, and how long it took
  Clock::time_point m_lastEnd;
  double m_stepSeconds = 0;
  // Memory that is allocated now, and its maximum so far
  size_t m_memoryBytes = 0, m_peakBytes = 0;
  // The replica that the others wait for, how long they have waited in its latest steps, and the
  // time of these steps
  int m_slowReplica = -1;
  double m_lagSeconds = 0, m_slowSeconds = 0;
  bool m_hasWarnedOfReplica = false;
  Clock::time_point m_lastSave;
  RateMeter m_rate;
  // Reused, so that a step allocates no memory
  StepMetrics m_metrics;
  BatchSums m_sums;
  StepProfile m_profile;
  // One for each device that has a state of its own; empty before the run trains
  std::vector<std::unique_ptr<DeviceSampler>> m_samplers;
  // Null if the run has sampled no layers so far
  std::unique_ptr<LayerSampler> m_layers;
  // Whether layers are sampled now
  bool m_samplesLayers = false;
  // The step after which a file of layer statistics that exists is cut, in a continued run
  std::optional<int64_t> m_layerFileStep;
  SamplingPace m_pace;
  // The step before the sampled update, and how long its sampling took until then
  int64_t m_layerStep = 0;
  std::chrono::nanoseconds m_layerTime{0};
  // Counts the classes of validations; nullopt if this process does not tell them
  std::optional<ClassCounter> m_classes;
  // Whether the classes of a validation could not be written
  bool m_hasClassFailure = false;
  // Whether the statistics of layers could not be written
  bool m_hasLayerFailure = false;
};

}  // namespace strata
