// SPDX-License-Identifier: Apache-2.0
#include "core/project/seal.h"

#include <xxhash.h>
#include <nlohmann/json.hpp>

namespace strata {

static constexpr const char* kSealMember = "hash";

static std::string digitsOf(uint64_t digest) {
  std::string text(16, '0');
  for (size_t i = 0; i < 16; ++i)
    text[i] = "0123456789abcdef"[digest >> (60 - 4 * i) & 15];
  return text;
}

std::string hashOfBytes(std::string_view bytes) {
  return digitsOf(XXH3_64bits(bytes.data(), bytes.size()));
}

uint64_t hashOf(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

struct RunningHash::State {
  XXH3_state_t* hash = XXH3_createState();
};

RunningHash::RunningHash() : m_state(std::make_unique<State>()) {
  if (!m_state->hash || XXH3_64bits_reset(m_state->hash) != XXH_OK) throw std::bad_alloc();
}

RunningHash::~RunningHash() { XXH3_freeState(m_state->hash); }

void RunningHash::add(std::span<const std::byte> bytes) {
  XXH3_64bits_update(m_state->hash, bytes.data(), bytes.size());
}

std::string RunningHash::text() const { return digitsOf(XXH3_64bits_digest(m_state->hash)); }

std::string printSealed(Json document) {
  document.erase(kSealMember);
  std::string hash = hashOfBytes(printJson(document));
  document[kSealMember] = std::move(hash);
  return printJson(document);
}

Seal sealOf(const Json& document) {
  const auto found = document.is_object() ? document.find(kSealMember) : document.end();
  if (found == document.end()) return Seal::Absent;
  if (!found->is_string()) return Seal::Broken;
  Json unsealed = document;
  unsealed.erase(kSealMember);
  return found->get_ref<const std::string&>() == hashOfBytes(printJson(unsealed)) ? Seal::Whole
                                                                                  : Seal::Broken;
}

}  // namespace strata
