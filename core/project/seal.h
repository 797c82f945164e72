// SPDX-License-Identifier: Apache-2.0
// JSON files that carry a hash of their own contents, so that a flipped bit is seen. Not here:
// safetensors and checkpoints, which have theirs in the metadata. Thread: pure functions; a
// RunningHash belongs to one thread.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/project/json.h"

namespace strata {

/// XXH3-64 as 16 hex digits.
std::string hashOfBytes(std::string_view bytes);
/// The same of bytes that come piece by piece.
class RunningHash {
 public:
  RunningHash();
  ~RunningHash();
  void add(std::span<const std::byte> bytes);
  std::string text() const;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

/// The document as printJson prints it, with a last member "hash" over what it prints without it.
/// Requires: an object.
std::string printSealed(Json document);

enum class Seal { Whole, Absent, Broken };
/// Absent: the document has no "hash", as files of earlier versions.
Seal sealOf(const Json& document);

}  // namespace strata
