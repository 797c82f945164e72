// SPDX-License-Identifier: Apache-2.0
// NumPy arrays as data: a .npy file, or the arrays of a .npz by name. Not here: the formats
// (core/interchange).
// Thread: one at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/interchange/zip.h"
#include "gpu/tensor/tensor.h"

namespace strata {

/// How the numbers of an array are converted. Conversion works piece by piece, so they are in
/// memory only once.
enum class ArrayUse : uint8_t {
  // The type of NpyHead::type()
  AsStored,
  // Integers as u8 or i32, all others as f32: the types that networks accept
  Inputs,
  // f32
  Values,
};

/// An array and its origin, for messages.
struct FoundArray {
  Tensor tensor;
  // what: "" or `array "x" `
  std::string file, what;
  // Number of complete samples if the file is cut short; the others are zero
  int64_t whole = 0;
  // "" if complete, otherwise how the file is cut short
  std::string lost = {};
};

/// Checks an array by its header before its numbers are read; throws to refuse it.
using JudgeArray =
    std::function<void(const TensorType& type, const std::string& file, const std::string& what)>;

/// The arrays of an archive by name, read on request.
class ArrayArchive {
 public:
  /// Fails: as ZipReader.
  explicit ArrayArchive(const std::string& path) : m_path(path), m_zip(path) {}
  std::vector<std::string> names() const;
  bool has(const std::string& name) const;
  /// Fails: InvalidFile if the archive has no such name (the message lists its names), and for
  /// integers beyond 32 bits as inputs; OutOfMemory; as headOfMember and eachOfMember; as `judge`.
  FoundArray read(const std::string& name, ArrayUse use, const JudgeArray& judge = {});

 private:
  std::string m_path;
  ZipReader m_zip;
};

/// takesPart: read the complete samples of a file that is cut short. Fails: OutOfMemory; as
/// readNpyHead, ArrayArchive::read; IoFailure.
FoundArray readNpyArray(const std::string& path, ArrayUse use, bool takesPart = false,
                        const JudgeArray& judge = {});
/// Converts an array in memory as ArrayUse::Inputs does. Fails: InvalidFile for integers beyond 32
/// bits.
Tensor asInputs(FoundArray array);

}  // namespace strata
