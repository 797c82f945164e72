// SPDX-License-Identifier: Apache-2.0
// Which of several ways a kernel runs, chosen by timing the ways on this machine. What was
// measured, and what was chosen, are values: they are kept by machine and stored with a run
// (core/cost/kernel_choices_file.h), so that a run goes on with the bits it began with.
// Not here: the ways themselves (Backend::otherWays). Thread: one compiling thread at a time.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "gpu/exec/backend.h"

namespace strata {

/// What is timed and taken. SameBits: only ways whose results were compared with the rule's and
/// differ in no bit, so that what a run computes does not depend on what was measured.
enum class KernelChoice : uint8_t { Rule, SameBits, Fastest };

struct MeasuredWay {
  // "" : the rule's
  std::string way;
  // Least of some runs; 0: not timed
  double seconds = 0;
  // As the rule's
  bool hasSameBits = true;
};
/// By kernelKey(): the rule's first.
using KernelMeasurements = std::map<std::string, std::vector<MeasuredWay>, std::less<>>;
/// By kernelKey(): those that do not go by the rule.
using KernelWays = std::map<std::string, std::string, std::less<>>;

/// What a kernel is made from, for people and files: "conv2d f32[64,28,28,1],f32[3,3,1,32] ->
/// f32[64,26,26,32] {...}".
std::string kernelKey(const Graph& graph, NodeId node);
/// "" where the rule's is the best, or nearly so.
std::string bestWay(const std::vector<MeasuredWay>& ways, KernelChoice how);

/// Chooses the kernels of graphs for one backend, which then makes those (KernelCache, Program).
class KernelChooser {
 public:
  KernelChooser(Backend& backend, KernelChoice how) : m_backend(backend), m_how(how) {}
  /// What earlier runs measured on this machine.
  void know(KernelMeasurements measurements) { m_measured = std::move(measurements); }
  /// From now on these ways and the rule, whatever is known or would be measured: a run that is
  /// continued.
  void fix(KernelWays ways);
  bool isFixed() const { return m_isFixed; }
  /// Kernels that nothing is known of are timed, on the backend's pool, for no longer than `budget`
  /// in all and on operands that are small beside the memory limit of the step; those left over go
  /// by the rule.
  void measure(std::chrono::nanoseconds budget, std::stop_token stop = {},
               size_t limitBytes = SIZE_MAX);
  /// Chooses for all nodes of a graph. report: how many kernels go another way, one line each.
  void choose(const Graph& graph, PassReport& report);
  const KernelMeasurements& measurements() const { return m_measured; }
  // More than was known
  bool hasMeasured() const { return m_hasMeasured; }
  const KernelWays& ways() const { return m_ways; }

 private:
  const std::vector<MeasuredWay>* measured(const Graph& graph, NodeId node, const std::string& key,
                                           const std::vector<OtherWay>& others);
  bool isEnough(const std::vector<MeasuredWay>& measured,
                const std::vector<OtherWay>& others) const;

  Backend& m_backend;
  const KernelChoice m_how;
  KernelMeasurements m_measured;
  KernelWays m_ways;
  // An earlier program has the rule's: a later one must, too
  std::set<std::string, std::less<>> m_ruled;
  bool m_isFixed = false, m_hasMeasured = false;
  std::chrono::nanoseconds m_budget{0};
  size_t m_limitBytes = SIZE_MAX;
  std::stop_token m_stop;
};

}  // namespace strata
