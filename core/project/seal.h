// SPDX-License-Identifier: Apache-2.0
// JSON files that contain a hash of their contents, which detects damage. Not here: safetensors
// files and checkpoints, which store a hash in their metadata.
// Thread: the functions are pure. Only one thread at a time may use a RunningHash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/project/json.h"

namespace strata {

/// Returns the XXH3-64 hash as 16 hexadecimal digits.
std::string hashOfBytes(std::string_view bytes);
/// Returns the same hash as a number.
uint64_t hashOf(std::span<const std::byte> bytes);
/// Computes the same hash as hashOfBytes() for bytes that arrive in several parts.
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

/// Prints a document with its hash. The member "hash" is appended, and contains the hash of the
/// text that printJson() returns for the document without this member. Requires: the document is an
/// object.
std::string printSealed(Json document);

enum class Seal { Whole, Absent, Broken };
/// Compares the document with its hash. Returns Whole if they match, and Broken otherwise. Returns
/// Absent if the document has no "hash", like files of earlier versions.
Seal sealOf(const Json& document);

}  // namespace strata
