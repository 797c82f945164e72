// SPDX-License-Identifier: Apache-2.0
// A fuzz target consists of a reader of files, seed files that the reader accepts, and a function
// that gives it a damaged file. mutate.h damages the files, and loop.h calls the targets. Only one
// thread of a process may use a target.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "gpu/tensor/tensor.h"

namespace strata::fuzz {

/// Says how a seed is damaged: as bytes, as text, as a JSON document or its text, or as lines of
/// JSON documents.
enum class Kind : uint8_t { Bytes, Text, Json, JsonLines };

struct Seed {
  std::string bytes;
  Kind kind = Kind::Bytes;
  // The file name. It is empty if the target reads a single file.
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
  // The damaged contents, and the file name of the seed.
  const std::string bytes, file;
  // The mutant's number. Targets also use it to choose options of the reader.
  const uint64_t number;
  // A folder for the files of this mutant, which is empty at first.
  const std::filesystem::path folder;
  /// Writes the mutant to folder/name. Returns the path.
  std::string put(const std::string& name) const { return put(name, bytes); }
  std::string put(const std::string& name, const std::string& contents) const;
};

struct Target {
  std::string name;
  std::function<std::vector<Seed>()> seeds;
  /// Reads a mutant. The function may throw only strata::Error. If isProtected is set, it returns
  /// the values that it read as text.
  std::function<std::string(const Mutant&)> read;
  /// Corrects checksums, so that readers do not refuse the mutant at once.
  std::function<std::string(const std::string&)> repair = {};
  /// Whether the format has a checksum over its values. Unless the checksum of a damaged file was
  /// repaired, the reader must refuse the file or read the values of a seed.
  bool isProtected = false;
};

void addProjectTargets(std::vector<Target>& targets);
void addWeightsTargets(std::vector<Target>& targets);
void addDataTargets(std::vector<Target>& targets);
void addRunTargets(std::vector<Target>& targets);
void addRunListTargets(std::vector<Target>& targets);
void addEngineTargets(std::vector<Target>& targets);
void addLayerTargets(std::vector<Target>& targets);
void addTraceTargets(std::vector<Target>& targets);
std::vector<Target> allTargets();

/// Calls `write` with the path of a temporary file. Returns the bytes of that file.
std::string bytesWritten(const std::function<void(const std::string& path)>& write);
std::string bytesOf(const std::filesystem::path& path);
/// Returns a tensor with the values 1, 2, 3 and so on.
template <class T>
Tensor counted(const Shape& shape) {
  Tensor tensor(dtypeOf<T>(), shape);
  T value = 0;
  for (T& each : tensor.as<T>())
    each = ++value;
  return tensor;
}
/// Returns the types, shapes and bits of tensors as text, without their names.
std::string valuesOf(const std::map<std::string, Tensor>& tensors);
std::string valuesOf(const Tensor& tensor);

}  // namespace strata::fuzz
