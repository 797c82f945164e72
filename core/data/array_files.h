// SPDX-License-Identifier: Apache-2.0
// Arrays of NumPy as data: a .npy file, or those of a .npz by name. Not here: the formats
// (core/interchange). Thread: one at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/interchange/zip.h"
#include "gpu/tensor/tensor.h"

namespace strata {

/// What becomes of an array's numbers, each piece of them on its own, so that they are in memory
/// once.
enum class ArrayUse : uint8_t {
  // What NpyHead::type() says
  AsStored,
  // Whole numbers as u8 or i32, all others as f32: what networks take
  Inputs,
  // f32
  Values,
};

/// An array and where it is from, for messages.
struct FoundArray {
  Tensor tensor;
  // what: "" or `array "x" `
  std::string file, what;
  // Of its samples, where it is cut short; the others are zero
  int64_t whole = 0;
  // "" where all are there, else how it is cut short
  std::string lost = {};
};

/// What an array is by its head: looked at before its numbers are read. May throw.
using JudgeArray =
    std::function<void(const TensorType& type, const std::string& file, const std::string& what)>;

/// Arrays of an archive by name, read when they are asked for.
class ArrayArchive {
 public:
  /// Fails: as ZipReader.
  explicit ArrayArchive(const std::string& path) : m_path(path), m_zip(path) {}
  std::vector<std::string> names() const;
  bool has(const std::string& name) const;
  /// Fails: InvalidFile if the archive has no such name (the message lists its names), and for
  /// whole numbers beyond 32 bits as inputs; OutOfMemory; as headOfMember and eachOfMember; as
  /// `judge`.
  FoundArray read(const std::string& name, ArrayUse use, const JudgeArray& judge = {});

 private:
  std::string m_path;
  ZipReader m_zip;
};

/// takesPart: of a file that is cut short the whole samples. Fails: OutOfMemory; as readNpyHead,
/// ArrayArchive::read; IoFailure.
FoundArray readNpyArray(const std::string& path, ArrayUse use, bool takesPart = false,
                        const JudgeArray& judge = {});
/// As ArrayUse::Inputs, of an array that is in memory. Fails: InvalidFile for whole numbers beyond
/// 32 bits.
Tensor asInputs(FoundArray array);

}  // namespace strata
