// SPDX-License-Identifier: Apache-2.0
// An open file of tensors. The headers provide names and types. Tensors are read on request, at
// once or in pieces. Callers select tensors by name and type before reading, so that a small
// compressed file with other contents cannot fill the memory. Not here: the formats.
// Thread: only one thread at a time may use an object.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>

#include "gpu/tensor/tensor.h"

namespace strata {

struct TensorFile {
  std::map<std::string, Tensor> tensors;
  // The metadata, which safetensors files store in their header, and archives in their comment
  std::map<std::string, std::string> metadata;
};

using TensorViews = std::map<std::string, TensorView>;
TensorViews viewsOf(const std::map<std::string, Tensor>& tensors);

class TensorReader {
 public:
  using TakePiece = std::function<void(std::span<const std::byte>)>;
  virtual ~TensorReader() = default;
  /// Returns the types of the tensors by name. read() returns tensors of these types.
  const std::map<std::string, TensorType>& types() const { return m_types; }
  const std::map<std::string, std::string>& metadata() const { return m_metadata; }
  /// Reads the tensor `name`. Requires: `name` is in types(). Fails: InvalidFile if the data is
  /// damaged; IoFailure; OutOfMemory.
  virtual Tensor read(const std::string& name) = 0;
  /// Calls `take` with consecutive pieces of the bytes of the tensor that read() would return.
  /// Fails with the errors of read().
  virtual void eachPiece(const std::string& name, const TakePiece& take) = 0;

 protected:
  std::map<std::string, TensorType> m_types;
  std::map<std::string, std::string> m_metadata;
};

/// Reads tensors in memory that another object owns. The tensors must outlive this object.
class TensorsInMemory : public TensorReader {
 public:
  explicit TensorsInMemory(TensorViews views, std::map<std::string, std::string> metadata = {});
  Tensor read(const std::string& name) override;
  void eachPiece(const std::string& name, const TakePiece& take) override;

 private:
  TensorViews m_views;
};

TensorFile readAll(TensorReader& reader);

/// Returns the XXH3-64 hash of the tensors in name order (name, element type, shape and bytes) as
/// 16 hexadecimal digits.
std::string weightsHash(TensorReader& reader);
std::string weightsHash(const std::map<std::string, Tensor>& tensors);
std::string weightsHash(const TensorViews& tensors);

}  // namespace strata
