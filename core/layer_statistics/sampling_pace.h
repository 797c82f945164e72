// SPDX-License-Identifier: Apache-2.0
// Decides at which steps of a run layers are sampled, so that sampling takes at most a share of the
// time of the steps. Not here: the sampling (core/train/layer_sampler.h).
// Thread: only one thread at a time may use an object.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

namespace strata {

class SamplingPace {
 public:
  static constexpr double kMaxShare = 0.03;
  /// Fewer steps than this are never between two samplings.
  static constexpr int64_t kMinInterval = 10;

  /// How many steps the first sampling may take, before its time is known. The README has measured
  /// values.
  static constexpr int64_t kFirstSteps = 30;

  /// Returns whether the first sampling of a run of `steps` steps takes at most kMaxShare of its
  /// time, as far as this is known before.
  static bool fitsInto(int64_t steps) {
    return static_cast<double>(kFirstSteps) <= kMaxShare * static_cast<double>(steps);
  }
  /// The step after `step` is the first one that may be sampled. With `interval`, every so many
  /// steps are sampled, however long this takes.
  void begin(int64_t step, std::optional<int64_t> interval = std::nullopt) {
    m_next = step + 1;
    m_interval = interval;
  }
  /// The step after `step` is sampled, however long this takes, because the user asked for it.
  void ask(int64_t step) {
    m_next = step + 1;
    m_isAsked = true;
  }
  /// Returns whether `step` should be sampled. The first sampling is due at once; the caller knows
  /// whether it fits (fitsInto()). Each later one is due only if it, as long as the longest one of
  /// the latest two, and all before together take at most kMaxShare of the time of the steps.
  bool isDue(int64_t step) const {
    if (step < m_next) return false;
    if (m_samplings == 0 || m_interval || m_isAsked) return true;
    const std::chrono::nanoseconds expected = std::max(m_last, m_beforeLast);
    return static_cast<double>((m_spent + expected).count()) <=
           kMaxShare * static_cast<double>(m_steps.count());
  }
  /// Adds the time of a step, without the sampling.
  void addStep(std::chrono::nanoseconds time) { m_steps += time; }
  /// Adds a sampling of this step.
  void addSampling(int64_t step, std::chrono::nanoseconds time) {
    m_spent += time;
    m_beforeLast = m_last;
    m_last = time;
    m_next = step + m_interval.value_or(kMinInterval);
    m_isAsked = false;
    ++m_samplings;
  }
  int64_t samplings() const { return m_samplings; }
  /// Returns the time of all samplings divided by the time of all steps.
  double share() const {
    return m_steps.count() > 0
               ? static_cast<double>(m_spent.count()) / static_cast<double>(m_steps.count())
               : 0;
  }

 private:
  std::chrono::nanoseconds m_spent{0}, m_steps{0}, m_last{0}, m_beforeLast{0};
  int64_t m_next = 1, m_samplings = 0;
  bool m_isAsked = false;
  std::optional<int64_t> m_interval;
};

}  // namespace strata
