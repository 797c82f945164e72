// SPDX-License-Identifier: Apache-2.0
// The files of a run during training: project, environment, kernel choices, events, history,
// checkpoints and weights. RunFiles keeps them consistent with each other. Not here: the format of
// each file (core/runs, checkpoint.h). Thread: only the training thread may use an object.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <ostream>
#include <string>

#include "core/evaluation/class_file.h"
#include "core/layer_statistics/layer_file.h"
#include "core/recipe/run_edits.h"
#include "core/runs/event_log.h"
#include "core/runs/history.h"
#include "core/runs/kept_batch.h"
#include "core/runs/own_file.h"
#include "core/runs/run_directory.h"
#include "core/train/checkpoint.h"
#include "core/train/network.h"

namespace strata {

class RunFiles {
 public:
  /// Creates the directory if the run is new, and locks it before anything else changes. Then
  /// removes incomplete files of killed processes. Fails: IoFailure; InvalidArgument if another
  /// process trains in the directory, or if a new run would overwrite an existing one, or files
  /// that no run recorded; InvalidFile if the directory is a link, or not of this user.
  RunFiles(std::string directory, bool isNew);

  const std::string& directory() const { return m_directory; }
  struct Opening {
    const Project& project;
    const RunEnvironment& environment;
    const Program& step;
    const KernelVariants& variants;
    const StepMemory& memory;
    const std::vector<std::string>& metricNames;
    // The checkpoint from which the run continues
    const Checkpoint* checkpoint = nullptr;
    // Content of preprocessing.json; "" if the file is not needed
    std::string preprocessing = {};
  };
  /// Writes environment.json, choices.json, memory.json, record.json and project.json in this
  /// order, so that a folder with a project has all of them. Then opens events and history, and
  /// removes everything after the checkpoint. Missing or damaged files that do not affect training
  /// only cause `warnings`. Fails: IoFailure, InvalidFile.
  void open(const Opening& opening, std::vector<std::string>& warnings);
  /// Writes choices.json again after another step was compiled. Fails: IoFailure.
  void writeChoices(const Program& step, const KernelVariants& variants);
  /// Returns the settings that the user changed after the checkpoint, oldest first. They come from
  /// the events that open() removed.
  const std::vector<LiveChange>& cutChanges() const { return m_cutChanges; }
  /// Whether open() has opened the events.
  bool hasEvents() const { return m_events != nullptr; }
  EventLog& events() { return *m_events; }
  DiskUse diskUse() const { return diskUseOf(m_directory, m_record); }
  HistoryWriter& history() { return *m_history; }
  /// Opens layers.bin, and removes the records after `lastStep` if the run continues; otherwise
  /// begins a new file. Damage only sets `warning`. Fails: IoFailure.
  void openLayers(std::shared_ptr<const WatchedLayers> layers, std::optional<int64_t> lastStep,
                  std::string& warning);
  /// Returns the file of layer statistics, or null if it is not open.
  LayerFileWriter* layers() { return m_layers.get(); }
  /// Whether the directory has statistics of layers.
  bool hasLayers() const;
  /// The file with the classes of validations. Requires: open().
  ClassLog* classes() { return m_classes ? &*m_classes : nullptr; }
  /// Records the batch of a step that was not finite, and writes it. Returns it with path and hash.
  /// Fails: IoFailure.
  KeptBatch keepBatch(KeptBatch batch, const TensorViews& tensors);
  /// Writes what history and events still hold. Fails: IoFailure, for example if the disk is full.
  void saveLogs(bool isDurable);
  /// Writes history and events, then the checkpoint that refers to them. With `isForced`, the
  /// checkpoint survives a power failure. Otherwise at most one checkpoint per second does. Also
  /// keeps the checkpoints of `heldSteps`. Fails: IoFailure, for example if the disk is full.
  CheckpointSaved save(Checkpoint checkpoint, const TensorViews& tensors, bool isForced,
                       const std::vector<int64_t>& heldSteps);
  /// Returns the path of the last checkpoint that this process wrote or found, or "".
  std::string lastCheckpoint() const;
  /// Returns the path of the best.safetensors that the run wrote, or "" if it does not exist or is
  /// damaged. If it is damaged, sets `warning`.
  std::string bestPath(std::string& warning) const;
  /// Writes best.safetensors, and returns its path. Fails: IoFailure.
  std::string saveBest(const TensorViews& weights, const std::string& project, int64_t step,
                       const std::string& monitor, double value);
  /// Writes weights.safetensors, and returns its path. Fails: IoFailure.
  std::string saveWeights(const TensorViews& weights, const std::string& project, int64_t step,
                          const std::string& hash);
  /// Copies the run to a new folder in `parent` and goes on there. The former files stay. If this
  /// fails, nothing changes. Fails: IoFailure; InvalidArgument if a run exists there.
  void moveTo(const std::string& parent);
  void close();

 private:
  void requireUnused() const;
  void requireRecorded() const;
  bool isRecorded(const std::string& name, const RunRecord* record) const;
  void clearTemporaries() const;
  void beginRecord(const Opening& opening, std::vector<std::string>& warnings);
  bool keepPreprocessing(const Opening& opening, std::vector<std::string>& warnings);
  void openEvents(const Checkpoint* checkpoint, std::vector<std::string>& warnings);
  void makeLastCheckpointDurable() const;

  std::string m_directory;
  bool m_isNew;
  std::unique_ptr<RunLock> m_lock;
  RunRecord m_record;
  std::unique_ptr<OwnFileBuffer> m_eventsBuffer;
  std::ostream m_eventsStream{nullptr};
  std::unique_ptr<EventLog> m_events;
  std::unique_ptr<HistoryWriter> m_history;
  std::unique_ptr<LayerFileWriter> m_layers;
  std::optional<ClassLog> m_classes;
  std::optional<std::chrono::steady_clock::time_point> m_lastDurable;
  // Names of the last checkpoint, and of the last one that survives a power failure
  std::string m_lastName, m_durableName;
  std::vector<LiveChange> m_cutChanges;
};

}  // namespace strata
