// SPDX-License-Identifier: Apache-2.0
// An open file of tensors. Names and types are known from its headers; a tensor is read on request,
// at once or in pieces. Callers decide by the headers which tensors they need, so that a small
// packed file with other contents takes no memory. Not here: the formats.
// Thread: one at a time.
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
  // __metadata__
  std::map<std::string, std::string> metadata;
};

using TensorViews = std::map<std::string, TensorView>;
TensorViews viewsOf(const std::map<std::string, Tensor>& tensors);

class TensorReader {
 public:
  using TakePiece = std::function<void(std::span<const std::byte>)>;
  virtual ~TensorReader() = default;
  /// Types by name, as returned by read().
  const std::map<std::string, TensorType>& types() const { return m_types; }
  const std::map<std::string, std::string>& metadata() const { return m_metadata; }
  /// Requires: a name of types(). Fails: as the reader of the format; InvalidFile if the data is
  /// damaged; IoFailure; OutOfMemory.
  virtual Tensor read(const std::string& name) = 0;
  /// Passes the bytes of read() in pieces. Fails: as read().
  virtual void eachPiece(const std::string& name, const TakePiece& take) = 0;

 protected:
  std::map<std::string, TensorType> m_types;
  std::map<std::string, std::string> m_metadata;
};

/// Tensors in memory that belong to another owner.
class TensorsInMemory : public TensorReader {
 public:
  explicit TensorsInMemory(TensorViews views, std::map<std::string, std::string> metadata = {});
  Tensor read(const std::string& name) override;
  void eachPiece(const std::string& name, const TakePiece& take) override;

 private:
  TensorViews m_views;
};

TensorFile readAll(TensorReader& reader);

/// XXH3-64 over the tensors in name order (name, shape and bytes), as 16 hex digits.
std::string weightsHash(TensorReader& reader);
std::string weightsHash(const std::map<std::string, Tensor>& tensors);
std::string weightsHash(const TensorViews& tensors);

}  // namespace strata
