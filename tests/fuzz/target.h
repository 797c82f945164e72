// SPDX-License-Identifier: Apache-2.0
// A fuzz target: a reader of foreign files, files that it accepts, and the call that gives it a
// damaged one. Not here: damage (mutate.h), the loop (loop.h). Thread: one thread of one process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "gpu/tensor/tensor.h"

namespace strata::fuzz {

/// How a seed is damaged: as bytes, as text, as a JSON document (and its text), as lines of JSON
/// documents.
enum class Kind : uint8_t { Bytes, Text, Json, JsonLines };

struct Seed {
  std::string bytes;
  Kind kind = Kind::Bytes;
  // Its name, if a target has several files.
  std::string file = {};
};

class Mutant {
 public:
  Mutant(std::string contents, std::string fileName, uint64_t itsNumber,
         std::filesystem::path itsFolder)
      : bytes(std::move(contents)),
        file(std::move(fileName)),
        number(itsNumber),
        folder(std::move(itsFolder)) {}
  // The name of its seed's file.
  const std::string bytes, file;
  // Also chooses options of the reader.
  const uint64_t number;
  // A private folder, empty at first.
  const std::filesystem::path folder;
  /// Writes it as folder/name. Returns the path.
  std::string put(const std::string& name) const { return put(name, bytes); }
  std::string put(const std::string& name, const std::string& contents) const;
};

struct Target {
  std::string name;
  std::function<std::vector<Seed>()> seeds;
  /// Reads it; throws only strata::Error. Returns the values as text, which isProtected compares.
  std::function<std::string(const Mutant&)> read;
  /// Corrects checksums, so that the code behind the check is reached.
  std::function<std::string(const std::string&)> repair = {};
  /// The file has a checksum over the values: a damaged and unrepaired file must be refused, or
  /// have the values of a seed.
  bool isProtected = false;
};

void addProjectTargets(std::vector<Target>& targets);
void addWeightsTargets(std::vector<Target>& targets);
void addDataTargets(std::vector<Target>& targets);
void addRunTargets(std::vector<Target>& targets);
void addEngineTargets(std::vector<Target>& targets);
std::vector<Target> allTargets();

/// The bytes that `write` writes to the file that it is given.
std::string bytesWritten(const std::function<void(const std::string& path)>& write);
std::string bytesOf(const std::filesystem::path& path);
/// 1, 2, 3, ... with this shape.
template <class T>
Tensor counted(const Shape& shape) {
  Tensor tensor(dtypeOf<T>(), shape);
  T value = 0;
  for (T& each : tensor.as<T>())
    each = ++value;
  return tensor;
}
/// Types, shapes and bits of tensors, without their names.
std::string valuesOf(const std::map<std::string, Tensor>& tensors);
std::string valuesOf(const Tensor& tensor);

}  // namespace strata::fuzz
