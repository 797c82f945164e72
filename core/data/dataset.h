// SPDX-License-Identifier: Apache-2.0
// Data decoded once and kept as compactly as its file had it (images as bytes), its split, and the sources of the contract.
// Thread: immutable after loading; share it between threads.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/data/selection.h"
#include "core/data/transforms.h"
#include "core/layers/schema.h"
#include "core/project/project.h"
#include "gpu/tensor/tensor.h"

namespace strata {

struct Samples {
  Tensor x;                                      // [samples, ...], u8, i32 or f32
  Tensor y;                                      // [samples] i32 labels or [samples, ...] f32
  Tensor weights;                                // [samples] f32; none: all count the same
  std::function<std::string(int64_t)> origin{};  // "iris.csv, row 17"; absent where samples have no place of their own
  int64_t count() const { return x.shape().rank() ? x.shape()[0] : 0; }
  /// Where a sample is from: its origin, else "sample N".
  std::string placeOf(int64_t sample) const;
};

/// A sample that could not be read.
struct DamagedSample {
  std::string file;    // and the place in it: "images.csv", "a/b.png"
  std::string reason;  // "row 17 has 3 cells (expected 5)"
};

struct Dataset {
  std::shared_ptr<const Samples> train;  // with the validation part at its end
  std::shared_ptr<const Samples> test;   // may be the same as train (`values`); may be empty
  int64_t trainCount = 0;                // samples 0..trainCount-1 train, the rest validate
  int64_t validationCount = 0;
  InputTransform transform;
  std::vector<std::string> classNames;   // empty for regression
  Shape sampleShape, targetShape;        // without the batch
  bool hasLabels = true;                 // y is class labels
  std::vector<DamagedSample> damaged;    // left out or replaced
  int64_t dropped = 0;                   // left out as the source was told to: rows with missing values
  std::string onDamaged;                 // "stop", "skip" or "replace"
  std::shared_ptr<const Json> encoding;  // of what a person gives to predict; null: plain numbers or images
  Diagnostics notes;                     // warnings about the data itself
  int64_t classCount() const;
  Preprocessing preprocessing() const;
};

/// Shapes and counts of the project's source without reading all of it where its files tell them, for validation. Problems go to diagnostics.
struct DatasetInfo {
  Shape sampleShape, targetShape;
  DType sampleType = DType::F32;
  bool hasLabels = true;
  bool hasWeights = false;
  int64_t classes = 0;  // 0: no classes
  int64_t trainCount = 0, validationCount = 0, testCount = 0;
  int64_t indexCount = 0;  // inputs are whole numbers below it; 0: not known without reading them
  bool isKnown = false;
  double bytes() const;                    // of all samples, as they are held in memory
  std::string source;                      // its type
  std::vector<DamagedSample> damaged;      // as far as it was looked for
  std::shared_ptr<const Dataset> dataset;  // where the samples were read to describe them
};
DatasetInfo describeDataset(const Project& project, Diagnostics& diagnostics);
/// Fails: InvalidFile, IoFailure naming file and byte; InvalidProject.
std::shared_ptr<const Dataset> loadDataset(const Project& project);
/// What turns raw values into what enters the network. Reads the data where a transform takes numbers from it. Fails: as loadDataset.
InputTransform inputTransform(const Project& project);
/// The same with what makes samples of a person's input. weights: a file or run directory; where it keeps them as they were when the weights were trained, that
/// counts. Fails: as loadDataset; InvalidFile where what is kept is damaged.
Preprocessing preprocessingOf(const Project& project, const std::string& weights = {});
/// The file in which a run keeps them; "" where there is none.
std::string keptPreprocessing(const std::string& weights);
/// Keeps them in a run directory, where numbers in them come from the data. Fails: IoFailure.
void keepPreprocessing(const Dataset& dataset, const std::string& runDirectory);
/// Which samples the project's `data` chooses; of wrong values the defaults.
Selection selectionOf(const Project& project);
/// Does the source name weights of its samples?
bool weighsSamples(const Project& project);
/// What a run tells of damaged samples: a sentence for each of the first, and their number.
std::vector<std::string> damageWarnings(const Dataset& dataset);
std::vector<Schema> dataSourceSchemas();
/// Fields of the project's `data` beside its source and transforms: slice, splits, what is done with damaged samples.
const Schema& dataSectionSchema();

/// The order of training samples in an epoch: a function of (seed, epoch) alone (Fisher-Yates on the counter-based generator).
std::vector<int32_t> epochOrder(uint64_t seed, int64_t epoch, int64_t count, bool isShuffled);
/// Copies samples by index into a batch, converting and transforming; parallelisable by ranges [begin, end) of the batch.
void gatherInputs(const Samples& samples, const InputTransform& transform, const int32_t* indices, int64_t begin, int64_t end,
                  std::byte* batch, DType batchType);
/// `elements`: of a row of the batch where it is longer than a target, whose rest is zero.
void gatherTargets(const Samples& samples, const int32_t* indices, int64_t begin, int64_t end, std::byte* batch, DType batchType,
                   int64_t elements = 0);
void gatherWeights(const Samples& samples, const int32_t* indices, int64_t begin, int64_t end, float* batch);

}  // namespace strata
