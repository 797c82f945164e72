// SPDX-License-Identifier: Apache-2.0
// IDX files (http://yann.lecun.com/exdb/mnist, "the IDX file format"), plain or gzip: two zero
// bytes, a type, a rank, big-endian sizes, the elements.
// Thread: pure functions.
#pragma once

#include <functional>
#include <string>

#include "gpu/tensor/tensor.h"

namespace strata {

/// Type and shape from the header of the file alone; mayBeCut: without comparing them with the size
/// of the file. Fails: InvalidFile naming the byte; IoFailure.
TensorType readIdxType(const std::string& path, bool mayBeCut = false);
/// Type and shape of a file that is complete: as long as its header says, and a packed one
/// undamaged. Packed files are unpacked to check that, once until the file changes. Fails: as
/// readIdx.
TensorType checkIdx(const std::string& path);
/// The whole file: u8, i32, f32 or f64 (16-bit and signed bytes become i32). Sizes are checked
/// against the file before memory is taken. Fails: InvalidFile with expected and found bytes (cut
/// short, too long, not IDX, packed data damaged); IoFailure; OutOfMemory.
Tensor readIdx(const std::string& path);
/// The same elements in pieces, each a tensor of one dimension, without memory for all of them.
/// Fails: as readIdx.
void eachOfIdx(const std::string& path, const std::function<void(const Tensor&)>& take);

/// The complete samples of a file that may be cut short.
struct IdxPart {
  Tensor samples;
  // Number of samples by the header
  int64_t expected = 0;
  // "" if complete, otherwise how the file is cut short
  std::string lost;
};
/// Fails: as readIdx, if no sample is complete or the file is damaged in another way.
IdxPart readIdxPart(const std::string& path);

}  // namespace strata
