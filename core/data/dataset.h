// SPDX-License-Identifier: Apache-2.0
// Data sets: samples as compact as in their files (images as bytes), their split and transforms;
// loading, describing and copying them into batches.
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

/// Arrays of samples in the order of the network: `x` for its Input layers, `y` for its trained
/// outputs; usually one of each.
struct Samples {
  // [samples, ...], u8, i32 or f32
  std::vector<Tensor> x{1};
  // [samples] i32 labels or [samples, ...] f32
  std::vector<Tensor> y{1};
  // [samples] f32, one for each y; no arrays, or an empty one: all weights are equal
  std::vector<Tensor> weights;
  // "iris.csv, row 17"; absent if samples have no individual origin
  std::function<std::string(int64_t)> origin{};
  /// For samples that are not kept in memory: writes the input of one sample to the given address,
  /// from any thread. x is then one array without rows. Fails: InvalidFile, IoFailure.
  std::function<void(int64_t, std::byte*)> decode{};
  int64_t count() const {
    if (decode) return y[0].shape()[0];
    return x[0].shape().rank() > 0 ? x[0].shape()[0] : 0;
  }
  /// The origin of a sample, or "sample N".
  std::string placeOf(int64_t sample) const;
};

/// The arrays of one sample, one for each Input layer, without the batch.
std::vector<Tensor> sampleOf(const Samples& samples, int64_t index);
/// The given samples in this order, in memory; decoded by all cores if necessary.
Samples samplesInMemory(const Samples& samples, std::span<const int32_t> indices);

/// A sample that could not be read.
struct DamagedSample {
  // File, and place within it: "images.csv", "a/b.png"
  std::string file;
  // "row 17 has 3 cells (expected 5)"
  std::string reason;
};

/// The data of an Input layer, without the batch.
struct DataInput {
  Shape shape;
  DType type = DType::F32;
  // Inputs are integers below this; 0: not known without reading them
  int64_t indexCount = 0;
};

/// The target of an output.
struct DataTarget {
  // Without the batch
  Shape shape;
  // Targets are class numbers
  bool hasLabels = true;
  // 0: there are no classes
  int64_t classes = 0;
  // Empty for regression
  std::vector<std::string> classNames;
};

struct Dataset {
  // Training samples, followed by the validation part
  std::shared_ptr<const Samples> train;
  // May be the same as train (`values`); may be empty
  std::shared_ptr<const Samples> test;
  // Samples 0..trainCount-1 train, the rest validate
  int64_t trainCount = 0;
  int64_t validationCount = 0;
  // One for each x
  std::vector<DataInput> inputs{1};
  // One for each y
  std::vector<DataTarget> targets{1};
  InputTransforms transforms;
  // Samples that were left out or replaced
  std::vector<DamagedSample> damaged;
  // Rows with missing values that were dropped as requested
  int64_t dropped = 0;
  // "stop", "skip" or "replace"
  std::string onDamaged;
  Encodings encodings;
  // Warnings about the data itself
  Diagnostics notes;
  Preprocessing preprocessing() const;
};

/// Shapes and counts of the project's source, for validation; read from headers alone if possible.
/// Problems go to diagnostics.
struct DatasetInfo {
  std::vector<DataInput> inputs{1};
  std::vector<DataTarget> targets{1};
  int64_t trainCount = 0, validationCount = 0, testCount = 0;
  bool isKnown = false;
  // Bytes of the samples as kept in memory
  double bytes() const;
  // Bytes of all samples, including those that are decoded for each batch
  double decodedBytes() const;
  bool isDecodedForBatches() const { return decodedBytes() > bytes(); }
  // Type of the source
  std::string source;
  // As far as samples were checked
  std::vector<DamagedSample> damaged;
  // The data set, if samples were read to describe it
  std::shared_ptr<const Dataset> dataset;
};
DatasetInfo describeDataset(const Project& project, const DataNeeds& needs,
                            Diagnostics& diagnostics);
/// Fails: InvalidFile, IoFailure naming file and byte; InvalidProject.
std::shared_ptr<const Dataset> loadDataset(const Project& project, const DataNeeds& needs);
/// The preprocessing of raw values before they enter the network. Reads the data if a transform
/// needs numbers from it. `weights`: a file or run directory, whose saved preprocessing is used if
/// it exists. Fails: as loadDataset; InvalidFile if the saved preprocessing is damaged.
Preprocessing preprocessingOf(const Project& project, const DataNeeds& needs,
                              const std::string& weights = {});
/// The file in which a run saves its preprocessing; "" if there is none.
std::string keptPreprocessing(const std::string& weights);
/// The contents of a run's preprocessing.json; "" if no number comes from the data, so that no file
/// is needed.
std::string keptPreprocessingText(const Dataset& dataset);
/// The selection in the project's `data`; defaults for invalid values.
Selection selectionOf(const Project& project);
/// Warnings of a run about damaged samples: a sentence for each of the first ones, and their
/// number.
std::vector<std::string> damageWarnings(const Dataset& dataset);
std::span<const Schema* const> sourceSchemas();
/// Fields of the project's `data` other than source and transforms: slice, splits, handling of
/// damaged samples.
const Schema& dataSectionSchema();

/// The order of training samples in an epoch; depends only on (seed, epoch) (Fisher-Yates with the
/// counter-based generator).
std::vector<int32_t> epochOrder(uint64_t seed, int64_t epoch, int64_t count, bool isShuffled);
/// first, first + 1, ...
std::vector<int32_t> samplesFrom(int64_t first, int64_t count);
/// Copies samples by index into a batch, with conversion and transforms; ranges [begin, end) of the
/// batch may run in parallel. array: one of Samples::x.
void gatherInputs(const Tensor& array, const InputTransform& transform, const int32_t* indices,
                  int64_t begin, int64_t end, std::byte* batch, DType batchType);
/// array: one of Samples::y. `elements`: length of a row of the batch if it is longer than a
/// target; the rest is zero.
void gatherTargets(const Tensor& array, const int32_t* indices, int64_t begin, int64_t end,
                   std::byte* batch, DType batchType, int64_t elements = 0);
/// output: index in Samples::y.
void gatherWeights(const Samples& samples, size_t output, const int32_t* indices, int64_t begin,
                   int64_t end, float* batch);
/// Passes the first `count` samples of an input to `take`, transformed as for the network, as f32.
void forEachSample(const Samples& samples, size_t input, const InputTransform& transform,
                   int64_t count, const std::function<void(int64_t, std::span<const float>)>& take);

}  // namespace strata
