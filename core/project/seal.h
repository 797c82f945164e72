// SPDX-License-Identifier: Apache-2.0
// JSON files with a hash of their own contents, which detects damage. Not here: safetensors and
// checkpoints, whose hash is in the metadata. Thread: pure functions; a RunningHash belongs to one
// thread.
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
/// The same for bytes that arrive in pieces.
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

/// Prints the document with printJson and a last member "hash" over the text without it.
/// Requires: an object.
std::string printSealed(Json document);

enum class Seal { Whole, Absent, Broken };
/// Absent: the document has no "hash", like files of earlier versions.
Seal sealOf(const Json& document);

}  // namespace strata
