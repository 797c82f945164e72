// SPDX-License-Identifier: Apache-2.0
// The name of a device as a value. Code asks it what kind of device a name means, instead of
// comparing texts.
// Not here: whether this machine has the device (devices.h), and which card of the catalogue a
// simulated one is (core/cost/simulated_card.h).
// Thread: plain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

/// The most replicas that may train side by side.
constexpr int kMaxReplicas = 64;

struct DeviceName {
  enum class Kind : uint8_t {
    // The first usable GPU, or else the CPU
    Auto,
    Cpu,
    Reference,
    // "cuda:N", an NVIDIA GPU, or several: "cuda:0,cuda:1"
    Cuda,
    // All usable GPUs
    All,
    // "simulated:NAME"
    Simulated,
    // No device of this version
    Unknown,
  };
  Kind kind = Kind::Unknown;
  // The number of an NVIDIA GPU, the first one of a list
  int ordinal = 0;
  // The numbers of a list of different GPUs; empty for other names
  std::vector<int> ordinals;
  // The name of a simulated card, as it is written
  std::string card;
  // How many devices: 4 for "cpu*4"
  int copies = 1;

  DeviceName() = default;
  /// Reads a name. Any text is a name, perhaps of an unknown device.
  explicit DeviceName(std::string_view text);

  bool isCpu() const { return kind == Kind::Cpu; }
  bool isCuda() const { return kind == Kind::Cuda; }
  bool isSimulated() const { return kind == Kind::Simulated; }
  /// Returns whether the device is an NVIDIA GPU or a simulated one.
  bool isGpu() const { return isCuda() || isSimulated(); }
  /// Returns whether the device computes on the processor.
  bool isOnHost() const { return kind == Kind::Cpu || kind == Kind::Reference; }
  /// Returns the name of one of the copies: "cpu" for "cpu*4".
  std::string single() const;
  /// Returns the names of the copies: "cpu:0" and "cpu:1" for "cpu*2". A single device has the name
  /// single().
  std::vector<std::string> each() const;
  /// Returns the name by which the device of a rank is opened: "cpu" for each of "cpu*2".
  std::string at(int rank) const;
  bool operator==(const DeviceName&) const = default;
};

}  // namespace strata
