// SPDX-License-Identifier: Apache-2.0
// Reads NumPy arrays as data: the array of a .npy file, or the named arrays of a .npz file. Not
// here: the formats (core/interchange).
// Thread: only one thread at a time may use an object.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/interchange/zip.h"
#include "gpu/tensor/tensor.h"

namespace strata {

/// How the elements of an array are converted. The conversion works piece by piece, so that memory
/// contains only one copy of the elements.
enum class ArrayUse : uint8_t {
  // Keeps the type of NpyHead::type().
  AsStored,
  // Converts integers to u8 or i32, and other elements to f32. Networks accept these types.
  Inputs,
  // Like Inputs, but keeps f64.
  ExactInputs,
  // Converts all elements to f32.
  Values,
};

/// An array and its origin.
struct FoundArray {
  Tensor tensor;
  // `file` is the path, and `what` is "" or `array "x" `. Messages contain both.
  std::string file, what;
  // Number of complete samples if the file is truncated, otherwise 0. The other samples are zero.
  int64_t whole = 0;
  // Describes how the file is truncated; "" if it is complete
  std::string lost = {};
};

/// A function that checks an array by its header, before the elements are read. It throws an error
/// to refuse the array.
using JudgeArray =
    std::function<void(const TensorType& type, const std::string& file, const std::string& what)>;

/// The named arrays of an archive, which are read on request.
class ArrayArchive {
 public:
  /// Opens the archive. Fails with the errors of ZipReader.
  explicit ArrayArchive(const std::string& path) : m_path(path), m_zip(path) {}
  std::vector<std::string> names() const;
  bool has(const std::string& name) const;
  /// Reads an array. Fails: InvalidFile if the archive has no array of this name (the message lists
  /// the names), or if integers beyond 32 bits must be converted; OutOfMemory; the errors of
  /// headOfMember and eachOfMember; the errors of `judge`.
  FoundArray read(const std::string& name, ArrayUse use, const JudgeArray& judge = {});

 private:
  std::string m_path;
  ZipReader m_zip;
};

/// Reads the array of a .npy file. With `takesPart`, also accepts a truncated file if at least one
/// sample is complete. The array must be row-major, and the missing part must not be larger than
/// the existing part, or than 64 MiB. Fails: OutOfMemory; IoFailure; the errors of readNpyHead and
/// ArrayArchive::read.
FoundArray readNpyArray(const std::string& path, ArrayUse use, bool takesPart = false,
                        const JudgeArray& judge = {});
/// Converts inputs that were read with ArrayUse::ExactInputs. Returns f64 if the numbers of a
/// column (an index of the last dimension) lose digits in f32, otherwise f32 for f64. The inputs of
/// a test set get the type of the training inputs if this is f64.
Tensor withNeededDigits(Tensor inputs, std::optional<DType> trained = {});
/// Converts an array in memory as ArrayUse::Inputs describes. Fails: InvalidFile for integers
/// beyond 32 bits.
Tensor asInputs(FoundArray array);

}  // namespace strata
