// SPDX-License-Identifier: Apache-2.0
// Counter-based random numbers: Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as
// 1, 2, 3", SC 2011). A number is a pure function of seed, stream and counter. Numbers can
// therefore be computed in any order. Thread: any; each RandomStream is used by one thread.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace strata {

inline std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter,
                                          std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t{0xD2511F53u} * counter[0];
    const uint64_t p1 = uint64_t{0xCD9E8D57u} * counter[2];
    counter = {static_cast<uint32_t>(p1 >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(p1),
               static_cast<uint32_t>(p0 >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(p0)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return counter;
}

/// Returns the four random words of block number `block` in stream `stream` of `seed`.
inline std::array<uint32_t, 4> randomWords(uint64_t seed, uint64_t stream, uint64_t block) {
  return philox4x32({static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32),
                     static_cast<uint32_t>(stream), static_cast<uint32_t>(stream >> 32)},
                    {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)});
}

/// Converts a random word to a number in [0, 1) with 24 random bits.
inline float uniformFloat(uint32_t word) { return static_cast<float>(word >> 8) * 0x1p-24f; }

/// Returns the number of the stream with this name: the FNV-1a hash of the name. Each variable,
/// layer and purpose has its own stream.
constexpr uint64_t streamOf(std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (char c : name)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

/// A generator that returns the random numbers of one stream in sequence. It is used for filling
/// tensors and for shuffling. A copy returns the same further numbers as the original.
class RandomStream {
 public:
  RandomStream(uint64_t seed, uint64_t stream) : m_seed(seed), m_stream(stream) {}
  uint32_t word() {
    if (m_next == 4) {
      m_words = randomWords(m_seed, m_stream, m_block++);
      m_next = 0;
    }
    return m_words[m_next++];
  }
  float uniform() { return uniformFloat(word()); }
  double uniformDouble() {
    const uint64_t high = word();
    return static_cast<double>((high << 21) ^ (word() >> 11)) * 0x1p-53;
  }
  /// Returns an unbiased uniform integer from 0 to bound - 1. Requires: bound > 0.
  uint32_t below(uint32_t bound) {
    for (;;) {
      const uint64_t product = uint64_t{word()} * bound;
      if (static_cast<uint32_t>(product) >= (0u - bound) % bound)
        return static_cast<uint32_t>(product >> 32);
    }
  }
  /// Returns a standard normal number, computed by the Box-Muller transform.
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniformDouble()));
    return radius * std::cos(6.283185307179586476925 * uniformDouble());
  }

 private:
  uint64_t m_seed, m_stream, m_block = 0;
  std::array<uint32_t, 4> m_words{};
  unsigned m_next = 4;
};

}  // namespace strata
