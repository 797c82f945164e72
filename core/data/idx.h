// SPDX-License-Identifier: Apache-2.0
// IDX files (http://yann.lecun.com/exdb/mnist, "the IDX file format"), plain or gzip: two zero
// bytes, a type, a rank, big-endian sizes, the elements.
// Thread: pure functions.
#pragma once

#include <functional>
#include <string>

#include "gpu/tensor/tensor.h"

namespace strata {

/// Type and shape from the head of the file alone; mayBeCut: whatever it claims. Fails: InvalidFile
/// naming the byte; IoFailure.
TensorType readIdxType(const std::string& path, bool mayBeCut = false);
/// Type and shape of a file that is whole: as long as its head says, a packed one sound to its end.
/// It is unpacked for that, once as long as it stays as it is.
/// Fails: as readIdx.
TensorType checkIdx(const std::string& path);
/// The whole file: u8, i32, f32 or f64 (16-bit and signed bytes become i32). Sizes are checked
/// against the file before memory is taken.
/// Fails: InvalidFile with expected and found bytes (cut short, too long, not IDX; its packed data
/// damaged); IoFailure; OutOfMemory.
Tensor readIdx(const std::string& path);
/// The same elements piece by piece, each a tensor of one dimension, without memory for all. Fails:
/// as readIdx.
void eachOfIdx(const std::string& path, const std::function<void(const Tensor&)>& take);

/// The whole samples of a file that may be cut short.
struct IdxPart {
  Tensor samples;
  // By its head
  int64_t expected = 0;
  // "" where all are there, else how it is cut short
  std::string lost;
};
/// Fails: as readIdx, where not one sample is whole or the file is damaged otherwise.
IdxPart readIdxPart(const std::string& path);

}  // namespace strata
