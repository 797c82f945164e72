// SPDX-License-Identifier: Apache-2.0
// Data sets: samples with their split and transforms. Samples stay as compact as in their files
// (images as bytes). The functions load and describe data sets, and copy samples into batches.
// Thread: a data set is immutable after loading, so threads can share it.
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
/// outputs. Usually there is one of each.
struct Samples {
  // Shape [samples, ...], type u8, i32 or f32
  std::vector<Tensor> x{1};
  // Shape [samples] with i32 labels, or [samples, ...] in f32
  std::vector<Tensor> y{1};
  // Shape [samples] in f32 for each y. All weights of an output are 1 if its array is empty or
  // missing.
  std::vector<Tensor> weights;
  // Returns the origin of a sample, such as "iris.csv, row 17"; absent if samples have no
  // individual origin
  std::function<std::string(int64_t)> origin{};
  // Returns the origin of the target y[target] of a sample, if it differs from the origin of inputs
  std::function<std::string(int64_t, size_t)> targetOrigin{};
  /// Set if samples are not kept in memory. Writes the input of one sample to the given address,
  /// from any thread. `x` is then one array without rows. Fails: InvalidFile, IoFailure.
  std::function<void(int64_t, std::byte*)> decode{};
  int64_t count() const {
    if (decode) return y[0].shape()[0];
    return x[0].shape().rank() > 0 ? x[0].shape()[0] : 0;
  }
  /// Returns the origin of a sample, or "sample N".
  std::string placeOf(int64_t sample) const;
  std::string placeOfTarget(int64_t sample, size_t target) const;
};

/// Returns the arrays of one sample for all Input layers, without the batch dimension.
std::vector<Tensor> sampleOf(const Samples& samples, int64_t index);
/// Returns the class of each sample's target: a label, the largest of several values, or 0 or 1.
/// Returns an empty list if the targets are not classes.
std::vector<int32_t> classLabels(const Samples& samples, size_t target);
/// Returns a copy of the samples with these indices, in this order and in memory. Decodes them on
/// all cores if necessary.
Samples samplesInMemory(const Samples& samples, std::span<const int32_t> indices);

/// A sample that could not be read.
struct DamagedSample {
  // File and location, such as "images.csv" or "a/b.png"
  std::string file;
  // Problem, such as "row 17 has 3 cells (expected 5)"
  std::string reason;
  // The cell, if it probably stands for a missing value, such as "--", and a fix that says so
  std::string missingWord = {};
  std::vector<Fix> fixes = {};
  /// Returns what to do if damaged samples stop a run.
  std::string advice() const;
};

/// A column of a table with missing values that were replaced.
struct FilledColumn {
  std::string column;
  // Numbers of replaced cells, and of all cells
  int64_t cells = 0, rows = 0;
  // The value that replaces them; "" if they count as an unknown category
  std::string replacement = {};
  // A word in a column of categories that counts as a missing value, such as "None"; "" if the
  // cells are empty
  std::string word = {};
};

/// Shape and type of the samples for an Input layer, without the batch dimension.
struct DataInput {
  Shape shape;
  DType type = DType::F32;
  // Exclusive upper bound of integer inputs; 0 if it is not known without reading the inputs
  int64_t indexCount = 0;
  // Largest value that an image can have: 255 or 65535; 0 if inputs are not images of a source that
  // decodes them
  double largest = 0;
};

/// The target of an output.
struct DataTarget {
  // Shape without the batch dimension
  Shape shape;
  // Whether targets are class numbers
  bool hasLabels = true;
  // Number of classes; 0 if there are no classes
  int64_t classes = 0;
  // Names of the classes; empty for regression
  std::vector<std::string> classNames;
  // The labels that occur, in ascending order, if a source knows them without reading the samples
  std::vector<int32_t> labels = {};
};

struct Dataset {
  // Training samples, followed by the validation samples
  std::shared_ptr<const Samples> train;
  // Test samples, which may be empty. For the source `values` they may be the training samples.
  std::shared_ptr<const Samples> test;
  // Numbers of training and validation samples. Samples 0 to trainCount - 1 of `train` are for
  // training.
  int64_t trainCount = 0;
  int64_t validationCount = 0;
  // One entry for each array in Samples::x
  std::vector<DataInput> inputs{1};
  // One entry for each array in Samples::y
  std::vector<DataTarget> targets{1};
  InputTransforms transforms;
  // Samples that were left out or replaced
  std::vector<DamagedSample> damaged;
  // Number of rows with missing values that were dropped as requested
  int64_t dropped = 0;
  // Columns with missing values that were replaced as requested
  std::vector<FilledColumn> filled;
  // The treatment of damaged samples: "stop", "skip" or "replace"
  std::string onDamaged;
  Encodings encodings;
  // Folders of the splits, if the source found them
  std::vector<std::string> splitFolders;
  // Whether the test samples were split from the samples of the source
  bool isTestSplit = false;
  // Whether each part of a split has the same share of each class
  bool isStratified = false;
  // Whether samples were shuffled before the split
  bool isShuffled = false;
  // Whether the source has a validation set, so that validation_split is not used
  bool hasOwnValidation = false;
  // Warnings about the data itself
  Diagnostics notes;
  Preprocessing preprocessing() const;
};

/// The description of a project's data: shapes and counts, for validation.
struct DatasetInfo {
  std::vector<DataInput> inputs{1};
  std::vector<DataTarget> targets{1};
  int64_t trainCount = 0, validationCount = 0, testCount = 0;
  bool isKnown = false;
  // Returns the bytes of the samples that are kept in memory.
  double bytes() const;
  // Returns the bytes of all samples, including samples that are decoded for each batch.
  double decodedBytes() const;
  bool isDecodedForBatches() const { return decodedBytes() > bytes(); }
  // Type of the source
  std::string source;
  // The damaged samples that the description found
  std::vector<DamagedSample> damaged;
  // The data set, if samples were read to describe it
  std::shared_ptr<const Dataset> dataset;
};
/// Describes the data of a project. Reads only headers if possible. Adds problems to
/// `diagnostics`.
DatasetInfo describeDataset(const Project& project, const DataNeeds& needs,
                            Diagnostics& diagnostics);
/// Loads the data set. Fails: InvalidFile and IoFailure naming file and byte; InvalidProject.
std::shared_ptr<const Dataset> loadDataset(const Project& project, const DataNeeds& needs);
/// Returns the preprocessing of raw values before they enter the network. If `weights` is a file or
/// directory of a run with saved preprocessing, returns this preprocessing. Otherwise reads the
/// data only if the source or a transform requires it. Fails with the errors of loadDataset, or
/// with InvalidFile if the saved preprocessing is damaged.
Preprocessing preprocessingOf(const Project& project, const DataNeeds& needs,
                              const std::string& weights = {});
/// Returns the path of the saved preprocessing of the run to which the file or directory `weights`
/// belongs, or "" if there is none.
std::string savedPreprocessing(const std::string& weights);
/// Checks that a table still has the columns and classes with which a run began. `file` is the
/// run's preprocessing.json. Fails: InvalidFile.
void requireSameTable(const Preprocessing& kept, const Dataset& dataset, const std::string& file);
/// Returns the contents of a run's preprocessing.json. Returns "" if the preprocessing does not
/// depend on the data, so that no file is needed.
std::string preprocessingFileText(const Dataset& dataset);
/// Returns the selection in the project's `data`. Invalid values are replaced by defaults.
Selection selectionOf(const Project& project);
/// Returns the warnings of a run about damaged samples: one sentence for each of the first few, and
/// their total number.
std::vector<std::string> damageWarnings(const Dataset& dataset);
std::span<const Schema* const> sourceSchemas();
/// Returns the fields of the project's `data` except source and transforms: slice, splits, and the
/// treatment of damaged samples.
const Schema& dataSectionSchema();

/// Returns the order of training samples in an epoch, which depends only on (seed, epoch). It is a
/// Fisher-Yates shuffle with the counter-based generator.
std::vector<int32_t> epochOrder(uint64_t seed, int64_t epoch, int64_t count, bool isShuffled);
/// Returns the indices first, first + 1, ... of `count` samples.
std::vector<int32_t> samplesFrom(int64_t first, int64_t count);
/// Copies samples by index into a batch, with conversion and transforms. Several threads may fill
/// different ranges [begin, end) of the batch. `array` is one of Samples::x.
void gatherInputs(const Tensor& array, const InputTransform& transform, const int32_t* indices,
                  int64_t begin, int64_t end, std::byte* batch, DType batchType);
/// Copies targets by index into a batch. `array` is one of Samples::y. If `elements` is larger than
/// the number of elements of a target, each row of the batch has `elements` elements, and the
/// remaining ones are zero.
void gatherTargets(const Tensor& array, const int32_t* indices, int64_t begin, int64_t end,
                   std::byte* batch, DType batchType, int64_t elements = 0);
/// Copies the weights of samples into a batch. `output` is an index in Samples::y.
void gatherWeights(const Samples& samples, size_t output, const int32_t* indices, int64_t begin,
                   int64_t end, float* batch);
/// Calls `take` with the index and the transformed values of each of the first `count` samples of
/// an input. The values have double precision if InputTransform::isExact is true.
void forEachExactSample(const Samples& samples, size_t input, const InputTransform& transform,
                        int64_t count,
                        const std::function<void(int64_t, std::span<const double>)>& take);
/// Calls `take` with the index and the transformed f32 values of each of the first `count` samples
/// of an input.
void forEachSample(const Samples& samples, size_t input, const InputTransform& transform,
                   int64_t count, const std::function<void(int64_t, std::span<const float>)>& take);

}  // namespace strata
