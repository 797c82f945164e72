// SPDX-License-Identifier: Apache-2.0
// What callbacks decide at each epoch's end. What is decided is done by the run (training_run.h);
// what they remember is text in a checkpoint, so that a continued run decides the same. Not here:
// which callbacks there are (core/recipe/callbacks.h). Thread: a runner belongs to the training
// thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/recipe/callbacks.h"
#include "core/runs/events.h"

namespace strata {

/// A number that callbacks watch.
struct Monitor {
  // "loss", "val_accuracy"
  std::string name;
  // Its name begins with "val_"
  bool isValidation = false;
  // Of the metric's value; -1: the loss
  int index = -1;
  // Larger is better
  bool isUp = false;

  /// Absent where this epoch was not validated.
  std::optional<double> valueOf(const EpochMetrics& epoch) const;
  /// By more than minDelta, compared in float32 as Keras does.
  bool isBetter(double value, double reference, double minDelta = 0) const;
};

class CallbackRunner {
 public:
  /// Fails: InvalidProject where a monitor is none of the metrics' values.
  CallbackRunner(const TrainingOptions& options, const std::vector<std::string>& metricNames);

  /// All that callbacks remember, as one line of text. restore() fails: InvalidFile where it is of
  /// other callbacks.
  std::string text() const;
  void restore(const std::string& text, const std::string& file);

  struct Decision {
    // The type of the one that ends the run, "" none
    std::string endedBy;
    // From the next update on
    std::optional<double> learningRate;
    // Callbacks whose best weights are those of now
    std::vector<int> snapshots;
    // A checkpoint that is kept
    bool saves = false;
    // Best.safetensors is to be those of now
    bool isBest = false;
    double bestValue = 0;
    std::string bestMonitor;
  };
  Decision epochEnded(const EpochMetrics& epoch, double learningRate);
  /// Validation inside of an epoch: only checkpoints take part.
  Decision validated(const EpochMetrics& values);
  /// Is a checkpoint due after this update, by its number or by the seconds of training?
  bool isDue(int64_t step, double seconds) const {
    return step >= m_dueStep || seconds >= m_dueSeconds;
  }
  /// `values`: means of the epoch so far. Requires: isDue().
  Decision stepEnded(const EpochMetrics& values, double seconds);
  /// Steps whose checkpoints stay.
  std::vector<int64_t> heldSteps() const;
  /// The run is to go on although a callback ended it: patience begins anew.
  void goOn();

  /// Callbacks that end the run with the best weights, with the monitor and the epoch of each that
  /// has some; the run keeps those weights.
  struct Restoring {
    int callback = 0;
    std::string monitor;
    int64_t epoch = 0;
  };
  std::vector<Restoring> restoring() const;
  // Is there a ModelCheckpoint
  bool keepsBest() const;
  /// What a callback's best weights of a variable are called in a checkpoint.
  static std::string snapshotName(const std::string& variable, int callback);

 private:
  struct Held {
    int64_t step = 0;
    // Of the monitor
    std::optional<double> value;
  };
  struct Entry {
    std::string type;
    std::shared_ptr<const Json> fields;
    // absent: none is asked for, or there is nothing to watch
    std::optional<Monitor> monitor;
    std::optional<double> best;
    int64_t wait = 0, cooldown = 0, bestEpoch = 0;
    // ModelCheckpoint: of the last one that was due by steps
    int64_t lastStep = 0;
    // Likewise by minutes
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
