// SPDX-License-Identifier: Apache-2.0
// Data decoded once and kept as compactly as its file had it (images as bytes), its split, and the
// sources of the contract.
// Thread: immutable after loading; share it between threads.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/data/data_needs.h"
#include "core/data/selection.h"
#include "core/data/transforms.h"
#include "core/layers/schema.h"
#include "core/project/project.h"
#include "gpu/tensor/tensor.h"

namespace strata {

/// Arrays stand in the order of the network: `x` as its Input layers, `y` as the outputs that are
/// trained; mostly one of each.
struct Samples {
  // [samples, ...], u8, i32 or f32
  std::vector<Tensor> x{1};
  // [samples] i32 labels or [samples, ...] f32
  std::vector<Tensor> y{1};
  // [samples] f32, beside y; none, or one that is empty: all count the same there
  std::vector<Tensor> weights;
  // "iris.csv, row 17"; absent where samples have no place of their own
  std::function<std::string(int64_t)> origin{};
  /// Of samples that are not kept in memory: puts the input of one of them where it is asked to,
  /// from any thread. x is one array without rows then.
  /// Fails: InvalidFile, IoFailure.
  std::function<void(int64_t, std::byte*)> decode{};
  int64_t count() const {
    return decode ? y[0].shape()[0] : x[0].shape().rank() ? x[0].shape()[0] : 0;
  }
  /// Where a sample is from: its origin, else "sample N".
  std::string placeOf(int64_t sample) const;
};

/// One sample: of each Input layer its array, without the batch.
std::vector<Tensor> sampleOf(const Samples& samples, int64_t index);
/// These samples in this order, in memory, decoded by all cores where they were not.
Samples samplesInMemory(const Samples& samples, std::span<const int32_t> indices);

/// A sample that could not be read.
struct DamagedSample {
  // And the place in it: "images.csv", "a/b.png"
  std::string file;
  // "row 17 has 3 cells (expected 5)"
  std::string reason;
};

/// What an Input layer is given, without the batch.
struct DataInput {
  Shape shape;
  DType type = DType::F32;
  // Inputs are whole numbers below it; 0: not known without reading them
  int64_t indexCount = 0;
};

/// What an output is compared with.
struct DataTarget {
  // Without the batch
  Shape shape;
  // Class numbers
  bool hasLabels = true;
  // 0: no classes
  int64_t classes = 0;
  // Empty for regression
  std::vector<std::string> classNames;
};

struct Dataset {
  // With the validation part at its end
  std::shared_ptr<const Samples> train;
  // May be the same as train (`values`); may be empty
  std::shared_ptr<const Samples> test;
  // Samples 0..trainCount-1 train, the rest validate
  int64_t trainCount = 0;
  int64_t validationCount = 0;
  // Of x
  std::vector<DataInput> inputs{1};
  // Of y
  std::vector<DataTarget> targets{1};
  InputTransforms transforms;
  // Left out or replaced
  std::vector<DamagedSample> damaged;
  // Left out as the source was told to: rows with missing values
  int64_t dropped = 0;
  // "stop", "skip" or "replace"
  std::string onDamaged;
  Encodings encodings;
  // Warnings about the data itself
  Diagnostics notes;
  Preprocessing preprocessing() const;
};

/// Shapes and counts of the project's source without reading all of it where its files tell them,
/// for validation. Problems go to diagnostics.
struct DatasetInfo {
  std::vector<DataInput> inputs{1};
  std::vector<DataTarget> targets{1};
  int64_t trainCount = 0, validationCount = 0, testCount = 0;
  bool isKnown = false;
  // Of the samples as they are held in memory
  double bytes() const;
  // Of all samples, those that are decoded for their batches as well
  double decodedBytes() const;
  bool isDecodedForBatches() const { return decodedBytes() > bytes(); }
  // Its type
  std::string source;
  // As far as it was looked for
  std::vector<DamagedSample> damaged;
  // Where the samples were read to describe them
  std::shared_ptr<const Dataset> dataset;
};
DatasetInfo describeDataset(const Project& project, const DataNeeds& needs,
                            Diagnostics& diagnostics);
/// Fails: InvalidFile, IoFailure naming file and byte; InvalidProject.
std::shared_ptr<const Dataset> loadDataset(const Project& project, const DataNeeds& needs);
/// What turns raw values, such as a person's input, into what enters the network. Reads the data
/// where a transform takes numbers from it. `weights`: a file or run directory; where it keeps them
/// as they were when the weights were trained, that counts. Fails: as loadDataset; InvalidFile
/// where what is kept is damaged.
Preprocessing preprocessingOf(const Project& project, const DataNeeds& needs,
                              const std::string& weights = {});
/// The file in which a run keeps them; "" where there is none.
std::string keptPreprocessing(const std::string& weights);
/// What a run keeps of them in its preprocessing.json; "" where no number in them comes from the
/// data, so that it keeps none.
std::string keptPreprocessingText(const Dataset& dataset);
/// Which samples the project's `data` chooses; of wrong values the defaults.
Selection selectionOf(const Project& project);
/// What a run tells of damaged samples: a sentence for each of the first, and their number.
std::vector<std::string> damageWarnings(const Dataset& dataset);
std::span<const Schema* const> sourceSchemas();
/// Fields of the project's `data` beside its source and transforms: slice, splits, what is done
/// with damaged samples.
const Schema& dataSectionSchema();

/// The order of training samples in an epoch: a function of (seed, epoch) alone (Fisher-Yates on
/// the counter-based generator).
std::vector<int32_t> epochOrder(uint64_t seed, int64_t epoch, int64_t count, bool isShuffled);
/// first, first + 1, ...
std::vector<int32_t> samplesFrom(int64_t first, int64_t count);
/// Copies samples by index into a batch, converting and transforming; parallelisable by ranges
/// [begin, end) of the batch. array: one of Samples::x.
void gatherInputs(const Tensor& array, const InputTransform& transform, const int32_t* indices,
                  int64_t begin, int64_t end, std::byte* batch, DType batchType);
/// array: one of Samples::y. `elements`: of a row of the batch where it is longer than a target,
/// whose rest is zero.
void gatherTargets(const Tensor& array, const int32_t* indices, int64_t begin, int64_t end,
                   std::byte* batch, DType batchType, int64_t elements = 0);
/// output: place in Samples::y.
void gatherWeights(const Samples& samples, size_t output, const int32_t* indices, int64_t begin,
                   int64_t end, float* batch);
/// The first `count` samples of an input one after the other as they enter the network, as f32.
void forEachSample(const Samples& samples, size_t input, const InputTransform& transform,
                   int64_t count, const std::function<void(int64_t, std::span<const float>)>& take);

}  // namespace strata
