// SPDX-License-Identifier: Apache-2.0
// The clock of simulated cards: how long a card of the catalogue takes for a kernel or a copy. The
// simulation (gpu/simulated) and predictions without it (gpu/devices/simulated_step.h) use the same
// clock, so their times are equal.
// Not here: bounds for other devices (roofline.h), which use the same launch time.
// Thread: plain values.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace strata {

/// The shortest time of a kernel on a card.
constexpr double kLaunchSeconds = 2e-6;
/// The rate of copies between a card and the host: PCIe 4.0 x16.
constexpr double kHostBytesPerSecond = 25e9;
/// The rate of copies between cards. The same, because NVLink is not known for all cards.
constexpr double kPeerBytesPerSecond = kHostBytesPerSecond;

/// Returns a time in microseconds, as whole nanoseconds. All figures of one time are then equal to
/// the last digit.
inline double microsecondsOf(double seconds) { return std::round(seconds * 1e9) / 1e3; }
/// Rounds to whole nanoseconds, as the clock of a real card, so that sums do not depend on what ran
/// before.
inline double wholeNanoseconds(double seconds) { return std::round(seconds * 1e9) * 1e-9; }

/// Returns the time of a copy or fill of this many bytes at this rate.
inline double copySeconds(size_t bytes, double bytesPerSecond) {
  return 1e-6 + static_cast<double>(bytes) / bytesPerSecond;
}

/// The time of the kernels of one node. Its first kernel takes as long as the arithmetic or the
/// bytes of the node take at the peak rates of the card, and further ones only their launches.
class NodeClock {
 public:
  NodeClock() = default;
  /// `flopsPerSecond` has the rates of float32, tf32, bfloat16 and float16; 0 if the card does not
  /// have one. `precision` is the index of the rate that products use.
  NodeClock(double flops, double bytes, bool isProduct, int precision, const double* flopsPerSecond,
            double bytesPerSecond) {
    const bool usesOwnRate =
        isProduct && precision >= 0 && precision < 4 && flopsPerSecond[precision] > 0;
    const double rate = flopsPerSecond[usesOwnRate ? precision : 0];
    m_nodeSeconds = m_leftSeconds = std::max(flops / rate, bytes / bytesPerSecond);
    m_bytesPerSecond = bytesPerSecond;
  }
  /// Returns the time of the next kernel, before wholeNanoseconds(). A library call takes
  /// `relativeTime` times as long as at the peak rates, and writes and reads `copiedBytes` bytes in
  /// addition.
  double take(double relativeTime = 1, size_t copiedBytes = 0) {
    double seconds = std::max(kLaunchSeconds, m_leftSeconds) +
                     (relativeTime - 1) * std::max(kLaunchSeconds, m_nodeSeconds);
    if (copiedBytes > 0) seconds += 2 * static_cast<double>(copiedBytes) / m_bytesPerSecond;
    m_leftSeconds = 0;
    return seconds;
  }

 private:
  double m_nodeSeconds = 0, m_leftSeconds = 0, m_bytesPerSecond = 1;
};

}  // namespace strata
