// SPDX-License-Identifier: Apache-2.0
// The address of a byte in the memory of a device. It is not a pointer, so that code which would
// read memory of a device on the host does not compile. Data goes in and out through a Stream
// (runner.h); only a device turns an address into whatever its kernels need.
// Thread: plain values.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

namespace strata {

class DeviceAddress {
 public:
  /// The null address.
  constexpr DeviceAddress() = default;
  /// Only devices call fromBits() and bits().
  static constexpr DeviceAddress fromBits(uint64_t bits) {
    DeviceAddress address;
    address.m_bits = bits;
    return address;
  }
  constexpr uint64_t bits() const { return m_bits; }
  constexpr bool isNull() const { return m_bits == 0; }
  constexpr DeviceAddress operator+(size_t bytes) const { return fromBits(m_bits + bytes); }
  /// Returns the number of bytes from `other` to this address. Requires: both are in one block.
  constexpr size_t operator-(DeviceAddress other) const { return m_bits - other.m_bits; }
  constexpr auto operator<=>(const DeviceAddress&) const = default;

 private:
  uint64_t m_bits = 0;
};

}  // namespace strata
