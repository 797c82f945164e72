// SPDX-License-Identifier: Apache-2.0
// Arrays of NumPy as data: a .npy file, or those of a .npz by name. Not here: the formats (core/interchange). Thread: one at a time.
#pragma once

#include <string>
#include <vector>

#include "core/interchange/zip.h"
#include "gpu/tensor/tensor.h"

namespace strata {

/// An array and where it is from, for messages.
struct FoundArray {
  Tensor tensor;
  std::string file, what;  // what: "" or `array "x" `
  int64_t whole = 0;       // of its samples, where it is cut short; the others are zero
  std::string lost = {};   // "" where all are there, else how it is cut short
};

/// Arrays of an archive by name, read when they are asked for.
class ArrayArchive {
 public:
  /// Fails: as ZipReader.
  explicit ArrayArchive(const std::string& path) : m_path(path), m_zip(path) {}
  std::vector<std::string> names() const;
  bool has(const std::string& name) const;
  /// Fails: InvalidFile where there is none of this name, telling those there are; OutOfMemory; as parseNpy.
  FoundArray read(const std::string& name);

 private:
  std::string m_path;
  ZipReader m_zip;
};

/// takesPart: of a file that is cut short the whole samples. Fails: OutOfMemory; as readNpy.
FoundArray readNpyArray(const std::string& path, bool takesPart = false);
/// Whole numbers as u8 or i32, all others as f32: what networks take. Fails: InvalidFile for whole numbers beyond 32 bits.
Tensor asInputs(FoundArray array);

}  // namespace strata
