// SPDX-License-Identifier: Apache-2.0
// Reads IDX files (http://yann.lecun.com/exdb/mnist, "the IDX file format"), plain or compressed
// with gzip. A file consists of two zero bytes, a type, a rank, big-endian sizes, and the elements.
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <functional>
#include <string>

#include "gpu/tensor/tensor.h"

namespace strata {

/// Returns type and shape from the header of the file. Checks that the file is large enough for
/// them, unless `mayBeCut` is true. Fails: InvalidFile naming the byte; IoFailure.
TensorType readIdxType(const std::string& path, bool mayBeCut = false);
/// Returns type and shape of a file, and checks that it is complete: it must have the declared
/// length, and compressed data must be undamaged. The check decompresses a compressed file. Its
/// result is cached until the file changes. Fails with the errors of readIdx.
TensorType checkIdx(const std::string& path);
/// Reads the whole file as u8, i32, f32 or f64. Signed bytes and 16-bit integers become i32. The
/// sizes in the header are compared with the size of the file before memory is allocated. Fails:
/// InvalidFile with expected and actual bytes (truncated, too long, not IDX, damaged compressed
/// data); IoFailure; OutOfMemory.
Tensor readIdx(const std::string& path);
/// Calls `take` with consecutive pieces of the elements that readIdx() would return, so that memory
/// never contains all of them. Each piece is a tensor with one dimension. Fails with the errors of
/// readIdx.
void eachOfIdx(const std::string& path, const std::function<void(const Tensor&)>& take);

/// The complete samples of a file that may be truncated.
struct IdxPart {
  Tensor samples;
  // Number of samples that the header declares
  int64_t expected = 0;
  // Describes how the file is truncated; "" if it is complete
  std::string lost;
};
/// Reads the complete samples of a file that may be truncated. Fails with the errors of readIdx, or
/// with InvalidFile if no sample is complete.
IdxPart readIdxPart(const std::string& path);

}  // namespace strata
