// SPDX-License-Identifier: Apache-2.0
#include "core/interchange/tensor_reader.h"

#include <cstring>
#include <memory>

#include <xxhash.h>

#include "gpu/base/error.h"

namespace strata {

TensorViews viewsOf(const std::map<std::string, Tensor>& tensors) {
  TensorViews views;
  for (const auto& [name, tensor] : tensors)
    views.emplace(name, TensorView{tensor.type(), tensor.data()});
  return views;
}

TensorsInMemory::TensorsInMemory(TensorViews views, std::map<std::string, std::string> metadata)
    : m_views(std::move(views)) {
  m_metadata = std::move(metadata);
  for (const auto& [name, view] : m_views)
    m_types.emplace(name, view.type);
}

Tensor TensorsInMemory::read(const std::string& name) {
  const TensorView& view = m_views.at(name);
  Tensor result(view.type);
  if (result.bytes() > 0) std::memcpy(result.data(), view.data, result.bytes());
  return result;
}

void TensorsInMemory::eachPiece(const std::string& name, const TakePiece& take) {
  const TensorView& view = m_views.at(name);
  if (view.bytes() > 0) take({view.data, view.bytes()});
}

TensorFile readAll(TensorReader& reader) {
  TensorFile result;
  result.metadata = reader.metadata();
  for (const auto& [name, type] : reader.types())
    result.tensors.emplace(name, reader.read(name));
  return result;
}

std::string weightsHash(TensorReader& reader) {
  const std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state(XXH3_createState(),
                                                                              &XXH3_freeState);
  if (!state || XXH3_64bits_reset(state.get()) != XXH_OK)
    throw Error(ErrorCode::OutOfMemory, "hash", "no memory for a hash.");
  for (const auto& [name, type] : reader.types()) {
    const std::string head = name + type.toString();
    XXH3_64bits_update(state.get(), head.data(), head.size());
    reader.eachPiece(name, [&](std::span<const std::byte> piece) {
      XXH3_64bits_update(state.get(), piece.data(), piece.size());
    });
  }
  const uint64_t digest = XXH3_64bits_digest(state.get());
  std::string text(16, '0');
  for (int i = 0; i < 16; ++i)
    text[static_cast<size_t>(i)] = "0123456789abcdef"[(digest >> (60 - 4 * i)) & 15];
  return text;
}

std::string weightsHash(const std::map<std::string, Tensor>& tensors) {
  return weightsHash(viewsOf(tensors));
}

std::string weightsHash(const TensorViews& tensors) {
  TensorsInMemory reader(tensors);
  return weightsHash(reader);
}

}  // namespace strata
