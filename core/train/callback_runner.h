// SPDX-License-Identifier: Apache-2.0
// Evaluates the callbacks at the end of each epoch. The run carries out their decisions
// (training_run.h). Checkpoints contain the state of the callbacks as text, so that a continued run
// makes the same decisions. Not here: the list of callbacks (core/recipe/callbacks.h).
// Thread: only the training thread may use an object.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/recipe/callbacks.h"
#include "core/runs/events.h"

namespace strata {

/// A value that callbacks monitor.
struct Monitor {
  // Name, such as "loss" or "val_accuracy"
  std::string name;
  // Whether the name begins with "val_"
  bool isValidation = false;
  // Index of the metric; -1 for the loss
  int index = -1;
  // Whether larger values are better
  bool isUp = false;

  /// Returns the monitored value of an epoch. Returns nullopt for a validation value if the epoch
  /// had no validation.
  std::optional<double> valueOf(const EpochMetrics& epoch) const;
  /// Whether `value` is better than `reference` by more than `minDelta`. As in Keras, values are
  /// compared in float32. A NaN is never better.
  bool isBetter(double value, double reference, double minDelta = 0) const;
};

class CallbackRunner {
 public:
  /// Creates the callbacks of `options`. Fails: InvalidProject if a callback monitors a value that
  /// is not among the metrics.
  CallbackRunner(const TrainingOptions& options, const std::vector<std::string>& metricNames);

  /// text() returns the state of all callbacks as one line, and restore() reads it. A callback
  /// whose monitor had another direction or other weights forgets its best value, and restore()
  /// adds a warning. Fails: InvalidFile if the text belongs to other callbacks.
  std::string text() const;
  void restore(const std::string& text, const std::string& file,
               std::vector<std::string>& warnings);

  /// The decisions of all callbacks together, which the run carries out.
  struct Decision {
    // The type of the callback that ends the run; "" if none does
    std::string endedBy;
    // The learning rate from the next update on
    std::optional<double> learningRate;
    // Indices of the callbacks whose best weights are the current weights
    std::vector<int> snapshots;
    // Whether to save a checkpoint and keep it
    bool saves = false;
    // Whether to write the current weights to best.safetensors
    bool isBest = false;
    double bestValue = 0;
    std::string bestMonitor;
  };
  /// Evaluates all callbacks after an epoch.
  Decision epochEnded(const EpochMetrics& epoch, double learningRate);
  /// Evaluates the callbacks after a validation within an epoch. Only ModelCheckpoint reacts.
  Decision validated(const EpochMetrics& values);
  /// Whether a checkpoint is due after this update, by the number of updates or the training time.
  bool isDue(int64_t step, double seconds) const {
    return step >= m_dueStep || seconds >= m_dueSeconds;
  }
  /// Evaluates ModelCheckpoint after an update. `values` contains the means of the epoch so far.
  /// Requires: isDue() returned true.
  Decision stepEnded(const EpochMetrics& values, double seconds);
  /// Returns the steps whose checkpoints the callbacks keep.
  std::vector<int64_t> heldSteps() const;
  /// Restarts the patience of EarlyStopping, for a run that continues after a callback ended it.
  void goOn();

  /// A callback that restores its best weights at the end, with the monitor and epoch of these
  /// weights. The run stores the weights.
  struct Restoring {
    int callback = 0;
    std::string monitor;
    int64_t epoch = 0;
  };
  std::vector<Restoring> restoring() const;
  /// Whether there is a ModelCheckpoint.
  bool keepsBest() const;
  /// Returns a warning for each callback that found no best value, because its monitor was NaN
  /// after each epoch.
  std::vector<std::string> warningsOfNoBest() const;
  /// Returns the name under which a checkpoint stores a callback's best weights for a variable.
  static std::string snapshotName(const std::string& variable, int callback);

 private:
  struct Held {
    int64_t step = 0;
    // The value of the monitor; absent if it is not known yet
    std::optional<double> value;
  };
  struct Entry {
    std::string type;
    std::shared_ptr<const Json> fields;
    // The monitored value; absent if the callback monitors no value
    std::optional<Monitor> monitor;
    std::optional<double> best;
    int64_t wait = 0, cooldown = 0, bestEpoch = 0;
    // For ModelCheckpoint: step and time at which the last checkpoint was due
    int64_t lastStep = 0;
    double lastSeconds = 0;
    std::vector<Held> held;
    // Whether the monitor had the value NaN
    bool wasNan = false;
    // Whether an earlier version monitored the smallest value although the largest is the best
    bool hadOtherDirection = false;

    /// Whether `value` is the best one so far. A NaN is never the best.
    bool isBest(double value, double minDelta = 0) const;
    /// Forgets the best value.
    void forgetBest();
    double number(const char* field) const;
    int64_t integer(const char* field) const;
    bool isSet(const char* field) const;
  };
  void watchStopping(Entry& entry, int index, const EpochMetrics& epoch, Decision& decision);
  void watchPlateau(Entry& entry, const EpochMetrics& epoch, double rate, Decision& decision);
  void watchCheckpoint(Entry& entry, const EpochMetrics& values, bool isDue, Decision& decision);
  void setDue();
  void dropOtherBest(Entry& entry, const Json& kept, const std::string& file,
                     std::vector<std::string>& warnings) const;

  std::vector<Entry> m_entries;
  // Whether validation uses the moving averages of the weights
  bool m_isAveraged = false;
  int64_t m_dueStep = INT64_MAX;
  double m_dueSeconds = 0;
};

}  // namespace strata
