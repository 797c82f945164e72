// SPDX-License-Identifier: Apache-2.0
// Evaluates the callbacks at the end of each epoch. The run carries out their decisions
// (training_run.h). Their state is saved as text in checkpoints, so that a continued run decides
// the same. Not here: which callbacks exist (core/recipe/callbacks.h).
// Thread: a runner belongs to the training thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/recipe/callbacks.h"
#include "core/runs/events.h"

namespace strata {

/// A value that callbacks watch.
struct Monitor {
  // "loss", "val_accuracy"
  std::string name;
  // Its name begins with "val_"
  bool isValidation = false;
  // Index of the metric; -1: the loss
  int index = -1;
  // Larger is better
  bool isUp = false;

  /// Absent for a validation value where this epoch was not validated.
  std::optional<double> valueOf(const EpochMetrics& epoch) const;
  /// True if `value` is better by more than minDelta, compared in float32 like in Keras.
  bool isBetter(double value, double reference, double minDelta = 0) const;
};

class CallbackRunner {
 public:
  /// Fails: InvalidProject where a monitor is not one of the metrics.
  CallbackRunner(const TrainingOptions& options, const std::vector<std::string>& metricNames);

  /// The state of all callbacks as one line of text. restore() fails: InvalidFile where the text
  /// belongs to other callbacks.
  std::string text() const;
  void restore(const std::string& text, const std::string& file);

  struct Decision {
    // The type of the callback that ends the run; "" none
    std::string endedBy;
    // The new learning rate from the next update on
    std::optional<double> learningRate;
    // Callbacks whose best weights are the present ones
    std::vector<int> snapshots;
    // Save a checkpoint and keep it
    bool saves = false;
    // Write the present weights to best.safetensors
    bool isBest = false;
    double bestValue = 0;
    std::string bestMonitor;
  };
  Decision epochEnded(const EpochMetrics& epoch, double learningRate);
  /// After a validation within an epoch: only ModelCheckpoint reacts.
  Decision validated(const EpochMetrics& values);
  /// True if a checkpoint is due after this update, by its number or by the training time.
  bool isDue(int64_t step, double seconds) const {
    return step >= m_dueStep || seconds >= m_dueSeconds;
  }
  /// After an update. `values`: means of the epoch so far. Requires: isDue().
  Decision stepEnded(const EpochMetrics& values, double seconds);
  /// Steps whose checkpoints are kept.
  std::vector<int64_t> heldSteps() const;
  /// Called when the run continues after a callback ended it: patience counts from the start.
  void goOn();

  /// The callbacks that restore their best weights at the end, with the monitor and the epoch of
  /// these weights. The run keeps the weights.
  struct Restoring {
    int callback = 0;
    std::string monitor;
    int64_t epoch = 0;
  };
  std::vector<Restoring> restoring() const;
  /// True if there is a ModelCheckpoint.
  bool keepsBest() const;
  /// The name in a checkpoint of the best weights of a callback for a variable.
  static std::string snapshotName(const std::string& variable, int callback);

 private:
  struct Held {
    int64_t step = 0;
    // The value of the monitor
    std::optional<double> value;
  };
  struct Entry {
    std::string type;
    std::shared_ptr<const Json> fields;
    // Absent: the callback watches nothing
    std::optional<Monitor> monitor;
    std::optional<double> best;
    int64_t wait = 0, cooldown = 0, bestEpoch = 0;
    // ModelCheckpoint: when the last checkpoint was due by steps and by minutes
    int64_t lastStep = 0;
    double lastSeconds = 0;
    std::vector<Held> held;

    double number(const char* field) const;
    int64_t integer(const char* field) const;
    bool isSet(const char* field) const;
  };
  void watchStopping(Entry& entry, int index, const EpochMetrics& epoch, Decision& decision);
  void watchPlateau(Entry& entry, const EpochMetrics& epoch, double rate, Decision& decision);
  void watchCheckpoint(Entry& entry, const EpochMetrics& values, bool isDue, Decision& decision);
  void setDue();

  std::vector<Entry> m_entries;
  int64_t m_dueStep = INT64_MAX;
  double m_dueSeconds = 0;
};

}  // namespace strata
