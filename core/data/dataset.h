// SPDX-License-Identifier: Apache-2.0
// Data decoded once and kept as compactly as its file had it (images as bytes), its split, and the sources of the contract.
// Thread: immutable after loading; share it between threads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/layers/schema.h"
#include "core/project/project.h"
#include "gpu/tensor/tensor.h"

namespace strata {

struct Samples {
  Tensor x;  // [samples, ...], u8, i32 or f32
  Tensor y;  // [samples] i32 labels or [samples, ...] f32
  int64_t count() const { return x.shape().rank() ? x.shape()[0] : 0; }
};

/// x' = x * scale + offset in f32, from the project's transforms ("rescale"), applied while a batch is gathered.
struct InputTransform {
  double scale = 1, offset = 0;
};

struct Dataset {
  std::shared_ptr<const Samples> train;  // with the validation part at its end
  std::shared_ptr<const Samples> test;   // may be the same as train (`values`)
  int64_t trainCount = 0;                // samples 0..trainCount-1 train, the rest validate
  int64_t validationCount = 0;
  InputTransform transform;
  std::vector<std::string> classNames;  // empty for regression
  Shape sampleShape, targetShape;       // without the batch
  bool hasLabels = true;                // y is class labels
};

/// Shapes and counts of the project's source without reading all of it, for validation. Problems go to diagnostics.
struct DatasetInfo {
  Shape sampleShape, targetShape;
  DType sampleType = DType::F32;
  bool hasLabels = true;
  int64_t classes = 0;  // 0: no classes
  int64_t trainCount = 0, validationCount = 0, testCount = 0;
  bool isKnown = false;
};
DatasetInfo describeDataset(const Project& project, Diagnostics& diagnostics);
/// Fails: InvalidFile, IoFailure naming file and byte; InvalidProject.
std::shared_ptr<const Dataset> loadDataset(const Project& project);
/// The project's transforms alone, without its data.
InputTransform inputTransform(const Project& project);
std::vector<Schema> dataSourceSchemas();
std::vector<Schema> transformSchemas();

/// The order of training samples in an epoch: a function of (seed, epoch) alone (Fisher-Yates on the counter-based generator).
std::vector<int32_t> epochOrder(uint64_t seed, int64_t epoch, int64_t count, bool isShuffled);
/// Copies samples by index into a batch, converting and transforming; parallelisable by ranges [begin, end) of the batch.
void gatherInputs(const Samples& samples, const InputTransform& transform, const int32_t* indices, int64_t begin, int64_t end,
                  std::byte* batch, DType batchType);
/// `elements`: of a row of the batch where it is longer than a target, whose rest is zero.
void gatherTargets(const Samples& samples, const int32_t* indices, int64_t begin, int64_t end, std::byte* batch, DType batchType,
                   int64_t elements = 0);

}  // namespace strata
