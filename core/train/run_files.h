// SPDX-License-Identifier: Apache-2.0
// The files of a run while it is trained: project, environment, choices, events, history,
// checkpoints, weights, in step with each other.
// Thread: the training thread.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <ostream>
#include <streambuf>
#include <string>

#include "core/recipe/run_edits.h"
#include "core/runs/event_log.h"
#include "core/runs/history.h"
#include "core/runs/run_directory.h"
#include "core/train/checkpoint.h"
#include "core/train/network.h"

namespace strata {

class RunFiles {
 public:
  /// Takes the directory, a new run's made where it is absent, and holds its lock: before that
  /// nothing in it is touched. Then clears what killed processes left half written.
  /// Fails: IoFailure; InvalidArgument where another process trains it, or a new run would
  /// overwrite one.
  RunFiles(std::string directory, bool isNew);

  const std::string& directory() const { return m_directory; }
  struct Opening {
    const Project& project;
    const RunEnvironment& environment;
    const Program& step;
    const KernelWays& ways;
    const std::vector<std::string>& metricNames;
    // That the run goes on from
    const Checkpoint* checkpoint = nullptr;
    // Contents of preprocessing.json, "" none
    std::string preprocessing = {};
  };
  /// environment.json, choices.json, record.json, project.json, in this order, so that a folder
  /// with a project has all of them; then events and history, cut after the checkpoint where the
  /// run goes on. Appends to `warnings` what is lost or damaged and decides nothing. Fails:
  /// IoFailure, InvalidFile.
  void open(const Opening& opening, std::vector<std::string>& warnings);
  /// choices.json again, where another step was compiled. Fails: IoFailure.
  void writeChoices(const Program& step, const KernelWays& ways);
  /// Settings that a person changed after `checkpoint`, from the events that open() cut, oldest
  /// first.
  const std::vector<LiveChange>& cutChanges() const { return m_cutChanges; }
  // false where open() failed
  bool hasEvents() const { return m_events != nullptr; }
  EventLog& events() { return *m_events; }
  DiskUse diskUse() const { return diskUseOf(m_directory, m_record); }
  HistoryWriter& history() { return *m_history; }
  /// History and events first, then the checkpoint that refers to them. Fails: IoFailure (disk
  /// full). heldSteps: of checkpoints that are kept, too.
  CheckpointSaved save(Checkpoint checkpoint, const TensorViews& tensors, bool isForced,
                       const std::vector<int64_t>& heldSteps);
  /// best.safetensors. Fails: IoFailure. Returns the path. Path of the best.safetensors that the
  /// run wrote; "" where there is none or it is damaged, and `warning` says so.
  std::string bestPath(std::string& warning) const;
  std::string saveBest(const TensorViews& weights, const std::string& project, int64_t step,
                       const std::string& monitor, double value);
  /// Fails: IoFailure. Returns the path.
  std::string saveWeights(const TensorViews& weights, const std::string& project, int64_t step,
                          const std::string& hash);
  void close();

 private:
  void clearTemporaries() const;
  void beginRecord(const Opening& opening, std::vector<std::string>& warnings);
  void keepPreprocessing(const Opening& opening, std::vector<std::string>& warnings);
  void openEvents(const Checkpoint* checkpoint, std::vector<std::string>& warnings);
  void makeLastCheckpointDurable() const;

  std::string m_directory;
  std::unique_ptr<RunLock> m_lock;
  RunRecord m_record;
  std::unique_ptr<std::streambuf> m_eventsBuffer;
  // The buffer's
  int m_eventsDescriptor = -1;
  std::ostream m_eventsStream{nullptr};
  std::unique_ptr<EventLog> m_events;
  std::unique_ptr<HistoryWriter> m_history;
  std::optional<std::chrono::steady_clock::time_point> m_lastDurable;
  // Of the last checkpoint, and of the last that survives a power cut
  std::string m_lastName, m_durableName;
  std::vector<LiveChange> m_cutChanges;
};

}  // namespace strata
